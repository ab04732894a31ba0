import {
  inTransaction,
  type Recurring,
  readCursor,
  startRecurring,
  tellWritten,
  traceParent,
  writeCursor,
} from '@mailproof/service-kit';
import type { AccountId, JobType } from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import { z } from 'zod';
import type { CreatedWork, NextJob, Work } from '../work.ts';
import { assignmentsOf, insertOf, recordOf } from './records.ts';

export { assignmentsOf, recordOf };

/** Work that is about to be stored. */
interface NewWork {
  readonly accountId: AccountId;
  readonly createdAt: Date;
}

export interface WorkTableOptions<Id, Item, New> {
  readonly table: string;
  /** The key columns are `<name>_id` and `<name>_no`; the payload of a job has `<name>Id`. */
  readonly name: string;
  readonly jobType: JobType;
  readonly idOf: (record: Item | New) => Id;
  /** The query that reads rows `w`, up to but without `WHERE`. */
  readonly select?: string;
  readonly recordOf?: (row: object) => Item;
  /** The condition on a row `w` under which it counts as running for its account. */
  readonly isActive: string;
  /** Creations of one account with the same lock are serialized, so that the limit holds. */
  readonly lock?: number;
  /** The condition on a row `w` under which it needs a job, if it differs from `isActive`. */
  readonly needsJob?: string;
  /** The column with the time of the last progress. */
  readonly movedAt?: string;
  /** Runs in the transaction of a creation. */
  readonly onCreate?: (client: PoolClient, record: Item) => Promise<void>;
  /** Runs in the transaction of a change; `before` is the record that was changed. */
  readonly onChange?: (client: PoolClient, record: Item, before: Item) => Promise<void>;
}

const sweptMax = 100;
/** The position at which a page ended. */
const rowNumber = z.string().regex(/^\d{1,18}$/);

/**
 * A table of work. A row has the state of the work; a row of the outbox is its next job. All jobs belong to the trace
 * of the request that started the work (ADR 0047).
 */
export function createWorkTable<
  Id extends string,
  Item extends Work,
  Change extends object,
  New extends NewWork = never,
