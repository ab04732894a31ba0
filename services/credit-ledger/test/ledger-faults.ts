import type { Pool } from 'pg';

/** Each query lists rows that break an invariant of the ledger, told by the entries alone or against the balances. */
const invariants: Readonly<Record<string, string>> = {
  'the balance is the sum of the entries': `
    SELECT account_id FROM account LEFT JOIN (
      SELECT account_id, sum(available_change) AS available, sum(held_change) AS held FROM entry GROUP BY account_id
    ) AS total USING (account_id)
    WHERE account.available <> coalesce(total.available, 0) OR account.held <> coalesce(total.held, 0)`,
  'what is held is the sum of the pending holds': `
    SELECT account_id FROM account LEFT JOIN (
      SELECT account_id, sum(amount) AS amount FROM hold WHERE state = 'pending' GROUP BY account_id
    ) AS pending USING (account_id)
    WHERE account.held <> coalesce(pending.amount, 0)`,
  'grants are available, held or spent': `
    SELECT account_id FROM account
    WHERE available + held
      + coalesce((SELECT sum(settled) FROM hold WHERE hold.account_id = account.account_id), 0)
      <> coalesce((SELECT sum(amount) FROM credit_grant WHERE credit_grant.account_id = account.account_id), 0)`,
  'each resolved hold has one entry that resolves it': `
    SELECT hold_id FROM hold WHERE state <> 'pending'
      AND (SELECT count(*) FROM entry WHERE entry.hold_id = hold.hold_id AND kind <> 'hold') <> 1`,
  'the balance after an entry is the one before it and the change': `
    SELECT entry_id FROM (
      SELECT *, lag(available_after, 1, 0::bigint) OVER each_account AS available_before,
        lag(held_after, 1, 0::bigint) OVER each_account AS held_before
      FROM entry WINDOW each_account AS (PARTITION BY account_id ORDER BY entry_id)
    ) AS chain
    WHERE available_after <> available_before + available_change OR held_after <> held_before + held_change`,
};

/** Examines the whole ledger and names every invariant that does not hold. */
export async function faultsOfLedger(pool: Pool): Promise<string[]> {
  const faults: string[] = [];
  for (const [name, query] of Object.entries(invariants)) {
    const { rowCount } = await pool.query(query);
    if (rowCount) {
      faults.push(`${name}: ${rowCount} rows break it`);
    }
  }
  return faults;
}
