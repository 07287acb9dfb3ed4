-- Who may call for a company, and who may allow it: codes, pairs of tokens, and people who are signed in.
-- Codes, pairs and sessions are looked for before any company is known: their key is the SHA-256 of their text.
-- An application without a secret (a public client) has no bytes in applications.secret_hash.

-- A code is stored when somebody consents, and stays a while after its use: whoever uses it again ends its family.
CREATE TABLE IF NOT EXISTS authorization_codes (
    hash           bytes NOT NULL,
    application_id uuid NOT NULL,
    company_id     uuid NOT NULL,
    user_id        uuid NOT NULL,
    family_id      uuid NOT NULL,
    redirect_uri   text NOT NULL,
    challenge      text,
    scopes         text NOT NULL,
    created_at     instant NOT NULL,
    expires_at     instant NOT NULL,
    used_at        instant,
    PRIMARY KEY (hash)
);

CREATE INDEX IF NOT EXISTS authorization_codes_by_age ON authorization_codes (expires_at);

-- An access token and the refresh token that came with it. All pairs that go back to one consent are a family.
-- replaces is the refresh token that this pair was given for, until the pair is used for the first time; successor is
-- the sealed text of the pair that replaced this one, until that one is used.
CREATE TABLE IF NOT EXISTS token_pairs (
    refresh_hash bytes NOT NULL,
    access_hash  bytes NOT NULL,
    id           uuid NOT NULL,
    family_id    uuid NOT NULL,
    replaces     bytes,
    successor    bytes,
    PRIMARY KEY (refresh_hash)
);

CREATE INDEX IF NOT EXISTS token_pairs_by_access ON token_pairs (access_hash);

CREATE INDEX IF NOT EXISTS token_pairs_by_family ON token_pairs (family_id);

CREATE INDEX IF NOT EXISTS tokens_by_company ON tokens (company_id, application_id);

CREATE INDEX IF NOT EXISTS company_admins_by_user ON company_admins (user_id);

-- Somebody who signed in, on one device; with the company that was chosen for an application, before consent.
CREATE TABLE IF NOT EXISTS user_sessions (
    hash           bytes NOT NULL,
    user_id        uuid NOT NULL,
    application_id uuid,
    company_id     uuid,
    created_at     instant NOT NULL,
    used_at        instant NOT NULL,
    PRIMARY KEY (hash)
);

CREATE INDEX IF NOT EXISTS user_sessions_by_age ON user_sessions (created_at);

-- Failed attempts to sign in, by the SHA-256 of an e-mail address or of a place in the network.
CREATE TABLE IF NOT EXISTS sign_in_attempts (
    subject  bytes NOT NULL,
    attempts bigint NOT NULL,
    since    instant NOT NULL,
    PRIMARY KEY (subject)
);

CREATE INDEX IF NOT EXISTS sign_in_attempts_by_age ON sign_in_attempts (since);
