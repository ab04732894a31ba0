-- Up Migration

-- Addresses whose mail host asked us to come back later (greylisting, RFC 6647). A row is deleted with its answer or
-- when its attempts are used up, so that no address of a person is kept for longer than it is needed.
CREATE TABLE deferred_probe (
  deferred_probe_id text PRIMARY KEY,
  email text NOT NULL UNIQUE,
  attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  created_at timestamptz NOT NULL DEFAULT now()
);

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
CREATE INDEX outbox_done ON outbox (done_at) WHERE done_at IS NOT NULL;

GRANT SELECT, INSERT, UPDATE, DELETE ON deferred_probe, outbox TO mailproof_validation;
