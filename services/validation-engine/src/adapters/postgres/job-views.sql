-- Jobs and their rows, as their account sees and exports them (ADR 0065). A cell that is not an address is `invalid`,
-- like its verdict. Pages have at most two million octets of cells, because rows can be a million characters long.
-- Rows and their addresses are looked up one by one (`LIMIT` enforces it): if the statistics lag behind a large upload, a
-- join would compare every row with every address. `ORDER BY address_no` makes Postgres use the index of the numbers.

-- name: find_job(account_id, job_id)
SELECT j.* FROM validation_job j WHERE j.account_id = $1 AND j.gone_at IS NULL AND j.job_id = $2;

-- name: list_jobs(account_id, below?, state?, origin?, rows_max)
SELECT j.* FROM validation_job j WHERE j.account_id = $1 AND j.gone_at IS NULL
  AND ($2::bigint IS NULL OR j.job_no < $2) AND ($3::text IS NULL OR j.state = $3)
  AND ($4::text IS NULL OR j.origin = $4)
ORDER BY j.job_no DESC LIMIT $5;

-- name: waits_of_jobs(job_nos, hosts_max)
-- not null: job_no, reason, addresses, rows, next_at, until, mail_hosts
-- The previous release stores no reason; most of its waits are for greylisting.
SELECT job_no, reason, sum(addresses)::int AS addresses, sum(rows)::int AS rows, min(next_at) AS next_at,
  max(until) AS until,
  jsonb_agg(jsonb_build_object('mail_host', mail_host, 'addresses', addresses, 'next_at', next_at) ORDER BY place)
    FILTER (WHERE place <= $2) AS mail_hosts
FROM (
  SELECT *, row_number() OVER (PARTITION BY job_no, reason ORDER BY addresses DESC, mail_host) AS place
  FROM (
    SELECT job_no, coalesce(reason, 'greylisting') AS reason, mail_host, count(*)::int AS addresses,
      sum(row_count)::int AS rows, min(due_at) AS next_at, max(due_at) AS until
    FROM validation_job_address WHERE job_no = ANY($1::text[]::bigint[]) AND state = 'waiting'
    GROUP BY job_no, coalesce(reason, 'greylisting'), mail_host
  ) hosts
) ranked
GROUP BY job_no, reason ORDER BY job_no, addresses DESC, reason;

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
    JOIN LATERAL (
      SELECT * FROM validation_job_row WHERE job_no = $1 AND row_no = page.row_no LIMIT 1
    ) r ON true
    LEFT JOIN LATERAL (
      SELECT address_no, email, result, reason, mx_domain, mx_provider, email_type FROM validation_job_address
      WHERE job_no = $1 AND address_no >= r.address_no ORDER BY address_no LIMIT 1
    ) a ON a.address_no = r.address_no
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
      LEFT JOIN LATERAL (
        SELECT address_no, result FROM validation_job_address
        WHERE $5::text IS NOT NULL AND job_no = $1 AND address_no >= r.address_no ORDER BY address_no LIMIT 1
      ) a ON a.address_no = r.address_no
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
    JOIN LATERAL (
      SELECT * FROM validation_job_row WHERE job_no = $1 AND row_no = page.row_no LIMIT 1
    ) r ON true
    LEFT JOIN LATERAL (
      SELECT address_no, email, result, reason, mx_domain, mx_provider, email_type FROM validation_job_address
      WHERE job_no = $1 AND address_no >= r.address_no ORDER BY address_no LIMIT 1
    ) a ON a.address_no = r.address_no
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

-- name: domains_of_rows(job_no, domains_max)
-- not null: domains, rows
-- Rows by domain and result: the domains with the most rows in order, then the others together, without a name. `domains`
-- counts them all.
WITH found AS (
  SELECT substring(normalised FROM '[^@]*$') AS domain, result, sum(row_count)::int AS rows
  FROM validation_job_address WHERE job_no = $1 AND state = 'done' GROUP BY 1, 2
), ranked AS (
  SELECT domain, row_number() OVER (ORDER BY sum(rows) DESC, domain) AS place, count(*) OVER ()::int AS domains
  FROM found GROUP BY domain
)
SELECT CASE WHEN place <= $2 THEN domain END AS domain, domains, result, sum(rows)::int AS rows
FROM found JOIN ranked USING (domain) GROUP BY 1, 2, 3 ORDER BY min(place);

