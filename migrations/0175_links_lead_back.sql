-- A link to hosted pages leads back to whoever made it, and shows that application's face.
ALTER TABLE flow_links ADD COLUMN redirect_url text;

ALTER TABLE flow_links ADD COLUMN application_id uuid;

-- How hosted pages look for the people of an application.
CREATE TABLE IF NOT EXISTS application_themes (
    application_id uuid NOT NULL,
    display_name   text,
    accent         text,
    accent_dark    text,
    logo           bytes,
    return_url     text,
    updated_at     instant NOT NULL,
    PRIMARY KEY (application_id)
);
