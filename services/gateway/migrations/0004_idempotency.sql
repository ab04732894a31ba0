-- Up Migration

-- What is known under an Idempotency-Key (ADR 0023). The key itself is not kept: all that stands here is derived from
-- it, and the answer is sealed with it. A row without an answer belongs to the attempt that holds its lease.
CREATE TABLE idempotency_record (
  account_id text NOT NULL REFERENCES account ON DELETE CASCADE,
  lookup bytea NOT NULL CHECK (length(lookup) = 32),
  fingerprint bytea NOT NULL CHECK (length(fingerprint) = 32),
  -- The first attempt; credits are held in its name, however many attempts follow.
  run_id text NOT NULL,
  -- The attempt that may answer, and the time after which another may take over.
  lease_id text NOT NULL,
  lease_until timestamptz NOT NULL,
  sealed_answer bytea,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, lookup)
);

CREATE INDEX idempotency_record_expiry ON idempotency_record (expires_at);

GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency_record TO mailproof_gateway;
