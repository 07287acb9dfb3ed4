-- Which federal holidays a company pays, by their keys, and whom it pays for them.
CREATE TABLE IF NOT EXISTS holiday_pay_policies (
    company_id uuid NOT NULL,
    holidays   json NOT NULL,
    version    bigint NOT NULL,
    created_at instant NOT NULL,
    updated_at instant NOT NULL,
    PRIMARY KEY (company_id)
);

CREATE TABLE IF NOT EXISTS holiday_pay_employees (
    company_id  uuid NOT NULL,
    employee_id uuid NOT NULL,
    PRIMARY KEY (company_id, employee_id)
);
