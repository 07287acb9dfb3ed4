-- What the store needs for itself.

-- One row per thing that units of work must not decide about at the same time. Taken by an upsert, which on
-- every engine makes a second unit wait for the first to commit.
CREATE TABLE IF NOT EXISTS guards (
    company_id uuid NOT NULL,
    kind       text NOT NULL,
    id         uuid NOT NULL,
    n          bigint NOT NULL,
    PRIMARY KEY (company_id, kind, id)
);

-- The data key of each owner (a company or an application), wrapped by a master key.
CREATE TABLE IF NOT EXISTS data_keys (
    owner_id   uuid NOT NULL,
    key_id     bigint NOT NULL,
    master_id  text NOT NULL,
    wrapped    bytes NOT NULL,
    created_at instant NOT NULL,
    PRIMARY KEY (owner_id, key_id)
);

-- Which master keys wrap data keys of this store: a value that everybody knows, sealed under each of them. A start finds
-- out by it whether it was given the right keys, before anything is sealed under a wrong one.
CREATE TABLE IF NOT EXISTS master_keys (
    master_id  text NOT NULL,
    sealed     bytes NOT NULL,
    created_at instant NOT NULL,
    PRIMARY KEY (master_id)
);

-- Changes of all data keys: begun, with a new key for every owner, and finished, with every field sealed under it. One that
-- was cut off goes on.
CREATE TABLE IF NOT EXISTS data_key_rotations (
    begun_at     instant NOT NULL,
    keys_made_at instant,
    finished_at  instant,
    PRIMARY KEY (begun_at)
);

-- Applications, tokens, companies, employees and what belongs to them.
-- The company is in every primary key of a company's record, and first wherever rows of one company shall lie together:
-- no statement can reach another company's row by accident. Money is in millionths of a dollar.

CREATE TABLE IF NOT EXISTS applications (
    id              uuid NOT NULL,
    name            text NOT NULL,
    secret_hash     bytes NOT NULL,
    redirect_uris   json NOT NULL,
    minimum_version text NOT NULL,
    -- Whether a request with names that no operation reads is refused.
    strict          boolean NOT NULL,
    scopes          text NOT NULL,
    created_at      instant NOT NULL,
    -- An application or a user that the operator has disabled: nothing is let in, and all can be taken back.
    disabled_at     instant,
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

CREATE INDEX IF NOT EXISTS tokens_by_company ON tokens (company_id, application_id);

CREATE TABLE IF NOT EXISTS users (
    id            uuid NOT NULL,
    email         text NOT NULL,
    first_name    text NOT NULL,
    last_name     text NOT NULL,
    phone         text,
    password_hash text,
    created_at    instant NOT NULL,
    disabled_at   instant,
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
    -- Who administers a company is known to it by what it entered: whoever else gives a role to the same e-mail address learns nothing of it.
    -- Without names of their own, those of the user's account count.
    first_name text,
    last_name  text,
    phone      text,
    PRIMARY KEY (company_id, user_id)
);

CREATE INDEX IF NOT EXISTS company_admins_by_user ON company_admins (user_id);

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
    -- Answers to the questions for its county, city or municipality, where the tables do not tell them.
    place_answers   json,
    version         bigint NOT NULL,
    created_at      instant NOT NULL,
    updated_at      instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

-- ssn and date_of_birth are sealed; ssn_digest finds equal SSNs inside a company without opening any.
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
    ssn_digest           bytes,
    date_of_birth        bytes,
    onboarding_status    text NOT NULL,
    marked_steps         bigint NOT NULL,
    payment_method       text NOT NULL,
    i9_document          boolean NOT NULL,
    invited_at           instant,
    self_completed_at    instant,
    onboarded_at         instant,
    version              bigint NOT NULL,
    created_at           instant NOT NULL,
    updated_at           instant NOT NULL,
    -- People who left before their company came to the service: their year counts, and they are paid nothing more.
    historical           boolean NOT NULL DEFAULT false,
    PRIMARY KEY (company_id, id)
);

-- Those without an SSN, too: a company's employees are counted here, where each takes a tenth of the room.
CREATE INDEX IF NOT EXISTS employees_by_ssn ON employees (company_id, ssn_digest);

CREATE UNIQUE INDEX IF NOT EXISTS employees_by_code ON employees (company_id, employee_code);

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
    -- Counties, cities and districts that were set by hand for an address, where the tables do not tell them.
    jurisdiction_codes   json,
    -- Answers to the questions for its county, city, school district or municipality.
    place_answers        json,
    PRIMARY KEY (company_id, employee_id, id)
);

CREATE UNIQUE INDEX IF NOT EXISTS home_addresses_by_id ON home_addresses (company_id, id);

-- How many people live in a state without tables, for the operator.
CREATE INDEX IF NOT EXISTS home_addresses_by_state ON home_addresses (state, company_id, employee_id);

-- Home addresses of people who are paid, with questions about their places that nobody has answered: the company is notified of them.
CREATE TABLE IF NOT EXISTS home_address_questions (
    company_id      uuid NOT NULL,
    employee_id     uuid NOT NULL,
    home_address_id uuid NOT NULL,
    since           instant NOT NULL,
    PRIMARY KEY (company_id, employee_id, home_address_id)
);

CREATE TABLE IF NOT EXISTS work_addresses (
    company_id                 uuid NOT NULL,
    employee_id                uuid NOT NULL,
    id                         uuid NOT NULL,
    location_id                uuid NOT NULL,
    effective_date             date NOT NULL,
    version                    bigint NOT NULL,
    created_at                 instant NOT NULL,
    updated_at                 instant NOT NULL,
    -- Work at home for the employee's own convenience counts, by some states' rules, as work at the location.
    remote_for_own_convenience boolean NOT NULL DEFAULT false,
    jurisdiction_codes         json,
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
    -- The section by which overtime at the rate in effect was agreed for a job; NULL without an agreement.
    agreed_overtime_rate    text,
    -- Whether the salary of a job is for whatever hours a workweek has (29 CFR 778.114).
    fluctuating_workweek    boolean NOT NULL DEFAULT false,
    -- The last day of work in the job; NULL while it goes on.
    end_date                date,
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
    hash           bytes NOT NULL,
    company_id     uuid NOT NULL,
    id             uuid NOT NULL,
    flow_types     text NOT NULL,
    entity_type    text NOT NULL,
    entity_id      uuid NOT NULL,
    created_at     instant NOT NULL,
    used_at        instant NOT NULL,
    expired_at     instant,
    -- A link is opened so many times, and on so many devices at a time; whoever holds one confirms that it is theirs before
    -- bank accounts change.
    opens          bigint NOT NULL DEFAULT 0,
    -- A link to hosted pages leads back to whoever made it, and shows that application's face.
    redirect_url   text,
    application_id uuid,
    PRIMARY KEY (hash)
);

CREATE INDEX IF NOT EXISTS flow_links_by_id ON flow_links (company_id, id);

-- The outbox: an event is here exactly when its transaction was committed. The payload is kept as it is sent.
-- Identifiers come in order of time, so that those of all companies are added at one end; a company's events lie in
-- order of their numbers (events_of_company_by_seq).
CREATE TABLE IF NOT EXISTS events (
    company_id     uuid NOT NULL,
    id             uuid NOT NULL,
    event_type     text NOT NULL,
    entity_type    text NOT NULL,
    entity_id      uuid NOT NULL,
    payload        json NOT NULL,
    seq            bigint,
    created_at     instant NOT NULL,
    -- The only application that an event is for; none is every application that is connected to the company.
    application_id uuid,
    PRIMARY KEY (id, company_id)
) IN ORDER OF ARRIVAL;

CREATE INDEX IF NOT EXISTS events_without_seq ON events (created_at) WHERE seq IS NULL;

CREATE INDEX IF NOT EXISTS events_by_seq ON events (seq);

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
    -- The page that a kept answer is, as [page, per page, in all]: a repetition carries the same headers.
    paging      json,
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

CREATE INDEX IF NOT EXISTS jobs_leased ON jobs (company_id) WHERE state = 'open' AND lease_until IS NOT NULL;

CREATE INDEX IF NOT EXISTS jobs_given_up ON jobs (finished_at, id) WHERE state = 'failed';

-- Where employees are paid to. The type of payment (check or direct deposit) stands in the employee's record.

-- routing_number and account_number are sealed.
CREATE TABLE IF NOT EXISTS employee_bank_accounts (
    company_id     uuid NOT NULL,
    employee_id    uuid NOT NULL,
    id             uuid NOT NULL,
    name           text NOT NULL,
    account_type   text NOT NULL,
    routing_number bytes NOT NULL,
    account_number bytes NOT NULL,
    version        bigint NOT NULL,
    created_at     instant NOT NULL,
    updated_at     instant NOT NULL,
    -- Whose last payment came back, and why: nothing is paid to such an account.
    returned_code  text,
    -- When a bank returned the last payment to an account: what somebody has to look at is listed by it.
    returned_at    instant,
    PRIMARY KEY (company_id, employee_id, id)
);

CREATE UNIQUE INDEX IF NOT EXISTS employee_bank_accounts_by_id ON employee_bank_accounts (company_id, id);

CREATE INDEX IF NOT EXISTS employee_bank_accounts_returned ON employee_bank_accounts (company_id, returned_at);

