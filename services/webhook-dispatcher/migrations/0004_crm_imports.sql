-- Up Migration
-- Written ahead of the first release: no release ran on these tables, and they were empty.
-- squawk-ignore-file require-concurrent-index-creation

-- Records of a CRM on their way into a validation job, and their results on the way back (ADR 0041). What the records say
-- is nowhere in this table: they are rows of the job.
CREATE TABLE crm_import (
  import_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  import_id text NOT NULL UNIQUE,
  account_id text NOT NULL,
  created_by text NOT NULL,
  request_id text NOT NULL,
  connection_id text NOT NULL,
  name text NOT NULL,
  -- What was asked for, as the contract has it: object, selection, properties, start and what is written back.
  request jsonb NOT NULL,
  -- Names of the job's columns, in order.
  columns text[] NOT NULL,
  state text NOT NULL DEFAULT 'queued' CHECK (
    state IN ('queued', 'reading', 'ready', 'validating', 'writing_back', 'succeeded', 'failed', 'cancelled')
  ),
  -- Why it stands still, and until when; no moment where it waits for somebody.
  pause_reason text,
  resumes_at timestamptz,
  failure text,
  records_total integer NOT NULL DEFAULT 0 CHECK (records_total >= 0),
  records_read integer NOT NULL DEFAULT 0 CHECK (records_read >= 0),
  records_shortened integer NOT NULL DEFAULT 0 CHECK (records_shortened >= 0),
  -- The job of the present try; its rows have come in once is_in.
  job_id text,
  is_in boolean NOT NULL DEFAULT false,
  addresses integer,
  cost_max integer,
  validated integer NOT NULL DEFAULT 0,
  export_id text,
  rows_to_write integer NOT NULL DEFAULT 0,
  rows_written integer NOT NULL DEFAULT 0,
  -- How often in a row it was looked whether what it waits for has come about.
  looks integer NOT NULL DEFAULT 0,
  -- It has ended, and what it had under way is still to be stopped.
  is_stopping boolean NOT NULL DEFAULT false,
  failed_attempts integer NOT NULL DEFAULT 0,
  -- Who works on it. A worker that finds another one here stops.
  runner text,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  moved_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz,
  -- When it is going to be deleted.
  deleted_at timestamptz NOT NULL,
  CHECK ((state IN ('succeeded', 'failed', 'cancelled')) = (ended_at IS NOT NULL)),
  CHECK ((state = 'failed') = (failure IS NOT NULL))
);

CREATE INDEX crm_import_of_account ON crm_import (account_id, import_no DESC);
CREATE INDEX crm_import_under_way ON crm_import (moved_at) WHERE ended_at IS NULL OR is_stopping;
CREATE INDEX crm_import_to_delete ON crm_import (deleted_at);

CREATE INDEX outbox_of_crm_import ON outbox ((payload->>'importId')) WHERE done_at IS NULL AND failed_at IS NULL;

GRANT SELECT, INSERT, UPDATE, DELETE ON crm_import TO mailproof_dispatcher;
