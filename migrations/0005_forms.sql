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
    hash        bytes NOT NULL,
    company_id  uuid NOT NULL,
    employee_id uuid NOT NULL,
    form_id     uuid NOT NULL,
    created_at  instant NOT NULL,
    expires_at  instant NOT NULL,
    PRIMARY KEY (hash)
);

CREATE INDEX IF NOT EXISTS document_links_by_time ON document_links (expires_at);
