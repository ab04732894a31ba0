import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { runCommandLine } from '../src/program.ts';
import type { Terminal } from '../src/terminal.ts';

/** A job of two addresses as the API describes it; each test says what it needs of it. */
const job = {
  ...{ job_id: 'vjob_1', name: 'list.csv', state: 'ready', addresses: 2, cost_max: 2, done: 0, progress: 0 },
  ...{ address_column: 1, columns: [{ name: 'Name' }, { name: 'E-mail' }], results: {}, spent: null },
  ...{ per_second: null, seconds_left: null, waiting_for: [], failure: null },
};
const succeeded = {
  ...job,
  state: 'succeeded',
  done: 2,
  progress: 1,
  results: { ok: 1, invalid: 1 },
  spent: 2,
};

type Answer = readonly [status: number, body: unknown];

let folder: string;
let server: Server;
/** What the API answers, by method and path; a list is answered in its order, the last one again. */
let answers: Record<string, Answer | Answer[]>;
let requests: { readonly line: string; readonly query: URLSearchParams; readonly body: string }[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailproof-command-'));
  await writeFile(join(folder, 'list.csv'), 'Name,E-mail\nAda,ada@ordinary.example\n');
  requests = [];
  answers = {
    'POST /validation-jobs': [201, job],
    'POST /validation-jobs/vjob_1/start': [202, job],
    'GET /validation-jobs/vjob_1': [200, succeeded],
    'POST /exports': [202, { export_id: 'exp_1' }],
    'GET /exports/exp_1': [200, { status: 'succeeded' }],
    'GET /exports/exp_1/file': [200, 'the results'],
  };
  server = createServer(async (request, response) => {
    const [path, search] = (request.url ?? '').replace('/api/v1', '').split('?');
    const line = `${request.method} ${path}`;
    requests.push({ line, query: new URLSearchParams(search), body: await text(request) });
    const known = answers[line] ?? [404, { status: 404, code: 'not_found', detail: line }];
    const [status, body] = (
      Array.isArray(known[0])
        ? (known as Answer[]).length > 1
          ? (known as Answer[]).shift()
          : known[0]
        : known
    ) as Answer;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

function screen(isTTY = false) {
  let shown = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      shown += String(chunk);
      done();
    },
  });
  return Object.assign(stream, { isTTY, text: () => shown });
}

async function run(args: readonly string[], changes: Partial<Terminal> = {}) {
  const [stdout, stderr] = [screen(), screen(changes.stdin?.isTTY === true)];
  const code = await runCommandLine(args, {
    ...{ stdin: Readable.from([]), stdout, stderr, workingDirectory: folder },
    environment: {
      MAILPROOF_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      MAILPROOF_API_KEY: 'mp_live_key',
    },
    signal: new AbortController().signal,
    ...changes,
  });
  return { code, written: stdout.text(), said: stderr.text() };
}

const lines = () => requests.map(({ line }) => line);
const typing = (answer: string) => Object.assign(Readable.from([`${answer}\n`]), { isTTY: true });

