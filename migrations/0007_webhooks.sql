-- Webhooks: which companies an application hears of, its subscriptions, and what became of each delivery.

-- The companies that a partner application is connected to; ended_at when the connection was taken back.
CREATE TABLE IF NOT EXISTS connections (
    company_id     uuid NOT NULL,
    application_id uuid NOT NULL,
    connected_at   instant NOT NULL,
    ended_at       instant,
    PRIMARY KEY (company_id, application_id)
);

CREATE INDEX IF NOT EXISTS connections_by_application ON connections (application_id, company_id);

-- Events are numbered after they were committed, so that nobody who reads in order of numbers passes one over.
CREATE TABLE IF NOT EXISTS event_numbers (
    id     uuid NOT NULL,
    newest bigint NOT NULL,
    PRIMARY KEY (id)
);

CREATE INDEX IF NOT EXISTS events_without_seq ON events (created_at) WHERE seq IS NULL;

CREATE INDEX IF NOT EXISTS events_by_seq ON events (seq);

CREATE INDEX IF NOT EXISTS events_of_company_by_seq ON events (company_id, seq);

-- secret and previous_secret are sealed: the verification token, which signs, and the one before while both count.
-- subscription_types is a set, one bit a type.
CREATE TABLE IF NOT EXISTS webhook_subscriptions (
    application_id     uuid NOT NULL,
    id                 uuid NOT NULL,
    url                text NOT NULL,
    subscription_types bigint NOT NULL,
    status             text NOT NULL,
    secret             bytes NOT NULL,
    previous_secret    bytes,
    previous_until     instant,
    verified_at        instant,
    last_success_at    instant,
    last_failure_at    instant,
    created_at         instant NOT NULL,
    updated_at         instant NOT NULL,
    PRIMARY KEY (application_id, id)
);

-- One event for one subscription, or a verification call (company_id is nil, event_id its own identifier). due: when
-- it is looked at next, for a try or because a lease has run out. claims counts leases: only the newest may store an
-- outcome. used: places of the retry schedule used up since first_try_at. lane: 0 first tries, 1 retries.
CREATE TABLE IF NOT EXISTS deliveries (
    application_id  uuid NOT NULL,
    subscription_id uuid NOT NULL,
    event_id        uuid NOT NULL,
    company_id      uuid NOT NULL,
    event_type      text NOT NULL,
    state           text NOT NULL,
    lane            bigint NOT NULL,
    due             instant NOT NULL,
    claims          bigint NOT NULL,
    used            bigint NOT NULL,
    tries           bigint NOT NULL,
    first_try_at    instant,
    created_at      instant NOT NULL,
    finished_at     instant,
    PRIMARY KEY (application_id, subscription_id, event_id)
);

CREATE INDEX IF NOT EXISTS deliveries_open ON deliveries (application_id, subscription_id, lane, due) WHERE state = 'open';

CREATE INDEX IF NOT EXISTS deliveries_finished ON deliveries (finished_at) WHERE state <> 'open';

-- Every try: what was answered, or why nothing was.
CREATE TABLE IF NOT EXISTS delivery_tries (
    application_id  uuid NOT NULL,
    subscription_id uuid NOT NULL,
    event_id        uuid NOT NULL,
    number          bigint NOT NULL,
    at              instant NOT NULL,
    status          bigint,
    failure         text,
    micros          bigint NOT NULL,
    response_start  text NOT NULL,
    next_try_at     instant,
    PRIMARY KEY (application_id, subscription_id, event_id, number)
) IN ORDER OF ARRIVAL;
