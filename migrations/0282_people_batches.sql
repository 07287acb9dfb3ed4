-- Batches of people that were entered in one piece, with what became of each.
CREATE TABLE IF NOT EXISTS people_batches (
    company_id      uuid NOT NULL,
    id              uuid NOT NULL,
    idempotency_key text NOT NULL,
    status          text NOT NULL,
    results         json NOT NULL,
    exclusions      json NOT NULL,
    created_at      instant NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX IF NOT EXISTS people_batches_by_key ON people_batches (company_id, idempotency_key);
CREATE INDEX IF NOT EXISTS people_batches_by_time ON people_batches (created_at);
