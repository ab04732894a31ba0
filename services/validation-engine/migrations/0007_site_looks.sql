-- Up Migration

-- What the public pages of a catch-all domain print (ADR 0071). Neither domain nor addresses are here, but keyed hashes
-- and counts of patterns. One that has not been looked at yet reserves the look for a process.
CREATE TABLE site_look (
  domain_hash text PRIMARY KEY CHECK (length(domain_hash) = 32),
  kind text NOT NULL
    CHECK (kind IN ('looking', 'read', 'prints_anything', 'forbidden', 'no_site', 'failed')),
  -- The place by the hash of each printed address.
  printed jsonb NOT NULL DEFAULT '{}' CHECK (pg_column_size(printed) <= 65536),
  -- The number of printed addresses by pattern.
  patterns jsonb NOT NULL DEFAULT '{}' CHECK (pg_column_size(patterns) <= 4096),
  looked_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);

CREATE INDEX site_look_by_expiry ON site_look (expires_at);

GRANT SELECT, INSERT, UPDATE, DELETE ON site_look TO mailproof_validation;
