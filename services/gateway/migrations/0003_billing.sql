-- Up Migration
-- Written ahead of the first release: no release ran on these tables, and they were empty.
-- squawk-ignore-file adding-field-with-default, constraint-missing-not-valid, require-concurrent-index-creation

-- The demo's plan of earlier releases is a plan by agreement.
UPDATE account SET plan = 'custom' WHERE plan = 'demo';

-- How an account stands with its plan. An account without a cycle, as the release before makes it, gets its first from
-- the renewing worker, since it is due from its creation on.
ALTER TABLE account
  ADD COLUMN billing_anchor timestamptz NOT NULL DEFAULT date_trunc('milliseconds', now()),
  ADD COLUMN cycle_starts_at timestamptz,
  ADD COLUMN cycle_ends_at timestamptz,
  ADD COLUMN paid_until timestamptz,
  ADD COLUMN pending_plan text,
  ADD COLUMN pending_takes_effect text CHECK (pending_takes_effect IN ('on_payment', 'at_cycle_end')),
  ADD COLUMN pending_requested_at timestamptz,
  ADD COLUMN lapsed_plan text,
  ADD COLUMN lapsed_at timestamptz,
  -- When the renewing worker looks at the account next.
  ADD COLUMN billing_due_at timestamptz NOT NULL DEFAULT now(),
  ADD CONSTRAINT account_cycle CHECK ((cycle_starts_at IS NULL) = (cycle_ends_at IS NULL) AND cycle_ends_at > cycle_starts_at),
  ADD CONSTRAINT account_pending CHECK (
    (pending_plan IS NULL) = (pending_takes_effect IS NULL) AND (pending_plan IS NULL) = (pending_requested_at IS NULL)),
  ADD CONSTRAINT account_lapse CHECK ((lapsed_plan IS NULL) = (lapsed_at IS NULL));

UPDATE account SET billing_anchor = date_trunc('milliseconds', created_at);

CREATE INDEX account_billing_due ON account (billing_due_at);

-- What has been paid for, as the operator or a payment provider said; rows are never changed.
CREATE TABLE payment (
  payment_id text PRIMARY KEY,
  account_id text NOT NULL REFERENCES account,
  plan text NOT NULL,
  paid_from timestamptz NOT NULL,
  paid_until timestamptz NOT NULL,
  reference text CHECK (length(reference) BETWEEN 1 AND 200),
  recorded_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT payment_period CHECK (paid_until > paid_from)
);

CREATE INDEX payment_by_account ON payment (account_id);

-- The key as a compact JWE, for the account's profile and the tool server; absent for keys of earlier releases, and
-- once a key is revoked. `sealed_kid` names the key-encryption key, so that a rotation finds what is left.
ALTER TABLE api_key
  ADD COLUMN sealed_key text,
  ADD COLUMN sealed_kid text,
  ADD CONSTRAINT api_key_sealed CHECK ((sealed_key IS NULL) = (sealed_kid IS NULL));

CREATE INDEX api_key_sealed_under ON api_key (sealed_kid, api_key_id) WHERE sealed_kid IS NOT NULL;

GRANT SELECT, INSERT ON payment TO mailproof_gateway;
