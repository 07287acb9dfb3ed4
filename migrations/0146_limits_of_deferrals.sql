-- Whether catch-up contributions of an employee have to be Roth contributions in a year, as it was decided.
CREATE TABLE IF NOT EXISTS section603_statuses (
    company_id     uuid NOT NULL,
    employee_id    uuid NOT NULL,
    effective_year bigint NOT NULL,
    id             uuid NOT NULL,
    is_high_earner boolean NOT NULL,
    version        bigint NOT NULL,
    created_at     instant NOT NULL,
    updated_at     instant NOT NULL,
    PRIMARY KEY (company_id, employee_id, effective_year)
);

-- What an employee's benefits at another company took and gave in a year. Amounts are millionths of a dollar.
CREATE TABLE IF NOT EXISTS benefit_amounts_elsewhere (
    company_id   uuid NOT NULL,
    employee_id  uuid NOT NULL,
    tax_year     bigint NOT NULL,
    benefit_type bigint NOT NULL,
    id           uuid NOT NULL,
    deduction    bigint NOT NULL,
    contribution bigint NOT NULL,
    updated_at   instant NOT NULL,
    PRIMARY KEY (company_id, employee_id, tax_year, benefit_type)
);
