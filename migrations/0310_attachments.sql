-- Files that a company hands in. What a file holds is apart from what is listed of it: lists read no content.
CREATE TABLE IF NOT EXISTS company_attachments (
    company_id uuid NOT NULL,
    id         uuid NOT NULL,
    name       text NOT NULL,
    file_type  text NOT NULL,
    category   text NOT NULL,
    length     bigint NOT NULL,
    created_at instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

CREATE TABLE IF NOT EXISTS company_attachment_contents (
    company_id uuid NOT NULL,
    id         uuid NOT NULL,
    content    bytes NOT NULL,
    PRIMARY KEY (company_id, id)
);

-- What a link leads to; null for a form.
ALTER TABLE document_links ADD COLUMN kind text;
