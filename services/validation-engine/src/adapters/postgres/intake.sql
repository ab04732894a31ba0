-- Jobs before their start and after their end: uploads, recounts, removal (ADR 0065).

-- name: begin_job(job_id, account_id, created_by, request_id?, name, origin, price, created_at, deleted_at, trace_parent?, uploads_max, unstarted_max, upload_key?)
-- Concurrent starts may exceed the limit of an account by one or two, which is harmless.
INSERT INTO validation_job
  (job_id, account_id, created_by, request_id, name, origin, price, created_at, moved_at, deleted_at, trace_parent,
   upload_key)
SELECT $1, $2, $3, $4, $5, $6, $7, $8, now(), $9, $10, $13
WHERE (SELECT count(*) FROM validation_job WHERE account_id = $2 AND gone_at IS NULL AND state = 'receiving') < $11
  AND (SELECT count(*) FROM validation_job
       WHERE account_id = $2 AND gone_at IS NULL AND state IN ('receiving', 'ready')) < $12
ON CONFLICT (account_id, upload_key) WHERE upload_key IS NOT NULL AND gone_at IS NULL DO NOTHING;

-- name: find_upload(account_id, upload_key)
-- not null: is_receiving
SELECT job_id, state = 'receiving' AS is_receiving, upload_hash FROM validation_job
WHERE account_id = $1 AND upload_key = $2 AND gone_at IS NULL;

-- name: discard_interrupted_upload(account_id, upload_key)
-- The next sweep deletes its rows. An upload that shows no life for 90 seconds lost its process: a body that still arrives
-- shows some every 20 seconds.
UPDATE validation_job SET gone_at = now(), version = version + 1
WHERE account_id = $1 AND upload_key = $2 AND gone_at IS NULL
  AND (failure = 'upload_broken_off' OR (state = 'receiving' AND moved_at < now() - interval '90 seconds'));

-- name: note_rows(job_id, total, valid, broken, blank, duplicate)
UPDATE validation_job SET rows_total = $2, rows_valid = $3, rows_broken = $4, rows_blank = $5,
  rows_duplicate = $6, moved_at = now(), version = version + 1
WHERE job_id = $1 AND state = 'receiving' AND gone_at IS NULL
RETURNING job_no;

-- name: insert_addresses(job_no, address_nos, emails, normalized)
INSERT INTO validation_job_address (job_no, address_no, email, normalised)
SELECT $1, * FROM unnest($2::int[], $3::text[], $4::text[]);

-- name: insert_rows(job_no, row_nos, cells, address_nos, faults, are_duplicates)
-- Cells are arrays as texts, since rows of different lengths cannot form a two-dimensional array.
INSERT INTO validation_job_row (job_no, row_no, cells, address_no, fault, is_duplicate)
SELECT $1, row_no, cells::text[], address_no, fault, is_duplicate
FROM unnest($2::int[], $3::text[], $4::int[], $5::text[], $6::boolean[])
  AS r (row_no, cells, address_no, fault, is_duplicate);

-- name: finish_job(job_id, total, valid, broken, blank, duplicate, addresses, layout?, header, columns, column_facts, address_column, upload_hash?)
UPDATE validation_job SET rows_total = $2, rows_valid = $3, rows_broken = $4, rows_blank = $5,
  rows_duplicate = $6, addresses = $7, layout = $8, header = $9, columns = $10, column_facts = $11,
  address_column = $12, upload_hash = $13, moved_at = now(), version = version + 1, state = 'ready'
WHERE job_id = $1 AND state = 'receiving' AND gone_at IS NULL;

-- name: discard_job(job_id)
UPDATE validation_job SET gone_at = now() WHERE job_id = $1 AND state = 'receiving' RETURNING job_no;

-- name: discard_unfinished_job(account_id, job_id)
UPDATE validation_job SET gone_at = now(), version = version + 1
WHERE account_id = $1 AND job_id = $2 AND gone_at IS NULL AND origin = 'crm'
  AND (state = 'receiving' OR failure = 'upload_broken_off');

-- name: interrupt_job(job_id)
UPDATE validation_job SET state = 'failed', failure = 'upload_broken_off', charge = 0, spent = 0,
  ended_at = now(), version = version + 1
WHERE job_id = $1 AND state = 'receiving' AND gone_at IS NULL;

-- Recounts of the rows of a job, in one transaction.

