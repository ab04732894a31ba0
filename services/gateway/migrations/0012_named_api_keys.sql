-- Up Migration

-- A key that an owner creates with some scopes, in addition to the account's default key (ADR 0069). It has its own
-- table, because the previous release takes every row of api_key for a key with all rights. That release refuses these
-- keys. It also deletes accounts without knowing this table, so the rows follow their account.
CREATE TABLE named_api_key (
  api_key_id text PRIMARY KEY,
  account_id text NOT NULL REFERENCES account ON DELETE CASCADE,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  key_sha256 bytea NOT NULL UNIQUE CHECK (length(key_sha256) = 32),
  display_prefix text NOT NULL,
  -- A test key gets the answers of the sandbox.
  is_test boolean NOT NULL DEFAULT false,
  scopes text[] NOT NULL CHECK (cardinality(scopes) BETWEEN 1 AND 50),
  -- The owner who created it; the id remains when that user has left.
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);

CREATE INDEX named_api_key_by_account ON named_api_key (account_id);

GRANT SELECT, INSERT, UPDATE, DELETE ON named_api_key TO mailproof_gateway;
