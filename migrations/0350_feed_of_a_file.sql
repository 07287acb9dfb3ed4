-- In a file events commit one after the other and lie in one place, numbered as they are written. There the feed is what the events
-- say themselves: a row less for each event, and three entries in indexes.
IN A FILE DROP TABLE IF EXISTS event_feed;

IN A FILE CREATE INDEX IF NOT EXISTS events_of_company_in_order ON events (company_id, seq);

IN A FILE CREATE VIEW IF NOT EXISTS event_feed AS
    SELECT CAST(uuid '00000000-0000-0000-0000-000000000000' AS BLOB) AS numbers_id, seq, company_id, id, event_type, entity_type, created_at
    FROM events WHERE seq IS NOT NULL;