-- name: lock_content(job_id, state)
SELECT job_no, layout, header, columns, column_facts, address_column, rows_total, rows_valid, rows_broken,
  rows_blank, rows_duplicate, addresses
FROM validation_job WHERE job_id = $1 AND state = $2 AND gone_at IS NULL FOR UPDATE;

-- name: note_content(job_id, total, valid, broken, blank, duplicate, addresses, layout?, header, columns, column_facts, address_column)
UPDATE validation_job SET rows_total = $2, rows_valid = $3, rows_broken = $4, rows_blank = $5,
  rows_duplicate = $6, addresses = $7, layout = $8, header = $9, columns = $10, column_facts = $11,
  address_column = $12, moved_at = now(), version = version + 1
WHERE job_id = $1;

-- name: first_row(job_no)
SELECT cells FROM validation_job_row WHERE job_no = $1 AND row_no = 1;

-- name: remove_first_row(job_no)
DELETE FROM validation_job_row WHERE job_no = $1 AND row_no = 1;

-- name: forget_addresses(job_no)
DELETE FROM validation_job_address WHERE job_no = $1;

-- name: cells_of_column(job_no, after, column, rows_max)
-- not null: cell
SELECT row_no, coalesce(cells[$3::int + 1], '') AS cell FROM validation_job_row
WHERE job_no = $1 AND row_no > $2 ORDER BY row_no LIMIT $4;

-- name: update_rows(job_no, row_nos, address_nos, faults, are_duplicates)
UPDATE validation_job_row r SET address_no = n.address_no, fault = n.fault, is_duplicate = n.is_duplicate
FROM unnest($2::int[], $3::int[], $4::text[], $5::boolean[]) AS n (row_no, address_no, fault, is_duplicate)
WHERE r.job_no = $1 AND r.row_no = n.row_no;

-- The rows of a job that has ended whose address is unknown or has no result, and so was not charged, as a new job.

-- name: find_revalidation(account_id, job_id)
-- not null: is_gone
SELECT gone_at IS NOT NULL AS is_gone FROM validation_job WHERE account_id = $1 AND job_id = $2;

-- name: lock_revalidated(account_id, job_id)
-- not null: is_active, has_rest, last_address, last_row
-- The lock keeps the rows from being deleted meanwhile. A job that has not started has no rest, and neither has a part
-- of an upload.
SELECT job_no, name, layout, state NOT IN ('ready', 'succeeded', 'failed', 'cancelled') AS is_active,
  j.state <> 'ready' AND j.failure IS DISTINCT FROM 'upload_broken_off' AND EXISTS (
    SELECT FROM validation_job_address a WHERE a.job_no = j.job_no AND (a.result IS NULL OR a.result = 'unknown')
  ) AS has_rest,
  coalesce((SELECT max(a.address_no) FROM validation_job_address a WHERE a.job_no = j.job_no), 0) AS last_address,
  coalesce((SELECT max(r.row_no) FROM validation_job_row r WHERE r.job_no = j.job_no), 0) AS last_row
FROM validation_job j WHERE account_id = $1 AND job_id = $2 AND gone_at IS NULL FOR SHARE OF j;

-- name: begin_revalidation(job_id, source_no, created_by, request_id, name, price, created_at, deleted_at, trace_parent?, unstarted_max)
-- The CRM that the rows of an import came from does not get the new results, so the rows are a list.
INSERT INTO validation_job
  (job_id, account_id, created_by, request_id, name, origin, state, layout, header, columns, address_column, price,
   created_at, moved_at, deleted_at, trace_parent)
SELECT $1, account_id, $3, $4, $5, CASE origin WHEN 'crm' THEN 'list' ELSE origin END, 'ready', layout, header, columns,
  address_column, $6, $7, now(), $8, $9
FROM validation_job s
WHERE job_no = $2 AND (SELECT count(*) FROM validation_job o
  WHERE o.account_id = s.account_id AND o.gone_at IS NULL AND o.state IN ('receiving', 'ready')) < $10
ON CONFLICT (job_id) DO NOTHING RETURNING job_no;

-- name: copy_rest_addresses(job_no, source_no, after, last)
INSERT INTO validation_job_address (job_no, address_no, email, normalised)
SELECT $1, address_no, email, normalised FROM validation_job_address
WHERE job_no = $2 AND address_no > $3 AND address_no <= $4 AND (result IS NULL OR result = 'unknown');

