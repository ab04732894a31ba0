-- Up Migration

-- What a refresh token that was replaced needs for its overlap (ADR 0058). The release before leaves all three null, and
-- then there is no overlap.
ALTER TABLE refresh_token
  -- On a token that was replaced: the hash of the one that was given for it.
  ADD COLUMN successor_sha256 bytea,
  -- On a token that replaced another: when it was last given a second time, which shows that refreshes run in parallel.
  ADD COLUMN given_again_at timestamptz,
  -- On a token that replaced another: when its client first used it, or an access token that came with it.
  ADD COLUMN received_at timestamptz;
