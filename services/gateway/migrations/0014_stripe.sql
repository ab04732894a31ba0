-- Up Migration
-- The table is small: payment has a row for each paid month of an account. The previous release only adds rows to it.
-- squawk-ignore-file ban-drop-not-null, constraint-missing-not-valid, require-concurrent-index-creation

-- The account's customer at Stripe; null until the account orders there (ADR 0089).
ALTER TABLE account ADD COLUMN stripe_customer_id text CHECK (length(stripe_customer_id) BETWEEN 1 AND 200);

-- A payment can also be for credits in addition to the plan.
ALTER TABLE payment
  ADD COLUMN credits integer CHECK (credits > 0),
  ALTER COLUMN plan DROP NOT NULL,
  ALTER COLUMN paid_from DROP NOT NULL,
  ALTER COLUMN paid_until DROP NOT NULL,
  ADD CONSTRAINT payment_purchase CHECK (
    (plan IS NULL) = (credits IS NOT NULL)
    AND (plan IS NULL) = (paid_from IS NULL)
    AND (plan IS NULL) = (paid_until IS NULL));

-- An invoice is paid once, however often it is reported. References that an operator types may repeat.
CREATE UNIQUE INDEX payment_by_invoice ON payment (reference) WHERE reference LIKE 'stripe:%';

-- Reconciliation reads the payments of the last weeks.
CREATE INDEX payment_by_time ON payment (recorded_at);
