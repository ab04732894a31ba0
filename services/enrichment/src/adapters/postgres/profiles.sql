-- The profile store, what is done for people in it, and answers of other sources (ADR 0031, 0065). The columns of
-- records are put together in record-batch.ts, from the fields that a load merges.

-- name: lock_profile_store()
-- Lets only one transaction at a time write companies, people and removals. So no suppressed person slips in
-- concurrently, two loads never update the same record at once, and change numbers become visible in order: a reader
-- that has read up to one never finds a smaller one later.
SELECT FROM pg_advisory_xact_lock(hashtextextended('mailproof profile store', 0));

-- name: find_load(kind, name, licence, retrieved_on, fingerprint)
-- not null: retrieved_on
SELECT source_id, retrieved_on::text, fingerprint FROM source
WHERE kind = $1 AND name = $2 AND licence = $3 AND retrieved_on = $4 AND fingerprint = $5;

-- name: insert_load(kind, name, licence, retrieved_on, fingerprint)
-- not null: retrieved_on
INSERT INTO source (kind, name, licence, retrieved_on, fingerprint) VALUES ($1, $2, $3, $4, $5)
RETURNING source_id, retrieved_on::text, fingerprint;

-- name: read_loads(source_ids)
-- not null: retrieved_on
SELECT source_id, kind, name, licence, retrieved_on::text, fingerprint FROM source WHERE source_id = ANY ($1);

-- name: write_history(rows, now)
INSERT INTO record_history (person_no, company_no, field, old_value, old_source_id, changed_at)
SELECT person_no, company_no, field, value, source_id, $2
FROM json_to_recordset($1) AS said (person_no integer, company_no integer, field text, value jsonb, source_id integer);

-- name: find_employers(domains, profile_keys)
SELECT domain, profile_key, company_no, name, is_synthetic FROM company
WHERE domain = ANY ($1) OR profile_key = ANY ($2);

-- name: begin_import(source_id, kind, now)
INSERT INTO import_run (source_id, kind, started_at, updated_at) VALUES ($1, $2, $3, $3)
ON CONFLICT (source_id) DO NOTHING;

-- name: begin_import_again(source_id, now)
UPDATE import_run SET rows_done = 0, added = 0, merged = 0, unchanged = 0, refused = '{}',
  companies_added = 0, companies_merged = 0, started_at = $2, updated_at = $2, ended_at = NULL
WHERE source_id = $1 AND ended_at IS NOT NULL;

-- name: find_import(source_id)
SELECT rows_done, added, merged, unchanged, refused, companies_added, companies_merged, ended_at
FROM import_run WHERE source_id = $1;

-- name: advance_import(source_id, rows_before, rows, added, merged, unchanged, refused, companies_added, companies_merged, now)
UPDATE import_run SET rows_done = rows_done + $3, added = added + $4, merged = merged + $5,
  unchanged = unchanged + $6, companies_added = companies_added + $8, companies_merged = companies_merged + $9,
  updated_at = $10,
  refused = refused || (
    SELECT coalesce(jsonb_object_agg(reason, number::bigint + coalesce((refused ->> reason)::bigint, 0)), '{}')
    FROM jsonb_each_text($7) AS step (reason, number))
WHERE source_id = $1 AND rows_done = $2;

-- name: end_import(source_id, now)
UPDATE import_run SET ended_at = $2, updated_at = $2 WHERE source_id = $1;

-- name: find_any_suppression()
SELECT FROM suppression LIMIT 1;

-- name: find_suppressions(key_hashes)
SELECT key_hash FROM suppression WHERE key_hash = ANY ($1);

-- name: insert_suppressions(key_hashes, reason, now)
INSERT INTO suppression (key_hash, reason, suppressed_at)
SELECT DISTINCT unnest($1::bytea[]), $2, $3::timestamptz ON CONFLICT DO NOTHING;

-- name: count_suppressions()
-- not null: count
SELECT count(*) FROM suppression;

-- name: suppressed_by_day(days_max)
-- not null: day, requests, deleted
SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, actor, count(*)::integer AS requests,
  sum(people)::integer AS deleted
FROM privacy_event WHERE kind = 'suppressed' GROUP BY 1, 2 ORDER BY 1 DESC, 2 LIMIT $1;

