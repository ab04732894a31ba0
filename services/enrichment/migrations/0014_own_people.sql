-- Up Migration
-- No row matches the index yet: the new column of saved_list_entry is empty in every row, so its key scans nothing.
-- squawk-ignore-file adding-foreign-key-constraint, require-concurrent-index-creation

-- A file of people that an account uploads, and what becomes of it (ADR 0088). The rows wait in parts until it has
-- ended.
CREATE TABLE people_import (
  import_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  import_id text NOT NULL UNIQUE,
  account_id text NOT NULL,
  created_by text NOT NULL,
  name text NOT NULL,
  state text NOT NULL CHECK (
    state IN ('uploaded', 'previewing', 'previewed', 'importing', 'succeeded', 'failed', 'cancelled')
  ),
  -- How the file was read, and its columns with examples.
  format text NOT NULL CHECK (format IN ('csv', 'ndjson', 'xlsx')),
  encoding text NOT NULL,
  encoding_is_guess boolean NOT NULL,
  layout text,
  columns jsonb NOT NULL,
  -- The column of each field: as detected, and as the account last confirmed it.
  detected jsonb NOT NULL,
  mapping jsonb,
  rows_total integer NOT NULL CHECK (rows_total >= 0),
  -- The list that the people are put into.
  list_id text,
  -- Of the current pass or the last one: how far it is, and what became of the rows.
  parts_done integer NOT NULL DEFAULT 0 CHECK (parts_done >= 0),
  rows_done integer NOT NULL DEFAULT 0 CHECK (rows_done >= 0),
  outcomes jsonb NOT NULL DEFAULT '{}',
  preview jsonb,
  failure text,
  failed_attempts integer NOT NULL DEFAULT 0 CHECK (failed_attempts >= 0),
  version integer NOT NULL DEFAULT 1,
  runner text,
  file_hash bytea NOT NULL,
  created_at timestamptz NOT NULL,
  moved_at timestamptz NOT NULL,
  ended_at timestamptz,
  deleted_at timestamptz NOT NULL,
  trace_parent text
);

CREATE INDEX people_import_of_account ON people_import (account_id, import_no);
CREATE INDEX people_import_running ON people_import (moved_at) WHERE state IN ('previewing', 'importing');
CREATE INDEX people_import_outdated ON people_import (deleted_at);

-- Rows of a file as they came, without email addresses. They are gone when the import has ended.
CREATE TABLE people_import_part (
  import_no bigint NOT NULL REFERENCES people_import ON DELETE CASCADE,
  part_no integer NOT NULL,
  rows jsonb NOT NULL,
  PRIMARY KEY (import_no, part_no)
);

-- The people that a pass has met, so that a second row about one of them is found.
CREATE TABLE people_import_key (
  import_no bigint NOT NULL REFERENCES people_import ON DELETE CASCADE,
  profile_key text NOT NULL,
  PRIMARY KEY (import_no, profile_key)
);

-- Rows that the last pass refused. They do not repeat the row.
CREATE TABLE people_import_refusal (
  import_no bigint NOT NULL REFERENCES people_import ON DELETE CASCADE,
  line integer NOT NULL,
  reason text NOT NULL,
  column_name text,
  PRIMARY KEY (import_no, line)
);

-- People whom an account has imported. Only this account may see them, so they are not in `person`: nothing that reads
-- the shared store, in this release or an earlier one, can show them to another account. Their numbers are below
-- those of the sandbox (ADR 0085), so that a number belongs to one of the two tables.
CREATE TABLE own_person (
  person_no integer GENERATED ALWAYS AS IDENTITY (INCREMENT -1 START -2000000 MINVALUE -2147483648 MAXVALUE -2000000) PRIMARY KEY,
  person_id text NOT NULL UNIQUE,
  account_id text NOT NULL,
  profile_key text NOT NULL,
  profile_url text NOT NULL,
  full_name text NOT NULL,
  first_name text,
  last_name text,
  headline text,
  job_title text,
  seniority text,
  department text,
  company_name text,
  company_domain text,
  company_website text,
  industry text,
  company_type text,
  company_size text,
  annual_revenue_usd bigint,
  revenue text,
  country text CHECK (length(country) = 2),
  region text,
  city text,
  keywords text[] NOT NULL DEFAULT '{}',
  website text,
  follower_count integer CHECK (follower_count >= 0),
  connection_count integer CHECK (connection_count >= 0),
  profile_badges text[] NOT NULL DEFAULT '{}',
  -- The import that last changed the record, and its name, which outlives it.
  import_id text NOT NULL,
  import_name text NOT NULL,
  -- The keyed hashes by which a suppressed person is recognized (ADR 0031).
  recognition_hashes bytea[] NOT NULL,
  saved_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  UNIQUE (account_id, profile_key)
);

