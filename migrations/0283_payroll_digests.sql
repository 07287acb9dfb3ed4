-- How payroll stood in companies of an application, at the moment at which it was asked for.
CREATE TABLE IF NOT EXISTS payroll_digests (
    application_id  uuid NOT NULL,
    id              uuid NOT NULL,
    idempotency_key text NOT NULL,
    results         json NOT NULL,
    created_at      instant NOT NULL,
    PRIMARY KEY (application_id, id)
);
CREATE INDEX IF NOT EXISTS payroll_digests_by_key ON payroll_digests (application_id, idempotency_key);
CREATE INDEX IF NOT EXISTS payroll_digests_by_time ON payroll_digests (created_at);
