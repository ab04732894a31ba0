-- Up Migration

-- A user is a person who can sign in. Each belongs to one account; an address belongs to one user.
CREATE TABLE app_user (
  user_id text PRIMARY KEY,
  account_id text NOT NULL REFERENCES account,
  email text NOT NULL CHECK (length(email) BETWEEN 3 AND 320),
  -- Argon2id with its parameters and salt, in the PHC string format; the password is never kept.
  password_hash text NOT NULL,
  role text NOT NULL CHECK (role IN ('owner', 'member')),
  created_at timestamptz NOT NULL DEFAULT now()
);

-- Hosts that tell Ada@ from ada@ are as good as extinct; two users who differ in nothing else are one person.
CREATE UNIQUE INDEX app_user_by_email ON app_user (lower(email));
CREATE INDEX app_user_by_account ON app_user (account_id);

-- A session is known by the SHA-256 of its token: the token is random, so a fast hash is enough. Ended ones are deleted.
CREATE TABLE session (
  session_id text PRIMARY KEY,
  user_id text NOT NULL REFERENCES app_user ON DELETE CASCADE,
  token_sha256 bytea NOT NULL UNIQUE CHECK (length(token_sha256) = 32),
  user_agent text NOT NULL CHECK (length(user_agent) <= 120),
  created_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL
);

CREATE INDEX session_by_user ON session (user_id);
CREATE INDEX session_by_last_seen ON session (last_seen_at);

-- A link that can be used once. Its token is signed with a key that is not in the database, and is not kept anywhere.
CREATE TABLE one_time_link (
  link_id text PRIMARY KEY,
  purpose text NOT NULL CHECK (purpose IN ('sign_up', 'password_reset', 'email_change', 'invitation')),
  -- Where it is sent; its use proves that the mail arrived there.
  email text NOT NULL CHECK (length(email) BETWEEN 3 AND 320),
  -- Whose password or address it changes.
  user_id text REFERENCES app_user ON DELETE CASCADE,
  -- The session that asked for a change of address; it stays when the others end.
  session_id text,
  -- What an invitation leads into.
  account_id text REFERENCES account,
  role text CHECK (role IN ('owner', 'member')),
  -- What a sign-up makes.
  account_name text CHECK (length(account_name) BETWEEN 1 AND 200),
  password_hash text,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  CHECK (purpose <> 'sign_up' OR (account_name IS NOT NULL AND password_hash IS NOT NULL)),
  CHECK (purpose NOT IN ('password_reset', 'email_change') OR user_id IS NOT NULL),
  CHECK (purpose <> 'invitation' OR (account_id IS NOT NULL AND role IS NOT NULL))
);

CREATE INDEX one_time_link_by_user ON one_time_link (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX one_time_link_by_account ON one_time_link (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX one_time_link_by_expiry ON one_time_link (expires_at);

-- A mail that is still to be sent; the row goes when it has been. What it says is made when it is sent.
CREATE TABLE mail (
  mail_id text PRIMARY KEY,
  kind text NOT NULL,
  email text NOT NULL CHECK (length(email) BETWEEN 3 AND 320),
  link_id text REFERENCES one_time_link ON DELETE SET NULL,
  created_at timestamptz NOT NULL
);

CREATE INDEX mail_by_creation ON mail (created_at);
CREATE INDEX mail_by_link ON mail (link_id);

-- What happened to the security of an account, for its owners to read.
CREATE TABLE security_event (
  security_event_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id text NOT NULL REFERENCES account,
  -- Not a reference: what a person did stays known when the person is gone.
  user_id text,
  kind text NOT NULL,
  at timestamptz NOT NULL,
  client_network text NOT NULL,
  user_agent text NOT NULL CHECK (length(user_agent) <= 120),
  details jsonb NOT NULL DEFAULT '{}'
);

CREATE INDEX security_event_by_account ON security_event (account_id, security_event_id);
CREATE INDEX security_event_by_time ON security_event (at);

GRANT SELECT, INSERT, UPDATE, DELETE ON app_user, session, one_time_link, mail TO mailproof_gateway;
GRANT SELECT, INSERT, DELETE ON security_event TO mailproof_gateway;
