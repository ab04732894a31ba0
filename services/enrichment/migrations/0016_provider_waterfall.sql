-- Up Migration

-- Providers are queried in order, each within its budget of a month (ADR 0096).
ALTER TABLE profile_provider
  -- The name of the provider that failed; null if the previous release noted it.
  ADD COLUMN last_failure_of text,
  -- { "month": "2026-06", "requests": { "Example People": 12 } }
  ADD COLUMN spent jsonb NOT NULL DEFAULT '{"month": "", "requests": {}}';

-- Queries of the operator's providers in a month.
CREATE TABLE operator_provider_spend (
  name text NOT NULL,
  month text NOT NULL,
  requests integer NOT NULL,
  PRIMARY KEY (name, month)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON operator_provider_spend TO mailproof_enrichment;
