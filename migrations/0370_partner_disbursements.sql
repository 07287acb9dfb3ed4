-- Who pays employees out: a company without a row has the service do it.
CREATE TABLE IF NOT EXISTS payment_configs (
    company_id                 uuid NOT NULL,
    partner_owned_disbursement boolean NOT NULL,
    updated_at                 instant NOT NULL,
    PRIMARY KEY (company_id)
);

-- What held when the payroll was calculated.
ALTER TABLE payrolls ADD COLUMN partner_pays boolean NOT NULL DEFAULT false;

-- What a partner has told of payments that it makes itself: one row for each of which it has told anything.
CREATE TABLE IF NOT EXISTS partner_disbursements (
    company_id  uuid NOT NULL,
    run_id      uuid NOT NULL,
    employee_id uuid NOT NULL,
    payroll_id  uuid NOT NULL,
    by_check    boolean NOT NULL,
    status      text NOT NULL,
    version     bigint NOT NULL,
    created_at  instant NOT NULL,
    updated_at  instant NOT NULL,
    PRIMARY KEY (company_id, run_id, employee_id)
);
