-- The rows of exports (ADR 0065).

-- name: lock_export(export_no, version)
SELECT export_no FROM export WHERE export_no = $1 AND version = $2 FOR UPDATE;

-- name: append_rows(export_no, record_keys, state, rows_max)
INSERT INTO export_row (export_no, row_no, record_key, state)
SELECT $1, n.last_no + k.at, k.record_key, $3
FROM (SELECT coalesce(max(row_no), 0) AS last_no FROM export_row WHERE export_no = $1) n,
  unnest($2::text[]) WITH ORDINALITY AS k(record_key, at)
WHERE n.last_no + k.at <= $4;

-- name: copy_failed_rows(export_no, account_id, export_id)
INSERT INTO export_row (export_no, row_no, record_key)
SELECT $1, row_number() OVER (ORDER BY r.row_no), r.record_key
FROM export e JOIN export_row r ON r.export_no = e.export_no
WHERE e.account_id = $2 AND e.export_id = $3 AND r.state = 'failed';

-- name: note_listed(export_no, listing_position?, is_last, now, rows_max, open, is_first)
-- The first page replaces the number of open rows that was counted when the export was created.
UPDATE export e SET status = 'running', started_at = coalesce(e.started_at, $4), moved_at = $4,
  listing_position = coalesce($2, e.listing_position), is_listed = $3 OR n.rows >= $5,
  rows_total = CASE WHEN $3 OR n.rows >= $5 THEN n.rows ELSE greatest(e.rows_total, n.rows) END,
  rows_open = $6 + CASE WHEN $7 THEN 0 ELSE e.rows_open END,
  rows_delivered = n.delivered, failed_attempts = 0, version = e.version + 1
FROM (
  SELECT count(*)::int AS rows, (count(*) FILTER (WHERE state = 'delivered'))::int AS delivered
  FROM export_row WHERE export_no = $1
) n
WHERE e.export_no = $1 RETURNING e.*;

-- name: claim_rows(export_no, rows_max, now, claimed_until)
-- Claims due rows in order; skips rows that another worker is claiming at the same time.
WITH claimed AS (
  SELECT row_no FROM export_row
  WHERE export_no = $1 AND state = 'pending' AND (retry_at IS NULL OR retry_at <= $3)
  ORDER BY row_no LIMIT $2 FOR UPDATE SKIP LOCKED
), marked AS (
  UPDATE export_row r SET retry_at = $4 FROM claimed c
  WHERE r.export_no = $1 AND r.row_no = c.row_no RETURNING r.*
)
SELECT * FROM marked ORDER BY row_no;

-- name: renew_claims(export_no, row_nos, claimed_until)
UPDATE export_row SET retry_at = $3 WHERE export_no = $1 AND row_no = ANY($2::int[]) AND state = 'pending';

-- name: next_due_at(export_no, now)
SELECT min(coalesce(retry_at, $2)) AS due_at FROM export_row WHERE export_no = $1 AND state = 'pending';

-- name: list_rows(export_no, after_row_no, state?, rows_max, action?)
SELECT r.* FROM export_row r
WHERE r.export_no = $1 AND r.row_no > $2 AND ($3::text IS NULL OR r.state = $3)
  AND ($5::text IS NULL OR (r.action = $5 AND r.state = 'delivered'))
ORDER BY r.row_no LIMIT $4;

-- name: record_gone(export_no, row_nos)
WITH changed AS (
  UPDATE export_row SET state = 'gone'
  WHERE export_no = $1 AND row_no = ANY($2::int[]) AND state = 'delivered' RETURNING 1
), counted AS (SELECT count(*)::int AS gone FROM changed)
UPDATE export e SET rows_delivered = e.rows_delivered - c.gone, rows_gone = e.rows_gone + c.gone,
  version = e.version + 1
FROM counted c WHERE e.export_no = $1 AND c.gone > 0;

-- name: requeue_refused(export_no, faults)
WITH taken AS (
  UPDATE export_row SET state = 'pending', attempts = 0, retry_at = NULL
  WHERE export_no = $1 AND state = 'failed' AND fault = ANY($2) RETURNING 1
)
UPDATE export e SET rows_failed = e.rows_failed - (SELECT count(*) FROM taken), version = e.version + 1
WHERE e.export_no = $1 RETURNING e.*;
