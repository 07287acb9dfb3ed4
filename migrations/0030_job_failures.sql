-- Why work that fell due failed, and how often since it was scheduled. A row counts as long as the job's attempt is the one
-- that the failure left: scheduling the job again begins anew.
CREATE TABLE IF NOT EXISTS job_failures (
    company_id      uuid NOT NULL,
    id              uuid NOT NULL,
    attempt         bigint NOT NULL,
    tries           bigint NOT NULL,
    reason          text NOT NULL,
    first_failed_at instant NOT NULL,
    failed_at       instant NOT NULL,
    PRIMARY KEY (company_id, id)
);

CREATE INDEX IF NOT EXISTS job_failures_by_time ON job_failures (failed_at);

CREATE INDEX IF NOT EXISTS jobs_leased ON jobs (company_id) WHERE state = 'open' AND lease_until IS NOT NULL;

CREATE INDEX IF NOT EXISTS jobs_given_up ON jobs (finished_at, id) WHERE state = 'failed';

-- Payrolls that wait for work in the background, to find those whose work is gone.
CREATE INDEX IF NOT EXISTS payrolls_under_way ON payrolls (company_id, id) WHERE request_status IN ('calculating', 'submitting');
