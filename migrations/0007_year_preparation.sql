-- What is missing for the close of a year, from November on: the company is notified until nothing is.
CREATE TABLE IF NOT EXISTS year_preparations (
    company_id  uuid NOT NULL,
    id          uuid NOT NULL,
    year        bigint NOT NULL,
    missing     bigint NOT NULL,
    subjects    json NOT NULL,
    due         date NOT NULL,
    resolved_at instant,
    version     bigint NOT NULL,
    created_at  instant NOT NULL,
    updated_at  instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

-- Deposits of federal taxes that this service did not make: those of a provider before, and the employer's own.
CREATE TABLE IF NOT EXISTS outside_deposits (
    company_id uuid NOT NULL,
    id         uuid NOT NULL,
    form       text NOT NULL,
    period_end date NOT NULL,
    cents      bigint NOT NULL,
    paid_on    date NOT NULL,
    receipt    text NOT NULL,
    version    bigint NOT NULL,
    created_at instant NOT NULL,
    updated_at instant NOT NULL,
    PRIMARY KEY (company_id, id)
);
