-- Up Migration
-- Written ahead of the first release: no release ran on these tables, and they were empty.
-- squawk-ignore-file adding-field-with-default, adding-serial-primary-key-field, ban-create-domain-with-constraint, changing-column-type, constraint-missing-not-valid, require-concurrent-index-creation, require-concurrent-index-deletion

-- Postgres reads every CHECK of a table anew for each statement that writes to it; those of 0001 took a third of the time
-- of a hold. Lists of words move to domains, whose checks it keeps ready, the rest becomes one short CHECK a table, and
-- foreign keys between rows that one function writes together go: nothing here can be deleted by the service (ADR 0020).
CREATE DOMAIN hold_state AS text CHECK (VALUE IN ('pending', 'settled', 'released', 'expired'));
CREATE DOMAIN entry_kind AS text
  CHECK (VALUE IN ('grant', 'hold', 'settle', 'release', 'expire', 'expire_credits'));
CREATE DOMAIN grant_kind AS text CHECK (VALUE IN ('cycle', 'top_up', 'refund', 'adjustment'));

-- What became of each grant. What is left is worked out, so that granted = available + held + spent + expired cannot be
-- broken, and a grant of the release before, which knows none of these columns, begins right. `open` is a column of its
-- own because a partial index on `available` would keep every update of the hot row from being heap-only.
ALTER TABLE credit_grant
  ADD COLUMN kind grant_kind NOT NULL DEFAULT 'adjustment',
  ADD COLUMN held bigint NOT NULL DEFAULT 0,
  ADD COLUMN spent bigint NOT NULL DEFAULT 0,
  ADD COLUMN expired bigint NOT NULL DEFAULT 0,
  ADD COLUMN available bigint NOT NULL GENERATED ALWAYS AS (amount - held - spent - expired) STORED,
  ADD COLUMN open boolean NOT NULL GENERATED ALWAYS AS (amount > spent + expired) STORED,
  ADD COLUMN request_id text,
  -- The run that a refund is for, and the refund's own id.
  ADD COLUMN run_id text,
  ADD COLUMN refund_id text,
  ADD COLUMN expires_at timestamptz,
  DROP CONSTRAINT credit_grant_amount_check,
  ADD CONSTRAINT credit_grant_check CHECK (
    amount > 0 AND available >= 0 AND held >= 0 AND spent >= 0 AND expired >= 0
  ),
  SET (fillfactor = 50);

-- The order in which credits are spent: those that expire first, then those that were granted first.
CREATE INDEX credit_grant_spending ON credit_grant (account_id, expires_at, created_at, grant_id) WHERE open;
CREATE INDEX credit_grant_expiry ON credit_grant (expires_at) WHERE open AND expires_at IS NOT NULL;
CREATE UNIQUE INDEX credit_grant_refund ON credit_grant (refund_id) WHERE refund_id IS NOT NULL;

-- `grant_ids` and `grant_amounts` say which grants a hold took from, in the order in which it spends them.
-- `grants_updated` tells holds that a function below resolved from those that the release before did.
ALTER TABLE hold
  DROP CONSTRAINT hold_account_id_fkey,
  DROP CONSTRAINT hold_amount_check,
  DROP CONSTRAINT hold_check,
  DROP CONSTRAINT hold_check1,
  DROP CONSTRAINT hold_check2,
  DROP CONSTRAINT hold_state_check,
  ALTER COLUMN state DROP DEFAULT,
  ALTER COLUMN state TYPE hold_state,
  ALTER COLUMN state SET DEFAULT 'pending',
  ADD COLUMN request_id text,
  ADD COLUMN expires_in_ms bigint,
  ADD COLUMN refunded bigint NOT NULL DEFAULT 0,
  ADD COLUMN grant_ids text[] NOT NULL DEFAULT '{}',
  ADD COLUMN grant_amounts bigint[] NOT NULL DEFAULT '{}',
  ADD COLUMN grants_updated boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT hold_check CHECK (
    amount > 0 AND settled >= 0 AND settled <= amount AND refunded >= 0 AND refunded <= settled
    AND (settled = 0 OR state = 'settled') AND (state = 'pending') = (resolved_at IS NULL)
  );

