-- Which pay schedule is that of a company's employees; without a row it is the first one.
CREATE TABLE IF NOT EXISTS pay_schedule_assignments (
    company_id      uuid NOT NULL,
    pay_schedule_id uuid NOT NULL,
    updated_at      instant NOT NULL,
    PRIMARY KEY (company_id)
);