>(pool: Pool, options: WorkTableOptions<Id, Item, New>) {
  const { table, name, jobType, idOf, isActive } = options;
  const { needsJob = isActive, movedAt = 'moved_at', recordOf: toRecord = recordOf<Item> } = options;
  const ownJob = `done_at IS NULL AND failed_at IS NULL AND job_type = $1 AND payload->>'${name}Id'`;
  /** The delay is measured by the clock of Postgres, which the relay also uses. */
  const dueAt = 'now() + make_interval(secs => $3::double precision / 1000)';
  const enqueueSql = `
    WITH waiting AS (
      UPDATE outbox SET due_at = least(due_at, ${dueAt}) WHERE ${ownJob} = $2 AND enqueued_at IS NULL RETURNING 1
    )
    INSERT INTO outbox (job_type, payload, due_at, trace_parent)
    SELECT $1, jsonb_build_object('${name}Id', $2::text), ${dueAt},
      (SELECT trace_parent FROM ${table} WHERE ${name}_id = $2)
    WHERE NOT EXISTS (SELECT FROM waiting)`;
  const sweepSql = `
    INSERT INTO outbox (job_type, payload, trace_parent)
    SELECT $1, jsonb_build_object('${name}Id', w.${name}_id), w.trace_parent FROM ${table} w
    WHERE ${needsJob} AND w.${movedAt} < $2 AND NOT EXISTS (SELECT FROM outbox WHERE ${ownJob} = w.${name}_id)
    ORDER BY w.${movedAt} LIMIT ${sweptMax}`;

  const ofAccount = `w.account_id = $1 AND w.${name}_id = $2`;

  async function select(
    condition: string,
    values: readonly unknown[],
    client: Pool | PoolClient = pool,
  ): Promise<Item[]> {
    const { rows } = await client.query(
      `${options.select ?? `SELECT w.* FROM ${table} w`} WHERE ${condition}`,
      [...values],
    );
    return rows.map(toRecord);
  }

  async function enqueue(
    id: Id,
    { waitMs }: NextJob = { waitMs: 0 },
    client: Pool | PoolClient = pool,
  ): Promise<void> {
    await client.query(enqueueSql, [jobType.name, id, waitMs]);
    tellWritten(client, 'outbox');
  }

  async function countActive(accountId: AccountId, client: Pool | PoolClient = pool): Promise<number> {
    const { rows } = await client.query<{ running: number }>(
      `SELECT count(*)::int AS running FROM ${table} w WHERE w.account_id = $1 AND ${isActive}`,
      [accountId],
    );
    return rows[0]?.running ?? 0;
  }

  /** Applies the change that `decide` returns; `decide` runs in the same transaction, with the row locked. */
  function changeWith(
    record: Item,
    decide: (client: PoolClient) => Promise<Change>,
    nextJob?: NextJob,
  ): Promise<Item | undefined> {
    return inTransaction(pool, async client => {
      const id = idOf(record);
      const { rowCount } = await client.query(
        `SELECT FROM ${table} WHERE ${name}_id = $1 AND version = $2 FOR UPDATE`,
        [id, record.version],
      );
      if (rowCount === 0) {
        return undefined;
      }
      const change = await decide(client);
      const { assignments, values } = assignmentsOf(change, 1);
      await client.query(`UPDATE ${table} SET ${assignments} WHERE ${name}_id = $1`, [id, ...values]);
      const changed = { ...record, ...change, version: record.version + 1 };
      await options.onChange?.(client, changed, record);
      if (nextJob) {
        await enqueue(id, nextJob, client);
      }
      return changed;
    });
  }

  return {
    select,
    enqueue,
    countActive,
    changeWith,
    change: (record: Item, change: Change, nextJob?: NextJob) =>
      changeWith(record, async () => change, nextJob),
    async find(id: Id) {
      const [record] = await select(`w.${name}_id = $1`, [id]);
      return record;
    },
    async findOf(accountId: AccountId, id: Id) {
      const [record] = await select(ofAccount, [accountId, id]);
      return record;
    },
    findActive: (accountId: AccountId) => select(`w.account_id = $1 AND ${isActive}`, [accountId]),
    async sweep(stillSince: Date) {
      const { rowCount } = await pool.query(sweepSql, [jobType.name, stillSince]);
      return rowCount ?? 0;
    },
    create: (record: New, activeMax: number) =>
      inTransaction(pool, async (client): Promise<CreatedWork<Item>> => {
        const { accountId, createdAt: movedAt } = record;
        await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, $2))', [
          accountId,
          options.lock,
        ]);
        const id = idOf(record);
        const [earlier] = await select(ofAccount, [accountId, id], client);
        if (earlier) {
          return { kind: 'repeated', record: earlier };
        }
        if ((await countActive(accountId, client)) >= activeMax) {
          return { kind: 'tooMany' };
        }
        const { text, values } = insertOf(table, { ...record, movedAt, traceParent: traceParent() });
        const { rows } = await client.query(text, [...values]);
        const created = toRecord(rows[0]);
        await options.onCreate?.(client, created);
        await enqueue(id, { waitMs: 0 }, client);
        return { kind: 'created', record: created };
      }),
    /** Reads a page of an account's records with these values, newest first. Throws `invalid_cursor`. */
    async page(
      accountId: AccountId,
      filters: Readonly<{ [column: string]: string | undefined }>,
      { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
    ): Promise<{ readonly records: Item[]; readonly nextCursor: string | undefined }> {
      const before = cursor === undefined ? null : readCursor(rowNumber, cursor);
      const isWanted = Object.keys(filters).map(
        (column, at) => `($${at + 3}::text IS NULL OR w.${column} = $${at + 3})`,
      );
      const conditions = ['w.account_id = $1', `($2::bigint IS NULL OR w.${name}_no < $2)`, ...isWanted];
      const { rows } = await pool.query<object & { readonly no: string }>(
        `SELECT w.*, w.${name}_no AS no FROM ${table} w WHERE ${conditions.join(' AND ')}
         ORDER BY w.${name}_no DESC LIMIT ${limit + 1}`,
        [accountId, before, ...Object.values(filters)],
      );
      const shown = rows.slice(0, limit);
      const last = rows.length > limit ? shown.at(-1) : undefined;
      return { records: shown.map(toRecord), nextCursor: last && writeCursor(last.no) };
    },
    /** Deletes some of the rows that satisfy a condition. */
    async deleteSome(condition: string, values: readonly unknown[], rowsMax: number): Promise<Item[]> {
      const { rows } = await pool.query(
        `DELETE FROM ${table} WHERE ${name}_no = ANY(ARRAY(
           SELECT w.${name}_no FROM ${table} w WHERE ${condition} LIMIT ${rowsMax})) RETURNING *`,
        [...values],
      );
      return rows.map(toRecord);
    },
  };
}

/** Work without a job that has not moved for this long gets one, in milliseconds. */
const stillMs = 30_000;
const sweepEveryMs = 15_000;

/** Starts periodic sweeps. */
export function startSweep({
  store,
  now,
  told,
  onFailed,
}: {
  readonly store: { sweep(stillSince: Date): Promise<number> };
  readonly now: () => Date;
  readonly told: (count: number) => void;
  readonly onFailed: (error: unknown) => void;
}): Recurring {
  return startRecurring({
    everyMs: sweepEveryMs,
    work: () => store.sweep(new Date(now().getTime() - stillMs)),
    told,
    onFailed,
  });
}
