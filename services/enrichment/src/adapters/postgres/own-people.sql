-- Imports of an account's own people, and these people (ADR 0088). Every statement about them names the account.

-- name: lock_own_people(account_id)
-- Ends of uploads of one account, and beginnings of its passes, wait for each other here, so that each one counts the
-- others.
SELECT FROM pg_advisory_xact_lock(hashtextextended($1, 88));

-- name: count_imports(account_id, states)
-- not null: imports
SELECT count(*)::int AS imports FROM people_import WHERE account_id = $1 AND state = ANY($2::text[]);

-- name: insert_import(import_id, account_id, created_by, name, state, format, encoding, encoding_is_guess, layout?, columns, detected, file_hash, created_at, deleted_at, trace_parent?)
-- not null: import_no
INSERT INTO people_import (import_id, account_id, created_by, name, state, format, encoding, encoding_is_guess, layout,
  columns, detected, rows_total, file_hash, created_at, moved_at, deleted_at, trace_parent)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0, $12, $13, $13, $14, $15)
ON CONFLICT (import_id) DO NOTHING RETURNING import_no;

-- name: forget_oldest(account_id, ended_max)
-- A program could upload and cancel all day.
DELETE FROM people_import WHERE import_no IN (
  SELECT import_no FROM people_import WHERE account_id = $1 AND ended_at IS NOT NULL
  ORDER BY import_no DESC OFFSET $2);

-- name: let_reading_pause()
-- The rows are stored while the file is read, and a sheet can have megabytes between two rows.
SET LOCAL idle_in_transaction_session_timeout = '60s';

-- name: insert_part(import_no, part_no, rows)
INSERT INTO people_import_part (import_no, part_no, rows) VALUES ($1, $2, $3);

-- name: set_rows_total(import_no, rows_total)
UPDATE people_import SET rows_total = $2 WHERE import_no = $1;

-- name: read_part(import_no, part_no)
SELECT rows FROM people_import_part WHERE import_no = $1 AND part_no = $2;

-- name: forget_parts(import_no)
DELETE FROM people_import_part WHERE import_no = $1;

-- name: forget_examples(import_no)
-- What an ended import still shows names no one: it is kept for longer than its rows.
UPDATE people_import SET columns = (
  SELECT coalesce(json_agg(json_build_object('name', c->>'name', 'examples', '[]'::json,
    'holdsAddresses', c->'holdsAddresses') ORDER BY at), '[]')::jsonb
  FROM jsonb_array_elements(columns) WITH ORDINALITY AS each(c, at)
) WHERE import_no = $1;

-- name: forget_keys(import_no)
DELETE FROM people_import_key WHERE import_no = $1;

-- name: forget_refusals(import_no)
DELETE FROM people_import_refusal WHERE import_no = $1;

-- name: has_people_list(account_id, list_id)
SELECT FROM saved_list WHERE account_id = $1 AND list_id = $2 AND kind = 'people';

-- name: find_met(import_no, profile_keys)
SELECT profile_key FROM people_import_key WHERE import_no = $1 AND profile_key = ANY($2::text[]);

-- name: note_met(import_no, profile_keys)
INSERT INTO people_import_key (import_no, profile_key) SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING;

-- name: note_refusals(import_no, rows)
INSERT INTO people_import_refusal (import_no, line, reason, column_name)
SELECT $1, line, reason, column_name FROM json_populate_recordset(NULL::people_import_refusal, $2)
ON CONFLICT DO NOTHING;

-- name: list_refusals(import_no, after_line, rows_max)
SELECT line, reason, column_name FROM people_import_refusal
WHERE import_no = $1 AND line > $2 ORDER BY line LIMIT $3;

-- name: find_saved_keys(account_id, profile_keys)
SELECT p.profile_key FROM saved_person s JOIN person p USING (person_no)
WHERE s.account_id = $1 AND p.profile_key = ANY($2::text[]);

-- name: find_own_people(account_id, profile_keys)
-- not null: row
SELECT profile_key, to_json(o) AS row FROM own_person o WHERE account_id = $1 AND profile_key = ANY($2::text[]);

