-- Up Migration

-- Addresses with a verdict that costs credits, so that a running job can say what it has spent so far. The previous
-- release does not count them: jobs that it works on show too few until they end.
ALTER TABLE validation_job ADD COLUMN charged integer NOT NULL DEFAULT 0;
