-- Up Migration

-- How far the keys of names are written by each version of the rules for spelling names (ADR 0072). When the rules
-- change, people who have keys already get others. The previous release continues to use name_key_progress.
CREATE TABLE name_key_rules (
  rules integer PRIMARY KEY,
  -- The last change of the profile store whose people have keys by these rules.
  change_no bigint NOT NULL DEFAULT 0,
  -- Own people from this number on have keys by these rules.
  own_person_no integer NOT NULL
);

GRANT SELECT, INSERT, UPDATE ON name_key_rules TO mailproof_enrichment;
