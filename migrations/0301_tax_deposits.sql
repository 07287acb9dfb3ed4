-- Deposits of taxes: of pay days that are due together, on one return. Its batches name it as their payroll. amounts says what it comes
-- to by account and tax, and is fixed once the deposit is staged.
CREATE TABLE IF NOT EXISTS tax_deposits (
    company_id uuid NOT NULL,
    id         uuid NOT NULL,
    authority  text NOT NULL,
    form       text NOT NULL,
    first_day  date NOT NULL,
    last_day   date NOT NULL,
    period_end date NOT NULL,
    due        date NOT NULL,
    next_day   boolean NOT NULL,
    state      text NOT NULL,
    reason     text,
    amounts    json NOT NULL,
    cents      bigint NOT NULL,
    batch_id   uuid,
    debit_id   uuid,
    settles_on date,
    version    bigint NOT NULL,
    created_at instant NOT NULL,
    updated_at instant NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX IF NOT EXISTS tax_deposits_by_due ON tax_deposits (due, id);

-- What of a payroll's taxes is deposited, each in one deposit at most. Unemployment tax that is carried over is in none yet.
CREATE TABLE IF NOT EXISTS tax_deposit_parts (
    company_id uuid NOT NULL,
    run_id     uuid NOT NULL,
    account    text NOT NULL,
    agency     text NOT NULL,
    name       text NOT NULL,
    form       text NOT NULL,
    check_date date NOT NULL,
    cents      bigint NOT NULL,
    deposit_id uuid,
    PRIMARY KEY (company_id, run_id, account, agency, name)
);

-- Debits that pay for deposits come back as others do; such a case is of no payroll.
ALTER TABLE recovery_cases ADD COLUMN tax_deposit_id uuid;
ALTER TABLE wire_in_requests ADD COLUMN tax_deposit_id uuid;
