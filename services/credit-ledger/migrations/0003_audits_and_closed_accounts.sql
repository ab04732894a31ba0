-- Up Migration
-- Written ahead of the first release: no release ran on these tables, and they were empty.
-- squawk-ignore-file require-concurrent-index-creation

-- What audits found, for the next one to begin where a clean one ended, and for every replica to show.
CREATE TABLE audit_run (
  audit_run_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  depth text NOT NULL CHECK (depth IN ('recent', 'full')),
  started_at timestamptz NOT NULL,
  finished_at timestamptz NOT NULL,
  accounts bigint NOT NULL CHECK (accounts >= 0),
  faults bigint NOT NULL CHECK (faults >= 0),
  -- Accounts that took longer than an examination may, so that nothing is known of them.
  unexamined bigint NOT NULL CHECK (unexamined >= 0),
  settled_until bigint NOT NULL CHECK (settled_until >= 0)
);

CREATE INDEX audit_run_by_time ON audit_run (finished_at);

-- All grants of an account, used up or not. Neither column ever changes, so updates of a grant stay heap-only.
CREATE INDEX credit_grant_by_account ON credit_grant (account_id, grant_id);

-- What an account spent in a period. Holds do not write to it; each settlement adds one row.
CREATE INDEX entry_spending ON entry (account_id, created_at) INCLUDE (cause, available_change, held_change)
  WHERE kind = 'settle';

-- Lets the credits of a deleted account expire: those that are available now, with an entry that says why, and those that
-- holds have with the hold's end, because their grants are over. With the owner's rights, because the service may not
-- change when a grant expires. Locks are taken in the order of the other functions: account, grants.
CREATE FUNCTION close_account_v1(in_account_id text, in_at timestamptz) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  moment timestamptz;
  due record;
  total bigint := 0;
BEGIN
  PERFORM FROM account WHERE account_id = in_account_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  moment := coalesce(in_at, clock_timestamp());
  UPDATE credit_grant SET expires_at = moment
  WHERE account_id = in_account_id AND open AND (expires_at IS NULL OR expires_at > moment);
  FOR due IN
    SELECT grant_id, available FROM credit_grant WHERE account_id = in_account_id AND open AND available > 0
    ORDER BY created_at, grant_id
  LOOP
    UPDATE credit_grant SET expired = expired + due.available WHERE grant_id = due.grant_id;
    WITH less AS (
      UPDATE account SET available = available - due.available WHERE account_id = in_account_id
      RETURNING available, held
    )
    INSERT INTO entry (account_id, kind, grant_id, cause, available_change, held_change, available_after, held_after, created_at)
    SELECT in_account_id, 'expire_credits', due.grant_id, 'delete-account', -due.available, 0, available, held, moment
    FROM less;
    total := total + due.available;
  END LOOP;
  RETURN total;
END $$;

REVOKE ALL ON FUNCTION close_account_v1 FROM PUBLIC;
GRANT EXECUTE ON FUNCTION close_account_v1 TO mailproof_ledger;
GRANT SELECT, INSERT, DELETE ON audit_run TO mailproof_ledger;
