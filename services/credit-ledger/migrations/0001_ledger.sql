-- Up Migration

-- One row an account. The CHECKs are the last line of the promise that nothing is overspent. A fill factor of 50
-- leaves room on the page for the next version of a row that changes with every request.
CREATE TABLE account (
  account_id text PRIMARY KEY,
  available bigint NOT NULL DEFAULT 0 CHECK (available >= 0),
  held bigint NOT NULL DEFAULT 0 CHECK (held >= 0)
) WITH (fillfactor = 50);

CREATE TABLE credit_grant (
  grant_id text PRIMARY KEY,
  account_id text NOT NULL REFERENCES account,
  amount bigint NOT NULL CHECK (amount > 0),
  cause text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE hold (
  hold_id text PRIMARY KEY,
  account_id text NOT NULL REFERENCES account,
  run_id text NOT NULL UNIQUE,
  amount bigint NOT NULL CHECK (amount > 0),
  settled bigint NOT NULL DEFAULT 0 CHECK (settled >= 0 AND settled <= amount),
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'settled', 'released', 'expired')),
  cause text NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  resolved_at timestamptz,
  CHECK (settled = 0 OR state = 'settled'),
  CHECK ((state = 'pending') = (resolved_at IS NULL))
) WITH (fillfactor = 70);

-- The sweep looks for pending holds by their expiry; resolved ones leave this index.
CREATE INDEX hold_pending ON hold (expires_at) WHERE state = 'pending';

-- Every movement of credits, for ever: who, why, how much, and what the balance was after it.
CREATE TABLE entry (
  entry_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id text NOT NULL REFERENCES account,
  kind text NOT NULL CHECK (kind IN ('grant', 'hold', 'settle', 'release', 'expire')),
  grant_id text REFERENCES credit_grant,
  hold_id text REFERENCES hold,
  cause text NOT NULL,
  available_change bigint NOT NULL,
  held_change bigint NOT NULL,
  available_after bigint NOT NULL CHECK (available_after >= 0),
  held_after bigint NOT NULL CHECK (held_after >= 0),
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((kind = 'grant') = (grant_id IS NOT NULL)),
  CHECK ((kind = 'grant') = (hold_id IS NULL))
);

CREATE INDEX entry_by_account ON entry (account_id, entry_id);

-- Each hold is made once and resolved at most once, whatever the code above believes.
CREATE UNIQUE INDEX entry_hold_made ON entry (hold_id) WHERE kind = 'hold';
CREATE UNIQUE INDEX entry_hold_resolved ON entry (hold_id) WHERE kind IN ('settle', 'release', 'expire');

-- The service appends entries and grants; it cannot rewrite history.
GRANT SELECT, INSERT, UPDATE ON account, hold TO mailproof_ledger;
GRANT SELECT, INSERT ON credit_grant, entry TO mailproof_ledger;
