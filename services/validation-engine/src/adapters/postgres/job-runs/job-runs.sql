-- Jobs from their start to their end, and their addresses (ADR 0065).

-- name: list_addresses(job_no)
SELECT address_no AS "addressNo", email FROM validation_job_address WHERE job_no = $1 ORDER BY address_no;

-- name: count_results(job_id)
SELECT name, done, rows_broken, results FROM validation_job WHERE job_id = $1;

-- name: assign_chunks(job_no, address_nos, mail_hosts, chunk_nos)
UPDATE validation_job_address a
SET mail_host = p.mail_host, chunk_no = p.chunk_no, row_count = coalesce(r.rows, 1)
FROM unnest($2::int[], $3::text[], $4::int[]) AS p (address_no, mail_host, chunk_no)
LEFT JOIN (
  SELECT address_no, count(*)::int AS rows FROM validation_job_row
  WHERE job_no = $1 AND address_no = ANY($2::int[]) GROUP BY address_no
) r USING (address_no)
WHERE a.job_no = $1 AND a.address_no = p.address_no;

-- name: open_chunks(job_no, now)
SELECT DISTINCT ON (chunk_no) chunk_no AS "chunkNo", mail_host AS "mailHost" FROM validation_job_address
WHERE job_no = $1 AND state <> 'done' AND (state = 'pending' OR due_at <= $2) ORDER BY chunk_no, address_no;

-- name: open_addresses(job_no, now, chunk_no)
SELECT address_no AS "addressNo", email, attempts FROM validation_job_address
WHERE job_no = $1 AND chunk_no = $3 AND state <> 'done' AND (state = 'pending' OR due_at <= $2) ORDER BY address_no;

-- name: next_at(job_no, now)
SELECT min(CASE state WHEN 'pending' THEN $2 ELSE due_at END) AS next_at FROM validation_job_address
WHERE job_no = $1 AND state <> 'done';

-- name: record_addresses(job_no, asked, per_second, now)
-- Locks the job first, as every change of it does: nothing is recorded once the charge has been counted. A finished
-- address stays unchanged, so that two workers with the same question count it once.
WITH job AS (
  SELECT job_no FROM validation_job WHERE job_no = $1 AND ending IS NULL FOR UPDATE
), changed AS (
  UPDATE validation_job_address a SET
    state = asked.state, attempts = a.attempts + 1, due_at = asked.due_at, result = asked.result,
    reason = asked.reason, mx_domain = asked.mx_domain, mx_provider = asked.mx_provider,
    email_type = asked.email_type, secure_email_gateway = asked.secure_email_gateway, details = asked.details,
    checked_at = $4::timestamptz
  FROM job, jsonb_to_recordset($2::jsonb) AS asked (
    address_no int, state text, due_at timestamptz, result text, reason text, mx_domain text, mx_provider text,
    email_type text, secure_email_gateway boolean, details jsonb)
  WHERE a.job_no = job.job_no AND a.address_no = asked.address_no AND a.state <> 'done'
  RETURNING a.state, a.result, a.row_count
), counted AS (
  SELECT count(*) FILTER (WHERE state = 'done')::int AS done,
    count(*) FILTER (WHERE result <> 'unknown')::int AS charged,
    coalesce(sum(row_count) FILTER (WHERE result = 'ok'), 0)::int AS ok,
    coalesce(sum(row_count) FILTER (WHERE result = 'catch_all_validated'), 0)::int AS catch_all_validated,
    coalesce(sum(row_count) FILTER (WHERE result = 'catch_all'), 0)::int AS catch_all,
    coalesce(sum(row_count) FILTER (WHERE result = 'invalid'), 0)::int AS invalid,
    coalesce(sum(row_count) FILTER (WHERE result = 'unknown'), 0)::int AS unknown
  FROM changed
)
UPDATE validation_job j SET
  done = j.done + counted.done, charged = j.charged + counted.charged,
  results = jsonb_build_object(
    'ok', coalesce((j.results->>'ok')::int, 0) + counted.ok,
    'catch_all_validated', coalesce((j.results->>'catch_all_validated')::int, 0) + counted.catch_all_validated,
    'catch_all', coalesce((j.results->>'catch_all')::int, 0) + counted.catch_all,
    'invalid', coalesce((j.results->>'invalid')::int, 0) + counted.invalid,
    'unknown', coalesce((j.results->>'unknown')::int, 0) + counted.unknown),
  per_second = $3, failed_attempts = 0, moved_at = $4, version = j.version + 1
FROM job, counted WHERE j.job_no = job.job_no;

-- name: count_duplicates(job_no)
-- Counts the rows of addresses that have several, as assigning chunks does. The counts are one value, because with outdated
-- statistics, a join could compare every address with every count.
UPDATE validation_job_address a SET row_count = (r.counts->>a.address_no::text)::int
FROM (
  SELECT jsonb_object_agg(address_no, rows) AS counts FROM (
    SELECT address_no, count(*)::int AS rows FROM validation_job_row
    WHERE job_no = $1 AND address_no IS NOT NULL GROUP BY address_no HAVING count(*) > 1
  ) d
) r WHERE a.job_no = $1 AND r.counts ? a.address_no::text;

-- name: finish_addresses(job_no, now, reason)
-- Gives every open address of a job that the transaction has locked the result `unknown`, and counts it.
WITH changed AS (
  UPDATE validation_job_address SET
    state = 'done', due_at = NULL, result = 'unknown', reason = $3, checked_at = $2
  WHERE job_no = $1 AND state <> 'done' RETURNING row_count
), counted AS (
  SELECT count(*)::int AS done, coalesce(sum(row_count), 0)::int AS unknown FROM changed
)
UPDATE validation_job j SET done = j.done + counted.done, results = j.results || jsonb_build_object(
  'unknown', coalesce((j.results->>'unknown')::int, 0) + counted.unknown)
FROM counted WHERE j.job_no = $1;

-- name: count_charged(job_no)
-- not null: charged
SELECT count(*)::int AS charged FROM validation_job_address
WHERE job_no = $1 AND state = 'done' AND result <> 'unknown';

-- name: take_job(job_id, carrier)
UPDATE validation_job SET carrier = $2 WHERE job_id = $1;

-- name: find_job_by_key(account_id, key_hash)
-- not null: request_hash
-- The two hashes are stored together.
SELECT job_id, request_hash FROM validation_job WHERE account_id = $1 AND idempotency_hash = $2;

-- name: lock_starts(account_id)
-- Starts of one account wait for each other here, so that each one counts those before it.
SELECT pg_advisory_xact_lock(hashtextextended($1, 35))::text AS locked;

-- name: start_job(job_id, version, holds, amount, hold_id, hold_expires_at, request_id?, key_hash?, request_hash?, trace_parent?)
-- From now on, the job's work belongs to the trace of its start, which links to that of the upload (ADR 0047).
WITH before AS (SELECT trace_parent FROM validation_job WHERE job_id = $1)
UPDATE validation_job SET
  state = 'queued', holds = $3, hold_amount = $4, hold_id = $5, hold_expires_at = $6, request_id = $7,
  idempotency_hash = $8, request_hash = $9, trace_parent = $10, moved_at = now(), version = version + 1
WHERE job_id = $1 AND version = $2 AND state = 'ready' AND gone_at IS NULL
RETURNING (SELECT trace_parent FROM before) AS trace_of_upload;
