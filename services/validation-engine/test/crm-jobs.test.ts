import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type AccountId,
  limits,
  newId,
  type ValidationJob,
  type ValidationJobId,
  type ValidationJobRow,
  validationJob,
} from '@mailproof/shared-types';
import { startEngine, type TestEngine, until } from './engine-in-lab.ts';

let engine: TestEngine;

beforeAll(async () => {
  engine = await startEngine({});
});

afterAll(async () => {
  await engine?.stop();
});

const creatorId = newId('user');

interface Sending {
  readonly accountId?: AccountId;
  readonly jobId?: ValidationJobId;
  readonly addressColumn?: number;
  readonly replaces?: ValidationJobId;
}

async function send(body: string | ReadableStream, sending: Sending = {}) {
  const { accountId = newId('account'), jobId = newId('validationJob'), addressColumn = 1 } = sending;
  const query = new URLSearchParams({ name: 'Contacts', address_column: String(addressColumn) });
  if (sending.replaces !== undefined) {
    query.set('replaces', sending.replaces);
  }
  const path = `/internal/v1/accounts/${accountId}/users/${creatorId}/crm-jobs/${jobId}?${query}`;
  const headers = { 'content-type': 'application/x-ndjson' };
  const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
  const response = await engine.send(path, init, 'webhook-dispatcher');
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const linesOf = (...rows: readonly unknown[]) => rows.map(row => `${JSON.stringify(row)}\n`).join('');

async function take(text: string, sending: Sending = {}): Promise<ValidationJob> {
  const answer = await send(text, sending);
  expect([answer.status, answer.body['detail']]).toEqual([201, undefined]);
  return validationJob.parse(answer.body);
}

async function ask(accountId: AccountId, jobId: string, how?: 'stop') {
  const path = `/internal/v1/accounts/${accountId}/crm-jobs/${jobId}${how ? `/${how}` : ''}`;
  const response = await engine.send(path, { method: how ? 'POST' : 'GET' }, 'webhook-dispatcher');
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function rowsOf(accountId: AccountId, jobId: string): Promise<ValidationJobRow[]> {
  const path = `/internal/v1/accounts/${accountId}/users/${creatorId}/validation-jobs/${jobId}/rows`;
  const { rows } = (await (await engine.send(path)).json()) as { rows: ValidationJobRow[] };
  return rows;
}

/** Sends the beginning of a body and then nothing, until aborted. */
function sendSlowly(text: string, sending: Sending) {
  let abort: () => void = () => undefined;
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      abort = () => controller.error(new Error('gone'));
    },
  });
  const answer = send(body, sending).catch(() => 'broken off' as const);
  return { answer, abort };
}

