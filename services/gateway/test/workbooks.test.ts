import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type TestCell, workbookOf } from '@mailproof/dev-house/workbooks';
import { validationJob, workbookMediaType } from '@mailproof/shared-types';
import { untilExportEnded } from './exported-records.ts';
import { type Customer, openSharedHouse, type Person, type TestHouse } from './house.ts';
import { untilJobEnded } from './job-house.ts';

/*
 * Lists come back as they came in (ADR 0080): workbooks, and CSV with its delimiter, encoding, line ends and quotes.
 */

let test: TestHouse;

beforeAll(async () => {
  test = await openSharedHouse();
});

afterAll(() => test?.stop());

type Client = Customer | Person;

const people: TestCell[][] = [
  ['Name', 'E-mail', 'Visits', '=Note'],
  ['Lovelace, Ada', 'ada@ordinary.example', 3, '=1+1'],
  ['Nobody', 'nobody@ordinary.example', 0.5, '-5'],
  ['Typo', 'grace.ordinary.example', null, '@SUM(A1)'],
];

async function upload(client: Client, body: Uint8Array, query = '', mediaType: string = workbookMediaType) {
  return client.send(`/validation-jobs?name=People${query}`, {
    method: 'POST',
    headers: { 'content-type': mediaType },
    body: body as Uint8Array<ArrayBuffer>,
  });
}

/** Validates the rows of a list, and exports them with these options. */
async function validated(client: Client, body: Uint8Array, query = '', mediaType?: string) {
  const taken = await upload(client, body, query, mediaType);
  expect([taken.status, taken.body['detail']]).toEqual([201, undefined]);
  const job = validationJob.parse(taken.body);
  const started = await client.send(`/validation-jobs/${job.job_id}/start`, { method: 'POST' });
  expect(started.status).toBe(202);
  await untilJobEnded(client, job.job_id);
  return job;
}

async function exported(client: Client, jobId: string, options: object): Promise<string> {
  const body = { target: 'csv', source: { kind: 'validation_job', job_id: jobId }, options };
  const made = await client.post('/exports', JSON.stringify(body));
  expect(made.status).toBe(202);
  await untilExportEnded(client, String(made.body['export_id']));
  return String(made.body['export_id']);
}

async function fileOf(apiKey: string, exportId: string) {
  const response = await fetch(`${test.house.gatewayUrls[0]}/api/v1/exports/${exportId}/file`, {
    headers: { 'x-api-key': apiKey },
  });
  return {
    status: response.status,
    octets: Buffer.from(await response.arrayBuffer()),
    type: response.headers.get('content-type') ?? '',
    name: response.headers.get('content-disposition') ?? '',
  };
}

const asUploaded = { format: 'as_uploaded' };

