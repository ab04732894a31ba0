-- Up Migration

-- When the webhook dispatcher had forgotten the exports of a deleted account.
ALTER TABLE account_deletion ADD COLUMN exports_forgotten_at timestamptz;

GRANT UPDATE (exports_forgotten_at) ON account_deletion TO mailproof_gateway;
