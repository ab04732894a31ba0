-- Up Migration

-- The mail providers that report the outcomes of accounts' mail automatically (ADR 0074). The URL is known to the account
-- and the provider alone: here are the hashes of its last part. The key that verifies requests is sealed for `source_id`.
CREATE TABLE outcome_source (
  source_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  source_id text NOT NULL UNIQUE,
  account_id text NOT NULL,
  created_by text NOT NULL,
  provider text NOT NULL,
  description text,
  sealed_key text,
  token_hash bytea NOT NULL UNIQUE CHECK (length(token_hash) = 32),
  -- The token before the last replacement, and until when it is valid.
  previous_token_hash bytea UNIQUE CHECK (length(previous_token_hash) = 32),
  previous_token_until timestamptz,
  -- When the subscription to an SNS topic was last confirmed.
  subscribed_at timestamptz,
  last_received_at timestamptz,
  recorded bigint NOT NULL DEFAULT 0,
  repeated bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  CHECK ((previous_token_hash IS NULL) = (previous_token_until IS NULL))
);

CREATE INDEX outcome_source_of_account ON outcome_source (account_id, source_no DESC);

-- How often something happened at a source: outcomes by their kind, and what was ignored or refused, by its reason.
CREATE TABLE outcome_source_count (
  source_no bigint NOT NULL REFERENCES outcome_source ON DELETE CASCADE,
  class text NOT NULL CHECK (class IN ('kind', 'ignored', 'refused')),
  name text NOT NULL,
  count bigint NOT NULL CHECK (count > 0),
  last_at timestamptz NOT NULL,
  PRIMARY KEY (source_no, class, name)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON outcome_source, outcome_source_count TO mailproof_dispatcher;
