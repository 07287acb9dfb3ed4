-- Reports and documents that are made in the background, with what came out, sealed.
CREATE TABLE IF NOT EXISTS report_requests (
    company_id  uuid NOT NULL,
    id          uuid NOT NULL,
    terms       json NOT NULL,
    status      text NOT NULL,
    failure     text,
    content     bytes,
    version     bigint NOT NULL,
    created_at  instant NOT NULL,
    updated_at  instant NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX IF NOT EXISTS report_requests_by_time ON report_requests (created_at);

-- Addresses of what came out, which need no token.
CREATE TABLE IF NOT EXISTS report_links (
    hash       bytes NOT NULL,
    company_id uuid NOT NULL,
    request_id uuid NOT NULL,
    created_at instant NOT NULL,
    expires_at instant NOT NULL,
    PRIMARY KEY (hash)
);
CREATE INDEX IF NOT EXISTS report_links_by_time ON report_links (expires_at);