-- One key in place of two: the entries of an account in their order.
ALTER TABLE entry
  DROP CONSTRAINT entry_pkey,
  DROP CONSTRAINT entry_account_id_fkey,
  DROP CONSTRAINT entry_hold_id_fkey,
  DROP CONSTRAINT entry_available_after_check,
  DROP CONSTRAINT entry_held_after_check,
  DROP CONSTRAINT entry_kind_check,
  DROP CONSTRAINT entry_check,
  DROP CONSTRAINT entry_check1,
  ALTER COLUMN kind TYPE entry_kind,
  ADD PRIMARY KEY (account_id, entry_id),
  ADD CONSTRAINT entry_check CHECK (num_nonnulls(grant_id, hold_id) = 1);

DROP INDEX entry_by_account;
CREATE UNIQUE INDEX entry_grant_made ON entry (grant_id) WHERE kind = 'grant';

-- A cycle without credits has no grant; its allowances count all the same.
CREATE TABLE billing_cycle (
  account_id text NOT NULL REFERENCES account,
  starts_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL,
  credits bigint NOT NULL CHECK (credits >= 0),
  grant_id text REFERENCES credit_grant,
  cause text NOT NULL,
  request_id text,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, starts_at),
  CHECK (ends_at > starts_at),
  CHECK ((credits = 0) = (grant_id IS NULL))
);

CREATE TABLE allowance (
  account_id text NOT NULL,
  cycle_starts_at timestamptz NOT NULL,
  allowance text NOT NULL,
  allowed bigint NOT NULL CHECK (allowed >= 0),
  used bigint NOT NULL DEFAULT 0 CHECK (used >= 0 AND used <= allowed),
  PRIMARY KEY (account_id, cycle_starts_at, allowance),
  FOREIGN KEY (account_id, cycle_starts_at) REFERENCES billing_cycle
) WITH (fillfactor = 50);

-- One row a use, with its first answers. A use that found none left names no cycle where the account had none.
CREATE TABLE allowance_use (
  use_id text PRIMARY KEY,
  account_id text NOT NULL,
  allowance text NOT NULL,
  cycle_starts_at timestamptz,
  taken boolean NOT NULL,
  remaining bigint NOT NULL CHECK (remaining >= 0),
  cause text NOT NULL,
  request_id text,
  created_at timestamptz NOT NULL DEFAULT now(),
  returned_at timestamptz,
  remaining_after_return bigint,
  CHECK (NOT taken OR cycle_starts_at IS NOT NULL),
  CHECK (returned_at IS NULL OR taken),
  CHECK ((returned_at IS NULL) = (remaining_after_return IS NULL))
);

CREATE INDEX allowance_use_by_account ON allowance_use (account_id);

-- The functions. Each is one operation, called as one statement. Inside, every statement sees what was committed when it
-- began, so what is read after the account's row is locked is the newest (ADR 0020). Locks are taken in one order: hold,
-- account, grants. `in_at` is for tests that move time; null is the database's clock, read after the lock so that
-- an account's entries have their times in their order. A changed function gets a new number and the old one stays for one
-- release.

-- Takes what is due out of `available`. Whoever calls it holds the lock on the account's row.
CREATE FUNCTION expire_due_credits_v1(in_account_id text, in_at timestamptz) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  due record;
  total bigint := 0;
BEGIN
  FOR due IN
    SELECT grant_id, available FROM credit_grant
    WHERE account_id = in_account_id AND open AND expires_at <= in_at AND available > 0
    ORDER BY expires_at, created_at, grant_id
  LOOP
    UPDATE credit_grant SET expired = expired + due.available WHERE grant_id = due.grant_id;
    WITH less AS (
      UPDATE account SET available = available - due.available WHERE account_id = in_account_id
      RETURNING available, held
    )
    INSERT INTO entry (account_id, kind, grant_id, cause, available_change, held_change, available_after, held_after, created_at)
    SELECT in_account_id, 'expire_credits', due.grant_id, 'expire-credits', -due.available, 0, available, held, in_at
    FROM less;
    total := total + due.available;
  END LOOP;
  RETURN total;
END $$;

-- What an account has, after what is due has gone. Whoever calls it holds the lock on the account's row.
CREATE FUNCTION balance_after_expiry_v1(in_account_id text, in_at timestamptz, OUT available bigint, OUT held bigint)
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM expire_due_credits_v1(in_account_id, in_at);
  SELECT account.available, account.held INTO available, held FROM account WHERE account_id = in_account_id;
  available := coalesce(available, 0);
  held := coalesce(held, 0);
