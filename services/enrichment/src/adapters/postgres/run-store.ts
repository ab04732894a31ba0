import { hasEnded } from '@mailproof/paid-runs';
import { inTransaction } from '@mailproof/service-kit';
import { type AccountId, type DiscoveryRunId, deliverRunJob } from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import type { DiscoveryRunStore } from '../../domain/discovery/deliver-chunk.ts';
import type { Run, RunChange } from '../../domain/discovery/run.ts';
import { changeColumns, type RunRow, runOf, selectRuns } from './run-rows.ts';

/** What happens in one transaction with a change of a run. */
export type Transaction = PoolClient;

export interface PostgresRunStore extends DiscoveryRunStore<Transaction> {
  /** Puts a run's job into the outbox, once more. */
  enqueue(runId: DiscoveryRunId): Promise<void>;
  /** Puts jobs into the outbox for runs that have none and have not moved for so long; answers how many. */
  sweep(stillMs: number): Promise<number>;
  /** Runs of an account that are under way. */
  findUnderWay(accountId: AccountId): Promise<Run[]>;
}

const underWay = "r.state IN ('queued', 'running')";
const sweptMax = 100;

/** All work on a run belongs to the trace of its start (ADR 0047). */
export const enqueueRun = `
  INSERT INTO outbox (job_type, payload, trace_parent)
  VALUES ($1, jsonb_build_object('runId', $2::text), (SELECT trace_parent FROM discovery_run WHERE run_id = $2))`;

const sweep = `
  INSERT INTO outbox (job_type, payload, trace_parent)
  SELECT $1, jsonb_build_object('runId', r.run_id), r.trace_parent FROM discovery_run r
  WHERE ${underWay} AND r.moved_at < now() - make_interval(secs => $2 / 1000.0) AND NOT EXISTS (
    SELECT 1 FROM outbox
    WHERE done_at IS NULL AND failed_at IS NULL AND job_type = $1 AND payload->>'runId' = r.run_id)
  ORDER BY r.created_at LIMIT ${sweptMax}`;

/**
 * What a search shows of its latest run. One that failed leaves what earlier runs have found out as it is, if they
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

export function createRunStore(pool: Pool): PostgresRunStore {
  const find = async (runId: DiscoveryRunId) => {
    const { rows } = await pool.query<RunRow>(`${selectRuns} WHERE r.run_id = $1`, [runId]);
    return rows[0] && runOf(rows[0]);
  };
  const changeWith: PostgresRunStore['changeWith'] = (run, work) =>
    inTransaction(pool, async client => {
      const { rows } = await client.query(
        'SELECT 1 FROM discovery_run WHERE run_id = $1 AND version = $2 FOR UPDATE',
        [run.runId, run.version],
      );
      if (rows.length === 0) {
        return false;
      }
      await write(client, run, await work(client));
      return true;
    });
  return {
    find,
    changeWith,
    change: (run, change) => changeWith(run, async () => change),
    async enqueue(runId) {
      await pool.query(enqueueRun, [deliverRunJob.name, runId]);
    },
    async sweep(stillMs) {
      const { rowCount } = await pool.query(sweep, [deliverRunJob.name, stillMs]);
      return rowCount ?? 0;
    },
    async findUnderWay(accountId) {
      const { rows } = await pool.query<RunRow>(`${selectRuns} WHERE r.account_id = $1 AND ${underWay}`, [
        accountId,
      ]);
      return rows.map(runOf);
    },
  };
}

async function write(client: PoolClient, run: Run, change: RunChange): Promise<void> {
  const members = Object.keys(change) as (keyof RunChange)[];
  const assignments = members.map((member, at) => `${changeColumns[member]} = $${at + 2}`);
  await client.query(
    `UPDATE discovery_run SET ${[...assignments, 'version = version + 1'].join(', ')} WHERE run_id = $1`,
    [run.runId, ...members.map(member => change[member])],
  );
  const after = { ...run, ...change };
  if (hasEnded(after)) {
    const { searchId, runId, state, hasMore, delivered, endedAt } = after;
    await client.query(noteEnd, [searchId, state, hasMore, delivered, endedAt, runId]);
  }
}
