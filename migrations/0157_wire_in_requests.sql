-- Wires that companies send before their credits go out, where the operator has it so: one for each payroll.
CREATE TABLE IF NOT EXISTS wire_in_requests (
    company_id      uuid NOT NULL,
    id              uuid NOT NULL,
    payroll_id      uuid NOT NULL,
    tracking_code   text NOT NULL,
    requested_cents bigint NOT NULL,
    deadline        instant NOT NULL,
    status          text NOT NULL,
    date_sent       date,
    bank_name       text,
    sent_cents      bigint,
    notes           text,
    version         bigint NOT NULL,
    created_at      instant NOT NULL,
    updated_at      instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

CREATE INDEX IF NOT EXISTS wire_in_requests_by_payroll ON wire_in_requests (company_id, payroll_id);
