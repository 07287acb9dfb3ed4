-- Positions of amounts in the file with Forms W-2 that the layout leaves open, as the operator has read them in the agency's publication.
CREATE TABLE IF NOT EXISTS file_positions (
    year         bigint NOT NULL,
    amount       text NOT NULL,
    positions    text NOT NULL,
    confirmed_at instant NOT NULL,
    PRIMARY KEY (year, amount)
);
