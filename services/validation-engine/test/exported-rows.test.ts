import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@mailproof/dev-house';
import { type AccountId, newId, type ValidationJobId } from '@mailproof/shared-types';
import pg from 'pg';
import { createExportedJobs } from '../src/adapters/postgres/exported-jobs.ts';
import { createJobViews } from '../src/adapters/postgres/job-views.ts';
import {
  type ExportedJob,
  type ExportedJobs,
  exportedColumns,
  exportedValues,
  type JobSource,
} from '../src/domain/exported/exported-job.ts';

let database: TestDatabase;
let pool: pg.Pool;
let jobs: ExportedJobs;

beforeAll(async () => {
  database = await createTestDatabase('validation-engine');
  pool = new pg.Pool({ connectionString: database.databaseUrl, max: 2 });
  jobs = createExportedJobs(pool);
});

afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

interface Row {
  readonly cells: readonly string[];
  readonly address?: number;
  readonly fault?: string;
  readonly isDuplicate?: boolean;
}

/**
 * Creates a job with rows and addresses in the state after intake and validation; its rows start at 2, after a header.
 */
async function jobOf(
  rows: readonly Row[],
  settings: {
    readonly columns?: readonly string[];
    readonly addressColumn?: number;
    readonly state?: string;
    readonly failure?: string;
    readonly addresses?: readonly (readonly [email: string, result: string | null])[];
  } = {},
) {
  const {
    columns = ['email'],
    addressColumn = 0,
    state = 'succeeded',
    failure = null,
    addresses = [],
  } = settings;
  const source = { accountId: newId('account'), jobId: newId('validationJob') };
  const { rows: made } = await pool.query<{ job_no: string }>(
    `INSERT INTO validation_job (job_id, account_id, created_by, name, origin, state, columns, address_column, failure,
       deleted_at)
     VALUES ($1, $2, 'user', 'Customers', 'file', $3, $4, $5, $6, now()) RETURNING job_no`,
    [source.jobId, source.accountId, state, columns, addressColumn, failure],
  );
  const jobNo = made[0]?.job_no;
  for (const [at, [email, result]] of addresses.entries()) {
    await pool.query(
      `INSERT INTO validation_job_address (job_no, address_no, email, normalised, state, result, mx_domain, email_type)
       VALUES ($1, $2, $3, lower($3), $4, $5, 'mx.example', 'role')`,
      [jobNo, at + 1, email, result === null ? 'pending' : 'done', result],
    );
  }
  for (const [at, { cells, address, fault, isDuplicate }] of rows.entries()) {
    await pool.query(
      `INSERT INTO validation_job_row (job_no, row_no, cells, address_no, fault, is_duplicate)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [jobNo, at + 2, cells, address ?? null, fault ?? null, isDuplicate ?? false],
    );
  }
  return source;
}

async function found(accountId: AccountId, jobId: ValidationJobId): Promise<ExportedJob> {
  const job = await jobs.find(accountId, jobId);
  if (job === undefined || job === 'notStarted') {
    throw new Error(String(job));
  }
  return job;
}

const rows: readonly Row[] = [
  { cells: ['Ada@A.example'], address: 1 },
  { cells: ['none'], fault: 'no_at_sign' },
  { cells: [''], fault: 'blank' },
  { cells: [' ada@a.example '], address: 1, isDuplicate: true },
  { cells: ['Bob <bob@b.example>'], address: 2 },
  { cells: ['left@c.example'], address: 3 },
  { cells: ['Robert <BOB@b.example>'], address: 2, isDuplicate: true },
];
const addresses = [
  ['Ada@A.example', 'ok'],
  ['bob@b.example', 'catch_all'],
  ['left@c.example', null],
] as const;

/** Every row, with our fields only. */
const all = { kind: 'validation_job', job_id: newId('validationJob') } as const;

describe('rows of a validation job', () => {
  it('say what they said, and the verdict on their address', async () => {
    const { accountId, jobId } = await jobOf(rows, { addresses });
    const job = await found(accountId, jobId);
    expect(exportedColumns(job, all)).toEqual([
      'email',
      'result_status',
      'valid',
      'mx_domain',
      'mx_provider',
      'email_type',
    ]);
    const read = await jobs.read(job, [2, 3, 4, 5, 6, 7, 8]);
    expect(read.map(row => row && exportedValues(job, all, row))).toEqual([
      ['Ada@A.example', 'ok', true, 'mx.example', null, 'role'],
      ['none', 'invalid', false, null, null, null],
      [null, null, null, null, null, null],
      ['ada@a.example', 'ok', true, 'mx.example', null, 'role'],
      ['bob@b.example', 'catch_all', false, 'mx.example', null, 'role'],
      ['left@c.example', null, null, 'mx.example', null, 'role'],
      ['BOB@b.example', 'catch_all', false, 'mx.example', null, 'role'],
    ]);
  });

  it('keep their own columns before ours, under names that ours do not have', async () => {
    const columns = ['2019', 'valid', 'input_valid', 'email', 'Mail'];
    const cells = ['x', 'yes', 'no', 'own@d.example', 'ada@a.example'];
    const { accountId, jobId } = await jobOf(
      [
        { cells, address: 1 },
        { cells: ['short'], fault: 'blank' },
      ],
      {
        columns,
        addressColumn: 4,
        addresses,
      },
    );
    const job = await found(accountId, jobId);
    expect(exportedColumns(job, all).slice(0, 6)).toEqual([
      '2019',
      'input_valid (2)',
      'input_valid',
      'input_email',
      'Mail',
      'email',
    ]);
    const [whole, short] = await jobs.read(job, [2, 3]);
    expect(whole && exportedValues(job, all, whole).slice(0, 7)).toEqual([...cells, 'ada@a.example', 'ok']);
    expect(short && exportedValues(job, all, short)).toEqual(['short', ...Array(10).fill(null)]);
  });

  it('say when their verdict was found where the source wants it, a column of that name moving away', async () => {
    const columns = ['email', 'validated_at'];
    const { accountId, jobId } = await jobOf(
      [
        { cells: ['ada@a.example', 'never'], address: 1 },
        { cells: ['none', ''], fault: 'no_at_sign' },
      ],
      { columns, addresses },
    );
    await pool.query(
      `UPDATE validation_job_address a SET checked_at = '2026-11-22T10:00:00Z'
       FROM validation_job j WHERE j.job_no = a.job_no AND j.job_id = $1 AND address_no = 1`,
      [jobId],
    );
    const job = await found(accountId, jobId);
    const source = { ...all, with_validated_at: true };
    const names = exportedColumns(job, source);
    expect([names[0], names.at(-1)]).toEqual(['input_validated_at', 'validated_at']);
    const read = await jobs.read(job, [2, 3]);
    expect(read.map(row => row && exportedValues(job, source, row).at(-1))).toEqual([
      '2026-11-22T10:00:00.000Z',
      null,
    ]);
    expect(exportedColumns(job, all)[0]).toBe('validated_at');
  });

  it('are listed in their order, by their results and without duplicates', async () => {
    const { accountId, jobId } = await jobOf(rows, { addresses });
    const job = await found(accountId, jobId);
    const numbersOf = async (filter: object) => {
      const source = { kind: 'validation_job', job_id: jobId, ...filter } as const;
      const { rowNos, isLast, open } = await jobs.list(job, source, 0, 99);
      expect([isLast, open]).toEqual([true, 0]);
      expect(await jobs.count(job, source)).toEqual({ rows: rowNos.length, open: 0 });
      return rowNos;
    };
    expect(await numbersOf({})).toEqual([2, 3, 4, 5, 6, 7, 8]);
    expect(await numbersOf({ without_duplicates: true })).toEqual([2, 3, 4, 6, 7]);
    expect(await numbersOf({ results: ['ok'] })).toEqual([2, 5]);
    expect(await numbersOf({ results: ['ok', 'catch_all'], without_duplicates: true })).toEqual([2, 6]);
    expect(await numbersOf({ results: ['invalid'] })).toEqual([3]);
    expect(await numbersOf({ results: ['unknown'] })).toEqual([]);
    const source = { kind: 'validation_job', job_id: jobId } as const;
    expect(await jobs.list(job, source, 3, 2)).toEqual({ rowNos: [4, 5], isLast: false, open: 0 });
    expect(await jobs.list(job, source, 6, 2)).toEqual({ rowNos: [7, 8], isLast: true, open: 0 });
  });

  it('are listed while the job is running where they have a result, and each other row is open once', async () => {
    const { accountId, jobId } = await jobOf([...rows, { cells: ['left@c.example'], address: 3 }], {
      state: 'running',
      addresses,
    });
    const job = await found(accountId, jobId);
    const pagesOf = async (filter: object, limit: number) => {
      const source = { kind: 'validation_job', job_id: jobId, ...filter } as const;
      const pages: (readonly [readonly number[], number])[] = [];
      for (let after = 0; ; ) {
        const page = await jobs.list(job, source, after, limit);
        pages.push([page.rowNos, page.open]);
        if (page.isLast) {
          const listed = pages.reduce((sum, [rowNos]) => sum + rowNos.length, 0);
          const open = pages.reduce((sum, [, count]) => sum + count, 0);
          expect(await jobs.count(job, source)).toEqual({ rows: listed, open });
          return pages;
        }
        after = page.rowNos.at(-1) ?? after;
      }
    };
    // The rows 7 and 9 have no result yet.
    expect(await pagesOf({}, 99)).toEqual([[[2, 3, 4, 5, 6, 8], 2]]);
    expect(await pagesOf({}, 5)).toEqual([
      [[2, 3, 4, 5, 6], 0],
      [[8], 2],
    ]);
    expect(await pagesOf({}, 6)).toEqual([[[2, 3, 4, 5, 6, 8], 2]]);
    expect(await pagesOf({ results: ['catch_all'] }, 1)).toEqual([
      [[6], 0],
      [[8], 2],
    ]);
    expect(await pagesOf({ results: ['unknown'] }, 1)).toEqual([[[], 2]]);
    expect(await pagesOf({ without_duplicates: true }, 2)).toEqual([
      [[2, 3], 0],
      [[4, 6], 2],
    ]);
    await pool.query(
      "UPDATE validation_job_address SET state = 'done', result = 'ok' WHERE result IS NULL AND job_no = $1",
      [job.jobNo],
    );
    expect(await pagesOf({ results: ['ok'] }, 99)).toEqual([[[2, 5, 7, 9], 0]]);
  });

  it('are answered as many at once as are of a fair size, one at least, and what is gone stays apart', async () => {
    const long = 'x'.repeat(900_000);
    const { accountId, jobId } = await jobOf(
      Array.from({ length: 5 }, () => ({ cells: [long, long], fault: 'too_long' })),
      { columns: ['a', 'b'] },
    );
    const job = await found(accountId, jobId);
    expect(await jobs.read(job, [2, 3, 4, 5, 6])).toHaveLength(2);
    expect(await jobs.read(job, [99, 2])).toMatchObject([undefined, { cells: [long, long] }]);
  });

  it('can be exported once the job has started, by its own account', async () => {
    for (const state of ['receiving', 'ready']) {
      const { accountId, jobId } = await jobOf(rows, { state, addresses });
      expect(await jobs.find(accountId, jobId)).toBe('notStarted');
    }
    const ends = ['succeeded', 'failed', 'cancelled'];
    for (const state of ['queued', 'running', 'paused', ...ends]) {
      const { accountId, jobId } = await jobOf(rows, { state, addresses });
      expect(await jobs.find(accountId, jobId)).toMatchObject({
        columns: ['email'],
        hasEnded: ends.includes(state),
      });
      expect(await jobs.find(newId('account'), jobId)).toBeUndefined();
      await pool.query('UPDATE validation_job SET gone_at = now() WHERE job_id = $1', [jobId]);
      expect(await jobs.find(accountId, jobId)).toBeUndefined();
    }
    const interrupted = await jobOf(rows, { state: 'failed', failure: 'upload_broken_off', addresses });
    expect(await jobs.find(interrupted.accountId, interrupted.jobId)).toBeUndefined();
  });
});

describe('a list that was just uploaded', () => {
  const rows = 2_000;

  /** The blocks that Postgres reads for a row of the list. */
  async function blocksPerRow(work: (reader: pg.Pool) => Promise<unknown>): Promise<number> {
    let blocks = 0;
    const explaining = {
      async query({ name: _, ...query }: pg.QueryConfig) {
        const { rows: plans } = await pool.query({
          ...query,
          text: `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${query.text}`,
        });
        const [{ Plan }] = plans[0]['QUERY PLAN'];
        blocks += Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks'];
        return pool.query(query);
      },
    };
    await work(explaining as unknown as pg.Pool);
    return blocks / rows;
  }

  async function listOf(): Promise<{ accountId: AccountId; jobId: ValidationJobId }> {
    const source = await jobOf([]);
    const of = '(SELECT job_no FROM validation_job WHERE job_id = $1)';
    await pool.query(
      `INSERT INTO validation_job_address (job_no, address_no, email, normalised, state, result)
       SELECT ${of}, at, at || '@a.example', at || '@a.example', 'done', 'ok' FROM generate_series(1, $2::int) AS at`,
      [source.jobId, rows],
    );
    await pool.query(
      `INSERT INTO validation_job_row (job_no, row_no, cells, address_no)
       SELECT ${of}, at + 1, ARRAY[at || '@a.example'], at FROM generate_series(1, $2::int) AS at`,
      [source.jobId, rows],
    );
    return source;
  }

  it('is read once for each row, although the statistics do not know it yet', async () => {
    const owner = new pg.Client({ connectionString: database.ownerUrl });
    await owner.connect();
    try {
      await listOf();
      for (const table of ['validation_job_row', 'validation_job_address']) {
        await owner.query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
        await owner.query(`ANALYZE ${table}`);
      }
    } finally {
      await owner.end();
    }
    const source = await listOf();
    const job = await jobs.find(source.accountId, source.jobId);
    if (!job || job === 'notStarted') throw new Error('There is no such list.');
    const filter = { kind: 'validation_job', job_id: source.jobId, results: ['ok'] } as unknown as JobSource;
    const numbers = Array.from({ length: rows }, (_, at) => at + 2);
    const statements: Readonly<Record<string, (reader: pg.Pool) => Promise<unknown>>> = {
      'counting rows': reader => createExportedJobs(reader).count(job, filter),
      'listing rows': reader => createExportedJobs(reader).list(job, filter, 0, rows),
      'reading rows': reader => createExportedJobs(reader).read(job, numbers),
      'a page': reader => createJobViews(reader).rows(source.accountId, source.jobId, page),
      'a page of a result': reader =>
        createJobViews(reader).rows(source.accountId, source.jobId, { ...page, result: 'ok' }),
    };
    const page = { limit: 200, with_cells: true } as const;
    const blocks: Record<string, number> = {};
    for (const [name, work] of Object.entries(statements)) {
      blocks[name] = await blocksPerRow(work);
    }
    expect(Object.entries(blocks).filter(([, each]) => each > 12)).toEqual([]);
  });
});
