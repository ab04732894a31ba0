import { answerMsFor } from '@mailproof/service-kit';
import type { AccountId } from '@mailproof/shared-types';
import type { Pool, PoolClient, QueryConfig } from 'pg';
import type { AuditPort, EntryRange, Fault } from '../../../domain/audit/audit.ts';
import { type Invariant, type InvariantName, invariants, unknownHolds } from './invariants.ts';

const all: readonly (readonly [string, Invariant])[] = Object.entries(invariants);

/** Faults that one invariant may name in one transaction; whoever sees a hundred need not see more. */
const faultsAtOnceMax = 100;

/**
 * Longer than any statement of the service may run, so that an entry that is older by the database's clock is
 * committed or never will be.
 */
const settledAfterSeconds = 60;

/** Postgres's code of a statement that was cancelled, here by its time-out. */
const cancelled = '57014';

/** Reads the ledger's tables as they are. Nothing here is shared with the store, and nothing writes. */
export function createAuditor(pool: Pool, statementTimeoutMs: number): AuditPort {
  return {
    async newestEntries() {
      const { rows } = await pool.query<{ newest: string; settled: string }>(`
        SELECT coalesce((SELECT max(entry_id) FROM entry), 0) AS newest, coalesce((
          SELECT entry_id FROM entry WHERE created_at < now() - interval '${settledAfterSeconds} seconds'
          ORDER BY entry_id DESC LIMIT 1), 0) AS settled`);
      return { newest: Number(rows[0]?.newest), settled: Number(rows[0]?.settled) };
    },

    async accountsBehind(accountId, countMax) {
      const { rows } = await pool.query<{ account_id: AccountId }>(
        'SELECT account_id FROM account WHERE account_id > $1 ORDER BY account_id LIMIT $2',
        [accountId, countMax],
      );
      return rows.map(row => row.account_id);
    },

    async accountsWithEntries({ after, until }) {
      const { rows } = await pool.query<{ account_id: AccountId }>(
        'SELECT DISTINCT account_id FROM entry WHERE entry_id > $1 AND entry_id <= $2',
        [after, until],
      );
      return rows.map(row => row.account_id);
    },

    faultsOf: (accountIds, range) =>
      atOneMoment(pool, statementTimeoutMs, client =>
        examine(client, accountIds, range, answerMsFor(statementTimeoutMs)),
      ),

    async unknownHoldsBehind(holdId, countMax) {
      const { rows } = await pool.query<{ last: string | null; unknown: Omit<Fault, 'invariant'>[] }>(
        unknownHolds,
        [holdId, countMax],
      );
      const invariant: InvariantName = 'hold_is_known_to_an_entry';
      const faults = (rows[0]?.unknown ?? []).map(fault => ({ invariant, ...fault }));
      return { faults, last: rows[0]?.last ?? undefined };
    },
  };
}

async function examine(
  client: PoolClient,
  accountIds: readonly AccountId[],
  { after, until }: EntryRange,
  answerMsMax: number,
): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const [invariant, { query: queryOfRange, queryOfAll, needsAllEntries }] of all) {
    if (after > 0 && needsAllEntries) {
      continue;
    }
    const query = after > 0 ? queryOfRange : (queryOfAll ?? queryOfRange);
    const takesRange = query.includes('$2');
    const patient: QueryConfig & { readonly query_timeout: number } = {
      // Materialised, because Postgres would plan for finding the first faults soon, and a sound ledger has none.
      text: `WITH broken (account_id, subject) AS MATERIALIZED (${query})
       SELECT account_id, subject FROM broken LIMIT ${faultsAtOnceMax}`,
      values: takesRange ? [accountIds, after, until] : [accountIds],
      query_timeout: answerMsMax,
    };
    const { rows } = await client.query<{ account_id: AccountId; subject: string }>(patient);
    faults.push(...rows.map(row => ({ invariant, accountId: row.account_id, subject: row.subject })));
  }
  return faults;
}

/** One snapshot for all that is compared, read-only, and each statement bounded. Answers nothing after a time-out. */
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
    // A connection that cannot even roll back is of no more use.
    await client.query('ROLLBACK').then(
      () => client.release(),
      () => client.release(true),
    );
  }
}
