-- Accounts, their locks and their deletion (ADR 0065).

-- name: insert_account(account_id, name, plan, now, anchor, starts_at?, ends_at?, due_at)
INSERT INTO account (account_id, name, plan, created_at, billing_anchor, cycle_starts_at, cycle_ends_at, billing_due_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8);

-- name: queue_job(job_type, payload, trace_parent?)
INSERT INTO outbox (job_type, payload, trace_parent) VALUES ($1, $2, $3);

-- name: account_name(account_id)
SELECT name FROM account WHERE account_id = $1;

-- name: has_paid(account_id)
-- not null: paid
-- The free plan is the only one that an account gets without an operator.
SELECT EXISTS (
  SELECT FROM account WHERE account_id = $1
    AND (plan <> 'free' OR EXISTS (SELECT FROM payment WHERE payment.account_id = account.account_id))
) AS paid;

-- Locks until the transaction ends. Every transaction locks an account before its users, keys and links, and users before
-- what they own; another order could deadlock.

-- name: lock_account(account_id)
SELECT name, stripe_customer_id FROM account WHERE account_id = $1 FOR UPDATE;

-- name: accounts_due(now, accounts_max)
SELECT account_id FROM account WHERE billing_due_at <= $1 ORDER BY billing_due_at LIMIT $2;

-- name: lock_account_due(account_id, now)
-- Returns no row if the account is no longer due, or if another replica has its lock.
SELECT account_id FROM account WHERE account_id = $1 AND billing_due_at <= $2 FOR UPDATE SKIP LOCKED;

-- name: lock_account_of_key(api_key_id)
SELECT account_id FROM account
WHERE account_id IN (
  SELECT account_id FROM api_key WHERE api_key_id = $1
  UNION ALL SELECT account_id FROM named_api_key WHERE api_key_id = $1)
FOR UPDATE OF account;

-- name: lock_members(account_id)
-- Taken before each change of an account's users and invitations.
SELECT plan FROM account WHERE account_id = $1 FOR NO KEY UPDATE;

-- name: lock_account_of_user(user_id)
SELECT account_id FROM account JOIN app_user USING (account_id) WHERE user_id = $1 FOR KEY SHARE OF account;

-- name: lock_users(account_id)
SELECT user_id FROM app_user WHERE account_id = $1 ORDER BY user_id FOR NO KEY UPDATE;

-- name: record_deletion(account_id, deleted_at)
INSERT INTO account_deletion (account_id, deleted_at) VALUES ($1, $2) ON CONFLICT DO NOTHING;

-- name: queue_deletion(account_id, job_types, trace_parent?)
-- The other services are asked again after a day, when uploads, grants and other requests that ran during the deletion
-- have ended.
INSERT INTO outbox (job_type, payload, due_at, trace_parent)
SELECT job_type, jsonb_build_object('accountId', $1::text), now() + wait, $3
FROM unnest($2::text[]) AS job_type, unnest(ARRAY[interval '0', interval '24 hours']) AS wait;

-- name: queue_reconciliation(job_type, trace_parent?)
-- For the next night, unless one is waiting or running. Two replicas may add two; the second finds nothing to do.
INSERT INTO outbox (job_type, payload, due_at, trace_parent)
SELECT $1, '{}', date_trunc('day', now(), 'UTC') + interval '1 day 3 hours', $2
WHERE NOT EXISTS (SELECT FROM outbox WHERE job_type = $1 AND done_at IS NULL AND failed_at IS NULL);

-- name: list_deletions(after, rows_max)
SELECT account_id, deleted_at FROM account_deletion WHERE account_id > $1 ORDER BY account_id LIMIT $2;
