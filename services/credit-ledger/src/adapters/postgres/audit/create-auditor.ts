import { answerMsFor, onlyRow } from '@mailproof/service-kit';
import type { AccountId } from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import type { AuditPort, EntryRange, Fault } from '../../../domain/audit/audit.ts';
import type { AuditRuns, PastRun } from '../../../domain/audit/audit-when-due.ts';
import { sql } from './audit.sql.ts';

const {
  newest_entries: newestEntries,
  accounts_after: accountsAfter,
  accounts_with_entries: accountsWithEntries,
  unknown_holds: unknownHolds,
  newest_run: newestRun,
  record_run: recordRun,
  forget_runs: forgetRuns,
  hold_is_made_once_and_resolved_once_of_all: holdsOfAllEntries,
  ...queries
} = sql;

/** The query of each invariant, by the name that faults, logs and alerts use. */
export const invariants = queries;

/** Checked only by full audits. */
const needAllEntries = new Set<InvariantName>([
  'balance_is_sum_of_entries',
  'granted_is_available_held_spent_and_expired',
  'grant_agrees_with_its_holds',
  'grant_expired_by_its_entries',
]);

export type InvariantName = keyof typeof invariants | 'hold_is_known_to_an_entry';

/**
 * Longer than any statement of the service may run, so an entry older than this by the database's clock is committed or
 * never will be.
 */
const settledAfterSeconds = 60;

/** Postgres's error code for a canceled statement, here due to its timeout. */
const cancelled = '57014';

/** Reads the ledger's tables directly. Shares no code with the store, and writes nothing. */
export function createAuditor(pool: Pool, statementTimeoutMs: number): AuditPort {
  return {
    async newestEntries() {
      const { newest, settled } = await onlyRow(
        newestEntries(pool, { settled_after_seconds: settledAfterSeconds }),
      );
      return { newest: Number(newest), settled: Number(settled) };
    },

    async accountsBehind(accountId, countMax) {
      const { rows } = await accountsAfter(pool, { account_id: accountId, accounts_max: countMax });
      return rows.map(row => row.account_id as AccountId);
    },

    async accountsWithEntries({ after, until }) {
      const { rows } = await accountsWithEntries(pool, { after, until });
      return rows.map(row => row.account_id as AccountId);
    },

    faultsOf: (accountIds, range) =>
      atOneMoment(pool, statementTimeoutMs, client =>
        examine(client, { account_ids: accountIds, ...range }, answerMsFor(statementTimeoutMs)),
      ),

    async unknownHoldsBehind(holdId, countMax) {
      const row = await onlyRow(unknownHolds(pool, { after: holdId, holds_max: countMax }));
      const invariant: InvariantName = 'hold_is_known_to_an_entry';
      const unknown = row.unknown as Omit<Fault, 'invariant'>[];
      return { faults: unknown.map(fault => ({ invariant, ...fault })), last: row.last ?? undefined };
    },
  };
}

async function examine(
  client: PoolClient,
  examined: { readonly account_ids: readonly AccountId[] } & EntryRange,
  answerMsMax: number,
): Promise<Fault[]> {
  const isRecent = examined.after > 0;
  // A full audit compares all holds of an account with all entries at once: one lookup per hold would take too long.
  const ofThisDepth = isRecent
    ? queries
    : { ...queries, hold_is_made_once_and_resolved_once: holdsOfAllEntries };
  const faults: Fault[] = [];
  for (const [name, query] of Object.entries(ofThisDepth)) {
    const invariant = name as InvariantName;
    if (isRecent && needAllEntries.has(invariant)) {
      continue;
    }
    const { rows } = await query(client, examined, answerMsMax);
    faults.push(
      ...rows.map(row => ({ invariant, accountId: row.account_id as AccountId, subject: row.subject })),
    );
  }
  return faults;
}

/** Runs `work` on one read-only snapshot, with a timeout for each statement. Returns undefined after a timeout. */
async function atOneMoment<Result>(
  pool: Pool,
  statementTimeoutMs: number,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result | undefined> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await client.query(`SET LOCAL statement_timeout = ${statementTimeoutMs}`);
    return await work(client);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === cancelled) {
      return undefined;
    }
    throw error;
  } finally {
    // A connection that cannot even roll back is discarded.
    await client.query('ROLLBACK').then(
      () => client.release(),
      () => client.release(true),
    );
  }
}

/** An arbitrary number that no other lock of this database uses: the first letters of "audit" in ASCII. */
const lockKey = 0x61756469;

const keepRunsDays = 90;

const dayMs = 86_400_000;

/** Past audits on Postgres. Replicas take turns through an advisory lock, which always ends with its connection. */
export function createAuditRuns(pool: Pool): AuditRuns {
  async function newest(among: { depth?: 'full'; is_sound: boolean }): Promise<PastRun | undefined> {
    const [run] = (await newestRun(pool, among)).rows;
    if (!run) {
      return undefined;
    }
    return {
      finishedAt: run.finished_at,
      faultsTotal: Number(run.faults),
      unexaminedTotal: Number(run.unexamined),
      settledUntil: Number(run.settled_until),
    };
  }

  return {
    async past() {
      const [last, lastFull, lastClean] = await Promise.all([
        newest({ is_sound: false }),
        newest({ depth: 'full', is_sound: false }),
        newest({ is_sound: true }),
      ]);
      return { last, lastFull, lastClean };
    },

    async record({ depth, accounts, faultsTotal, unexamined, settledUntil }, startedAt, finishedAt) {
      await recordRun(pool, {
        depth,
        started_at: startedAt,
        finished_at: finishedAt,
        accounts,
        faults: faultsTotal,
        unexamined: unexamined.length,
        settled_until: settledUntil,
      });
      const keptSince = new Date(finishedAt.getTime() - keepRunsDays * dayMs);
      await forgetRuns(pool, { finished_before: keptSince });
    },

    async inTurn(work) {
      const client = await pool.connect();
      let isSound = false;
      try {
        const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [
          lockKey,
        ]);
        if (!rows[0]?.taken) {
          isSound = true;
          return undefined;
        }
        try {
          return await work();
        } finally {
          await client.query('SELECT pg_advisory_unlock($1)', [lockKey]);
          isSound = true;
        }
      } finally {
        // Closing the connection releases a lock that could not be unlocked.
        client.release(!isSound);
      }
    },
  };
}