CREATE INDEX own_person_by_saving ON own_person (account_id, saved_at, person_no);
CREATE INDEX own_person_by_age ON own_person (saved_at);
CREATE INDEX own_person_by_recognition ON own_person USING gin (recognition_hashes);

-- Every release suppresses people by these hashes, so a release that does not know this table deletes from it too.
CREATE FUNCTION delete_suppressed_own_people_v1() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM own_person
  WHERE recognition_hashes && (SELECT coalesce(array_agg(key_hash), '{}') FROM suppressed);
  RETURN NULL;
END $$;

CREATE TRIGGER delete_suppressed_own_people AFTER INSERT ON suppression
REFERENCING NEW TABLE AS suppressed FOR EACH STATEMENT
EXECUTE FUNCTION delete_suppressed_own_people_v1();

-- A list holds own people too. Earlier releases do not see them there.
ALTER TABLE saved_list_entry
  ADD COLUMN own_person_no integer REFERENCES own_person ON DELETE CASCADE,
  DROP CONSTRAINT saved_list_entry_check,
  ADD CONSTRAINT saved_list_entry_is_of_one CHECK (num_nonnulls(person_no, company_no, own_person_no) = 1) NOT VALID;

CREATE UNIQUE INDEX saved_list_entry_of_own_person ON saved_list_entry (list_id, own_person_no)
WHERE own_person_no IS NOT NULL;
CREATE INDEX saved_list_entry_by_own_person ON saved_list_entry (own_person_no) WHERE own_person_no IS NOT NULL;

-- Everyone whom an account may see: saved from the shared store, or imported. Without joins, so that a page of them
-- reads the indexes of both tables in their order.
CREATE VIEW account_person AS
SELECT account_id, person_no, run_id, NULL::text AS import_id, saved_at FROM saved_person
UNION ALL
SELECT account_id, person_no, NULL, import_id, saved_at FROM own_person;

-- A person by number, with the company. Whose it is, only `account_person` says.
CREATE VIEW person_record AS
SELECT p.person_no, p.person_id, p.profile_url, p.full_name, p.first_name, p.last_name, p.headline, p.job_title,
  p.seniority, p.department, c.company_id, coalesce(c.name, p.company_name) AS company_name,
  c.domain AS company_domain, c.industry, c.company_type, c.company_size, c.annual_revenue_usd, c.revenue, p.country,
  p.region, p.city, p.keywords, coalesce(p.website, c.website) AS website, p.follower_count, p.connection_count,
  p.profile_badges, p.is_synthetic, json_build_object('kind', o.kind, 'name', o.name, 'licence', o.licence,
    'retrieved_on', to_char(o.retrieved_on, 'YYYY-MM-DD')) AS source, p.updated_at, p.field_sources,
  c.field_sources AS company_sources, c.source_id AS company_source
FROM person p
LEFT JOIN company c ON c.company_no = p.company_no
JOIN source o ON o.source_id = p.source_id
UNION ALL
SELECT person_no, person_id, profile_url, full_name, first_name, last_name, headline, job_title, seniority, department,
  NULL, company_name, company_domain, industry, company_type, company_size, annual_revenue_usd, revenue, country,
  region, city, keywords, coalesce(website, company_website), follower_count, connection_count, profile_badges, false,
  json_build_object('kind', 'own_import', 'name', import_name, 'licence', 'own data',
    'retrieved_on', to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')), updated_at, '{}'::jsonb, NULL, NULL
FROM own_person;

GRANT SELECT, INSERT, UPDATE, DELETE ON people_import TO mailproof_enrichment;
GRANT SELECT, INSERT, DELETE ON people_import_part, people_import_key, people_import_refusal TO mailproof_enrichment;
GRANT SELECT, INSERT, UPDATE, DELETE ON own_person TO mailproof_enrichment;
GRANT SELECT ON account_person, person_record TO mailproof_enrichment;
