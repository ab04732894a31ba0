-- Up Migration

-- Lists that are validated together (ADR 0034). Rows keep what came in, cell by cell, until the job is deleted.
CREATE TABLE validation_job (
  job_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  job_id text NOT NULL UNIQUE,
  account_id text NOT NULL,
  created_by text NOT NULL,
  request_id text,
  name text NOT NULL,
  origin text NOT NULL CHECK (origin IN ('file', 'list', 'crm')),
  state text NOT NULL DEFAULT 'receiving' CHECK (
    state IN ('receiving', 'ready', 'queued', 'running', 'paused', 'succeeded', 'failed', 'cancelled')
  ),
  -- How the file was read: octets, encoding, whether that was guessed, delimiter, whether it has a header. Null for a list.
  layout jsonb,
  -- The cells of the first line of a file, which is the row of number 1 where it is no header after all.
  header text[] NOT NULL DEFAULT '{}',
  columns text[] NOT NULL DEFAULT '{}',
  -- What is known of each column before the start: samples and the share of addresses.
  column_facts jsonb NOT NULL DEFAULT '[]',
  -- Position of the column of addresses, from 0.
  address_column integer CHECK (address_column >= 0),
  rows_total integer NOT NULL DEFAULT 0,
  rows_valid integer NOT NULL DEFAULT 0,
  rows_broken integer NOT NULL DEFAULT 0,
  rows_blank integer NOT NULL DEFAULT 0,
  rows_duplicate integer NOT NULL DEFAULT 0,
  addresses integer NOT NULL DEFAULT 0,
  -- Credits: see the runs of discovery, which are paid in the same way (ADR 0033, ADR 0035).
  price integer NOT NULL DEFAULT 0,
  holds integer NOT NULL DEFAULT 1,
  hold_amount integer NOT NULL DEFAULT 0,
  hold_id text,
  hold_expires_at timestamptz,
  ending text CHECK (ending IN ('succeeded', 'failed', 'cancelled')),
  charge integer,
  spent integer,
  failure text,
  failed_attempts integer NOT NULL DEFAULT 0,
  done integer NOT NULL DEFAULT 0,
  -- Rows by the results that their addresses have got so far.
  results jsonb NOT NULL DEFAULT '{}',
  -- Addresses that got a verdict in a second, lately.
  per_second double precision,
  -- How many chunks its addresses are in; null until their mail hosts are known.
  chunks integer,
  -- The process that works on it: the one that took it last, so that two do so only briefly.
  carrier text,
  paused_at timestamptz,
  version integer NOT NULL DEFAULT 1,
  -- Of the `Idempotency-Key` of its start, where there was one.
  idempotency_hash bytea,
  request_hash bytea,
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  moved_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz,
  deleted_at timestamptz NOT NULL,
  -- From then on the job is out of sight; its rows are deleted in batches, and it goes with the last of them.
  gone_at timestamptz
);

CREATE INDEX validation_job_of_account ON validation_job (account_id, job_no DESC);
CREATE INDEX validation_job_gone ON validation_job (gone_at) WHERE gone_at IS NOT NULL;
CREATE INDEX validation_job_under_way ON validation_job (moved_at)
  WHERE state IN ('receiving', 'queued', 'running');
CREATE INDEX validation_job_to_delete ON validation_job (deleted_at);
-- Rows of uploads that broke off, until they are deleted.
CREATE INDEX validation_job_broken_off ON validation_job (job_no)
  WHERE failure = 'upload_broken_off' AND rows_total > 0;
CREATE UNIQUE INDEX validation_job_key ON validation_job (account_id, idempotency_hash)
  WHERE idempotency_hash IS NOT NULL;

-- Different addresses of a job: each is asked about once, and charged once.
CREATE TABLE validation_job_address (
  job_no bigint NOT NULL REFERENCES validation_job ON DELETE CASCADE,
  address_no integer NOT NULL CHECK (address_no > 0),
  -- As the first row has it, trimmed; and its lowercase normal form, by which duplicates are found.
  email text NOT NULL,
  normalised text NOT NULL,
  -- Addresses whose mail is taken by the same hosts are asked about together, over shared sessions. Null until it is known.
  mail_host text,
  chunk_no integer,
  -- Rows that have it; counted with the mail hosts.
  row_count integer NOT NULL DEFAULT 1,
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'waiting', 'done')),
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamptz,
  result text,
  reason text,
  mx_domain text,
  mx_provider text,
  email_type text,
  secure_email_gateway boolean,
  -- The rest of the verdict, as the single validation tells it.
  details jsonb,
  checked_at timestamptz,
  PRIMARY KEY (job_no, address_no),
  UNIQUE (job_no, normalised),
  CHECK ((state = 'done') = (result IS NOT NULL))
);

CREATE INDEX validation_job_address_open ON validation_job_address (job_no, chunk_no, address_no)
  WHERE state <> 'done';

CREATE INDEX validation_job_address_waiting ON validation_job_address (job_no, due_at) WHERE state = 'waiting';

CREATE TABLE validation_job_row (
  job_no bigint NOT NULL REFERENCES validation_job ON DELETE CASCADE,
  -- Its place in the file, from 1; where the file has a header, that is 1 and the rows begin at 2.
  row_no integer NOT NULL CHECK (row_no > 0),
  cells text[] NOT NULL,
  -- What its address is; null where it has none, or one that cannot be asked about.
  address_no integer,
  -- Why a row has no address that can be asked about: blank, or the rule that it breaks.
  fault text,
  is_duplicate boolean NOT NULL DEFAULT false,
  PRIMARY KEY (job_no, row_no)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON validation_job, validation_job_address, validation_job_row
  TO mailproof_validation;
