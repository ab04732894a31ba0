-- Up Migration

-- OAuth clients that registered themselves (RFC 7591). What they registered is sealed: it can hold a secret.
CREATE TABLE oauth_client (
  client_id text PRIMARY KEY,
  sealed_metadata text NOT NULL,
  registered_at timestamptz NOT NULL,
  -- When it last had an assistant, to the day; a client that was never connected is forgotten soon.
  connected_at timestamptz
);

CREATE INDEX oauth_client_by_use ON oauth_client ((coalesce(connected_at, registered_at)));

-- A client that a user has connected, with what the user granted it: the authorization server's grant.
CREATE TABLE assistant (
  assistant_id text PRIMARY KEY,
  account_id text NOT NULL,
  user_id text NOT NULL,
  client_id text NOT NULL,
  client_name text NOT NULL,
  redirect_host text NOT NULL,
  scopes text[] NOT NULL,
  connected_at timestamptz NOT NULL,
  last_used_at timestamptz,
  -- When its last refresh token is over; some minutes after the consent while it has none.
  expires_at timestamptz NOT NULL,
  -- Connecting a client again extends its assistant, so that a user's list holds it once.
  UNIQUE (user_id, client_id, redirect_host)
);

CREATE INDEX assistant_by_account ON assistant (account_id, connected_at DESC);
CREATE INDEX assistant_by_client ON assistant (client_id);
CREATE INDEX assistant_by_expiry ON assistant (expires_at);

-- Refresh tokens by their hash. A consumed one is kept for some days, so that its replay is known for one. What is
-- sealed is the authorization server's own record, in which the token itself stands.
CREATE TABLE refresh_token (
  token_sha256 bytea PRIMARY KEY,
  assistant_id text NOT NULL REFERENCES assistant ON DELETE CASCADE,
  sealed_token text NOT NULL,
  consumed_at timestamptz,
  expires_at timestamptz NOT NULL
);

CREATE INDEX refresh_token_by_assistant ON refresh_token (assistant_id);
CREATE INDEX refresh_token_by_expiry ON refresh_token (expires_at);

-- The keys that sign access tokens. One is published before it signs and stays published until its tokens are over.
CREATE TABLE signing_key (
  kid text PRIMARY KEY,
  public_jwk jsonb NOT NULL,
  sealed_private_jwk text NOT NULL,
  created_at timestamptz NOT NULL,
  signs_from timestamptz NOT NULL
);

GRANT SELECT, INSERT, UPDATE, DELETE ON oauth_client, assistant, refresh_token, signing_key TO mailproof_mcp;
