-- Whoever opened a link, on one device; found by the SHA-256 of the cookie.
CREATE TABLE IF NOT EXISTS flow_sessions (
    hash        bytes NOT NULL,
    company_id  uuid NOT NULL,
    employee_id uuid NOT NULL,
    flow_types  text NOT NULL,
    language    text,
    link_made   instant NOT NULL,
    created_at  instant NOT NULL,
    used_at     instant NOT NULL,
    PRIMARY KEY (hash)
);

CREATE INDEX IF NOT EXISTS flow_sessions_by_age ON flow_sessions (created_at);
