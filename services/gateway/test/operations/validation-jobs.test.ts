import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { workbookOf } from '@mailproof/dev-house/workbooks';
import {
  changeValidationJob,
  createValidationJob,
  createValidationJobFromList,
  deleteValidationJob,
  getValidationJob,
  limits,
  listValidationJobRows,
  listValidationJobs,
  newId,
  summarizeValidationJob,
  type ValidationJob,
  type ValidationJobRow,
  validationJob,
} from '@mailproof/shared-types';
import pg from 'pg';
import { type Answer, openSharedHouse, type Person, type TestHouse } from '../house.ts';
import { describeOperation } from '../operation-suite.ts';
import { until } from '../until.ts';

let test: TestHouse;
let engineDatabase: pg.Pool;

beforeAll(async () => {
  test = await openSharedHouse();
  engineDatabase = new pg.Pool({
    connectionString: test.house.databaseUrls['validation']?.databaseUrl ?? '',
  });
}, 120_000);

afterAll(async () => {
  await engineDatabase?.end();
  await test?.stop();
});

const stranger = () => test.stranger();
const newOwner = async () => (await test.owner()).signIn();

const csv = 'name,email,city\nAda,ada@a.example,London\nGrace,ada@A.EXAMPLE,\nAlan,,\nJoan,no address,\n';

type Headers = Readonly<Record<string, string>>;

function upload(
  who: Person,
  body: string | Uint8Array,
  query = '',
  type = 'text/csv',
  headers: Headers = {},
): Promise<Answer> {
  return who.send(`/validation-jobs${query}`, {
    method: 'POST',
    headers: { 'content-type': type, ...headers },
    body: body as string,
  });
}

function paste(who: Person, body: string, query = '', headers: Headers = {}): Promise<Answer> {
  return who.send(`/validation-jobs/pasted${query}`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain', ...headers },
    body,
  });
}

const newKey = (): Headers => ({ 'idempotency-key': newId('request') });

