-- Up Migration

-- Where the extension pgvector stands in this schema, the dense part of a question for lookalikes can be answered here,
-- and the places of companies need not lie in the memory of every replica (ADR 0030). Installing an extension is for
-- the administrator and may happen long after this migration. So the table is made when it is first asked for: by its
-- owner, in the name of whoever calls, and only where the type of its column is known. Answers whether it stands.
--
-- Vectors outlive the row of their model, because replicas answer from the old one until they have loaded the next.
CREATE FUNCTION provide_lookalike_vectors_v1() RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = enrichment, pg_temp AS $$
BEGIN
  IF to_regtype('vector') IS NULL THEN
    RETURN false;
  END IF;
  IF to_regclass('lookalike_vector') IS NULL THEN
    -- Two replicas may ask at once; the second one waits, and finds the table.
    PERFORM pg_advisory_xact_lock(732650302);
    CREATE TABLE IF NOT EXISTS lookalike_vector (
      model_no integer NOT NULL,
      company_no integer NOT NULL REFERENCES company ON DELETE CASCADE,
      change_no bigint NOT NULL,
      place vector NOT NULL,
      PRIMARY KEY (model_no, company_no)
    );
    CREATE INDEX IF NOT EXISTS lookalike_vector_by_company ON lookalike_vector (company_no);
    GRANT SELECT, INSERT, UPDATE, DELETE ON lookalike_vector TO mailproof_enrichment;
  END IF;
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION provide_lookalike_vectors_v1 FROM PUBLIC;
GRANT EXECUTE ON FUNCTION provide_lookalike_vectors_v1 TO mailproof_enrichment;
