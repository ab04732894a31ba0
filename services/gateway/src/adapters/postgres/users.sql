-- Users, and the log of security events (ADR 0065). The unique index decides who gets an address, even if two claim it at
-- once.

-- name: find_user_by_email(email)
SELECT user_id, account_id, email, role, password_hash FROM app_user WHERE lower(email) = lower($1);

-- name: create_user(user_id, account_id, email, password_hash, role)
INSERT INTO app_user (user_id, account_id, email, password_hash, role) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT DO NOTHING;

-- name: insert_user(user_id, account_id, email, password_hash, role, now)
INSERT INTO app_user (user_id, account_id, email, password_hash, role, created_at) VALUES ($1, $2, $3, $4, $5, $6);

-- name: lock_user(user_id)
SELECT account_id, password_hash FROM app_user WHERE user_id = $1 FOR NO KEY UPDATE;

-- name: database_time()
-- not null: at
SELECT clock_timestamp() AS at;

-- name: set_password(user_id, password_hash)
UPDATE app_user SET password_hash = $2 WHERE user_id = $1 RETURNING user_id, account_id, email, role;

-- name: set_email(user_id, email)
UPDATE app_user SET email = $2 WHERE user_id = $1 RETURNING user_id, account_id, email, role;

-- name: list_members(account_id)
SELECT user_id, account_id, email, role, created_at FROM app_user WHERE account_id = $1 ORDER BY created_at, user_id;

-- name: count_members(account_id)
-- not null: members
SELECT count(*)::int AS members FROM app_user WHERE account_id = $1;

-- name: set_role(account_id, user_id, role)
UPDATE app_user SET role = $3 WHERE account_id = $1 AND user_id = $2
RETURNING user_id, account_id, email, role, created_at;

-- name: remove_member(account_id, user_id)
DELETE FROM app_user WHERE account_id = $1 AND user_id = $2;

-- name: write_security_event(account_id, user_id?, kind, at, network, user_agent, details)
INSERT INTO security_event (account_id, user_id, kind, at, client_network, user_agent, details)
VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING security_event_id;

-- name: write_password_reset_asked(email, at, network, user_agent)
-- Writes nothing if the address is no user's.
INSERT INTO security_event (account_id, user_id, kind, at, client_network, user_agent)
SELECT account_id, user_id, 'password_reset_asked', $2, $3, $4 FROM app_user WHERE lower(email) = lower($1);

-- name: list_security_events(account_id, before?, rows_max)
SELECT * FROM security_event
WHERE account_id = $1 AND security_event_id < coalesce($2, 9223372036854775807)
ORDER BY security_event_id DESC LIMIT $3;

-- name: sweep_security_events(older_than)
DELETE FROM security_event WHERE at < $1;
