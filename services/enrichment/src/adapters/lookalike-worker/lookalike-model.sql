-- The model that lookalikes are ranked by, and the companies that it is made of (ADR 0030, 0065). The statements on
-- pgvector's type are in postgres-vectors.ts, because a database without it cannot describe them.

-- name: newest_model(format)
-- not null: built_at
SELECT model_no, change_no, companies, terms, dimensions, built_at
FROM lookalike_model WHERE built_at IS NOT NULL AND format = $1 ORDER BY model_no DESC LIMIT 1;

-- name: find_model(model_no)
SELECT dimensions, mean_length, calibration FROM lookalike_model WHERE model_no = $1;

-- name: find_part(model_no, kind, part_no)
SELECT content FROM lookalike_model_part WHERE model_no = $1 AND kind = $2 AND part_no = $3;

-- name: delete_unfinished_models()
DELETE FROM lookalike_model WHERE built_at IS NULL;

-- name: insert_model(format, change_no, companies, terms, dimensions, mean_length, calibration)
INSERT INTO lookalike_model (format, change_no, companies, terms, dimensions, mean_length, calibration)
VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING model_no;

-- name: insert_part(model_no, kind, part_no, content)
INSERT INTO lookalike_model_part (model_no, kind, part_no, content) VALUES ($1, $2, $3, $4);

-- name: publish_model(model_no)
UPDATE lookalike_model SET built_at = now() WHERE model_no = $1;

-- name: delete_vectors_before(model_no, rows_max)
DELETE FROM lookalike_place WHERE ctid = ANY(ARRAY(
  SELECT ctid FROM lookalike_place WHERE model_no < $1 LIMIT $2));

-- name: delete_models_before(model_no)
DELETE FROM lookalike_model WHERE model_no < $1;

-- name: keep_vectors(model_no, company_nos, change_nos, vectors, word_columns, word_weights)
-- Of companies that still exist; of two vectors of one company, that of the later change wins.
INSERT INTO lookalike_place (model_no, company_no, change_no, place, word_columns, word_weights)
SELECT model.model_no, company.company_no, kept.change_no, kept.place, kept.word_columns, kept.word_weights
FROM unnest($2::integer[], $3::bigint[], $4::bytea[], $5::bytea[], $6::bytea[])
       AS kept (company_no, change_no, place, word_columns, word_weights)
  JOIN company USING (company_no)
  JOIN lookalike_model AS model ON model.model_no = $1
FOR KEY SHARE OF company, model
ON CONFLICT (model_no, company_no) DO UPDATE
  SET change_no = excluded.change_no, place = excluded.place,
    word_columns = excluded.word_columns, word_weights = excluded.word_weights
  WHERE excluded.change_no > lookalike_place.change_no;

-- name: vectors_after(model_no, company_no, rows_max)
-- not null: company_no, change_no
-- The next companies, with their vectors if these are current.
SELECT company.company_no, company.change_no, company.industry, company.company_size, company.revenue,
  company.company_type, company.country, kept.place, kept.word_columns, kept.word_weights
FROM company LEFT JOIN lookalike_place AS kept
  ON kept.company_no = company.company_no AND kept.model_no = $1 AND kept.change_no = company.change_no
WHERE company.company_no > $2
  AND (kept.company_no IS NOT NULL OR (company.description <> '' OR company.keywords <> '{}'))
ORDER BY company.company_no LIMIT $3;

-- name: vectors_of(model_no, company_nos)
-- not null: company_no, change_no
SELECT company.company_no, company.change_no, company.industry, company.company_size, company.revenue,
  company.company_type, company.country, kept.place, kept.word_columns, kept.word_weights
FROM company LEFT JOIN lookalike_place AS kept
  ON kept.company_no = company.company_no AND kept.model_no = $1 AND kept.change_no = company.change_no
WHERE company.company_no = ANY($2);

-- name: companies_after(company_no, rows_max)
SELECT company_no, change_no, name, description, keywords, industry, industry_label, company_size, revenue,
  company_type, country, is_synthetic
FROM company WHERE company_no > $1 ORDER BY company_no LIMIT $2;

-- name: companies_of(company_nos)
SELECT company_no, change_no, name, description, keywords, industry, industry_label, company_size, revenue,
  company_type, country, is_synthetic
FROM company WHERE company_no = ANY($1);

-- name: changes_after(change_no, rows_max)
SELECT company_no, change_no FROM company WHERE change_no > $1 ORDER BY change_no LIMIT $2;

-- name: removals_after(change_no, rows_max)
-- not null: company_no
SELECT company_no FROM removed_record WHERE change_no > $1 AND company_no IS NOT NULL ORDER BY change_no LIMIT $2;

-- name: last_change()
-- not null: last
-- The last number assigned, whether visible or not.
SELECT coalesce(pg_sequence_last_value('record_change_no'), 0)::float8 AS last;

-- name: count_described(companies_max)
-- not null: count
-- Companies with a description or keywords, without those of the sandbox, which are below zero (ADR 0085).
SELECT count(*)::int FROM (
  SELECT FROM company WHERE company_no > 0 AND (company.description <> '' OR company.keywords <> '{}') LIMIT $1
) AS described;