-- name: count_own_people(account_id)
-- not null: people
SELECT count(*)::int AS people FROM own_person WHERE account_id = $1;

-- name: write_own_people(account_id, import_id, import_name, rows, now)
-- The id and the number of a person stay, and so does the time of the first import, from which retention counts. People
-- are changed by UPDATE, because an INSERT uses up a number even if the person exists.
WITH said AS (SELECT * FROM json_populate_recordset(NULL::own_person, $4)),
changed AS (
  UPDATE own_person o SET import_id = $2, import_name = $3, updated_at = $5, profile_url = s.profile_url,
    full_name = s.full_name, first_name = s.first_name, last_name = s.last_name, headline = s.headline,
    job_title = s.job_title, seniority = s.seniority, department = s.department, company_name = s.company_name,
    company_domain = s.company_domain, company_website = s.company_website, industry = s.industry,
    company_type = s.company_type, company_size = s.company_size, annual_revenue_usd = s.annual_revenue_usd,
    revenue = s.revenue, country = s.country, region = s.region, city = s.city, keywords = s.keywords,
    website = s.website, follower_count = s.follower_count, connection_count = s.connection_count,
    profile_badges = s.profile_badges, recognition_hashes = s.recognition_hashes
  FROM said s WHERE o.account_id = $1 AND o.profile_key = s.profile_key
  RETURNING o.profile_key
)
INSERT INTO own_person (account_id, import_id, import_name, saved_at, updated_at, person_id, profile_key, profile_url,
  full_name, first_name, last_name, headline, job_title, seniority, department, company_name, company_domain,
  company_website, industry, company_type, company_size, annual_revenue_usd, revenue, country, region, city, keywords,
  website, follower_count, connection_count, profile_badges, recognition_hashes)
SELECT $1, $2, $3, $5, $5, person_id, profile_key, profile_url, full_name, first_name, last_name, headline, job_title,
  seniority, department, company_name, company_domain, company_website, industry, company_type, company_size,
  annual_revenue_usd, revenue, country, region, city, keywords, website, follower_count, connection_count,
  profile_badges, recognition_hashes
FROM said WHERE profile_key NOT IN (SELECT profile_key FROM changed);

-- name: list_people(account_id, list_id, profile_keys)
-- Puts own people and saved ones into a list, if the account has it and it still exists.
WITH chosen AS (
  SELECT list_id FROM saved_list WHERE account_id = $1 AND list_id = $2 AND kind = 'people' FOR KEY SHARE
)
INSERT INTO saved_list_entry (list_id, own_person_no, person_no)
SELECT list_id, o.person_no, NULL::int FROM chosen, own_person o
WHERE o.account_id = $1 AND o.profile_key = ANY($3::text[])
UNION ALL
SELECT list_id, NULL, s.person_no FROM chosen, saved_person s JOIN person p USING (person_no)
WHERE s.account_id = $1 AND p.profile_key = ANY($3::text[])
ON CONFLICT DO NOTHING;

-- name: read_imported_subject(profile_key, subject_hash)
-- not null: fields, saved_at, updated_at
-- What accounts have imported about a person, without the accounts and their imports. The index has the hashes.
SELECT to_jsonb(o) - '{person_no,person_id,account_id,profile_key,import_id,import_name,recognition_hashes,saved_at,updated_at}'::text[]
  AS fields, saved_at, updated_at
FROM own_person o WHERE profile_key = $1 AND recognition_hashes @> ARRAY[$2::bytea] ORDER BY saved_at, person_no;

-- name: delete_expired_own_people(saved_before, people_max)
DELETE FROM own_person WHERE person_no IN (
  SELECT person_no FROM own_person WHERE saved_at < $1 ORDER BY saved_at LIMIT $2);

-- name: count_recognized_own_people(key_hashes)
-- not null: people
SELECT count(*)::int AS people FROM own_person WHERE recognition_hashes && $1::bytea[];
