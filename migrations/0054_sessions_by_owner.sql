-- Links, sessions and document addresses end with the connection of their company, and sessions with a password.
CREATE INDEX IF NOT EXISTS flow_sessions_by_company ON flow_sessions (company_id);

CREATE INDEX IF NOT EXISTS document_links_by_company ON document_links (company_id);

CREATE INDEX IF NOT EXISTS user_sessions_by_user ON user_sessions (user_id);
