-- Benefits that companies offer, the dated records of employees who have them, and what payrolls took and gave.

CREATE TABLE IF NOT EXISTS company_benefits (
    company_id                     uuid NOT NULL,
    id                             uuid NOT NULL,
    benefit_type                   bigint NOT NULL,
    active                         boolean NOT NULL,
    description                    text NOT NULL,
    responsible_for_employer_taxes boolean NOT NULL,
    responsible_for_employee_w2    boolean NOT NULL,
    catch_up_type                  text,
    version                        bigint NOT NULL,
    created_at                     instant NOT NULL,
    updated_at                     instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

-- One row is one window of days. Those of one employee and one company benefit never overlap; every unit that moves
-- one holds the employee's guard. Amounts are millionths of a dollar or of a percent, as the flag beside them says.
CREATE TABLE IF NOT EXISTS employee_benefits (
    company_id                          uuid NOT NULL,
    employee_id                         uuid NOT NULL,
    company_benefit_id                  uuid NOT NULL,
    id                                  uuid NOT NULL,
    effective_date                      date NOT NULL,
    expiration_date                     date,
    active                              boolean NOT NULL,
    employee_deduction                  bigint NOT NULL,
    deduct_as_percentage                boolean NOT NULL,
    employee_deduction_annual_maximum   bigint,
    contribution_type                   text NOT NULL,
    contribution_value                  bigint NOT NULL,
    contribution_tiers                  json NOT NULL,
    elective                            boolean NOT NULL,
    company_contribution_annual_maximum bigint,
    limit_option                        text,
    catch_up                            boolean NOT NULL,
    coverage_amount                     bigint,
    coverage_salary_multiplier          bigint NOT NULL,
    reduces_taxable_income              boolean,
    version                             bigint NOT NULL,
    created_at                          instant NOT NULL,
    updated_at                          instant NOT NULL,
    PRIMARY KEY (company_id, employee_id, company_benefit_id, id)
);

CREATE UNIQUE INDEX IF NOT EXISTS employee_benefits_by_id ON employee_benefits (company_id, id);

CREATE INDEX IF NOT EXISTS employee_benefits_by_company_benefit
    ON employee_benefits (company_id, company_benefit_id, id);

-- What a processed payroll took and gave, by benefit: kept as it was, whatever happens to the records later.
CREATE TABLE IF NOT EXISTS benefit_payroll_items (
    company_id          uuid NOT NULL,
    company_benefit_id  uuid NOT NULL,
    employee_id         uuid NOT NULL,
    payroll_id          uuid NOT NULL,
    employee_benefit_id uuid NOT NULL,
    benefit_type        bigint NOT NULL,
    payroll_type        text NOT NULL,
    check_date          date NOT NULL,
    period_start        date,
    period_end          date,
    gross_pay           bigint NOT NULL,
    imputed_pay         bigint NOT NULL,
    employee_deduction  bigint NOT NULL,
    company_contribution bigint NOT NULL,
    PRIMARY KEY (company_id, company_benefit_id, employee_id, payroll_id)
);

CREATE INDEX IF NOT EXISTS benefit_payroll_items_by_employee
    ON benefit_payroll_items (company_id, employee_id, check_date);

CREATE INDEX IF NOT EXISTS benefit_payroll_items_by_payroll ON benefit_payroll_items (company_id, payroll_id);
