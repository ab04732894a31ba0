-- Lookalike searches, their results and the companies that they show (ADR 0065).

-- name: find_lookalike_search(account_id, search_id?, key_hash?)
-- not null: has_ended_run, delivered
-- By its ID, or by the hash of the `Idempotency-Key` that it was made with.
-- Ranks increase by one, so the last one is the number delivered, without counting.
SELECT s.search_id, s.name, s.query, s.state, s.has_more, s.preview_matches, s.last_attempt_failed_at, s.created_at,
  s.updated_at, s.request_hash,
  (SELECT run_id FROM discovery_run r WHERE r.search_id = s.search_id AND r.state IN ('queued', 'running'))
    AS active_run_id,
  EXISTS (SELECT FROM discovery_run r WHERE r.search_id = s.search_id AND r.state IN ('succeeded', 'cancelled'))
    AS has_ended_run,
  coalesce((SELECT max(rank) FROM lookalike_result r WHERE r.search_id = s.search_id), 0) AS delivered
FROM discovery_search s
WHERE s.account_id = $1 AND s.kind = 'lookalikes' AND ($2::text IS NULL OR s.search_id = $2)
  AND ($3::bytea IS NULL OR s.idempotency_hash = $3);

-- name: list_lookalike_searches(account_id, created_before?, id_before?, rows_max)
-- not null: has_ended_run, delivered
SELECT s.search_id, s.name, s.query, s.state, s.has_more, s.preview_matches, s.last_attempt_failed_at, s.created_at,
  s.updated_at,
  (SELECT run_id FROM discovery_run r WHERE r.search_id = s.search_id AND r.state IN ('queued', 'running'))
    AS active_run_id,
  EXISTS (SELECT FROM discovery_run r WHERE r.search_id = s.search_id AND r.state IN ('succeeded', 'cancelled'))
    AS has_ended_run,
  coalesce((SELECT max(rank) FROM lookalike_result r WHERE r.search_id = s.search_id), 0) AS delivered
FROM discovery_search s
WHERE s.account_id = $1 AND s.kind = 'lookalikes'
  AND ($2::timestamptz IS NULL OR (s.created_at, s.search_id) < ($2, $3))
ORDER BY s.created_at DESC, s.search_id DESC LIMIT $4;

-- name: insert_lookalike_search(search_id, account_id, name, query, preview_matches, created_by, now, key_hash?, request_hash?)
INSERT INTO discovery_search (search_id, account_id, kind, name, query, preview_matches, created_by, created_at,
  updated_at, idempotency_hash, request_hash)
VALUES ($1, $2, 'lookalikes', $3, $4, $5, $6, $7, $7, $8, $9)
ON CONFLICT DO NOTHING;

-- name: rename_lookalike_search(account_id, search_id, name, now)
UPDATE discovery_search SET name = $3, updated_at = $4
WHERE account_id = $1 AND search_id = $2 AND kind = 'lookalikes';

-- name: change_lookalike_search(account_id, search_id, query, preview_matches, now)
UPDATE discovery_search SET query = $3, preview_matches = $4, updated_at = $5
WHERE account_id = $1 AND search_id = $2 AND kind = 'lookalikes' AND state = 'preview';

-- name: note_preview_matches(search_id, preview_matches)
UPDATE discovery_search SET preview_matches = $2
WHERE search_id = $1 AND state = 'preview' AND preview_matches IS DISTINCT FROM $2;

-- name: save_lookalikes(account_id, run_id, search_id, company_nos, strengths, reasons, now, list_id?)
-- not null: charged
-- Payments are written in the order of company_no: otherwise two runs of an account that find the same companies in
-- different orders could deadlock. Store rows are locked first, so that no company is paid for that is removed before
-- the transaction ends. A search has one run at a time, so ranks continue from the last one.
WITH found AS (
  SELECT * FROM unnest($4::integer[], $5::double precision[], $6::jsonb[])
    WITH ORDINALITY AS f (company_no, strength, reasons, position)
), there AS MATERIALIZED (
  SELECT company_no FROM company WHERE company_no = ANY ($4::integer[]) ORDER BY company_no FOR KEY SHARE
), paid AS (
  INSERT INTO paid_company (account_id, company_no, run_id, paid_at)
  SELECT $1, company_no, $2, $7 FROM there
  WHERE NOT EXISTS (SELECT FROM lookalike_result r WHERE r.search_id = $3 AND r.company_no = there.company_no)
  ORDER BY company_no
  ON CONFLICT (account_id, company_no) DO NOTHING
  RETURNING company_no
), delivered AS (
  INSERT INTO lookalike_result (search_id, company_no, run_id, rank, strength, reasons)
  SELECT $3, company_no, $2, row_number() OVER (ORDER BY found.position)
    + (SELECT coalesce(max(rank), 0) FROM lookalike_result WHERE search_id = $3), strength, reasons
  FROM found JOIN there USING (company_no)
  ON CONFLICT (search_id, company_no) DO NOTHING
  RETURNING company_no
), listed AS (
  INSERT INTO saved_list_entry (list_id, company_no)
  SELECT list_id, company_no FROM delivered
  JOIN saved_list ON list_id = $8 AND account_id = $1 AND kind = 'companies'
  ON CONFLICT (list_id, company_no) DO NOTHING
)
SELECT count(*)::integer AS charged FROM paid;