-- name: write_privacy_event(kind, actor, subject_hash?, people, now)
INSERT INTO privacy_event (kind, actor, subject_hash, people, at) VALUES ($1, $2, $3, $4, $5);

-- name: read_subject(profile_key)
-- not null: person_no, person_id, is_synthetic, source_id, created_at, updated_at, accounts, lists
SELECT to_json(person) AS person, person_no, person_id, person.is_synthetic, person.source_id,
  person.field_sources, company.domain AS company_domain, person.created_at, person.updated_at,
  (SELECT count(*)::integer FROM saved_person saved WHERE saved.person_no = person.person_no) AS accounts,
  (SELECT count(*)::integer FROM saved_list_entry entry WHERE entry.person_no = person.person_no) AS lists
FROM person LEFT JOIN company USING (company_no)
WHERE person.profile_key = $1;

-- name: read_history(person_no)
SELECT field, old_value, old_source_id, changed_at FROM record_history WHERE person_no = $1 ORDER BY history_id;

-- name: find_person(profile_key)
-- not null: person_no, profile_key, full_name
-- `company_name` is from the person's own source, `employer` is the name of the company.
SELECT person_no, company_no, person.profile_key, full_name, first_name, last_name, person.website, company_name,
  company.domain AS company_domain, company.name AS employer
FROM person LEFT JOIN company USING (company_no)
WHERE person.profile_key = $1;

-- name: find_colleagues(person_no, company_no?, company_names)
-- not null: person_no, profile_key, full_name
-- Finding people whose company is known only by name requires a scan of all people, which is acceptable for an opt-out.
SELECT person_no, company_no, person.profile_key, full_name, first_name, last_name, person.website, company_name,
  company.domain AS company_domain, company.name AS employer
FROM person LEFT JOIN company USING (company_no)
WHERE person_no <> $1 AND (company_no = $2 OR lower(company_name) = ANY ($3) OR company_no IN (
  SELECT company_no FROM company WHERE lower(name) = ANY ($3)));

-- name: remove_people(person_nos, now)
WITH removed AS (DELETE FROM person WHERE person_no = ANY ($1) RETURNING person_no)
INSERT INTO removed_record (person_no, removed_at) SELECT person_no, $2 FROM removed;

-- A profile whose URL does not tell its kind may have been loaded as a company's. A company with a domain stays,
-- without the profile; a company identified only by the profile is deleted.

-- name: forget_profile_history(profile_key)
DELETE FROM record_history WHERE field = 'profile_url'
  AND company_no IN (SELECT company_no FROM company WHERE profile_key = $1);

-- name: forget_profile_of_company(profile_key, now)
UPDATE company SET profile_key = NULL, profile_url = NULL, change_no = nextval('record_change_no'), updated_at = $2
WHERE profile_key = $1 AND domain IS NOT NULL;

-- name: remove_company(profile_key, now)
WITH removed AS (DELETE FROM company WHERE profile_key = $1 RETURNING company_no)
INSERT INTO removed_record (company_no, removed_at) SELECT company_no, $2 FROM removed;

-- name: find_expired_people(loaded_before, people_max)
SELECT person_no FROM person WHERE NOT is_synthetic AND created_at < $1 ORDER BY created_at LIMIT $2;

-- name: delete_old_history(before, rows_max)
DELETE FROM record_history WHERE history_id IN (
  SELECT history_id FROM record_history WHERE changed_at < $1 ORDER BY changed_at LIMIT $2);

-- name: delete_old_removals(before, rows_max)
DELETE FROM removed_record WHERE change_no IN (
  SELECT change_no FROM removed_record WHERE removed_at < $1 ORDER BY removed_at LIMIT $2);

-- name: delete_old_privacy_events(before, rows_max)
DELETE FROM privacy_event WHERE privacy_event_id IN (
  SELECT privacy_event_id FROM privacy_event WHERE at < $1 ORDER BY at LIMIT $2);

