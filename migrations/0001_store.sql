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
