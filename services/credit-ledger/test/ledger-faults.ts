import type { Pool } from 'pg';

/** Each query lists rows that break an invariant of the ledger, told by the entries alone or against the balances. */
export const invariants: Readonly<Record<string, string>> = {
  'the balance is the sum of the entries': `
    SELECT account_id FROM account LEFT JOIN (
      SELECT account_id, sum(available_change) AS available, sum(held_change) AS held FROM entry GROUP BY account_id
    ) AS total USING (account_id)
    WHERE account.available <> coalesce(total.available, 0) OR account.held <> coalesce(total.held, 0)`,
  'the balance is the sum of the grants': `
    SELECT account_id FROM account LEFT JOIN (
      SELECT account_id, sum(available) AS available, sum(held) AS held FROM credit_grant GROUP BY account_id
    ) AS total USING (account_id)
    WHERE account.available <> coalesce(total.available, 0) OR account.held <> coalesce(total.held, 0)`,
  'what is held is the sum of the pending holds': `
    SELECT account_id FROM account LEFT JOIN (
      SELECT account_id, sum(amount) AS amount FROM hold WHERE state = 'pending' GROUP BY account_id
    ) AS pending USING (account_id)
    WHERE account.held <> coalesce(pending.amount, 0)`,
  'grants are available, held, spent or expired': `
    SELECT account_id FROM account
    LEFT JOIN (
      SELECT account_id, sum(amount) AS granted FROM credit_grant GROUP BY account_id
    ) AS given USING (account_id)
    LEFT JOIN (SELECT account_id, sum(settled) AS spent FROM hold GROUP BY account_id) AS spending USING (account_id)
    LEFT JOIN (
      SELECT account_id, -sum(available_change) AS expired FROM entry WHERE kind = 'expire_credits' GROUP BY account_id
    ) AS expiry USING (account_id)
    WHERE available + held + coalesce(spent, 0) + coalesce(expired, 0) <> coalesce(granted, 0)`,
  'what each grant has held and spent is what holds took from it, those that expire first at the front': `
    WITH part AS (
      SELECT grant_id, hold.state, part.amount,
        greatest(0, least(part.amount, settled - (
          sum(part.amount) OVER (PARTITION BY hold_id ORDER BY place) - part.amount
        ))) AS spent
      FROM hold, unnest(grant_ids, grant_amounts) WITH ORDINALITY AS part (grant_id, amount, place)
    ), total AS (
      SELECT grant_id, coalesce(sum(amount) FILTER (WHERE state = 'pending'), 0) AS held, sum(spent) AS spent
      FROM part GROUP BY grant_id
    )
    SELECT grant_id FROM credit_grant FULL JOIN total USING (grant_id)
    WHERE credit_grant.held IS DISTINCT FROM coalesce(total.held, 0)
      OR credit_grant.spent IS DISTINCT FROM coalesce(total.spent, 0)`,
  'what each grant has expired is what its entries say': `
    SELECT grant_id FROM credit_grant LEFT JOIN (
      SELECT grant_id, -sum(available_change) AS expired FROM entry WHERE kind = 'expire_credits' GROUP BY grant_id
    ) AS total USING (grant_id)
    WHERE credit_grant.expired <> coalesce(total.expired, 0)`,
  'each grant has one entry that grants its amount': `
    SELECT grant_id FROM credit_grant
    WHERE (
      SELECT count(*) FILTER (WHERE entry.available_change = credit_grant.amount) * 1000 + count(*)
      FROM entry WHERE entry.grant_id = credit_grant.grant_id AND entry.kind = 'grant'
    ) <> 1001`,
  'what a hold took from grants is its amount': `
    SELECT hold_id FROM hold
    WHERE state = 'pending' AND amount <> (SELECT coalesce(sum(part), 0) FROM unnest(grant_amounts) AS part)`,
  'each hold has one entry that makes it': `
    SELECT hold_id FROM hold
    WHERE (SELECT count(*) FROM entry WHERE entry.hold_id = hold.hold_id AND kind = 'hold' AND held_change = amount) <> 1`,
  'each resolved hold has one entry that resolves it, as it was resolved': `
    SELECT hold_id FROM hold LEFT JOIN (
      SELECT hold_id, count(*) AS entries, min(kind) AS kind, sum(available_change) AS returned, sum(held_change) AS held
      FROM entry WHERE kind IN ('settle', 'release', 'expire') GROUP BY hold_id
    ) AS resolution USING (hold_id)
    WHERE CASE state WHEN 'pending' THEN entries IS NOT NULL ELSE
      (entries, kind, returned, resolution.held) IS DISTINCT FROM (
        1::bigint, CASE state WHEN 'settled' THEN 'settle' WHEN 'released' THEN 'release' ELSE 'expire' END,
        (amount - settled)::numeric, (-amount)::numeric
      ) END`,
  'entries and holds belong to the account of what they are about': `
    SELECT entry_id::text FROM entry
    LEFT JOIN hold ON hold.hold_id = entry.hold_id
    LEFT JOIN credit_grant ON credit_grant.grant_id = entry.grant_id
    WHERE coalesce(hold.account_id, credit_grant.account_id) IS DISTINCT FROM entry.account_id
    UNION ALL SELECT hold_id FROM hold WHERE NOT EXISTS (SELECT FROM account WHERE account.account_id = hold.account_id)`,
  'nothing settles more than its hold': `
    SELECT hold_id FROM hold WHERE settled > amount OR (settled > 0 AND state <> 'settled')`,
  'the refunds of a run are at most what it spent, and are what its hold counts': `
    SELECT hold_id FROM hold LEFT JOIN (
      SELECT run_id, account_id, sum(amount) AS refunded FROM credit_grant WHERE kind = 'refund' GROUP BY run_id, account_id
    ) AS total USING (run_id, account_id)
    WHERE hold.refunded <> coalesce(total.refunded, 0) OR hold.refunded > settled`,
  'the balance after an entry is the one before it and the change': `
    SELECT entry_id FROM (
      SELECT *, lag(available_after, 1, 0::bigint) OVER each_account AS available_before,
        lag(held_after, 1, 0::bigint) OVER each_account AS held_before
      FROM entry WINDOW each_account AS (PARTITION BY account_id ORDER BY entry_id)
    ) AS chain
    WHERE available_after <> available_before + available_change OR held_after <> held_before + held_change`,
  'what an allowance has used is what its uses took and did not return': `
    SELECT account_id FROM allowance LEFT JOIN (
      SELECT account_id, cycle_starts_at, allowance, count(*) AS used FROM allowance_use
      WHERE taken AND returned_at IS NULL GROUP BY account_id, cycle_starts_at, allowance
    ) AS total USING (account_id, cycle_starts_at, allowance)
    WHERE allowance.used <> coalesce(total.used, 0)`,
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
