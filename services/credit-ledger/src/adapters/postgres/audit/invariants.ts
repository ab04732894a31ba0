/**
 * A statement about the ledger that holds at every moment. Its query lists what breaks it, as `account_id` and
 * `subject`; `$1` are the accounts to look at, `$2` and `$3` the range of entries.
 */
export interface Invariant {
  readonly query: string;
  /** Needs all entries of an account, so it is left to audits that look at everything. */
  readonly needsAllEntries?: true;
  /** The same for all entries of an account, where one look at each would take too long. */
  readonly queryOfAll?: string;
}

/** What a range of entries has touched, by the two indexes that know an entry by its hold. */
const touchedHolds = `
  SELECT DISTINCT account_id AS entry_account_id, hold_id FROM entry
  WHERE account_id = ANY($1) AND entry_id > $2 AND entry_id <= $3 AND hold_id IS NOT NULL`;

/** Holds of the accounts, with what each took from which grant and what of it was spent, grants in their order. */
const partsOfHolds = `
  SELECT hold.account_id, part.grant_id,
    sum(part.amount) FILTER (WHERE state = 'pending') AS held,
    sum(least(part.amount, greatest(0, settled - part.ahead))) FILTER (WHERE state = 'settled') AS spent
  FROM entry AS made JOIN hold USING (hold_id) CROSS JOIN LATERAL (
    SELECT grant_ids[number] AS grant_id, grant_amounts[number] AS amount,
      coalesce((SELECT sum(one) FROM unnest(grant_amounts[1:number - 1]) AS one), 0) AS ahead
    FROM generate_subscripts(grant_ids, 1) AS number
  ) AS part
  WHERE made.account_id = ANY($1) AND made.kind = 'hold'
  GROUP BY hold.account_id, part.grant_id`;

