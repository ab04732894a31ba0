-- Up Migration

-- Many holds in one statement and one commit. They come in the order of their accounts, so that two such statements
-- cannot wait for each other; each is what it would be alone (ADR 0020).
CREATE FUNCTION create_holds_v1(
  in_hold_ids text[], in_account_ids text[], in_run_ids text[], in_amounts bigint[], in_causes text[],
  in_request_ids text[], in_expires_in_ms bigint[], in_at timestamptz
) RETURNS SETOF hold_answer_v1
LANGUAGE plpgsql AS $$
BEGIN
  FOR place IN 1..cardinality(in_hold_ids) LOOP
    RETURN NEXT create_hold_v1(
      in_hold_ids[place], in_account_ids[place], in_run_ids[place], in_amounts[place], in_causes[place],
      in_request_ids[place], in_expires_in_ms[place], in_at
    );
  END LOOP;
END $$;
