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

GRANT SELECT, INSERT, DELETE ON event TO mailproof_validation;
