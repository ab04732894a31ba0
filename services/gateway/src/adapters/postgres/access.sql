-- Who makes a request: keys, assistants and sessions, read at each request and never from a cache (ADR 0065).

-- name: look_up_key(key_sha256)
-- prepared
-- not null: api_key_id, is_test, is_expired, is_use_due
-- Null as scopes means all of them: that is the default key. The database's clock decides when a key expires, so
-- every replica refuses it from the same moment on.
SELECT account.account_id, api_key_id, name, plan, requests_per_second, revoked_at, scopes, is_test, is_expired,
  is_use_due
FROM (
  SELECT account_id, api_key_id, revoked_at, NULL::text[] AS scopes, false AS is_test, false AS is_expired,
    false AS is_use_due
  FROM api_key WHERE key_sha256 = $1
  UNION ALL
  SELECT account_id, api_key_id, revoked_at, scopes, is_test,
    coalesce(expires_at <= now(), false), coalesce(last_used_at < now() - interval '1 minute', true)
  FROM named_api_key WHERE key_sha256 = $1
) AS key JOIN account USING (account_id);

-- name: note_key_use(api_key_id)
-- Of several replicas, one writes, once a minute.
UPDATE named_api_key SET last_used_at = now()
WHERE api_key_id = $1 AND coalesce(last_used_at < now() - interval '1 minute', true);

-- name: find_assistant_grounds(account_id, user_id)
-- prepared
-- not null: has_active_key
SELECT account.name, account.plan, account.requests_per_second, app_user.email,
  EXISTS (SELECT FROM api_key WHERE api_key.account_id = account.account_id AND revoked_at IS NULL) AS has_active_key
FROM app_user JOIN account USING (account_id)
WHERE app_user.user_id = $2 AND app_user.account_id = $1;

-- name: find_assistant_sign_in(account_id, user_id, sign_in_id, since, endings)
-- Returns no row if one of the endings came later.
SELECT security_event_id FROM security_event
WHERE account_id = $1 AND user_id = $2 AND security_event_id = $3 AND kind = 'assistant_sign_in' AND at > $4
  AND NOT EXISTS (
    SELECT FROM security_event later
    WHERE later.account_id = $1 AND later.user_id = $2 AND later.security_event_id > $3
      AND later.kind = ANY($5));

-- name: queue_end_of_assistants(job_type, payload, trace_parent?)
-- A consent recorded just before the user's assistants are ended may reach the tool server's tables after the first
-- request to end them. By the second request, it has long arrived or failed.
INSERT INTO outbox (job_type, payload, due_at, trace_parent)
SELECT $1, $2, now() + wait, $3 FROM unnest(ARRAY[interval '0', interval '5 minutes']) AS wait;

-- name: find_session(token_sha256, now, idle_since, started_since)
-- prepared
-- Writes only if a minute has passed since the last write.
WITH found AS (
  SELECT session_id, last_seen_at, user_id, email, role, account_id, name, plan, requests_per_second
  FROM session JOIN app_user USING (user_id) JOIN account USING (account_id)
  WHERE token_sha256 = $1 AND session.last_seen_at > $3 AND session.created_at > $4
), noted AS (
  UPDATE session SET last_seen_at = $2 FROM found
  WHERE session.session_id = found.session_id AND found.last_seen_at < $2::timestamptz - interval '1 minute'
)
SELECT * FROM found;

-- name: open_session(session_id, user_id, token_sha256, user_agent, now, password_hash?, others_max)
-- A change of password that runs at the same time is waited for, or waits and then ends this session.
WITH overflow AS (
  DELETE FROM session WHERE session_id IN (
    SELECT session_id FROM session WHERE user_id = $2 ORDER BY last_seen_at DESC OFFSET $7))
INSERT INTO session (session_id, user_id, token_sha256, user_agent, created_at, last_seen_at)
SELECT $1, user_id, $3, $4, $5, $5 FROM app_user
WHERE user_id = $2 AND password_hash = coalesce($6, password_hash) FOR SHARE;

-- name: list_sessions(user_id, idle_since, started_since)
SELECT session_id, created_at, last_seen_at, user_agent FROM session
WHERE user_id = $1 AND last_seen_at > $2 AND created_at > $3
ORDER BY last_seen_at DESC, session_id;

-- name: end_session(user_id, session_id)
DELETE FROM session WHERE user_id = $1 AND session_id = $2;

-- name: end_session_of_token(token_sha256)
DELETE FROM session WHERE token_sha256 = $1;

-- name: end_sessions(user_id, kept_session_id?)
DELETE FROM session WHERE user_id = $1 AND session_id IS DISTINCT FROM $2;

-- name: sweep_sessions(idle_since, started_since)
DELETE FROM session WHERE last_seen_at < $1 OR created_at < $2;