END $$;

-- Locks the account's row, which it makes where there is none.
CREATE FUNCTION lock_account_v1(in_account_id text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM account WHERE account_id = in_account_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    INSERT INTO account (account_id) VALUES (in_account_id) ON CONFLICT DO NOTHING;
    PERFORM FROM account WHERE account_id = in_account_id FOR NO KEY UPDATE;
  END IF;
END $$;

CREATE TYPE balance_answer_v1 AS (outcome text, available bigint, held bigint);

-- The answer of every function that grants.
CREATE FUNCTION balance_answer_v1(in_outcome text, in_account_id text, in_at timestamptz) RETURNS balance_answer_v1
LANGUAGE plpgsql AS $$
DECLARE
  balance record;
BEGIN
  balance := balance_after_expiry_v1(in_account_id, in_at);
  RETURN ROW(in_outcome, balance.available, balance.held)::balance_answer_v1;
END $$;

-- Puts a grant that was just inserted into the balance.
CREATE FUNCTION enter_grant_v1(made credit_grant) RETURNS void
LANGUAGE sql AS $$
  WITH more AS (
    UPDATE account SET available = available + made.amount WHERE account_id = made.account_id
    RETURNING available, held
  )
  INSERT INTO entry (account_id, kind, grant_id, cause, available_change, held_change, available_after, held_after, created_at)
  SELECT made.account_id, 'grant', made.grant_id, made.cause, made.amount, 0, available, held, made.created_at FROM more
$$;

CREATE FUNCTION grant_credits_v1(
  in_grant_id text, in_account_id text, in_kind text, in_amount bigint, in_expires_at timestamptz, in_cause text,
  in_request_id text, in_at timestamptz
) RETURNS balance_answer_v1
LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz;
  made credit_grant;
  earlier credit_grant;
BEGIN
  PERFORM lock_account_v1(in_account_id);
  moment := coalesce(in_at, clock_timestamp());
  INSERT INTO credit_grant (grant_id, account_id, kind, amount, expires_at, cause, request_id, created_at)
  VALUES (in_grant_id, in_account_id, in_kind, in_amount, in_expires_at, in_cause, in_request_id, moment)
  ON CONFLICT (grant_id) DO NOTHING RETURNING * INTO made;
  IF made.grant_id IS NOT NULL THEN
    PERFORM enter_grant_v1(made);
    RETURN balance_answer_v1('granted', in_account_id, moment);
  END IF;
  SELECT * INTO STRICT earlier FROM credit_grant WHERE grant_id = in_grant_id;
  RETURN balance_answer_v1(
    CASE WHEN (earlier.account_id, earlier.kind, earlier.amount, earlier.expires_at, earlier.cause, earlier.request_id)
      IS NOT DISTINCT FROM (in_account_id, in_kind, in_amount, in_expires_at, in_cause, in_request_id)
    THEN 'granted' ELSE 'id_reused' END,
    in_account_id, moment
  );
END $$;

CREATE FUNCTION open_billing_cycle_v1(
  in_account_id text, in_starts_at timestamptz, in_ends_at timestamptz, in_credits bigint, in_allowances jsonb,
  in_grant_id text, in_cause text, in_request_id text, in_at timestamptz
) RETURNS balance_answer_v1
LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz;
  made credit_grant;
  earlier billing_cycle;
  earlier_allowances jsonb;
BEGIN
  PERFORM lock_account_v1(in_account_id);
  moment := coalesce(in_at, clock_timestamp());
  SELECT * INTO earlier FROM billing_cycle WHERE account_id = in_account_id AND starts_at = in_starts_at;
  IF FOUND THEN
    SELECT coalesce(jsonb_object_agg(allowance, allowed), '{}') INTO earlier_allowances FROM allowance
    WHERE account_id = in_account_id AND cycle_starts_at = in_starts_at;
    RETURN balance_answer_v1(
      CASE WHEN (earlier.ends_at, earlier.credits, earlier.cause, earlier.request_id, earlier_allowances)
        IS NOT DISTINCT FROM (in_ends_at, in_credits, in_cause, in_request_id, in_allowances)
      THEN 'granted' ELSE 'id_reused' END,
      in_account_id, moment
    );
  END IF;
  IF in_credits > 0 THEN
    INSERT INTO credit_grant (grant_id, account_id, kind, amount, expires_at, cause, request_id, created_at)
    VALUES (in_grant_id, in_account_id, 'cycle', in_credits, in_ends_at, in_cause, in_request_id, moment)
    RETURNING * INTO made;
    PERFORM enter_grant_v1(made);
  END IF;
  INSERT INTO billing_cycle (account_id, starts_at, ends_at, credits, grant_id, cause, request_id, created_at)
  VALUES (in_account_id, in_starts_at, in_ends_at, in_credits, made.grant_id, in_cause, in_request_id, moment);
  INSERT INTO allowance (account_id, cycle_starts_at, allowance, allowed)
  SELECT in_account_id, in_starts_at, key, value::bigint FROM jsonb_each_text(in_allowances);
  RETURN balance_answer_v1('granted', in_account_id, moment);
END $$;

CREATE FUNCTION refund_credits_v1(
  in_refund_id text, in_grant_id text, in_account_id text, in_run_id text, in_amount bigint, in_valid_days integer,
  in_cause text, in_request_id text, in_at timestamptz
) RETURNS balance_answer_v1
LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz;
  run hold;
  made credit_grant;
  earlier credit_grant;
BEGIN
  SELECT * INTO run FROM hold WHERE run_id = in_run_id AND account_id = in_account_id FOR NO KEY UPDATE;
  PERFORM FROM account WHERE account_id = in_account_id FOR NO KEY UPDATE;
  moment := coalesce(in_at, clock_timestamp());
  SELECT * INTO earlier FROM credit_grant WHERE refund_id = in_refund_id;
  IF NOT FOUND THEN
    IF run.state IS DISTINCT FROM 'settled' THEN
      RETURN balance_answer_v1('not_found', in_account_id, moment);
    END IF;
    IF run.refunded + in_amount > run.settled THEN
      RETURN balance_answer_v1('exceeds_spent', in_account_id, moment);
    END IF;
    INSERT INTO credit_grant (grant_id, account_id, kind, amount, expires_at, cause, request_id, run_id, refund_id, created_at)
    VALUES (
      in_grant_id, in_account_id, 'refund', in_amount, moment + make_interval(days => in_valid_days), in_cause,
      in_request_id, in_run_id, in_refund_id, moment
    )
    -- The same refund for another account may be under way, whose lock is not this one's.
    ON CONFLICT (refund_id) WHERE refund_id IS NOT NULL DO NOTHING RETURNING * INTO made;
    IF made.grant_id IS NOT NULL THEN
      UPDATE hold SET refunded = refunded + in_amount WHERE hold_id = run.hold_id;
      PERFORM enter_grant_v1(made);
      RETURN balance_answer_v1('granted', in_account_id, moment);
    END IF;
    SELECT * INTO STRICT earlier FROM credit_grant WHERE refund_id = in_refund_id;
  END IF;
  RETURN balance_answer_v1(
    CASE WHEN (earlier.account_id, earlier.run_id, earlier.amount, earlier.cause, earlier.request_id)
      IS NOT DISTINCT FROM (in_account_id, in_run_id, in_amount, in_cause, in_request_id)
    THEN 'granted' ELSE 'id_reused' END,
    in_account_id, moment
  );
END $$;

CREATE TYPE hold_answer_v1 AS (
  outcome text, hold_id text, account_id text, run_id text, amount bigint, cause text, request_id text, state text,
  settled bigint, expires_at timestamptz, available bigint
);

CREATE FUNCTION hold_answer_v1(in_outcome text, hold hold, in_available bigint) RETURNS hold_answer_v1
LANGUAGE sql IMMUTABLE AS $$
  SELECT ROW(
    in_outcome, (hold).hold_id, (hold).account_id, (hold).run_id, (hold).amount, (hold).cause, (hold).request_id,
    (hold).state, (hold).settled, (hold).expires_at, in_available
  )::hold_answer_v1
$$;

-- The hot path: locks the account's row, reads the first grants, writes grant, hold, account and entry.
CREATE FUNCTION create_hold_v1(
  in_hold_id text, in_account_id text, in_run_id text, in_amount bigint, in_cause text, in_request_id text,
  in_expires_in_ms bigint, in_at timestamptz
) RETURNS hold_answer_v1
LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz;
  balance account;
  line record;
  is_any_due boolean := false;
  missing bigint := in_amount;
  ids text[] := '{}';
  amounts bigint[] := '{}';
  made hold;
BEGIN
  SELECT * INTO balance FROM account WHERE account_id = in_account_id FOR NO KEY UPDATE;
  moment := coalesce(in_at, clock_timestamp());
  IF balance.available >= in_amount THEN
    FOR line IN
      SELECT grant_id, available, expires_at FROM credit_grant
      WHERE account_id = in_account_id AND open AND available > 0
      ORDER BY expires_at, created_at, grant_id
    LOOP
      IF line.expires_at <= moment THEN
        is_any_due := true;
        CONTINUE;
      END IF;
      ids := ids || line.grant_id;
      amounts := amounts || least(line.available, missing);
      missing := missing - least(line.available, missing);
      EXIT WHEN missing = 0;
    END LOOP;
  END IF;
  IF missing = 0 THEN
    INSERT INTO hold (
      hold_id, account_id, run_id, amount, cause, request_id, expires_in_ms, expires_at, created_at, grant_ids, grant_amounts
    ) VALUES (
      in_hold_id, in_account_id, in_run_id, in_amount, in_cause, in_request_id, in_expires_in_ms,
      moment + make_interval(secs => in_expires_in_ms::double precision / 1000), moment, ids, amounts
    )
    ON CONFLICT (run_id) DO NOTHING RETURNING * INTO made;
  END IF;
  IF made.hold_id IS NULL THEN
    RETURN earlier_hold_v1(
      in_account_id, in_run_id, in_amount, in_cause, in_request_id, in_expires_in_ms, moment
    );
  END IF;
  IF is_any_due THEN
    PERFORM expire_due_credits_v1(in_account_id, moment);
  END IF;
  FOR part IN 1..cardinality(ids) LOOP
    UPDATE credit_grant SET held = held + amounts[part] WHERE grant_id = ids[part];
  END LOOP;
  WITH debited AS (
    UPDATE account SET available = available - in_amount, held = held + in_amount WHERE account_id = in_account_id
    RETURNING available, held
  ), entered AS (
    INSERT INTO entry (account_id, kind, hold_id, cause, available_change, held_change, available_after, held_after, created_at)
    SELECT in_account_id, 'hold', in_hold_id, in_cause, -in_amount, in_amount, available, held, moment FROM debited
  )
  SELECT available INTO balance.available FROM debited;
  RETURN hold_answer_v1('held', made, balance.available);
END $$;

-- The first answer of a run that holds credits already, or the refusal of one that would need more than there is.
CREATE FUNCTION earlier_hold_v1(
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
        -- The release before kept neither.
        AND (earlier.expires_in_ms IS NULL
          OR (earlier.request_id, earlier.expires_in_ms) IS NOT DISTINCT FROM (in_request_id, in_expires_in_ms))
      THEN 'held' ELSE 'id_reused' END,
    earlier, available
  );
END $$;

-- Resolves a pending hold: what was delivered is spent, the rest goes back to its grants, and what is due there expires.
-- Whoever calls it holds the locks on the hold and the account.
CREATE FUNCTION resolve_hold_v1(
  pending hold, in_state text, in_entry_kind text, in_delivered bigint, in_at timestamptz
) RETURNS hold_answer_v1
LANGUAGE plpgsql AS $$
DECLARE
  resolved hold;
  undelivered bigint := in_delivered;
  spent_here bigint;
  available bigint;
BEGIN
  FOR part IN 1..cardinality(pending.grant_ids) LOOP
    spent_here := least(undelivered, pending.grant_amounts[part]);
    undelivered := undelivered - spent_here;
    UPDATE credit_grant SET held = held - pending.grant_amounts[part], spent = spent + spent_here
    WHERE grant_id = pending.grant_ids[part];
  END LOOP;
  UPDATE hold SET state = in_state, settled = in_delivered, resolved_at = in_at, grants_updated = true
  WHERE hold_id = pending.hold_id RETURNING * INTO resolved;
  WITH returned AS (
    UPDATE account SET held = account.held - pending.amount,
      available = account.available + pending.amount - in_delivered
    WHERE account_id = pending.account_id
    RETURNING account.available, account.held
  ), entered AS (
    INSERT INTO entry (account_id, kind, hold_id, cause, available_change, held_change, available_after, held_after, created_at)
    SELECT pending.account_id, in_entry_kind, pending.hold_id, pending.cause, pending.amount - in_delivered,
      -pending.amount, returned.available, returned.held, in_at
    FROM returned
  )
  SELECT returned.available INTO available FROM returned;
  available := available - expire_due_credits_v1(pending.account_id, in_at);
  RETURN hold_answer_v1('resolved', resolved, available);
END $$;

-- A pending hold whose time has run out is expired for whoever asks, whether or not the sweep has come by.
CREATE FUNCTION settle_hold_v1(in_hold_id text, in_delivered bigint, in_at timestamptz) RETURNS hold_answer_v1
LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz;
  found_hold hold;
  outcome text;
BEGIN
  SELECT * INTO found_hold FROM hold WHERE hold_id = in_hold_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN hold_answer_v1('not_found', found_hold, 0);
  END IF;
  PERFORM FROM account WHERE account_id = found_hold.account_id FOR NO KEY UPDATE;
  moment := coalesce(in_at, clock_timestamp());
  IF found_hold.state = 'pending' AND found_hold.expires_at > moment AND in_delivered <= found_hold.amount THEN
    RETURN resolve_hold_v1(found_hold, 'settled', 'settle', in_delivered, moment);
  END IF;
  IF found_hold.state = 'pending' AND found_hold.expires_at <= moment THEN
    found_hold.state := 'expired';
  END IF;
  outcome := CASE
    WHEN found_hold.state = 'pending' THEN 'id_reused'
    WHEN found_hold.state <> 'settled' THEN 'not_pending'
    WHEN found_hold.settled = in_delivered THEN 'resolved'
    ELSE 'id_reused' END;
  RETURN hold_answer_v1(outcome, found_hold, (balance_after_expiry_v1(found_hold.account_id, moment)).available);
END $$;

CREATE FUNCTION release_hold_v1(in_hold_id text, in_at timestamptz) RETURNS hold_answer_v1
LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz;
  found_hold hold;
BEGIN
  SELECT * INTO found_hold FROM hold WHERE hold_id = in_hold_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN hold_answer_v1('not_found', found_hold, 0);
  END IF;
  PERFORM FROM account WHERE account_id = found_hold.account_id FOR NO KEY UPDATE;
  moment := coalesce(in_at, clock_timestamp());
  IF found_hold.state = 'pending' THEN
    RETURN resolve_hold_v1(found_hold, 'released', 'release', 0, moment);
  END IF;
  RETURN hold_answer_v1(
    CASE WHEN found_hold.state = 'settled' THEN 'not_pending' ELSE 'resolved' END,
    found_hold, (balance_after_expiry_v1(found_hold.account_id, moment)).available
  );
END $$;

CREATE FUNCTION renew_hold_v1(in_hold_id text, in_expires_in_ms bigint, in_at timestamptz) RETURNS hold_answer_v1
LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz;
  found_hold hold;
  outcome text := 'not_pending';
BEGIN
  SELECT * INTO found_hold FROM hold WHERE hold_id = in_hold_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN hold_answer_v1('not_found', found_hold, 0);
  END IF;
  PERFORM FROM account WHERE account_id = found_hold.account_id FOR NO KEY UPDATE;
  moment := coalesce(in_at, clock_timestamp());
  IF found_hold.state = 'pending' AND found_hold.expires_at > moment THEN
    UPDATE hold
    SET expires_at = greatest(expires_at, moment + make_interval(secs => in_expires_in_ms::double precision / 1000))
    WHERE hold_id = in_hold_id RETURNING * INTO found_hold;
    outcome := 'renewed';
  ELSIF found_hold.state = 'pending' THEN
    found_hold.state := 'expired';
  END IF;
  RETURN hold_answer_v1(outcome, found_hold, (balance_after_expiry_v1(found_hold.account_id, moment)).available);
END $$;

-- Expires one hold whose time has run out, of one account or (null) of any; `none` where there is no more that another
-- sweep has not locked.
CREATE FUNCTION expire_hold_v1(in_account_id text, in_at timestamptz) RETURNS hold_answer_v1
LANGUAGE plpgsql AS $$
DECLARE
  due hold;
BEGIN
  SELECT * INTO due FROM hold WHERE state = 'pending' AND expires_at <= coalesce(in_at, clock_timestamp())
    AND (in_account_id IS NULL OR account_id = in_account_id)
  ORDER BY expires_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN hold_answer_v1('none', due, 0);
  END IF;
  PERFORM FROM account WHERE account_id = due.account_id FOR NO KEY UPDATE;
  RETURN resolve_hold_v1(due, 'expired', 'expire', 0, coalesce(in_at, clock_timestamp()));
END $$;

-- Expires what is due in one account, this one or (null) any that nobody else has locked. No account: there is no more.
CREATE FUNCTION expire_credits_v1(in_account_id text, in_at timestamptz, OUT account_id text, OUT credits bigint)
LANGUAGE plpgsql AS $$
BEGIN
  SELECT account.account_id INTO account_id FROM credit_grant JOIN account USING (account_id)
  WHERE open AND credit_grant.available > 0 AND expires_at <= coalesce(in_at, clock_timestamp())
    AND (in_account_id IS NULL OR account.account_id = in_account_id)
  ORDER BY expires_at LIMIT 1 FOR NO KEY UPDATE OF account SKIP LOCKED;
  credits := expire_due_credits_v1(account_id, coalesce(in_at, clock_timestamp()));
END $$;

CREATE TYPE allowance_answer_v1 AS (outcome text, taken boolean, remaining bigint);

-- The cycle that counts is the newest of those that contain this moment.
CREATE FUNCTION take_allowance_v1(
  in_use_id text, in_account_id text, in_allowance text, in_cause text, in_request_id text, in_at timestamptz
) RETURNS allowance_answer_v1
LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := coalesce(in_at, clock_timestamp());
  cycle timestamptz;
  is_new boolean;
  left_over bigint;
  earlier allowance_use;
BEGIN
  -- Inserted first, so that the same use at the same time waits here.
  INSERT INTO allowance_use (use_id, account_id, allowance, taken, remaining, cause, request_id, created_at)
  VALUES (in_use_id, in_account_id, in_allowance, false, 0, in_cause, in_request_id, moment)
  ON CONFLICT (use_id) DO NOTHING;
  is_new := FOUND;
  IF NOT is_new THEN
    SELECT * INTO STRICT earlier FROM allowance_use WHERE use_id = in_use_id;
    RETURN ROW(
      CASE WHEN (earlier.account_id, earlier.allowance, earlier.cause, earlier.request_id)
        IS NOT DISTINCT FROM (in_account_id, in_allowance, in_cause, in_request_id)
      THEN 'answered' ELSE 'id_reused' END,
      earlier.taken, earlier.remaining
    )::allowance_answer_v1;
  END IF;
  SELECT starts_at INTO cycle FROM billing_cycle
  WHERE account_id = in_account_id AND starts_at <= moment AND ends_at > moment ORDER BY starts_at DESC LIMIT 1;
  UPDATE allowance SET used = used + 1
  WHERE account_id = in_account_id AND cycle_starts_at = cycle AND allowance = in_allowance AND used < allowed
  RETURNING allowed - used INTO left_over;
  IF FOUND THEN
    UPDATE allowance_use SET taken = true, remaining = left_over, cycle_starts_at = cycle WHERE use_id = in_use_id;
  END IF;
  RETURN ROW('answered', left_over IS NOT NULL, coalesce(left_over, 0))::allowance_answer_v1;
END $$;

CREATE FUNCTION return_allowance_v1(in_use_id text, in_at timestamptz) RETURNS allowance_answer_v1
LANGUAGE plpgsql AS $$
DECLARE
  use allowance_use;
BEGIN
  SELECT * INTO use FROM allowance_use WHERE use_id = in_use_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN ROW('not_found', false, 0)::allowance_answer_v1;
  END IF;
  IF use.taken AND use.returned_at IS NULL THEN
    UPDATE allowance SET used = used - 1
    WHERE account_id = use.account_id AND cycle_starts_at = use.cycle_starts_at AND allowance = use.allowance
    RETURNING allowed - used INTO STRICT use.remaining_after_return;
    UPDATE allowance_use SET returned_at = coalesce(in_at, clock_timestamp()),
      remaining_after_return = use.remaining_after_return
    WHERE use_id = in_use_id;
  END IF;
  RETURN ROW('answered', use.taken, coalesce(use.remaining_after_return, use.remaining))::allowance_answer_v1;
END $$;

-- While the release before still runs beside this one, its holds are joined with grants here. Drop these two triggers,
-- their functions and `grants_updated` in a later release.
CREATE FUNCTION take_grants_for_earlier_release() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
  line record;
  missing bigint := NEW.amount;
BEGIN
  FOR line IN
    SELECT grant_id, available FROM credit_grant
    WHERE account_id = NEW.account_id AND open AND available > 0 ORDER BY expires_at, created_at, grant_id
  LOOP
    EXIT WHEN missing = 0;
    NEW.grant_ids := NEW.grant_ids || line.grant_id;
    NEW.grant_amounts := NEW.grant_amounts || least(line.available, missing);
    UPDATE credit_grant SET held = held + least(line.available, missing) WHERE grant_id = line.grant_id;
    missing := missing - least(line.available, missing);
  END LOOP;
  RETURN NEW;
END $$;

CREATE FUNCTION return_grants_for_earlier_release() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
  undelivered bigint := NEW.settled;
  spent_here bigint;
BEGIN
  FOR part IN 1..cardinality(NEW.grant_ids) LOOP
    spent_here := least(undelivered, NEW.grant_amounts[part]);
    undelivered := undelivered - spent_here;
    UPDATE credit_grant SET held = held - NEW.grant_amounts[part], spent = spent + spent_here
    WHERE grant_id = NEW.grant_ids[part];
  END LOOP;
  RETURN NULL;
END $$;

CREATE TRIGGER hold_of_earlier_release BEFORE INSERT ON hold FOR EACH ROW WHEN (NEW.grant_ids = '{}')
  EXECUTE FUNCTION take_grants_for_earlier_release();
-- After the statement, when it holds the lock on the account's row.
CREATE TRIGGER hold_resolved_by_earlier_release AFTER UPDATE OF state ON hold FOR EACH ROW
  WHEN (OLD.state = 'pending' AND NEW.state <> 'pending' AND NOT NEW.grants_updated)
  EXECUTE FUNCTION return_grants_for_earlier_release();

-- What was spent and held before grants were told apart: the oldest grants first.
DO $$
DECLARE
  spending record;
  line record;
  missing bigint;
  ids text[];
  amounts bigint[];
BEGIN
  FOR spending IN
    SELECT hold_id, account_id, state, CASE state WHEN 'pending' THEN amount ELSE settled END AS amount
    FROM hold WHERE state IN ('pending', 'settled') ORDER BY created_at, hold_id
  LOOP
    missing := spending.amount;
    ids := '{}';
    amounts := '{}';
    FOR line IN
      SELECT grant_id, available FROM credit_grant WHERE account_id = spending.account_id AND open AND available > 0
      ORDER BY created_at, grant_id
    LOOP
      EXIT WHEN missing = 0;
      ids := ids || line.grant_id;
      amounts := amounts || least(line.available, missing);
      UPDATE credit_grant
      SET held = held + CASE spending.state WHEN 'pending' THEN least(line.available, missing) ELSE 0 END,
        spent = spent + CASE spending.state WHEN 'settled' THEN least(line.available, missing) ELSE 0 END
      WHERE grant_id = line.grant_id;
      missing := missing - least(line.available, missing);
    END LOOP;
    UPDATE hold SET grant_ids = ids, grant_amounts = amounts WHERE hold_id = spending.hold_id;
  END LOOP;
  UPDATE hold SET grants_updated = true WHERE state <> 'pending';
END $$;

-- The service may move what a grant has left, and change nothing else of it.
GRANT UPDATE (held, spent, expired) ON credit_grant TO mailproof_ledger;
GRANT SELECT, INSERT ON billing_cycle TO mailproof_ledger;
GRANT SELECT, INSERT, UPDATE (used) ON allowance TO mailproof_ledger;
GRANT SELECT, INSERT, UPDATE (cycle_starts_at, taken, remaining, returned_at, remaining_after_return)
  ON allowance_use TO mailproof_ledger;
