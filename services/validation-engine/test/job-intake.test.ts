import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type AccountId,
  limits,
  newId,
  type ValidationJob,
  type ValidationJobRow,
  validationJob,
} from '@mailproof/shared-types';
import pg from 'pg';
import { startEngine, type TestEngine } from './engine-in-lab.ts';

/** Short enough to wait for, and far longer than a busy machine makes a sender pause. */
const uploadSilentMsMax = 4_000;

let engine: TestEngine;
let database: pg.Pool;

beforeAll(async () => {
  engine = await startEngine({}, { uploadSilentMsMax });
  database = new pg.Pool({ connectionString: engine.databaseUrl });
});

afterAll(async () => {
  await database?.end();
  await engine?.stop();
});

type Body = string | Uint8Array | ReadableStream;
type Answer = { readonly status: number; readonly body: Record<string, unknown> };

const creatorId = newId('user');
const jobsOf = (accountId: AccountId) =>
  `/internal/v1/accounts/${accountId}/users/${creatorId}/validation-jobs`;

async function send(path: string, init: RequestInit): Promise<Answer> {
  const response = await engine.send(path, init);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

function upload(accountId: AccountId, body: Body, query = '', type = 'text/csv'): Promise<Answer> {
  return send(`${jobsOf(accountId)}${query}`, {
    method: 'POST',
    headers: { 'content-type': type },
    body: body as string,
    duplex: 'half',
  });
}

/** Uploads a file that must be accepted. */
async function take(body: Body, query = '', accountId = newId('account')): Promise<ValidationJob> {
  const answer = await upload(accountId, body, query);
  expect([answer.status, answer.body['detail']]).toEqual([201, undefined]);
  return validationJob.parse(answer.body);
}

async function rowsOf(accountId: AccountId, jobId: string, query = ''): Promise<ValidationJobRow[]> {
  const { body } = await send(`${jobsOf(accountId)}/${jobId}/rows${query}`, {});
  return body['rows'] as ValidationJobRow[];
}

/** Counts the account's data in the tables. */
async function leftOf(accountId: AccountId): Promise<unknown> {
  const { rows } = await database.query(
    `SELECT count(*)::int AS jobs, (SELECT count(*)::int FROM validation_job_row JOIN validation_job j USING (job_no)
       WHERE j.account_id = $1) AS rows
     FROM validation_job WHERE account_id = $1`,
    [accountId],
  );
  return rows[0];
}

const utf16 = (text: string, isBigEndian = false) => {
  const octets = Buffer.from(text, 'utf16le');
  return isBigEndian ? octets.swap16() : octets;
};

const many = (count: number) => Array.from({ length: count }, (_, at) => `p${at}@many.example`).join('\n');

describe('files that are read', () => {
  test('with their counts, columns and samples, before any charge', async () => {
    const csv = [
      'Name,E-Mail,valid,email,email,,City',
      '"Lovelace, Ada",ADA@Company.Example,yes,x,y,1,"Lon\ndon"',
      'Grace,grace@company.example,no,,,2,"New ""York"""',
      'Ada again,Ada@company.example,,,,,',
      'Nobody,,,,,,',
      'Broken,not an address,,,,,',
      'Short,alan@company.example',
      'Long,joan@company.example,,,,,Paris,more',
    ].join('\r\n');
    const accountId = newId('account');
    const job = await take(`${csv}\r\n`, '?name=people.csv', accountId);
    expect(job).toMatchObject({
      name: 'people.csv',
      origin: 'file',
      state: 'ready',
      file: {
        octets: Buffer.byteLength(csv) + 2,
        encoding: 'utf-8',
        encoding_is_guess: false,
        delimiter: ',',
        has_header: true,
      },
      address_column: 1,
      rows: { total: 7, valid: 5, broken: 1, blank: 1, duplicate: 1 },
      addresses: 4,
      price: 1,
      cost_max: 4,
      reserved: 0,
      spent: null,
      progress: 0,
    });
    expect(job.columns.map(column => [column.name, column.exported_as])).toEqual([
      ['Name', 'Name'],
      ['E-Mail', 'E-Mail'],
      ['valid', 'input_valid'],
      ['email', 'input_email'],
      ['email (2)', 'email (2)'],
      ['column_6', 'column_6'],
      ['City', 'City'],
      ['column_8', 'column_8'],
    ]);
    expect(job.columns[1]).toMatchObject({
      samples: ['ADA@Company.Example', 'grace@company.example', 'Ada@company.example'],
      address_share: 5 / 6,
    });
    const rows = await rowsOf(accountId, job.job_id);
    expect(rows.map(({ row, email, fault, is_duplicate }) => [row, email, fault, is_duplicate])).toEqual([
      [1, 'ADA@Company.Example', null, false],
      [2, 'grace@company.example', null, false],
      [3, 'ADA@Company.Example', null, true],
      [4, null, 'blank', false],
      [5, null, 'at_sign_missing', false],
      [6, 'alan@company.example', null, false],
      [7, 'joan@company.example', null, false],
    ]);
    expect(rows[0]?.cells).toEqual([
      'Lovelace, Ada',
      'ADA@Company.Example',
      'yes',
      'x',
      'y',
      '1',
      'Lon\ndon',
    ]);
    expect(rows[1]?.cells[6]).toBe('New "York"');
    expect(rows[5]?.cells).toEqual(['Short', 'alan@company.example']);
    expect(rows[4]?.verdict).toMatchObject({ result: 'invalid', reason: 'syntax', valid: false });
    expect(rows[0]?.verdict).toBeNull();
  });

  const table = 'name;email\nJörg €;joerg@a.example\nRenée;renee@a.example\n';
  test.each<[string, Body, string, object]>([
    ['UTF-8 with a mark', `\ufeff${table}`, '', { encoding: 'utf-8', encoding_is_guess: false }],
    ['UTF-16 with a mark', utf16(`\ufeff${table}`), '', { encoding: 'utf-16le', encoding_is_guess: false }],
    [
      'big-endian UTF-16 with a mark',
      utf16(`\ufeff${table}`, true),
      '',
      { encoding: 'utf-16be', encoding_is_guess: false },
    ],
    ['UTF-16 without one', utf16(table), '', { encoding: 'utf-16le', encoding_is_guess: false }],
    ['big-endian UTF-16 without one', utf16(table, true), '', { encoding: 'utf-16be' }],
    [
      'windows-1252, which is told to be a guess',
      Buffer.from(table.replace('€', '\x80'), 'latin1'),
      '',
      { encoding: 'windows-1252', encoding_is_guess: true },
    ],
    [
      'windows-1252, as the sender says',
      Buffer.from(table.replace('€', '\x80'), 'latin1'),
      '?encoding=windows-1252',
      { encoding: 'windows-1252', encoding_is_guess: false },
    ],
  ])('in %s', async (_what, body, query, file) => {
    const accountId = newId('account');
    const job = await take(body, query, accountId);
    expect(job.file).toMatchObject(file);
    const rows = await rowsOf(accountId, job.job_id);
    expect(rows.map(({ cells }) => cells[0])).toEqual(['Jörg €', 'Renée']);
  });

  test('in windows-1252 whose first letter beyond ASCII comes late', async () => {
    const late = Buffer.concat([
      Buffer.from(`${many(20_000)}\n`),
      Buffer.from('ren\xe9e@a.example\n', 'latin1'),
    ]);
    const job = await take(late);
    expect(job.file).toMatchObject({ encoding: 'windows-1252', encoding_is_guess: true });
    // Its letter is a guess, so the address is not probed unless the sender declares the encoding.
    expect(job.rows).toMatchObject({ total: 20_001, valid: 20_000, broken: 1 });
    expect((await take(late, '?encoding=windows-1252')).rows).toMatchObject({ valid: 20_001, broken: 0 });
  });

  test.each([',', ';', '\t', '|', '^', '~', ':'])('with %j between cells', async delimiter => {
    const lines = [
      ['who', 'contact'],
      ['Ada', 'ada@a.example'],
      ['Grace', 'grace@a.example'],
    ];
    const job = await take(lines.map(line => line.join(delimiter)).join('\n'));
    expect([job.file?.delimiter, job.address_column, job.rows.valid]).toEqual([delimiter, 1, 2]);
  });

  test.each([
    ['\n', 2],
    ['\r\n', 2],
    ['\r', 2],
    ['\n\n', 2],
    ['\r\r\n', 2],
  ])('with %j between lines', async (end, total) => {
    const job = await take(`email${end}ada@a.example${end}grace@a.example${end}`);
    expect(job.rows).toMatchObject({ total, valid: total });
    expect(job.file).toMatchObject({ has_header: true, delimiter: '' });
  });

  test('without a header', async () => {
    const job = await take('Ada,ada@a.example\nGrace,grace@a.example\n');
    expect(job.file?.has_header).toBe(false);
    expect(job.columns.map(({ name }) => name)).toEqual(['column_1', 'column_2']);
    expect(job.rows.total).toBe(2);
  });

  test('as the sender says they are', async () => {
    const csv = 'a@a.example!1\nb@a.example!2\n';
    const job = await take(csv, '?delimiter=!&has_header=true');
    expect(job.file).toMatchObject({ delimiter: '!', has_header: true });
    expect(job.rows).toMatchObject({ total: 1, valid: 1 });
    expect((await take('a@a.example\tx\n', '?delimiter=tab')).file?.delimiter).toBe('\t');
    expect((await take('a@a.example,x\nb@a.example\n', '?delimiter=none')).rows).toMatchObject({
      total: 2,
      broken: 1,
    });
  });

  test('with addresses in a column that has none at the beginning', async () => {
    const blank = Array.from({ length: 1_500 }, (_, at) => `${at},,x`).join('\n');
    const accountId = newId('account');
    const job = await take(
      `id,contact,note\n${blank}\n1,ada@a.example,x\n2,Ada <LOVELACE@a.example>,x\n`,
      '',
      accountId,
    );
    expect(job.address_column).toBe(1);
    expect(job.rows).toEqual({ total: 1_502, valid: 2, broken: 0, blank: 1_500, duplicate: 0 });
    expect((await rowsOf(accountId, job.job_id, '?from_row=1502'))[0]?.email).toBe('LOVELACE@a.example');
  });

  test('with rows of empty cells, which count where another row follows', async () => {
    const job = await take('name,email\n,\nAda,ada@a.example\n,\n,\n,\n');
    expect(job.rows).toEqual({ total: 2, valid: 1, broken: 0, blank: 1, duplicate: 0 });
  });

  test('with as many rows as may be, and all of them in order', async () => {
    const accountId = newId('account');
    const job = await take(`email\n${many(limits.jobRowsMax)}`, '', accountId);
    expect(job.rows).toMatchObject({ total: limits.jobRowsMax, valid: limits.jobRowsMax, duplicate: 0 });
    expect(job.addresses).toBe(limits.jobRowsMax);
    const rows = await rowsOf(accountId, job.job_id, `?from_row=${limits.jobRowsMax - 1}`);
    expect(rows.map(({ row, email }) => [row, email])).toEqual([
      [49_999, 'p49998@many.example'],
      [50_000, 'p49999@many.example'],
    ]);
  });
});

describe('JSON that is read', () => {
  const records = [
    'ada@a.example',
    { name: 'Grace', email: 'Grace <GRACE@a.example>', id: 1, customer: true },
    { email: 'ADA@a.example', city: 'London' },
    { email: null, valid: false },
    { email: 'no address' },
  ];
  test.each([
    ['as an array', JSON.stringify(records), 'application/json; charset=utf-8'],
    ['line by line', records.map(each => `${JSON.stringify(each)}\n`).join(''), 'application/x-ndjson'],
  ])('%s, like a file with the same rows', async (_how, body, type) => {
    const accountId = newId('account');
    const answer = await upload(accountId, body, '?name=people', type);
    expect([answer.status, answer.body['detail']]).toEqual([201, undefined]);
    const job = validationJob.parse(answer.body);
    expect(job).toMatchObject({
      name: 'people',
      origin: 'file',
      state: 'ready',
      file: null,
      address_column: 0,
      rows: { total: 5, valid: 3, broken: 1, blank: 1, duplicate: 1 },
      addresses: 2,
      cost_max: 2,
    });
    expect(job.columns.map(column => [column.name, column.exported_as])).toEqual([
      ['email', 'email'],
      ['name', 'name'],
      ['id', 'id'],
      ['customer', 'customer'],
      ['city', 'city'],
      ['valid', 'input_valid'],
    ]);
    const rows = await rowsOf(accountId, job.job_id);
    expect(rows.map(({ cells, email, fault }) => [cells, email, fault])).toEqual([
      [['ada@a.example'], 'ada@a.example', null],
      [['Grace <GRACE@a.example>', 'Grace', '1', 'true'], 'GRACE@a.example', null],
      [['ADA@a.example', '', '', '', 'London'], 'ada@a.example', null],
      [['', '', '', '', '', 'false'], null, 'blank'],
      [['no address'], null, 'at_sign_missing'],
    ]);
    const path = `${jobsOf(accountId)}/${job.job_id}`;
    const change = (fields: object) =>
      send(path, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(fields),
      });
    expect((await change({ has_header: true })).body['rows']).toEqual(job.rows);
    expect(await change({ address_column: 4 })).toMatchObject({
      status: 422,
      body: { code: 'no_addresses_found' },
    });
  });

  test.each([
    ['as an array', (rows: readonly string[]) => `[${rows.join(',')}]`, 'application/json'],
    ['line by line', (rows: readonly string[]) => rows.join('\n'), 'application/x-ndjson'],
  ])('%s, with as many rows as may be', async (_how, join, type) => {
    const row = (at: number) => `{"email":"p${at}@many.example","at":${at}}`;
    const all = Array.from({ length: limits.jobRowsMax }, (_, at) => row(at));
    const accountId = newId('account');
    const answer = await upload(accountId, join(all), '', type);
    expect(answer.body).toMatchObject({ state: 'ready', addresses: limits.jobRowsMax });
    const last = await rowsOf(accountId, String(answer.body['job_id']), `?from_row=${limits.jobRowsMax}`);
    expect(last.map(({ cells }) => cells)).toEqual([['p49999@many.example', '49999']]);
    const refused = await upload(accountId, join([...all, row(50_000)]), '', type);
    expect([refused.status, refused.body['code']]).toEqual([413, 'too_many_rows']);
  });
});

