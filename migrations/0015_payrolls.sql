-- Payrolls, what was entered for their employees, and what calculations came to. Money is in millionths of a dollar.

-- run_id is the calculation that counts; a calculation that is not finished has its results under an id that no payroll
-- names yet. inputs counts what was entered, so that a calculation sees that something was entered meanwhile.
-- run_number is the place among the company's processed payrolls: each rests on the figures of those before it.
CREATE TABLE IF NOT EXISTS payrolls (
    company_id              uuid NOT NULL,
    id                      uuid NOT NULL,
    pay_schedule_id         uuid,
    start_date              date NOT NULL,
    end_date                date NOT NULL,
    check_date              date NOT NULL,
    initial_check_date      date NOT NULL,
    off_cycle               boolean NOT NULL,
    off_cycle_reason        text,
    chosen_employees        boolean NOT NULL,
    pay_frequency           text NOT NULL,
    withholding_pay_period  text NOT NULL,
    skip_regular_deductions boolean NOT NULL,
    fixed_withholding_rate  boolean NOT NULL,
    check_only              boolean NOT NULL,
    prepared                boolean NOT NULL,
    inputs                  bigint NOT NULL,
    request_status          text,
    request_errors          json NOT NULL,
    run_id                  uuid,
    base_number             bigint,
    calculated_at           instant,
    submitted_at            instant,
    processed_at            instant,
    run_number              bigint,
    paid_at                 instant,
    totals                  json NOT NULL,
    version                 bigint NOT NULL,
    created_at              instant NOT NULL,
    updated_at              instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

CREATE INDEX IF NOT EXISTS payrolls_by_check_date ON payrolls (company_id, check_date);

-- What was entered for an employee. An employee without a row has what the records say; in an off-cycle payroll for
-- chosen employees the rows say who they are.
CREATE TABLE IF NOT EXISTS payroll_inputs (
    company_id  uuid NOT NULL,
    payroll_id  uuid NOT NULL,
    employee_id uuid NOT NULL,
    excluded    boolean NOT NULL,
    inputs      json NOT NULL,
    version     bigint NOT NULL,
    updated_at  instant NOT NULL,
    PRIMARY KEY (company_id, payroll_id, employee_id)
);

-- What a calculation came to for an employee: the paycheck, the facts that it was calculated from (so that it can be
-- explained after the records have changed), and the sums of the year with it.
CREATE TABLE IF NOT EXISTS payroll_results (
    company_id   uuid NOT NULL,
    run_id       uuid NOT NULL,
    employee_id  uuid NOT NULL,
    gross        bigint NOT NULL,
    net          bigint NOT NULL,
    check_amount bigint NOT NULL,
    paycheck     json NOT NULL,
    facts        json NOT NULL,
    year_to_date json NOT NULL,
    PRIMARY KEY (company_id, run_id, employee_id)
);

-- Every calculation. What a processed one took and gave is noted with benefits and garnishments in order of employees:
-- recorded_to is the last one so far, and forgotten_to the last one for whom that was undone after a cancellation.
-- Results of a calculation that no payroll names any more are swept away.
CREATE TABLE IF NOT EXISTS payroll_runs (
    company_id   uuid NOT NULL,
    id           uuid NOT NULL,
    payroll_id   uuid NOT NULL,
    check_date   date NOT NULL,
    recorded_to  uuid,
    forgotten_to uuid,
    created_at   instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

-- What was paid before the company came here, in the year in which it came.
CREATE TABLE IF NOT EXISTS opening_balances (
    company_id  uuid NOT NULL,
    employee_id uuid NOT NULL,
    year        bigint NOT NULL,
    balances    json NOT NULL,
    version     bigint NOT NULL,
    created_at  instant NOT NULL,
    updated_at  instant NOT NULL,
    PRIMARY KEY (company_id, employee_id, year)
);
