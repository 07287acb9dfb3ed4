-- Policies of paid time off. Hours are in millionths; the reset day is month times 100 and day.
CREATE TABLE IF NOT EXISTS time_off_policies (
    company_id              uuid NOT NULL,
    id                      uuid NOT NULL,
    name                    text NOT NULL,
    policy_type             text NOT NULL,
    accrual_method          text NOT NULL,
    accrual_rate            bigint,
    accrual_rate_unit       bigint,
    paid_out_on_termination boolean NOT NULL,
    waiting_period_days     bigint NOT NULL,
    carryover_limit         bigint,
    yearly_limit            bigint,
    balance_limit           bigint,
    reset_day               bigint,
    complete                boolean NOT NULL,
    active                  boolean NOT NULL,
    version                 bigint NOT NULL,
    created_at              instant NOT NULL,
    updated_at              instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

-- Who has which policy: one of each type, with the sum of the changes of its balance.
CREATE TABLE IF NOT EXISTS time_off_enrollments (
    company_id  uuid NOT NULL,
    employee_id uuid NOT NULL,
    id          uuid NOT NULL,
    policy_id   uuid NOT NULL,
    policy_type text NOT NULL,
    balance     bigint NOT NULL,
    turned_on   date NOT NULL,
    version     bigint NOT NULL,
    created_at  instant NOT NULL,
    updated_at  instant NOT NULL,
    PRIMARY KEY (company_id, employee_id, id)
);

CREATE INDEX IF NOT EXISTS time_off_enrollments_by_policy ON time_off_enrollments (company_id, policy_id, employee_id);
CREATE INDEX IF NOT EXISTS time_off_enrollments_by_id ON time_off_enrollments (company_id, id);

-- Each change of a balance with its reason.
CREATE TABLE IF NOT EXISTS time_off_changes (
    company_id  uuid NOT NULL,
    employee_id uuid NOT NULL,
    id          uuid NOT NULL,
    policy_id   uuid NOT NULL,
    policy_type text NOT NULL,
    reason      text NOT NULL,
    hours       bigint NOT NULL,
    day         date NOT NULL,
    payroll_id  uuid,
    run_id      uuid,
    created_at  instant NOT NULL,
    PRIMARY KEY (company_id, employee_id, id)
);

CREATE INDEX IF NOT EXISTS time_off_changes_by_day ON time_off_changes (company_id, employee_id, day);
CREATE INDEX IF NOT EXISTS time_off_changes_by_run ON time_off_changes (company_id, run_id);
