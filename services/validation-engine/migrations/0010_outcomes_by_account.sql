-- Up Migration
-- Creating the index only reads the table, and reports of outcomes wait for some seconds.
-- squawk-ignore-file require-concurrent-index-creation

-- The latest outcomes of each account at a domain. The release before reads with outcome_for_others.
CREATE INDEX outcome_of_others ON outcome (domain_hash, account_id, observed_at DESC) WHERE counts_for_others;
