-- Up Migration

-- Each consent creates a separate grant, a row of this table (ADR 0059). A list shows the grants of one client in one
-- browser as one assistant.
ALTER TABLE assistant
  -- SHA-256 of the device cookie of the browser in which it was allowed. Null when unknown.
  ADD COLUMN device_sha256 bytea,
  -- `User-Agent` of that browser, shortened.
  ADD COLUMN user_agent text NOT NULL DEFAULT '';

-- The previous release writes ON CONFLICT (user_id, client_id, redirect_host), so this constraint must stay as long as
-- that release may run. Rows of this release have a space and their id after the host, so that no two of them collide. The
-- next release can drop the constraint and remove the ids.
COMMENT ON COLUMN assistant.redirect_host IS 'The host or the scheme; behind a space the id of the row, for the unique constraint.';