-- name: count_charged(run_id, account_id)
-- not null: charged
SELECT count(*)::integer AS charged FROM paid_company WHERE run_id = $1 AND account_id = $2;

-- name: find_companies_by_domain(domains)
-- not null: domain
SELECT domain, company_no, name FROM company WHERE domain = ANY ($1);

-- name: example_seeds(rows_max)
-- not null: domain, name
-- Companies in which the ranking knows a word, of the most frequent industry among the first 300 of the store. The
-- numbers of the sandbox's companies are below zero.
SELECT domain, name FROM (
  SELECT company_no, domain, name, count(*) OVER (PARTITION BY industry) AS peers, industry
  FROM (SELECT * FROM company WHERE company_no > 0 ORDER BY company_no LIMIT 300) AS first
  WHERE domain IS NOT NULL AND industry IS NOT NULL AND EXISTS (
    SELECT FROM lookalike_place p WHERE p.company_no = first.company_no AND octet_length(p.word_columns) > 0
  )
) AS usable
ORDER BY peers DESC, industry, company_no LIMIT $1;

-- name: read_companies(account_id, company_nos)
-- not null: company_no, company_id, name, keywords, categories, is_synthetic, is_paid
SELECT c.company_no, c.company_id, c.name, c.domain, c.industry, c.website, c.description, c.keywords, c.country,
  c.region, c.city, c.employee_count, c.company_size, c.annual_revenue_usd, c.revenue, c.funding_usd, c.categories,
  c.profile_url, c.is_synthetic, p.company_no IS NOT NULL AS is_paid
FROM unnest($2::integer[]) WITH ORDINALITY AS asked (company_no, position)
JOIN company c USING (company_no)
LEFT JOIN paid_company p ON p.account_id = $1 AND p.company_no = c.company_no
ORDER BY asked.position;

-- name: count_companies(account_id, company_nos, sizes)
-- not null: companies, already_paid, location, employee_count, revenue, funding, categories, links
-- `charged` numbers the companies that would be charged for; a free one gets the number of the charged one before it. A
-- run of a given size ends with its last charged company, so a free one after that is not part of it.
WITH ranked AS (
  SELECT c.*, p.company_no IS NOT NULL AS is_paid,
    count(*) FILTER (WHERE p.company_no IS NULL) OVER (ORDER BY asked.position) AS charged
  FROM unnest($2::integer[]) WITH ORDINALITY AS asked (company_no, position)
  JOIN company c USING (company_no)
  LEFT JOIN paid_company p ON p.account_id = $1 AND p.company_no = c.company_no
)
SELECT
  count(*) FILTER (WHERE NOT is_paid)::integer AS companies,
  count(*) FILTER (WHERE is_paid)::integer AS already_paid,
  count(*) FILTER (WHERE num_nonnulls(country, region, city) > 0)::integer AS location,
  count(*) FILTER (WHERE num_nonnulls(employee_count, company_size) > 0)::integer AS employee_count,
  count(*) FILTER (WHERE num_nonnulls(annual_revenue_usd, revenue) > 0)::integer AS revenue,
  count(*) FILTER (WHERE funding_usd IS NOT NULL)::integer AS funding,
  count(*) FILTER (WHERE categories <> '{}')::integer AS categories,
  count(*) FILTER (WHERE num_nonnulls(website, profile_url) > 0)::integer AS links
FROM unnest($3::integer[]) WITH ORDINALITY AS sized (size, position)
LEFT JOIN ranked ON charged < size OR (charged = size AND NOT is_paid)
GROUP BY sized.position, size ORDER BY sized.position;

-- name: company_nos_of_lists(account_id, list_ids)
-- not null: company_nos
SELECT l.list_id, array(
    SELECT company_no FROM saved_list_entry e WHERE e.list_id = l.list_id AND company_no IS NOT NULL
    UNION ALL
    SELECT c.company_no FROM saved_list_domain d JOIN company c USING (domain) WHERE d.list_id = l.list_id
  ) AS company_nos
FROM saved_list l WHERE l.account_id = $1 AND l.list_id = ANY($2::text[]) AND l.kind = 'companies';

-- name: delivered_company_nos(search_id)
SELECT company_no FROM lookalike_result WHERE search_id = $1;

-- name: read_delivered_companies(account_id, search_id, after_rank, after_no, rows_max)
-- not null: company_no, company_id, name, keywords, categories, is_synthetic, is_paid, rank, strength
SELECT c.company_no, c.company_id, c.name, c.domain, c.industry, c.website, c.description, c.keywords, c.country,
  c.region, c.city, c.employee_count, c.company_size, c.annual_revenue_usd, c.revenue, c.funding_usd, c.categories,
  c.profile_url, c.is_synthetic, p.company_no IS NOT NULL AS is_paid, r.rank, r.strength, r.reasons
FROM lookalike_result r
JOIN company c USING (company_no)
LEFT JOIN paid_company p ON p.account_id = $1 AND p.company_no = c.company_no
WHERE r.search_id = $2 AND (r.rank, r.company_no) > ($3, $4)
ORDER BY r.rank, r.company_no LIMIT $5;