/** Starts an upload with a key and sends the beginning of its body. */
function beginUpload(who: Person, headers: Headers, beginning: string) {
  const { hostname, port } = new URL(test.house.gatewayUrls[0] ?? '');
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  const cookie = [...who.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const head = [
    'POST /app/v1/validation-jobs HTTP/1.1',
    `host: ${hostname}:${port}`,
    `cookie: ${cookie}`,
    'content-type: text/csv',
    'content-length: 100000',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${beginning}`);
  return socket;
}

async function jobsOf(who: Person): Promise<ValidationJob[]> {
  return listValidationJobs.success.schema.parse((await who.get('/validation-jobs')).body).jobs;
}

/** Waits until the only job of the account has the state. */
async function untilOnlyJobIs(who: Person, state: ValidationJob['state']): Promise<void> {
  await until(
    `A job that is ${state}`,
    () => jobsOf(who),
    jobs => jobs.length === 1 && jobs[0]?.state === state,
  );
}

function taken(answer: Answer): ValidationJob {
  expect([answer.status, answer.body['detail']]).toEqual([201, undefined]);
  return validationJob.strict().parse(answer.body);
}

async function rowsOf(who: Person, jobId: string, query = ''): Promise<ValidationJobRow[]> {
  const { body } = await who.get(`/validation-jobs/${jobId}/rows${query}`);
  return listValidationJobRows.success.schema.parse(body).rows;
}

function expectProblem(answer: Answer, status: number, code: string, words = /./): void {
  expect([answer.status, answer.body['code']]).toEqual([status, code]);
  expect(String(answer.body['detail'] ?? answer.body['title'])).toMatch(words);
}

/** A job of another account. */
async function foreignJob(): Promise<string> {
  return taken(await upload(await newOwner(), csv)).job_id;
}

describeOperation(createValidationJob, {
  async success() {
    const owner = await newOwner();
    const job = taken(await upload(owner, csv, '?name=people.csv'));
    expect(job).toMatchObject({
      name: 'people.csv',
      origin: 'file',
      state: 'ready',
      address_column: 1,
      rows: { total: 4, valid: 2, broken: 1, blank: 1, duplicate: 1 },
      addresses: 1,
      cost_max: 1,
      created_by: owner.userId,
    });
    // Browsers on Windows send this type for CSV; octets pass unchanged.
    const latin = Buffer.from('nom;courriel\nRen\xe9e;renee@a.example\n', 'latin1');
    const guessed = taken(await upload(owner, latin, '', 'application/vnd.ms-excel'));
    expect(guessed.file).toMatchObject({ encoding: 'windows-1252', encoding_is_guess: true, delimiter: ';' });
    expect((await rowsOf(owner, guessed.job_id))[0]?.cells).toEqual(['Renée', 'renee@a.example']);
    const wide = Buffer.from('email\nada@a.example\n', 'utf16le');
    const said = taken(
      await upload(owner, wide, '?has_header=true&delimiter=none', 'text/csv; charset=utf-16'),
    );
    expect(said.file).toMatchObject({ encoding: 'utf-16le', has_header: true, delimiter: '' });
    // JSON arrives as JSON: the media type passes the gateway.
    const records = ['ada@a.example', { email: 'grace@a.example', city: 'New York' }];
    const asArray = taken(await upload(owner, JSON.stringify(records), '', 'application/json'));
    const lines = records.map(each => `${JSON.stringify(each)}\n`).join('');
    const asLines = taken(await upload(owner, lines, '', 'application/x-ndjson'));
    for (const { job_id, file, test: isTest } of [asArray, asLines]) {
      expect([file, isTest]).toEqual([null, false]);
      expect((await rowsOf(owner, job_id)).map(({ cells }) => cells)).toEqual([
        ['ada@a.example'],
        ['grace@a.example', 'New York'],
      ]);
    }
    expect((await owner.get('/balance')).body['held']).toBe(0);
  },
  async badInput() {
    const owner = await newOwner();
    expectProblem(await upload(owner, 'a@a.example', '?delimiter=ab'), 400, 'invalid_request', /delimiter/);
    expectProblem(await upload(owner, 'a@a.example', '?column=1'), 400, 'invalid_request', /column/);
    expectProblem(await upload(owner, ''), 400, 'invalid_request', /body is missing/);
    expectProblem(await upload(owner, '{}', '', 'application/xml'), 415, 'unsupported_media_type');
    expectProblem(
      await upload(owner, '{}', '', 'application/json'),
      422,
      'file_not_readable',
      /not an array/,
    );
    expectProblem(
      await upload(owner, '"a@a.example"\n{"email":"b@a.example","x":{}}', '', 'application/x-ndjson'),
      422,
      'file_not_readable',
      /^Line 2: The field “x” is an object/,
    );
    expectProblem(
      await upload(owner, '["a@a.example"]', '?has_header=true', 'application/json'),
      400,
      'invalid_request',
      /are for CSV/,
    );
    expectProblem(await upload(owner, 'name\nAda\n'), 422, 'no_addresses_found');
    const workbook = Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 0, 0]);
    expectProblem(await upload(owner, workbook), 422, 'file_not_readable', /workbook is damaged or cut off/);
    expect((await owner.get('/validation-jobs')).body).toEqual({ jobs: [] });
  },
  async noCredentials() {
    expectProblem(await upload(stranger(), csv), 401, 'not_signed_in');
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    const job = taken(await upload(one, csv));
    expect((await other.get('/validation-jobs')).body).toEqual({ jobs: [] });
    expect((await one.get('/validation-jobs')).body).toMatchObject({ jobs: [{ job_id: job.job_id }] });
  },
});

describe('an upload that is repeated with its idempotency key', () => {
  const lines = '{"email":"ada@a.example"}\n{"email":"grace@a.example"}\n';
  const workbook = workbookOf({ sheets: { People: [['email'], ['ada@a.example']] } });
  const uploads: readonly (readonly [string, (who: Person, headers: Headers) => Promise<Answer>])[] = [
    ['CSV', (who, headers) => upload(who, csv, '?name=people', 'text/csv', headers)],
    ['a workbook', async (who, headers) => upload(who, await workbook, '', 'text/csv', headers)],
    ['JSON', (who, headers) => upload(who, '["ada@a.example"]\n', '', 'application/json', headers)],
    ['NDJSON', (who, headers) => upload(who, lines, '', 'application/x-ndjson', headers)],
    ['pasted text', (who, headers) => paste(who, 'ada@a.example, grace@a.example', '', headers)],
  ];

  it.each(uploads)('returns the job of the first one, also after its start, for %s', async (_form, send) => {
    const owner = await newOwner();
    const headers = newKey();
    const first = taken(await send(owner, headers));
    expect(taken(await send(owner, headers))).toEqual(first);
    await engineDatabase.query(
      `UPDATE validation_job SET state = 'succeeded', started_at = now(), ended_at = now() WHERE job_id = $1`,
      [first.job_id],
    );
    expect(taken(await send(owner, headers))).toMatchObject({ job_id: first.job_id, state: 'succeeded' });
    expect(await jobsOf(owner)).toHaveLength(1);
    // A request without a key, and another account's, make their own jobs.
    expect(taken(await send(owner, {})).job_id).not.toBe(first.job_id);
    expect(taken(await send(await newOwner(), headers)).job_id).not.toBe(first.job_id);
    // The key is free again once its job is deleted.
    await owner.delete(`/validation-jobs/${first.job_id}`);
    expect(taken(await send(owner, headers)).job_id).not.toBe(first.job_id);
  });

  it('is refused for another file, other parameters and a key that is too long', async () => {
    const owner = await newOwner();
    const headers = newKey();
    taken(await upload(owner, csv, '?name=one', 'text/csv', headers));
    const others = [
      [`${csv}Barbara,b@a.example,\n`, '?name=one'],
      [csv, '?name=two'],
      [csv, '?name=one&has_header=false'],
    ] as const;
    for (const [body, query] of others) {
      const answer = await upload(owner, body, query, 'text/csv', headers);
      expectProblem(answer, 422, 'idempotency_key_reused');
    }
    const long = { 'idempotency-key': 'k'.repeat(256) };
    expectProblem(await upload(owner, csv, '', 'text/csv', long), 400, 'invalid_request', /Idempotency-Key/);
    expect(await jobsOf(owner)).toHaveLength(1);
  });

  it('waits for a first one that is still arriving, and replaces it if it breaks off', async () => {
    const owner = await newOwner();
    const headers = newKey();
    const socket = beginUpload(owner, headers, 'name,email,city\n');
    await untilOnlyJobIs(owner, 'receiving');
    const meanwhile = await upload(owner, csv, '', 'text/csv', headers);
    expectProblem(meanwhile, 409, 'idempotency_key_in_use');
    expect(Number(meanwhile.headers.get('retry-after'))).toBeGreaterThan(0);
    socket.destroy();
    await untilOnlyJobIs(owner, 'failed');
    const job = taken(await upload(owner, csv, '', 'text/csv', headers));
    expect((await jobsOf(owner)).map(each => each.job_id)).toEqual([job.job_id]);
    expect(taken(await upload(owner, csv, '', 'text/csv', headers))).toEqual(job);
  });

  it('replaces a first one whose process was killed', async () => {
    const owner = await newOwner();
    const headers = newKey();
    const socket = beginUpload(owner, headers, 'name,email,city\n');
    await untilOnlyJobIs(owner, 'receiving');
    const [lost] = await jobsOf(owner);
    // As if no one had noted its life since.
    const { rowCount } = await engineDatabase.query(
      `UPDATE validation_job SET moved_at = now() - interval '2 minutes' WHERE job_id = $1`,
      [lost?.job_id],
    );
    expect(rowCount).toBe(1);
    const job = taken(await upload(owner, csv, '', 'text/csv', headers));
    expect(job.job_id).not.toBe(lost?.job_id);
    expect((await jobsOf(owner)).map(each => each.job_id)).toEqual([job.job_id]);
    socket.destroy();
  });

  it('is compared alone, so that one account cannot take the places of others', async () => {
    const owner = await newOwner();
    const headers = newKey();
    const job = taken(await upload(owner, csv, '', 'text/csv', headers));
    // It is answered early only if it is refused, because one of the repeats below came first.
    const hold = (): ReturnType<typeof beginUpload> =>
      beginUpload(owner, headers, 'name,email,city\n').once('data', () => {
        held.destroy();
        held = hold();
      });
    let held = hold();
    const repeat = () => upload(owner, csv, '', 'text/csv', headers);
    const isRefused = ({ body }: Answer) => body['code'] === 'idempotency_key_in_use';
    await until('another repeat is refused', repeat, isRefused);
    taken(await upload(await newOwner(), csv, '', 'text/csv', headers));
    held.removeAllListeners('data').destroy();
    await until('a repeat is compared', repeat, ({ status }) => status === 201);
    expect((await jobsOf(owner)).map(each => each.job_id)).toEqual([job.job_id]);
  });

  it('makes one job of requests that arrive at the same time', async () => {
    const owner = await newOwner();
    const headers = newKey();
    const answers = await Promise.all([1, 2, 3, 4].map(() => upload(owner, csv, '', 'text/csv', headers)));
    for (const { status, body } of answers) {
      expect([201, 409]).toContain(status);
      expect([undefined, 'idempotency_key_in_use']).toContain(body['code']);
    }
    expect(answers.map(({ status }) => status)).toContain(201);
    expect(await jobsOf(owner)).toHaveLength(1);
  });

  it('is free to repeat after a refusal', async () => {
    const owner = await newOwner();
    const headers = newKey();
    expectProblem(await upload(owner, 'name\nAda\n', '', 'text/csv', headers), 422, 'no_addresses_found');
    expect(taken(await upload(owner, csv, '', 'text/csv', headers)).rows.total).toBe(4);
  });
});

describe('a file that is refused while it is coming in', () => {
  it('is answered before its end, with the words of the engine', async () => {
    const owner = await newOwner();
    const { hostname, port } = new URL(test.house.gatewayUrls[0] ?? '');
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const head = [
      'POST /app/v1/validation-jobs HTTP/1.1',
      `host: ${hostname}:${port}`,
      `cookie: ${cookie}`,
      'content-type: text/csv',
      `content-length: ${limits.jobUploadBytesMax}`,
    ];
    const rows = Array.from({ length: limits.jobRowsMax + 2_000 }, (_, at) => `p${at}@a.example`).join('\n');
    socket.write(`${head.join('\r\n')}\r\n\r\nemail\n${rows}\n`);
    let answer = '';
    while (!answer.includes('}')) {
      const [data] = (await once(socket, 'data')) as [Buffer];
      answer += data.toString();
    }
    socket.destroy();
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('"code":"too_many_rows"');
    expect((await owner.get('/validation-jobs')).body).toEqual({ jobs: [] });
  });
});

describeOperation(createValidationJobFromList, {
  async success() {
    const owner = await newOwner();
    const pasted =
      'ada@a.example, Grace <grace@a.example>; "Hopper, G" <g@a.example>\nnonsense\n\nADA@A.EXAMPLE';
    const job = taken(await paste(owner, pasted, '?name=Pasted'));
    expect(job).toMatchObject({
      name: 'Pasted',
      origin: 'list',
      file: null,
      address_column: 0,
      rows: { total: 5, valid: 4, broken: 1, blank: 0, duplicate: 1 },
      addresses: 3,
    });
    expect(job.columns.map(({ name }) => name)).toEqual(['email', 'name']);
    expect((await rowsOf(owner, job.job_id)).map(({ cells }) => cells)).toEqual([
      ['ada@a.example'],
      ['grace@a.example', 'Grace'],
      ['g@a.example', 'Hopper, G'],
      ['nonsense'],
      ['ADA@A.EXAMPLE'],
    ]);
  },
  async badInput() {
    const owner = await newOwner();
    expectProblem(await paste(owner, ' \n,;\n'), 422, 'no_addresses_found');
    expectProblem(await paste(owner, 'nobody, nothing'), 422, 'no_addresses_found');
    expectProblem(
      await paste(owner, 'a@a.example', `?name=${'x'.repeat(121)}`),
      400,
      'invalid_request',
      /name/,
    );
    expectProblem(await owner.post('/validation-jobs/pasted', {}), 415, 'unsupported_media_type');
  },
  async noCredentials() {
    expectProblem(await paste(stranger(), 'a@a.example'), 401, 'not_signed_in');
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    const job = taken(await paste(one, 'a@a.example'));
    expectProblem(await other.get(`/validation-jobs/${job.job_id}`), 404, 'job_not_found');
  },
});

describeOperation(listValidationJobs, {
  async success() {
    const owner = await newOwner();
    const names = ['first', 'second', 'third'];
    for (const name of names) {
      taken(await paste(owner, 'a@a.example', `?name=${name}`));
    }
    const page = listValidationJobs.success.schema.parse((await owner.get('/validation-jobs?limit=2')).body);
    expect(page.jobs.map(({ name }) => name)).toEqual(['third', 'second']);
    const rest = await owner.get(`/validation-jobs?limit=2&cursor=${page.next_cursor}`);
    expect(rest.body).toMatchObject({ jobs: [{ name: 'first' }] });
    expect(rest.body['next_cursor']).toBeUndefined();
    expect((await owner.get('/validation-jobs?state=running')).body).toEqual({ jobs: [] });
    expect((await owner.get('/validation-jobs?origin=file')).body).toEqual({ jobs: [] });
  },
  async badInput() {
    const owner = await newOwner();
    expectProblem(await owner.get('/validation-jobs?state=done'), 400, 'invalid_request', /state/);
    expectProblem(await owner.get('/validation-jobs?cursor=x'), 400, 'invalid_cursor');
  },
  async noCredentials() {
    expectProblem(await stranger().get('/validation-jobs'), 401, 'not_signed_in');
  },
  async anotherTenant() {
    await foreignJob();
    expect((await (await newOwner()).get('/validation-jobs')).body).toEqual({ jobs: [] });
  },
});

describeOperation(getValidationJob, {
  async success() {
    const owner = await newOwner();
    const job = taken(await upload(owner, csv));
    expect((await owner.get(`/validation-jobs/${job.job_id}`)).body).toEqual(job);
  },
  async badInput() {
    const owner = await newOwner();
    expectProblem(await owner.get('/validation-jobs/vjob_1'), 400, 'invalid_request', /job_id/);
    expectProblem(await owner.get(`/validation-jobs/${newId('validationJob')}`), 404, 'job_not_found');
  },
  async noCredentials() {
    expectProblem(await stranger().get(`/validation-jobs/${await foreignJob()}`), 401, 'not_signed_in');
  },
  async anotherTenant() {
    const owner = await newOwner();
    expectProblem(await owner.get(`/validation-jobs/${await foreignJob()}`), 404, 'job_not_found');
  },
});

describeOperation(changeValidationJob, {
  async success() {
    const owner = await newOwner();
    const two = 'a@a.example,b@b.example\nc@c.example,b@b.example\nd@d.example,nothing\n';
    const job = taken(await upload(owner, two));
    expect([job.address_column, job.file?.has_header, job.addresses]).toEqual([0, false, 3]);
    const path = `/validation-jobs/${job.job_id}`;
    const other = validationJob.parse((await owner.put(path, { address_column: 1, name: 'Seconds' })).body);
    expect(other).toMatchObject({
      name: 'Seconds',
      address_column: 1,
      rows: { total: 3, valid: 2, broken: 1, blank: 0, duplicate: 1 },
      addresses: 1,
    });
    const headed = validationJob.parse((await owner.put(path, { has_header: true })).body);
    expect(headed.columns.map(({ name, samples }) => [name, samples])).toEqual([
      ['a@a.example', ['c@c.example', 'd@d.example']],
      ['b@b.example', ['b@b.example', 'nothing']],
    ]);
    expect(headed).toMatchObject({ rows: { total: 2, valid: 1, duplicate: 0 }, file: { has_header: true } });
    expect((await rowsOf(owner, job.job_id)).map(({ row, email }) => [row, email])).toEqual([
      [1, 'b@b.example'],
      [2, null],
    ]);
    const back = validationJob.parse((await owner.put(path, { has_header: false, address_column: 0 })).body);
    expect(back).toMatchObject({ rows: job.rows, columns: job.columns, addresses: 3 });
    expect(back.version).toBeGreaterThan(headed.version);
  },
  async badInput() {
    const owner = await newOwner();
    const job = taken(await upload(owner, csv));
    const path = `/validation-jobs/${job.job_id}`;
    expectProblem(await owner.put(path, { address_column: -1 }), 400, 'invalid_request', /address_column/);
    expectProblem(
      await owner.put(path, { address_column: 3 }),
      400,
      'invalid_request',
      /Column 3 does not exist/,
    );
    expectProblem(await owner.put(path, { address_column: 2 }), 422, 'no_addresses_found', /city/);
    expect((await owner.get(path)).body).toEqual(job);
    await engineDatabase.query(
      `UPDATE validation_job SET state = 'running', started_at = now() WHERE job_id = $1`,
      [job.job_id],
    );
    expectProblem(await owner.put(path, { address_column: 0 }), 409, 'job_started');
    expect((await owner.put(path, { name: 'Still' })).body).toMatchObject({
      name: 'Still',
      state: 'running',
    });
  },
  async noCredentials() {
    const path = `/validation-jobs/${await foreignJob()}`;
    expectProblem(await stranger().put(path, { name: 'Mine' }), 401, 'not_signed_in');
  },
  async anotherTenant() {
    const owner = await newOwner();
    const path = `/validation-jobs/${await foreignJob()}`;
    expectProblem(await owner.put(path, { name: 'Mine' }), 404, 'job_not_found');
    expectProblem(await owner.put(path, { address_column: 0 }), 404, 'job_not_found');
  },
});

describeOperation(deleteValidationJob, {
  async success() {
    const owner = await newOwner();
    const job = taken(await upload(owner, csv));
    const answer = await owner.delete(`/validation-jobs/${job.job_id}`);
    expect([answer.status, answer.body]).toEqual([200, { job_id: job.job_id }]);
    expectProblem(await owner.get(`/validation-jobs/${job.job_id}`), 404, 'job_not_found');
    expectProblem(await owner.get(`/validation-jobs/${job.job_id}/rows`), 404, 'job_not_found');
    expect((await owner.get('/validation-jobs')).body).toEqual({ jobs: [] });
  },
  async badInput() {
    const owner = await newOwner();
    const { job_id: jobId } = taken(await upload(owner, csv));
    for (const state of ['queued', 'running', 'paused']) {
      await engineDatabase.query('UPDATE validation_job SET state = $2 WHERE job_id = $1', [jobId, state]);
      expectProblem(await owner.delete(`/validation-jobs/${jobId}`), 409, 'job_under_way');
    }
    expectProblem(await owner.delete(`/validation-jobs/${newId('validationJob')}`), 404, 'job_not_found');
  },
  async noCredentials() {
    expectProblem(await stranger().delete(`/validation-jobs/${await foreignJob()}`), 401, 'not_signed_in');
  },
  async anotherTenant() {
    const owner = await newOwner();
    expectProblem(await owner.delete(`/validation-jobs/${await foreignJob()}`), 404, 'job_not_found');
  },
});

describeOperation(listValidationJobRows, {
  async success() {
    const owner = await newOwner();
    const { job_id: jobId } = taken(await upload(owner, csv));
    await engineDatabase.query(
      `UPDATE validation_job_address SET state = 'done', result = 'ok', reason = 'mailbox_exists', mx_domain = 'a.example'
       WHERE email = 'ada@a.example' AND job_no = (SELECT job_no FROM validation_job WHERE job_id = $1)`,
      [jobId],
    );
    const rows = await rowsOf(owner, jobId);
    expect(rows.map(({ row, cells, verdict }) => [row, cells[0], verdict?.result])).toEqual([
      [1, 'Ada', 'ok'],
      [2, 'Grace', 'ok'],
      [3, 'Alan', undefined],
      [4, 'Joan', 'invalid'],
    ]);
    expect(rows[0]?.verdict).toMatchObject({ valid: true, mx_domain: 'a.example', mx_provider: null });
    const named = async (query: string) => (await rowsOf(owner, jobId, query)).map(({ cells }) => cells[0]);
    expect(
      (await rowsOf(owner, jobId, '?with_cells=false')).map(({ cells, email }) => [cells, email]),
    ).toEqual(rows.map(({ email }) => [[], email]));
    expect(await named('?from_row=3')).toEqual(['Alan', 'Joan']);
    expect(await named('?result=ok')).toEqual(['Ada', 'Grace']);
    expect(await named('?result=invalid')).toEqual(['Joan']);
    expect(await named('?result=none')).toEqual(['Alan']);
    expect(await named('?kind=valid')).toEqual(['Ada', 'Grace']);
    expect(await named('?kind=broken')).toEqual(['Joan']);
    expect(await named('?kind=blank')).toEqual(['Alan']);
    expect(await named('?kind=duplicate')).toEqual(['Grace']);
    expect(await named('?skip=1&limit=2')).toEqual(['Grace', 'Alan']);
    expect(await named('?skip=1&result=ok')).toEqual(['Grace']);
    expect(await named('?from_row=2&skip=1')).toEqual(['Alan', 'Joan']);
    expect(await named(`?skip=${limits.jobRowsMax}`)).toEqual([]);
    const seen: unknown[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await owner.get(`/validation-jobs/${jobId}/rows?limit=1${cursor}`);
      const page = listValidationJobRows.success.schema.parse(body);
      seen.push(...page.rows.map(({ row }) => row));
      if (page.next_cursor === undefined) {
        break;
      }
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(seen).toEqual([1, 2, 3, 4]);
  },
  async badInput() {
    const owner = await newOwner();
    const { job_id: jobId } = taken(await upload(owner, csv));
    for (const query of ['from_row=0', 'limit=201', 'result=good', 'kind=odd', 'skip=-1', 'skip=50001']) {
      expectProblem(await owner.get(`/validation-jobs/${jobId}/rows?${query}`), 400, 'invalid_request');
    }
    for (const cursor of ['1e5', '1']) {
      expectProblem(
        await owner.get(`/validation-jobs/${jobId}/rows?cursor=${cursor}`),
        400,
        'invalid_cursor',
      );
    }
  },
  async noCredentials() {
    expectProblem(await stranger().get(`/validation-jobs/${await foreignJob()}/rows`), 401, 'not_signed_in');
  },
  async anotherTenant() {
    const owner = await newOwner();
    expectProblem(await owner.get(`/validation-jobs/${await foreignJob()}/rows`), 404, 'job_not_found');
  },
});

describeOperation(summarizeValidationJob, {
  async success() {
    const owner = await newOwner();
    const { job_id: jobId } = taken(await upload(owner, csv));
    const path = `/validation-jobs/${jobId}/summary`;
    const nothing = { providers: [], other_providers: null, domains: [], other_domains: null };
    expect((await owner.get(path)).body).toEqual({ ...nothing, email_types: [], reasons: [] });
    await engineDatabase.query(
      `WITH job AS (UPDATE validation_job SET started_at = now() WHERE job_id = $1 RETURNING job_no)
       UPDATE validation_job_address SET state = 'done', result = 'ok', reason = 'mailbox_exists', row_count = 2,
         mx_provider = 'Google', email_type = 'business'
       WHERE job_no = (SELECT job_no FROM job)`,
      [jobId],
    );
    const none = { ok: 0, catch_all_validated: 0, catch_all: 0, invalid: 0, unknown: 0 };
    const answer = await owner.get(path);
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        providers: [
          { provider: 'Google', rows: 2, results: { ...none, ok: 2 } },
          { provider: null, rows: 1, results: { ...none, invalid: 1 } },
        ],
        other_providers: null,
        domains: [{ domain: 'a.example', rows: 2, results: { ...none, ok: 2 } }],
        other_domains: null,
        email_types: [
          { email_type: 'business', rows: 2 },
          { email_type: null, rows: 1 },
        ],
        reasons: [
          { result: 'ok', reason: 'mailbox_exists', rows: 2 },
          { result: 'invalid', reason: 'syntax', rows: 1 },
        ],
      },
    ]);
  },
  async badInput() {
    const owner = await newOwner();
    expectProblem(await owner.get('/validation-jobs/vjob_1/summary'), 400, 'invalid_request', /job_id/);
    const path = `/validation-jobs/${newId('validationJob')}/summary`;
    expectProblem(await owner.get(path), 404, 'job_not_found');
  },
  async noCredentials() {
    const path = `/validation-jobs/${await foreignJob()}/summary`;
    expectProblem(await stranger().get(path), 401, 'not_signed_in');
  },
  async anotherTenant() {
    const owner = await newOwner();
    expectProblem(await owner.get(`/validation-jobs/${await foreignJob()}/summary`), 404, 'job_not_found');
  },
});
