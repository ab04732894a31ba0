-- Up Migration

-- How a user is told of events: the types that the user has changed, each with its channels (ADR 0086).
ALTER TABLE app_user ADD COLUMN notice_settings jsonb;

-- An event, as one user sees it. The previous release deletes users and accounts without knowing this table, so the rows
-- follow their user.
CREATE TABLE notice (
  notice_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id text NOT NULL REFERENCES app_user ON DELETE CASCADE,
  event_id text NOT NULL,
  type text NOT NULL,
  data jsonb NOT NULL,
  happened_at timestamptz NOT NULL,
  -- Whether it is shown in the application; otherwise it is only mailed.
  in_app boolean NOT NULL,
  -- A notice that is mailed waits for its job, and is then sent.
  mail text CHECK (mail IN ('waiting', 'sent')),
  read_at timestamptz,
  created_at timestamptz NOT NULL,
  UNIQUE (user_id, event_id)
);

CREATE INDEX notice_of_user ON notice (user_id, notice_no DESC);
CREATE INDEX notice_unread ON notice (user_id) WHERE in_app AND read_at IS NULL;
CREATE INDEX notice_by_creation ON notice (created_at);

GRANT SELECT, INSERT, UPDATE, DELETE ON notice TO mailproof_gateway;
