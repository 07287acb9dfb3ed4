-- Which of the applications that a company is connected to manages it. Of connections of before it is not known.
ALTER TABLE connections ADD COLUMN manages boolean;

-- When applications were connected before they were connected again: events of that time are still listed for them.
CREATE TABLE IF NOT EXISTS past_connections (
    company_id     uuid NOT NULL,
    application_id uuid NOT NULL,
    connected_at   instant NOT NULL,
    ended_at       instant NOT NULL,
    PRIMARY KEY (company_id, application_id, connected_at)
);

CREATE INDEX IF NOT EXISTS past_connections_by_age ON past_connections (ended_at);

REPEAT INSERT INTO past_connections (company_id, application_id, connected_at, ended_at)
    SELECT c.company_id, c.application_id, c.connected_at, c.ended_at FROM connections c
    WHERE c.ended_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM past_connections p WHERE p.company_id = c.company_id
    AND p.application_id = c.application_id AND p.connected_at = c.connected_at)
    ORDER BY c.company_id, c.application_id LIMIT 1000;

-- Whose pages and addresses these are: they end with the access of that application, and of no other.
ALTER TABLE flow_sessions ADD COLUMN application_id uuid;

ALTER TABLE document_links ADD COLUMN application_id uuid;

ALTER TABLE report_links ADD COLUMN application_id uuid;

-- Codes that nobody has used yet end with what was consented to.
CREATE INDEX IF NOT EXISTS authorization_codes_of_company ON authorization_codes (company_id);
