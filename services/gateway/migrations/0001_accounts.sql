-- Up Migration

-- An account is the tenant: what is bought, limited and charged.
CREATE TABLE account (
  account_id text PRIMARY KEY,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  plan text NOT NULL,
  -- A rate agreed with this account alone; its plan's rate applies where there is none.
  requests_per_second integer CHECK (requests_per_second BETWEEN 1 AND 100000),
  created_at timestamptz NOT NULL DEFAULT now()
);

-- A key is stored as its SHA-256 only: it is random, so a fast hash is enough, and a lookup by it is exact.
CREATE TABLE api_key (
  api_key_id text PRIMARY KEY,
  account_id text NOT NULL REFERENCES account,
  key_sha256 bytea NOT NULL UNIQUE CHECK (length(key_sha256) = 32),
  display_prefix text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  revoked_at timestamptz
);

CREATE INDEX api_key_by_account ON api_key (account_id);

-- Work that follows from a change of state, committed with it and relayed to its queue afterwards.
CREATE TABLE outbox (
  outbox_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  job_type text NOT NULL,
  payload jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Not enqueued before this time.
  due_at timestamptz NOT NULL DEFAULT now(),
  enqueued_at timestamptz,
  done_at timestamptz,
  failed_at timestamptz
);

CREATE INDEX outbox_open ON outbox (due_at) WHERE done_at IS NULL AND failed_at IS NULL;
CREATE INDEX outbox_done ON outbox (done_at) WHERE done_at IS NOT NULL;

GRANT SELECT, INSERT, UPDATE ON account, api_key TO mailproof_gateway;
GRANT SELECT, INSERT, UPDATE, DELETE ON outbox TO mailproof_gateway;
