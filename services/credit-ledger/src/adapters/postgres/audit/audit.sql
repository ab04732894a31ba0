-- What the auditor reads. It shares no statement with the ledger (ADR 0024).

-- name: newest_entries(settled_after_seconds)
-- not null: newest, settled
SELECT coalesce((SELECT max(entry_id) FROM entry), 0) AS newest, coalesce((
  SELECT entry_id FROM entry WHERE created_at < now() - $1::int * interval '1 second'
  ORDER BY entry_id DESC LIMIT 1), 0) AS settled;

-- name: accounts_after(account_id, accounts_max)
SELECT account_id FROM account WHERE account_id > $1 ORDER BY account_id LIMIT $2;

-- name: accounts_with_entries(after, until)
SELECT DISTINCT account_id FROM entry WHERE entry_id > $1 AND entry_id <= $2;

-- name: unknown_holds(after, holds_max)
-- not null: unknown
WITH portion AS (SELECT hold_id, account_id FROM hold WHERE hold_id > $1 ORDER BY hold_id LIMIT $2)
SELECT (SELECT max(hold_id) FROM portion) AS last, coalesce(jsonb_agg(jsonb_build_object(
    'accountId', portion.account_id, 'subject', portion.hold_id)) FILTER (WHERE entry.entry_id IS NULL), '[]') AS unknown
FROM portion LEFT JOIN entry ON entry.hold_id = portion.hold_id AND entry.kind = 'hold'
  AND entry.account_id = portion.account_id;

-- name: newest_run(depth?, is_sound)
SELECT finished_at, faults, unexamined, settled_until FROM audit_run
WHERE depth = coalesce($1, depth) AND (NOT $2::boolean OR faults = 0 AND unexamined = 0)
ORDER BY finished_at DESC LIMIT 1;

-- name: record_run(depth, started_at, finished_at, accounts, faults, unexamined, settled_until)
INSERT INTO audit_run (depth, started_at, finished_at, accounts, faults, unexamined, settled_until)
VALUES ($1, $2, $3, $4, $5, $6, $7);

-- name: forget_runs(finished_before)
DELETE FROM audit_run WHERE finished_at < $1;

-- The invariants: statements about the ledger that hold at every moment. Each query lists up to a hundred rows that break
-- one, enough to see. With `after` and `until`, it examines what this range of entries has touched. The rows are
-- materialized, because Postgres would plan for finding the first faults soon, and a sound ledger has none.

-- name: balance_is_sum_of_entries(account_ids)
-- not null: account_id, subject
WITH broken (account_id, subject) AS MATERIALIZED (
  SELECT account_id, account_id AS subject FROM account LEFT JOIN (
    SELECT account_id, sum(available_change) AS available, sum(held_change) AS held
    FROM entry WHERE account_id = ANY($1) GROUP BY account_id
  ) AS total USING (account_id)
  WHERE account_id = ANY($1)
    AND (account.available <> coalesce(total.available, 0) OR account.held <> coalesce(total.held, 0))
)
SELECT account_id, subject FROM broken LIMIT 100;

-- name: balance_is_that_after_last_entry(account_ids)
-- not null: account_id, subject
WITH broken (account_id, subject) AS MATERIALIZED (
  SELECT account_id, account_id AS subject FROM account LEFT JOIN LATERAL (
    SELECT available_after, held_after FROM entry
    WHERE entry.account_id = account.account_id ORDER BY entry_id DESC LIMIT 1
  ) AS last ON true
  WHERE account_id = ANY($1)
    AND (available <> coalesce(available_after, 0) OR held <> coalesce(held_after, 0))
)
SELECT account_id, subject FROM broken LIMIT 100;

-- name: entry_follows_the_one_before(account_ids, after, until)
-- not null: account_id, subject
WITH broken (account_id, subject) AS MATERIALIZED (
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
      ORDER BY entry.entry_id DESC LIMIT 1), 0)
)
SELECT account_id, subject FROM broken LIMIT 100;

-- name: held_is_sum_of_pending_holds(account_ids)
-- not null: account_id, subject
WITH broken (account_id, subject) AS MATERIALIZED (
  SELECT account_id, account_id AS subject FROM account LEFT JOIN (
    SELECT account_id, sum(amount) AS amount FROM hold
    WHERE state = 'pending' AND account_id = ANY($1) GROUP BY account_id
  ) AS pending USING (account_id)
  WHERE account_id = ANY($1) AND held <> coalesce(pending.amount, 0)
)
SELECT account_id, subject FROM broken LIMIT 100;