describe('a list', () => {
  it('is started at a price that the user accepts, and its results are written next to it', async () => {
    const { code, said } = await run(['validate', 'list.csv'], { stdin: typing('y') });
    expect(said).toContain('Start for at most 2 credits? [y/N]');
    expect(said).toContain('2 rows: 1 ok, 1 invalid; 2 credits spent. Results: ');
    expect(code).toBe(0);
    expect(await readFile(join(folder, 'list.validated.csv'), 'utf8')).toBe('the results');
    expect((await readdir(folder)).sort()).toEqual(['list.csv', 'list.validated.csv']);
  });

  it.each([
    ['list.xlsx', [], 'list.validated.xlsx', 'xlsx'],
    ['list.XLSM', [], 'list.validated.xlsx', 'xlsx'],
    ['list.xlsx', ['--output', 'results.csv', '--sheet', 'People'], 'results.csv', 'csv'],
    ['list.csv', ['--output', 'results.ndjson'], 'results.ndjson', 'ndjson'],
    ['list.csv', [], 'list.validated.csv', 'as_uploaded'],
  ])('%s with %j has its results in %s, as %s', async (list, options, results, format) => {
    await writeFile(join(folder, list), 'the list');
    const { code } = await run(['validate', list, '--yes', ...options]);
    expect(code).toBe(0);
    expect(await readFile(join(folder, results), 'utf8')).toBe('the results');
    const asked = requests.find(({ line }) => line === 'POST /exports');
    expect(JSON.parse(asked?.body ?? '')).toMatchObject({ target: 'csv', options: { format } });
    expect(requests.some(({ query }) => query.get('sheet') === 'People')).toBe(options.includes('--sheet'));
  });

  it('is not started without an accepted price', async () => {
    const refused = await run(['validate', 'list.csv'], { stdin: typing('') });
    expect([refused.code, refused.said]).toEqual([130, expect.stringContaining('nothing is charged')]);
    expect(lines()).not.toContain('POST /validation-jobs/vjob_1/start');
    requests = [];
    const silent = await run(['validate', 'list.csv']);
    expect([silent.code, silent.said]).toEqual([2, expect.stringContaining('--max-credits')]);
    expect(requests).toEqual([]);
    const dear = await run(['validate', 'list.csv', '--max-credits', '1', '--output', 'other.csv']);
    expect([dear.code, dear.said]).toEqual([2, expect.stringContaining('more than --max-credits 1')]);
    expect(lines()).not.toContain('POST /validation-jobs/vjob_1/start');
  });

  it('overwrites no results, unless it is told to', async () => {
    await writeFile(join(folder, 'list.validated.csv'), 'earlier');
    expect(await run(['validate', 'list.csv', '--yes'])).toMatchObject({ code: 2 });
    expect(requests).toEqual([]);
    expect(await run(['validate', 'list.csv', '--yes', '--force'])).toMatchObject({ code: 0 });
    expect(await readFile(join(folder, 'list.validated.csv'), 'utf8')).toBe('the results');
  });

  it('is neither uploaded nor charged if its results could not be written', async () => {
    await mkdir(join(folder, 'results'));
    for (const [output, sentence] of [
      ['results', 'is not a file'],
      ['missing/results.csv', 'cannot be written to '],
      ['/dev/null', 'is not a file'],
    ] as const) {
      const { code, said } = await run(['validate', 'list.csv', '--yes', '--force', '--output', output]);
      expect([output, code, said]).toEqual([output, 2, expect.stringContaining(sentence)]);
    }
    expect(requests).toEqual([]);
    await mkdir(join(folder, 'list.validated.csv.job'));
    const { code, said } = await run(['validate', 'list.csv', '--yes', '--delimiter', ',']);
    expect([code, said]).toEqual([1, expect.stringMatching(/EISDIR: [^,]+\. The list is not started/)]);
    expect(lines()).toEqual(['POST /validation-jobs']);
  });

  it('says how to get results that could not be written', async () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { syscall: 'write' });
    const stdout = new Writable({ write: (_chunk, _encoding, done) => done(full) });
    const { code, said } = await run(['validate', 'list.csv', '--yes', '--output', '-'], { stdout });
    expect([code, said]).toEqual([
      1,
      expect.stringContaining(
        'could not be written: ENOSPC: no space left on device. Get its results in the app',
      ),
    ]);
  });

  it('says that it continues on the server when that does not answer any more', async () => {
    answers['GET /validation-jobs/vjob_1'] = [403, { status: 403, code: 'scope_required', detail: 'No.' }];
    const { code, said } = await run(['validate', 'list.csv', '--yes']);
    expect([code, said]).toEqual([
      1,
      expect.stringContaining('vjob_1 continues on the server. Run the same command again to'),
    ]);
    const forced = await run(['validate', 'list.csv', '--yes', '--force']);
    expect(forced.said).toContain('Run the same command again, but without --force, to get');
  });

  it('with a column that has no addresses is one that cannot be read', async () => {
    const problem = { status: 422, code: 'no_addresses_found', detail: 'No addresses.' };
    answers['PUT /validation-jobs/vjob_1'] = [422, problem];
    const { code, said } = await run(['validate', 'list.csv', '--yes', '--column', 'Name']);
    expect([code, said]).toEqual([2, expect.stringContaining('No addresses.')]);
  });

  it.each([
    ['that cannot be read', 'file_not_readable', 422, 2],
    ['without addresses', 'no_addresses_found', 422, 2],
    ['that is too long', 'too_many_rows', 413, 2],
    ['with an unknown encoding', 'invalid_request', 400, 2],
    ['of an account without credits', 'credits_exhausted', 402, 4],
    ['that the server has no place for', 'too_many_unstarted_jobs', 409, 1],
  ])('%s ends with the exit code that says so', async (_, code, status, exitCode) => {
    const problem = { status, code, title: 'Title', detail: 'What is wrong.', remedy: 'What to do.' };
    answers['POST /validation-jobs'] = [status, problem];
    const ended = await run(['validate', 'list.csv', '--yes']);
    expect(ended.code).toBe(exitCode);
    expect(ended.said).toContain(`${status} ${code}: What is wrong. What to do.`);
    expect((await readdir(folder)).sort()).toEqual(['list.csv']);
  });

  it('is finished after a time, and says what it waits for until then', async () => {
    const until = new Date(2026, 10, 27, 12, 40).toISOString();
    const waiting = { reason: 'greylisting', addresses: 1, rows: 3, next_at: until, until, mail_hosts: [] };
    answers['POST /validation-jobs/vjob_1/finish'] = [200, succeeded];
    answers['GET /validation-jobs/vjob_1'] = [
      [200, { ...job, state: 'running', done: 1, waiting_for: [waiting] }],
      [200, succeeded],
    ];
    const { code, said } = await run(['validate', 'list.csv', '--yes', '--finish-after', '0']);
    expect(said).toContain('3 wait for greylisting until 12:40');
    expect(code).toBe(0);
    expect(lines().filter(line => line.endsWith('/finish'))).toHaveLength(1);
    // A server that refuses does not end the command.
    answers['POST /validation-jobs/vjob_1/finish'] = [409, { status: 409, code: 'job_not_under_way' }];
    answers['GET /validation-jobs/vjob_1'] = [
      [200, { ...job, state: 'running' }],
      [200, succeeded],
    ];
    const refused = await run(['validate', 'list.csv', '--yes', '--force', '--finish-after', '0']);
    expect([refused.code, refused.said]).toEqual([0, expect.stringContaining('could not be finished')]);
  });

  it('is resumed after an interruption, without a second upload', async () => {
    answers['GET /validation-jobs/vjob_1'] = [
      [200, { ...job, state: 'running' }],
      [503, { status: 503, code: 'service_unavailable' }],
      [200, succeeded],
    ];
    const interruption = new AbortController();
    const stderr = screen();
    stderr.on('newListener', () => undefined);
    const write = stderr.write.bind(stderr);
    stderr.write = ((chunk: string, done?: () => void) => {
      if (chunk.startsWith('running')) interruption.abort();
      return write(chunk, done);
    }) as typeof stderr.write;
    const args = ['validate', 'list.csv', '--yes'];
    const interrupted = await run(args, { signal: interruption.signal, stderr });
    expect(interrupted.code).toBe(130);
    expect(stderr.text()).toContain('The job vjob_1 continues on the server. Run the same command again');
    expect(await readdir(folder)).toContain('list.validated.csv.job');

    requests = [];
    // Also if there are earlier results, which the interrupted run was to overwrite.
    await writeFile(join(folder, 'list.validated.csv'), 'earlier');
    const resumed = await run(args);
    expect(resumed).toMatchObject({ code: 0, said: expect.stringContaining('Resuming vjob_1') });
    expect(await readFile(join(folder, 'list.validated.csv'), 'utf8')).toBe('the results');
    expect(lines().filter(line => line.startsWith('POST /validation-jobs'))).toEqual([]);
    expect((await readdir(folder)).sort()).toEqual(['list.csv', 'list.validated.csv']);
  });

  it('is started by one of two runs at the same time, and the other one says so', async () => {
    answers['GET /validation-jobs/vjob_1'] = [
      [200, { ...job, state: 'running' }],
      [200, succeeded],
    ];
    const args = ['validate', 'list.csv', '--yes'];
    const ends = await Promise.all([run(args), run(args)]);
    expect(ends.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(ends.find(({ code }) => code === 1)?.said).toContain('Another run of this command');
    expect(lines().filter(line => line.endsWith('/start'))).toHaveLength(1);
    expect((await readdir(folder)).sort()).toEqual(['list.csv', 'list.validated.csv']);
  });

  it('is resumed with the column that the user names now', async () => {
    const declined = await run(['validate', 'list.csv'], { stdin: typing('n') });
    expect(declined.code).toBe(130);
    answers['GET /validation-jobs/vjob_1'] = [
      [200, job],
      [200, succeeded],
    ];
    answers['PUT /validation-jobs/vjob_1'] = [200, { ...job, address_column: 0 }];
    requests = [];
    const { code, said } = await run(['validate', 'list.csv', '--yes', '--column', 'Name']);
    expect([code, said]).toEqual([0, expect.stringContaining('in the column "Name"')]);
    expect(lines().slice(0, 3)).toEqual([
      'GET /validation-jobs/vjob_1',
      'PUT /validation-jobs/vjob_1',
      'POST /validation-jobs/vjob_1/start',
    ]);
  });

  it('is not resumed if it was started with another column', async () => {
    await run(['validate', 'list.csv'], { stdin: typing('n') });
    answers['GET /validation-jobs/vjob_1'] = [200, { ...job, state: 'running' }];
    const { code, said } = await run(['validate', 'list.csv', '--yes', '--column', 'Name']);
    expect([code, said]).toEqual([2, expect.stringContaining('started with the column "E-mail"')]);
  });

  it('is uploaded again if it was not started and the user says how to read it', async () => {
    await run(['validate', 'list.csv'], { stdin: typing('n') });
    answers['GET /validation-jobs/vjob_1'] = [
      [200, job],
      [200, succeeded],
    ];
    requests = [];
    expect(await run(['validate', 'list.csv', '--yes', '--delimiter', ';'])).toMatchObject({ code: 0 });
    expect(lines()).toContain('POST /validation-jobs');
  });

  it('that changed after an interruption is not taken for the same one', async () => {
    await writeFile(join(folder, 'list.validated.csv.job'), '{"job_id":"vjob_1","list":"1 1"}');
    const { code, said } = await run(['validate', 'list.csv', '--yes']);
    expect([code, said]).toEqual([2, expect.stringContaining('The list differs')]);
    expect(requests).toEqual([]);
    await writeFile(join(folder, 'list.validated.csv.job'), 'spoilt');
    expect(await run(['validate', 'list.csv', '--yes'])).toMatchObject({ code: 2 });
    expect(await run(['validate', 'list.csv', '--yes', '--force'])).toMatchObject({ code: 0 });
  });

  it('has the column that the user names, by name or number', async () => {
    answers['PUT /validation-jobs/vjob_1'] = [200, { ...job, address_column: 0 }];
    for (const column of ['Name', '1']) {
      requests = [];
      const { code, said } = await run(['validate', 'list.csv', '--yes', '--force', '--column', column]);
      expect([code, said]).toEqual([0, expect.stringContaining('in the column "Name"')]);
      expect(requests.find(({ line }) => line.startsWith('PUT'))?.body).toBe('{"address_column":0}');
    }
    const wrong = await run(['validate', 'list.csv', '--yes', '--force', '--column', '3']);
    expect([wrong.code, wrong.said]).toEqual([2, 'The list has no column 3, but Name, E-mail.\n']);
    answers['POST /validation-jobs'] = [201, { ...job, address_column: null }];
    expect(await run(['validate', 'list.csv', '--yes', '--force'])).toMatchObject({
      code: 2,
      said: 'No column contains addresses. Name it with --column: Name, E-mail.\n',
    });
  });

  it.each([
    [{ state: 'succeeded', results: { ok: 2 } }, 0],
    [{ state: 'succeeded', results: { ok: 1, unknown: 0, invalid: 1 } }, 3],
    [{ state: 'failed', failure: { code: 'credits_exhausted', detail: 'No credits are left.' } }, 4],
    [{ state: 'failed', failure: { code: 'timed_out', detail: 'It took too long.' } }, 1],
    [{ state: 'cancelled' }, 1],
  ])('that ended as %j exits with %i, and its results are there', async (end, code) => {
    answers['GET /validation-jobs/vjob_1'] = [200, { ...succeeded, ...end }];
    const args = ['validate', 'list.csv', '--yes', '--fail-on', 'invalid,unknown'];
    expect(await run(args)).toMatchObject({ code });
    expect(await readFile(join(folder, 'list.validated.csv'), 'utf8')).toBe('the results');
  });

  it('that ended early says how to validate only what remains, and that the list as a whole is charged again', async () => {
    const failure = { code: 'credits_exhausted', detail: 'No credits are left.' };
    answers['GET /validation-jobs/vjob_1'] = [200, { ...succeeded, state: 'failed', done: 1, failure }];
    const { code, said } = await run(['validate', 'list.csv', '--yes']);
    expect([code, said]).toEqual([
      4,
      expect.stringMatching(/not charged: 1 address of vjob_1\. .*: mailproof validate vjob_1\n/),
    ]);
    const again = await run(['validate', 'list.csv', '--yes']);
    expect([again.code, again.said]).toEqual([2, expect.stringContaining('charges the whole list again')]);
  });

  it('that ended is validated for its remaining rows, by the id of its job, once', async () => {
    const rest = { ...job, job_id: 'vjob_2', addresses: 1, cost_max: 1 };
    answers['POST /validation-jobs/vjob_1/revalidation'] = [201, rest];
    answers['POST /validation-jobs/vjob_2/start'] = [202, rest];
    answers['GET /validation-jobs/vjob_2'] = [
      [200, rest],
      [200, { ...succeeded, job_id: 'vjob_2' }],
    ];
    const declined = await run(['validate', 'vjob_1'], { stdin: typing('n') });
    expect([declined.code, declined.said]).toEqual([
      130,
      expect.stringContaining('Start for at most 1 credit?'),
    ]);
    // The next run continues with the job that this one has made.
    const { code } = await run(['validate', 'vjob_1', '--max-credits', '1']);
    expect(code).toBe(0);
    expect(await readFile(join(folder, 'vjob_1.validated.csv'), 'utf8')).toBe('the results');
    expect(lines().filter(line => line.startsWith('POST /validation-jobs'))).toEqual([
      'POST /validation-jobs/vjob_1/revalidation',
      'POST /validation-jobs/vjob_2/start',
    ]);
    expect(JSON.parse(requests.find(({ line }) => line === 'POST /exports')?.body ?? '')).toMatchObject({
      source: { job_id: 'vjob_2' },
    });

    const refused = { status: 409, code: 'no_unknown_rows', detail: 'No rows remain to be validated.' };
    answers['POST /validation-jobs/vjob_1/revalidation'] = [409, refused];
    expect(await run(['validate', 'vjob_1', '--yes', '--force'])).toMatchObject({
      code: 1,
      said: expect.stringContaining('No rows remain'),
    });
    expect(await run(['validate', 'vjob_1', '--yes', '--force', '--column', 'Name'])).toMatchObject({
      code: 2,
      said: expect.stringContaining('--column'),
    });
  });

  it('is started with the same command once there are enough credits', async () => {
    const refused = { status: 402, code: 'credits_exhausted', detail: 'Two are needed.' };
    answers['POST /validation-jobs/vjob_1/start'] = [[402, refused] as const, [202, job] as const];
    answers['GET /validation-jobs/vjob_1'] = [[200, job] as const, [200, succeeded] as const];
    expect(await run(['validate', 'list.csv', '--yes'])).toMatchObject({ code: 4 });
    expect(await run(['validate', 'list.csv', '--yes'])).toMatchObject({ code: 0 });
    expect(lines().filter(line => line === 'POST /validation-jobs')).toHaveLength(1);
  });

  it('is read from the standard input, and its results go to the standard output', async () => {
    const stdin = Readable.from(['E-mail\nada@ordinary.example\n']);
    const { code, written } = await run(['validate', '-', '--yes'], { stdin });
    expect([code, written]).toEqual([0, 'the results']);
    expect(requests[0]?.body).toBe('E-mail\nada@ordinary.example\n');
    expect(await readdir(folder)).toEqual(['list.csv']);
  });

  it('leaves no part of its results when their download fails', async () => {
    answers['GET /exports/exp_1'] = [200, { status: 'failed', failure: { detail: 'It broke.' } }];
    expect(await run(['validate', 'list.csv', '--yes'])).toMatchObject({
      code: 1,
      said: expect.stringContaining('It broke.'),
    });
    expect((await readdir(folder)).sort()).toEqual(['list.csv', 'list.validated.csv.job']);
  });
});

