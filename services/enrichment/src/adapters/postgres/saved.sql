-- Saved people, paid companies and saved lists of accounts, also as rows of exports (ADR 0065). The pages of lists,
-- which accounts sort and filter, are put together in the stores.

-- name: find_saved_person(account_id, person_id)
-- not null: person_no, person_id, full_name, is_synthetic, keywords, profile_badges, profile_url, source, saved_at, updated_at, field_sources
SELECT p.person_no, p.person_id, p.full_name, p.first_name, p.last_name, p.job_title, p.headline, p.company_id,
  p.company_name, p.company_domain, p.city, p.region, p.country, p.industry, p.seniority, p.department, p.company_size,
  p.is_synthetic, p.revenue, p.annual_revenue_usd, p.keywords, p.company_type, p.website, p.follower_count,
  p.connection_count, p.profile_badges, p.profile_url, p.source, s.run_id, s.import_id, s.saved_at, p.updated_at,
  p.field_sources, p.company_sources, p.company_source
FROM person_record p
JOIN account_person s ON s.account_id = $1 AND s.person_no = p.person_no
WHERE p.person_id = $2;

-- name: read_saved_people(account_id, person_nos, keys)
-- not null: person_no, person_id, full_name, is_synthetic, keywords, profile_badges, profile_url, source, saved_at, updated_at, field_sources, key
-- Looks up key by key (enforced by `LIMIT`): with outdated statistics after a large run, a join would read all saved
-- rows.
SELECT p.person_no, p.person_id, p.full_name, p.first_name, p.last_name, p.job_title, p.headline, p.company_id,
  p.company_name, p.company_domain, p.city, p.region, p.country, p.industry, p.seniority, p.department, p.company_size,
  p.is_synthetic, p.revenue, p.annual_revenue_usd, p.keywords, p.company_type, p.website, p.follower_count,
  p.connection_count, p.profile_badges, p.profile_url, p.source, s.run_id, s.import_id, s.saved_at, p.updated_at,
  p.field_sources, p.company_sources, p.company_source, a.key
FROM unnest($2::int[], $3::text[]) WITH ORDINALITY AS a(person_no, key, at)
CROSS JOIN LATERAL (
  SELECT * FROM account_person WHERE account_id = $1 AND person_no = a.person_no LIMIT 1
) s
CROSS JOIN LATERAL (SELECT * FROM person_record WHERE person_no = s.person_no LIMIT 1) p
ORDER BY a.at;

-- name: read_previews(account_id, person_nos)
-- not null: person_no, person_id, full_name, is_synthetic, is_saved
SELECT p.person_no, p.person_id, p.full_name, p.job_title, p.headline, c.company_id,
  coalesce(c.name, p.company_name) AS company_name, c.domain AS company_domain, p.city, p.region, p.country,
  c.industry, p.seniority, p.department, c.company_size, p.is_synthetic, s.person_no IS NOT NULL AS is_saved
FROM person p
LEFT JOIN company c ON c.company_no = p.company_no
LEFT JOIN saved_person s ON s.account_id = $1 AND s.person_no = p.person_no
WHERE p.person_no = ANY($2::int[]) ORDER BY array_position($2::int[], p.person_no);

-- name: read_sources(source_ids)
SELECT source_id, json_build_object('kind', kind, 'name', name, 'licence', licence,
  'retrieved_on', to_char(retrieved_on, 'YYYY-MM-DD')) AS source
FROM source WHERE source_id = ANY($1::int[]);

-- name: save_people(account_id, run_id, person_nos, list_id?)
-- not null: saved
-- A person who is not in `person` is not saved: suppression is absence. The lock keeps people from being deleted
-- between the check and the insert.
WITH present AS (
  SELECT person_no FROM person WHERE person_no = ANY($3::int[]) ORDER BY person_no FOR KEY SHARE
), saved AS (
  INSERT INTO saved_person (account_id, person_no, run_id) SELECT $1, person_no, $2 FROM present
  ON CONFLICT DO NOTHING RETURNING person_no
), listed AS (
  INSERT INTO saved_list_entry (list_id, person_no)
  SELECT list_id, person_no FROM saved, saved_list WHERE list_id = $4 AND account_id = $1
  ON CONFLICT DO NOTHING
)
SELECT count(*)::int AS saved FROM saved;

