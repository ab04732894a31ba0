-- Up Migration

-- Where facts come from. A row stands for one load of one source, so that licence and date hold for every field that
-- names it.
CREATE TABLE source (
  source_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('import', 'synthetic', 'page')),
  name text NOT NULL,
  licence text NOT NULL,
  retrieved_on date NOT NULL,
  -- Of the file that was loaded, so that the same file again is the same load; empty where there is no file.
  fingerprint text NOT NULL DEFAULT '',
  UNIQUE (kind, name, licence, retrieved_on, fingerprint)
);

-- Grows with every change of a company or a person, so that whoever keeps a copy in memory asks for what is newer.
CREATE SEQUENCE record_change_no;

-- `source_id` is where a record's fields come from, `field_sources` where single ones come from that differ: field
-- name to source_id. Bands, seniority and the like hold words of the contract's vocabularies alone.
CREATE TABLE company (
  -- For indexes in memory; outside, a company is known by `company_id`.
  company_no integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  company_id text NOT NULL UNIQUE,
  -- Registrable domain, lower case, ASCII. A company is known by it, or by the key of its profile's URL.
  domain text UNIQUE,
  profile_key text UNIQUE,
  profile_url text,
  name text NOT NULL,
  website text,
  description text,
  keywords text[] NOT NULL DEFAULT '{}',
  categories text[] NOT NULL DEFAULT '{}',
  -- As the source calls it; then the word by which people filter; then the code of NAICS 2022.
  industry_label text,
  industry text,
  naics text,
  company_type text,
  employee_count integer CHECK (employee_count >= 0),
  company_size text,
  annual_revenue_usd bigint CHECK (annual_revenue_usd >= 0),
  revenue text,
  funding_usd bigint CHECK (funding_usd >= 0),
  founded_year integer,
  country text CHECK (length(country) = 2),
  region text,
  city text,
  follower_count integer CHECK (follower_count >= 0),
  is_synthetic boolean NOT NULL DEFAULT false,
  source_id integer NOT NULL REFERENCES source,
  field_sources jsonb NOT NULL DEFAULT '{}',
  change_no bigint NOT NULL DEFAULT nextval('record_change_no'),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CHECK (domain IS NOT NULL OR profile_key IS NOT NULL)
);

CREATE INDEX company_by_change ON company (change_no);

CREATE TABLE person (
  person_no integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  person_id text NOT NULL UNIQUE,
  profile_key text NOT NULL UNIQUE,
  profile_url text NOT NULL,
  full_name text NOT NULL,
  first_name text,
  last_name text,
  headline text,
  job_title text,
  seniority text,
  department text,
  company_no integer REFERENCES company ON DELETE SET NULL,
  -- As the source writes it; the company itself says the rest.
  company_name text,
  country text CHECK (length(country) = 2),
  region text,
  city text,
  keywords text[] NOT NULL DEFAULT '{}',
  website text,
  follower_count integer CHECK (follower_count >= 0),
  connection_count integer CHECK (connection_count >= 0),
  profile_badges text[] NOT NULL DEFAULT '{}',
  is_synthetic boolean NOT NULL DEFAULT false,
  source_id integer NOT NULL REFERENCES source,
  field_sources jsonb NOT NULL DEFAULT '{}',
  change_no bigint NOT NULL DEFAULT nextval('record_change_no'),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX person_by_change ON person (change_no);
CREATE INDEX person_by_company ON person (company_no);

-- What is gone, so that copies in memory let go of it too.
CREATE TABLE removed_record (
  change_no bigint PRIMARY KEY DEFAULT nextval('record_change_no'),
  person_no integer,
  company_no integer,
  removed_at timestamptz NOT NULL DEFAULT now(),
  CHECK (num_nonnulls(person_no, company_no) = 1)
);

-- What a record said before. Kept for a fixed time that no later change renews.
CREATE TABLE record_history (
  history_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  person_no integer REFERENCES person ON DELETE CASCADE,
  company_no integer REFERENCES company ON DELETE CASCADE,
  field text NOT NULL,
  old_value jsonb,
  old_source_id integer NOT NULL REFERENCES source,
  changed_at timestamptz NOT NULL DEFAULT now(),
  CHECK (num_nonnulls(person_no, company_no) = 1)
);

CREATE INDEX record_history_by_person ON record_history (person_no) WHERE person_no IS NOT NULL;
CREATE INDEX record_history_by_company ON record_history (company_no) WHERE company_no IS NOT NULL;
CREATE INDEX record_history_by_time ON record_history (changed_at);

-- People who asked to be left out, by keyed hashes of what they would be found by. A list that could be read would be
-- a list of people again.
CREATE TABLE suppression (
  key_hash bytea PRIMARY KEY,
  reason text NOT NULL CHECK (reason IN ('opt_out', 'deletion', 'operator')),
  suppressed_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE outbox (
  outbox_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  job_type text NOT NULL,
  payload jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  due_at timestamptz NOT NULL DEFAULT now(),
  enqueued_at timestamptz,
  done_at timestamptz,
  failed_at timestamptz
);

CREATE INDEX outbox_open ON outbox (due_at) WHERE done_at IS NULL AND failed_at IS NULL;
CREATE INDEX outbox_done ON outbox (done_at) WHERE done_at IS NOT NULL;

GRANT SELECT, INSERT, UPDATE, DELETE
  ON source, company, person, removed_record, record_history, suppression, outbox
  TO mailproof_enrichment;
GRANT USAGE ON SEQUENCE record_change_no TO mailproof_enrichment;
