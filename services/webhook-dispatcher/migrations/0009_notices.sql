-- Up Migration

-- Events that the gateway has not taken over yet, to tell the users of their accounts (ADR 0086).
CREATE TABLE event (
  event_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event_id text NOT NULL UNIQUE,
  account_id text NOT NULL,
  type text NOT NULL,
  data jsonb NOT NULL,
  happened_at timestamptz NOT NULL
);

CREATE INDEX event_of_account ON event (account_id);
CREATE INDEX event_by_time ON event (happened_at);

GRANT SELECT, INSERT, DELETE ON event TO mailproof_dispatcher;