-- name: count_saved_by_run(account_id, run_id)
-- not null: saved
SELECT count(*)::int AS saved FROM saved_person WHERE run_id = $2 AND account_id = $1;

-- name: saved_numbers(account_id)
-- not null: numbers
SELECT array(SELECT person_no FROM saved_person WHERE account_id = $1 ORDER BY person_no) AS numbers;

-- name: person_numbers(person_ids)
-- not null: numbers
SELECT array(SELECT person_no FROM person WHERE person_id = ANY($1::text[]) ORDER BY person_no) AS numbers;

-- name: unsaved_numbers(account_id, person_nos)
-- not null: numbers
SELECT array(
  SELECT candidate FROM unnest($2::int[]) AS candidate
  WHERE NOT EXISTS (SELECT 1 FROM saved_person WHERE account_id = $1 AND person_no = candidate)
  ORDER BY candidate) AS numbers;

-- name: remove_saved_people(account_id, person_ids)
-- not null: removed, kept
-- Rows of an active run are kept, since it will be charged for them. The account's own people are deleted, and with them
-- their entries of lists.
WITH named AS (
  SELECT s.person_no, r.run_id IS NOT NULL AS is_kept
  FROM saved_person s JOIN person p USING (person_no)
  LEFT JOIN discovery_run r ON r.run_id = s.run_id AND r.state IN ('queued', 'running')
  WHERE s.account_id = $1 AND p.person_id = ANY($2::text[])
), removed AS (
  DELETE FROM saved_person s USING named
  WHERE s.account_id = $1 AND s.person_no = named.person_no AND NOT named.is_kept RETURNING s.person_no
), unlisted AS (
  DELETE FROM saved_list_entry e USING saved_list l, removed
  WHERE e.list_id = l.list_id AND l.account_id = $1 AND e.person_no = removed.person_no
), own AS (
  DELETE FROM own_person WHERE account_id = $1 AND person_id = ANY($2::text[]) RETURNING person_no
)
SELECT (SELECT count(*)::int FROM removed) + (SELECT count(*)::int FROM own) AS removed,
  (SELECT count(*)::int FROM named WHERE is_kept) AS kept;

-- name: save_companies(account_id, run_id, company_nos, list_id?)
-- not null: saved
-- The same for companies; a company that another run has paid for meanwhile is not saved again. Payments are written in
-- the order of company_no, like those of lookalikes, so that runs of an account do not deadlock.
WITH present AS MATERIALIZED (
  SELECT company_no FROM company WHERE company_no = ANY($3::int[]) ORDER BY company_no FOR KEY SHARE
), saved AS (
  INSERT INTO paid_company (account_id, company_no, run_id) SELECT $1, company_no, $2 FROM present ORDER BY company_no
  ON CONFLICT DO NOTHING RETURNING company_no
), listed AS (
  INSERT INTO saved_list_entry (list_id, company_no)
  SELECT list_id, company_no FROM saved, saved_list WHERE list_id = $4 AND account_id = $1 AND kind = 'companies'
  ON CONFLICT DO NOTHING
)
SELECT count(*)::int AS saved FROM saved;

-- name: paid_numbers(account_id)
-- not null: numbers
SELECT array(SELECT company_no FROM paid_company WHERE account_id = $1 ORDER BY company_no) AS numbers;

-- name: company_numbers(company_ids)
-- not null: numbers
SELECT array(SELECT company_no FROM company WHERE company_id = ANY($1::text[]) ORDER BY company_no) AS numbers;

-- name: unpaid_numbers(account_id, company_nos)
-- not null: numbers
SELECT array(
  SELECT candidate FROM unnest($2::int[]) AS candidate
  WHERE NOT EXISTS (SELECT 1 FROM paid_company WHERE account_id = $1 AND company_no = candidate)
  ORDER BY candidate) AS numbers;

-- name: find_list(account_id, list_id)
-- not null: entries, domains
SELECT l.list_id, l.kind, l.name, l.tags, l.created_by, l.created_at, l.updated_at,
  (SELECT count(*)::int FROM saved_list_entry e WHERE e.list_id = l.list_id) AS entries,
  (SELECT count(*)::int FROM saved_list_domain d WHERE d.list_id = l.list_id) AS domains
FROM saved_list l WHERE l.account_id = $1 AND l.list_id = $2;

