-- The one order of all events: which number belongs to which event. It lies apart from the events, whose rows lie with
-- their companies: in a database spread over several servers, numbers that lie together become visible together, and
-- with the guard of the same id (event_numbers) one after the other. Lists, replays and deliveries follow it, and read
-- the payloads afterwards.
CREATE TABLE IF NOT EXISTS event_feed (
    numbers_id  uuid NOT NULL,
    seq         bigint NOT NULL,
    company_id  uuid NOT NULL,
    id          uuid NOT NULL,
    event_type  text NOT NULL,
    entity_type text NOT NULL,
    created_at  instant NOT NULL,
    PRIMARY KEY (seq, numbers_id)
);

CREATE INDEX IF NOT EXISTS event_feed_of_company ON event_feed (company_id, numbers_id, seq);

CREATE INDEX IF NOT EXISTS event_feed_by_event ON event_feed (id, numbers_id);

REPEAT INSERT INTO event_feed (numbers_id, seq, company_id, id, event_type, entity_type, created_at)
    SELECT uuid '00000000-0000-0000-0000-000000000000', seq, company_id, id, event_type, entity_type, created_at FROM events
    WHERE seq > COALESCE((SELECT max(seq) FROM event_feed), 0) ORDER BY seq LIMIT 1000;

DROP INDEX IF EXISTS events_of_company_by_seq;
