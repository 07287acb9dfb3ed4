-- What the credits of a payroll wait for, as it was set for the company when the payroll was processed. One that was processed before
-- has no row, and is as its company is.
CREATE TABLE IF NOT EXISTS payroll_fundings (
    company_id uuid NOT NULL,
    payroll_id uuid NOT NULL,
    mode       text NOT NULL,
    days       bigint NOT NULL,
    updated_at instant NOT NULL,
    PRIMARY KEY (company_id, payroll_id)
);