describe('JSON that is refused, and leaves nothing behind', () => {
  const good = Array.from({ length: 3_000 }, (_, at) => `"p${at}@many.example"`);
  const many = (last: string) => `[${[...good, last].join(',')}]`;
  test.each<[string, Body, string, string, number, string, RegExp]>([
    [
      'a nested field',
      many('{"email":"a@a.example","a":{}}'),
      '',
      'json',
      422,
      'file_not_readable',
      /^Row 3001: /,
    ],
    [
      'a name twice',
      many('{"email":"a@a.example","email":""}'),
      '',
      'json',
      422,
      'file_not_readable',
      /^Row 3001 has/,
    ],
    [
      'a truncated array',
      many('"a').slice(0, -1),
      '',
      'json',
      422,
      'file_not_readable',
      /^Row 3001 is not valid/,
    ],
    ['a trailing comma', many(''), '', 'json', 422, 'file_not_readable', /^Row 3001 is missing/],
    ['an object', '{"email":"a@a.example"}', '', 'json', 422, 'file_not_readable', /application\/x-ndjson/],
    ['no row', '[]', '', 'json', 422, 'no_addresses_found', /list is empty/],
    ['no address', '["a"]', '', 'json', 422, 'no_addresses_found', /no email address/],
    ['a cut line', '"a@a.example"\n{"email":"b@', '', 'x-ndjson', 422, 'file_not_readable', /^Line 2 /],
    [
      'bad UTF-8',
      Buffer.from('"a@a.example"\n"\xff"', 'latin1'),
      '',
      'x-ndjson',
      422,
      'file_not_readable',
      /UTF-8/,
    ],
    ['parameters of CSV', '[]', '?delimiter=,', 'json', 400, 'invalid_request', /are for CSV and workbooks/],
    ['no body', '', '', 'json', 400, 'invalid_request', /body is missing/],
    ['another type', '[]', '', 'xml', 415, 'unsupported_media_type', /application\/x-ndjson/],
  ])('%s', async (_what, body, query, type, status, code, words) => {
    const accountId = newId('account');
    const answer = await upload(accountId, body, query, `application/${type}`);
    expect([answer.status, answer.body['code']]).toEqual([status, code]);
    expect(answer.body['detail']).toMatch(words);
    expect(await leftOf(accountId)).toEqual({ jobs: 0, rows: 0 });
  });

  test('an array that breaks off leaves a job that says so, and no rows', async () => {
    const accountId = newId('account');
    const controller = new AbortController();
    const octets = new ReadableStream({
      start: stream => stream.enqueue(Buffer.from(`[${good.join(',')},`)),
    });
    const sending = engine.send(jobsOf(accountId), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: octets,
      duplex: 'half',
      signal: controller.signal,
    });
    const received = async () => ((await send(jobsOf(accountId), {})).body['jobs'] as ValidationJob[])[0];
    await eventually(async () => (await received())?.rows.total === 3_000);
    controller.abort();
    await expect(sending).rejects.toThrow();
    await eventually(async () => {
      const job = await received();
      return job?.failure?.code === 'upload_broken_off' && job.rows.total === 0;
    });
    expect(await leftOf(accountId)).toEqual({ jobs: 1, rows: 0 });
  });
});