-- How pay is divided among the accounts; split_by is NULL where it is not.
CREATE TABLE IF NOT EXISTS employee_payment_methods (
    company_id  uuid NOT NULL,
    employee_id uuid NOT NULL,
    split_by    text,
    splits      json NOT NULL,
    version     bigint NOT NULL,
    created_at  instant NOT NULL,
    updated_at  instant NOT NULL,
    PRIMARY KEY (company_id, employee_id)
);

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
    -- Of Form W-4's record: whether an amount is added to the wages of a nonresident alien for income tax withholding, and why the
    -- pay is free of Social Security and Medicare tax.
    nonresident_alien      boolean NOT NULL DEFAULT false,
    fica_exemption         text,
    -- The day on which a Form W-4 that claims exemption from withholding was given: the claim ends with 15 February of the year after it.
    -- NULL in forms that claim none.
    exempt_since           date,
    PRIMARY KEY (company_id, employee_id)
);

-- The questions of a state: answers is an object from key to value. The employer's answer on the new hire report
-- has a column of its own. Answers of a state that the employee has left stay, for the case of a return.
CREATE TABLE IF NOT EXISTS employee_state_taxes (
    company_id           uuid NOT NULL,
    employee_id          uuid NOT NULL,
    state                text NOT NULL,
    answers              json NOT NULL,
    -- The addresses for which answers about places were given.
    given_for            json,
    file_new_hire_report boolean,
    version              bigint NOT NULL,
    created_at           instant NOT NULL,
    updated_at           instant NOT NULL,
    PRIMARY KEY (company_id, employee_id, state)
);

