-- Estimates of a reasonable salary. The basis is everything that the result rests on (occupations, areas, wages and their
-- vintage), so that an accepted estimate stays what it is when newer statistics are imported. Cents a year.

CREATE TABLE IF NOT EXISTS salary_estimates (
    company_id         uuid NOT NULL,
    employee_id        uuid NOT NULL,
    id                 uuid NOT NULL,
    employee_job_id    uuid,
    annual_net_revenue bigint,
    zip_code           text NOT NULL,
    result             bigint NOT NULL,
    basis              json NOT NULL,
    accepted_at        instant,
    version            bigint NOT NULL,
    created_at         instant NOT NULL,
    updated_at         instant NOT NULL,
    PRIMARY KEY (company_id, employee_id, id)
);

CREATE UNIQUE INDEX IF NOT EXISTS salary_estimates_by_id ON salary_estimates (company_id, id);
