-- Requests for time off, with who asked and who decided as they were named then.
CREATE TABLE IF NOT EXISTS time_off_requests (
    company_id     uuid NOT NULL,
    employee_id    uuid NOT NULL,
    id             uuid NOT NULL,
    policy_id      uuid NOT NULL,
    policy_type    text NOT NULL,
    status         text NOT NULL,
    employee_note  text,
    employer_note  text,
    start_date     date NOT NULL,
    end_date       date NOT NULL,
    initiator_id   uuid,
    initiator_name text,
    approver_id    uuid,
    approver_name  text,
    version        bigint NOT NULL,
    created_at     instant NOT NULL,
    updated_at     instant NOT NULL,
    PRIMARY KEY (company_id, employee_id, id)
);

CREATE INDEX IF NOT EXISTS time_off_requests_by_id ON time_off_requests (company_id, id);
CREATE INDEX IF NOT EXISTS time_off_requests_by_start ON time_off_requests (company_id, start_date, id);

-- The days of a request with their hours in millionths, and the calculation of the payroll that was processed with them.
CREATE TABLE IF NOT EXISTS time_off_request_days (
    company_id  uuid NOT NULL,
    employee_id uuid NOT NULL,
    request_id  uuid NOT NULL,
    day         date NOT NULL,
    hours       bigint NOT NULL,
    run_id      uuid,
    PRIMARY KEY (company_id, employee_id, request_id, day)
);

CREATE INDEX IF NOT EXISTS time_off_request_days_by_day ON time_off_request_days (company_id, employee_id, day);
CREATE INDEX IF NOT EXISTS time_off_request_days_by_run ON time_off_request_days (company_id, run_id);

-- Whether more hours of a policy can be asked for than there are.
ALTER TABLE time_off_policies ADD COLUMN allow_negative boolean NOT NULL DEFAULT true;
