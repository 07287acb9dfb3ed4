-- What came back from the bank: each record of each file that was read, by the digest of the file. What names no payment of ours
-- stays here as unknown, until somebody has looked at it. The rows are the operator's.
CREATE TABLE IF NOT EXISTS bank_returns (
    company_id    uuid NOT NULL,
    file_digest   text NOT NULL,
    record        bigint NOT NULL,
    trace         text NOT NULL,
    code          text,
    cents         bigint NOT NULL,
    state         text NOT NULL,
    why           text,
    entry_company uuid,
    entry_id      uuid,
    created_at    instant NOT NULL,
    PRIMARY KEY (company_id, file_digest, record)
);

-- Corrections of accounts that banks ask for. They are made once the employer has agreed.
CREATE TABLE IF NOT EXISTS account_corrections (
    company_id     uuid NOT NULL,
    id             uuid NOT NULL,
    entry_id       uuid NOT NULL,
    employee_id    uuid NOT NULL,
    account_id     uuid NOT NULL,
    code           text NOT NULL,
    routing_number bytes,
    account_number bytes,
    account_type   text,
    state          text NOT NULL,
    version        bigint NOT NULL,
    created_at     instant NOT NULL,
    updated_at     instant NOT NULL,
    PRIMARY KEY (company_id, id)
);
