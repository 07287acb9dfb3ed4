-- Expenses that are paid back to an employee with every regular payroll. One that has ended is kept.
CREATE TABLE IF NOT EXISTS recurring_reimbursements (
    company_id  uuid NOT NULL,
    employee_id uuid NOT NULL,
    id          uuid NOT NULL,
    description text NOT NULL,
    amount      bigint NOT NULL,
    active      boolean NOT NULL,
    version     bigint NOT NULL,
    created_at  instant NOT NULL,
    updated_at  instant NOT NULL,
    PRIMARY KEY (company_id, employee_id, id)
);
CREATE UNIQUE INDEX IF NOT EXISTS recurring_reimbursements_by_id ON recurring_reimbursements (company_id, id);
