-- Up Migration

-- When the tool server had forgotten the assistants of a deleted account.
ALTER TABLE account_deletion ADD COLUMN assistants_forgotten_at timestamptz;

GRANT UPDATE (assistants_forgotten_at) ON account_deletion TO mailproof_gateway;
