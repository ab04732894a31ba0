-- Up Migration

-- What stays of a deleted account: that it was deleted, and how far the other services have come. Whoever restores an
-- older backup repeats the deletions that are written down here.
CREATE TABLE account_deletion (
  account_id text PRIMARY KEY,
  deleted_at timestamptz NOT NULL,
  credits_closed_at timestamptz,
  outcomes_forgotten_at timestamptz
);

CREATE INDEX account_deletion_by_time ON account_deletion (deleted_at);

-- What was paid is an accounting record; it outlives the account, whose id then names nobody.
ALTER TABLE payment DROP CONSTRAINT payment_account_id_fkey;

GRANT DELETE ON account, api_key TO mailproof_gateway;
GRANT SELECT, INSERT, UPDATE (credits_closed_at, outcomes_forgotten_at) ON account_deletion TO mailproof_gateway;
