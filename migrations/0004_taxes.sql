-- What employees say about the taxes that are withheld from their pay.

-- Form W-4: one row per employee, once it was answered. The form of 2020 uses the first columns of figures, the
-- older one allowances and additional_withholding; the others are NULL. Money is in millionths of a dollar.
CREATE TABLE IF NOT EXISTS employee_federal_taxes (
    company_id             uuid NOT NULL,
    employee_id            uuid NOT NULL,
    w4_data_type           text NOT NULL,
    filing_status          text NOT NULL,
    two_jobs               boolean,
    dependents_amount      bigint,
    other_income           bigint,
    deductions             bigint,
    extra_withholding      bigint,
    allowances             bigint,
    additional_withholding bigint,
    version                bigint NOT NULL,
    created_at             instant NOT NULL,
    updated_at             instant NOT NULL,
    PRIMARY KEY (company_id, employee_id)
);

-- The questions of a state: answers is an object from key to value. The employer's answer on the new hire report
-- has a column of its own. Answers of a state that the employee has left stay, for the case of a return.
CREATE TABLE IF NOT EXISTS employee_state_taxes (
    company_id           uuid NOT NULL,
    employee_id          uuid NOT NULL,
    state                text NOT NULL,
    answers              json NOT NULL,
    file_new_hire_report boolean,
    version              bigint NOT NULL,
    created_at           instant NOT NULL,
    updated_at           instant NOT NULL,
    PRIMARY KEY (company_id, employee_id, state)
);
