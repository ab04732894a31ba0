-- The rows of CRM pushes: marks, which keep two rows from creating one record twice, intents, and undos (ADR 0065). A row
-- with the action `created` and no record was about to be created, but its outcome was not recorded: it is unsettled.

-- name: take_marks(export_no, marks, row_nos)
-- Locks in the order of the marks, so that concurrent workers do not deadlock.
INSERT INTO export_row_mark AS m (export_no, mark, row_no)
SELECT DISTINCT ON (a.mark) $1::bigint, a.mark, a.row_no
FROM unnest($2::text[], $3::int[]) AS a(mark, row_no) ORDER BY a.mark, a.row_no
ON CONFLICT (export_no, mark) DO UPDATE SET row_no = excluded.row_no
WHERE (SELECT r.state FROM export_row r WHERE r.export_no = m.export_no AND r.row_no = m.row_no) IN ('failed', 'gone')
  OR ((SELECT r.state FROM export_row r WHERE r.export_no = m.export_no AND r.row_no = m.row_no) = 'pending'
    AND m.row_no > excluded.row_no);

-- name: find_earlier_rows(export_no, marks, row_nos)
-- not null: row_no
-- A delivered earlier row takes precedence; a pending one has to be waited for.
SELECT DISTINCT ON (a.row_no) a.row_no, m.row_no AS earlier_row_no, r.state
FROM unnest($2::text[], $3::int[]) AS a(mark, row_no)
JOIN export_row_mark m ON m.export_no = $1 AND m.mark = a.mark AND m.row_no <> a.row_no
JOIN export_row r ON r.export_no = $1 AND r.row_no = m.row_no
ORDER BY a.row_no, r.state = 'delivered' DESC, m.row_no;

-- name: note_intents(export_no, row_nos, actions)
UPDATE export_row r SET action = i.action
FROM unnest($2::int[], $3::text[]) AS i(row_no, action)
WHERE r.export_no = $1 AND r.row_no = i.row_no AND r.state = 'pending';

-- name: find_running_export(export_no)
SELECT export_no FROM export WHERE export_no = $1 AND ended_at IS NULL;

-- name: forget_marks(export_id)
DELETE FROM export_row_mark m USING export e WHERE e.export_id = $1 AND m.export_no = e.export_no;

-- name: begin_undo(export_no, now)
UPDATE export e SET undo_status = 'running', undo_failure = NULL, undo_records = c.records, undo_removed = c.removed,
  undo_failed = 0, undo_failed_attempts = 0, undo_begun_at = $2, undo_moved_at = $2, undo_ended_at = NULL,
  version = e.version + 1
FROM (
  SELECT (count(*) FILTER (WHERE crm_record_id IS NOT NULL))::int AS records,
    (count(*) FILTER (WHERE undone = 'removed'))::int AS removed,
    count(*) FILTER (WHERE undone = 'failed' OR (crm_record_id IS NULL AND undone IS NULL)) AS others
  FROM export_row WHERE export_no = $1 AND action = 'created'
) c
WHERE e.export_no = $1 AND e.ended_at IS NOT NULL AND e.undo_status IS DISTINCT FROM 'running'
  AND (e.undo_status IS NULL OR c.records > c.removed OR c.others > 0)
RETURNING e.*;

-- name: retry_failed_undos(export_no)
UPDATE export_row SET undone = NULL, fault = NULL WHERE export_no = $1 AND undone = 'failed';

-- name: next_created_records(export_no, rows_max)
-- not null: crm_record_id
SELECT row_no, crm_record_id FROM export_row
WHERE export_no = $1 AND action = 'created' AND crm_record_id IS NOT NULL AND undone IS NULL ORDER BY row_no LIMIT $2;

-- name: list_unsettled_rows(export_no, rows_max)
SELECT row_no, record_key FROM export_row
WHERE export_no = $1 AND action = 'created' AND crm_record_id IS NULL AND undone IS NULL ORDER BY row_no LIMIT $2;

-- name: settle_rows(export_no, row_nos, record_ids, now)
WITH found AS (SELECT * FROM unnest($2::int[], $3::text[]) AS f(row_no, record_id)), settled AS (
  UPDATE export_row r SET crm_record_id = f.record_id, action = CASE WHEN f.record_id IS NULL THEN NULL ELSE r.action END
  FROM found f
  WHERE r.export_no = $1 AND r.row_no = f.row_no AND action = 'created' AND crm_record_id IS NULL AND undone IS NULL
  RETURNING r.crm_record_id
)
UPDATE export e SET undo_moved_at = $4, version = e.version + 1,
  undo_records = e.undo_records + (SELECT count(*) FROM settled WHERE crm_record_id IS NOT NULL)
WHERE e.export_no = $1;

-- name: record_undone(export_no, row_nos, undone, faults, now)
WITH outcome AS (
  SELECT * FROM unnest($2::int[], $3::text[], $4::text[]) AS o(row_no, undone, fault)
), changed AS (
  UPDATE export_row r SET undone = o.undone, fault = coalesce(o.fault, r.fault) FROM outcome o
  WHERE r.export_no = $1 AND r.row_no = o.row_no AND r.undone IS NULL RETURNING r.undone
), counted AS (
  SELECT (count(*) FILTER (WHERE undone = 'removed'))::int AS removed,
    (count(*) FILTER (WHERE undone = 'failed'))::int AS failed
  FROM changed
)
UPDATE export e SET undo_removed = e.undo_removed + c.removed, undo_failed = e.undo_failed + c.failed,
  undo_records = greatest(e.undo_records, e.undo_removed + c.removed + e.undo_failed + c.failed),
  undo_failed_attempts = 0, undo_moved_at = $5, version = e.version + 1
FROM counted c WHERE e.export_no = $1;

-- name: note_undo_fault(export_no)
UPDATE export SET undo_failed_attempts = undo_failed_attempts + 1 WHERE export_no = $1;

-- name: end_undo(export_no, failure?, now)
UPDATE export e SET undo_status = CASE WHEN $2::text IS NULL THEN 'succeeded' ELSE 'failed' END, undo_failure = $2,
  undo_ended_at = $3, undo_moved_at = $3, version = e.version + 1
WHERE e.export_no = $1 AND e.undo_status = 'running' RETURNING e.*;
