-- Up Migration

-- Where an account's events go (ADR 0070). The URL and the signing secrets are in `sealed_destination`, sealed for
-- `endpoint_id`, and nowhere else.
CREATE TABLE webhook_endpoint (
  endpoint_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  endpoint_id text NOT NULL UNIQUE,
  account_id text NOT NULL,
  created_by text NOT NULL,
  description text,
  event_types text[] NOT NULL,
  sealed_destination text NOT NULL,
  -- Until then the previous secret signs too.
  previous_secret_until timestamptz,
  -- The first failed attempt since the last success.
  failing_since timestamptz,
  disabled_at timestamptz,
  disabled_reason text,
  created_at timestamptz NOT NULL,
  CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL))
);

CREATE INDEX webhook_endpoint_of_account ON webhook_endpoint (account_id, endpoint_no DESC);

-- One event for one endpoint.
CREATE TABLE event_delivery (
  delivery_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  delivery_id text NOT NULL UNIQUE,
  endpoint_no bigint NOT NULL REFERENCES webhook_endpoint ON DELETE CASCADE,
  account_id text NOT NULL,
  event_id text NOT NULL,
  type text NOT NULL,
  -- The body as it is sent, so that every attempt sends the same octets.
  body text NOT NULL,
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed', 'cancelled')),
  attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  -- Of the last attempt, in words of ours.
  status_code integer,
  fault text,
  next_attempt_at timestamptz,
  -- An attempt that fails from then on is the last one. Null before the first.
  retried_until timestamptz,
  failed_attempts integer NOT NULL DEFAULT 0,
  version integer NOT NULL DEFAULT 1,
  trace_parent text,
  created_at timestamptz NOT NULL,
  moved_at timestamptz NOT NULL,
  ended_at timestamptz,
  UNIQUE (endpoint_no, event_id),
  CHECK ((state = 'pending') = (ended_at IS NULL))
);

CREATE INDEX event_delivery_of_endpoint ON event_delivery (endpoint_no, delivery_no DESC);
CREATE INDEX event_delivery_of_account ON event_delivery (account_id);
CREATE INDEX event_delivery_pending ON event_delivery (endpoint_no) WHERE state = 'pending';
CREATE INDEX event_delivery_moved ON event_delivery (moved_at) WHERE state = 'pending';
CREATE INDEX event_delivery_ended ON event_delivery (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE event_attempt (
  delivery_no bigint NOT NULL REFERENCES event_delivery ON DELETE CASCADE,
  attempt_no integer NOT NULL CHECK (attempt_no > 0),
  attempted_at timestamptz NOT NULL,
  duration_ms integer NOT NULL CHECK (duration_ms >= 0),
  status_code integer,
  fault text,
  PRIMARY KEY (delivery_no, attempt_no)
);

-- The table is small: it has the work of the last seven days, a few rows for each export. Writes wait for a moment only.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX outbox_of_delivery ON outbox ((payload->>'deliveryId')) WHERE done_at IS NULL AND failed_at IS NULL;

GRANT SELECT, INSERT, UPDATE, DELETE ON webhook_endpoint, event_delivery, event_attempt TO mailproof_dispatcher;
