-- Up Migration

-- An account's own provider of profiles: how it is asked, and how it did lately.
CREATE TABLE profile_provider (
  account_id text PRIMARY KEY,
  -- As the contract has them, without the values of secret headers.
  settings jsonb NOT NULL,
  -- The values of secret headers by name, sealed for this account.
  sealed_secrets text,
  updated_at timestamptz NOT NULL,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  last_failure text,
  last_failure_status integer
);

-- What an account's provider said of a profile. Another account pays its own provider and never sees it.
CREATE TABLE provider_answer (
  account_id text NOT NULL,
  -- SHA-256 of the profile's key.
  key_hash bytea NOT NULL,
  -- Profile and provenance; null where the provider does not know it.
  answer jsonb,
  said_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, key_hash)
);

CREATE INDEX provider_answer_by_key ON provider_answer (key_hash);
CREATE INDEX provider_answer_by_expiry ON provider_answer (expires_at);

-- What a public page says of a profile, to everybody the same.
CREATE TABLE page_answer (
  key_hash bytea PRIMARY KEY,
  answer jsonb,
  said_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);

CREATE INDEX page_answer_by_expiry ON page_answer (expires_at);

GRANT SELECT, INSERT, UPDATE, DELETE
  ON profile_provider, provider_answer, page_answer
  TO mailproof_enrichment;
