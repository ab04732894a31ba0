import { inTransaction, traceParent } from '@mailproof/service-kit';
import { type AccountId, deliverRunJob, limits } from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import type { CreateOutcome, NewRun, StartRunPorts } from '../../domain/discovery/start-run.ts';
import { type RunRow, runOf, selectRuns } from './run-rows.ts';
import { enqueueRun } from './run-store.ts';

/** Locks the search for as long as the transaction lasts, if it still asks what was measured. */
const lockSearch = `
  UPDATE discovery_search SET state = 'locked', updated_at = CASE state WHEN 'locked' THEN updated_at ELSE now() END
  WHERE search_id = $1 AND account_id = $2 AND query = $3::jsonb`;

const insert = `
  INSERT INTO discovery_run (
    run_id, search_id, account_id, requested, price, holds, hold_amount, hold_id, hold_expires_at, list_id, created_by,
    request_id, idempotency_hash, request_hash, trace_parent)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
  ON CONFLICT DO NOTHING`;

const countUnderWay = `
  SELECT count(*)::int AS runs FROM discovery_run WHERE account_id = $1 AND state IN ('queued', 'running')`;

/** Thrown to roll back. */
class NotCreated extends Error {
  readonly outcome: CreateOutcome;

  constructor(outcome: CreateOutcome) {
    super(outcome.kind);
    this.outcome = outcome;
  }
}

/** Where runs start. */
export function createRunStarts(pool: Pool): StartRunPorts<PoolClient>['starts'] {
  return {
    async findSearch(accountId, searchId) {
      const { rows } = await pool.query(
        'SELECT search_id AS "searchId", kind, query FROM discovery_search WHERE search_id = $1 AND account_id = $2',
        [searchId, accountId],
      );
      return rows[0];
    },
    async findByKey(accountId, keyHash) {
      const { rows } = await pool.query<RunRow & { request_hash: Buffer }>(
        `${selectRuns.replace('SELECT', 'SELECT r.request_hash,')} WHERE r.account_id = $1 AND r.idempotency_hash = $2`,
        [accountId, keyHash],
      );
      return rows[0] && { run: runOf(rows[0]), requestHash: rows[0].request_hash };
    },
    async findActive(searchId) {
      const { rows } = await pool.query<RunRow>(
        `${selectRuns} WHERE r.search_id = $1 AND r.state IN ('queued', 'running')`,
        [searchId],
      );
      return rows[0] && runOf(rows[0]);
    },
    hasMostRuns: accountId => hasMostRuns(pool, accountId),
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

async function create(client: PoolClient, run: NewRun): Promise<CreateOutcome> {
  const locked = await client.query(lockSearch, [run.searchId, run.accountId, JSON.stringify(run.query)]);
  if (locked.rowCount === 0) {
    throw new NotCreated({ kind: 'searchChanged' });
  }
  // Starts of one account wait for each other here, so that they are counted one after the other.
  await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 33))', [run.accountId]);
  const isFull = await hasMostRuns(client, run.accountId);
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
  await client.query(enqueueRun, [deliverRunJob.name, run.runId]);
  const { rows } = await client.query<RunRow>(`${selectRuns} WHERE r.run_id = $1`, [run.runId]);
  const [row] = rows;
  if (!row) {
    throw new Error(`Run ${run.runId} was written down and is not there.`);
  }
  return { kind: 'created', run: runOf(row) };
}

async function hasMostRuns(client: Pool | PoolClient, accountId: AccountId): Promise<boolean> {
  const { rows } = await client.query<{ runs: number }>(countUnderWay, [accountId]);
  return (rows[0]?.runs ?? 0) >= limits.activeRunsMax;
}

async function isKeyUsed(client: PoolClient, run: NewRun): Promise<boolean> {
  const { rowCount } = await client.query(
    'SELECT 1 FROM discovery_run WHERE account_id = $1 AND (idempotency_hash = $2 OR run_id = $3)',
    [run.accountId, run.key?.hash ?? null, run.runId],
  );
  return rowCount === 1;
}
