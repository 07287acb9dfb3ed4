-- How often a company's withheld federal taxes are deposited, from a day on, as the employer has it from the lookback period. No
-- schedule: from that day on the employer deposits.
CREATE TABLE IF NOT EXISTS deposit_schedules (
    company_id     uuid NOT NULL,
    effective_from date NOT NULL,
    schedule       text,
    updated_at     instant NOT NULL,
    PRIMARY KEY (company_id, effective_from)
);
