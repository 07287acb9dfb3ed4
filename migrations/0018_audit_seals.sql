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
