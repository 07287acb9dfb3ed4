-- By what the pay schedule of an employee is decided; without a word everybody follows one.
ALTER TABLE pay_schedule_assignments ADD COLUMN assignment_type text;
ALTER TABLE pay_schedule_assignments ADD COLUMN hourly_schedule_id uuid;
ALTER TABLE pay_schedule_assignments ADD COLUMN salaried_schedule_id uuid;

-- The schedule that was chosen for an employee or a department.
CREATE TABLE IF NOT EXISTS pay_schedule_choices (
    company_id      uuid NOT NULL,
    subject_id      uuid NOT NULL,
    pay_schedule_id uuid NOT NULL,
    created_at      instant NOT NULL,
    PRIMARY KEY (company_id, subject_id)
);

-- From which day on a schedule is followed: by an employee, or, where the subject is the company itself, by everybody who has no row.
-- Companies that always had one schedule have none.
CREATE TABLE IF NOT EXISTS pay_schedule_stretches (
    company_id      uuid NOT NULL,
    subject_id      uuid NOT NULL,
    first_day       date NOT NULL,
    pay_schedule_id uuid NOT NULL,
    before_id       uuid,
    unpaid_from     date,
    created_at      instant NOT NULL,
    PRIMARY KEY (company_id, subject_id, first_day)
);
CREATE INDEX IF NOT EXISTS pay_schedule_stretches_by_schedule ON pay_schedule_stretches (company_id, pay_schedule_id, first_day);
CREATE INDEX IF NOT EXISTS pay_schedule_stretches_by_day ON pay_schedule_stretches (company_id, first_day, before_id, unpaid_from);

-- The days of the pay period of which a transition pays a part to those who leave its schedule.
ALTER TABLE payrolls ADD COLUMN whole_days bigint;
