-- Departments of a company.
CREATE TABLE IF NOT EXISTS departments (
    company_id uuid NOT NULL,
    id         uuid NOT NULL,
    title      text NOT NULL,
    version    bigint NOT NULL,
    created_at instant NOT NULL,
    updated_at instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

-- To which department an employee belongs.
CREATE TABLE IF NOT EXISTS department_members (
    company_id    uuid NOT NULL,
    employee_id   uuid NOT NULL,
    department_id uuid NOT NULL,
    version       bigint NOT NULL,
    created_at    instant NOT NULL,
    updated_at    instant NOT NULL,
    PRIMARY KEY (company_id, employee_id)
);

CREATE INDEX IF NOT EXISTS department_members_by_department ON department_members (company_id, department_id, employee_id);
