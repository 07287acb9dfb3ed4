-- The only application that an event is for; none is every application that is connected to the company.
ALTER TABLE events ADD COLUMN application_id uuid;

ON A SERVER ALTER TABLE event_feed ADD COLUMN application_id uuid;

IN A FILE DROP VIEW IF EXISTS event_feed;

IN A FILE CREATE VIEW IF NOT EXISTS event_feed AS
    SELECT CAST(uuid '00000000-0000-0000-0000-000000000000' AS BLOB) AS numbers_id, seq, company_id, id, event_type, entity_type, created_at,
    application_id FROM events WHERE seq IS NOT NULL;
