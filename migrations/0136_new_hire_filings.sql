-- Which hires were written into a file for a directory of new hires, when, and when the file was filed.
CREATE TABLE IF NOT EXISTS new_hire_filings (
    company_id  uuid NOT NULL,
    employee_id uuid NOT NULL,
    hired_on    date NOT NULL,
    directory   text NOT NULL,
    written_on  date NOT NULL,
    filed_on    date,
    version     bigint NOT NULL,
    created_at  instant NOT NULL,
    updated_at  instant NOT NULL,
    PRIMARY KEY (company_id, employee_id, hired_on)
);
