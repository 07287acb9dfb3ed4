-- What is noted of the time itself: when a worker was last seen at work (seen), and what time an operator confirmed to be
-- right (confirmed).
CREATE TABLE IF NOT EXISTS clock_marks (
    name text NOT NULL,
    at   instant NOT NULL,
    PRIMARY KEY (name)
);
