-- Applications, tokens, companies, employees and what belongs to them.
-- The company is in every primary key of a company's record, and first wherever rows of one company shall lie together:
-- no statement can reach another company's row by accident. Money is in millionths of a dollar.

CREATE TABLE IF NOT EXISTS applications (
    id              uuid NOT NULL,
    name            text NOT NULL,
    secret_hash     bytes NOT NULL,
    redirect_uris   json NOT NULL,
    minimum_version text NOT NULL,
    scopes          text NOT NULL,
    created_at      instant NOT NULL,
    PRIMARY KEY (id)
);

-- Access, refresh and API tokens, found by the SHA-256 of their text; the text itself is nowhere.
CREATE TABLE IF NOT EXISTS tokens (
    hash           bytes NOT NULL,
    kind           text NOT NULL,
    application_id uuid NOT NULL,
    company_id     uuid,
    user_id        uuid,
    scopes         text NOT NULL,
    created_at     instant NOT NULL,
    expires_at     instant,
    revoked_at     instant,
    PRIMARY KEY (hash)
);

CREATE TABLE IF NOT EXISTS users (
    id            uuid NOT NULL,
    email         text NOT NULL,
    first_name    text NOT NULL,
    last_name     text NOT NULL,
    phone         text,
    password_hash text,
    created_at    instant NOT NULL,
    PRIMARY KEY (id)
);

CREATE TABLE IF NOT EXISTS user_emails (
    email_lower text NOT NULL,
    user_id     uuid NOT NULL,
    PRIMARY KEY (email_lower)
);

CREATE TABLE IF NOT EXISTS companies (
    company_id         uuid NOT NULL,
    name               text NOT NULL,
    trade_name         text,
    entity_type        text,
    contractor_only    boolean NOT NULL,
    company_status     text NOT NULL,
    is_partner_managed boolean NOT NULL,
    join_date          date,
    time_zone          text NOT NULL,
    version            bigint NOT NULL,
    created_at         instant NOT NULL,
    updated_at         instant NOT NULL,
    PRIMARY KEY (company_id)
);

CREATE TABLE IF NOT EXISTS company_admins (
    company_id uuid NOT NULL,
    user_id    uuid NOT NULL,
    role       text NOT NULL,
    created_at instant NOT NULL,
    PRIMARY KEY (company_id, user_id)
);

