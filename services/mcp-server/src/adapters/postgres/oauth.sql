-- What the authorization server keeps: clients, assistants (its grants), refresh tokens and signing keys (ADR 0065).
-- The host of an assistant is the first word of `redirect_host`; the migration says what can follow it.

-- name: find_assistant(assistant_id, now, refresh_sha256?)
-- prepared
-- not null: is_first_sign
-- Everything in one statement, because it runs at each call.
SELECT assistant_id, account_id, user_id, client_id, scopes, connected_at, last_used_at, expires_at,
  EXISTS (SELECT FROM refresh_token WHERE token_sha256 = $3 AND received_at IS NULL) AS is_first_sign
FROM assistant WHERE assistant_id = $1 AND expires_at > $2;

-- name: note_assistant_use(assistant_id, now)
-- prepared
-- Calls that come at once in a new minute write it once.
UPDATE assistant SET last_used_at = date_trunc('minute', $2::timestamptz)
WHERE assistant_id = $1 AND (last_used_at IS NULL OR last_used_at < date_trunc('minute', $2::timestamptz));

-- name: connect_assistant(assistant_id, account_id, user_id, client_id, client_name, host, scopes, now, expires_at, device_sha256?, user_agent)
INSERT INTO assistant (assistant_id, account_id, user_id, client_id, client_name, redirect_host, scopes,
  connected_at, expires_at, device_sha256, user_agent)
VALUES ($1, $2, $3, $4, $5, $6 || ' ' || $1, $7, $8, $9, decode($10, 'hex'), $11);

-- name: end_overflow_of_user(user_id, kept_id, others_max)
DELETE FROM assistant WHERE assistant_id IN (
  SELECT assistant_id FROM assistant WHERE user_id = $1 AND assistant_id <> $2
  ORDER BY coalesce(last_used_at, connected_at) DESC, assistant_id DESC OFFSET $3);

-- name: end_overflow_in_browser(user_id, kept_id, others_max, client_id, host, device_sha256?)
DELETE FROM assistant WHERE assistant_id IN (
  SELECT assistant_id FROM assistant WHERE user_id = $1 AND assistant_id <> $2
    AND client_id = $4 AND split_part(redirect_host, ' ', 1) = $5 AND device_sha256 = decode($6, 'hex')
  ORDER BY coalesce(last_used_at, connected_at) DESC, assistant_id DESC OFFSET $3);

-- name: list_assistants(account_id, user_id?, now, assistants_max)
-- not null: assistant_id, client_name, host, scopes, user_agent, connected_at
-- One row for the grants of one client in one browser. A grant without a known browser has its own row. An expired grant
-- is no longer connected, although the sweep may not have deleted it yet. `scopes` are those of all its grants.
SELECT max(assistant_id) AS assistant_id, account_id, user_id, split_part(redirect_host, ' ', 1) AS host,
  (array_agg(client_name ORDER BY assistant_id DESC))[1] AS client_name,
  (array_agg(user_agent ORDER BY assistant_id DESC))[1] AS user_agent,
  string_agg(array_to_string(scopes, ' '), ' ') AS scopes,
  max(connected_at) AS connected_at, max(last_used_at) AS last_used_at
FROM assistant
WHERE account_id = $1 AND ($2::text IS NULL OR user_id = $2) AND expires_at > $3
GROUP BY account_id, user_id, client_id, host, coalesce(encode(device_sha256, 'hex'), assistant_id)
ORDER BY connected_at DESC, assistant_id DESC LIMIT $4;

-- name: end_assistants(assistant_id?, account_id?, user_id?, connected_until?, listed_as?)
-- The one statement that ends assistants. Their refresh tokens are deleted with them (`ON DELETE CASCADE`). With
-- `listed_as`, all grants of its list entry end; an unknown browser equals no other.
DELETE FROM assistant
WHERE ($1::text IS NULL OR assistant_id = $1) AND ($2::text IS NULL OR account_id = $2)
  AND ($3::text IS NULL OR user_id = $3) AND ($4::timestamptz IS NULL OR connected_at <= $4)
  AND ($5::text IS NULL OR assistant_id = $5
    OR (user_id, client_id, split_part(redirect_host, ' ', 1), device_sha256) = (
      SELECT user_id, client_id, split_part(redirect_host, ' ', 1), device_sha256
      FROM assistant WHERE assistant_id = $5));

-- name: sweep_assistants(now)
DELETE FROM assistant WHERE expires_at < $1;

-- name: find_client(client_id)
-- prepared
SELECT sealed_metadata FROM oauth_client WHERE client_id = $1;

-- name: save_client(client_id, sealed_metadata, now)
INSERT INTO oauth_client (client_id, sealed_metadata, registered_at) VALUES ($1, $2, $3);

-- name: note_client_sign_in(client_id, now)
-- prepared
-- The library saves a sign-in several times; one record a minute is enough.
UPDATE oauth_client SET sign_in_opened_at = $2
WHERE client_id = $1 AND connected_at IS NULL
  AND (sign_in_opened_at IS NULL OR sign_in_opened_at < $2::timestamptz - interval '1 minute');

-- name: note_client_connected(client_id, now)
UPDATE oauth_client SET connected_at = $2 WHERE client_id = $1;

-- name: note_clients_connected(now, since)
-- To the day, so that a client is known for a while after its last assistant has ended.
UPDATE oauth_client SET connected_at = $1 WHERE connected_at < $2
  AND EXISTS (SELECT FROM assistant WHERE assistant.client_id = oauth_client.client_id);

-- name: forget_former_clients(since)
DELETE FROM oauth_client WHERE connected_at < $1
  AND NOT EXISTS (SELECT FROM assistant WHERE assistant.client_id = oauth_client.client_id);