describe('a workbook', () => {
  it('comes in and goes out as a workbook, by key, with numbers, texts and no formula', async () => {
    const customer = await test.open({ credits: 10, requestsPerSecond: 1_000 });
    const job = await validated(customer, await workbookOf({ sheets: { People: people, Other: [] } }));
    expect(job).toMatchObject({
      file: { format: 'xlsx', sheet: 'People', sheets: ['People', 'Other'], has_header: true },
      address_column: 1,
      rows: { total: 3, valid: 2, broken: 1 },
    });
    const file = await fileOf(customer.apiKey, await exported(customer, job.job_id, asUploaded));
    expect([file.status, file.type]).toEqual([200, workbookMediaType]);
    expect(file.name).toMatch(/filename="Validated addresses \d{4}-\d\d-\d\d\.xlsx"/);

    // The same reader reads what was written, so it comes in again with the same cells.
    const again = await upload(customer, file.octets);
    const rows = await customer.get(`/validation-jobs/${again.body['job_id']}/rows`);
    expect((rows.body['rows'] as { cells: string[] }[]).map(({ cells }) => cells)).toEqual([
      [
        'Lovelace, Ada',
        'ada@ordinary.example',
        '3',
        '=1+1',
        'ada@ordinary.example',
        'ok',
        'TRUE',
        'ordinary.example',
        '',
        'business',
      ],
      [
        'Nobody',
        'nobody@ordinary.example',
        '0.5',
        '-5',
        'nobody@ordinary.example',
        'invalid',
        'FALSE',
        'ordinary.example',
        '',
        'business',
      ],
      ['Typo', 'grace.ordinary.example', '', '@SUM(A1)', 'grace.ordinary.example', 'invalid', 'FALSE'],
    ]);
    const columns = again.body['columns'] as { name: string }[];
    expect(columns.map(({ name }) => name).slice(0, 4)).toEqual(['Name', 'E-mail', 'Visits', '=Note']);
  }, 60_000);

  it('comes in by session with the media type of CSV, and goes out in each format', async () => {
    const { accountId, apiKey } = await test.open({ credits: 10, requestsPerSecond: 1_000 });
    const owner = await (await test.owner({ accountId })).signIn();
    const octets = await workbookOf({ sheets: { Empty: [], People: people } });
    const { job_id: jobId } = await validated(owner, octets, '&sheet=2', 'text/csv');
    const csv = await fileOf(apiKey, await exported(owner, jobId, {}));
    expect([csv.type, csv.octets.toString().split('\r\n')[1]]).toEqual([
      'text/csv; charset=utf-8',
      '"Lovelace, Ada",ada@ordinary.example,3,\'=1+1,ada@ordinary.example,ok,true,ordinary.example,,business',
    ]);
    const lines = await fileOf(apiKey, await exported(owner, jobId, { format: 'ndjson' }));
    expect(lines.type).toBe('application/x-ndjson; charset=utf-8');
    expect(JSON.parse(lines.octets.toString().split('\n')[0] ?? '')).toMatchObject({
      Visits: 3,
      '=Note': '=1+1',
      valid: true,
    });
    const book = await fileOf(apiKey, await exported(owner, jobId, { format: 'xlsx' }));
    expect([book.type, book.octets.subarray(0, 2).toString()]).toEqual([workbookMediaType, 'PK']);
  }, 60_000);

  it('of another account is not there', async () => {
    const customer = await test.open({ credits: 10, requestsPerSecond: 1_000 });
    const other = await test.open({ credits: 10, requestsPerSecond: 1_000 });
    const { job_id: jobId } = await validated(customer, await workbookOf({ sheets: { People: people } }));
    const exportId = await exported(customer, jobId, asUploaded);
    expect((await fileOf(other.apiKey, exportId)).status).toBe(404);
    const source = { kind: 'validation_job', job_id: jobId };
    const body = JSON.stringify({ target: 'csv', source, options: asUploaded });
    expect((await other.post('/exports', body)).status).toBe(404);
    expect((await other.get(`/validation-jobs/${jobId}`)).status).toBe(404);
  }, 60_000);

  it('that cannot be read is refused with its reason, and leaves nothing behind', async () => {
    const customer = await test.open({ credits: 10, requestsPerSecond: 1_000 });
    const octets = await workbookOf({ sheets: { People: people } });
    const refusals = [
      await upload(customer, octets.subarray(0, 900)),
      await upload(customer, octets, '&sheet=Customers'),
      await upload(customer, octets, '&delimiter=tab'),
      await upload(customer, Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0, 0])),
      await upload(customer, await workbookOf({ sheets: { People: [['no address']] } })),
      await upload(customer, Buffer.from('a@ordinary.example'), '&sheet=1'),
    ];
    expect(refusals.map(({ status, body }) => [status, body['code'], body['detail']])).toEqual([
      [422, 'file_not_readable', expect.stringContaining('damaged or cut off')],
      [422, 'file_not_readable', expect.stringContaining('Its sheets: “People”')],
      [422, 'file_not_readable', expect.stringContaining('leave out `delimiter`')],
      [422, 'file_not_readable', expect.stringContaining('.xls')],
      [422, 'no_addresses_found', expect.any(String)],
      [422, 'file_not_readable', expect.stringContaining('leave out `sheet`')],
    ]);
    expect((await customer.get('/validation-jobs')).body['jobs']).toEqual([]);
  }, 60_000);

  it('whose first sheet is not the list is refused with the names of its other sheets', async () => {
    const customer = await test.open({ credits: 10, requestsPerSecond: 1_000 });
    const owner = await (await test.owner(customer)).signIn();
    const words = await workbookOf({ sheets: { Cover: [['Read this', 'first']], People: people } });
    const nothing = await workbookOf({ sheets: { Cover: [], People: people } });
    const refusals = [
      await upload(customer, words),
      await upload(owner, nothing, '', 'text/csv'),
      await upload(customer, await workbookOf({ sheets: { Cover: [] } })),
    ];
    expect(
      refusals.map(({ status, body }) => [status, body['code'], body['detail'], body['sheets']]),
    ).toEqual([
      [
        422,
        'no_addresses_found',
        'The sheet “Cover” has 2 columns and no email address. The other sheets: “People”.',
        ['People'],
      ],
      [422, 'file_not_readable', 'The sheet “Cover” has no rows. The other sheets: “People”.', ['People']],
      [422, 'file_not_readable', 'The sheet “Cover” has no rows.', undefined],
    ]);
    const taken = await upload(customer, words, '&sheet=People');
    expect([taken.status, (taken.body['file'] as { sheet: string }).sheet]).toEqual([201, 'People']);
  }, 60_000);
});

describe('a list that is not a workbook', () => {
  it('goes out as CSV with its delimiter, encoding, line ends and quotes', async () => {
    const customer = await test.open({ credits: 10, requestsPerSecond: 1_000 });
    const text = '"Name";"E-mail"\n"Zoë";"ada@ordinary.example"\n"a;b";"nobody@ordinary.example"\n';
    const { job_id: jobId } = await validated(customer, Buffer.from(text, 'latin1'), '', 'text/csv');
    const file = await fileOf(customer.apiKey, await exported(customer, jobId, asUploaded));
    expect(file.type).toBe('text/csv; charset=windows-1252');
    expect(file.octets.toString('latin1')).toBe(
      [
        '"Name";"E-mail";"email";"result_status";"valid";"mx_domain";"mx_provider";"email_type"',
        '"Zoë";"ada@ordinary.example";"ada@ordinary.example";"ok";"true";"ordinary.example";"";"business"',
        '"a;b";"nobody@ordinary.example";"nobody@ordinary.example";"invalid";"false";"ordinary.example";"";"business"',
        '',
      ].join('\n'),
    );
  }, 60_000);

  it('goes out as NDJSON if it was JSON', async () => {
    const customer = await test.open({ credits: 10, requestsPerSecond: 1_000 });
    const rows = Buffer.from('[{"email":"ada@ordinary.example","id":7}]');
    const { job_id: jobId } = await validated(customer, rows, '', 'application/json');
    const file = await fileOf(customer.apiKey, await exported(customer, jobId, asUploaded));
    expect(JSON.parse(file.octets.toString())).toMatchObject({ email: 'ada@ordinary.example', id: '7' });
  }, 60_000);
});
