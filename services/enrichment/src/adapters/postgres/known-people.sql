-- People by parts of their names, for evidence about addresses (ADR 0072, 0065).

-- name: begin_name_key_rules(rules)
-- Own people who are imported from now on wait in `own_person_without_keys`.
INSERT INTO name_key_rules (rules, own_person_no) SELECT $1::integer, coalesce(max(person_no), 0) + 1 FROM own_person
ON CONFLICT DO NOTHING;

-- name: are_name_keys_missing(rules)
-- not null: missing
SELECT EXISTS (
  SELECT FROM person WHERE change_no > coalesce((SELECT change_no FROM name_key_rules WHERE rules = $1), 0)) AS missing;

-- name: people_without_name_keys(rules, people_max)
-- not null: person_no, change_no, full_name, former_company_nos
SELECT person_no, change_no, company_no, full_name, first_name, last_name, is_synthetic,
  ARRAY(SELECT (old_value #>> '{}')::integer FROM record_history
    WHERE record_history.person_no = person.person_no AND field = 'company_no') AS former_company_nos
FROM person WHERE change_no > (SELECT change_no FROM name_key_rules WHERE rules = $1) ORDER BY change_no LIMIT $2;

-- name: write_name_keys(rows)
WITH said AS (SELECT * FROM json_to_recordset($1) AS said (person_no integer, keys integer[])),
removed AS (
  DELETE FROM name_key USING said WHERE name_key.person_no = said.person_no AND NOT key = ANY (said.keys)
)
INSERT INTO name_key (key, person_no) SELECT unnest(keys), person_no FROM said ON CONFLICT DO NOTHING;

-- name: move_name_key_progress(rules, change_no)
UPDATE name_key_rules SET change_no = $2 WHERE rules = $1;

-- name: own_people_without_keys(people_max)
-- not null: person_no, account_id, full_name
-- Someone who is being changed or deleted is skipped, and found the next time if still there. Until the end of the
-- transaction no one else changes the people that this returns, so no change is lost.
SELECT person_no, account_id, company_domain, full_name, first_name, last_name FROM own_person
WHERE person_no IN (SELECT person_no FROM own_person_without_keys LIMIT $1) FOR NO KEY UPDATE SKIP LOCKED;

-- name: own_people_of_other_rules(rules, people_max)
-- not null: person_no, account_id, full_name
SELECT person_no, account_id, company_domain, full_name, first_name, last_name FROM own_person
WHERE person_no < (SELECT own_person_no FROM name_key_rules WHERE rules = $1)
ORDER BY person_no DESC LIMIT $2 FOR NO KEY UPDATE;

-- name: move_own_name_key_progress(rules, own_person_no)
UPDATE name_key_rules SET own_person_no = least(own_person_no, $2) WHERE rules = $1;

-- name: write_own_name_keys(rows)
WITH said AS (SELECT * FROM json_to_recordset($1) AS said (person_no integer, keys integer[])),
done AS (DELETE FROM own_person_without_keys USING said WHERE own_person_without_keys.person_no = said.person_no),
removed AS (
  DELETE FROM own_name_key USING said WHERE own_name_key.person_no = said.person_no AND NOT key = ANY (said.keys)
)
INSERT INTO own_name_key (key, person_no) SELECT unnest(keys), person_no FROM said ON CONFLICT DO NOTHING;

-- name: find_company_no(domain)
SELECT company_no FROM company WHERE domain = $1 AND NOT is_synthetic;

-- name: count_people_of(company_no, people_max)
-- not null: people
SELECT count(*)::integer AS people
FROM (SELECT FROM person WHERE company_no = $1 AND NOT is_synthetic LIMIT $2) AS known;

-- name: find_by_name_keys(keys, found_max)
SELECT person_no FROM name_key WHERE key = ANY ($1) LIMIT $2;

-- name: read_known_people(company_no, person_nos, today)
-- not null: profile_key, full_name, works_there, age_days
-- A key is a hash, and may be older than the person's name: only the employer and the name decide.
SELECT profile_key, full_name, first_name, last_name, person.company_no IS NOT DISTINCT FROM $1 AS works_there,
  greatest(0, $3::date - retrieved_on) AS age_days
FROM person JOIN source ON source.source_id = coalesce((field_sources ->> 'company_no')::integer, person.source_id)
WHERE person_no = ANY ($2) AND NOT is_synthetic AND (company_no = $1 OR EXISTS (
  SELECT FROM record_history WHERE record_history.person_no = person.person_no
    AND field = 'company_no' AND old_value = to_jsonb($1::integer)));

-- name: find_by_own_name_keys(keys, found_max)
SELECT person_no FROM own_name_key WHERE key = ANY ($1) LIMIT $2;

-- name: read_own_known_people(account_id, domain, person_nos, today)
-- not null: profile_key, full_name, age_days
-- Keys of two accounts can be equal: only the account and the company that the row names decide.
SELECT profile_key, full_name, first_name, last_name,
  greatest(0, $4::date - (updated_at AT TIME ZONE 'UTC')::date) AS age_days
FROM own_person WHERE person_no = ANY ($3) AND account_id = $1 AND company_domain = $2;
