-- Payments of which the agency of an order for support is told before they are made, as the last calculation of a payroll
-- found them.
CREATE TABLE IF NOT EXISTS lump_sum_notices (
    company_id     uuid NOT NULL,
    payroll_id     uuid NOT NULL,
    garnishment_id uuid NOT NULL,
    employee_id    uuid NOT NULL,
    check_date     date NOT NULL,
    amount         bigint NOT NULL,
    days           bigint NOT NULL,
    section        text NOT NULL,
    created_at     instant NOT NULL,
    PRIMARY KEY (company_id, payroll_id, garnishment_id)
);
CREATE INDEX IF NOT EXISTS lump_sum_notices_by_check_date ON lump_sum_notices (company_id, check_date);
