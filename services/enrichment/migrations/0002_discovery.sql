-- Up Migration

-- A search for people, or for companies like others. What is asked can be changed until a paid run starts.
CREATE TABLE discovery_search (
  search_id text PRIMARY KEY,
  account_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('people', 'lookalikes')),
  name text NOT NULL,
  -- As the contract has it: filters of people; or seeds and filters of companies.
  query jsonb NOT NULL,
  state text NOT NULL DEFAULT 'preview' CHECK (state IN ('preview', 'locked')),
  -- Hashes of the queries whose preview the account has had in this search: showing one again is free.
  previewed bytea[] NOT NULL DEFAULT '{}',
  -- Whether the last paid run left matching data behind; null before the first.
  has_more boolean,
  last_attempt_failed_at timestamptz,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- Of the `Idempotency-Key` that it was made with, and of the request.
  idempotency_hash bytea,
  request_hash bytea,
  UNIQUE (account_id, idempotency_hash)
);

CREATE INDEX discovery_search_by_account ON discovery_search (account_id, created_at DESC, search_id DESC);

-- A paid run of a search. What it delivered is counted from the rows that name it, never from its own progress.
CREATE TABLE discovery_run (
  run_id text PRIMARY KEY,
  search_id text NOT NULL REFERENCES discovery_search ON DELETE CASCADE,
  account_id text NOT NULL,
  state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
  requested integer NOT NULL CHECK (requested > 0),
  -- Credits for each record that is delivered.
  price integer NOT NULL CHECK (price >= 0),
  -- How many holds it has had or asked for, and the amount of the last; a lost one is replaced. The number is written
  -- down ahead of the hold, so that whoever goes on asks for the same one (ADR 0033).
  holds integer NOT NULL DEFAULT 1,
  hold_amount integer NOT NULL CHECK (hold_amount >= 0),
  hold_id text,
  hold_expires_at timestamptz,
  -- Where the next chunk begins, as the kind of search says it; null ahead of the first.
  position text,
  delivered integer NOT NULL DEFAULT 0,
  -- How the run is going to end, once that is settled, and what it has to pay: from then on nothing is delivered.
  ending text CHECK (ending IN ('succeeded', 'failed', 'cancelled')),
  charge integer CHECK (charge >= 0),
  failure text,
  has_more boolean,
  spent integer,
  list_id text,
  -- Attempts that have gone wrong since the last chunk.
  failed_attempts integer NOT NULL DEFAULT 0,
  -- Grows with every change that its followers are told of.
  version integer NOT NULL DEFAULT 1,
  created_by text NOT NULL,
  request_id text,
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  -- When a chunk was delivered last, or the run began.
  moved_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz,
  idempotency_hash bytea,
  request_hash bytea,
  UNIQUE (account_id, idempotency_hash),
  CHECK ((ending IS NULL) = (charge IS NULL))
);

CREATE UNIQUE INDEX discovery_run_active ON discovery_run (search_id) WHERE state IN ('queued', 'running');
CREATE INDEX discovery_run_by_account ON discovery_run (account_id, created_at DESC, run_id DESC);
CREATE INDEX discovery_run_by_search ON discovery_run (search_id, created_at DESC);

-- People that an account has paid for. Who is suppressed leaves the profile store, and with it this table.
CREATE TABLE saved_person (
  account_id text NOT NULL,
  person_no integer NOT NULL REFERENCES person ON DELETE CASCADE,
  run_id text NOT NULL,
  saved_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, person_no)
);

CREATE INDEX saved_person_by_run ON saved_person (run_id);
CREATE INDEX saved_person_by_time ON saved_person (account_id, saved_at DESC, person_no DESC);
CREATE INDEX saved_person_by_person ON saved_person (person_no);

-- Companies that an account has paid for, once, whichever search found them first.
CREATE TABLE paid_company (
  account_id text NOT NULL,
  company_no integer NOT NULL REFERENCES company ON DELETE CASCADE,
  run_id text NOT NULL,
  paid_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, company_no)
);

CREATE INDEX paid_company_by_run ON paid_company (run_id);
CREATE INDEX paid_company_by_company ON paid_company (company_no);

-- What the paid runs of a lookalike search delivered, in the order of its ranking.
CREATE TABLE lookalike_result (
  search_id text NOT NULL REFERENCES discovery_search ON DELETE CASCADE,
  company_no integer NOT NULL REFERENCES company ON DELETE CASCADE,
  run_id text NOT NULL,
  rank integer NOT NULL,
  strength double precision NOT NULL CHECK (strength BETWEEN 0 AND 1),
  reasons jsonb NOT NULL,
  PRIMARY KEY (search_id, company_no)
);

CREATE INDEX lookalike_result_by_rank ON lookalike_result (search_id, rank, company_no);
CREATE INDEX lookalike_result_by_run ON lookalike_result (run_id);
CREATE INDEX lookalike_result_by_company ON lookalike_result (company_no);

CREATE TABLE saved_list (
  list_id text PRIMARY KEY,
  account_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('people', 'companies')),
  name text NOT NULL,
  tags text[] NOT NULL DEFAULT '{}',
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (account_id, kind, name)
);

CREATE TABLE saved_list_entry (
  entry_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  list_id text NOT NULL REFERENCES saved_list ON DELETE CASCADE,
  person_no integer REFERENCES person ON DELETE CASCADE,
  company_no integer REFERENCES company ON DELETE CASCADE,
  added_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (list_id, person_no),
  UNIQUE (list_id, company_no),
  CHECK (num_nonnulls(person_no, company_no) = 1)
);

CREATE INDEX saved_list_entry_by_person ON saved_list_entry (person_no) WHERE person_no IS NOT NULL;
CREATE INDEX saved_list_entry_by_company ON saved_list_entry (company_no) WHERE company_no IS NOT NULL;

GRANT SELECT, INSERT, UPDATE, DELETE
  ON discovery_search, discovery_run, saved_person, paid_company, lookalike_result, saved_list, saved_list_entry
  TO mailproof_enrichment;
