-- A link is opened so many times, and on so many devices at a time; whoever holds one confirms that it is theirs before
-- bank accounts change.
ALTER TABLE flow_links ADD COLUMN opens bigint NOT NULL DEFAULT 0;

ALTER TABLE flow_sessions ADD COLUMN link_id uuid;

ALTER TABLE flow_sessions ADD COLUMN confirmed_at instant;

-- Wrong answers of whoever holds a link to an employee's pages, since the first of them.
CREATE TABLE IF NOT EXISTS flow_confirmations (
    company_id  uuid NOT NULL,
    employee_id uuid NOT NULL,
    wrong       bigint NOT NULL,
    since       instant NOT NULL,
    PRIMARY KEY (company_id, employee_id)
);

CREATE INDEX IF NOT EXISTS flow_confirmations_by_age ON flow_confirmations (since);
