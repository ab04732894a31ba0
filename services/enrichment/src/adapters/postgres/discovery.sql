-- Searches for people and companies by filters, and the paid runs of searches (ADR 0033, 0065, 0097). What only
-- lookalike searches need is in lookalikes.sql.

-- name: find_filter_search(account_id, kind, search_id?, key_hash?)
-- By its ID, or by the hash of the `Idempotency-Key` that it was made with.
SELECT s.search_id, s.name, s.query, s.state, s.previewed, s.has_more, s.last_attempt_failed_at, s.created_by,
  s.created_at, s.updated_at, s.request_hash,
  (SELECT r.run_id FROM discovery_run r WHERE r.search_id = s.search_id AND r.state IN ('queued', 'running'))
    AS active_run_id
FROM discovery_search s
WHERE s.account_id = $1 AND s.kind = $2 AND ($3::text IS NULL OR s.search_id = $3)
  AND ($4::bytea IS NULL OR s.idempotency_hash = $4);

-- name: list_filter_searches(account_id, kind, created_before?, id_before?, rows_max)
-- not null: order_key
SELECT s.search_id, s.name, s.query, s.state, s.previewed, s.has_more, s.last_attempt_failed_at, s.created_by,
  s.created_at, s.updated_at, s.created_at::text AS order_key,
  (SELECT r.run_id FROM discovery_run r WHERE r.search_id = s.search_id AND r.state IN ('queued', 'running'))
    AS active_run_id
FROM discovery_search s
WHERE s.account_id = $1 AND s.kind = $2
  AND ($3::text IS NULL OR (s.created_at, s.search_id) < ($3::text::timestamptz, $4))
ORDER BY s.created_at DESC, s.search_id DESC LIMIT $5;

-- name: insert_filter_search(search_id, account_id, kind, name, query, filters_hash, created_by, key_hash?, request_hash?)
INSERT INTO discovery_search (
  search_id, account_id, kind, name, query, previewed, created_by, idempotency_hash, request_hash)
VALUES ($1, $2, $3, $4, $5, ARRAY[$6::bytea], $7, $8, $9)
ON CONFLICT DO NOTHING;

-- name: has_previewed(account_id, kind, filters_hash)
-- not null: is_previewed
SELECT EXISTS (SELECT FROM discovery_search WHERE account_id = $1 AND kind = $2 AND $3::bytea = ANY(previewed))
  AS is_previewed;

-- name: lock_previewed(account_id, kind, search_id, filters_hash)
-- not null: was_previewed
-- Serializes requests that change the same search.
SELECT $4::bytea = ANY(previewed) AS was_previewed FROM discovery_search
WHERE account_id = $1 AND kind = $2 AND search_id = $3 AND state = 'preview' FOR UPDATE;

-- name: change_filter_search(account_id, kind, search_id, query, filters_hash)
-- Filters that were already previewed are not added to the list again.
UPDATE discovery_search SET query = $4, updated_at = now(),
  previewed = CASE WHEN $5::bytea = ANY(previewed) THEN previewed ELSE previewed || $5::bytea END
WHERE account_id = $1 AND kind = $2 AND search_id = $3 AND state = 'preview';

-- name: rename_filter_search(account_id, kind, search_id, name)
UPDATE discovery_search SET name = $4, updated_at = now()
WHERE account_id = $1 AND kind = $2 AND search_id = $3;

-- name: charge_preview(job_type, hold_id, amount, trace_parent?)
INSERT INTO outbox (job_type, payload, trace_parent)
VALUES ($1, jsonb_build_object('holdId', $2::text, 'amount', $3::int), $4);

-- name: find_preview_charge(job_type, hold_id)
SELECT FROM outbox WHERE job_type = $1 AND payload->>'holdId' = $2;

-- name: lock_search(account_id, search_id, kind)
-- A run starts by updating this row, so that none can start between the check and the deletion of the search.
SELECT FROM discovery_search WHERE account_id = $1 AND search_id = $2 AND kind = $3 FOR UPDATE;

-- name: find_active_run(search_id)
SELECT FROM discovery_run WHERE search_id = $1 AND state IN ('queued', 'running');

-- name: delete_search(search_id)
DELETE FROM discovery_search WHERE search_id = $1;

