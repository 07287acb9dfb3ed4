-- What another provider paid earlier in the year, by pay date; what each employee was paid; and what is owed of its taxes.
CREATE TABLE IF NOT EXISTS external_payrolls (
    company_id uuid NOT NULL,
    id         uuid NOT NULL,
    check_date date NOT NULL,
    start_date date NOT NULL,
    end_date   date NOT NULL,
    status     text NOT NULL,
    version    bigint NOT NULL,
    created_at instant NOT NULL,
    updated_at instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

CREATE TABLE IF NOT EXISTS external_payroll_items (
    company_id  uuid NOT NULL,
    payroll_id  uuid NOT NULL,
    employee_id uuid NOT NULL,
    item        json NOT NULL,
    PRIMARY KEY (company_id, payroll_id, employee_id)
);

CREATE INDEX IF NOT EXISTS external_payroll_items_by_employee ON external_payroll_items (company_id, employee_id);

CREATE TABLE IF NOT EXISTS external_tax_liabilities (
    company_id     uuid NOT NULL,
    tax            text NOT NULL,
    employer       boolean NOT NULL,
    last_unpaid_id uuid,
    amount         bigint NOT NULL,
    updated_at     instant NOT NULL,
    PRIMARY KEY (company_id, tax, employer)
);
