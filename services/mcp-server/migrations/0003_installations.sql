-- Up Migration

-- Each consent is an assistant of its own now (ADR 0059). Those of one client in one browser are shown as one.
ALTER TABLE assistant
  -- The browser in which it was allowed: SHA-256 of what that browser is known by again. Null when that is not known.
  ADD COLUMN device_sha256 bytea,
  -- What that browser calls itself, shortened.
  ADD COLUMN user_agent text NOT NULL DEFAULT '';

-- The release before writes ON CONFLICT (user_id, client_id, redirect_host), so that this constraint has to stay for as
-- long as that release may run. Rows of this release put their id behind the host, and a space between, so that no two
-- of them collide. The next release can drop the constraint and cut the ids off.
COMMENT ON COLUMN assistant.redirect_host IS 'The host or the scheme; behind a space the id of the row, for the unique constraint.';
