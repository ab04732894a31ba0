-- Connections to CRMs with their sealed tokens, sign-ins that make them, and the progress of imports (ADR 0065).

-- name: list_connections(account_id)
SELECT connection_id, account_id, provider, organisation_id, organisation_name, connected_by, connected_at,
  last_used_at, fault
FROM crm_connection WHERE account_id = $1 ORDER BY connection_id DESC;

-- name: find_connection(account_id, connection_id)
SELECT connection_id, account_id, provider, organisation_id, organisation_name, connected_by, connected_at,
  last_used_at, fault
FROM crm_connection WHERE account_id = $1 AND connection_id = $2;

-- name: lock_connections(account_id)
-- Serializes concurrent connects of an account, so that they cannot exceed the limit together.
SELECT pg_advisory_xact_lock(hashtextextended('crm_connection ' || $1, 0))::text AS locked;

-- name: find_connection_to(account_id, provider, organisation_id)
SELECT connection_id FROM crm_connection WHERE account_id = $1 AND provider = $2 AND organisation_id = $3;

-- name: count_connections(account_id)
-- not null: connections
SELECT count(*)::int AS connections FROM crm_connection WHERE account_id = $1;

-- name: keep_connection(connection_id, account_id, provider, organisation_id, organisation_name, api_base_url, connected_by, connected_at, sealed_tokens, access_ends_at?)
INSERT INTO crm_connection (connection_id, account_id, provider, organisation_id, organisation_name, api_base_url,
  connected_by, connected_at, sealed_tokens, access_ends_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (connection_id) DO UPDATE SET organisation_name = $5, api_base_url = $6, connected_by = $7,
  connected_at = $8, sealed_tokens = $9, access_ends_at = $10, fault = NULL, renewing_until = NULL,
  tokens_version = crm_connection.tokens_version + 1
RETURNING connection_id, account_id, provider, organisation_id, organisation_name, connected_by, connected_at,
  last_used_at, fault;

-- name: remove_connection(account_id, connection_id)
-- not null: is_shared
DELETE FROM crm_connection c WHERE c.account_id = $1 AND c.connection_id = $2
RETURNING c.*, EXISTS (
  SELECT FROM crm_connection o
  WHERE o.provider = c.provider AND o.organisation_id = c.organisation_id AND o.account_id <> c.account_id
) AS is_shared;

-- name: remove_some_connections(account_id, rows_max)
-- not null: is_shared
DELETE FROM crm_connection c WHERE c.account_id = $1 AND c.connection_id IN (
  SELECT connection_id FROM crm_connection WHERE account_id = $1 LIMIT $2)
RETURNING c.*, EXISTS (
  SELECT FROM crm_connection o
  WHERE o.provider = c.provider AND o.organisation_id = c.organisation_id AND o.account_id <> c.account_id
) AS is_shared;

-- name: find_access(connection_id)
SELECT connection_id, provider, api_base_url, fault, last_used_at, tokens_version, sealed_tokens, access_ends_at
FROM crm_connection WHERE connection_id = $1;

-- name: lease_renewal(connection_id, version, lease_ms)
-- Uses the clock of Postgres: the clocks of machines differ, so two processes could hold the lease at once.
UPDATE crm_connection SET renewing_until = clock_timestamp() + make_interval(secs => $3 / 1000.0)
WHERE connection_id = $1 AND tokens_version = $2
  AND (renewing_until IS NULL OR renewing_until < clock_timestamp());

-- name: release_renewal(connection_id, version)
UPDATE crm_connection SET renewing_until = NULL WHERE connection_id = $1 AND tokens_version = $2;

-- name: replace_tokens(connection_id, version, sealed_tokens, access_ends_at?, api_base_url)
UPDATE crm_connection SET sealed_tokens = $3, access_ends_at = $4, api_base_url = $5, fault = NULL,
  renewing_until = NULL, tokens_version = tokens_version + 1
WHERE connection_id = $1 AND tokens_version = $2;

-- name: note_connection_fault(connection_id, version, fault)
UPDATE crm_connection SET fault = $3, renewing_until = NULL
WHERE connection_id = $1 AND tokens_version = $2 AND fault IS NULL;

-- name: note_connection_use(connection_id, at)
UPDATE crm_connection SET last_used_at = $2
WHERE connection_id = $1 AND (last_used_at IS NULL OR last_used_at < $2);

-- name: add_sign_in(state_hash, account_id, user_id, provider, sealed_verifier, expires_at)
INSERT INTO crm_sign_in (state_hash, account_id, user_id, provider, sealed_verifier, expires_at)
VALUES ($1, $2, $3, $4, $5, $6);

-- name: delete_sign_in_overflow(account_id, kept_max)
DELETE FROM crm_sign_in WHERE state_hash IN (
  SELECT state_hash FROM crm_sign_in WHERE account_id = $1 ORDER BY expires_at DESC, state_hash OFFSET $2);

-- name: take_sign_in(state_hash, account_id, user_id, now)
DELETE FROM crm_sign_in WHERE state_hash = $1 AND account_id = $2 AND user_id = $3 AND expires_at > $4
RETURNING provider, sealed_verifier;

-- name: delete_expired_sign_ins(now)
DELETE FROM crm_sign_in WHERE expires_at <= $1;

-- name: delete_sign_ins(account_id)
DELETE FROM crm_sign_in WHERE account_id = $1;

-- name: note_records_read(import_no, runner, records_read, records_shortened, records_without_domain?, now)
UPDATE crm_import SET records_read = $3, records_total = greatest(records_total, $3), records_shortened = $4,
  records_without_domain = $5, moved_at = $6, pause_reason = NULL, resumes_at = NULL, version = version + 1
WHERE import_no = $1 AND runner = $2 AND ended_at IS NULL;
