import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type AccountId, type ExportedRow, limits, newId, type ValidationJob } from '@mailproof/shared-types';
import pg from 'pg';
import { startEngine, type TestEngine } from './engine-in-lab.ts';

let engine: TestEngine;
let database: pg.Pool;

beforeAll(async () => {
  engine = await startEngine({ VALIDATION_JOB_KEPT_DAYS: '3' });
  database = new pg.Pool({ connectionString: engine.databaseUrl });
});

afterAll(async () => {
  await database?.end();
  await engine?.stop();
});

const creatorId = newId('user');
const jobsOf = (accountId: AccountId) =>
  `/internal/v1/accounts/${accountId}/users/${creatorId}/validation-jobs`;

async function take(accountId: AccountId, body: string): Promise<ValidationJob> {
  const response = await engine.send(jobsOf(accountId), {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body,
  });
  expect(response.status).toBe(201);
  return (await response.json()) as ValidationJob;
}

async function leftOf(accountId: AccountId): Promise<Record<string, number>> {
  const { rows } = await database.query(
    `SELECT count(DISTINCT job_no)::int AS jobs, count(r.row_no)::int AS rows
     FROM validation_job LEFT JOIN validation_job_row r USING (job_no) WHERE account_id = $1`,
    [accountId],
  );
  return rows[0];
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const endsAtMs = performance.now() + 40_000;
  while (!(await condition())) {
    if (performance.now() > endsAtMs) {
      throw new Error('The awaited condition did not come about.');
    }
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}

const many = (count: number) => Array.from({ length: count }, (_, at) => `p${at}@many.example,x`).join('\n');

describe('a job', () => {
  test('is kept for the configured time and deleted with its rows, unless it is running', async () => {
    const accountId = newId('account');
    const job = await take(accountId, many(12_000));
    expect(Date.parse(job.deleted_at) - Date.parse(job.created_at)).toBe(3 * 86_400_000);
    const [old, busy] = [await take(accountId, many(2)), await take(accountId, many(3))];
    await database.query(
      `UPDATE validation_job SET deleted_at = now() - interval '1 second',
         state = CASE WHEN job_id = $2 THEN 'paused' ELSE 'succeeded' END WHERE job_id = ANY($1)`,
      [[old.job_id, busy.job_id], busy.job_id],
    );
    await until(async () => (await leftOf(accountId))['jobs'] === 2);
    expect(await leftOf(accountId)).toEqual({ jobs: 2, rows: 12_003 });
    const deleted = await engine.send(`${jobsOf(accountId)}/${job.job_id}`, { method: 'DELETE' });
    expect(deleted.status).toBe(200);
    await until(async () => (await leftOf(accountId))['rows'] === 3);
  }, 100_000);

  test('gives its rows without a result to a new one, however many they are', async () => {
    const accountId = newId('account');
    const lines = Array.from({ length: 12_000 }, (_, at) => `p${at % 11_000}@many.example,${at}`);
    const job = await take(accountId, `email,at\n${lines.join('\n')}\n`);
    await database.query(
      `UPDATE validation_job_address SET state = 'done', result = 'ok'
       WHERE address_no % 10 = 0 AND job_no = (SELECT job_no FROM validation_job WHERE job_id = $1)`,
      [job.job_id],
    );
    await database.query(`UPDATE validation_job SET state = 'cancelled' WHERE job_id = $1`, [job.job_id]);
    const path = `${jobsOf(accountId)}/${job.job_id}/revalidation`;
    // The account’s other requests wait their turn; those for which the line is too long are told to come back.
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => engine.send(path, { method: 'POST' })),
    );
    const statuses = responses.map(({ status }) => status);
    expect([...new Set(statuses)].sort()).toEqual([201, 503]);
    const refused = responses[statuses.indexOf(503)];
    expect(refused?.headers.get('retry-after')).toBe('1');
    const rest = (await responses[statuses.indexOf(201)]?.json()) as ValidationJob;
    expect(rest).toMatchObject({ addresses: 9_900, rows: { total: 10_800, valid: 10_800, duplicate: 900 } });
    const { rows } = await database.query(
      `SELECT row_no, cells[2] AS at FROM validation_job_row
       WHERE job_no = (SELECT job_no FROM validation_job WHERE job_id = $1) ORDER BY row_no`,
      [rest.job_id],
    );
    const open = [...lines.keys()].filter(at => ((at % 11_000) + 1) % 10 !== 0);
    expect(rows).toEqual(open.map((at, index) => ({ row_no: index + 2, at: String(at) })));
  }, 100_000);

  test('can be read from any position under any filter, and summed up', async () => {
    const accountId = newId('account');
    const lines = Array.from({ length: 900 }, (_, at) => `p${at % 450}@p${at % 15}.example,${at}`);
    const job = await take(accountId, `email,at\n${lines.join('\n')}\nnot an address,900\n`);
    const page = async (query: string) => {
      const { body } = await engine.get(`${jobsOf(accountId)}/${job.job_id}/rows?${query}`);
      return (body.rows as { readonly cells: readonly string[] }[]).map(({ cells }) => Number(cells[1]));
    };
    const summary = async () => (await engine.get(`${jobsOf(accountId)}/${job.job_id}/summary`)).body;
    expect((await summary()).reasons).toEqual([]);
    await database.query(`UPDATE validation_job SET started_at = now() WHERE job_id = $1`, [job.job_id]);
    // Every third address is invalid, and each of the fifteen domains except the last has a different provider.
    await database.query(
      `UPDATE validation_job_address SET state = 'done', row_count = 2, email_type = 'business',
         result = CASE WHEN address_no % 3 = 0 THEN 'invalid' ELSE 'ok' END,
         reason = CASE WHEN address_no % 3 = 0 THEN 'mailbox_missing' ELSE 'mailbox_exists' END,
         mx_provider = nullif('of ' || split_part(normalised, '@', 2), 'of p14.example')
       WHERE job_no = (SELECT job_no FROM validation_job WHERE job_id = $1)`,
      [job.job_id],
    );
    expect(await page('skip=890&limit=200')).toEqual([890, 891, 892, 893, 894, 895, 896, 897, 898, 899, 900]);
    const invalid = [...lines.keys()].filter(at => ((at % 450) + 1) % 3 === 0);
    expect(await page('result=invalid&skip=295')).toEqual([...invalid.slice(295), 900]);
    expect(await page('kind=duplicate&skip=447')).toEqual([897, 898, 899]);
    expect(await page('result=ok&kind=duplicate&skip=299')).toEqual([898]);
    expect(await page('result=unknown&skip=1')).toEqual([]);
    const { providers, other_providers, domains, other_domains, email_types, reasons } = await summary();
    expect(providers.map(({ rows }: { rows: number }) => rows)).toEqual([...Array(12).fill(60), 61]);
    expect(providers.at(-1)).toMatchObject({ provider: null, results: { ok: 0, invalid: 61 } });
    expect(other_providers).toMatchObject({ providers: 2, rows: 120 });
    expect(domains.map(({ domain, rows }: { domain: string; rows: number }) => [domain, rows])).toEqual(
      Array.from({ length: 15 }, (_, at) => `p${at}.example`)
        .sort()
        .slice(0, 12)
        .map(domain => [domain, 60]),
    );
    expect(domains[2]).toMatchObject({ domain: 'p10.example', results: { ok: 60, invalid: 0 } });
    expect(domains[3]).toMatchObject({ domain: 'p11.example', results: { ok: 0, invalid: 60 } });
    expect(other_domains).toMatchObject({ domains: 3, rows: 180, results: { ok: 120, invalid: 60 } });
    expect(email_types).toEqual([
      { email_type: 'business', rows: 900 },
      { email_type: null, rows: 1 },
    ]);
    expect(reasons).toEqual([
      { result: 'ok', reason: 'mailbox_exists', rows: 600 },
      { result: 'invalid', reason: 'mailbox_missing', rows: 300 },
      { result: 'invalid', reason: 'syntax', rows: 1 },
    ]);
  }, 60_000);

  test('is exported with its rows, however long they are, and forgotten with its account', async () => {
    const [accountId, other] = [newId('account'), newId('account')];
    const long = 'é'.repeat(limits.cellCharactersMax);
    const wide = Array.from({ length: 14 }, () => long).join(',');
    const rows = Array.from({ length: 12 }, (_, at) => `p${at}@long.example,${wide}`).join('\n');
    const header = ['email', ...Array.from({ length: 14 }, (_, at) => `note ${at}`)].join(',');
    await take(accountId, `${header}\n${rows}\n`);
    await take(other, many(5));
    const exported: ExportedRow[] = [];
    let pages = 0;
    for (let cursor = ''; ; pages += 1) {
      const { body } = await engine.get(`/internal/v1/accounts/${accountId}/export${cursor}`);
      exported.push(...body.rows);
      if (body.nextCursor === undefined) {
        break;
      }
      cursor = `?cursor=${body.nextCursor}`;
    }
    // Each row is almost as long as allowed, and a page is slightly longer than four megabytes.
    expect(pages).toBeGreaterThanOrEqual(2);
    const cells = exported.flatMap(({ row }) => (row['cells'] as string[] | undefined)?.slice(0, 2) ?? []);
    expect(cells).toEqual(Array.from({ length: 12 }, (_, at) => [`p${at}@long.example`, long]).flat());
    expect(exported.filter(({ table }) => table === 'validation_job')).toHaveLength(1);
    const page = await engine.get(`${jobsOf(accountId)}/${exported.at(-1)?.row['job_id']}/rows?limit=200`);
    // A page of rows has two million octets; the row that exceeds this is its last.
    expect([page.body.rows.length, page.body.next_cursor]).toEqual([3, '4']);
    const forgotten = await engine.post({ accountId }, 'gateway', '/internal/v1/forgotten-accounts');
    expect(forgotten.body).toEqual({ deleted: 25, remaining: false });
    expect(await leftOf(accountId)).toEqual({ jobs: 0, rows: 0 });
    expect(await leftOf(other)).toEqual({ jobs: 1, rows: 5 });
  }, 60_000);

  test('that is too large for one batch is recounted, all or nothing', async () => {
    const accountId = newId('account');
    const lines = Array.from({ length: 9_000 }, (_, at) => `a${at}@a.example,b${at % 10}@b.example`);
    const job = await take(accountId, lines.join('\n'));
    expect(job).toMatchObject({ address_column: 0, addresses: 9_000 });
    const change = (body: object) =>
      engine.send(`${jobsOf(accountId)}/${job.job_id}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    expect(await (await change({ address_column: 1 })).json()).toMatchObject({
      addresses: 10,
      rows: { total: 9_000, valid: 9_000, duplicate: 8_990 },
    });
    const counted = await database.query(
      `SELECT count(*)::int AS addresses, (SELECT count(*)::int FROM validation_job_row r
         WHERE r.job_no = j.job_no AND is_duplicate) AS duplicates
       FROM validation_job j JOIN validation_job_address USING (job_no) WHERE job_id = $1 GROUP BY j.job_no`,
      [job.job_id],
    );
    expect(counted.rows).toEqual([{ addresses: 10, duplicates: 8_990 }]);
    // Both at the same time: each sees the result of the other.
    const both = await Promise.all([change({ address_column: 0 }), change({ has_header: true })]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    const end = await engine.get(`${jobsOf(accountId)}/${job.job_id}`);
    expect(end.body).toMatchObject({ address_column: 0, rows: { total: 8_999 }, addresses: 8_999 });
  }, 60_000);
});
