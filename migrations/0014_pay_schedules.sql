-- How often a company pays. The first schedule of a company is that of its employees.
CREATE TABLE IF NOT EXISTS pay_schedules (
    company_id               uuid NOT NULL,
    id                       uuid NOT NULL,
    frequency                text NOT NULL,
    anchor_pay_date          date NOT NULL,
    anchor_end_of_pay_period date NOT NULL,
    day_1                    bigint,
    day_2                    bigint,
    custom_name              text,
    auto_payroll             boolean NOT NULL,
    active                   boolean NOT NULL,
    version                  bigint NOT NULL,
    created_at               instant NOT NULL,
    updated_at               instant NOT NULL,
    PRIMARY KEY (company_id, id)
);
