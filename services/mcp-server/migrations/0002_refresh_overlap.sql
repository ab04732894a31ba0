-- Up Migration

-- The state for the overlap of a replaced refresh token (ADR 0058). The previous release leaves all three null, and then
-- there is no overlap.
ALTER TABLE refresh_token
  -- Of a replaced token: the hash of its successor.
  ADD COLUMN successor_sha256 bytea,
  -- Of a successor: when it was last given again, which shows that refreshes run in parallel.
  ADD COLUMN given_again_at timestamptz,
  -- Of a successor: when its client first used it, or an access token of the same response.
  ADD COLUMN received_at timestamptz;
