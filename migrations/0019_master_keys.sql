-- Which master keys wrap data keys of this store: a value that everybody knows, sealed under each of them. A start finds
-- out by it whether it was given the right keys, before anything is sealed under a wrong one.
CREATE TABLE IF NOT EXISTS master_keys (
    master_id  text NOT NULL,
    sealed     bytes NOT NULL,
    created_at instant NOT NULL,
    PRIMARY KEY (master_id)
);