-- name: lock_lists(account_id)
-- Concurrent creations of one account wait for each other here, so that each one counts the others.
SELECT FROM pg_advisory_xact_lock(hashtextextended($1, 34));

-- name: count_lists(account_id)
-- not null: lists
SELECT count(*)::int AS lists FROM saved_list WHERE account_id = $1;

-- name: insert_list(list_id, account_id, kind, name, tags, created_by)
-- not null: entries, domains
INSERT INTO saved_list (list_id, account_id, kind, name, tags, created_by) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT DO NOTHING
RETURNING list_id, kind, name, tags, created_by, created_at, updated_at, 0 AS entries, 0 AS domains;

-- name: change_list(account_id, list_id, name?, tags?)
UPDATE saved_list SET name = coalesce($3, name), tags = coalesce($4, tags), updated_at = now()
WHERE account_id = $1 AND list_id = $2;

-- name: delete_list(account_id, list_id)
DELETE FROM saved_list WHERE account_id = $1 AND list_id = $2;

-- name: read_list_members(account_id, list_ids)
-- not null: people, companies, domains
SELECT l.list_id,
  array(SELECT person_no FROM saved_list_entry e WHERE e.list_id = l.list_id AND person_no IS NOT NULL
    ORDER BY person_no) AS people,
  array(SELECT company_no FROM saved_list_entry e WHERE e.list_id = l.list_id AND company_no IS NOT NULL
    ORDER BY company_no) AS companies,
  array(SELECT domain FROM saved_list_domain d WHERE d.list_id = l.list_id) AS domains
FROM saved_list l WHERE l.account_id = $1 AND l.list_id = ANY($2::text[]);

-- name: read_list_companies(account_id, list_ids)
-- not null: companies, domains
-- Of a list of people, the companies at which they work; the store may not have those of the account's own people.
SELECT l.list_id,
  array(
    SELECT company_no FROM saved_list_entry e WHERE e.list_id = l.list_id AND company_no IS NOT NULL
    UNION
    SELECT p.company_no FROM saved_list_entry e JOIN person p USING (person_no)
    WHERE e.list_id = l.list_id AND p.company_no IS NOT NULL
    ORDER BY company_no
  ) AS companies,
  array(
    SELECT domain FROM saved_list_domain d WHERE d.list_id = l.list_id
    UNION
    SELECT o.company_domain FROM saved_list_entry e JOIN own_person o ON o.person_no = e.own_person_no
    WHERE e.list_id = l.list_id AND o.company_domain IS NOT NULL
  ) AS domains
FROM saved_list l WHERE l.account_id = $1 AND l.list_id = ANY($2::text[]);

-- name: lock_list(account_id, list_id)
-- Concurrent additions of domains wait for each other here, so that each one counts the others.
SELECT kind FROM saved_list WHERE account_id = $1 AND list_id = $2 FOR UPDATE;

-- name: add_domains(list_id, domains, import_id?)
INSERT INTO saved_list_domain (list_id, domain, import_id) SELECT $1, unnest($2::text[]), $3 ON CONFLICT DO NOTHING;

-- name: count_imported_domains(list_id, domains, import_id)
-- not null: domains
SELECT count(*)::int AS domains FROM saved_list_domain
WHERE list_id = $1 AND domain = ANY($2::text[]) AND import_id = $3;

-- name: remove_domains(account_id, list_id, domains)
DELETE FROM saved_list_domain
WHERE list_id = (SELECT list_id FROM saved_list WHERE account_id = $1 AND list_id = $2) AND domain = ANY($3::text[]);

-- name: list_domains(list_id, text?, after?, rows_max)
-- not null: domain
SELECT domain FROM saved_list_domain
WHERE list_id = $1 AND ($2::text IS NULL OR domain ILIKE $2) AND ($3::text IS NULL OR domain > $3)
ORDER BY domain LIMIT $4;

-- name: count_domains(list_id, text?)
-- not null: domains
SELECT count(*)::int AS domains FROM saved_list_domain
WHERE list_id = $1 AND ($2::text IS NULL OR domain ILIKE $2);

