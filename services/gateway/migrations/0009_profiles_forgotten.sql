-- Up Migration

-- When the enrichment service had forgotten what a deleted account searched for and saved.
ALTER TABLE account_deletion ADD COLUMN profiles_forgotten_at timestamptz;

GRANT UPDATE (profiles_forgotten_at) ON account_deletion TO mailproof_gateway;
