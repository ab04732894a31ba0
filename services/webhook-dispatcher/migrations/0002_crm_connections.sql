-- Up Migration

-- CRMs that accounts have connected (ADR 0038). What gives access is sealed and stands nowhere else.
CREATE TABLE crm_connection (
  connection_id text PRIMARY KEY,
  account_id text NOT NULL,
  provider text NOT NULL CHECK (provider IN ('hubspot', 'salesforce')),
  -- What the CRM calls the organisation, and what people call it.
  organisation_id text NOT NULL,
  organisation_name text NOT NULL,
  -- Where the organisation's records are.
  api_base_url text NOT NULL,
  connected_by text NOT NULL,
  connected_at timestamptz NOT NULL,
  -- To the minute.
  last_used_at timestamptz,
  -- Why it does nothing at present.
  fault text,
  -- Access token and refresh token, sealed together for this connection.
  sealed_tokens text NOT NULL,
  -- When the access token ends, where the CRM says so.
  access_ends_at timestamptz,
  -- Grows with every change of the tokens, so that nobody puts older ones over newer ones.
  tokens_version integer NOT NULL DEFAULT 1,
  -- Whoever renews the tokens has until then; later somebody else may.
  renewing_until timestamptz,
  UNIQUE (account_id, provider, organisation_id)
);

CREATE INDEX crm_connection_of_organisation ON crm_connection (provider, organisation_id);

-- Connections that were begun and wait for their answer from the CRM. The state itself is known to the browser alone.
CREATE TABLE crm_sign_in (
  state_hash text PRIMARY KEY,
  account_id text NOT NULL,
  user_id text NOT NULL,
  provider text NOT NULL CHECK (provider IN ('hubspot', 'salesforce')),
  -- Proves to the CRM that who brings the answer has begun it (RFC 7636).
  sealed_verifier text NOT NULL,
  expires_at timestamptz NOT NULL
);

CREATE INDEX crm_sign_in_of_account ON crm_sign_in (account_id);
CREATE INDEX crm_sign_in_to_delete ON crm_sign_in (expires_at);

GRANT SELECT, INSERT, UPDATE, DELETE ON crm_connection, crm_sign_in TO mailproof_dispatcher;
