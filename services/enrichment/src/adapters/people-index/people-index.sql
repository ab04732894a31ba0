-- What the people index reads, in batches (ADR 0029, 0065). Every statement sees everything committed before it.

-- name: count_people(people_max)
-- prepared
-- not null: count
-- Without those of the sandbox, which are below zero (ADR 0085).
SELECT count(*)::int FROM (SELECT FROM person WHERE person_no > 0 LIMIT $1) AS counted;

-- name: people_after(person_no, rows_max)
-- prepared
SELECT person_no AS "personNo", full_name AS "fullName", job_title AS "jobTitle", seniority, department, company_no AS "companyNo",
  company_name AS "companyName", country, region, city, keywords
FROM person WHERE person_no > $1 ORDER BY person_no LIMIT $2;

-- name: people(person_nos)
-- prepared
SELECT person_no AS "personNo", full_name AS "fullName", job_title AS "jobTitle", seniority, department, company_no AS "companyNo",
  company_name AS "companyName", country, region, city, keywords
FROM person WHERE person_no = ANY($1);

-- name: people_of_companies(company_nos, company_no, person_no, rows_max)
-- prepared
SELECT person_no AS "personNo", full_name AS "fullName", job_title AS "jobTitle", seniority, department, company_no AS "companyNo",
  company_name AS "companyName", country, region, city, keywords
FROM person
WHERE company_no = ANY($1) AND company_no >= $2 AND (company_no, person_no) > ($2, $3)
ORDER BY company_no, person_no LIMIT $4;

-- name: companies(company_nos)
-- prepared
SELECT company_no AS "companyNo", name, domain, company_size AS "companySize", revenue, company_type AS "companyType",
  industry, technologies, founded_year AS "foundedYear", funding_usd::float8 AS "fundingUsd"
FROM company WHERE company_no = ANY($1);

-- Companies as the index of companies holds them: each is a person without a name or a job, at its own place, who works
-- for it (ADR 0097).

-- name: count_companies(companies_max)
-- prepared
-- not null: count
SELECT count(*)::int FROM (SELECT FROM company WHERE company_no > 0 LIMIT $1) AS counted;

-- name: companies_after(company_no, rows_max)
-- prepared
-- not null: fullName
SELECT company_no AS "personNo", '' AS "fullName", NULL::text AS "jobTitle", NULL::text AS seniority,
  NULL::text AS department, company_no AS "companyNo", NULL::text AS "companyName", country, region, city, keywords
FROM company WHERE company_no > $1 ORDER BY company_no LIMIT $2;

-- name: companies_as_people(company_nos)
-- prepared
-- not null: fullName
SELECT company_no AS "personNo", '' AS "fullName", NULL::text AS "jobTitle", NULL::text AS seniority,
  NULL::text AS department, company_no AS "companyNo", NULL::text AS "companyName", country, region, city, keywords
FROM company WHERE company_no = ANY($1);

-- name: changed_companies_as_people(change_no, record_no, up_to, rows_max)
-- prepared
-- not null: fullName, change_no
SELECT company_no AS "personNo", '' AS "fullName", NULL::text AS "jobTitle", NULL::text AS seniority,
  NULL::text AS department, company_no AS "companyNo", NULL::text AS "companyName", country, region, city, keywords,
  change_no::float8, company_no AS record_no
FROM company
WHERE change_no >= $1 AND (change_no, company_no) > ($1, $2) AND change_no <= $3
ORDER BY change_no, company_no LIMIT $4;

-- name: last_change()
-- prepared
-- not null: last
SELECT coalesce(pg_sequence_last_value('record_change_no'), 0)::float8 AS last;

-- name: open_transactions()
-- prepared
-- not null: virtualxid
-- Every transaction locks its own virtual ID for its whole life, even before its first write; the lock is released when
-- its changes become visible. `pg_locks` shows the locks of every role. Transactions that cannot change records are
-- excluded, since they may take minutes: VACUUM, which cannot run within a transaction that changes records, and
-- Postgres's own processes, which are not client sessions.
SELECT held.virtualxid
FROM pg_locks AS held LEFT JOIN pg_stat_activity AS session USING (pid)
WHERE held.locktype = 'virtualxid' AND held.mode = 'ExclusiveLock' AND held.granted
  AND held.pid <> pg_backend_pid()
  AND held.pid NOT IN (SELECT pid FROM pg_stat_progress_vacuum)
  AND session.usesysid IS NOT NULL
  AND session.datid IS NOT DISTINCT FROM (SELECT oid FROM pg_database WHERE datname = current_database());

-- Changed rows by change number; several rows may have the same number.

-- name: changed_people(change_no, record_no, up_to, rows_max)
-- prepared
-- not null: change_no
SELECT person_no AS "personNo", full_name AS "fullName", job_title AS "jobTitle", seniority, department, company_no AS "companyNo",
  company_name AS "companyName", country, region, city, keywords, change_no::float8, person_no AS record_no
FROM person
WHERE change_no >= $1 AND (change_no, person_no) > ($1, $2) AND change_no <= $3
ORDER BY change_no, person_no LIMIT $4;

-- name: changed_companies(change_no, record_no, up_to, rows_max)
-- prepared
-- not null: change_no
SELECT company_no AS "companyNo", name, domain, company_size AS "companySize", revenue, company_type AS "companyType",
  industry, technologies, founded_year AS "foundedYear", funding_usd::float8 AS "fundingUsd", change_no::float8, company_no AS record_no
FROM company
WHERE change_no >= $1 AND (change_no, company_no) > ($1, $2) AND change_no <= $3
ORDER BY change_no, company_no LIMIT $4;

-- name: removals(change_no, record_no, up_to, rows_max)
-- prepared
-- not null: change_no, record_no
SELECT person_no AS "personNo", company_no AS "companyNo", change_no::float8,
  coalesce(person_no, company_no) AS record_no
FROM removed_record
WHERE change_no >= $1 AND (change_no, coalesce(person_no, company_no)) > ($1, $2) AND change_no <= $3
ORDER BY change_no, coalesce(person_no, company_no) LIMIT $4;