describe('records of a CRM', () => {
  test('become the rows of a job, in their order, as they are', async () => {
    const accountId = newId('account');
    const texts = ['<p>Ada, "the first"</p>\r\nnew line', '=1+1;,\t\u2028', ' spaces '];
    const header = ['crm_record_id', 'E-mail', 'Notes', 'Notes', 'crm_record_id'];
    const rows = [
      ['101', 'ada@Company.Example', texts[0], '', 'x'],
      ['102', '', texts[1], 'other@company.example', ''],
      ['103', 'no address', texts[2], '', ''],
      ['104', 'ada@company.example', '', '', ''],
    ];
    const job = await take(
      `${linesOf(header)}\n${linesOf(...rows.slice(0, 2))}\n\n${linesOf(...rows.slice(2), 'end')}`,
      { accountId },
    );
    expect(job).toMatchObject({
      name: 'Contacts',
      origin: 'crm',
      state: 'ready',
      file: null,
      address_column: 1,
      rows: { total: 4, valid: 2, broken: 1, blank: 1, duplicate: 1 },
      addresses: 1,
      cost_max: 1,
    });
    expect(job.columns.map(({ name }) => name)).toEqual([
      'crm_record_id',
      'E-mail',
      'Notes',
      'Notes (2)',
      'crm_record_id (2)',
    ]);
    const kept = await rowsOf(accountId, job.job_id);
    expect(kept.map(({ row, cells }) => [row, cells])).toEqual(rows.map((cells, at) => [at + 1, cells]));
  });

  test('are read by the given column, regardless of the others', async () => {
    const rows = Array.from({ length: 20 }, (_, at) => [
      `${at}`,
      at === 7 ? 'a@b.example' : '',
      `p${at}@c.example`,
    ]);
    const job = await take(linesOf(['crm_record_id', 'Second e-mail', 'E-mail'], ...rows, 'end'));
    expect([job.address_column, job.rows.valid, job.rows.blank]).toEqual([1, 1, 19]);
  });

  test('may have as many columns as a file', async () => {
    const header = Array.from({ length: limits.jobColumnsMax }, (_, at) => `c${at}`);
    const row = header.map((_, at) => (at === 199 ? 'ada@company.example' : `v${at}`));
    const job = await take(linesOf(header, row, 'end'), { addressColumn: 199 });
    expect([job.columns.length, job.rows.valid]).toEqual([200, 1]);
  });

  test.each([
    ['no_addresses_found', linesOf(['id', 'Mail', 'Other'], ['1', 'none', 'a@b.example'], 'end')],
    ['no_addresses_found', linesOf(['id', 'Mail'], 'end')],
    ['file_not_readable', linesOf(['id'], ['1'], 'end')],
    ['file_not_readable', linesOf(['id', 'Mail'], ['1', 2], 'end')],
    ['file_not_readable', linesOf(['id', 'Mail'], ['1', 'a@b.example\0'], 'end')],
    ['file_not_readable', `${linesOf(['id', 'Mail'])}not JSON\n`],
    ['file_not_readable', ' '],
  ])('that cannot be taken are refused and leave nothing: %s', async (code, text) => {
    const [accountId, jobId] = [newId('account'), newId('validationJob')];
    expect((await send(text, { accountId, jobId })).body['code']).toBe(code);
    expect((await ask(accountId, jobId)).body['code']).toBe('job_not_found');
  });

  test('that broke off before their end are no job, and a retry replaces the first attempt', async () => {
    const accountId = newId('account');
    const [first, second] = [newId('validationJob'), newId('validationJob')];
    const head = linesOf(['id', 'Mail'], ['1', 'a@b.example']);
    // Ended cleanly, but without the end mark.
    expect((await send(head, { accountId, jobId: first })).status).toBe(500);
    expect((await ask(accountId, first)).body).toMatchObject({
      state: 'failed',
      failure: { code: 'upload_broken_off' },
    });
    await take(`${head}"end"\n`, { accountId, jobId: second, replaces: first });
    expect((await ask(accountId, first)).status).toBe(404);
    expect((await ask(accountId, second)).body).toMatchObject({ state: 'ready' });
  });

  test('whose sender still seems to be there give way to another try, and write nothing more', async () => {
    const accountId = newId('account');
    const [first, second] = [newId('validationJob'), newId('validationJob')];
    const head = linesOf(['id', 'Mail'], ['1', 'a@b.example']);
    const slow = sendSlowly(head, { accountId, jobId: first });
    await until(async () => (await ask(accountId, first)).body['state'] === 'receiving');
    const job = await take(`${head}"end"\n`, { accountId, jobId: second, replaces: first });
    slow.abort();
    await slow.answer;
    expect((await ask(accountId, first)).status).toBe(404);
    expect((await ask(accountId, job.job_id)).body).toMatchObject({ state: 'ready', rows: { total: 1 } });
  });

  test('do not take the place of a job that is ready, or of another account’s', async () => {
    const [accountId, other] = [newId('account'), newId('account')];
    const text = linesOf(['id', 'Mail'], ['1', 'a@b.example'], 'end');
    const ready = await take(text, { accountId });
    await take(text, { accountId, replaces: ready.job_id });
    expect((await ask(accountId, ready.job_id)).body).toMatchObject({ state: 'ready' });
    const jobId = newId('validationJob');
    await send(linesOf(['id', 'Mail'], ['1', 'a@b.example']), { accountId, jobId });
    await take(text, { accountId: other, replaces: jobId });
    expect((await ask(accountId, jobId)).body).toMatchObject({ state: 'failed' });
  });
});

describe('a job of an import', () => {
  const text = linesOf(['id', 'Mail'], ['1', 'a@b.example'], 'end');

  test('is visible only to its account', async () => {
    const { job_id } = await take(text);
    expect((await ask(newId('account'), job_id)).body['code']).toBe('job_not_found');
  });

  test('that is ready stays when it is stopped; one that is still uploading is deleted', async () => {
    const accountId = newId('account');
    const { job_id } = await take(text, { accountId });
    expect((await ask(accountId, job_id, 'stop')).status).toBe(200);
    expect((await ask(accountId, job_id)).body).toMatchObject({ state: 'ready' });
    const jobId = newId('validationJob');
    const slow = sendSlowly(linesOf(['id', 'Mail']), { accountId, jobId });
    await until(async () => (await ask(accountId, jobId)).body['state'] === 'receiving');
    expect((await ask(newId('account'), jobId, 'stop')).status).toBe(200);
    expect((await ask(accountId, jobId)).status).toBe(200);
    expect((await ask(accountId, jobId, 'stop')).status).toBe(200);
    expect((await ask(accountId, jobId)).status).toBe(404);
    slow.abort();
    await slow.answer;
  });

  test('can be read only by the webhook dispatcher', async () => {
    const accountId = newId('account');
    const { job_id } = await take(text, { accountId });
    const path = `/internal/v1/accounts/${accountId}/crm-jobs/${job_id}`;
    expect((await engine.send(path)).status).toBe(403);
    expect((await engine.get(path, 'nobody')).status).toBe(401);
  });
});
