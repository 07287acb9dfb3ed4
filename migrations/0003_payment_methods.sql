-- Where employees are paid to. The type of payment (check or direct deposit) stands in the employee's record.

-- routing_number and account_number are sealed; fingerprint tells whether two account numbers of one company are
-- equal without opening any.
CREATE TABLE IF NOT EXISTS employee_bank_accounts (
    company_id     uuid NOT NULL,
    employee_id    uuid NOT NULL,
    id             uuid NOT NULL,
    name           text NOT NULL,
    account_type   text NOT NULL,
    routing_number bytes NOT NULL,
    account_number bytes NOT NULL,
    fingerprint    bytes NOT NULL,
    version        bigint NOT NULL,
    created_at     instant NOT NULL,
    updated_at     instant NOT NULL,
    PRIMARY KEY (company_id, employee_id, id)
);

CREATE UNIQUE INDEX IF NOT EXISTS employee_bank_accounts_by_id ON employee_bank_accounts (company_id, id);

-- How pay is divided among the accounts; split_by is NULL where it is not.
CREATE TABLE IF NOT EXISTS employee_payment_methods (
    company_id  uuid NOT NULL,
    employee_id uuid NOT NULL,
    split_by    text,
    splits      json NOT NULL,
    version     bigint NOT NULL,
    created_at  instant NOT NULL,
    updated_at  instant NOT NULL,
    PRIMARY KEY (company_id, employee_id)
);
