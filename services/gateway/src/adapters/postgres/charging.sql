-- What the gateway writes about work that costs credits: notes of charges to collect, which are rows of the outbox, and
-- records of idempotency keys (ADR 0065).

-- name: write_down_charge(job_type, payload, trace_parent?)
-- prepared
-- The relay leaves a note alone for three seconds: the charge is usually collected without it in that time.
INSERT INTO outbox (job_type, payload, due_at, trace_parent)
VALUES ($1, $2, now() + make_interval(secs => 3), $3) RETURNING outbox_id;

-- name: strike_off_charges(note_ids)
-- prepared
UPDATE outbox SET done_at = now() WHERE outbox_id = ANY($1::bigint[]) AND done_at IS NULL;

-- name: begin_idempotency_record(account_id, lookup, fingerprint, request_id, lease_ms, kept_ms)
-- prepared
-- Starts a record, restarts an expired one, or takes over one whose attempt never ended, keeping its run id. Returns no
-- row if another request has the key.
INSERT INTO idempotency_record AS record
  (account_id, lookup, fingerprint, run_id, lease_id, lease_until, expires_at)
VALUES ($1, $2, $3, $4, $4, now() + make_interval(secs => $5 / 1000.0), now() + make_interval(secs => $6 / 1000.0))
ON CONFLICT (account_id, lookup) DO UPDATE SET
  fingerprint = EXCLUDED.fingerprint,
  run_id = CASE WHEN record.expires_at <= now() THEN EXCLUDED.run_id ELSE record.run_id END,
  expires_at = CASE WHEN record.expires_at <= now() THEN EXCLUDED.expires_at ELSE record.expires_at END,
  sealed_answer = NULL,
  lease_id = EXCLUDED.lease_id,
  lease_until = EXCLUDED.lease_until
WHERE record.expires_at <= now()
  OR (record.sealed_answer IS NULL AND record.lease_until <= now() AND record.fingerprint = EXCLUDED.fingerprint)
RETURNING run_id;

-- name: find_idempotency_record(account_id, lookup)
-- prepared
SELECT fingerprint, run_id, sealed_answer FROM idempotency_record WHERE account_id = $1 AND lookup = $2;

-- name: keep_answer(account_id, lookup, request_id, sealed_answer)
UPDATE idempotency_record SET sealed_answer = $4, lease_until = now()
WHERE account_id = $1 AND lookup = $2 AND lease_id = $3 AND sealed_answer IS NULL;

-- name: abandon_idempotency_record(account_id, lookup, request_id)
DELETE FROM idempotency_record
WHERE account_id = $1 AND lookup = $2 AND lease_id = $3 AND sealed_answer IS NULL;

-- name: sweep_idempotency_records()
-- The number limits how long one round holds locks; the next round deletes the rest.
DELETE FROM idempotency_record WHERE (account_id, lookup) IN (
  SELECT account_id, lookup FROM idempotency_record WHERE expires_at <= now()
  LIMIT 1000 FOR UPDATE SKIP LOCKED);
