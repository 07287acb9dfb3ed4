-- Why and from when a company was suspended at its own request.
CREATE TABLE IF NOT EXISTS company_suspensions (
    company_id           uuid NOT NULL,
    id                   uuid NOT NULL,
    effective_date       date NOT NULL,
    reason               text NOT NULL,
    leaving_for          text,
    reconcile_tax_method text NOT NULL,
    file_quarterly_forms boolean NOT NULL,
    file_yearly_forms    boolean NOT NULL,
    comments             text,
    version              bigint NOT NULL,
    created_at           instant NOT NULL,
    updated_at           instant NOT NULL,
    PRIMARY KEY (company_id, id)
);
