-- Up Migration
-- No row matches the index yet: creating it only reads the table, and reports of outcomes wait for some seconds.
-- squawk-ignore-file require-concurrent-index-creation

-- Whether an outcome counts for other accounts: only of accounts that have paid (ADR 0017). What earlier releases and
-- accounts without a payment report counts for the reporting account alone.
ALTER TABLE outcome ADD COLUMN counts_for_others boolean NOT NULL DEFAULT false;

CREATE INDEX outcome_for_others ON outcome (domain_hash, observed_at DESC) WHERE counts_for_others;
