-- What changed from one job to another (ADR 0065). Addresses are joined by their normal form, which is unique in a job.

-- name: find_compared(account_id, job_id, other_id)
SELECT j.job_no, o.job_no AS other_no FROM validation_job j, validation_job o
WHERE j.account_id = $1 AND j.job_id = $2 AND j.gone_at IS NULL
  AND o.account_id = $1 AND o.job_id = $3 AND o.gone_at IS NULL;

-- name: count_changes(job_no, other_no)
-- not null: is_added, is_removed, addresses
SELECT o.result AS old_result, j.result AS new_result, o.address_no IS NULL AS is_added, j.address_no IS NULL AS is_removed,
  count(*)::int AS addresses
FROM (SELECT normalised, address_no, result FROM validation_job_address WHERE job_no = $1) j
FULL JOIN (SELECT normalised, address_no, result FROM validation_job_address WHERE job_no = $2) o USING (normalised)
GROUP BY o.result, j.result, o.address_no IS NULL, j.address_no IS NULL
ORDER BY count(*) DESC, o.result, j.result;

-- name: page_of_changes(job_no, other_no, after, rows_max, old_result?, new_result?)
-- not null: old_result, new_result
SELECT j.address_no, j.email, o.result AS old_result, o.reason AS old_reason, o.checked_at AS old_checked_at,
  j.result AS new_result, j.reason AS new_reason, j.checked_at AS new_checked_at
FROM validation_job_address j
JOIN validation_job_address o ON o.job_no = $2 AND o.normalised = j.normalised
WHERE j.job_no = $1 AND j.address_no > $3::bigint AND j.result <> o.result
  AND ($5::text IS NULL OR o.result = $5) AND ($6::text IS NULL OR j.result = $6)
ORDER BY j.address_no LIMIT $4;
