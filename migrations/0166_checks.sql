-- Numbers of paper checks. A number is given once; a void check keeps its own.
CREATE TABLE IF NOT EXISTS payroll_checks (
    company_id  uuid NOT NULL,
    number      bigint NOT NULL,
    payroll_id  uuid NOT NULL,
    run_id      uuid NOT NULL,
    employee_id uuid NOT NULL,
    amount      bigint NOT NULL,
    issued_at   instant NOT NULL,
    voided_at   instant,
    void_reason text,
    PRIMARY KEY (company_id, number)
);
CREATE INDEX IF NOT EXISTS payroll_checks_by_run ON payroll_checks (company_id, run_id, number);

-- How a company prints its checks.
CREATE TABLE IF NOT EXISTS check_settings (
    company_id uuid NOT NULL,
    micr_line  boolean NOT NULL,
    updated_at instant NOT NULL,
    PRIMARY KEY (company_id)
);
