-- Shifts that a time-tracking application reports. The day is the one on which the shift began in its time zone.
CREATE TABLE IF NOT EXISTS time_sheets (
    company_id           uuid NOT NULL,
    id                   uuid NOT NULL,
    employee_id          uuid NOT NULL,
    status               text NOT NULL,
    job_id               uuid,
    time_zone            text NOT NULL,
    started_at           instant NOT NULL,
    ended_at             instant,
    day                  date NOT NULL,
    metadata             json NOT NULL,
    entries              json NOT NULL,
    synced_to_payroll_at instant,
    version              bigint NOT NULL,
    created_at           instant NOT NULL,
    updated_at           instant NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX IF NOT EXISTS time_sheets_by_creation ON time_sheets (company_id, created_at);
CREATE INDEX IF NOT EXISTS time_sheets_by_day ON time_sheets (company_id, employee_id, day);

-- Approved hours of a pay period that are put into its payroll.
CREATE TABLE IF NOT EXISTS payroll_syncs (
    company_id      uuid NOT NULL,
    id              uuid NOT NULL,
    payroll_id      uuid NOT NULL,
    pay_schedule_id uuid NOT NULL,
    start_date      date NOT NULL,
    end_date        date NOT NULL,
    status          text NOT NULL,
    errors          json NOT NULL,
    warnings        json NOT NULL,
    completed_at    instant,
    version         bigint NOT NULL,
    created_at      instant NOT NULL,
    updated_at      instant NOT NULL,
    PRIMARY KEY (company_id, id)
);