describe('addresses', () => {
  it('are printed in their order, each in a line or as JSON', async () => {
    const verdict = (email: string) => ({ email, result: 'ok', details: { reason: 'mailbox_exists' } });
    const refused = { status: 400, code: 'invalid_email_address', detail: 'It has no @ sign.' };
    const given = () => [[200, verdict('ada@ordinary.example')] as const, [400, refused] as const];
    answers['POST /validate-single-email'] = given();
    const { code, written } = await run(['validate', 'ada@ordinary.example', 'b\u001b@']);
    expect(written.split('\n').map(line => line.split(/ {2,}/))).toEqual([
      ['ada@ordinary.example', 'ok', 'mailbox_exists'],
      ['b\ufffd@', 'invalid', 'syntax', 'It has no @ sign.'],
      [''],
    ]);
    expect(code).toBe(0);
    answers['POST /validate-single-email'] = given();
    const json = await run(['validate', '--json', '--fail-on', 'invalid', 'ada@ordinary.example', 'b@']);
    expect(json.code).toBe(3);
    expect(
      json.written
        .trim()
        .split('\n')
        .map(line => JSON.parse(line)),
    ).toMatchObject([
      { email: 'ada@ordinary.example', result: 'ok' },
      { email: 'b@', result: 'invalid', reason: 'syntax', valid: false },
    ]);
  });

  it('are validated if they cost no more than --max-credits', async () => {
    answers['POST /validate-single-email'] = [200, { email: 'ada@ordinary.example', result: 'ok' }];
    const { code, written } = await run(['validate', 'ada@ordinary.example', '--max-credits', '1']);
    expect([code, written]).toEqual([0, expect.stringContaining('ok')]);
  });

  it.each([
    [402, 'credits_exhausted', 4],
    [401, 'invalid_api_key', 1],
  ])('that are refused with %i %s end the command', async (status, code, exitCode) => {
    answers['POST /validate-single-email'] = [status, { status, code, detail: 'Why.', requestId: 'req_1' }];
    const end = await run(['validate', 'ada@ordinary.example']);
    expect(end).toMatchObject({ code: exitCode, said: expect.stringMatching(/Why\..*\(request req_1\)\n$/) });
  });
});

