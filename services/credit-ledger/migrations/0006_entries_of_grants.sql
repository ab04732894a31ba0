-- Up Migration
-- Written ahead of the first release: no release ran on these tables, and they were empty.
-- squawk-ignore-file require-concurrent-index-creation

-- What was added to an account and what expired, which a statement shows by itself: a few rows among those of every hold.
CREATE INDEX entry_of_grants ON entry (account_id, entry_id) WHERE kind IN ('grant', 'expire_credits');