describe('files that are refused, and leave nothing behind', () => {
  const cell = 'x'.repeat(1_000_000);
  const wide = Array.from({ length: limits.jobColumnsMax + 1 }, (_, at) => `c${at}`).join(',');
  test.each<[string, Body, string, number, string, RegExp]>([
    ['50,001 rows', `email\n${many(50_001)}`, '', 413, 'too_many_rows', /50000/],
    ['no address', 'name,city\nAda,London\nGrace,New York\n', '', 422, 'no_addresses_found', /2 columns/],
    ['no rows', 'name,email\n', '', 422, 'file_not_readable', /no rows/],
    ['only line ends', '\n\r\n\n', '', 422, 'file_not_readable', /no rows|empty/],
    ['only a mark', '\ufeff', '', 422, 'file_not_readable', /no rows|empty/],
    [
      'a workbook',
      Buffer.from([0x50, 0x4b, 3, 4, 20, 0, 6, 0, 8, 0]),
      '',
      422,
      'file_not_readable',
      /damaged or cut off/,
    ],
    ['an old workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), '', 422, 'file_not_readable', /as CSV/],
    ['gzip', Buffer.from('1f8b0800', 'hex'), '', 422, 'file_not_readable', /decompress/],
    ['a PDF', '%PDF-1.7\n', '', 422, 'file_not_readable', /PDF/],
    ['UTF-32', Buffer.from('fffe000065000000', 'hex'), '', 422, 'file_not_readable', /UTF-32/],
    ['a NUL', 'email\nada@a.example\0\n', '', 422, 'file_not_readable', /binary/],
    ['a NUL far behind', `email\n${many(9_000)}\n\0`, '', 422, 'file_not_readable', /binary/],
    [
      'binary without NULs',
      Buffer.from(Array.from({ length: 9_000 }, (_, at) => 1 + ((at * 7) % 255))),
      '',
      422,
      'file_not_readable',
      /binary/,
    ],
    [
      'a cell of a megabyte',
      `email\nada@a.example\n${cell}@a.example\n`,
      '',
      422,
      'file_not_readable',
      /Row 3 /,
    ],
    [
      'a cell that is too long',
      `email,note\nada@a.example,${'x'.repeat(32_768)}\n`,
      '',
      422,
      'file_not_readable',
      /cell 2 has 32768/,
    ],
    [
      'a quote that is not closed',
      `email,note\nada@a.example,"x\n${many(300)}\n`,
      '',
      422,
      'file_not_readable',
      /Row 2 .*not closed/,
    ],
    ['too many columns', `${wide}\n${wide}\n`, '', 422, 'file_not_readable', /201 cells/],
    [
      'what is not the encoding that was named',
      Buffer.from('email\nada@a.example\nren\xe9e@a.example\n', 'latin1'),
      '?encoding=utf-8',
      422,
      'file_not_readable',
      /not UTF-8/,
    ],
    ['no body', '', '', 400, 'invalid_request', /body is missing/],
    ['an unknown encoding', 'a@a.example', '?encoding=ebcdic', 400, 'invalid_request', /encoding/],
    ['a delimiter of two characters', 'a@a.example', '?delimiter=ab', 400, 'invalid_request', /delimiter/],
  ])('%s', async (_what, body, query, status, code, words) => {
    const accountId = newId('account');
    const answer = await upload(accountId, body, query);
    expect([answer.status, answer.body['code']]).toEqual([status, code]);
    expect(answer.body['detail']).toMatch(words);
    expect(await leftOf(accountId)).toEqual({ jobs: 0, rows: 0 });
  });

  test('more than 100 MB, as soon as the length is known', async () => {
    const accountId = newId('account');
    const answer = await engine.beginUpload(jobsOf(accountId), {
      'content-type': 'text/csv',
      'content-length': String(limits.jobUploadBytesMax + 1),
    });
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('body_too_large');
    expect(await leftOf(accountId)).toEqual({ jobs: 0, rows: 0 });
  });

  test('an upload that breaks off leaves a job that says so, and no rows', async () => {
    const accountId = newId('account');
    const controller = new AbortController();
    const octets = new ReadableStream({
      start: stream => stream.enqueue(Buffer.from(`email\n${many(9_000)}\n`)),
    });
    const sending = engine.send(jobsOf(accountId), {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: octets,
      duplex: 'half',
      signal: controller.signal,
    });
    const received = async () => {
      const { body } = await send(jobsOf(accountId), {});
      return (body['jobs'] as ValidationJob[])[0];
    };
    await eventually(
      async () => (await received())?.rows.total === 3_000 || (await received())?.rows.total === 2_000,
    );
    expect((await received())?.state).toBe('receiving');
    controller.abort();
    await expect(sending).rejects.toThrow();
    await eventually(async () => {
      const job = await received();
      return job?.failure?.code === 'upload_broken_off' && job.rows.total === 0;
    });
    expect(await leftOf(accountId)).toEqual({ jobs: 1, rows: 0 });
  });

  test('an upload of which nothing comes for too long is answered, and leaves what one that breaks off leaves', async () => {
    const accountId = newId('account');
    const octets = new ReadableStream({
      start: stream => stream.enqueue(Buffer.from(`email\n${many(3_000)}\n`)),
    });
    const answer = await upload(accountId, octets);
    expect([answer.status, answer.body['code'], answer.body['detail']]).toEqual([
      408,
      'request_timeout',
      expect.stringContaining('No data arrived'),
    ]);
    const { body } = await send(jobsOf(accountId), {});
    expect(body['jobs']).toMatchObject([{ failure: { code: 'upload_broken_off' }, rows: { total: 0 } }]);
    expect(await leftOf(accountId)).toEqual({ jobs: 1, rows: 0 });
  });

  test('a job whose process died is swept', async () => {
    const accountId = newId('account');
    const jobId = newId('validationJob');
    await database.query(
      `INSERT INTO validation_job (job_id, account_id, created_by, name, origin, rows_total, moved_at, deleted_at)
       VALUES ($1, $2, $3, 'dead', 'file', 1, now() - interval '6 minutes', now() + interval '1 day')`,
      [jobId, accountId, creatorId],
    );
    await database.query(
      `INSERT INTO validation_job_row (job_no, row_no, cells)
       SELECT job_no, 1, '{a}' FROM validation_job WHERE job_id = $1`,
      [jobId],
    );
    await eventually(async () => {
      const { body } = await send(`${jobsOf(accountId)}/${jobId}`, {});
      return body['state'] === 'failed' && (body['rows'] as ValidationJob['rows']).total === 0;
    }, 25_000);
    expect(await leftOf(accountId)).toEqual({ jobs: 1, rows: 0 });
  }, 30_000);

  test('more jobs than may wait for their start', async () => {
    const accountId = newId('account');
    await database.query(
      `INSERT INTO validation_job (job_id, account_id, created_by, name, origin, state, deleted_at)
       SELECT 'vjob_' || md5($1 || i), $1, $2, 'one', 'file', 'ready', now() + interval '1 day'
       FROM generate_series(1, $3::int) AS i`,
      [accountId, creatorId, limits.unstartedJobsMax],
    );
    const answer = await upload(accountId, 'a@a.example');
    expect([answer.status, answer.body['code']]).toEqual([409, 'too_many_unstarted_jobs']);
  });
});

async function eventually(condition: () => Promise<boolean>, timeoutMs = 15_000): Promise<void> {
  const endsAtMs = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > endsAtMs) {
      throw new Error('The awaited condition did not come about.');
    }
    await new Promise(resolve => setTimeout(resolve, 10));
  }
}
