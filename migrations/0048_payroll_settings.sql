-- What a company has decided about its payrolls; a company without a row has decided nothing.
CREATE TABLE IF NOT EXISTS payroll_settings (
    company_id           uuid NOT NULL,
    previous_year_tables boolean NOT NULL,
    updated_at           instant NOT NULL,
    PRIMARY KEY (company_id)
);
