-- Up Migration
-- Written ahead of the first release: no release ran on these tables, and they were empty.
-- squawk-ignore-file require-concurrent-index-creation

-- A file that is being loaded, or was. The position is committed with the records that were read up to it.
CREATE TABLE import_run (
  source_id integer PRIMARY KEY REFERENCES source,
  kind text NOT NULL CHECK (kind IN ('companies', 'people')),
  -- Rows of the file that have been dealt with, and what became of them.
  rows_done bigint NOT NULL DEFAULT 0 CHECK (rows_done >= 0),
  added bigint NOT NULL DEFAULT 0,
  merged bigint NOT NULL DEFAULT 0,
  unchanged bigint NOT NULL DEFAULT 0,
  -- Reason to number of rows.
  refused jsonb NOT NULL DEFAULT '{}',
  started_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  ended_at timestamptz
);

-- What was done for privacy's sake. It names nobody: a subject is a keyed hash.
CREATE TABLE privacy_event (
  privacy_event_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('suppressed', 'shown', 'deleted', 'expired')),
  actor text NOT NULL CHECK (actor IN ('opt_out', 'operator', 'retention')),
  subject_hash bytea,
  -- How many people it concerned.
  people integer NOT NULL DEFAULT 0 CHECK (people >= 0),
  at timestamptz NOT NULL
);

CREATE INDEX privacy_event_by_time ON privacy_event (at);

-- The time for which people are kept runs from their first load.
CREATE INDEX person_by_creation ON person (created_at) WHERE NOT is_synthetic;
CREATE INDEX removed_record_by_time ON removed_record (removed_at);

GRANT SELECT, INSERT, UPDATE, DELETE ON import_run TO mailproof_enrichment;
-- Nothing that was written down is changed; it is deleted when its time is over.
GRANT SELECT, INSERT, DELETE ON privacy_event TO mailproof_enrichment;