-- name: find_exported_job(account_id, job_id)
-- not null: is_started, has_ended
-- An incomplete upload has nothing to export.
SELECT job_no, columns, address_column, layout, trace_parent, state NOT IN ('receiving', 'ready') AS is_started,
  state IN ('succeeded', 'failed', 'cancelled') AS has_ended
FROM validation_job
WHERE account_id = $1 AND job_id = $2 AND gone_at IS NULL
  AND (failure IS NULL OR failure <> 'upload_broken_off');

-- name: count_exported_rows(job_no, results?, without_duplicates, has_ended)
-- not null: rows, open
SELECT count(*) FILTER (WHERE is_included)::int AS rows, count(*) FILTER (WHERE is_open)::int AS open
FROM (
  SELECT NOT $4 AND r.address_no IS NOT NULL AND a.result IS NULL AS is_open,
    ($4 OR r.address_no IS NULL OR a.result IS NOT NULL) AND ($2::text[] IS NULL OR
      CASE WHEN r.fault <> 'blank' THEN 'invalid' = ANY($2) ELSE a.result = ANY($2) END) AS is_included
  FROM validation_job_row r
  LEFT JOIN LATERAL (
    SELECT address_no, result FROM validation_job_address
    WHERE job_no = $1 AND address_no >= r.address_no ORDER BY address_no LIMIT 1
  ) a ON a.address_no = r.address_no
  WHERE r.job_no = $1 AND NOT ($3 AND r.is_duplicate)
) found;

-- name: list_exported_rows(job_no, results?, without_duplicates, has_ended, after, rows_max)
-- not null: row_nos, is_last, open
-- One statement, so that each row of a running job is either listed or open: a result never changes.
WITH found AS (
  SELECT r.row_no, NOT $4 AND r.address_no IS NOT NULL AND a.result IS NULL AS is_open
  FROM validation_job_row r
  LEFT JOIN LATERAL (
    SELECT address_no, result FROM validation_job_address
    WHERE job_no = $1 AND address_no >= r.address_no ORDER BY address_no LIMIT 1
  ) a ON a.address_no = r.address_no
  WHERE r.job_no = $1 AND NOT ($3 AND r.is_duplicate) AND r.row_no > $5
    AND ($2::text[] IS NULL OR (NOT $4 AND r.address_no IS NOT NULL AND a.result IS NULL) OR
      CASE WHEN r.fault <> 'blank' THEN 'invalid' = ANY($2) ELSE a.result = ANY($2) END)
), page AS (
  SELECT row_no, row_number() OVER (ORDER BY row_no) AS at FROM found WHERE NOT is_open ORDER BY row_no LIMIT $6 + 1
)
SELECT coalesce((SELECT array_agg(row_no ORDER BY row_no) FROM page WHERE at <= $6), '{}') AS row_nos,
  NOT EXISTS (SELECT FROM page WHERE at > $6) AS is_last,
  (SELECT count(*)::int FROM found WHERE is_open AND row_no <= coalesce(
    (SELECT max(row_no) FILTER (WHERE at <= $6) FROM page HAVING count(*) > $6), row_no)) AS open;

-- name: read_exported_rows(job_no, row_nos)
SELECT * FROM (
  SELECT k.at, f.*, sum(coalesce(octet_length(array_to_string(f.cells, '')), 0)) OVER (
    ORDER BY k.at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS octets_ahead
  FROM unnest($2::int[]) WITH ORDINALITY AS k (row_no, at)
  LEFT JOIN LATERAL (
    SELECT r.cells, r.fault, a.email, a.result, a.mx_domain, a.mx_provider, a.email_type, a.checked_at
    FROM validation_job_row r
    LEFT JOIN LATERAL (
      SELECT address_no, email, result, mx_domain, mx_provider, email_type, checked_at FROM validation_job_address
      WHERE job_no = $1 AND address_no >= r.address_no ORDER BY address_no LIMIT 1
    ) a ON a.address_no = r.address_no
    WHERE r.job_no = $1 AND r.row_no = k.row_no LIMIT 1
  ) f ON true
) p WHERE coalesce(octets_ahead, 0) < 2000000 ORDER BY at;
