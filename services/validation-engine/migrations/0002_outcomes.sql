-- Up Migration

-- What became of mail that accounts sent. Neither address nor domain is here: both are keyed hashes (ADR 0017), and
-- what is learned of the local part is its shape, written down when the outcome is.
CREATE TABLE outcome (
  outcome_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  outcome_report_id text NOT NULL,
  account_id text NOT NULL,
  address_hash bytea NOT NULL CHECK (length(address_hash) = 32),
  domain_hash bytea NOT NULL CHECK (length(domain_hash) = 32),
  kind text NOT NULL,
  pattern_class text NOT NULL,
  observed_at timestamptz NOT NULL,
  -- A report that is sent again counts once.
  UNIQUE (account_id, address_hash, kind, observed_at)
);

CREATE INDEX outcome_by_address ON outcome (address_hash);
CREATE INDEX outcome_by_domain ON outcome (domain_hash, observed_at DESC);
CREATE INDEX outcome_by_reporter ON outcome (domain_hash, account_id);
CREATE INDEX outcome_by_report ON outcome (outcome_report_id);
CREATE INDEX outcome_by_time ON outcome (observed_at);

-- What the sources found when an address at a catch-all domain was validated, so that a later outcome tells whether
-- they were right. One a day for each address.
CREATE TABLE evidence_snapshot (
  evidence_snapshot_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  address_hash bytea NOT NULL CHECK (length(address_hash) = 32),
  domain_hash bytea NOT NULL CHECK (length(domain_hash) = 32),
  findings jsonb NOT NULL,
  taken_on text NOT NULL,
  taken_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (address_hash, taken_on)
);

CREATE INDEX evidence_snapshot_by_time ON evidence_snapshot (taken_at);

GRANT SELECT, INSERT, DELETE ON outcome, evidence_snapshot TO mailproof_validation;
