-- Entries that arrived after their session had ended, sealed, until a new link is opened.
CREATE TABLE IF NOT EXISTS flow_drafts (
    company_id  uuid NOT NULL,
    employee_id uuid NOT NULL,
    screen      text NOT NULL,
    entries     bytes NOT NULL,
    created_at  instant NOT NULL,
    PRIMARY KEY (company_id, employee_id, screen)
);

CREATE INDEX IF NOT EXISTS flow_drafts_by_age ON flow_drafts (created_at);