-- name: find_search(account_id, search_id)
SELECT search_id, kind, query FROM discovery_search WHERE search_id = $2 AND account_id = $1;

-- name: lock_measured_search(search_id, account_id, query)
-- Locks the search for the duration of the transaction, if its query is still the measured one.
UPDATE discovery_search SET state = 'locked', updated_at = CASE state WHEN 'locked' THEN updated_at ELSE now() END
WHERE search_id = $1 AND account_id = $2 AND query = $3::jsonb;

-- name: lock_starts(account_id)
-- Concurrent starts of one account wait for each other here, so that each one counts the others.
SELECT FROM pg_advisory_xact_lock(hashtextextended($1, 33));

-- name: insert_run(run_id, search_id, account_id, requested, price, holds, hold_amount, hold_id, hold_expires_at, list_id?, created_by, request_id?, key_hash?, request_hash?, trace_parent?, position?)
INSERT INTO discovery_run (
  run_id, search_id, account_id, requested, price, holds, hold_amount, hold_id, hold_expires_at, list_id, created_by,
  request_id, idempotency_hash, request_hash, trace_parent, position)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
ON CONFLICT DO NOTHING;

-- name: find_run_by_key(account_id, key_hash)
SELECT w.request_hash,
  w.run_id, w.search_id, w.account_id, s.kind, s.query, w.state, w.requested, w.price, w.holds, w.hold_amount, w.hold_id,
  w.hold_expires_at, w.position, w.delivered, w.ending, w.charge, w.failure, w.has_more, w.spent, w.list_id,
  w.failed_attempts, w.version, w.created_by, w.request_id, w.created_at, w.started_at, w.moved_at, w.ended_at
FROM discovery_run w JOIN discovery_search s USING (search_id)
WHERE w.account_id = $1 AND w.idempotency_hash = $2;

-- name: list_runs(account_id, search_id?, kind?, state?, created_before?, id_before?, rows_max)
-- not null: order_key
SELECT w.created_at::text AS order_key,
  w.run_id, w.search_id, w.account_id, s.kind, s.query, w.state, w.requested, w.price, w.holds, w.hold_amount, w.hold_id,
  w.hold_expires_at, w.position, w.delivered, w.ending, w.charge, w.failure, w.has_more, w.spent, w.list_id,
  w.failed_attempts, w.version, w.created_by, w.request_id, w.created_at, w.started_at, w.moved_at, w.ended_at
FROM discovery_run w JOIN discovery_search s USING (search_id)
WHERE w.account_id = $1 AND ($2::text IS NULL OR w.search_id = $2) AND ($3::text IS NULL OR s.kind = $3)
  AND ($4::text IS NULL OR w.state = $4)
  AND ($5::text IS NULL OR (w.created_at, w.run_id) < ($5::text::timestamptz, $6))
ORDER BY w.created_at DESC, w.run_id DESC LIMIT $7;

-- name: find_used_key(account_id, key_hash?, run_id)
SELECT FROM discovery_run WHERE account_id = $1 AND (idempotency_hash = $2 OR run_id = $3);

-- name: find_list_of_kind(account_id, list_id, kind)
SELECT FROM saved_list WHERE list_id = $2 AND account_id = $1 AND kind = $3;

-- name: name_of_search(search_id)
SELECT name FROM discovery_search WHERE search_id = $1;

-- name: note_search_end(search_id, state, has_more?, delivered, ended_at?, run_id)
-- Records the end of a search's latest run. A failed run leaves the findings of earlier runs unchanged if they
-- delivered anything; otherwise the search has more to deliver than this run did.
UPDATE discovery_search s SET
  has_more = CASE
    WHEN $2::text <> 'failed' THEN coalesce($3::boolean, s.has_more)
    WHEN $4::int = 0 OR EXISTS (
      SELECT FROM discovery_run r WHERE r.search_id = $1 AND r.run_id <> $6 AND r.delivered > 0
    ) OR EXISTS (SELECT FROM lookalike_result l WHERE l.search_id = $1 AND l.run_id <> $6)
    THEN s.has_more
    ELSE coalesce($3::boolean, s.has_more) END,
  last_attempt_failed_at = CASE WHEN $2::text = 'failed' THEN $5::timestamptz END
WHERE s.search_id = $1;
