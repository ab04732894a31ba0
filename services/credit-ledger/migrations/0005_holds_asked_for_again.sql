-- Up Migration

-- For how long a hold is asked for does not tell requests apart: it comes from settings of whoever asks, and a request
-- that is answered again after a setting was changed is the same request. The hold keeps the time that it has.
CREATE OR REPLACE FUNCTION earlier_hold_v1(
  in_account_id text, in_run_id text, in_amount bigint, in_cause text, in_request_id text, in_expires_in_ms bigint,
  in_at timestamptz
) RETURNS hold_answer_v1
LANGUAGE plpgsql AS $$
DECLARE
  earlier hold;
  available bigint;
BEGIN
  available := (balance_after_expiry_v1(in_account_id, in_at)).available;
  SELECT * INTO earlier FROM hold WHERE run_id = in_run_id;
  RETURN hold_answer_v1(
    CASE WHEN NOT FOUND THEN 'exhausted'
      WHEN (earlier.account_id, earlier.amount, earlier.cause) = (in_account_id, in_amount, in_cause)
        -- The first release kept neither the time nor the request.
        AND (earlier.expires_in_ms IS NULL OR earlier.request_id IS NOT DISTINCT FROM in_request_id)
      THEN 'held' ELSE 'id_reused' END,
    earlier, available
  );
END $$;
