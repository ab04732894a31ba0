import { hasEnded } from '@mailproof/durable-work';
import { createWorkTable, recordOf } from '@mailproof/durable-work/postgres';
import { inTransaction, traceParent, writeCursor } from '@mailproof/service-kit';
import { type DiscoveryRunId, deliverRunJob, limits } from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import type { Run, RunChange, RunViews } from '../../domain/discovery/run.ts';
import type { CreateOutcome, NewRun, StartRunPorts } from '../../domain/discovery/start-run.ts';
import { createConditions, readRowCursor, withCursor } from './saved-page.ts';

/** The transaction that commits together with a change of a run. */
export type Transaction = PoolClient;

/** Selects runs with the queries of their searches; `WHERE` follows. */
const selectRuns = `
  SELECT w.run_id, w.search_id, w.account_id, s.kind, s.query, w.state, w.requested, w.price, w.holds, w.hold_amount,
    w.hold_id, w.hold_expires_at, w.position, w.delivered, w.ending, w.charge, w.failure, w.has_more, w.spent,
    w.list_id, w.failed_attempts, w.version, w.created_by, w.request_id, w.created_at, w.started_at, w.moved_at,
    w.ended_at
  FROM discovery_run w JOIN discovery_search s USING (search_id)`;

function runOf(row: object): Run {
  const stored = recordOf<Omit<Run, 'creditsMax'>>(row);
  return { ...stored, creditsMax: stored.requested * stored.price };
}

/**
 * Records the end of a search's latest run. A failed run leaves the findings of earlier runs unchanged if they
 * delivered anything; otherwise the search has more to deliver than this run did.
 */
const noteEnd = `
  UPDATE discovery_search s SET
    has_more = CASE
      WHEN $2::text <> 'failed' THEN coalesce($3::boolean, s.has_more)
      WHEN $4::int = 0 OR EXISTS (
        SELECT FROM discovery_run r WHERE r.search_id = $1 AND r.run_id <> $6 AND r.delivered > 0
      ) OR EXISTS (SELECT FROM lookalike_result l WHERE l.search_id = $1 AND l.run_id <> $6)
      THEN s.has_more
      ELSE coalesce($3::boolean, s.has_more) END,
    last_attempt_failed_at = CASE WHEN $2::text = 'failed' THEN $5::timestamptz END
  WHERE s.search_id = $1`;

/** Stores runs and their jobs. */
export function createRunStore(pool: Pool) {
  return createWorkTable<DiscoveryRunId, Run, RunChange>(pool, {
    table: 'discovery_run',
    name: 'run',
    jobType: deliverRunJob,
    idOf: ({ runId }) => runId,
    select: selectRuns,
    recordOf: runOf,
    isActive: "w.state IN ('queued', 'running')",
    async onChange(client, run) {
      if (hasEnded(run)) {
        const { searchId, runId, state, hasMore, delivered, endedAt } = run;
        await client.query(noteEnd, [searchId, state, hasMore, delivered, endedAt, runId]);
      }
    },
  });
}

/** Locks the search for the duration of the transaction, if its query is still the measured one. */
const lockSearch = `
  UPDATE discovery_search SET state = 'locked', updated_at = CASE state WHEN 'locked' THEN updated_at ELSE now() END
  WHERE search_id = $1 AND account_id = $2 AND query = $3::jsonb`;

const insert = `
  INSERT INTO discovery_run (
    run_id, search_id, account_id, requested, price, holds, hold_amount, hold_id, hold_expires_at, list_id, created_by,
    request_id, idempotency_hash, request_hash, trace_parent)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
  ON CONFLICT DO NOTHING`;

/** Thrown to roll back. */
class NotCreated extends Error {
  readonly outcome: CreateOutcome;

  constructor(outcome: CreateOutcome) {
    super(outcome.kind);
    this.outcome = outcome;
  }
}