-- name: add_entries(account_id, list_id, ids)
-- not null: entries
-- Adds only records that the account has saved, imported or paid for, and that the list does not contain yet.
WITH chosen AS (SELECT list_id, kind, account_id FROM saved_list WHERE account_id = $1 AND list_id = $2),
added AS (
  INSERT INTO saved_list_entry (list_id, person_no, company_no, own_person_no)
  SELECT list_id, person_no, NULL::int, NULL::int
  FROM chosen JOIN saved_person USING (account_id) JOIN person USING (person_no)
  WHERE kind = 'people' AND person_id = ANY($3::text[])
  UNION ALL
  SELECT list_id, NULL, company_no, NULL
  FROM chosen JOIN paid_company USING (account_id) JOIN company USING (company_no)
  WHERE kind = 'companies' AND company_id = ANY($3::text[])
  UNION ALL
  SELECT list_id, NULL, NULL, person_no FROM chosen JOIN own_person USING (account_id)
  WHERE kind = 'people' AND person_id = ANY($3::text[])
  ON CONFLICT DO NOTHING RETURNING 1
)
SELECT (SELECT count(*)::int FROM added) AS entries FROM chosen;

-- name: remove_entries(account_id, list_id, ids)
-- not null: entries
WITH chosen AS (SELECT list_id FROM saved_list WHERE account_id = $1 AND list_id = $2),
removed AS (
  DELETE FROM saved_list_entry e USING chosen
  WHERE e.list_id = chosen.list_id AND (
    e.person_no IN (SELECT person_no FROM person WHERE person_id = ANY($3::text[]))
    OR e.own_person_no IN (SELECT person_no FROM own_person WHERE person_id = ANY($3::text[]))
    OR e.company_no IN (SELECT company_no FROM company WHERE company_id = ANY($3::text[])))
  RETURNING 1
)
SELECT (SELECT count(*)::int FROM removed) AS entries FROM chosen;

-- The rows of exports. A key is the sort value and the number of a row. A timestamp is written in microseconds since
-- 1970, the full precision of Postgres, so that a key determines its position even if the row was removed.

-- name: is_people_source(account_id, list_id?, run_id?)
-- not null: is_there
SELECT ($2::text IS NULL OR EXISTS (
    SELECT FROM saved_list WHERE account_id = $1 AND list_id = $2 AND kind = 'people'))
  AND ($3::text IS NULL OR EXISTS (
    SELECT FROM discovery_run r JOIN discovery_search s USING (search_id)
    WHERE r.account_id = $1 AND r.run_id = $3 AND s.kind = 'people')) AS is_there;

-- name: count_saved_people(account_id, run_id?, list_id?)
-- not null: rows
SELECT count(*)::int AS rows FROM account_person s
WHERE s.account_id = $1 AND ($2::text IS NULL OR s.run_id = $2) AND ($3::text IS NULL OR s.person_no IN (
  SELECT coalesce(e.person_no, e.own_person_no) FROM saved_list_entry e WHERE e.list_id = $3));

-- name: list_saved_people_keys(account_id, run_id?, list_id?, after_moment, after_no, rows_max)
-- not null: key
SELECT (extract(epoch FROM s.saved_at) * 1000000)::bigint || '.' || s.person_no AS key FROM account_person s
WHERE s.account_id = $1 AND ($2::text IS NULL OR s.run_id = $2) AND ($3::text IS NULL OR s.person_no IN (
    SELECT coalesce(e.person_no, e.own_person_no) FROM saved_list_entry e WHERE e.list_id = $3))
  AND (s.saved_at, s.person_no) > ('epoch'::timestamptz + $4::bigint * interval '1 microsecond', $5::int)
ORDER BY s.saved_at, s.person_no LIMIT $6;

-- name: find_companies_source(account_id, search_id?, run_id?, list_id?)
-- not null: is_there
-- A run determines its search; if a search is given too, it must be the same. Only lookalike searches have their own
-- order: of a company search, `paid_company` says which run was charged for what.
SELECT (
    SELECT search_id FROM discovery_search WHERE kind = 'lookalikes' AND account_id = $1 AND search_id = coalesce(
      $2, (SELECT search_id FROM discovery_run WHERE account_id = $1 AND run_id = $3))) AS search_id,
  ($2::text IS NULL OR EXISTS (
    SELECT FROM discovery_search WHERE account_id = $1 AND search_id = $2 AND kind <> 'people'))
  AND ($3::text IS NULL OR EXISTS (
    SELECT FROM discovery_run r JOIN discovery_search s USING (search_id)
    WHERE r.account_id = $1 AND r.run_id = $3 AND s.kind <> 'people' AND ($2 IS NULL OR r.search_id = $2)))
  AND ($4::text IS NULL OR EXISTS (
    SELECT FROM saved_list WHERE account_id = $1 AND list_id = $4 AND kind = 'companies')) AS is_there;

