-- Jobs and their rows, as their account sees and exports them (ADR 0065). A cell that is not an address is `invalid`,
-- like its verdict. Pages have at most two million octets of cells, because rows can be a million characters long.

-- name: find_job(account_id, job_id)
-- not null: waiting
SELECT j.*, (SELECT count(*)::int FROM validation_job_address a
  WHERE a.job_no = j.job_no AND a.state = 'waiting') AS waiting
FROM validation_job j WHERE j.account_id = $1 AND j.gone_at IS NULL AND j.job_id = $2;

-- name: list_jobs(account_id, below?, state?, origin?, rows_max)
-- not null: waiting
SELECT j.*, (SELECT count(*)::int FROM validation_job_address a
  WHERE a.job_no = j.job_no AND a.state = 'waiting') AS waiting
FROM validation_job j WHERE j.account_id = $1 AND j.gone_at IS NULL
  AND ($2::bigint IS NULL OR j.job_no < $2) AND ($3::text IS NULL OR j.state = $3)
  AND ($4::text IS NULL OR j.origin = $4)
ORDER BY j.job_no DESC LIMIT $5;

-- name: find_rows_of_job(account_id, job_id)
SELECT job_no, layout FROM validation_job WHERE account_id = $1 AND job_id = $2 AND gone_at IS NULL;

-- name: rename_job(account_id, job_id, name)
UPDATE validation_job SET name = $3, version = version + 1
WHERE account_id = $1 AND job_id = $2 AND gone_at IS NULL;

-- name: page_of_rows(job_no, after, rows_max, skipped)
-- not null: row_no, cells, is_duplicate, is_last
-- Finds the row numbers of the page first, so that it does not read the rows before the page in full: the index has them.
SELECT * FROM (
  SELECT f.*, lead(f.row_no) OVER w IS NULL AS is_last, sum(f.octets) OVER w - f.octets AS octets_ahead
  FROM (
    SELECT r.row_no, r.cells, r.fault, r.is_duplicate, a.email, a.result, a.reason, a.mx_domain, a.mx_provider,
      a.email_type, octet_length(array_to_string(r.cells, '')) AS octets
    FROM (
      SELECT r.job_no, r.row_no FROM validation_job_row r
      WHERE r.job_no = $1 AND r.row_no > $2::bigint
      ORDER BY r.row_no OFFSET $4 LIMIT $3
    ) page
    JOIN validation_job_row r USING (job_no, row_no)
    LEFT JOIN validation_job_address a ON a.job_no = r.job_no AND a.address_no = r.address_no
  ) f WINDOW w AS (ORDER BY f.row_no)
) p WHERE octets_ahead < 2000000 ORDER BY row_no;

-- name: page_of_some_rows(job_no, after, rows_max, skipped, result?, kind?)
-- not null: row_no, cells, is_duplicate, is_last
-- The planner knows the values, so it reads no addresses of rows before the page if `result` is null.
SELECT * FROM (
  SELECT f.*, lead(f.row_no) OVER w IS NULL AS is_last, sum(f.octets) OVER w - f.octets AS octets_ahead
  FROM (
    SELECT r.row_no, r.cells, r.fault, r.is_duplicate, a.email, a.result, a.reason, a.mx_domain, a.mx_provider,
      a.email_type, octet_length(array_to_string(r.cells, '')) AS octets
    FROM (
      SELECT r.job_no, r.row_no FROM validation_job_row r
      LEFT JOIN validation_job_address a ON a.job_no = r.job_no AND a.address_no = r.address_no
      WHERE r.job_no = $1 AND r.row_no > $2::bigint
        AND CASE $5::text
          WHEN 'invalid' THEN a.result = 'invalid' OR r.fault <> 'blank'
          WHEN 'none' THEN a.result IS NULL AND (r.fault IS NULL OR r.fault = 'blank')
          ELSE $5 IS NULL OR a.result = $5 END
        AND CASE $6::text
          WHEN 'valid' THEN r.address_no IS NOT NULL
          WHEN 'broken' THEN r.fault <> 'blank'
          WHEN 'blank' THEN r.fault = 'blank'
          WHEN 'duplicate' THEN r.is_duplicate
          ELSE true END
      ORDER BY r.row_no OFFSET $4 LIMIT $3
    ) page
    JOIN validation_job_row r USING (job_no, row_no)
    LEFT JOIN validation_job_address a ON a.job_no = r.job_no AND a.address_no = r.address_no
  ) f WINDOW w AS (ORDER BY f.row_no)
) p WHERE octets_ahead < 2000000 ORDER BY row_no;

