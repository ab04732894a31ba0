import { hasEnded } from '@mailproof/durable-work';
import { createWorkTable, recordOf } from '@mailproof/durable-work/postgres';
import { inTransaction, onlyRow, recordEvent, traceParent, writeCursor } from '@mailproof/service-kit';
import {
  type AccountId,
  type DiscoveryRunId,
  type DiscoverySearchId,
  deliverRunJob,
  limits,
  nameInEvent,
  type SearchKind,
} from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import type { Run, RunChange, RunViews } from '../../domain/discovery/run.ts';
import type {
  CreateOutcome,
  NewRun,
  RunnableSearch,
  StartRunPorts,
} from '../../domain/discovery/start-run.ts';
import { sql } from './discovery.sql.ts';
import { readRowCursor, withCursor } from './saved-page.ts';

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
    async onChange(client, run, before) {
      if (hasEnded(run) && !hasEnded(before)) {
        const { name } = await onlyRow(sql.name_of_search(client, { search_id: run.searchId }));
        await recordEvent(client, 'discovery_run.finished', {
          account_id: run.accountId,
          run_id: run.runId,
          search_id: run.searchId,
          name: nameInEvent(name),
          kind: run.kind,
          state: run.state,
          failure: run.failure,
          requested: run.requested,
          delivered: run.delivered,
          has_more: run.hasMore,
          spent: run.spent ?? 0,
        });
      }
      if (hasEnded(run)) {
        await sql.note_search_end(client, {
          search_id: run.searchId,
          state: run.state,
          has_more: run.hasMore,
          delivered: run.delivered,
          ended_at: run.endedAt,
          run_id: run.runId,
        });
      }
    },
  });
}

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
    const locked = await sql.lock_measured_search(client, {
      search_id: run.searchId,
      account_id: run.accountId,
      query: JSON.stringify(run.query),
    });
    if (locked.rowCount === 0) {
      throw new NotCreated({ kind: 'searchChanged' });
    }
    await sql.lock_starts(client, { account_id: run.accountId });
    const isFull = await hasMostRuns(run.accountId, client);
    const inserted = await sql.insert_run(client, {
      run_id: run.runId,
      search_id: run.searchId,
      account_id: run.accountId,
      requested: run.requested,
      price: run.price,
      holds: run.holds,
      hold_amount: run.holdAmount,
      hold_id: run.holdId,
      hold_expires_at: run.holdExpiresAt,
      list_id: run.listId,
      created_by: run.createdBy,
      request_id: run.requestId,
      key_hash: run.key?.hash,
      request_hash: run.key?.requestHash,
      trace_parent: traceParent(),
      position: run.position,
    });
    if (inserted.rowCount === 0) {
      throw new NotCreated({ kind: (await isKeyUsed(client, run)) ? 'keyUsed' : 'runActive' });
    }
    if (isFull) {
      throw new NotCreated({ kind: 'tooManyRuns' });
    }
    await runs.enqueue(run.runId, { waitMs: 0 }, client);
    const [created] = await runs.select('w.run_id = $1', [run.runId], client);
    if (!created) {
      throw new Error(`Run ${run.runId} was inserted and does not exist.`);
    }
    return { kind: 'created', run: created };
  }

  return {
    async findSearch(accountId, searchId) {
      const { rows } = await sql.find_search(pool, { account_id: accountId, search_id: searchId });
      return rows[0] && recordOf<RunnableSearch>(rows[0]);
    },
    async findByKey(accountId, keyHash) {
      const { rows } = await sql.find_run_by_key(pool, { account_id: accountId, key_hash: keyHash });
      const [row] = rows;
      return row?.request_hash ? { run: runOf(row), requestHash: row.request_hash } : undefined;
    },
    async findActive(searchId) {
      const [run] = await runs.select("w.search_id = $1 AND w.state IN ('queued', 'running')", [searchId]);
      return run;
    },
    hasMostRuns: accountId => hasMostRuns(accountId),
    async hasList(accountId, listId, kind) {
      const { rowCount } = await sql.find_list_of_kind(pool, {
        account_id: accountId,
        list_id: listId,
        kind: kind === 'people' ? 'people' : 'companies',
      });
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
  const { rowCount } = await sql.find_used_key(client, {
    account_id: run.accountId,
    key_hash: run.key?.hash,
    run_id: run.runId,
  });
  return rowCount === 1;
}

export function createRunViews(pool: Pool): RunViews {
  return {
    find: createRunStore(pool).findOf,
    list: (accountId, { search_id, kind, state, cursor, limit }) =>
      withCursor(cursor, async () => {
        const [createdBefore, idBefore] = cursor === undefined ? [] : readRowCursor(cursor);
        const { rows } = await sql.list_runs(pool, {
          account_id: accountId,
          search_id,
          kind,
          state,
          created_before: createdBefore,
          id_before: idBefore,
          rows_max: limit + 1,
        });
        const shown = rows.slice(0, limit);
        const last = rows.length > limit ? shown.at(-1) : undefined;
        return { runs: shown.map(runOf), nextCursor: last && writeCursor([last.order_key, last.run_id]) };
      }),
  };
}

/** Deletes a search with its runs and results; returns undefined if the account has no such search. */
export function deleteSearch(
  pool: Pool,
  accountId: AccountId,
  searchId: DiscoverySearchId,
  kind: SearchKind,
): Promise<'deleted' | 'runActive' | undefined> {
  return inTransaction(pool, async client => {
    const values = { account_id: accountId, search_id: searchId, kind };
    if ((await sql.lock_search(client, values)).rowCount === 0) {
      return undefined;
    }
    if ((await sql.find_active_run(client, { search_id: searchId })).rowCount !== 0) {
      return 'runActive';
    }
    await sql.delete_search(client, { search_id: searchId });
    return 'deleted';
  });
}