-- name: count_paid_companies(account_id, list_id?, run_id?, search_id?)
-- not null: rows
SELECT count(*)::int AS rows FROM paid_company d
WHERE d.account_id = $1 AND ($2::text IS NULL OR EXISTS (
    SELECT FROM saved_list_entry e WHERE e.list_id = $2 AND e.company_no = d.company_no))
  AND ($3::text IS NULL OR d.run_id = $3)
  AND ($4::text IS NULL OR d.run_id IN (SELECT run_id FROM discovery_run WHERE search_id = $4));

-- name: list_paid_company_keys(account_id, list_id?, run_id?, search_id?, after_moment, after_no, rows_max)
-- not null: key
SELECT (extract(epoch FROM d.paid_at) * 1000000)::bigint || '.' || d.company_no AS key FROM paid_company d
WHERE d.account_id = $1 AND ($2::text IS NULL OR EXISTS (
    SELECT FROM saved_list_entry e WHERE e.list_id = $2 AND e.company_no = d.company_no))
  AND ($3::text IS NULL OR d.run_id = $3)
  AND ($4::text IS NULL OR d.run_id IN (SELECT run_id FROM discovery_run WHERE search_id = $4))
  AND (d.paid_at, d.company_no) > ('epoch'::timestamptz + $5::bigint * interval '1 microsecond', $6::int)
ORDER BY d.paid_at, d.company_no LIMIT $7;

-- name: count_paid_companies_of_search(account_id, search_id, run_id?, list_id?)
-- not null: rows
SELECT count(*)::int AS rows
FROM lookalike_result r JOIN paid_company d ON d.account_id = $1 AND d.company_no = r.company_no
WHERE r.search_id = $2 AND ($3::text IS NULL OR r.run_id = $3) AND ($4::text IS NULL OR EXISTS (
  SELECT FROM saved_list_entry e WHERE e.list_id = $4 AND e.company_no = r.company_no));

-- name: list_paid_company_keys_of_search(account_id, search_id, run_id?, list_id?, after_rank, after_no, rows_max)
-- not null: key
SELECT r.rank || '.' || r.company_no AS key
FROM lookalike_result r JOIN paid_company d ON d.account_id = $1 AND d.company_no = r.company_no
WHERE r.search_id = $2 AND ($3::text IS NULL OR r.run_id = $3) AND ($4::text IS NULL OR EXISTS (
    SELECT FROM saved_list_entry e WHERE e.list_id = $4 AND e.company_no = r.company_no))
  AND (r.rank, r.company_no) > ($5::int, $6::int)
ORDER BY r.rank, r.company_no LIMIT $7;

-- name: read_paid_companies(account_id, company_nos, keys, search_id?)
-- not null: company_no, company_id, name, keywords, categories, is_synthetic, run_id, paid_at, updated_at, key
-- Looks up key by key (enforced by `LIMIT`), like people.
SELECT f.*, a.key
FROM unnest($2::int[], $3::text[]) WITH ORDINALITY AS a(company_no, key, at)
CROSS JOIN LATERAL (
  SELECT c.company_no, c.company_id, c.name, c.domain, c.website, c.description, c.industry, c.keywords, c.categories,
    c.company_type, c.city, c.region, c.country, c.employee_count, c.company_size, c.annual_revenue_usd, c.revenue,
    c.funding_usd, c.profile_url, c.is_synthetic, json_build_object('kind', o.kind, 'name', o.name,
      'licence', o.licence, 'retrieved_on', to_char(o.retrieved_on, 'YYYY-MM-DD')) AS source,
    d.run_id, d.paid_at, c.updated_at, c.field_sources, r.strength, r.reasons
  FROM paid_company d
  JOIN company c ON c.company_no = d.company_no
  JOIN source o ON o.source_id = c.source_id
  LEFT JOIN lookalike_result r ON r.search_id = $4 AND r.company_no = d.company_no
  WHERE d.account_id = $1 AND d.company_no = a.company_no AND ($4::text IS NULL OR r.company_no IS NOT NULL)
  LIMIT 1
) f
ORDER BY a.at;
