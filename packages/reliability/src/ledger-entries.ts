import pg from 'pg';
import type { Ground } from './ground.ts';

/** Credits that were spent, as the ledger's entries say. */
export interface Settlement {
  readonly accountId: string;
  /** On whose behalf they were held. */
  readonly runId: string;
  readonly credits: number;
}

/** The ledger's own tables, from a moment on; whoever judges asks no service. */
export interface Ledger {
  settlements(): Promise<Settlement[]>;
  /** Holds of anybody that are neither settled nor given back. */
  pendingHolds(): Promise<number>;
}

export async function readLedger({ house }: Ground): Promise<Ledger> {
  const connectionString = house.databaseUrls['ledger']?.migrationDatabaseUrl ?? '';
  async function query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString, options: '-c search_path=ledger' });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end();
    }
  }
  const [last] = await query<{ entryId: string }>(
    'SELECT coalesce(max(entry_id), 0) AS "entryId" FROM entry',
  );
  return {
    settlements: () =>
      query(
        `SELECT entry.account_id AS "accountId", run_id AS "runId",
           (-available_change - held_change)::int AS credits
         FROM entry JOIN hold USING (hold_id) WHERE kind = 'settle' AND entry_id > $1`,
        [last?.entryId],
      ),
    async pendingHolds() {
      const [counted] = await query<{ holds: number }>(
        "SELECT count(*)::int AS holds FROM hold WHERE state = 'pending'",
      );
      return counted?.holds ?? 0;
    },
  };
}