-- Forms about taxes: drafts, and the snapshots that closing a quarter or a year makes. content is sealed, digest is the SHA-256 of it; what
-- was closed never changes. posted: cents that the close posted to the books. employee_id and contractor_id are null for a return of
-- the company.
CREATE TABLE IF NOT EXISTS tax_forms (
    company_id  uuid NOT NULL,
    id          uuid NOT NULL,
    name        text NOT NULL,
    year        bigint NOT NULL,
    quarter     bigint,
    employee_id uuid,
    contractor_id uuid,
    state       text NOT NULL,
    content     bytes NOT NULL,
    digest      bytes NOT NULL,
    posted      bigint NOT NULL,
    posting_id  uuid,
    closed_at   instant,
    file_digest bytes,
    written_at  instant,
    filed_on    date,
    receipt     text,
    reason      text,
    version     bigint NOT NULL,
    created_at  instant NOT NULL,
    updated_at  instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

CREATE INDEX IF NOT EXISTS tax_forms_by_employee ON tax_forms (company_id, employee_id, id);

CREATE INDEX IF NOT EXISTS tax_forms_by_contractor ON tax_forms (company_id, contractor_id, id);

-- What changed in a closed period, until a person has settled it.
CREATE TABLE IF NOT EXISTS tax_form_corrections (
    company_id uuid NOT NULL,
    id         uuid NOT NULL,
    form_id    uuid NOT NULL,
    cause      text NOT NULL,
    record_id  uuid NOT NULL,
    day        date NOT NULL,
    settled_on date,
    receipt    text,
    version    bigint NOT NULL,
    created_at instant NOT NULL,
    updated_at instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

-- Forms that an employee signs, the signatures under them, what the employee said for Form I-9, and the addresses
-- under which a form can be looked at for a short time.

-- digest: keyed fingerprint of the data that the form shows. A form requires signing when the last signature under
-- it was made on other data.
CREATE TABLE IF NOT EXISTS employee_forms (
    company_id       uuid NOT NULL,
    employee_id      uuid NOT NULL,
    id               uuid NOT NULL,
    name             text NOT NULL,
    year             bigint,
    requires_signing boolean NOT NULL,
    digest           bytes NOT NULL,
    created_at       instant NOT NULL,
    updated_at       instant NOT NULL,
    PRIMARY KEY (company_id, employee_id, id)
);

CREATE UNIQUE INDEX IF NOT EXISTS employee_forms_by_id ON employee_forms (company_id, id);

-- Never changed and never overwritten: what was signed, by whom, when and from where. Content, signature and
-- preparers are sealed.
CREATE TABLE IF NOT EXISTS employee_form_signatures (
    company_id     uuid NOT NULL,
    employee_id    uuid NOT NULL,
    form_id        uuid NOT NULL,
    id             uuid NOT NULL,
    digest         bytes NOT NULL,
    content        bytes NOT NULL,
    signature_text bytes NOT NULL,
    preparers      bytes NOT NULL,
    agreed         boolean NOT NULL,
    signed_by_ip   text NOT NULL,
    signed_by_kind text NOT NULL,
    signed_by_id   uuid NOT NULL,
    signed_at      instant NOT NULL,
    PRIMARY KEY (company_id, employee_id, form_id, id)
);

-- Section 1 of Form I-9; all that was said is sealed.
CREATE TABLE IF NOT EXISTS employee_i9 (
    company_id  uuid NOT NULL,
    employee_id uuid NOT NULL,
    id          uuid NOT NULL,
    content     bytes NOT NULL,
    version     bigint NOT NULL,
    created_at  instant NOT NULL,
    updated_at  instant NOT NULL,
    PRIMARY KEY (company_id, employee_id)
);

-- Addresses of documents, found by the SHA-256 of their token.
CREATE TABLE IF NOT EXISTS document_links (
    hash           bytes NOT NULL,
    company_id     uuid NOT NULL,
    employee_id    uuid NOT NULL,
    form_id        uuid NOT NULL,
    created_at     instant NOT NULL,
    expires_at     instant NOT NULL,
    -- What a link leads to; null for a form.
    kind           text,
    application_id uuid,
    PRIMARY KEY (hash)
);

CREATE INDEX IF NOT EXISTS document_links_by_time ON document_links (expires_at);

CREATE INDEX IF NOT EXISTS document_links_by_company ON document_links (company_id);

-- Whoever opened a link, on one device; found by the SHA-256 of the cookie.
CREATE TABLE IF NOT EXISTS flow_sessions (
    hash           bytes NOT NULL,
    company_id     uuid NOT NULL,
    employee_id    uuid NOT NULL,
    flow_types     text NOT NULL,
    language       text,
    link_made      instant NOT NULL,
    created_at     instant NOT NULL,
    used_at        instant NOT NULL,
    link_id        uuid,
    confirmed_at   instant,
    -- Whose pages and addresses these are: they end with the access of that application, and of no other.
    application_id uuid,
    PRIMARY KEY (hash)
);

CREATE INDEX IF NOT EXISTS flow_sessions_by_age ON flow_sessions (created_at);

-- Links, sessions and document addresses end with the connection of their company, and sessions with a password.
CREATE INDEX IF NOT EXISTS flow_sessions_by_company ON flow_sessions (company_id);

-- Webhooks: which companies an application hears of, its subscriptions, and what became of each delivery.

-- The companies that a partner application is connected to; ended_at when the connection was taken back.
CREATE TABLE IF NOT EXISTS connections (
    company_id     uuid NOT NULL,
    application_id uuid NOT NULL,
    connected_at   instant NOT NULL,
    ended_at       instant,
    -- Which of the applications that a company is connected to manages it.
    manages        boolean,
    -- When an administrator of the company last consented to it, also after the connection has ended.
    consented_at   instant,
    PRIMARY KEY (company_id, application_id)
);

CREATE INDEX IF NOT EXISTS connections_by_application ON connections (application_id, company_id);

-- Events are numbered after they were committed, so that nobody who reads in order of numbers passes one over.
CREATE TABLE IF NOT EXISTS event_numbers (
    id     uuid NOT NULL,
    newest bigint NOT NULL,
    PRIMARY KEY (id)
);

-- secret and previous_secret are sealed: the verification token, which signs, and the one before while both count.
-- subscription_types is a set, one bit a type.
CREATE TABLE IF NOT EXISTS webhook_subscriptions (
    application_id     uuid NOT NULL,
    id                 uuid NOT NULL,
    url                text NOT NULL,
    subscription_types bigint NOT NULL,
    status             text NOT NULL,
    secret             bytes NOT NULL,
    previous_secret    bytes,
    previous_until     instant,
    verified_at        instant,
    last_success_at    instant,
    last_failure_at    instant,
    created_at         instant NOT NULL,
    updated_at         instant NOT NULL,
    PRIMARY KEY (application_id, id)
);

-- One event for one subscription, or a verification call (company_id is nil, event_id its own identifier). due: when
-- it is looked at next, for a try or because a lease has run out. claims counts leases: only the newest may store an
-- outcome. used: places of the retry schedule used up since first_try_at. lane: 0 first tries, 1 retries.
CREATE TABLE IF NOT EXISTS deliveries (
    application_id  uuid NOT NULL,
    subscription_id uuid NOT NULL,
    event_id        uuid NOT NULL,
    company_id      uuid NOT NULL,
    event_type      text NOT NULL,
    state           text NOT NULL,
    lane            bigint NOT NULL,
    due             instant NOT NULL,
    claims          bigint NOT NULL,
    used            bigint NOT NULL,
    tries           bigint NOT NULL,
    first_try_at    instant,
    created_at      instant NOT NULL,
    finished_at     instant,
    PRIMARY KEY (application_id, subscription_id, event_id)
);

CREATE INDEX IF NOT EXISTS deliveries_open ON deliveries (application_id, subscription_id, lane, due) WHERE state = 'open';

CREATE INDEX IF NOT EXISTS deliveries_finished ON deliveries (finished_at) WHERE state <> 'open';

-- Every try: what was answered, or why nothing was.
CREATE TABLE IF NOT EXISTS delivery_tries (
    application_id  uuid NOT NULL,
    subscription_id uuid NOT NULL,
    event_id        uuid NOT NULL,
    number          bigint NOT NULL,
    at              instant NOT NULL,
    status          bigint,
    failure         text,
    micros          bigint NOT NULL,
    response_start  text NOT NULL,
    next_try_at     instant,
    PRIMARY KEY (application_id, subscription_id, event_id, number)
) IN ORDER OF ARRIVAL;

-- Who may call for a company, and who may allow it: codes, pairs of tokens, and people who are signed in.
-- Codes, pairs and sessions are looked for before any company is known: their key is the SHA-256 of their text.
-- An application without a secret (a public client) has no bytes in applications.secret_hash.

-- A code is stored when somebody consents, and stays a while after its use: whoever uses it again ends its family.
CREATE TABLE IF NOT EXISTS authorization_codes (
    hash           bytes NOT NULL,
    application_id uuid NOT NULL,
    company_id     uuid NOT NULL,
    user_id        uuid NOT NULL,
    family_id      uuid NOT NULL,
    redirect_uri   text NOT NULL,
    challenge      text,
    scopes         text NOT NULL,
    created_at     instant NOT NULL,
    expires_at     instant NOT NULL,
    used_at        instant,
    PRIMARY KEY (hash)
);

CREATE INDEX IF NOT EXISTS authorization_codes_by_age ON authorization_codes (expires_at);

-- Codes that nobody has used yet end with what was consented to.
CREATE INDEX IF NOT EXISTS authorization_codes_of_company ON authorization_codes (company_id);

-- An access token and the refresh token that came with it. All pairs that go back to one consent are a family.
-- replaces is the refresh token that this pair was given for, until the pair is used for the first time; successor is
-- the sealed text of the pair that replaced this one, until that one is used. succeeded_at is when it was replaced,
-- ends_at when the family of a consent can be renewed no more.
CREATE TABLE IF NOT EXISTS token_pairs (
    refresh_hash bytes NOT NULL,
    access_hash  bytes NOT NULL,
    id           uuid NOT NULL,
    family_id    uuid NOT NULL,
    ends_at      instant,
    replaces     bytes,
    successor    bytes,
    succeeded_at instant,
    PRIMARY KEY (refresh_hash)
);

CREATE INDEX IF NOT EXISTS token_pairs_by_access ON token_pairs (access_hash);

CREATE INDEX IF NOT EXISTS token_pairs_by_family ON token_pairs (family_id);

-- Somebody who signed in, on one device; with the company that was chosen for an application, before consent.
CREATE TABLE IF NOT EXISTS user_sessions (
    hash           bytes NOT NULL,
    user_id        uuid NOT NULL,
    application_id uuid,
    company_id     uuid,
    created_at     instant NOT NULL,
    used_at        instant NOT NULL,
    PRIMARY KEY (hash)
);

CREATE INDEX IF NOT EXISTS user_sessions_by_age ON user_sessions (created_at);

CREATE INDEX IF NOT EXISTS user_sessions_by_user ON user_sessions (user_id);

-- Browsers in which somebody has signed in, by the SHA-256 of the text in a cookie: attempts in them are counted apart.
CREATE TABLE IF NOT EXISTS known_browsers (
    hash    bytes NOT NULL,
    user_id uuid NOT NULL,
    seen_at instant NOT NULL,
    PRIMARY KEY (hash, user_id)
);

CREATE INDEX IF NOT EXISTS known_browsers_by_age ON known_browsers (seen_at);

CREATE INDEX IF NOT EXISTS known_browsers_by_user ON known_browsers (user_id);

-- Failed attempts to sign in, by the SHA-256 of an e-mail address or of a place in the network.
CREATE TABLE IF NOT EXISTS sign_in_attempts (
    subject  bytes NOT NULL,
    attempts bigint NOT NULL,
    since    instant NOT NULL,
    PRIMARY KEY (subject)
);

CREATE INDEX IF NOT EXISTS sign_in_attempts_by_age ON sign_in_attempts (since);

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
    street_1        text,
    street_2        text,
    city            text,
    state           text,
    zip             text,
    country         text,
    version         bigint NOT NULL,
    created_at      instant NOT NULL,
    updated_at      instant NOT NULL,
    -- What a check of a signatory's identity came to: Pass or Fail; none was made where it is null.
    identity_check  text,
    PRIMARY KEY (company_id, id)
);

-- One row for each company; legal name and legal form stand in companies. ein is sealed.
CREATE TABLE IF NOT EXISTS company_federal_taxes (
    company_id       uuid NOT NULL,
    ein              bytes,
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

-- What courts, agencies and creditors have taken from employees' pay. Money and percentages are in millionths.

-- Of child support, support_state to remittance_number say whom it is paid to, current_support to received_on what the
-- order says beyond its cap.
CREATE TABLE IF NOT EXISTS garnishments (
    company_id               uuid NOT NULL,
    employee_id              uuid NOT NULL,
    id                       uuid NOT NULL,
    active                   boolean NOT NULL,
    description              text NOT NULL,
    court_ordered            boolean NOT NULL,
    garnishment_type         text,
    amount                   bigint NOT NULL,
    deduct_as_percentage     boolean NOT NULL,
    pay_period_maximum       bigint,
    annual_maximum           bigint,
    total_amount             bigint,
    times                    bigint,
    recurring                boolean NOT NULL,
    support_state            text,
    fips_code                text,
    payment_period           text,
    case_number              text,
    order_number             text,
    remittance_number        text,
    current_support          bigint,
    arrears                  bigint,
    medical_support          bigint,
    arrears_over_12_weeks    boolean,
    supports_other_family    boolean,
    received_on              date,
    version                  bigint NOT NULL,
    created_on               date NOT NULL,
    created_at               instant NOT NULL,
    updated_at               instant NOT NULL,
    -- What garnishments other than support say: when they were served and end, what a levy for taxes says of the employee, and
    -- the chapter under which a bankruptcy court ordered payments to the trustee.
    served_on                date,
    ends_on                  date,
    levy_filing_status       text,
    levy_dependents          bigint,
    levy_year                bigint,
    levy_state               text,
    bankruptcy_chapter       bigint,
    -- The premium of health insurance that a National Medical Support Notice orders, per payment period of the order.
    health_insurance_premium bigint,
    -- How often whoever is levied for federal taxes, or the spouse, is 65 or older, or blind; NULL counts as none.
    levy_additional          bigint,
    -- Whether the employer takes the fee that the state of work allows for the work of a garnishment.
    employer_fee             boolean NOT NULL DEFAULT false,
    -- When the employee agreed that the deduction pays back pay that was not owed; NULL for any other deduction.
    overpayment_agreed_on    date,
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
    -- By which calculation of its payroll a withholding and an item of a benefit were written, so that taking back one calculation
    -- leaves alone what another one wrote since.
    run_id            uuid,
    PRIMARY KEY (company_id, payroll_id, garnishment_id)
);

CREATE INDEX IF NOT EXISTS garnishment_withholdings_by_check_date ON garnishment_withholdings (company_id, check_date);

-- Tables that come from outside and are renewed now and then: wage statistics, minimum wages, agencies. A row is one
-- vintage, never changed; the content is in the form of its kind. Which one counts is one small row, so that the
-- change from one vintage to the next is all or nothing.

CREATE TABLE IF NOT EXISTS reference_data (
    kind       text NOT NULL,
    checksum   text NOT NULL,
    vintage    text NOT NULL,
    row_count  bigint NOT NULL,
    content    bytes NOT NULL,
    created_at instant NOT NULL,
    PRIMARY KEY (kind, checksum)
);

CREATE TABLE IF NOT EXISTS reference_current (
    kind       text NOT NULL,
    checksum   text NOT NULL,
    vintage    text NOT NULL,
    updated_at instant NOT NULL,
    PRIMARY KEY (kind)
);

-- Estimates of a reasonable salary. The basis is everything that the result rests on (occupations, areas, wages and their
-- vintage), so that an accepted estimate stays what it is when newer statistics are imported. Cents a year.

CREATE TABLE IF NOT EXISTS salary_estimates (
    company_id         uuid NOT NULL,
    employee_id        uuid NOT NULL,
    id                 uuid NOT NULL,
    employee_job_id    uuid,
    annual_net_revenue bigint,
    zip_code           text NOT NULL,
    result             bigint NOT NULL,
    basis              json NOT NULL,
    accepted_at        instant,
    version            bigint NOT NULL,
    created_at         instant NOT NULL,
    updated_at         instant NOT NULL,
    PRIMARY KEY (company_id, employee_id, id)
);

CREATE UNIQUE INDEX IF NOT EXISTS salary_estimates_by_id ON salary_estimates (company_id, id);

-- Benefits that companies offer, the dated records of employees who have them, and what payrolls took and gave.

CREATE TABLE IF NOT EXISTS company_benefits (
    company_id                     uuid NOT NULL,
    id                             uuid NOT NULL,
    benefit_type                   bigint NOT NULL,
    active                         boolean NOT NULL,
    description                    text NOT NULL,
    responsible_for_employer_taxes boolean NOT NULL,
    responsible_for_employee_w2    boolean NOT NULL,
    catch_up_type                  text,
    version                        bigint NOT NULL,
    created_at                     instant NOT NULL,
    updated_at                     instant NOT NULL,
    -- Earning types whose pay a retirement plan leaves out of percentages, by identifier.
    excluded_earnings              json,
    PRIMARY KEY (company_id, id)
);

-- One row is one window of days. Those of one employee and one company benefit never overlap; every unit that moves
-- one holds the employee's guard. Amounts are millionths of a dollar or of a percent, as the flag beside them says.
CREATE TABLE IF NOT EXISTS employee_benefits (
    company_id                          uuid NOT NULL,
    employee_id                         uuid NOT NULL,
    company_benefit_id                  uuid NOT NULL,
    id                                  uuid NOT NULL,
    effective_date                      date NOT NULL,
    expiration_date                     date,
    active                              boolean NOT NULL,
    employee_deduction                  bigint NOT NULL,
    deduct_as_percentage                boolean NOT NULL,
    employee_deduction_annual_maximum   bigint,
    contribution_type                   text NOT NULL,
    contribution_value                  bigint NOT NULL,
    contribution_tiers                  json NOT NULL,
    elective                            boolean NOT NULL,
    company_contribution_annual_maximum bigint,
    limit_option                        text,
    catch_up                            boolean NOT NULL,
    coverage_amount                     bigint,
    coverage_salary_multiplier          bigint NOT NULL,
    reduces_taxable_income              boolean,
    version                             bigint NOT NULL,
    created_at                          instant NOT NULL,
    updated_at                          instant NOT NULL,
    PRIMARY KEY (company_id, employee_id, company_benefit_id, id)
);

CREATE UNIQUE INDEX IF NOT EXISTS employee_benefits_by_id ON employee_benefits (company_id, id);

CREATE INDEX IF NOT EXISTS employee_benefits_by_company_benefit
    ON employee_benefits (company_id, company_benefit_id, id);

-- What a processed payroll took and gave, by benefit: kept as it was, whatever happens to the records later.
CREATE TABLE IF NOT EXISTS benefit_payroll_items (
    company_id           uuid NOT NULL,
    company_benefit_id   uuid NOT NULL,
    employee_id          uuid NOT NULL,
    payroll_id           uuid NOT NULL,
    employee_benefit_id  uuid NOT NULL,
    benefit_type         bigint NOT NULL,
    payroll_type         text NOT NULL,
    check_date           date NOT NULL,
    period_start         date,
    period_end           date,
    gross_pay            bigint NOT NULL,
    imputed_pay          bigint NOT NULL,
    employee_deduction   bigint NOT NULL,
    company_contribution bigint NOT NULL,
    run_id               uuid,
    PRIMARY KEY (company_id, company_benefit_id, employee_id, payroll_id)
);

CREATE INDEX IF NOT EXISTS benefit_payroll_items_by_employee
    ON benefit_payroll_items (company_id, employee_id, check_date);

CREATE INDEX IF NOT EXISTS benefit_payroll_items_by_payroll ON benefit_payroll_items (company_id, payroll_id);

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
    workweek_start_day       text,
    active                   boolean NOT NULL,
    version                  bigint NOT NULL,
    created_at               instant NOT NULL,
    updated_at               instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

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
    -- Whether a payroll was calculated before what was calculated was forgotten: its answers to entries go on naming what brings pay
    -- up to the minimum wage.
    was_calculated          boolean NOT NULL DEFAULT false,
    -- Whether a payroll is skipped: it pays nobody.
    skipped                 boolean NOT NULL DEFAULT false,
    -- The days of the pay period of which a transition pays a part to those who leave its schedule.
    whole_days              bigint,
    -- What held when the payroll was calculated.
    partner_pays            boolean NOT NULL DEFAULT false,
    -- The last day of work whose wages a payroll of last wages pays: whoever leaves, comes back and leaves again within a pay period has two.
    last_day                date,
    -- Which changes a calculation had seen: their units may be committed in another order than that of the ids of their entries in the audit log.
    seen_changes            json,
    PRIMARY KEY (company_id, id)
);

-- Regular payrolls that nobody has submitted are counted across companies once their pay date has passed.
CREATE INDEX IF NOT EXISTS payrolls_missed ON payrolls (initial_check_date) WHERE submitted_at IS NULL AND off_cycle = false;

CREATE INDEX IF NOT EXISTS payrolls_by_check_date ON payrolls (company_id, check_date);

-- Payrolls that wait for work in the background, to find those whose work is gone.
CREATE INDEX IF NOT EXISTS payrolls_under_way ON payrolls (company_id, id) WHERE request_status IN ('calculating', 'submitting');

CREATE INDEX IF NOT EXISTS payrolls_by_run ON payrolls (company_id, run_id);

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
    company_id    uuid NOT NULL,
    id            uuid NOT NULL,
    payroll_id    uuid NOT NULL,
    check_date    date NOT NULL,
    recorded_to   uuid,
    forgotten_to  uuid,
    created_at    instant NOT NULL,
    -- By which version of the rules, and by which vintages of imported tables, a calculation worked out its paychecks.
    rules_version bigint,
    tables        json NOT NULL DEFAULT '{}',
    PRIMARY KEY (company_id, id)
);

