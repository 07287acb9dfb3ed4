-- What courts, agencies and creditors have taken from employees' pay. Money and percentages are in millionths.

-- Of child support, support_state to remittance_number say whom it is paid to, current_support to received_on what the
-- order says beyond its cap.
CREATE TABLE IF NOT EXISTS garnishments (
    company_id            uuid NOT NULL,
    employee_id           uuid NOT NULL,
    id                    uuid NOT NULL,
    active                boolean NOT NULL,
    description           text NOT NULL,
    court_ordered         boolean NOT NULL,
    garnishment_type      text,
    amount                bigint NOT NULL,
    deduct_as_percentage  boolean NOT NULL,
    pay_period_maximum    bigint,
    annual_maximum        bigint,
    total_amount          bigint,
    times                 bigint,
    recurring             boolean NOT NULL,
    support_state         text,
    fips_code             text,
    payment_period        text,
    case_number           text,
    order_number          text,
    remittance_number     text,
    current_support       bigint,
    arrears               bigint,
    medical_support       bigint,
    arrears_over_12_weeks boolean,
    supports_other_family boolean,
    received_on           date,
    version               bigint NOT NULL,
    created_on            date NOT NULL,
    created_at            instant NOT NULL,
    updated_at            instant NOT NULL,
    PRIMARY KEY (company_id, employee_id, id)
);

CREATE UNIQUE INDEX IF NOT EXISTS garnishments_by_id ON garnishments (company_id, id);

-- What payrolls took for garnishments. For child support the columns from support_state on say who pays it to whom, as
-- it was then; otherwise they are NULL.
CREATE TABLE IF NOT EXISTS garnishment_withholdings (
    company_id        uuid NOT NULL,
    payroll_id        uuid NOT NULL,
    garnishment_id    uuid NOT NULL,
    employee_id       uuid NOT NULL,
    check_date        date NOT NULL,
    off_cycle         boolean NOT NULL,
    amount            bigint NOT NULL,
    support_state     text,
    agency            text,
    fips_code         text,
    case_number       text,
    order_number      text,
    remittance_number text,
    remittance        text,
    remittance_reason text,
    created_at        instant NOT NULL,
    PRIMARY KEY (company_id, payroll_id, garnishment_id)
);

CREATE INDEX IF NOT EXISTS garnishment_withholdings_by_check_date ON garnishment_withholdings (company_id, check_date);
