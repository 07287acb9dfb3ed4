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