-- What comes back in an update of a payroll is compared with what its last calculation came to, also once that was forgotten.
CREATE INDEX IF NOT EXISTS payroll_runs_by_payroll ON payroll_runs (company_id, payroll_id, id);

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

-- Whether an employee was invited to a place of their own, and by which link last.
CREATE TABLE IF NOT EXISTS member_portal_invitations (
    company_id   uuid NOT NULL,
    member_id    uuid NOT NULL,
    link_id      uuid NOT NULL,
    opened_at    instant,
    cancelled_at instant,
    version      bigint NOT NULL,
    created_at   instant NOT NULL,
    updated_at   instant NOT NULL,
    PRIMARY KEY (company_id, member_id)
);

CREATE INDEX IF NOT EXISTS member_portal_invitations_by_link ON member_portal_invitations (company_id, link_id);

-- Entries that arrived after their session had ended, sealed, until a new link is opened.
CREATE TABLE IF NOT EXISTS flow_drafts (
    company_id  uuid NOT NULL,
    employee_id uuid NOT NULL,
    screen      text NOT NULL,
    entries     bytes NOT NULL,
    created_at  instant NOT NULL,
    PRIMARY KEY (company_id, employee_id, screen)
);

CREATE INDEX IF NOT EXISTS flow_drafts_by_age ON flow_drafts (created_at);

-- Seals of the audit log, a chain for each company: each seal is over the entries after those of the one before, up to
-- and with through_id, and over the seal before. Without the company's data key no seal can be made.
CREATE TABLE IF NOT EXISTS audit_seals (
    company_id uuid NOT NULL,
    number     bigint NOT NULL,
    through_id uuid NOT NULL,
    entries    bigint NOT NULL,
    seal       bytes NOT NULL,
    created_at instant NOT NULL,
    PRIMARY KEY (company_id, number)
);