-- name: find_stored_profile(profile_key, domain?)
-- not null: kind
-- A person by the profile key, an organization by the profile key or the domain, with all sources of their fields.
WITH found AS (
  SELECT 'person' AS kind, to_jsonb(person) AS person, to_jsonb(company) AS company
  FROM person LEFT JOIN company USING (company_no)
  WHERE person.profile_key = $1
  UNION ALL
  SELECT 'organisation', NULL, to_jsonb(company) FROM company WHERE profile_key = $1
  UNION ALL
  SELECT 'organisation', NULL, to_jsonb(company) FROM company WHERE domain = $2
  LIMIT 1
)
SELECT kind, person, company, (
  SELECT coalesce(jsonb_object_agg(source_id, jsonb_build_object(
    'kind', source.kind, 'name', name, 'licence', licence, 'retrieved_on', retrieved_on)), '{}')
  FROM source
  WHERE source_id IN ((person ->> 'source_id')::integer, (company ->> 'source_id')::integer)
    OR source_id IN (SELECT value::integer FROM jsonb_each_text(coalesce(person -> 'field_sources', '{}')))
    OR source_id IN (SELECT value::integer FROM jsonb_each_text(coalesce(company -> 'field_sources', '{}')))
) AS sources
FROM found;

-- name: holds_profile(profile_key, domain?)
-- not null: holds
SELECT EXISTS (SELECT FROM person WHERE profile_key = $1)
  OR EXISTS (SELECT FROM company WHERE profile_key = $1 OR domain = $2) AS holds;

-- name: count_sandbox_records()
-- not null: records
SELECT ((SELECT count(*) FROM company WHERE company_no < 0) + (SELECT count(*) FROM person WHERE person_no < 0))::int
  AS records;

-- name: keep_sandbox_companies(source_id, rows)
-- What test keys find; the change number below zero keeps it from everything that follows changes (ADR 0085).
INSERT INTO company (company_no, company_id, domain, name, website, description, keywords, industry, company_type,
  employee_count, company_size, annual_revenue_usd, revenue, funding_usd, founded_year, technologies, country, region, city,
  is_synthetic, source_id, change_no)
OVERRIDING SYSTEM VALUE
SELECT "companyNo", "companyId", domain, name, website, description, keywords, industry, "companyType",
  "employeeCount", "companySize", "annualRevenueUsd", revenue, "fundingUsd", "foundedYear", technologies, country, region, city, true, $1,
  "companyNo"
FROM json_to_recordset($2) AS said ("companyNo" integer, "companyId" text, domain text, name text, website text,
  description text, keywords text[], industry text, "companyType" text, "employeeCount" integer, "companySize" text,
  "annualRevenueUsd" bigint, revenue text, "fundingUsd" bigint, "foundedYear" integer, technologies text[], country text, region text, city text)
ON CONFLICT DO NOTHING;

-- name: keep_sandbox_people(source_id, rows)
INSERT INTO person (person_no, person_id, profile_key, profile_url, full_name, first_name, last_name, headline,
  job_title, seniority, department, company_no, company_name, country, region, city, keywords, is_synthetic, source_id,
  change_no)
OVERRIDING SYSTEM VALUE
SELECT "personNo", "personId", "profileKey", "profileUrl", "fullName", "firstName", "lastName", headline,
  "jobTitle", seniority, department, "companyNo", "companyName", country, region, city, keywords, true, $1, "personNo"
FROM json_to_recordset($2) AS said ("personNo" integer, "personId" text, "profileKey" text, "profileUrl" text,
  "fullName" text, "firstName" text, "lastName" text, headline text, "jobTitle" text, seniority text, department text,
  "companyNo" integer, "companyName" text, country text, region text, city text, keywords text[])
ON CONFLICT DO NOTHING;

-- name: find_provider(account_id)
SELECT * FROM profile_provider WHERE account_id = $1;

-- name: put_provider(account_id, settings, sealed_secrets?, now)
INSERT INTO profile_provider (account_id, settings, sealed_secrets, updated_at) VALUES ($1, $2, $3, $4)
ON CONFLICT (account_id) DO UPDATE SET settings = $2, sealed_secrets = $3, updated_at = $4,
  last_success_at = NULL, last_failure_at = NULL, last_failure = NULL, last_failure_status = NULL, last_failure_of = NULL;

-- name: delete_provider(account_id)
DELETE FROM profile_provider WHERE account_id = $1;

