-- Webhook endpoints, and the deliveries of events to them (ADR 0065, ADR 0070).

-- name: lock_endpoints(account_id)
-- Serializes concurrent creations of an account, so that they cannot exceed the limit together.
SELECT pg_advisory_xact_lock(hashtextextended('webhook_endpoint ' || $1, 0))::text AS locked;

-- name: count_endpoints(account_id)
-- not null: endpoints
SELECT count(*)::int AS endpoints FROM webhook_endpoint WHERE account_id = $1;

-- name: add_endpoint(endpoint_id, account_id, created_by, description?, event_types, sealed_destination, created_at)
INSERT INTO webhook_endpoint (endpoint_id, account_id, created_by, description, event_types, sealed_destination, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING *;

-- name: list_endpoints(account_id)
SELECT * FROM webhook_endpoint WHERE account_id = $1 ORDER BY endpoint_no DESC;

-- name: find_endpoint(account_id, endpoint_id)
SELECT * FROM webhook_endpoint WHERE account_id = $1 AND endpoint_id = $2;

-- name: find_endpoint_of_delivery(endpoint_no)
SELECT * FROM webhook_endpoint WHERE endpoint_no = $1;

-- name: lock_endpoint(account_id, endpoint_id)
SELECT * FROM webhook_endpoint WHERE account_id = $1 AND endpoint_id = $2 FOR NO KEY UPDATE;

-- name: change_endpoint(endpoint_no, description?, event_types, sealed_destination, previous_secret_until?, failing_since?, disabled_at?, disabled_reason?)
UPDATE webhook_endpoint SET description = $2, event_types = $3, sealed_destination = $4, previous_secret_until = $5,
  failing_since = $6, disabled_at = $7, disabled_reason = $8
WHERE endpoint_no = $1 RETURNING *;

-- name: lock_failing(endpoint_no)
SELECT failing_since FROM webhook_endpoint WHERE endpoint_no = $1 FOR NO KEY UPDATE;

-- name: note_failing(endpoint_no, failing_since?, disabled_reason?, now)
UPDATE webhook_endpoint SET failing_since = $2,
  disabled_at = CASE WHEN $3::text IS NULL THEN disabled_at ELSE coalesce(disabled_at, $4::timestamptz) END,
  disabled_reason = CASE WHEN $3::text IS NULL THEN disabled_reason ELSE coalesce(disabled_reason, $3) END
WHERE endpoint_no = $1;

-- name: delete_endpoint(account_id, endpoint_id)
DELETE FROM webhook_endpoint WHERE account_id = $1 AND endpoint_id = $2;

-- name: delete_deliveries_of_endpoint(account_id, endpoint_id, rows_max)
DELETE FROM event_delivery WHERE delivery_no = ANY(ARRAY(
  SELECT d.delivery_no FROM event_delivery d JOIN webhook_endpoint e USING (endpoint_no)
  WHERE e.account_id = $1 AND e.endpoint_id = $2 LIMIT $3));

-- name: delete_deliveries_of_account(account_id, rows_max)
DELETE FROM event_delivery WHERE delivery_no = ANY(ARRAY(
  SELECT delivery_no FROM event_delivery WHERE account_id = $1 LIMIT $2));

-- name: delete_endpoints_of_account(account_id)
DELETE FROM webhook_endpoint WHERE account_id = $1;

-- name: delete_old_deliveries(ended_before, rows_max)
DELETE FROM event_delivery WHERE delivery_no = ANY(ARRAY(
  SELECT delivery_no FROM event_delivery WHERE ended_at < $1 LIMIT $2));

-- name: keep_event(event_id, account_id, type, body)
-- For the gateway, which deletes it once the users of the account are told. An event can come twice.
INSERT INTO event (event_id, account_id, type, data, happened_at)
VALUES ($1, $2, $3, $4::jsonb->'data', ($4::jsonb->>'timestamp')::timestamptz) ON CONFLICT (event_id) DO NOTHING;

-- name: delete_old_events(happened_before, rows_max)
-- Those that no gateway has taken over.
DELETE FROM event WHERE event_no = ANY(ARRAY(
  SELECT event_no FROM event WHERE happened_at < $1 LIMIT $2));

-- name: delete_events_of_account(account_id)
DELETE FROM event WHERE account_id = $1;

-- name: fan_out(event_id, account_id, type, body, now, waiting_max, trace_parent?)
-- One delivery to each endpoint that wants the event. An event that is stored a second time changes nothing.
INSERT INTO event_delivery (delivery_id, endpoint_no, account_id, event_id, type, body, created_at, moved_at,
  trace_parent, state, fault, ended_at, next_attempt_at)
SELECT 'dlv_' || replace(gen_random_uuid()::text, '-', ''), e.endpoint_no, e.account_id, $1::text, $3::text,
  $4::text, $5::timestamptz, $5, $7::text,
  CASE WHEN w.is_full THEN 'failed' ELSE 'pending' END, CASE WHEN w.is_full THEN 'too_many_waiting' END,
  CASE WHEN w.is_full THEN $5::timestamptz END, CASE WHEN NOT w.is_full THEN $5::timestamptz END
FROM webhook_endpoint e, LATERAL (
  SELECT count(*) >= $6::int AS is_full FROM (
    SELECT FROM event_delivery d WHERE d.endpoint_no = e.endpoint_no AND d.state = 'pending' LIMIT $6::int) few
) w
WHERE e.account_id = $2 AND e.disabled_at IS NULL AND $3 = ANY(e.event_types)
ON CONFLICT (endpoint_no, event_id) DO NOTHING RETURNING delivery_id, state;

-- name: add_delivery(delivery_id, endpoint_no, account_id, event_id, type, body, now, trace_parent?)
INSERT INTO event_delivery (delivery_id, endpoint_no, account_id, event_id, type, body, created_at, moved_at,
  next_attempt_at, trace_parent)
VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $7, $8) RETURNING *;

-- name: count_deliveries(endpoint_no, hour_ago, waiting_max, tests_max)
-- not null: waiting, tests
-- Test events are looked for among the latest deliveries only.
SELECT (SELECT count(*)::int FROM (
    SELECT FROM event_delivery WHERE endpoint_no = $1 AND state = 'pending' LIMIT $3::int) few) AS waiting,
  (SELECT count(*)::int FROM (
    SELECT type, body, created_at FROM event_delivery WHERE endpoint_no = $1 ORDER BY delivery_no DESC LIMIT 2 * $4::int) latest
    WHERE created_at > $2::timestamptz
      AND (type = 'webhook_endpoint.test' OR body::jsonb @> '{"test": true}')) AS tests;

-- name: list_deliveries(endpoint_no, state?, before?, rows_max)
SELECT * FROM event_delivery
WHERE endpoint_no = $1 AND ($2::text IS NULL OR state = $2)
  AND delivery_no < coalesce($3::bigint, 9223372036854775807)
ORDER BY delivery_no DESC LIMIT $4;

-- name: add_attempt(delivery_no, attempt_no, attempted_at, duration_ms, status_code?, fault?, rows_max)
-- Keeps the latest attempts: an event can be resent without limit.
WITH forgotten AS (DELETE FROM event_attempt WHERE delivery_no = $1 AND attempt_no <= $2 - $7::int)
INSERT INTO event_attempt (delivery_no, attempt_no, attempted_at, duration_ms, status_code, fault)
VALUES ($1, $2, $3, $4, $5, $6);

-- name: list_attempts(delivery_no, rows_max)
SELECT attempt_no, attempted_at, duration_ms, status_code, fault FROM event_attempt
WHERE delivery_no = $1 ORDER BY attempt_no DESC LIMIT $2;
