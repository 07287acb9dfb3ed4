-- Tables that come from outside and are renewed now and then: wage statistics, minimum wages, agencies. A row is one
-- vintage, never changed; the content is in the form of its kind. Which one counts is one small row, so that the
-- change from one vintage to the next is all or nothing.

CREATE TABLE IF NOT EXISTS reference_data (
    kind       text NOT NULL,
    checksum   text NOT NULL,
    vintage    text NOT NULL,
    row_count  bigint NOT NULL,
    content    bytes NOT NULL,
    created_at instant NOT NULL,
    PRIMARY KEY (kind, checksum)
);

CREATE TABLE IF NOT EXISTS reference_current (
    kind       text NOT NULL,
    checksum   text NOT NULL,
    vintage    text NOT NULL,
    updated_at instant NOT NULL,
    PRIMARY KEY (kind)
);
