-- Ends of employment. The effective date is the last day of work.
CREATE TABLE IF NOT EXISTS terminations (
    company_id              uuid NOT NULL,
    employee_id             uuid NOT NULL,
    id                      uuid NOT NULL,
    effective_date          date NOT NULL,
    run_termination_payroll boolean NOT NULL,
    version                 bigint NOT NULL,
    created_at              instant NOT NULL,
    updated_at              instant NOT NULL,
    PRIMARY KEY (company_id, employee_id, id)
);

CREATE INDEX IF NOT EXISTS terminations_by_id ON terminations (company_id, id);

-- Returns of employees who had left. The effective date is the first day back at work.
CREATE TABLE IF NOT EXISTS rehires (
    company_id              uuid NOT NULL,
    employee_id             uuid NOT NULL,
    id                      uuid NOT NULL,
    effective_date          date NOT NULL,
    work_location_id        uuid NOT NULL,
    file_new_hire_report    boolean NOT NULL,
    employment_status       text,
    two_percent_shareholder boolean,
    version                 bigint NOT NULL,
    created_at              instant NOT NULL,
    updated_at              instant NOT NULL,
    PRIMARY KEY (company_id, employee_id, id)
);

CREATE INDEX IF NOT EXISTS rehires_by_id ON rehires (company_id, id);
