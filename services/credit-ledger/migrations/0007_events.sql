-- Up Migration

-- Events that the webhook dispatcher has not taken over yet. Each commits with the change that it tells (ADR 0070).
CREATE TABLE event (
  event_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event_id text NOT NULL UNIQUE,
  account_id text NOT NULL,
  type text NOT NULL,
  data jsonb NOT NULL,
  happened_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX event_of_account ON event (account_id);

GRANT SELECT, INSERT, DELETE ON event TO mailproof_ledger;

-- Credits, available and held together, below which the account is told. Null: never. Held credits count, because a hold
-- that is released would otherwise cross the threshold twice.
ALTER TABLE account ADD COLUMN low_below bigint;

CREATE FUNCTION record_low_credits_v1() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO event (event_id, account_id, type, data) VALUES (
    'evt_' || replace(gen_random_uuid()::text, '-', ''), NEW.account_id, 'credits.low',
    jsonb_build_object(
      'account_id', NEW.account_id, 'available', NEW.available, 'held', NEW.held, 'threshold', NEW.low_below
    )
  );
  RETURN NULL;
END $$;

-- A trigger, because a dozen functions change the balance; its condition costs accounts without a threshold next to nothing.
CREATE TRIGGER record_low_credits AFTER UPDATE OF available, held ON account FOR EACH ROW
WHEN (OLD.available + OLD.held >= NEW.low_below AND NEW.available + NEW.held < NEW.low_below)
EXECUTE FUNCTION record_low_credits_v1();