-- name: copy_rest_rows(job_no, source_no, after, last, rows_before)
-- The first row of an address and its duplicates have the same result. Looks up the address of each row: with outdated
-- statistics, a join could compare every row with every address.
INSERT INTO validation_job_row (job_no, row_no, cells, address_no, is_duplicate)
SELECT $1, $5::int + row_number() OVER (ORDER BY r.row_no), r.cells, r.address_no, r.is_duplicate
FROM validation_job_row r
JOIN LATERAL (
  SELECT address_no, result FROM validation_job_address
  WHERE job_no = $2 AND address_no >= r.address_no ORDER BY address_no LIMIT 1
) a ON a.address_no = r.address_no AND (a.result IS NULL OR a.result = 'unknown')
WHERE r.job_no = $2 AND r.row_no > $3 AND r.row_no <= $4;

-- name: first_rows(job_no, rows_max)
SELECT cells FROM validation_job_row WHERE job_no = $1 ORDER BY row_no LIMIT $2;

-- name: finish_revalidation(job_no, column_facts)
UPDATE validation_job j SET rows_total = n.rows, rows_valid = n.rows, rows_duplicate = n.duplicates,
  addresses = (SELECT count(*) FROM validation_job_address WHERE job_no = $1), column_facts = $2
FROM (
  SELECT count(*)::int AS rows, count(*) FILTER (WHERE is_duplicate)::int AS duplicates
  FROM validation_job_row WHERE job_no = $1
) n WHERE j.job_no = $1 RETURNING j.job_no;

-- Removal: a job is hidden first. Its rows are deleted in batches, so that locks are short. Each batch locks the job: the
-- sweep may delete the same rows, and two concurrent deletions would block each other.

-- name: hide_job(job_id, account_id)
UPDATE validation_job SET gone_at = now(), version = version + 1
WHERE job_id = $1 AND account_id = $2 AND gone_at IS NULL
  AND state IN ('ready', 'succeeded', 'failed', 'cancelled');

-- name: hide_old_jobs(now, jobs_max)
UPDATE validation_job SET gone_at = now(), version = version + 1
WHERE job_no = ANY(ARRAY(SELECT job_no FROM validation_job
  WHERE deleted_at <= $1 AND gone_at IS NULL AND state IN ('ready', 'succeeded', 'failed', 'cancelled') LIMIT $2));

-- name: hidden_jobs(jobs_max)
SELECT job_no FROM validation_job WHERE gone_at IS NOT NULL ORDER BY gone_at LIMIT $1;

-- name: interrupt_still_jobs(still_ms)
UPDATE validation_job SET state = 'failed', failure = 'upload_broken_off', charge = 0, spent = 0,
  ended_at = now(), version = version + 1
WHERE state = 'receiving' AND gone_at IS NULL AND moved_at < now() - make_interval(secs => $1 / 1000.0)
RETURNING job_id;

-- name: interrupted_jobs(jobs_max)
SELECT job_id FROM validation_job WHERE failure = 'upload_broken_off' AND rows_total > 0 LIMIT $1;

-- name: interrupted_job(job_id)
SELECT job_no FROM validation_job WHERE job_id = $1 AND failure = 'upload_broken_off' AND rows_total > 0;

-- name: forget_counts(job_no)
UPDATE validation_job SET rows_total = 0, rows_valid = 0, rows_broken = 0, rows_blank = 0, rows_duplicate = 0,
  version = version + 1
WHERE job_no = $1;

-- name: delete_rows(job_no, rows_max)
WITH job AS MATERIALIZED (SELECT job_no FROM validation_job WHERE job_no = $1 FOR UPDATE)
DELETE FROM validation_job_row WHERE ctid = ANY(ARRAY(
  SELECT rows.ctid FROM job JOIN validation_job_row AS rows USING (job_no) LIMIT $2));

-- name: delete_addresses(job_no, rows_max)
WITH job AS MATERIALIZED (SELECT job_no FROM validation_job WHERE job_no = $1 FOR UPDATE)
DELETE FROM validation_job_address WHERE ctid = ANY(ARRAY(
  SELECT rows.ctid FROM job JOIN validation_job_address AS rows USING (job_no) LIMIT $2));

-- name: delete_job(job_no)
DELETE FROM validation_job WHERE job_no = $1;
