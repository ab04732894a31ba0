-- Up Migration
-- No row matches the index yet: this release is the first one that sets counts_for_others.
-- squawk-ignore-file require-concurrent-index-creation

-- The latest outcomes of each account at a domain. The release before reads with outcome_for_others.
CREATE INDEX outcome_of_others ON outcome (domain_hash, account_id, observed_at DESC) WHERE counts_for_others;