/** Every invariant, by the name that faults, logs and alerts carry. */
export const invariants = {
  balance_is_sum_of_entries: {
    needsAllEntries: true,
    query: `
      SELECT account_id, account_id AS subject FROM account LEFT JOIN (
        SELECT account_id, sum(available_change) AS available, sum(held_change) AS held
        FROM entry WHERE account_id = ANY($1) GROUP BY account_id
      ) AS total USING (account_id)
      WHERE account_id = ANY($1)
        AND (account.available <> coalesce(total.available, 0) OR account.held <> coalesce(total.held, 0))`,
  },
  balance_is_that_after_last_entry: {
    query: `
      SELECT account_id, account_id AS subject FROM account LEFT JOIN LATERAL (
        SELECT available_after, held_after FROM entry
        WHERE entry.account_id = account.account_id ORDER BY entry_id DESC LIMIT 1
      ) AS last ON true
      WHERE account_id = ANY($1)
        AND (available <> coalesce(available_after, 0) OR held <> coalesce(held_after, 0))`,
  },
  entry_follows_the_one_before: {
    query: `
      SELECT account_id, entry_id::text AS subject FROM (
        SELECT account_id, entry_id, available_change, held_change, available_after, held_after,
          lag(available_after) OVER each_account AS available_before, lag(held_after) OVER each_account AS held_before
        FROM entry WHERE account_id = ANY($1) AND entry_id > $2 AND entry_id <= $3
        WINDOW each_account AS (PARTITION BY account_id ORDER BY entry_id)
      ) AS chain
      WHERE available_after <> available_change + coalesce(available_before, (
          SELECT entry.available_after FROM entry
          WHERE entry.account_id = chain.account_id AND entry.entry_id < chain.entry_id
          ORDER BY entry.entry_id DESC LIMIT 1), 0)
        OR held_after <> held_change + coalesce(held_before, (
          SELECT entry.held_after FROM entry
          WHERE entry.account_id = chain.account_id AND entry.entry_id < chain.entry_id
          ORDER BY entry.entry_id DESC LIMIT 1), 0)`,
  },
  held_is_sum_of_pending_holds: {
    query: `
      SELECT account_id, account_id AS subject FROM account LEFT JOIN (
        SELECT account_id, sum(amount) AS amount FROM hold
        WHERE state = 'pending' AND account_id = ANY($1) GROUP BY account_id
      ) AS pending USING (account_id)
      WHERE account_id = ANY($1) AND held <> coalesce(pending.amount, 0)`,
  },
  balance_is_sum_of_grants: {
    query: `
      SELECT account_id, account_id AS subject FROM account LEFT JOIN (
        SELECT account_id, sum(amount - held - spent - expired) AS available, sum(held) AS held
        FROM credit_grant WHERE account_id = ANY($1) GROUP BY account_id
      ) AS granted USING (account_id)
      WHERE account_id = ANY($1)
        AND (account.available <> coalesce(granted.available, 0) OR account.held <> coalesce(granted.held, 0))`,
  },
  granted_is_available_held_spent_and_expired: {
    needsAllEntries: true,
    query: `
      SELECT account_id, account_id AS subject FROM account
      LEFT JOIN (
        SELECT account_id, sum(amount) AS amount FROM credit_grant WHERE account_id = ANY($1) GROUP BY account_id
      ) AS granted USING (account_id)
      LEFT JOIN (
        SELECT made.account_id, sum(settled) AS amount FROM entry AS made JOIN hold USING (hold_id)
        WHERE made.account_id = ANY($1) AND made.kind = 'hold' GROUP BY made.account_id
      ) AS spent USING (account_id)
      LEFT JOIN (
        SELECT account_id, -sum(available_change) AS amount FROM entry
        WHERE account_id = ANY($1) AND kind = 'expire_credits' GROUP BY account_id
      ) AS expired USING (account_id)
      WHERE account_id = ANY($1)
        AND coalesce(granted.amount, 0)
          <> available + held + coalesce(spent.amount, 0) + coalesce(expired.amount, 0)`,
  },
  grant_is_available_held_spent_and_expired: {
    query: `
      SELECT account_id, grant_id AS subject FROM credit_grant
      WHERE account_id = ANY($1)
        AND (amount <> available + held + spent + expired OR least(available, held, spent, expired) < 0)`,
  },
  grant_agrees_with_its_holds: {
    needsAllEntries: true,
    query: `
      SELECT account_id, grant_id AS subject
      FROM (SELECT account_id, grant_id, held, spent FROM credit_grant WHERE account_id = ANY($1)) AS granted
      FULL JOIN (${partsOfHolds}) AS taken USING (account_id, grant_id)
      WHERE (granted.held, granted.spent) IS DISTINCT FROM (coalesce(taken.held, 0), coalesce(taken.spent, 0))`,
  },
  grant_has_one_entry_of_its_amount: {
    query: `
      SELECT credit_grant.account_id, credit_grant.grant_id AS subject FROM credit_grant LEFT JOIN LATERAL (
        SELECT count(*) AS entries, bool_and(entry.account_id = credit_grant.account_id
          AND available_change = credit_grant.amount AND held_change = 0) AS is_right
        FROM entry WHERE entry.grant_id = credit_grant.grant_id AND kind = 'grant'
      ) AS made ON true
      WHERE credit_grant.account_id = ANY($1) AND (entries <> 1 OR NOT is_right)`,
  },
  grant_expired_by_its_entries: {
    needsAllEntries: true,
    query: `
      SELECT account_id, grant_id AS subject
      FROM (SELECT account_id, grant_id, expired FROM credit_grant WHERE account_id = ANY($1)) AS granted
      FULL JOIN (
        SELECT account_id, grant_id, -sum(available_change) AS expired FROM entry
        WHERE account_id = ANY($1) AND kind = 'expire_credits' GROUP BY account_id, grant_id
      ) AS entered USING (account_id, grant_id)
      WHERE granted.expired IS DISTINCT FROM coalesce(entered.expired, 0)`,
  },
  hold_is_settled_within_its_amount: {
    query: `
      SELECT account_id, hold_id AS subject FROM (${touchedHolds}) AS touched JOIN hold USING (hold_id)
      WHERE settled < 0 OR settled > amount OR (settled <> 0 AND state <> 'settled')`,
  },
  hold_takes_its_amount_from_grants: {
    query: `
      SELECT account_id, hold_id AS subject FROM (${touchedHolds}) AS touched JOIN hold USING (hold_id)
      CROSS JOIN LATERAL (SELECT coalesce(sum(one), 0) AS amount FROM unnest(grant_amounts) AS one) AS taken
      WHERE (state = 'pending' AND taken.amount <> hold.amount) OR (state = 'settled' AND taken.amount < settled)`,
  },
  hold_is_made_once_and_resolved_once: {
    queryOfAll: `
      SELECT entered.account_id, hold_id AS subject FROM (
        SELECT account_id, hold_id,
          count(*) FILTER (WHERE kind = 'hold') AS made,
          sum(available_change) FILTER (WHERE kind = 'hold') AS made_available,
          sum(held_change) FILTER (WHERE kind = 'hold') AS made_held,
          count(*) FILTER (WHERE kind <> 'hold') AS resolved,
          min(kind) FILTER (WHERE kind <> 'hold') AS resolved_as,
          sum(available_change) FILTER (WHERE kind <> 'hold') AS resolved_available,
          sum(held_change) FILTER (WHERE kind <> 'hold') AS resolved_held
        FROM entry WHERE account_id = ANY($1) AND hold_id IS NOT NULL GROUP BY account_id, hold_id
      ) AS entered LEFT JOIN hold USING (hold_id)
      WHERE hold.account_id IS DISTINCT FROM entered.account_id
        OR (made, made_available, made_held) IS DISTINCT FROM (1::bigint, -amount::numeric, amount::numeric)
        OR (state = 'pending' AND resolved <> 0)
        OR (state <> 'pending' AND (resolved, resolved_as, resolved_available, resolved_held) IS DISTINCT FROM (
          1::bigint, CASE state WHEN 'settled' THEN 'settle' WHEN 'released' THEN 'release' ELSE 'expire' END,
          (amount - settled)::numeric, -amount::numeric))`,
    query: `
      SELECT entry_account_id AS account_id, hold_id AS subject
      FROM (${touchedHolds}) AS touched LEFT JOIN hold USING (hold_id)
      LEFT JOIN LATERAL (
        SELECT count(*) AS entries, bool_and(account_id = hold.account_id
          AND available_change = -amount AND held_change = amount) AS is_right
        FROM entry WHERE hold_id = touched.hold_id AND kind = 'hold'
      ) AS made ON true
      LEFT JOIN LATERAL (
        SELECT count(*) AS entries, bool_and(account_id = hold.account_id AND held_change = -amount
          AND available_change = amount - settled
          AND state = CASE kind WHEN 'settle' THEN 'settled' WHEN 'release' THEN 'released' ELSE 'expired' END
        ) AS is_right
        FROM entry WHERE hold_id = touched.hold_id AND kind IN ('settle', 'release', 'expire')
      ) AS resolved ON true
      WHERE hold.hold_id IS NULL OR entry_account_id <> hold.account_id
        OR made.entries <> 1 OR NOT made.is_right
        OR resolved.entries <> (state <> 'pending')::int OR NOT resolved.is_right`,
  },
  refunds_are_within_what_was_settled: {
    query: `
      SELECT refund.account_id, refund.run_id AS subject FROM (
        SELECT account_id, run_id, sum(amount) AS amount FROM credit_grant
        WHERE account_id = ANY($1) AND kind = 'refund' GROUP BY account_id, run_id
      ) AS refund LEFT JOIN hold USING (run_id)
      WHERE hold.hold_id IS NULL OR hold.account_id <> refund.account_id
        OR refund.amount > hold.settled OR refund.amount <> hold.refunded
      UNION ALL
      SELECT account_id, run_id FROM (${touchedHolds}) AS touched JOIN hold USING (hold_id)
      WHERE refunded <> 0 AND (refunded > settled OR NOT EXISTS (
        SELECT FROM credit_grant WHERE credit_grant.account_id = hold.account_id
          AND credit_grant.run_id = hold.run_id AND credit_grant.kind = 'refund'))`,
  },
  cycle_grants_its_credits: {
    query: `
      SELECT billing_cycle.account_id, billing_cycle.starts_at::text AS subject
      FROM billing_cycle LEFT JOIN credit_grant USING (grant_id)
      WHERE billing_cycle.account_id = ANY($1)
        AND (credits <> coalesce(amount, 0) OR credit_grant.account_id <> billing_cycle.account_id)`,
  },
  allowance_counts_its_uses: {
    query: `
      SELECT account_id, concat(allowance, ' ', cycle_starts_at) AS subject
      FROM (
        SELECT account_id, cycle_starts_at, allowance, used, allowed FROM allowance WHERE account_id = ANY($1)
      ) AS counted
      FULL JOIN (
        SELECT account_id, cycle_starts_at, allowance, count(*) AS uses FROM allowance_use
        WHERE account_id = ANY($1) AND taken AND returned_at IS NULL
        GROUP BY account_id, cycle_starts_at, allowance
      ) AS taken USING (account_id, cycle_starts_at, allowance)
      WHERE used IS DISTINCT FROM coalesce(uses, 0) OR used > allowed OR used < 0`,
  },
} as const satisfies Readonly<Record<string, Invariant>>;

export type InvariantName = keyof typeof invariants | 'hold_is_known_to_an_entry';

/** `$1` is the hold behind which to begin, `$2` how many to look at. */
export const unknownHolds = `
  WITH portion AS (SELECT hold_id, account_id FROM hold WHERE hold_id > $1 ORDER BY hold_id LIMIT $2)
  SELECT (SELECT max(hold_id) FROM portion) AS last, coalesce(jsonb_agg(jsonb_build_object(
      'accountId', portion.account_id, 'subject', portion.hold_id)) FILTER (WHERE entry.entry_id IS NULL), '[]') AS unknown
  FROM portion LEFT JOIN entry ON entry.hold_id = portion.hold_id AND entry.kind = 'hold'
    AND entry.account_id = portion.account_id`;