/** Implements the start of runs. */
export function createRunStarts(pool: Pool): StartRunPorts<PoolClient>['starts'] {
  const runs = createRunStore(pool);
  const hasMostRuns = async (...account: Parameters<typeof runs.countActive>) =>
    (await runs.countActive(...account)) >= limits.activeRunsMax;

  async function create(client: PoolClient, run: NewRun): Promise<CreateOutcome> {
    const locked = await client.query(lockSearch, [run.searchId, run.accountId, JSON.stringify(run.query)]);
    if (locked.rowCount === 0) {
      throw new NotCreated({ kind: 'searchChanged' });
    }
    // Concurrent starts of one account wait for each other here, so that each one counts the others.
    await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 33))', [run.accountId]);
    const isFull = await hasMostRuns(run.accountId, client);
    const inserted = await client.query(insert, [
      run.runId,
      run.searchId,
      run.accountId,
      run.requested,
      run.price,
      run.holds,
      run.holdAmount,
      run.holdId,
      run.holdExpiresAt,
      run.listId,
      run.createdBy,
      run.requestId,
      run.key?.hash ?? null,
      run.key?.requestHash ?? null,
      traceParent(),
    ]);
    if (inserted.rowCount === 0) {
      throw new NotCreated({ kind: (await isKeyUsed(client, run)) ? 'keyUsed' : 'runActive' });
    }
    if (isFull) {
      throw new NotCreated({ kind: 'tooManyRuns' });
    }
    await runs.enqueue(run.runId, { waitMs: 0 }, client);
    const [created] = await runs.select('w.run_id = $1', [run.runId], client);
    if (!created) {
      throw new Error(`Run ${run.runId} was written down and is not there.`);
    }
    return { kind: 'created', run: created };
  }

  return {
    async findSearch(accountId, searchId) {
      const { rows } = await pool.query(
        'SELECT search_id AS "searchId", kind, query FROM discovery_search WHERE search_id = $1 AND account_id = $2',
        [searchId, accountId],
      );
      return rows[0];
    },
    async findByKey(accountId, keyHash) {
      const { rows } = await pool.query<{ readonly request_hash: Buffer }>(
        `${selectRuns.replace('SELECT', 'SELECT w.request_hash,')} WHERE w.account_id = $1 AND w.idempotency_hash = $2`,
        [accountId, keyHash],
      );
      return rows[0] && { run: runOf(rows[0]), requestHash: rows[0].request_hash };
    },
    async findActive(searchId) {
      const [run] = await runs.select("w.search_id = $1 AND w.state IN ('queued', 'running')", [searchId]);
      return run;
    },
    hasMostRuns: accountId => hasMostRuns(accountId),
    async hasList(accountId, listId, kind) {
      const { rowCount } = await pool.query(
        'SELECT 1 FROM saved_list WHERE list_id = $1 AND account_id = $2 AND kind = $3',
        [listId, accountId, kind === 'people' ? 'people' : 'companies'],
      );
      return rowCount === 1;
    },
    create: run =>
      inTransaction(pool, client => create(client, run)).catch((error: unknown) => {
        if (error instanceof NotCreated) {
          return error.outcome;
        }
        throw error;
      }),
  };
}

async function isKeyUsed(client: PoolClient, run: NewRun): Promise<boolean> {
  const { rowCount } = await client.query(
    'SELECT 1 FROM discovery_run WHERE account_id = $1 AND (idempotency_hash = $2 OR run_id = $3)',
    [run.accountId, run.key?.hash ?? null, run.runId],
  );
  return rowCount === 1;
}

export function createRunViews(pool: Pool): RunViews {
  return {
    async find(accountId, runId) {
      const { rows } = await pool.query(`${selectRuns} WHERE w.account_id = $1 AND w.run_id = $2`, [
        accountId,
        runId,
      ]);
      return rows[0] && runOf(rows[0]);
    },
    list: (accountId, { search_id, kind, state, cursor, limit }) =>
      withCursor(cursor, async () => {
        const where = createConditions([accountId]);
        where.add('w.search_id = ?', search_id);
        where.add('s.kind = ?', kind);
        where.add('w.state = ?', state);
        const parameterNo = cursor === undefined ? 0 : where.values.push(...readRowCursor(cursor)) - 1;
        const after =
          parameterNo > 0
            ? ` AND (w.created_at, w.run_id) < ($${parameterNo}::timestamptz, $${parameterNo + 1})`
            : '';
        const { rows } = await pool.query<{ readonly run_id: string; readonly order_key: string }>(
          `${selectRuns.replace('SELECT', 'SELECT w.created_at::text AS order_key,')}
           WHERE w.account_id = $1${where.toSql()}${after}
           ORDER BY w.created_at DESC, w.run_id DESC LIMIT ${limit + 1}`,
          where.values,
        );
        const shown = rows.slice(0, limit);
        const last = rows.length > limit ? shown.at(-1) : undefined;
        return { runs: shown.map(runOf), nextCursor: last && writeCursor([last.order_key, last.run_id]) };
      }),
  };
}