-- name: balance_is_sum_of_grants(account_ids)
-- not null: account_id, subject
WITH broken (account_id, subject) AS MATERIALIZED (
  SELECT account_id, account_id AS subject FROM account LEFT JOIN (
    SELECT account_id, sum(amount - held - spent - expired) AS available, sum(held) AS held
    FROM credit_grant WHERE account_id = ANY($1) GROUP BY account_id
  ) AS granted USING (account_id)
  WHERE account_id = ANY($1)
    AND (account.available <> coalesce(granted.available, 0) OR account.held <> coalesce(granted.held, 0))
)
SELECT account_id, subject FROM broken LIMIT 100;

-- name: granted_is_available_held_spent_and_expired(account_ids)
-- not null: account_id, subject
WITH broken (account_id, subject) AS MATERIALIZED (
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
      <> available + held + coalesce(spent.amount, 0) + coalesce(expired.amount, 0)
)
SELECT account_id, subject FROM broken LIMIT 100;

-- name: grant_is_available_held_spent_and_expired(account_ids)
-- not null: account_id, subject
WITH broken (account_id, subject) AS MATERIALIZED (
  SELECT account_id, grant_id AS subject FROM credit_grant
  WHERE account_id = ANY($1)
    AND (amount <> available + held + spent + expired OR least(available, held, spent, expired) < 0)
)
SELECT account_id, subject FROM broken LIMIT 100;

-- name: grant_agrees_with_its_holds(account_ids)
-- not null: account_id, subject
WITH taken AS (
  SELECT hold.account_id, part.grant_id,
    sum(part.amount) FILTER (WHERE state = 'pending') AS held,
    sum(least(part.amount, greatest(0, settled - part.ahead))) FILTER (WHERE state = 'settled') AS spent
  FROM entry AS made JOIN hold USING (hold_id) CROSS JOIN LATERAL (
    SELECT grant_ids[number] AS grant_id, grant_amounts[number] AS amount,
      coalesce((SELECT sum(one) FROM unnest(grant_amounts[1:number - 1]) AS one), 0) AS ahead
    FROM generate_subscripts(grant_ids, 1) AS number
  ) AS part
  WHERE made.account_id = ANY($1) AND made.kind = 'hold'
  GROUP BY hold.account_id, part.grant_id
), broken (account_id, subject) AS MATERIALIZED (
  SELECT account_id, grant_id AS subject
  FROM (SELECT account_id, grant_id, held, spent FROM credit_grant WHERE account_id = ANY($1)) AS granted
  FULL JOIN taken USING (account_id, grant_id)
  WHERE (granted.held, granted.spent) IS DISTINCT FROM (coalesce(taken.held, 0), coalesce(taken.spent, 0))
)
SELECT account_id, subject FROM broken LIMIT 100;

-- name: grant_has_one_entry_of_its_amount(account_ids)
-- not null: account_id, subject
WITH broken (account_id, subject) AS MATERIALIZED (
  SELECT credit_grant.account_id, credit_grant.grant_id AS subject FROM credit_grant LEFT JOIN LATERAL (
    SELECT count(*) AS entries, bool_and(entry.account_id = credit_grant.account_id
      AND available_change = credit_grant.amount AND held_change = 0) AS is_right
    FROM entry WHERE entry.grant_id = credit_grant.grant_id AND kind = 'grant'
  ) AS made ON true
  WHERE credit_grant.account_id = ANY($1) AND (entries <> 1 OR NOT is_right)
)
SELECT account_id, subject FROM broken LIMIT 100;

-- name: grant_expired_by_its_entries(account_ids)
-- not null: account_id, subject
WITH broken (account_id, subject) AS MATERIALIZED (
  SELECT account_id, grant_id AS subject
  FROM (SELECT account_id, grant_id, expired FROM credit_grant WHERE account_id = ANY($1)) AS granted
  FULL JOIN (
    SELECT account_id, grant_id, -sum(available_change) AS expired FROM entry
    WHERE account_id = ANY($1) AND kind = 'expire_credits' GROUP BY account_id, grant_id
  ) AS entered USING (account_id, grant_id)
  WHERE granted.expired IS DISTINCT FROM coalesce(entered.expired, 0)
)
SELECT account_id, subject FROM broken LIMIT 100;

-- name: hold_is_settled_within_its_amount(account_ids, after, until)
-- not null: account_id, subject
WITH touched AS (
  SELECT DISTINCT account_id AS entry_account_id, hold_id FROM entry
  WHERE account_id = ANY($1) AND entry_id > $2 AND entry_id <= $3 AND hold_id IS NOT NULL
), broken (account_id, subject) AS MATERIALIZED (
  SELECT account_id, hold_id AS subject FROM touched JOIN hold USING (hold_id)
  WHERE settled < 0 OR settled > amount OR (settled <> 0 AND state <> 'settled')
)
SELECT account_id, subject FROM broken LIMIT 100;