describe('usage', () => {
  it.each([
    [['validate', 'missing.csv'], 'neither an address, a file'],
    [['validate', 'a'.repeat(300)], 'neither an address, a file'],
    [['validate', '.', '--yes'], 'is not a file'],
    [['validate', 'list.csv', 'ada@ordinary.example', '--yes'], 'one list, or addresses'],
    [['validate', 'ada@ordinary.example', '--output', 'x.csv'], 'are for lists'],
    [['validate', 'ada@ordinary.example', '--column', '1', '--sheet', 'x'], '--column, --sheet.'],
    [['validate', 'ada@ordinary.example', '--delimiter', ';', '--encoding', 'utf-8'], '--delimiter, --encod'],
    [['validate', 'ada@ordinary.example', '--finish-after', '5'], '--finish-after.'],
    [['validate', 'ada@ordinary.example', '--yes', '--force'], '--yes, --force.'],
    [['validate', 'list.csv', '--yes', '--json'], 'ends in .ndjson'],
    [['validate', 'ada@ordinary.example', 'b@ordinary.example', '--max-credits', '1'], 'None is validated'],
    [['validate', 'ada@ordinary.example', '--fail-on', 'bad'], 'Enter one or more of ok'],
    [['validate', 'list.csv', '--max-credits', '-1'], 'Enter a whole number'],
    [['--url', 'nonsense', 'credits'], 'Set MAILPROOF_URL or --url'],
    [['--url', 'ftp://mailproof.example', 'credits'], 'Set MAILPROOF_URL or --url'],
    [['--url', 'https://ada:word@mailproof.example', 'credits'], 'must not contain a user or a password'],
    [['--key', 'mp_live_7Hbx…', 'credits'], 'a character that no key has'],
    [['validate'], 'missing required argument'],
  ])('%j is refused with a sentence', async (args, sentence) => {
    const { code, said } = await run(args);
    expect([code, said]).toEqual([2, expect.stringContaining(sentence)]);
    expect(said).not.toMatch(/ada:word|7Hbx/);
    expect(requests).toEqual([]);
  });

  it('takes no empty list, and validates an address that is too long for a file', async () => {
    await writeFile(join(folder, 'empty.csv'), '');
    expect(await run(['validate', 'empty.csv', '--yes'])).toMatchObject({
      code: 2,
      said: 'empty.csv is empty.\n',
    });
    answers['POST /validate-single-email'] = [400, { status: 400, code: 'invalid_email_address' }];
    const { code, written } = await run(['validate', `${'a'.repeat(300)}@ordinary.example`]);
    expect([code, written]).toEqual([0, expect.stringContaining('syntax')]);
  });

  it('shows no control characters that a server sends', async () => {
    answers['GET /me'] = [
      400,
      { status: 400, code: 'invalid_request', detail: 'The column \u001b[31mred\u0007' },
    ];
    const { code, said } = await run(['credits']);
    expect([code, said]).toEqual([1, expect.stringContaining('The column \ufffd[31mred\ufffd')]);
    answers['POST /validate-single-email'] = [
      400,
      { status: 400, code: 'invalid_email_address', detail: 'No @ in \u001b[31mred' },
    ];
    const { written } = await run(['validate', 'red@']);
    expect(written).toContain('No @ in \ufffd[31mred');
  });

  it('says that a key is sent unencrypted to another machine', async () => {
    const environment = { MAILPROOF_URL: 'http://mailproof.example:1', MAILPROOF_API_KEY: 'mp_live_key' };
    const signal = AbortSignal.abort();
    expect((await run(['credits'], { environment, signal })).said).toContain('Use https');
    answers['GET /me'] = [200, { credits: 42 }];
    expect((await run(['credits'])).said).toBe('');
  });

  it('prints its version', async () => {
    expect(await run(['--version'])).toMatchObject({
      code: 0,
      written: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });

  it('needs a key, and takes the URL of the API too', async () => {
    expect(await run(['credits'], { environment: { MAILPROOF_URL: 'http://127.0.0.1:1' } })).toMatchObject({
      code: 2,
      said: expect.stringContaining('MAILPROOF_API_KEY'),
    });
    answers['GET /me'] = [200, { credits: 42 }];
    expect(await run(['credits'])).toMatchObject({ code: 0, written: '42\n' });
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/api/v1/`;
    expect(await run(['--url', url, 'credits'])).toMatchObject({ code: 0, written: '42\n' });
  });
});
