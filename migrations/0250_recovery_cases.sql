-- Debits of companies that came back, and have to be recovered: one for each payroll. tries counts how often the debit was
-- presented again.
CREATE TABLE IF NOT EXISTS recovery_cases (
    company_id        uuid NOT NULL,
    id                uuid NOT NULL,
    payroll_id        uuid NOT NULL,
    check_date        date NOT NULL,
    debited_on        date NOT NULL,
    event_cents       bigint NOT NULL,
    status            text NOT NULL,
    code              text NOT NULL,
    outstanding_cents bigint NOT NULL,
    tries             bigint NOT NULL,
    version           bigint NOT NULL,
    created_at        instant NOT NULL,
    updated_at        instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

CREATE INDEX IF NOT EXISTS recovery_cases_by_payroll ON recovery_cases (company_id, payroll_id);
CREATE INDEX IF NOT EXISTS recovery_cases_by_status ON recovery_cases (status, id);

-- What a wire pays for: the credits of its payroll, or a debit of it that came back.
ALTER TABLE wire_in_requests ADD COLUMN recovery_case_id uuid;