-- name: hold_takes_its_amount_from_grants(account_ids, after, until)
-- not null: account_id, subject
WITH touched AS (
  SELECT DISTINCT account_id AS entry_account_id, hold_id FROM entry
  WHERE account_id = ANY($1) AND entry_id > $2 AND entry_id <= $3 AND hold_id IS NOT NULL
), broken (account_id, subject) AS MATERIALIZED (
  SELECT account_id, hold_id AS subject FROM touched JOIN hold USING (hold_id)
  CROSS JOIN LATERAL (SELECT coalesce(sum(one), 0) AS amount FROM unnest(grant_amounts) AS one) AS taken
  WHERE (state = 'pending' AND taken.amount <> hold.amount) OR (state = 'settled' AND taken.amount < settled)
)
SELECT account_id, subject FROM broken LIMIT 100;

-- name: hold_is_made_once_and_resolved_once(account_ids, after, until)
-- not null: account_id, subject
WITH touched AS (
  SELECT DISTINCT account_id AS entry_account_id, hold_id FROM entry
  WHERE account_id = ANY($1) AND entry_id > $2 AND entry_id <= $3 AND hold_id IS NOT NULL
), broken (account_id, subject) AS MATERIALIZED (
  SELECT entry_account_id AS account_id, hold_id AS subject
  FROM touched LEFT JOIN hold USING (hold_id)
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
    OR resolved.entries <> (state <> 'pending')::int OR NOT resolved.is_right
)
SELECT account_id, subject FROM broken LIMIT 100;

-- name: hold_is_made_once_and_resolved_once_of_all(account_ids)
-- not null: account_id, subject
WITH broken (account_id, subject) AS MATERIALIZED (
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
      (amount - settled)::numeric, -amount::numeric))
)
SELECT account_id, subject FROM broken LIMIT 100;

-- name: refunds_are_within_what_was_settled(account_ids, after, until)
-- not null: account_id, subject
WITH touched AS (
  SELECT DISTINCT account_id AS entry_account_id, hold_id FROM entry
  WHERE account_id = ANY($1) AND entry_id > $2 AND entry_id <= $3 AND hold_id IS NOT NULL
), broken (account_id, subject) AS MATERIALIZED (
  SELECT refund.account_id, refund.run_id AS subject FROM (
    SELECT account_id, run_id, sum(amount) AS amount FROM credit_grant
    WHERE account_id = ANY($1) AND kind = 'refund' GROUP BY account_id, run_id
  ) AS refund LEFT JOIN hold USING (run_id)
  WHERE hold.hold_id IS NULL OR hold.account_id <> refund.account_id
    OR refund.amount > hold.settled OR refund.amount <> hold.refunded
  UNION ALL
  SELECT account_id, run_id FROM touched JOIN hold USING (hold_id)
  WHERE refunded <> 0 AND (refunded > settled OR NOT EXISTS (
    SELECT FROM credit_grant WHERE credit_grant.account_id = hold.account_id
      AND credit_grant.run_id = hold.run_id AND credit_grant.kind = 'refund'))
)
SELECT account_id, subject FROM broken LIMIT 100;

-- name: cycle_grants_its_credits(account_ids)
-- not null: account_id, subject
WITH broken (account_id, subject) AS MATERIALIZED (
  SELECT billing_cycle.account_id, billing_cycle.starts_at::text AS subject
  FROM billing_cycle LEFT JOIN credit_grant USING (grant_id)
  WHERE billing_cycle.account_id = ANY($1)
    AND (credits <> coalesce(amount, 0) OR credit_grant.account_id <> billing_cycle.account_id)
)
SELECT account_id, subject FROM broken LIMIT 100;

-- name: allowance_counts_its_uses(account_ids)
-- not null: account_id, subject
WITH broken (account_id, subject) AS MATERIALIZED (
  SELECT account_id, concat(allowance, ' ', cycle_starts_at) AS subject
  FROM (
    SELECT account_id, cycle_starts_at, allowance, used, allowed FROM allowance WHERE account_id = ANY($1)
  ) AS counted
  FULL JOIN (
    SELECT account_id, cycle_starts_at, allowance, count(*) AS uses FROM allowance_use
    WHERE account_id = ANY($1) AND taken AND returned_at IS NULL
    GROUP BY account_id, cycle_starts_at, allowance
  ) AS taken USING (account_id, cycle_starts_at, allowance)
  WHERE used IS DISTINCT FROM coalesce(uses, 0) OR used > allowed OR used < 0
)
SELECT account_id, subject FROM broken LIMIT 100;