-- name: groups_of_rows(job_no)
-- not null: by, rows
-- Rows by their findings. A cell that is not an address counts from the start of the job, as in its counts.
SELECT CASE grouping(mx_provider, email_type, reason) WHEN 3 THEN 'provider' WHEN 5 THEN 'emailType' ELSE 'reason' END
  AS by, mx_provider, email_type, result, reason, sum(row_count)::int AS rows
FROM (
  SELECT mx_provider, email_type, result, reason, row_count FROM validation_job_address
  WHERE job_no = $1 AND state = 'done'
  UNION ALL
  SELECT NULL, NULL, 'invalid', 'syntax', rows_broken FROM validation_job
  WHERE job_no = $1 AND started_at IS NOT NULL AND rows_broken > 0
) known
GROUP BY GROUPING SETS ((mx_provider, result), (email_type), (result, reason));

-- name: find_exported_job(account_id, job_id)
-- not null: has_ended
-- An incomplete upload has nothing to export.
SELECT job_no, columns, address_column, trace_parent, state IN ('succeeded', 'failed', 'cancelled') AS has_ended
FROM validation_job
WHERE account_id = $1 AND job_id = $2 AND gone_at IS NULL
  AND (failure IS NULL OR failure <> 'upload_broken_off');

-- name: count_exported_rows(job_no, results?, without_duplicates)
-- not null: rows
SELECT count(*)::int AS rows
FROM validation_job_row r
LEFT JOIN validation_job_address a ON a.job_no = r.job_no AND a.address_no = r.address_no
WHERE r.job_no = $1 AND ($2::text[] IS NULL OR
    CASE WHEN r.fault <> 'blank' THEN 'invalid' = ANY($2) ELSE a.result = ANY($2) END)
  AND NOT ($3 AND r.is_duplicate);

-- name: list_exported_rows(job_no, results?, without_duplicates, after, rows_max)
-- not null: row_no
SELECT r.row_no
FROM validation_job_row r
LEFT JOIN validation_job_address a ON a.job_no = r.job_no AND a.address_no = r.address_no
WHERE r.job_no = $1 AND ($2::text[] IS NULL OR
    CASE WHEN r.fault <> 'blank' THEN 'invalid' = ANY($2) ELSE a.result = ANY($2) END)
  AND NOT ($3 AND r.is_duplicate) AND r.row_no > $4
ORDER BY r.row_no LIMIT $5;

-- name: read_exported_rows(job_no, row_nos)
-- Reads row by row (`LIMIT` enforces it): if statistics lag behind a large upload, a join would read the whole job.
SELECT * FROM (
  SELECT k.at, f.*, sum(coalesce(octet_length(array_to_string(f.cells, '')), 0)) OVER (
    ORDER BY k.at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS octets_ahead
  FROM unnest($2::int[]) WITH ORDINALITY AS k (row_no, at)
  LEFT JOIN LATERAL (
    SELECT r.cells, r.fault, a.email, a.result, a.mx_domain, a.mx_provider, a.email_type, a.checked_at
    FROM validation_job_row r
    LEFT JOIN validation_job_address a ON a.job_no = r.job_no AND a.address_no = r.address_no
    WHERE r.job_no = $1 AND r.row_no = k.row_no LIMIT 1
  ) f ON true
) p WHERE coalesce(octets_ahead, 0) < 2000000 ORDER BY at;
