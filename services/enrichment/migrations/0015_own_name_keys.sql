-- Up Migration

-- What an account's own people are found by, as `name_key` is for people of the store (ADR 0072): hashes of the account,
-- the domain of the company and a part of the name.
CREATE TABLE own_name_key (
  key integer NOT NULL,
  person_no integer NOT NULL REFERENCES own_person ON DELETE CASCADE,
  PRIMARY KEY (key, person_no)
);

CREATE INDEX own_name_key_of_person ON own_name_key (person_no);

-- Own people whose keys are not written yet.
CREATE TABLE own_person_without_keys (
  person_no integer PRIMARY KEY REFERENCES own_person ON DELETE CASCADE
);

INSERT INTO own_person_without_keys (person_no) SELECT person_no FROM own_person;

-- Every release imports people through this, so people whom a release imports that knows no keys get them too.
CREATE FUNCTION note_own_people_without_keys_v1() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO own_person_without_keys (person_no) SELECT person_no FROM written ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE TRIGGER note_added_own_people AFTER INSERT ON own_person
REFERENCING NEW TABLE AS written FOR EACH STATEMENT
EXECUTE FUNCTION note_own_people_without_keys_v1();

CREATE TRIGGER note_changed_own_people AFTER UPDATE ON own_person
REFERENCING NEW TABLE AS written FOR EACH STATEMENT
EXECUTE FUNCTION note_own_people_without_keys_v1();

GRANT SELECT, INSERT, DELETE ON own_name_key, own_person_without_keys TO mailproof_enrichment;