CREATE TABLE IF NOT EXISTS locations (
    company_id      uuid NOT NULL,
    id              uuid NOT NULL,
    phone_number    text NOT NULL,
    street_1        text NOT NULL,
    street_2        text,
    city            text NOT NULL,
    state           text NOT NULL,
    zip             text NOT NULL,
    country         text NOT NULL,
    mailing_address boolean NOT NULL,
    filing_address  boolean NOT NULL,
    active          boolean NOT NULL,
    version         bigint NOT NULL,
    created_at      instant NOT NULL,
    updated_at      instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

-- ssn and date_of_birth are sealed; ssn_fingerprint finds equal SSNs inside a company without opening any.
CREATE TABLE IF NOT EXISTS employees (
    company_id           uuid NOT NULL,
    id                   uuid NOT NULL,
    first_name           text NOT NULL,
    middle_initial       text,
    last_name            text NOT NULL,
    preferred_first_name text,
    search_name          text NOT NULL,
    email                text,
    work_email           text,
    phone                text,
    employee_code        text NOT NULL,
    ssn                  bytes,
    ssn_fingerprint      bytes,
    date_of_birth        bytes,
    onboarding_status    text NOT NULL,
    marked_steps         bigint NOT NULL,
    payment_method       text NOT NULL,
    i9_document          boolean NOT NULL,
    self_completed_at    instant,
    onboarded_at         instant,
    version              bigint NOT NULL,
    created_at           instant NOT NULL,
    updated_at           instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

-- Those without an SSN, too: a company's employees are counted here, where each takes a tenth of the room.
CREATE INDEX IF NOT EXISTS employees_by_ssn ON employees (company_id, ssn_fingerprint);

-- What belongs to an employee lies in the order of employees, so that a page of them is read in one stretch.
CREATE TABLE IF NOT EXISTS home_addresses (
    company_id           uuid NOT NULL,
    employee_id          uuid NOT NULL,
    id                   uuid NOT NULL,
    effective_date       date NOT NULL,
    street_1             text NOT NULL,
    street_2             text,
    city                 text NOT NULL,
    state                text NOT NULL,
    zip                  text NOT NULL,
    country              text NOT NULL,
    courtesy_withholding boolean NOT NULL,
    version              bigint NOT NULL,
    created_at           instant NOT NULL,
    updated_at           instant NOT NULL,
    PRIMARY KEY (company_id, employee_id, id)
);

CREATE UNIQUE INDEX IF NOT EXISTS home_addresses_by_id ON home_addresses (company_id, id);

CREATE TABLE IF NOT EXISTS work_addresses (
    company_id     uuid NOT NULL,
    employee_id    uuid NOT NULL,
    id             uuid NOT NULL,
    location_id    uuid NOT NULL,
    effective_date date NOT NULL,
    version        bigint NOT NULL,
    created_at     instant NOT NULL,
    updated_at     instant NOT NULL,
    PRIMARY KEY (company_id, employee_id, id)
);

CREATE UNIQUE INDEX IF NOT EXISTS work_addresses_by_id ON work_addresses (company_id, id);

CREATE INDEX IF NOT EXISTS work_addresses_by_location ON work_addresses (company_id, location_id);

CREATE TABLE IF NOT EXISTS employee_jobs (
    company_id              uuid NOT NULL,
    employee_id             uuid NOT NULL,
    id                      uuid NOT NULL,
    title                   text,
    hire_date               date NOT NULL,
    is_primary              boolean NOT NULL,
    two_percent_shareholder boolean NOT NULL,
    state_wc_covered        boolean,
    state_wc_class_code     text,
    version                 bigint NOT NULL,
    created_at              instant NOT NULL,
    updated_at              instant NOT NULL,
    PRIMARY KEY (company_id, employee_id, id)
);

CREATE UNIQUE INDEX IF NOT EXISTS employee_jobs_by_id ON employee_jobs (company_id, id);

CREATE TABLE IF NOT EXISTS compensations (
    company_id              uuid NOT NULL,
    employee_id             uuid NOT NULL,
    job_id                  uuid NOT NULL,
    id                      uuid NOT NULL,
    rate                    bigint NOT NULL,
    payment_unit            text NOT NULL,
    flsa_status             text NOT NULL,
    effective_date          date NOT NULL,
    title                   text,
    adjust_for_minimum_wage boolean NOT NULL,
    minimum_wages           json NOT NULL,
    version                 bigint NOT NULL,
    created_at              instant NOT NULL,
    updated_at              instant NOT NULL,
    PRIMARY KEY (company_id, employee_id, job_id, id)
);

CREATE UNIQUE INDEX IF NOT EXISTS compensations_by_id ON compensations (company_id, id);

-- Links to hosted pages, found by the SHA-256 of their token.
CREATE TABLE IF NOT EXISTS flow_links (
    hash        bytes NOT NULL,
    company_id  uuid NOT NULL,
    id          uuid NOT NULL,
    flow_types  text NOT NULL,
    entity_type text NOT NULL,
    entity_id   uuid NOT NULL,
    created_at  instant NOT NULL,
    used_at     instant NOT NULL,
    expired_at  instant,
    PRIMARY KEY (hash)
);

CREATE INDEX IF NOT EXISTS flow_links_by_id ON flow_links (company_id, id);

-- The outbox: an event is here exactly when its transaction was committed. The payload is kept as it is sent.
-- Identifiers come in order of time, so that those of all companies are added at one end; a company's events lie in
-- order of their numbers (events_of_company_by_seq).
CREATE TABLE IF NOT EXISTS events (
    company_id  uuid NOT NULL,
    id          uuid NOT NULL,
    event_type  text NOT NULL,
    entity_type text NOT NULL,
    entity_id   uuid NOT NULL,
    payload     json NOT NULL,
    seq         bigint,
    created_at  instant NOT NULL,
    PRIMARY KEY (id, company_id)
) IN ORDER OF ARRIVAL;

CREATE TABLE IF NOT EXISTS audit (
    company_id  uuid NOT NULL,
    id          uuid NOT NULL,
    actor_kind  text NOT NULL,
    actor_id    uuid NOT NULL,
    action      text NOT NULL,
    entity_type text NOT NULL,
    entity_id   uuid NOT NULL,
    request_id  text NOT NULL,
    from_ip     text NOT NULL,
    changes     json NOT NULL,
    created_at  instant NOT NULL,
    PRIMARY KEY (company_id, id)
) IN ORDER OF ARRIVAL;

-- Requests that carried a key, and their first answers, sealed, given again when a request is repeated. Random keys
-- come in no order, so that the index by them costs a page for each; the answers lie in order of time.
CREATE TABLE IF NOT EXISTS idempotency (
    owner_id    uuid NOT NULL,
    digest      bytes NOT NULL,
    id          uuid NOT NULL,
    fingerprint bytes NOT NULL,
    status      bigint NOT NULL,
    answer      bytes NOT NULL,
    created_at  instant NOT NULL,
    touched_at  instant NOT NULL,
    PRIMARY KEY (digest, owner_id)
) IN ORDER OF ARRIVAL;

CREATE INDEX IF NOT EXISTS idempotency_by_time ON idempotency (created_at);

-- Work that falls due: leased by a worker, done, and written down.
CREATE TABLE IF NOT EXISTS jobs (
    company_id  uuid NOT NULL,
    id          uuid NOT NULL,
    kind        text NOT NULL,
    entity_id   uuid NOT NULL,
    due         instant NOT NULL,
    lease_until instant,
    leased_by   uuid,
    attempt     bigint NOT NULL,
    state       text NOT NULL,
    created_at  instant NOT NULL,
    finished_at instant,
    PRIMARY KEY (company_id, id)
);

CREATE INDEX IF NOT EXISTS jobs_due ON jobs (due, id) WHERE state = 'open';

CREATE INDEX IF NOT EXISTS jobs_finished ON jobs (finished_at) WHERE state <> 'open';
