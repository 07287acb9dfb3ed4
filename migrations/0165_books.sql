-- What a processed payroll came to in the books. It never changes, but for when its net pay went out, and when the payroll was
-- cancelled.
CREATE TABLE IF NOT EXISTS payroll_postings (
    company_id  uuid NOT NULL,
    run_id      uuid NOT NULL,
    payroll_id  uuid NOT NULL,
    check_date  date NOT NULL,
    paychecks   json NOT NULL,
    posted_at   instant NOT NULL,
    paid_on     date,
    reversed_at instant,
    PRIMARY KEY (company_id, run_id)
);
CREATE INDEX IF NOT EXISTS payroll_postings_by_date ON payroll_postings (company_id, check_date, run_id);

-- Its lines: cents, debits above zero and credits below; they sum to zero.
CREATE TABLE IF NOT EXISTS payroll_posting_lines (
    company_id uuid NOT NULL,
    run_id     uuid NOT NULL,
    line       bigint NOT NULL,
    account    text NOT NULL,
    agency     text NOT NULL,
    name       text NOT NULL,
    department text NOT NULL,
    job        text NOT NULL,
    amount     bigint NOT NULL,
    PRIMARY KEY (company_id, run_id, line)
);

-- What was paid of a liability, as the company told.
CREATE TABLE IF NOT EXISTS liability_payments (
    company_id uuid NOT NULL,
    id         uuid NOT NULL,
    account    text NOT NULL,
    agency     text NOT NULL,
    name       text NOT NULL,
    amount     bigint NOT NULL,
    paid_on    date NOT NULL,
    memo       text,
    created_at instant NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX IF NOT EXISTS liability_payments_by_date ON liability_payments (company_id, paid_on, id);

-- Numbers and names that a company has given its accounts.
CREATE TABLE IF NOT EXISTS ledger_accounts (
    company_id uuid NOT NULL,
    account    text NOT NULL,
    number     text NOT NULL,
    name       text NOT NULL,
    updated_at instant NOT NULL,
    PRIMARY KEY (company_id, account)
);