-- Why work that fell due failed, and how often since it was scheduled. A row counts as long as the job's attempt is the one
-- that the failure left: scheduling the job again begins anew.
CREATE TABLE IF NOT EXISTS job_failures (
    company_id      uuid NOT NULL,
    id              uuid NOT NULL,
    attempt         bigint NOT NULL,
    tries           bigint NOT NULL,
    reason          text NOT NULL,
    first_failed_at instant NOT NULL,
    failed_at       instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

CREATE INDEX IF NOT EXISTS job_failures_by_time ON job_failures (failed_at);

-- What a company has decided about its payrolls; a company without a row has decided nothing.
CREATE TABLE IF NOT EXISTS payroll_settings (
    company_id           uuid NOT NULL,
    previous_year_tables boolean NOT NULL,
    updated_at           instant NOT NULL,
    -- Whether payrolls on which a tax that is due was not worked out cannot be submitted.
    block_unworked_taxes boolean NOT NULL DEFAULT false,
    -- On which day a company's workweeks begin; NULL follows the pay periods.
    workweek_first_day   text,
    PRIMARY KEY (company_id)
);

-- The newest processed calculation that paid an employee: its result holds the sums of the year.
CREATE TABLE IF NOT EXISTS last_paychecks (
    company_id  uuid NOT NULL,
    employee_id uuid NOT NULL,
    run_id      uuid NOT NULL,
    PRIMARY KEY (company_id, employee_id)
);

-- Wrong answers of whoever holds a link to an employee's pages, since the first of them.
CREATE TABLE IF NOT EXISTS flow_confirmations (
    company_id  uuid NOT NULL,
    employee_id uuid NOT NULL,
    wrong       bigint NOT NULL,
    since       instant NOT NULL,
    PRIMARY KEY (company_id, employee_id)
);

CREATE INDEX IF NOT EXISTS flow_confirmations_by_age ON flow_confirmations (since);

-- What is noted of the time itself: when a worker was last seen at work (seen), and what time an operator confirmed to be
-- right (confirmed).
CREATE TABLE IF NOT EXISTS clock_marks (
    name text NOT NULL,
    at   instant NOT NULL,
    PRIMARY KEY (name)
);

-- Figures of the tax tables from memory or in doubt that the operator has confirmed, as they were then.
CREATE TABLE IF NOT EXISTS confirmed_figures (
    key          text NOT NULL,
    fingerprint  text NOT NULL,
    confirmed_at instant NOT NULL,
    PRIMARY KEY (key)
);

-- Ends of employment. The effective date is the last day of work.
CREATE TABLE IF NOT EXISTS terminations (
    company_id              uuid NOT NULL,
    employee_id             uuid NOT NULL,
    id                      uuid NOT NULL,
    effective_date          date NOT NULL,
    run_termination_payroll boolean NOT NULL,
    version                 bigint NOT NULL,
    created_at              instant NOT NULL,
    updated_at              instant NOT NULL,
    -- How an employment came to its end, where that is said.
    separation              text,
    -- By whom somebody who left is employed now, where that is known.
    new_employer            text,
    -- Whether the company is told that the final wages are to be paid by a payroll of their own.
    last_wages_told         boolean NOT NULL DEFAULT false,
    PRIMARY KEY (company_id, employee_id, id)
);

CREATE INDEX IF NOT EXISTS terminations_by_id ON terminations (company_id, id);

-- Returns of employees who had left. The effective date is the first day back at work.
CREATE TABLE IF NOT EXISTS rehires (
    company_id              uuid NOT NULL,
    employee_id             uuid NOT NULL,
    id                      uuid NOT NULL,
    effective_date          date NOT NULL,
    work_location_id        uuid NOT NULL,
    file_new_hire_report    boolean NOT NULL,
    employment_status       text,
    two_percent_shareholder boolean,
    version                 bigint NOT NULL,
    created_at              instant NOT NULL,
    updated_at              instant NOT NULL,
    PRIMARY KEY (company_id, employee_id, id)
);

CREATE INDEX IF NOT EXISTS rehires_by_id ON rehires (company_id, id);

-- Kinds of pay that a company has made. One that is inactive is kept for the payrolls that paid it.
CREATE TABLE IF NOT EXISTS earning_types (
    company_id             uuid NOT NULL,
    id                     uuid NOT NULL,
    name                   text NOT NULL,
    active                 boolean NOT NULL,
    version                bigint NOT NULL,
    created_at             instant NOT NULL,
    updated_at             instant NOT NULL,
    -- Whether pay of an earning type counts towards the regular rate of overtime, as its category says where it is not 'Other'.
    counts_in_regular_rate boolean NOT NULL DEFAULT true,
    category               text NOT NULL DEFAULT 'Other',
    PRIMARY KEY (company_id, id)
);

-- Why and from when a company was suspended at its own request.
CREATE TABLE IF NOT EXISTS company_suspensions (
    company_id           uuid NOT NULL,
    id                   uuid NOT NULL,
    effective_date       date NOT NULL,
    reason               text NOT NULL,
    leaving_for          text,
    reconcile_tax_method text NOT NULL,
    file_quarterly_forms boolean NOT NULL,
    file_yearly_forms    boolean NOT NULL,
    comments             text,
    version              bigint NOT NULL,
    created_at           instant NOT NULL,
    updated_at           instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

-- Expenses that are paid back to an employee with every regular payroll. One that has ended is kept.
CREATE TABLE IF NOT EXISTS recurring_reimbursements (
    company_id  uuid NOT NULL,
    employee_id uuid NOT NULL,
    id          uuid NOT NULL,
    description text NOT NULL,
    amount      bigint NOT NULL,
    active      boolean NOT NULL,
    version     bigint NOT NULL,
    created_at  instant NOT NULL,
    updated_at  instant NOT NULL,
    PRIMARY KEY (company_id, employee_id, id)
);

CREATE UNIQUE INDEX IF NOT EXISTS recurring_reimbursements_by_id ON recurring_reimbursements (company_id, id);

-- Which pay schedule is that of a company's employees; without a row it is the first one.
CREATE TABLE IF NOT EXISTS pay_schedule_assignments (
    company_id           uuid NOT NULL,
    pay_schedule_id      uuid NOT NULL,
    updated_at           instant NOT NULL,
    -- By what the pay schedule of an employee is decided; without a word everybody follows one.
    assignment_type      text,
    hourly_schedule_id   uuid,
    salaried_schedule_id uuid,
    PRIMARY KEY (company_id)
);

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
    -- Whether more hours of a policy can be asked for than there are.
    allow_negative          boolean NOT NULL DEFAULT true,
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

-- Departments of a company.
CREATE TABLE IF NOT EXISTS departments (
    company_id uuid NOT NULL,
    id         uuid NOT NULL,
    title      text NOT NULL,
    version    bigint NOT NULL,
    created_at instant NOT NULL,
    updated_at instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

-- To which department an employee belongs.
CREATE TABLE IF NOT EXISTS department_members (
    company_id    uuid NOT NULL,
    employee_id   uuid NOT NULL,
    department_id uuid NOT NULL,
    version       bigint NOT NULL,
    created_at    instant NOT NULL,
    updated_at    instant NOT NULL,
    PRIMARY KEY (company_id, employee_id)
);

CREATE INDEX IF NOT EXISTS department_members_by_department ON department_members (company_id, department_id, employee_id);

-- Which federal holidays a company pays, by their keys, and whom it pays for them.
CREATE TABLE IF NOT EXISTS holiday_pay_policies (
    company_id uuid NOT NULL,
    holidays   json NOT NULL,
    version    bigint NOT NULL,
    created_at instant NOT NULL,
    updated_at instant NOT NULL,
    PRIMARY KEY (company_id)
);

CREATE TABLE IF NOT EXISTS holiday_pay_employees (
    company_id  uuid NOT NULL,
    employee_id uuid NOT NULL,
    PRIMARY KEY (company_id, employee_id)
);

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

-- Which hires were written into a file for a directory of new hires, when, and when the file was filed.
CREATE TABLE IF NOT EXISTS new_hire_filings (
    company_id  uuid NOT NULL,
    employee_id uuid NOT NULL,
    hired_on    date NOT NULL,
    directory   text NOT NULL,
    written_on  date NOT NULL,
    filed_on    date,
    version     bigint NOT NULL,
    created_at  instant NOT NULL,
    updated_at  instant NOT NULL,
    PRIMARY KEY (company_id, employee_id, hired_on)
);

-- What another provider paid earlier in the year, by pay date; what each employee was paid; and what is owed of its taxes.
CREATE TABLE IF NOT EXISTS external_payrolls (
    company_id uuid NOT NULL,
    id         uuid NOT NULL,
    check_date date NOT NULL,
    start_date date NOT NULL,
    end_date   date NOT NULL,
    status     text NOT NULL,
    version    bigint NOT NULL,
    created_at instant NOT NULL,
    updated_at instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

CREATE TABLE IF NOT EXISTS external_payroll_items (
    company_id  uuid NOT NULL,
    payroll_id  uuid NOT NULL,
    employee_id uuid NOT NULL,
    item        json NOT NULL,
    PRIMARY KEY (company_id, payroll_id, employee_id)
);

CREATE INDEX IF NOT EXISTS external_payroll_items_by_employee ON external_payroll_items (company_id, employee_id);

CREATE TABLE IF NOT EXISTS external_tax_liabilities (
    company_id     uuid NOT NULL,
    tax            text NOT NULL,
    employer       boolean NOT NULL,
    last_unpaid_id uuid,
    amount         bigint NOT NULL,
    updated_at     instant NOT NULL,
    PRIMARY KEY (company_id, tax, employer)
);

-- Whether catch-up contributions of an employee have to be Roth contributions in a year, as it was decided.
CREATE TABLE IF NOT EXISTS section603_statuses (
    company_id     uuid NOT NULL,
    employee_id    uuid NOT NULL,
    effective_year bigint NOT NULL,
    id             uuid NOT NULL,
    is_high_earner boolean NOT NULL,
    version        bigint NOT NULL,
    created_at     instant NOT NULL,
    updated_at     instant NOT NULL,
    PRIMARY KEY (company_id, employee_id, effective_year)
);

-- What an employee's benefits at another company took and gave in a year. Amounts are millionths of a dollar.
CREATE TABLE IF NOT EXISTS benefit_amounts_elsewhere (
    company_id   uuid NOT NULL,
    employee_id  uuid NOT NULL,
    tax_year     bigint NOT NULL,
    benefit_type bigint NOT NULL,
    id           uuid NOT NULL,
    deduction    bigint NOT NULL,
    contribution bigint NOT NULL,
    updated_at   instant NOT NULL,
    PRIMARY KEY (company_id, employee_id, tax_year, benefit_type)
);

-- How the operator's bank takes files of payments: one row, whose company and id are all zeros, for it belongs to none.
CREATE TABLE IF NOT EXISTS bank_settings (
    company_id     uuid NOT NULL,
    id             uuid NOT NULL,
    terms          json NOT NULL,
    offset_account bytes,
    version        bigint NOT NULL,
    created_at     instant NOT NULL,
    updated_at     instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

-- What a company's credits wait for: nothing (no row), its debit to settle, or a wire.
CREATE TABLE IF NOT EXISTS company_fundings (
    company_id uuid NOT NULL,
    mode       text NOT NULL,
    days       bigint NOT NULL,
    updated_at instant NOT NULL,
    PRIMARY KEY (company_id)
);

-- Payments of one payroll, tax deposit or group of contractor payments that go into a file together: payroll_id is its id, and purpose says
-- which it is. prepared_to is the last employee or contractor payment whose payments are in it; due says from when on it may be filed. Once it is in a file, number and first_trace are its place there: the trace number of an
-- entry is first_trace and its own place.
CREATE TABLE IF NOT EXISTS payment_batches (
    company_id  uuid NOT NULL,
    id          uuid NOT NULL,
    payroll_id  uuid NOT NULL,
    purpose     text NOT NULL,
    kind        text NOT NULL,
    holders     text NOT NULL,
    check_date  date NOT NULL,
    state       text NOT NULL,
    reason      text,
    due         instant,
    effective   date,
    entries     bigint NOT NULL,
    cents       bigint NOT NULL,
    largest     bigint NOT NULL,
    prepared_to uuid,
    file_id     uuid,
    number      bigint,
    first_trace bigint,
    version     bigint NOT NULL,
    created_at  instant NOT NULL,
    updated_at  instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

CREATE INDEX IF NOT EXISTS payment_batches_by_payroll ON payment_batches (company_id, payroll_id);

CREATE INDEX IF NOT EXISTS payment_batches_by_state ON payment_batches (state, due);

CREATE INDEX IF NOT EXISTS payment_batches_by_file ON payment_batches (file_id, number);

CREATE INDEX IF NOT EXISTS payment_batches_by_trace ON payment_batches (first_trace);

-- Payments. Numbers of accounts are those to which was paid, whatever became of the accounts since; they and addenda are
-- sealed. An entry without a place is held back. replaces is the entry that this one takes back or pays again.
CREATE TABLE IF NOT EXISTS payment_entries (
    company_id     uuid NOT NULL,
    id             uuid NOT NULL,
    batch_id       uuid NOT NULL,
    payroll_id     uuid NOT NULL,
    place          bigint,
    employee_id    uuid,
    contractor_id  uuid,
    account_id     uuid,
    garnishment_id uuid,
    account_type   text NOT NULL,
    routing_number bytes,
    account_number bytes,
    cents          bigint NOT NULL,
    receiver       text NOT NULL,
    name           text NOT NULL,
    addendum       bytes,
    replaces       uuid,
    state          text NOT NULL,
    code           text,
    returned_on    date,
    version        bigint NOT NULL,
    created_at     instant NOT NULL,
    updated_at     instant NOT NULL,
    -- A payment can be held after the debit was made that pays for it: its account was deleted while its file, or that debit, was waited for.
    -- Whoever pays it after all debits nobody again.
    debited        boolean NOT NULL DEFAULT false,
    contractor_payment_id uuid,
    PRIMARY KEY (company_id, id)
);

CREATE INDEX IF NOT EXISTS payment_entries_by_batch ON payment_entries (company_id, batch_id, place);

CREATE INDEX IF NOT EXISTS payment_entries_by_payroll ON payment_entries (company_id, payroll_id, id);

-- Payments that came back and about which nobody has decided are looked for whenever somebody looks at what there is to do.
CREATE INDEX IF NOT EXISTS payment_entries_returned ON payment_entries (company_id, id) WHERE state = 'returned';

-- Payments of which each is held for itself are listed for the operator, whose list reaches across companies.
CREATE INDEX IF NOT EXISTS payment_entries_held ON payment_entries (company_id, id) WHERE state = 'held';

-- Payments of contractors on one check date: a single payment is a group of one, without a token. creation_token is that of its preview; one that
-- was cancelled is kept, so that its token is not used again.
CREATE TABLE IF NOT EXISTS contractor_payment_groups (
    company_id     uuid NOT NULL,
    id             uuid NOT NULL,
    check_date     date NOT NULL,
    creation_token text,
    partner_pays   boolean NOT NULL,
    by_bank        boolean NOT NULL,
    cancelled_at   instant,
    version        bigint NOT NULL,
    created_at     instant NOT NULL,
    updated_at     instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

CREATE INDEX IF NOT EXISTS contractor_payment_groups_by_token ON contractor_payment_groups (company_id, creation_token);

CREATE INDEX IF NOT EXISTS contractor_payment_groups_by_day ON contractor_payment_groups (company_id, check_date, id);

-- Amounts and hours are millionths. wage_total is hours at their rate, wage and bonus; withheld is backup withholding, and withheld_for why.
-- paid_at is when a payment was made, disbursed what a partner has reported of it, voided_at when it was reversed because it was not owed.
CREATE TABLE IF NOT EXISTS contractor_payments (
    company_id     uuid NOT NULL,
    id             uuid NOT NULL,
    group_id       uuid NOT NULL,
    contractor_id  uuid NOT NULL,
    check_date     date NOT NULL,
    method         text NOT NULL,
    wage_type      text NOT NULL,
    hourly_rate    bigint NOT NULL,
    hours          bigint NOT NULL,
    wage           bigint NOT NULL,
    bonus          bigint NOT NULL,
    reimbursement  bigint NOT NULL,
    wage_total     bigint NOT NULL,
    withheld       bigint NOT NULL,
    withheld_for   text,
    memo           text,
    invoice_number text,
    paid_at        instant,
    disbursed      text,
    voided_at      instant,
    cancelled_at   instant,
    version        bigint NOT NULL,
    created_at     instant NOT NULL,
    updated_at     instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

CREATE INDEX IF NOT EXISTS contractor_payments_by_group ON contractor_payments (company_id, group_id, id);

CREATE INDEX IF NOT EXISTS contractor_payments_by_contractor ON contractor_payments (company_id, contractor_id, check_date);

CREATE INDEX IF NOT EXISTS contractor_payments_by_day ON contractor_payments (company_id, check_date, id);

-- Files for the bank. Their text is made from their entries whenever it is needed, and has this digest.
CREATE TABLE IF NOT EXISTS bank_files (
    company_id  uuid NOT NULL,
    id          uuid NOT NULL,
    name        text NOT NULL,
    day         date NOT NULL,
    modifier    text NOT NULL,
    header      json NOT NULL,
    made        instant NOT NULL,
    batches     bigint NOT NULL,
    entries     bigint NOT NULL,
    debits      bigint NOT NULL,
    credits     bigint NOT NULL,
    first_trace bigint NOT NULL,
    digest      text NOT NULL,
    state       text NOT NULL,
    folder      uuid,
    attempt     uuid,
    written_at  instant,
    version     bigint NOT NULL,
    created_at  instant NOT NULL,
    updated_at  instant NOT NULL,
    -- Whether the operator's command has taken a file, where there is one, and why it has not.
    pickup      text,
    pickup_note text,
    PRIMARY KEY (company_id, id)
);

CREATE INDEX IF NOT EXISTS bank_files_by_state ON bank_files (company_id, state, id);

CREATE INDEX IF NOT EXISTS bank_files_by_day ON bank_files (company_id, day, id);

CREATE INDEX IF NOT EXISTS bank_files_by_pickup ON bank_files (company_id, pickup);

-- What came back from the bank: each record of each file that was read, by the digest of the file. What names no payment of ours
-- stays here as unknown, until somebody has looked at it. The rows are the operator's.
CREATE TABLE IF NOT EXISTS bank_returns (
    company_id    uuid NOT NULL,
    file_digest   text NOT NULL,
    record        bigint NOT NULL,
    trace         text NOT NULL,
    code          text,
    cents         bigint NOT NULL,
    state         text NOT NULL,
    why           text,
    entry_company uuid,
    entry_id      uuid,
    created_at    instant NOT NULL,
    PRIMARY KEY (company_id, file_digest, record)
);

-- Corrections of accounts that banks ask for. They are made once the employer has agreed.
CREATE TABLE IF NOT EXISTS account_corrections (
    company_id     uuid NOT NULL,
    id             uuid NOT NULL,
    entry_id       uuid NOT NULL,
    employee_id    uuid NOT NULL,
    contractor_id  uuid,
    account_id     uuid NOT NULL,
    code           text NOT NULL,
    routing_number bytes,
    account_number bytes,
    account_type   text,
    state          text NOT NULL,
    version        bigint NOT NULL,
    created_at     instant NOT NULL,
    updated_at     instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

-- Wires that companies send before their credits go out, where the operator has it so: one for each payroll, or group of contractor payments.
CREATE TABLE IF NOT EXISTS wire_in_requests (
    company_id       uuid NOT NULL,
    id               uuid NOT NULL,
    payroll_id       uuid NOT NULL,
    purpose          text NOT NULL,
    tracking_code    text NOT NULL,
    requested_cents  bigint NOT NULL,
    deadline         instant NOT NULL,
    status           text NOT NULL,
    date_sent        date,
    bank_name        text,
    sent_cents       bigint,
    notes            text,
    version          bigint NOT NULL,
    created_at       instant NOT NULL,
    updated_at       instant NOT NULL,
    -- What a wire pays for: the credits of its payroll, or a debit of it that came back.
    recovery_case_id uuid,
    PRIMARY KEY (company_id, id)
);

CREATE INDEX IF NOT EXISTS wire_in_requests_by_payroll ON wire_in_requests (company_id, payroll_id);

-- What a processed payroll came to in the books. It never changes, but for when its net pay went out, and when the payroll was
-- cancelled.
CREATE TABLE IF NOT EXISTS payroll_postings (
    company_id  uuid NOT NULL,
    run_id      uuid NOT NULL,
    payroll_id  uuid NOT NULL,
    check_date  date NOT NULL,
    paychecks   json NOT NULL,
    posted_at   instant NOT NULL,
    paid_on     date,
    -- Whether what the bank paid of it was paid out of funds in transit, for which the company's account was debited before.
    in_transit  boolean NOT NULL DEFAULT false,
    reversed_at instant,
    -- The calculation of which this posting takes back a paycheck that was not owed.
    reverses    uuid,
    PRIMARY KEY (company_id, run_id)
);

CREATE INDEX IF NOT EXISTS payroll_postings_by_date ON payroll_postings (company_id, check_date, run_id);

-- Its lines: cents, debits above zero and credits below; they sum to zero. A tax is found by its code; anything else has none.
CREATE TABLE IF NOT EXISTS payroll_posting_lines (
    company_id uuid NOT NULL,
    run_id     uuid NOT NULL,
    line       bigint NOT NULL,
    account    text NOT NULL,
    agency     text NOT NULL,
    code       text NOT NULL,
    name       text NOT NULL,
    department text NOT NULL,
    job        text NOT NULL,
    amount     bigint NOT NULL,
    PRIMARY KEY (company_id, run_id, line)
);

-- What was paid of a liability, as the company told or the service paid it; and what was moved from the bank account to funds in transit.
CREATE TABLE IF NOT EXISTS liability_payments (
    company_id uuid NOT NULL,
    id         uuid NOT NULL,
    account    text NOT NULL,
    agency     text NOT NULL,
    code       text NOT NULL,
    name       text NOT NULL,
    amount     bigint NOT NULL,
    paid_on    date NOT NULL,
    memo       text,
    created_at instant NOT NULL,
    -- Whether it was paid out of funds in transit.
    in_transit boolean NOT NULL DEFAULT false,
    PRIMARY KEY (company_id, id)
);

CREATE INDEX IF NOT EXISTS liability_payments_by_date ON liability_payments (company_id, paid_on, id);

-- Pay that was taken back, by paycheck: why, and whether the wages were owed nevertheless.
CREATE TABLE IF NOT EXISTS payroll_reversals (
    company_id  uuid NOT NULL,
    id          uuid NOT NULL,
    payroll_id  uuid NOT NULL,
    employee_id uuid NOT NULL,
    category    text NOT NULL,
    reason      text NOT NULL,
    cents       bigint NOT NULL,
    money       text NOT NULL,
    state       text NOT NULL,
    version     bigint NOT NULL,
    created_at  instant NOT NULL,
    updated_at  instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

CREATE INDEX IF NOT EXISTS payroll_reversals_by_payroll ON payroll_reversals (company_id, payroll_id, id);

-- Paychecks that were not owed and were taken back, as they were: they count in no sum.
CREATE TABLE IF NOT EXISTS voided_paychecks (
    company_id   uuid NOT NULL,
    run_id       uuid NOT NULL,
    employee_id  uuid NOT NULL,
    payroll_id   uuid NOT NULL,
    gross        bigint NOT NULL,
    net          bigint NOT NULL,
    check_amount bigint NOT NULL,
    paycheck     json NOT NULL,
    facts        json NOT NULL,
    year_to_date json NOT NULL,
    voided_at    instant NOT NULL,
    PRIMARY KEY (company_id, run_id, employee_id)
);

CREATE INDEX IF NOT EXISTS voided_paychecks_by_employee ON voided_paychecks (company_id, employee_id);

-- Numbers and names that a company has given its accounts.
CREATE TABLE IF NOT EXISTS ledger_accounts (
    company_id uuid NOT NULL,
    account    text NOT NULL,
    number     text NOT NULL,
    name       text NOT NULL,
    updated_at instant NOT NULL,
    PRIMARY KEY (company_id, account)
);

-- Numbers of paper checks. A number is given once; a void check keeps its own.
CREATE TABLE IF NOT EXISTS payroll_checks (
    company_id  uuid NOT NULL,
    number      bigint NOT NULL,
    payroll_id  uuid NOT NULL,
    run_id      uuid NOT NULL,
    employee_id uuid NOT NULL,
    amount      bigint NOT NULL,
    issued_at   instant NOT NULL,
    voided_at   instant,
    void_reason text,
    PRIMARY KEY (company_id, number)
);

CREATE INDEX IF NOT EXISTS payroll_checks_by_run ON payroll_checks (company_id, run_id, number);

-- How a company prints its checks.
CREATE TABLE IF NOT EXISTS check_settings (
    company_id uuid NOT NULL,
    micr_line  boolean NOT NULL,
    updated_at instant NOT NULL,
    PRIMARY KEY (company_id)
);

-- Reports and documents that are made in the background, with what came out, sealed.
CREATE TABLE IF NOT EXISTS report_requests (
    company_id uuid NOT NULL,
    id         uuid NOT NULL,
    terms      json NOT NULL,
    status     text NOT NULL,
    failure    text,
    content    bytes,
    finished_at instant,
    version    bigint NOT NULL,
    created_at instant NOT NULL,
    updated_at instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

CREATE INDEX IF NOT EXISTS report_requests_by_time ON report_requests (created_at);

-- Addresses of what came out, which need no token.
CREATE TABLE IF NOT EXISTS report_links (
    hash           bytes NOT NULL,
    company_id     uuid NOT NULL,
    request_id     uuid NOT NULL,
    created_at     instant NOT NULL,
    expires_at     instant NOT NULL,
    application_id uuid,
    PRIMARY KEY (hash)
);

CREATE INDEX IF NOT EXISTS report_links_by_time ON report_links (expires_at);

-- How hosted pages look for the people of an application.
CREATE TABLE IF NOT EXISTS application_themes (
    application_id uuid NOT NULL,
    display_name   text,
    accent         text,
    accent_dark    text,
    logo           bytes,
    return_url     text,
    updated_at     instant NOT NULL,
    PRIMARY KEY (application_id)
);

-- The one order of all events: which number belongs to which event. It lies apart from the events, whose rows lie with
-- their companies: in a database spread over several servers, numbers that lie together become visible together, and
-- with the guard of the same id (event_numbers) one after the other. Lists, replays and deliveries follow it, and read
-- the payloads afterwards.
ON A SERVER CREATE TABLE IF NOT EXISTS event_feed (
    numbers_id     uuid NOT NULL,
    seq            bigint NOT NULL,
    company_id     uuid NOT NULL,
    id             uuid NOT NULL,
    event_type     text NOT NULL,
    entity_type    text NOT NULL,
    created_at     instant NOT NULL,
    -- The only application that an event is for; NULL is every application that is connected to the company.
    application_id uuid,
    PRIMARY KEY (seq, numbers_id)
);

ON A SERVER CREATE INDEX IF NOT EXISTS event_feed_of_company ON event_feed (company_id, numbers_id, seq);

ON A SERVER CREATE INDEX IF NOT EXISTS event_feed_by_event ON event_feed (id, numbers_id);

-- In a file, events commit one after the other and are numbered as they are written: there the feed is a view of the events, which
-- saves a row and three index entries for each.
IN A FILE CREATE INDEX IF NOT EXISTS events_of_company_in_order ON events (company_id, seq);

IN A FILE CREATE VIEW IF NOT EXISTS event_feed AS
    SELECT CAST(uuid '00000000-0000-0000-0000-000000000000' AS BLOB) AS numbers_id, seq, company_id, id, event_type, entity_type, created_at,
    application_id FROM events WHERE seq IS NOT NULL;

-- Payments of which the agency of an order for support is told before they are made, as the last calculation of a payroll
-- found them.
CREATE TABLE IF NOT EXISTS lump_sum_notices (
    company_id     uuid NOT NULL,
    payroll_id     uuid NOT NULL,
    garnishment_id uuid NOT NULL,
    employee_id    uuid NOT NULL,
    check_date     date NOT NULL,
    amount         bigint NOT NULL,
    days           bigint NOT NULL,
    section        text NOT NULL,
    created_at     instant NOT NULL,
    PRIMARY KEY (company_id, payroll_id, garnishment_id)
);

CREATE INDEX IF NOT EXISTS lump_sum_notices_by_check_date ON lump_sum_notices (company_id, check_date);

-- Section 2 of Form I-9: the documents that the employer examined, and the signature under them. Both are sealed.
CREATE TABLE IF NOT EXISTS employee_i9_reviews (
    company_id  uuid NOT NULL,
    employee_id uuid NOT NULL,
    id          uuid NOT NULL,
    documents   bytes NOT NULL,
    signature   bytes,
    signed_at   instant,
    version     bigint NOT NULL,
    created_at  instant NOT NULL,
    updated_at  instant NOT NULL,
    PRIMARY KEY (company_id, employee_id)
);

-- Debits of companies that came back, and have to be recovered: one for each payroll. tries counts how often the debit was
-- presented again.
CREATE TABLE IF NOT EXISTS recovery_cases (
    company_id        uuid NOT NULL,
    id                uuid NOT NULL,
    payroll_id        uuid NOT NULL,
    purpose           text NOT NULL,
    check_date        date NOT NULL,
    debited_on        date NOT NULL,
    event_cents       bigint NOT NULL,
    status            text NOT NULL,
    code              text NOT NULL,
    outstanding_cents bigint NOT NULL,
    tries             bigint NOT NULL,
    version           bigint NOT NULL,
    created_at        instant NOT NULL,
    updated_at        instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

CREATE INDEX IF NOT EXISTS recovery_cases_by_payroll ON recovery_cases (company_id, payroll_id);

CREATE INDEX IF NOT EXISTS recovery_cases_by_status ON recovery_cases (status, id);

-- How many employees each company has, and how many of them are onboarded, so that a list of many tells how long it is
-- without counting them. The sums over a company's rows count: units that change a count at the same moment mostly meet
-- different rows (slots), and do not wait for one another. A row by itself says nothing, and may be negative.
CREATE TABLE IF NOT EXISTS employee_counts (
    company_id uuid NOT NULL,
    slot       bigint NOT NULL,
    number     bigint NOT NULL,
    onboarded  bigint NOT NULL,
    PRIMARY KEY (company_id, slot)
);

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

-- Batches of people that were entered in one piece, with what became of each.
CREATE TABLE IF NOT EXISTS people_batches (
    company_id      uuid NOT NULL,
    id              uuid NOT NULL,
    idempotency_key text NOT NULL,
    status          text NOT NULL,
    results         json NOT NULL,
    exclusions      json NOT NULL,
    created_at      instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

CREATE INDEX IF NOT EXISTS people_batches_by_key ON people_batches (company_id, idempotency_key);

CREATE INDEX IF NOT EXISTS people_batches_by_time ON people_batches (created_at);

-- Batches of time sheets that an application entered in one piece.
CREATE TABLE IF NOT EXISTS time_sheet_batches (
    company_id      uuid NOT NULL,
    id              uuid NOT NULL,
    application_id  uuid NOT NULL,
    idempotency_key text NOT NULL,
    batch_action    text NOT NULL,
    results         json NOT NULL,
    created_at      instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

CREATE INDEX IF NOT EXISTS time_sheet_batches_by_key ON time_sheet_batches (company_id, application_id, idempotency_key);

CREATE INDEX IF NOT EXISTS time_sheet_batches_by_time ON time_sheet_batches (created_at);

-- How payroll stood in companies of an application, at the moment at which it was asked for.
CREATE TABLE IF NOT EXISTS payroll_digests (
    application_id  uuid NOT NULL,
    id              uuid NOT NULL,
    idempotency_key text NOT NULL,
    results         json NOT NULL,
    created_at      instant NOT NULL,
    PRIMARY KEY (application_id, id)
);

CREATE INDEX IF NOT EXISTS payroll_digests_by_key ON payroll_digests (application_id, idempotency_key);

CREATE INDEX IF NOT EXISTS payroll_digests_by_time ON payroll_digests (created_at);

-- Cancellations of payrolls in companies of an application, with what became of each.
CREATE TABLE IF NOT EXISTS payroll_batches (
    application_id  uuid NOT NULL,
    id              uuid NOT NULL,
    idempotency_key text NOT NULL,
    results         json NOT NULL,
    created_at      instant NOT NULL,
    PRIMARY KEY (application_id, id)
);

CREATE INDEX IF NOT EXISTS payroll_batches_by_key ON payroll_batches (application_id, idempotency_key);

CREATE INDEX IF NOT EXISTS payroll_batches_by_time ON payroll_batches (created_at);

-- Reports that an application requested of several companies at once: which requests of which companies they are.
CREATE TABLE IF NOT EXISTS bulk_reports (
    application_id uuid NOT NULL,
    id             uuid NOT NULL,
    lines          json NOT NULL,
    created_at     instant NOT NULL,
    PRIMARY KEY (application_id, id)
);

CREATE INDEX IF NOT EXISTS bulk_reports_by_time ON bulk_reports (created_at);

-- How often a company's withheld federal taxes are deposited, from a day on, as the employer has it from the lookback period. No
-- schedule: from that day on the employer deposits.
CREATE TABLE IF NOT EXISTS deposit_schedules (
    company_id     uuid NOT NULL,
    effective_from date NOT NULL,
    schedule       text,
    updated_at     instant NOT NULL,
    PRIMARY KEY (company_id, effective_from)
);

-- Deposits of taxes: of pay days that are due together, on one return. Its batches name it as their payroll. amounts says what it comes
-- to by account and tax, and is fixed once the deposit is staged.
CREATE TABLE IF NOT EXISTS tax_deposits (
    company_id uuid NOT NULL,
    id         uuid NOT NULL,
    authority  text NOT NULL,
    form       text NOT NULL,
    first_day  date NOT NULL,
    last_day   date NOT NULL,
    period_end date NOT NULL,
    due        date NOT NULL,
    next_day   boolean NOT NULL,
    state      text NOT NULL,
    reason     text,
    amounts    json NOT NULL,
    cents      bigint NOT NULL,
    batch_id   uuid,
    debit_id   uuid,
    settles_on date,
    version    bigint NOT NULL,
    created_at instant NOT NULL,
    updated_at instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

CREATE INDEX IF NOT EXISTS tax_deposits_by_due ON tax_deposits (due, id);

-- What of a payroll's taxes is deposited, each in one deposit at most. Unemployment tax that is carried over is in none yet.
CREATE TABLE IF NOT EXISTS tax_deposit_parts (
    company_id uuid NOT NULL,
    run_id     uuid NOT NULL,
    account    text NOT NULL,
    agency     text NOT NULL,
    code       text NOT NULL,
    form       text NOT NULL,
    check_date date NOT NULL,
    cents      bigint NOT NULL,
    deposit_id uuid,
    PRIMARY KEY (company_id, run_id, account, agency, code)
);

-- Files that a company hands in. What a file holds is apart from what is listed of it: lists read no content.
CREATE TABLE IF NOT EXISTS company_attachments (
    company_id uuid NOT NULL,
    id         uuid NOT NULL,
    name       text NOT NULL,
    file_type  text NOT NULL,
    category   text NOT NULL,
    length     bigint NOT NULL,
    created_at instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

CREATE TABLE IF NOT EXISTS company_attachment_contents (
    company_id uuid NOT NULL,
    id         uuid NOT NULL,
    content    bytes NOT NULL,
    PRIMARY KEY (company_id, id)
);

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

-- Who pays employees out: a company without a row has the service do it.
CREATE TABLE IF NOT EXISTS payment_configs (
    company_id                 uuid NOT NULL,
    partner_owned_disbursement boolean NOT NULL,
    updated_at                 instant NOT NULL,
    PRIMARY KEY (company_id)
);

-- What a partner has told of payments that it makes itself: one row for each of which it has told anything.
CREATE TABLE IF NOT EXISTS partner_disbursements (
    company_id  uuid NOT NULL,
    run_id      uuid NOT NULL,
    employee_id uuid NOT NULL,
    payroll_id  uuid NOT NULL,
    by_check    boolean NOT NULL,
    status      text NOT NULL,
    version     bigint NOT NULL,
    created_at  instant NOT NULL,
    updated_at  instant NOT NULL,
    PRIMARY KEY (company_id, run_id, employee_id)
);

-- What the credits of a payroll wait for, as it was set for the company when the payroll was processed.
CREATE TABLE IF NOT EXISTS payroll_fundings (
    company_id uuid NOT NULL,
    payroll_id uuid NOT NULL,
    mode       text NOT NULL,
    days       bigint NOT NULL,
    updated_at instant NOT NULL,
    PRIMARY KEY (company_id, payroll_id)
);

-- When applications were connected before they were connected again: events of that time are still listed for them.
CREATE TABLE IF NOT EXISTS past_connections (
    company_id     uuid NOT NULL,
    application_id uuid NOT NULL,
    connected_at   instant NOT NULL,
    ended_at       instant NOT NULL,
    PRIMARY KEY (company_id, application_id, connected_at)
);

CREATE INDEX IF NOT EXISTS past_connections_by_age ON past_connections (ended_at);

-- Independent contractors: individuals and businesses, paid without withholding. ssn and ein are sealed; their digests find equal
-- numbers inside a company without opening any. dismissal_date is the last day of the present period, rehire_date the first day
-- of the one that follows it, earlier_periods those before.
CREATE TABLE IF NOT EXISTS contractors (
    company_id             uuid NOT NULL,
    id                     uuid NOT NULL,
    contractor_type        text NOT NULL,
    first_name             text,
    middle_initial         text,
    last_name              text,
    business_name          text,
    search_name            text NOT NULL,
    email                  text,
    work_email             text,
    ssn                    bytes,
    ssn_digest             bytes,
    ein                    bytes,
    ein_digest             bytes,
    wage_type              text NOT NULL,
    hourly_rate            bigint,
    start_date             date NOT NULL,
    file_new_hire_report   boolean NOT NULL,
    work_state             text,
    -- Whether the payer was told to withhold 24 % from every payment.
    backup_withholding     boolean NOT NULL,
    onboarding_status      text NOT NULL,
    onboarded_at           instant,
    payment_method         text,
    payment_method_version bigint NOT NULL,
    department_id          uuid,
    dismissal_date         date,
    dismissed_at           instant,
    rehire_date            date,
    rehired_at             instant,
    earlier_periods        json NOT NULL,
    version                bigint NOT NULL,
    created_at             instant NOT NULL,
    updated_at             instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

CREATE INDEX IF NOT EXISTS contractors_by_ssn ON contractors (company_id, ssn_digest);

CREATE INDEX IF NOT EXISTS contractors_by_ein ON contractors (company_id, ein_digest);

CREATE INDEX IF NOT EXISTS contractors_by_department ON contractors (company_id, department_id, id);

-- Where a contractor lives or has its seat; no row until it is entered.
CREATE TABLE IF NOT EXISTS contractor_addresses (
    company_id    uuid NOT NULL,
    contractor_id uuid NOT NULL,
    street_1      text NOT NULL,
    street_2      text,
    city          text NOT NULL,
    state         text NOT NULL,
    zip           text NOT NULL,
    country       text NOT NULL,
    version       bigint NOT NULL,
    created_at    instant NOT NULL,
    updated_at    instant NOT NULL,
    PRIMARY KEY (company_id, contractor_id)
);

-- As those of employees; a contractor has at most one.
CREATE TABLE IF NOT EXISTS contractor_bank_accounts (
    company_id     uuid NOT NULL,
    contractor_id  uuid NOT NULL,
    id             uuid NOT NULL,
    name           text NOT NULL,
    account_type   text NOT NULL,
    routing_number bytes NOT NULL,
    account_number bytes NOT NULL,
    version        bigint NOT NULL,
    created_at     instant NOT NULL,
    updated_at     instant NOT NULL,
    returned_code  text,
    returned_at    instant,
    PRIMARY KEY (company_id, contractor_id, id)
);

CREATE UNIQUE INDEX IF NOT EXISTS contractor_bank_accounts_by_id ON contractor_bank_accounts (company_id, id);

CREATE INDEX IF NOT EXISTS contractor_bank_accounts_returned ON contractor_bank_accounts (company_id, returned_at);

-- Forms that a contractor signs, and the signatures under them, as those of companies.
CREATE TABLE IF NOT EXISTS contractor_documents (
    company_id       uuid NOT NULL,
    contractor_id    uuid NOT NULL,
    id               uuid NOT NULL,
    name             text NOT NULL,
    requires_signing boolean NOT NULL,
    digest           bytes NOT NULL,
    signed_at        instant,
    created_at       instant NOT NULL,
    updated_at       instant NOT NULL,
    PRIMARY KEY (company_id, contractor_id, id)
);

CREATE UNIQUE INDEX IF NOT EXISTS contractor_documents_by_id ON contractor_documents (company_id, id);

CREATE TABLE IF NOT EXISTS contractor_document_signatures (
    company_id     uuid NOT NULL,
    contractor_id  uuid NOT NULL,
    document_id    uuid NOT NULL,
    id             uuid NOT NULL,
    digest         bytes NOT NULL,
    content        bytes NOT NULL,
    signature_text bytes NOT NULL,
    agreed         boolean NOT NULL,
    signed_by_ip   text NOT NULL,
    signed_by_kind text NOT NULL,
    signed_by_id   uuid NOT NULL,
    signed_at      instant NOT NULL,
    PRIMARY KEY (company_id, contractor_id, document_id, id)
);
