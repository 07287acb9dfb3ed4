-- What a company is asked before it runs payroll here: who signs, federal and state taxes, industry, the bank account
-- that payroll is paid from, forms; and what stands in the way of a company that moves here.

-- One at most for each company. ssn and birthday are sealed.
CREATE TABLE IF NOT EXISTS signatories (
    company_id      uuid NOT NULL,
    id              uuid NOT NULL,
    first_name      text NOT NULL,
    middle_initial  text,
    last_name       text NOT NULL,
    title           text,
    phone           text,
    email           text NOT NULL,
    birthday        bytes,
    ssn             bytes,
    ssn_fingerprint bytes,
    street_1        text,
    street_2        text,
    city            text,
    state           text,
    zip             text,
    country         text,
    version         bigint NOT NULL,
    created_at      instant NOT NULL,
    updated_at      instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

-- One row for each company; legal name and legal form stand in companies. ein is sealed.
CREATE TABLE IF NOT EXISTS company_federal_taxes (
    company_id       uuid NOT NULL,
    ein              bytes,
    ein_fingerprint  bytes,
    ein_verified     boolean NOT NULL,
    taxable_as_scorp boolean NOT NULL,
    filing_form      text NOT NULL,
    effective_date   date NOT NULL,
    version          bigint NOT NULL,
    created_at       instant NOT NULL,
    updated_at       instant NOT NULL,
    PRIMARY KEY (company_id)
);

CREATE TABLE IF NOT EXISTS company_industries (
    company_id uuid NOT NULL,
    naics_code text NOT NULL,
    sic_codes  json NOT NULL,
    title      text,
    updated_at instant NOT NULL,
    PRIMARY KEY (company_id)
);

-- Numbers and the amounts of the test deposits (cents, separated by a space) are sealed. An account that was replaced
-- stays: money was taken from it.
CREATE TABLE IF NOT EXISTS company_bank_accounts (
    company_id          uuid NOT NULL,
    id                  uuid NOT NULL,
    account_type        text NOT NULL,
    routing_number      bytes NOT NULL,
    account_number      bytes NOT NULL,
    fingerprint         bytes NOT NULL,
    verification_status text NOT NULL,
    deposits            bytes,
    tries               bigint NOT NULL,
    verified_at         instant,
    replaced_at         instant,
    version             bigint NOT NULL,
    created_at          instant NOT NULL,
    updated_at          instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

-- What the company answered to a state. An answer that does not change from a day on holds from the first day that any
-- record can carry.
CREATE TABLE IF NOT EXISTS company_tax_answers (
    company_id     uuid NOT NULL,
    state          text NOT NULL,
    set_key        text NOT NULL,
    effective_from date NOT NULL,
    question       text NOT NULL,
    value          text NOT NULL,
    updated_at     instant NOT NULL,
    PRIMARY KEY (company_id, state, set_key, effective_from, question)
);

-- As employee_forms and employee_form_signatures, for what the company's signatory signs.
CREATE TABLE IF NOT EXISTS company_forms (
    company_id       uuid NOT NULL,
    id               uuid NOT NULL,
    name             text NOT NULL,
    requires_signing boolean NOT NULL,
    digest           bytes NOT NULL,
    created_at       instant NOT NULL,
    updated_at       instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

CREATE TABLE IF NOT EXISTS company_form_signatures (
    company_id     uuid NOT NULL,
    form_id        uuid NOT NULL,
    id             uuid NOT NULL,
    digest         bytes NOT NULL,
    content        bytes NOT NULL,
    signature_text bytes NOT NULL,
    agreed         boolean NOT NULL,
    signed_by_ip   text NOT NULL,
    signed_by_kind text NOT NULL,
    signed_by_id   uuid NOT NULL,
    signed_at      instant NOT NULL,
    PRIMARY KEY (company_id, form_id, id)
);

-- When the company finished its onboarding, and when it was approved.
CREATE TABLE IF NOT EXISTS company_onboarding (
    company_id  uuid NOT NULL,
    finished_at instant,
    approved_at instant,
    PRIMARY KEY (company_id)
);

-- What a company has or uses that bears on a move to a partner's product: its tier, a kind of business, benefits that
-- the service manages, time off policies, integrations.
CREATE TABLE IF NOT EXISTS company_traits (
    company_id uuid NOT NULL,
    id         uuid NOT NULL,
    trait      text NOT NULL,
    name       text NOT NULL,
    created_at instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

-- Who accepted which edition of the terms of service for the company; kept for good.
CREATE TABLE IF NOT EXISTS terms_acceptances (
    company_id       uuid NOT NULL,
    user_id          uuid NOT NULL,
    edition          text NOT NULL,
    ip_address       text NOT NULL,
    external_user_id text NOT NULL,
    accepted_at      instant NOT NULL,
    PRIMARY KEY (company_id, user_id, edition)
);
