-- Sources of outcomes, and how often something happened at them (ADR 0065, ADR 0074).

-- name: lock_sources(account_id)
-- Serializes concurrent creations of an account, so that they cannot exceed the limit together.
SELECT pg_advisory_xact_lock(hashtextextended('outcome_source ' || $1, 0))::text AS locked;

-- name: count_sources(account_id)
-- not null: sources
SELECT count(*)::int AS sources FROM outcome_source WHERE account_id = $1;

-- name: add_source(source_id, account_id, created_by, provider, description?, sealed_key?, token_hash, created_at)
INSERT INTO outcome_source (source_id, account_id, created_by, provider, description, sealed_key, token_hash, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING *;

-- name: list_sources(account_id)
SELECT * FROM outcome_source WHERE account_id = $1 ORDER BY source_no DESC;

-- name: find_source(account_id, source_id)
SELECT * FROM outcome_source WHERE account_id = $1 AND source_id = $2;

-- name: find_source_of_request(source_id)
SELECT * FROM outcome_source WHERE source_id = $1;

-- name: find_source_by_token(token_hash, now)
SELECT source_id, account_id FROM outcome_source
WHERE token_hash = $1 OR (previous_token_hash = $1 AND previous_token_until > $2::timestamptz);

-- name: change_source(account_id, source_id, description?, sets_description, sealed_key?, sets_key)
UPDATE outcome_source SET
  description = CASE WHEN $4::boolean THEN $3 ELSE description END,
  sealed_key = CASE WHEN $6::boolean THEN $5 ELSE sealed_key END
WHERE account_id = $1 AND source_id = $2 RETURNING *;

-- name: replace_token(account_id, source_id, token_hash, previous_until)
UPDATE outcome_source SET token_hash = $3, previous_token_hash = token_hash, previous_token_until = $4
WHERE account_id = $1 AND source_id = $2 RETURNING *;

-- name: delete_source(account_id, source_id)
DELETE FROM outcome_source WHERE account_id = $1 AND source_id = $2;

-- name: delete_sources_of_account(account_id)
DELETE FROM outcome_source WHERE account_id = $1;

-- name: list_counts(source_nos)
-- not null: count
SELECT source_no, class, name, count::float8 AS count, last_at FROM outcome_source_count
WHERE source_no = ANY($1::bigint[]) ORDER BY last_at DESC, name;

-- name: count_received(source_no, now, recorded, repeated, counts)
-- In a fixed order, so that two requests do not deadlock. A source that was deleted meanwhile gets no counts.
WITH received AS (
  UPDATE outcome_source SET last_received_at = greatest(last_received_at, $2::timestamptz),
    recorded = recorded + $3, repeated = repeated + $4
  WHERE source_no = $1 RETURNING source_no
)
INSERT INTO outcome_source_count (source_no, class, name, count, last_at)
SELECT received.source_no, given.class, given.name, given.count, $2::timestamptz
FROM received, jsonb_to_recordset($5::jsonb) AS given (class text, name text, count bigint)
ORDER BY given.class, given.name
ON CONFLICT (source_no, class, name) DO UPDATE
  SET count = outcome_source_count.count + excluded.count,
    last_at = greatest(outcome_source_count.last_at, excluded.last_at);

-- name: count_refused(source_no, reason, now)
INSERT INTO outcome_source_count (source_no, class, name, count, last_at)
SELECT source_no, 'refused', $2, 1, $3::timestamptz FROM outcome_source WHERE source_no = $1
ON CONFLICT (source_no, class, name) DO UPDATE
  SET count = outcome_source_count.count + 1,
    last_at = greatest(outcome_source_count.last_at, excluded.last_at);

-- name: note_subscribed(source_no, now)
UPDATE outcome_source SET subscribed_at = $2, last_received_at = greatest(last_received_at, $2::timestamptz)
WHERE source_no = $1;
