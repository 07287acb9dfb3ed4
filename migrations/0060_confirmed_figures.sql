-- Figures of the tax tables from memory or in doubt that the operator has confirmed, as they were then.
CREATE TABLE IF NOT EXISTS confirmed_figures (
    key          text NOT NULL,
    fingerprint  text NOT NULL,
    confirmed_at instant NOT NULL,
    PRIMARY KEY (key)
);
