-- Up Migration

-- Domains and mail hosts whose owners asked not to be probed; each entry covers every name below it.
CREATE TABLE do_not_probe (
  scope text NOT NULL CHECK (scope IN ('domain', 'mail_host')),
  name text NOT NULL CHECK (name = lower(name) AND length(name) BETWEEN 1 AND 253),
  origin text NOT NULL CHECK (origin IN ('operator', 'owner')),
  note text CHECK (length(note) <= 500),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (scope, name)
);

GRANT SELECT, INSERT, DELETE ON do_not_probe TO mailproof_validation;
