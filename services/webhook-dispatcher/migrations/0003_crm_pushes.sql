-- Up Migration
-- Written ahead of the first release: no release ran on these tables, and they were empty.
-- squawk-ignore-file constraint-missing-not-valid, require-concurrent-index-creation

-- Exports whose rows become records of a CRM (ADR 0040). Where they go is a connection that `options` names.
ALTER TABLE export
  DROP CONSTRAINT export_target_check,
  ADD CONSTRAINT export_target_check CHECK (target IN ('csv', 'webhook', 'crm')),
  -- What was done for the rows that were delivered.
  ADD COLUMN rows_created integer NOT NULL DEFAULT 0 CHECK (rows_created >= 0),
  ADD COLUMN rows_updated integer NOT NULL DEFAULT 0 CHECK (rows_updated >= 0),
  ADD COLUMN rows_skipped integer NOT NULL DEFAULT 0 CHECK (rows_skipped >= 0),
  -- Taking away what the export created: null where nobody has asked for it.
  ADD COLUMN undo_status text CHECK (undo_status IN ('running', 'succeeded', 'failed')),
  ADD COLUMN undo_failure text,
  ADD COLUMN undo_records integer NOT NULL DEFAULT 0 CHECK (undo_records >= 0),
  ADD COLUMN undo_removed integer NOT NULL DEFAULT 0 CHECK (undo_removed >= 0),
  ADD COLUMN undo_failed integer NOT NULL DEFAULT 0 CHECK (undo_failed >= 0),
  -- How often in a row it could not go on for reasons of our own.
  ADD COLUMN undo_failed_attempts integer NOT NULL DEFAULT 0,
  ADD COLUMN undo_begun_at timestamptz,
  ADD COLUMN undo_moved_at timestamptz,
  ADD COLUMN undo_ended_at timestamptz,
  ADD CHECK ((undo_status IN ('succeeded', 'failed')) = (undo_ended_at IS NOT NULL) OR undo_status IS NULL),
  ADD CHECK (undo_status IS NULL OR (undo_status = 'failed') = (undo_failure IS NOT NULL));

CREATE INDEX export_undo_under_way ON export (undo_moved_at) WHERE undo_status = 'running';

ALTER TABLE export_row
  -- While a row is pending: what is going to be done for it, written down ahead of the call that does it.
  ADD COLUMN action text CHECK (action IN ('created', 'updated', 'skipped')),
  -- What the CRM calls the record.
  ADD COLUMN crm_record_id text,
  -- What came of taking the record away again.
  ADD COLUMN undone text CHECK (undone IN ('removed', 'failed'));

CREATE INDEX export_row_to_undo ON export_row (export_no, row_no) WHERE action = 'created' AND undone IS NULL;

-- What the rows of a push stand for, so that two rows never make two records of the same thing: hashes that mean nothing
-- outside of their export, forgotten when it ends.
CREATE TABLE export_row_mark (
  export_no bigint NOT NULL REFERENCES export ON DELETE CASCADE,
  mark text NOT NULL,
  row_no integer NOT NULL,
  PRIMARY KEY (export_no, mark)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON export_row_mark TO mailproof_dispatcher;