-- name: note_provider_success(account_id, updated_at, now)
UPDATE profile_provider SET last_success_at = $3, last_failure = NULL, last_failure_status = NULL
WHERE account_id = $1 AND updated_at = $2;

-- name: note_provider_failure(account_id, updated_at, now, reason, status?, name)
UPDATE profile_provider
SET last_failure_at = $3, last_failure = $4, last_failure_status = $5, last_failure_of = $6
WHERE account_id = $1 AND updated_at = $2;

-- name: spend_of_provider(account_id, name, month, requests_max)
-- Counts a query, unless the budget of the month is spent. The statement locks the row, so that no two exceed it.
UPDATE profile_provider SET spent = jsonb_build_object('month', $3::text, 'requests',
  CASE WHEN spent->>'month' = $3 THEN spent->'requests' ELSE '{}'::jsonb END || jsonb_build_object($2::text,
    coalesce(CASE WHEN spent->>'month' = $3 THEN (spent->'requests'->>$2)::integer END, 0) + 1))
WHERE account_id = $1
  AND coalesce(CASE WHEN spent->>'month' = $3 THEN (spent->'requests'->>$2)::integer END, 0) < $4::integer;

-- name: spend_of_operator(name, month, requests_max)
INSERT INTO operator_provider_spend AS spend (name, month, requests) VALUES ($1, $2, 1)
ON CONFLICT (name, month) DO UPDATE SET requests = spend.requests + 1 WHERE spend.requests < $3::integer;

-- name: find_provider_answer(account_id, key_hash, now)
SELECT answer, said_at FROM provider_answer WHERE account_id = $1 AND key_hash = $2 AND expires_at > $3;

-- name: put_provider_answer(account_id, key_hash, answer?, said_at, expires_at)
-- Stored only while the provider exists: a provider that was removed in the meantime leaves nothing behind.
INSERT INTO provider_answer (account_id, key_hash, answer, said_at, expires_at)
SELECT account_id, $2, $3, $4, $5 FROM profile_provider WHERE account_id = $1 AND updated_at <= $4
ON CONFLICT (account_id, key_hash) DO UPDATE
  SET answer = excluded.answer, said_at = excluded.said_at, expires_at = excluded.expires_at
  WHERE provider_answer.said_at <= excluded.said_at;

-- name: find_page_answer(key_hash, now)
SELECT answer, said_at FROM page_answer WHERE key_hash = $1 AND expires_at > $2;

-- name: put_page_answer(key_hash, answer?, said_at, expires_at)
INSERT INTO page_answer (key_hash, answer, said_at, expires_at) VALUES ($1, $2, $3, $4)
ON CONFLICT (key_hash) DO UPDATE
  SET answer = excluded.answer, said_at = excluded.said_at, expires_at = excluded.expires_at
  WHERE page_answer.said_at <= excluded.said_at;

-- name: delete_provider_answers(account_id)
DELETE FROM provider_answer WHERE account_id = $1;

-- name: read_shared_answers(key_hashes)
-- not null: answer
SELECT answer FROM page_answer WHERE key_hash = ANY ($1::bytea[]) AND answer IS NOT NULL;

-- name: delete_provider_answers_about(key_hash)
DELETE FROM provider_answer WHERE key_hash = $1;

-- name: delete_page_answer(key_hash)
DELETE FROM page_answer WHERE key_hash = $1;

-- name: sweep_provider_answers(now, rows_max)
DELETE FROM provider_answer WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM provider_answer WHERE expires_at <= $1 LIMIT $2));

-- name: sweep_page_answers(now, rows_max)
DELETE FROM page_answer WHERE ctid = ANY (ARRAY(SELECT ctid FROM page_answer WHERE expires_at <= $1 LIMIT $2));

-- name: trim_provider_answers(kept_max, rows_max)
-- Those that expire next, beyond the number that is kept.
DELETE FROM provider_answer WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM provider_answer
  WHERE expires_at <= (SELECT expires_at FROM provider_answer ORDER BY expires_at DESC OFFSET $1 LIMIT 1) LIMIT $2));

-- name: trim_page_answers(kept_max, rows_max)
DELETE FROM page_answer WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM page_answer
  WHERE expires_at <= (SELECT expires_at FROM page_answer ORDER BY expires_at DESC OFFSET $1 LIMIT 1) LIMIT $2));
