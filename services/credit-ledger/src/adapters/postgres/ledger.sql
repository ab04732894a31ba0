-- What the ledger promises, and what it reads with more than one condition (ADR 0065).

-- The functions of the migrations (ADR 0020). `now` moves time in tests; without it the clock of the database decides, so
-- that replicas agree. `answered_at` is the moment of the answer by the same clock.

-- name: grant_credits_v1(grant_id, account_id, kind, amount, expires_at?, cause, request_id?, now?)
-- prepared
-- not null: outcome, available, held
SELECT * FROM grant_credits_v1($1, $2, $3, $4, $5, $6, $7, $8);

-- name: open_billing_cycle_v1(account_id, starts_at, ends_at, credits, allowances, grant_id, cause, request_id?, now?)
-- prepared
-- not null: outcome, available, held
SELECT * FROM open_billing_cycle_v1($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- name: refund_credits_v1(refund_id, grant_id, account_id, run_id, amount, valid_days, cause, request_id?, now?)
-- prepared
-- not null: outcome, available, held
SELECT * FROM refund_credits_v1($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- name: create_holds_v1(hold_ids, account_ids, run_ids, amounts, causes, request_ids, expires_in_ms, now?)
-- prepared
-- not null: outcome, hold_id, account_id, run_id, amount, cause, state, settled, expires_at, available, answered_at
SELECT *, coalesce($8, clock_timestamp()) AS answered_at FROM create_holds_v1($1, $2, $3, $4, $5, $6, $7, $8);

-- name: renew_hold_v1(hold_id, expires_in_ms, now?)
-- prepared
-- not null: outcome, hold_id, account_id, run_id, amount, cause, state, settled, expires_at, available, answered_at
SELECT *, coalesce($3, clock_timestamp()) AS answered_at FROM renew_hold_v1($1, $2, $3);

-- name: settle_hold_v1(hold_id, delivered, now?)
-- prepared
-- not null: outcome, hold_id, account_id, run_id, amount, cause, state, settled, expires_at, available, answered_at
SELECT *, coalesce($3, clock_timestamp()) AS answered_at FROM settle_hold_v1($1, $2, $3);

-- name: release_hold_v1(hold_id, now?)
-- prepared
-- not null: outcome, hold_id, account_id, run_id, amount, cause, state, settled, expires_at, available, answered_at
SELECT *, coalesce($2, clock_timestamp()) AS answered_at FROM release_hold_v1($1, $2);

-- name: expire_hold_v1(account_id?, now?)
-- prepared
-- not null: outcome, hold_id, account_id, run_id, amount, cause, state, settled, expires_at, available, answered_at
SELECT *, coalesce($2, clock_timestamp()) AS answered_at FROM expire_hold_v1($1, $2);

-- name: expire_credits_v1(account_id?, now?)
-- prepared
-- not null: credits
SELECT * FROM expire_credits_v1($1, $2);

-- name: take_allowance_v1(use_id, account_id, allowance, cause, request_id?, now?)
-- prepared
-- not null: outcome, taken, remaining
SELECT * FROM take_allowance_v1($1, $2, $3, $4, $5, $6);

-- name: return_allowance_v1(use_id, now?)
-- prepared
-- not null: outcome, taken, remaining
SELECT * FROM return_allowance_v1($1, $2);

-- name: close_account_v1(account_id)
-- not null: expired
-- The credits of a deleted account expire.
SELECT close_account_v1($1, NULL) AS expired;

-- name: credit_threshold(account_id)
SELECT low_below FROM account WHERE account_id = $1;

-- name: set_credit_threshold(account_id, low_below?)
INSERT INTO account (account_id, low_below) VALUES ($1, $2)
ON CONFLICT (account_id) DO UPDATE SET low_below = $2;

-- name: clear_credit_threshold(account_id)
UPDATE account SET low_below = NULL WHERE account_id = $1;

-- name: forget_events(account_id)
DELETE FROM event WHERE account_id = $1;

-- name: balance(account_id, now?)
-- prepared
-- not null: available
-- Expired credits are not available, even if no sweep has run.
SELECT account.held, account.available - coalesce((
  SELECT sum(credit_grant.available) FROM credit_grant
  WHERE credit_grant.account_id = account.account_id AND open AND expires_at <= coalesce($2, now())
), 0) AS available
FROM account WHERE account_id = $1;

-- name: grants_in_use(account_id, now?, rows_max)
-- not null: available, expired
-- Expired credits count as expired, even if no sweep has run.
SELECT grant_id, kind, amount, held, spent, cause, created_at, expires_at,
  available - due AS available, expired + due AS expired
FROM credit_grant, LATERAL (
  SELECT CASE WHEN expires_at <= coalesce($2, now()) THEN available ELSE 0 END AS due
) AS by_now
WHERE account_id = $1 AND open AND (held > 0 OR available > due)
ORDER BY expires_at, created_at, grant_id LIMIT $3;

-- name: allowances_of_cycle(account_id, now?)
WITH cycle AS (
  SELECT account_id, starts_at, ends_at FROM billing_cycle
  WHERE account_id = $1 AND starts_at <= coalesce($2, now()) AND ends_at > coalesce($2, now())
  ORDER BY starts_at DESC LIMIT 1
)
SELECT allowance, allowed, used, starts_at, ends_at
FROM cycle JOIN allowance ON allowance.account_id = cycle.account_id AND cycle_starts_at = starts_at
ORDER BY allowance;

-- Pages of entries, newest first. An account has fewer entries than the biggest number, so without `below` a page begins
-- at the newest. An entry that expires credits has no run and no request, though its grant may have had both. The kinds
-- are no parameter: from the words, the planner knows the index that has the entries of grants alone.

-- name: entries(account_id, from?, until?, below?, rows_max)
-- not null: entry_id, kind, cause, available_change, held_change, available_after, held_after, created_at
SELECT entry.*, credit_grant.refund_id,
  coalesce(hold.run_id, credit_grant.run_id) AS run_id,
  coalesce(hold.request_id, credit_grant.request_id) AS request_id
FROM entry
LEFT JOIN hold ON hold.hold_id = entry.hold_id
LEFT JOIN credit_grant ON credit_grant.grant_id = entry.grant_id AND entry.kind = 'grant'
WHERE entry.account_id = $1 AND entry.entry_id < coalesce($4::bigint, 9223372036854775807)
  AND entry.created_at >= coalesce($2::timestamptz, '-infinity')
  AND entry.created_at < coalesce($3::timestamptz, 'infinity')
ORDER BY entry.entry_id DESC LIMIT $5;

-- name: entries_of_spending(account_id, from?, until?, below?, rows_max)
-- not null: entry_id, kind, cause, available_change, held_change, available_after, held_after, created_at
SELECT entry.*, credit_grant.refund_id,
  coalesce(hold.run_id, credit_grant.run_id) AS run_id,
  coalesce(hold.request_id, credit_grant.request_id) AS request_id
FROM entry
LEFT JOIN hold ON hold.hold_id = entry.hold_id
LEFT JOIN credit_grant ON credit_grant.grant_id = entry.grant_id AND entry.kind = 'grant'
WHERE entry.kind IN ('hold', 'settle', 'release', 'expire') AND entry.account_id = $1 AND entry.entry_id < coalesce($4::bigint, 9223372036854775807)
  AND entry.created_at >= coalesce($2::timestamptz, '-infinity')
  AND entry.created_at < coalesce($3::timestamptz, 'infinity')
ORDER BY entry.entry_id DESC LIMIT $5;

-- name: entries_of_grants(account_id, from?, until?, below?, rows_max)
-- not null: entry_id, kind, cause, available_change, held_change, available_after, held_after, created_at
SELECT entry.*, credit_grant.refund_id,
  coalesce(hold.run_id, credit_grant.run_id) AS run_id,
  coalesce(hold.request_id, credit_grant.request_id) AS request_id
FROM entry
LEFT JOIN hold ON hold.hold_id = entry.hold_id
LEFT JOIN credit_grant ON credit_grant.grant_id = entry.grant_id AND entry.kind = 'grant'
WHERE entry.kind IN ('grant', 'expire_credits') AND entry.account_id = $1 AND entry.entry_id < coalesce($4::bigint, 9223372036854775807)
  AND entry.created_at >= coalesce($2::timestamptz, '-infinity')
  AND entry.created_at < coalesce($3::timestamptz, 'infinity')
ORDER BY entry.entry_id DESC LIMIT $5;

-- name: receipt(account_id, run_id)
SELECT run_id AS "runId", hold_id AS "holdId", cause, request_id AS "requestId", state, amount, settled, refunded,
  created_at AS "createdAt", resolved_at AS "resolvedAt"
FROM hold WHERE account_id = $1 AND run_id = $2;

-- name: receipts(account_id, from?, until?, below?, rows_max)
SELECT entry.entry_id, hold.run_id AS "runId", hold.hold_id AS "holdId", hold.cause, hold.request_id AS "requestId",
  hold.state, hold.amount, hold.settled, hold.refunded, hold.created_at AS "createdAt", hold.resolved_at AS "resolvedAt"
FROM entry JOIN hold ON hold.hold_id = entry.hold_id
WHERE entry.kind = 'hold' AND entry.account_id = $1 AND entry.entry_id < coalesce($4::bigint, 9223372036854775807)
  AND entry.created_at >= coalesce($2::timestamptz, '-infinity')
  AND entry.created_at < coalesce($3::timestamptz, 'infinity')
ORDER BY entry.entry_id DESC LIMIT $5;

-- name: usage_by_day(account_id, from_day, until_day)
-- not null: day, spent
-- The index `entry_spending` has all that is read.
SELECT to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, cause,
  sum(-available_change - held_change) AS spent
FROM entry
WHERE account_id = $1 AND kind = 'settle' AND created_at >= $2::date AT TIME ZONE 'UTC'
  AND created_at < ($3::date + 1) AT TIME ZONE 'UTC'
GROUP BY 1, 2 HAVING sum(-available_change - held_change) > 0 ORDER BY 1, 2;
