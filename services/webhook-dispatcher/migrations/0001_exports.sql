-- Up Migration

-- Rows that leave for somebody else's system: a file to download, or a push to a webhook (ADR 0036). Where a push goes to
-- is nowhere in these tables: the address and its header live sealed in Redis for as long as the push is under way.
CREATE TABLE export (
  export_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  export_id text NOT NULL UNIQUE,
  account_id text NOT NULL,
  created_by text NOT NULL,
  request_id text,
  name text NOT NULL,
  -- Which rows, as the contract has it: a validation job, saved people or lookalikes, with their filters.
  source jsonb NOT NULL,
  target text NOT NULL CHECK (target IN ('csv', 'webhook')),
  -- How they are written or sent; never where to.
  options jsonb NOT NULL DEFAULT '{}',
  -- Names of the columns, in order.
  columns text[] NOT NULL,
  status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'succeeded', 'failed')),
  -- A running export that stands still says why.
  pause_reason text,
  resumes_at timestamptz,
  -- Why it has failed.
  failure text,
  -- Keys of rows are listed from here on; null when all are listed.
  listing_position text,
  is_listed boolean NOT NULL DEFAULT false,
  rows_total integer NOT NULL DEFAULT 0 CHECK (rows_total >= 0),
  rows_delivered integer NOT NULL DEFAULT 0 CHECK (rows_delivered >= 0),
  rows_failed integer NOT NULL DEFAULT 0 CHECK (rows_failed >= 0),
  -- Rows whose record was gone when it was their turn: deleted or suppressed meanwhile.
  rows_gone integer NOT NULL DEFAULT 0 CHECK (rows_gone >= 0),
  -- Milliseconds for which receivers have made the push wait so far, and how often they said so.
  paused_ms bigint NOT NULL DEFAULT 0 CHECK (paused_ms >= 0),
  throttled integer NOT NULL DEFAULT 0 CHECK (throttled >= 0),
  -- Rows a second that the receiver has shown to take.
  pace double precision,
  -- How often in a row it could not go on for reasons of our own.
  failed_attempts integer NOT NULL DEFAULT 0,
  -- Who works on it. A worker that finds another one here stops, so that two never push the same rows for long.
  runner text,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  moved_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz,
  -- When it is going to be deleted.
  deleted_at timestamptz NOT NULL,
  CHECK (rows_delivered + rows_failed + rows_gone <= rows_total),
  CHECK ((status IN ('succeeded', 'failed')) = (ended_at IS NOT NULL)),
  CHECK ((status = 'failed') = (failure IS NOT NULL))
);

CREATE INDEX export_of_account ON export (account_id, export_no DESC);
CREATE INDEX export_under_way ON export (moved_at) WHERE status IN ('queued', 'running');
CREATE INDEX export_to_delete ON export (deleted_at);

-- The rows of an export, by the key that their source knows them by; what they say stays with the source.
CREATE TABLE export_row (
  export_no bigint NOT NULL REFERENCES export ON DELETE CASCADE,
  row_no integer NOT NULL CHECK (row_no > 0),
  record_key text NOT NULL,
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed', 'gone')),
  attempts integer NOT NULL DEFAULT 0 CHECK (attempts BETWEEN 0 AND 3),
  -- What the receiver answered last, and what went wrong, in words of ours.
  status_code integer,
  fault text,
  -- Not before. A row that is being delivered bears the moment at which whoever has it is taken for dead.
  retry_at timestamptz,
  attempted_at timestamptz,
  PRIMARY KEY (export_no, row_no)
);

CREATE INDEX export_row_pending ON export_row (export_no, row_no) WHERE state = 'pending';
CREATE INDEX export_row_failed ON export_row (export_no, row_no) WHERE state = 'failed';

-- Work that follows from a change of state, committed with it and relayed to its queue when it is due.
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
CREATE INDEX outbox_of_export ON outbox ((payload->>'exportId')) WHERE done_at IS NULL AND failed_at IS NULL;
CREATE INDEX outbox_done ON outbox (done_at) WHERE done_at IS NOT NULL;

GRANT SELECT, INSERT, UPDATE, DELETE ON export, export_row, outbox TO mailproof_dispatcher;
