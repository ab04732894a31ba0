-- Up Migration

-- Companies are searched by filters too (ADR 0097). The previous release lists neither these searches nor what they
-- find; it shows their runs.
ALTER TABLE discovery_search
  DROP CONSTRAINT discovery_search_kind_check,
  ADD CONSTRAINT discovery_search_kind_check CHECK (kind IN ('people', 'lookalikes', 'companies')) NOT VALID;
