-- Up Migration
-- Company domains on lists of companies: filters use them, whether or not the store has the companies.
CREATE TABLE saved_list_domain (
  list_id text NOT NULL REFERENCES saved_list ON DELETE CASCADE,
  domain text NOT NULL,
  added_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (list_id, domain)
);

GRANT SELECT, INSERT, DELETE ON saved_list_domain TO mailproof_enrichment;
