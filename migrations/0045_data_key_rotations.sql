-- Changes of all data keys: begun, with a new key for every owner, and finished, with every field sealed under it. One that
-- was cut off goes on.
CREATE TABLE IF NOT EXISTS data_key_rotations (
    begun_at     instant NOT NULL,
    keys_made_at instant,
    finished_at  instant,
    PRIMARY KEY (begun_at)
);
