-- Up Migration
-- Written before the first release: no release has run on this table.
-- squawk-ignore-file require-concurrent-index-creation

-- When a browser last opened the sign-in page of a client that was never connected. Half of the ceiling is for these
-- clients, so that a flood of registrations does not remove a client in the middle of a sign-in.
ALTER TABLE oauth_client ADD COLUMN sign_in_opened_at timestamptz;

-- Finds the clients that were never connected.
CREATE INDEX oauth_client_unused ON oauth_client (registered_at) INCLUDE (client_id, sign_in_opened_at)
  WHERE connected_at IS NULL;

-- A flood leaves dead rows, regardless of the size of the table: vacuum by their number alone.
ALTER TABLE oauth_client SET (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 2000
);
