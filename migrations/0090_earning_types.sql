-- Kinds of pay that a company has made. One that is inactive is kept for the payrolls that paid it.
CREATE TABLE IF NOT EXISTS earning_types (
    company_id uuid NOT NULL,
    id         uuid NOT NULL,
    name       text NOT NULL,
    active     boolean NOT NULL,
    version    bigint NOT NULL,
    created_at instant NOT NULL,
    updated_at instant NOT NULL,
    PRIMARY KEY (company_id, id)
);
