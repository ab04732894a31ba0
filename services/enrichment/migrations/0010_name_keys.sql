-- Up Migration

-- What people are looked up by who have a name that makes a local part (ADR 0072): hashes of a company and a part of
-- the name, for the company of a person and for those before it. The names themselves are compared afterward.
CREATE TABLE name_key (
  key integer NOT NULL,
  person_no integer NOT NULL REFERENCES person ON DELETE CASCADE,
  PRIMARY KEY (key, person_no)
);

CREATE INDEX name_key_of_person ON name_key (person_no);

-- Up to which change the keys are written. One row.
CREATE TABLE name_key_progress (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  change_no bigint NOT NULL
);

INSERT INTO name_key_progress (change_no) VALUES (0);

GRANT SELECT, INSERT, DELETE ON name_key TO mailproof_enrichment;
GRANT SELECT, UPDATE ON name_key_progress TO mailproof_enrichment;
