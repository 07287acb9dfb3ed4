-- Positions of amounts in the file with Forms W-2 that the layout leaves open, as the operator has read them in the agency's publication.
CREATE TABLE IF NOT EXISTS file_positions (
    year         bigint NOT NULL,
    amount       text NOT NULL,
    positions    text NOT NULL,
    confirmed_at instant NOT NULL,
    PRIMARY KEY (year, amount)
);

-- What employees have said about electronic Forms W-2.
CREATE TABLE IF NOT EXISTS statement_consents (
    company_id   uuid NOT NULL,
    employee_id  uuid NOT NULL,
    given_at     instant,
    withdrawn_at instant,
    paper_at     instant,
    version      bigint NOT NULL,
    created_at   instant NOT NULL,
    updated_at   instant NOT NULL,
    PRIMARY KEY (company_id, employee_id)
);