-- name: forget_unused_clients(expired, kept_max, forgotten_max)
-- prepared
-- not null: unused, expired, ceiling
-- Half of the ceiling is for clients whose sign-in page was opened, half for clients that have only registered, and each
-- half may use what the other leaves free: the newest of both are kept in turn. So a flood of registrations removes no
-- client in the middle of a sign-in, and a flood that opens sign-in pages keeps no new client out. One replica at a time
-- does this, because two would lock the same rows in different orders; the other skips it.
WITH turn AS MATERIALIZED (
  SELECT pg_try_advisory_xact_lock(hashtextextended('mailproof unused clients', 0)) AS is_ours
), unused AS MATERIALIZED (
  SELECT client_id, coalesce(sign_in_opened_at, registered_at) < $1 AS is_expired, row_number() OVER (
    PARTITION BY sign_in_opened_at IS NULL ORDER BY coalesce(sign_in_opened_at, registered_at) DESC
  ) AS position
  FROM oauth_client WHERE connected_at IS NULL
), gone AS (
  DELETE FROM oauth_client USING (
    SELECT client_id, is_expired FROM unused ORDER BY is_expired, position OFFSET
      least($2::bigint, (SELECT count(*) FROM unused WHERE NOT is_expired)) LIMIT $3
  ) AS over
  WHERE oauth_client.client_id = over.client_id AND connected_at IS NULL AND (SELECT is_ours FROM turn)
  RETURNING is_expired
)
SELECT (SELECT count(*)::int FROM unused) AS unused,
  (SELECT count(*)::int FROM gone WHERE is_expired) AS expired,
  (SELECT count(*)::int FROM gone WHERE NOT is_expired) AS ceiling;

-- name: find_refresh_token(sha256)
-- prepared
SELECT sealed_token FROM refresh_token WHERE token_sha256 = $1;

-- name: save_refresh_token(sha256, assistant_id, sealed_token, expires_at)
INSERT INTO refresh_token (token_sha256, assistant_id, sealed_token, expires_at) VALUES ($1, $2, $3, $4);

-- name: extend_assistant(assistant_id, expires_at)
UPDATE assistant SET expires_at = greatest(expires_at, $2) WHERE assistant_id = $1;

-- name: lock_used_token(sha256)
-- Locks the row too, because replicas of the previous release do not lock the assistant first.
SELECT used.consumed_at, used.given_again_at, successor.received_at AS successor_received_at,
  successor.consumed_at AS successor_consumed_at, newest.token_sha256 AS newest_sha256,
  newest.sealed_token AS newest_sealed
FROM refresh_token used
LEFT JOIN refresh_token successor ON successor.token_sha256 = used.successor_sha256
LEFT JOIN refresh_token newest ON newest.consumed_at IS NULL
  AND newest.token_sha256 = coalesce(successor.successor_sha256, successor.token_sha256)
WHERE used.token_sha256 = $1 FOR UPDATE OF used;

-- name: consume_token(sha256, now, remembered_until, successor_sha256)
UPDATE refresh_token SET consumed_at = $2, expires_at = least(expires_at, $3), successor_sha256 = $4
WHERE token_sha256 = $1;

-- name: note_token_given_again(sha256, now)
UPDATE refresh_token SET given_again_at = $2 WHERE token_sha256 = $1;

-- name: note_token_received(sha256, now)
-- The first sign that the client has received a token.
UPDATE refresh_token SET received_at = $2 WHERE token_sha256 = $1 AND received_at IS NULL;

-- name: sweep_refresh_tokens(now)
DELETE FROM refresh_token WHERE expires_at < $1;

-- name: list_signing_keys()
SELECT kid, public_jwk, created_at, signs_from FROM signing_key ORDER BY signs_from DESC, kid;

-- name: find_private_key(kid)
SELECT sealed_private_jwk FROM signing_key WHERE kid = $1;

-- name: save_signing_key(kid, public_jwk, sealed_private_jwk, now, signs_from)
INSERT INTO signing_key (kid, public_jwk, sealed_private_jwk, created_at, signs_from) VALUES ($1, $2, $3, $4, $5);

-- name: lock_first_key()
-- Held while the first key is made, so that replicas that start together make one.
SELECT pg_advisory_xact_lock(hashtextextended('mailproof first signing key', 0))::text AS locked;

-- name: remove_signing_keys(kids)
DELETE FROM signing_key WHERE kid = ANY($1);

-- Sealed texts in the order of their keys, and their replacement. A row that was written meanwhile is sealed under the
-- newest key already, and stays.

-- name: sealed_clients(after?, rows_max)
SELECT client_id AS key, sealed_metadata AS sealed FROM oauth_client
WHERE $1::text IS NULL OR client_id > $1 ORDER BY client_id LIMIT $2;

-- name: reseal_client(key, sealed, resealed)
UPDATE oauth_client SET sealed_metadata = $3 WHERE client_id = $1 AND sealed_metadata = $2;

-- name: sealed_refresh_tokens(after?, rows_max)
SELECT token_sha256 AS key, sealed_token AS sealed FROM refresh_token
WHERE $1::bytea IS NULL OR token_sha256 > $1 ORDER BY token_sha256 LIMIT $2;

-- name: reseal_refresh_token(key, sealed, resealed)
UPDATE refresh_token SET sealed_token = $3 WHERE token_sha256 = $1 AND sealed_token = $2;

-- name: sealed_signing_keys(after?, rows_max)
SELECT kid AS key, sealed_private_jwk AS sealed FROM signing_key
WHERE $1::text IS NULL OR kid > $1 ORDER BY kid LIMIT $2;

-- name: reseal_signing_key(key, sealed, resealed)
UPDATE signing_key SET sealed_private_jwk = $3 WHERE kid = $1 AND sealed_private_jwk = $2;
