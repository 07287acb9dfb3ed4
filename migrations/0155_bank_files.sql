-- How the operator's bank takes files of payments: one row, whose company and id are all zeros, for it belongs to none.
CREATE TABLE IF NOT EXISTS bank_settings (
    company_id     uuid NOT NULL,
    id             uuid NOT NULL,
    terms          json NOT NULL,
    offset_account bytes,
    version        bigint NOT NULL,
    created_at     instant NOT NULL,
    updated_at     instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

-- What a company's credits wait for: nothing (no row), its debit to settle, or a wire.
CREATE TABLE IF NOT EXISTS company_fundings (
    company_id uuid NOT NULL,
    mode       text NOT NULL,
    days       bigint NOT NULL,
    updated_at instant NOT NULL,
    PRIMARY KEY (company_id)
);

-- Payments of one payroll that go into a file together. prepared_to is the last employee whose payments are in it; due says
-- from when on it may be filed. Once it is in a file, number and first_trace are its place there: the trace number of an
-- entry is first_trace and its own place.
CREATE TABLE IF NOT EXISTS payment_batches (
    company_id  uuid NOT NULL,
    id          uuid NOT NULL,
    payroll_id  uuid NOT NULL,
    kind        text NOT NULL,
    check_date  date NOT NULL,
    state       text NOT NULL,
    reason      text,
    due         instant,
    effective   date,
    entries     bigint NOT NULL,
    cents       bigint NOT NULL,
    largest     bigint NOT NULL,
    prepared_to uuid,
    file_id     uuid,
    number      bigint,
    first_trace bigint,
    version     bigint NOT NULL,
    created_at  instant NOT NULL,
    updated_at  instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

CREATE INDEX IF NOT EXISTS payment_batches_by_payroll ON payment_batches (company_id, payroll_id);
CREATE INDEX IF NOT EXISTS payment_batches_by_state ON payment_batches (state, due);
CREATE INDEX IF NOT EXISTS payment_batches_by_file ON payment_batches (file_id, number);
CREATE INDEX IF NOT EXISTS payment_batches_by_trace ON payment_batches (first_trace);

-- Payments. Numbers of accounts are those to which was paid, whatever became of the accounts since; they and addenda are
-- sealed. An entry without a place is held back. replaces is the entry that this one takes back or pays again.
CREATE TABLE IF NOT EXISTS payment_entries (
    company_id     uuid NOT NULL,
    id             uuid NOT NULL,
    batch_id       uuid NOT NULL,
    payroll_id     uuid NOT NULL,
    place          bigint,
    employee_id    uuid,
    account_id     uuid,
    garnishment_id uuid,
    account_type   text NOT NULL,
    routing_number bytes,
    account_number bytes,
    cents          bigint NOT NULL,
    receiver       text NOT NULL,
    name           text NOT NULL,
    addendum       bytes,
    replaces       uuid,
    state          text NOT NULL,
    code           text,
    returned_on    date,
    version        bigint NOT NULL,
    created_at     instant NOT NULL,
    updated_at     instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

CREATE INDEX IF NOT EXISTS payment_entries_by_batch ON payment_entries (company_id, batch_id, place);
CREATE INDEX IF NOT EXISTS payment_entries_by_payroll ON payment_entries (company_id, payroll_id, id);

-- Files for the bank. Their text is made from their entries whenever it is needed, and has this digest.
CREATE TABLE IF NOT EXISTS bank_files (
    company_id  uuid NOT NULL,
    id          uuid NOT NULL,
    name        text NOT NULL,
    day         date NOT NULL,
    modifier    text NOT NULL,
    header      json NOT NULL,
    made        instant NOT NULL,
    batches     bigint NOT NULL,
    entries     bigint NOT NULL,
    debits      bigint NOT NULL,
    credits     bigint NOT NULL,
    first_trace bigint NOT NULL,
    digest      text NOT NULL,
    state       text NOT NULL,
    folder      uuid,
    attempt     uuid,
    written_at  instant,
    version     bigint NOT NULL,
    created_at  instant NOT NULL,
    updated_at  instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

CREATE INDEX IF NOT EXISTS bank_files_by_state ON bank_files (company_id, state, id);
CREATE INDEX IF NOT EXISTS bank_files_by_day ON bank_files (company_id, day, id);

-- Whose last payment came back, and why: nothing is paid to such an account.
ALTER TABLE employee_bank_accounts ADD COLUMN returned_code text;
