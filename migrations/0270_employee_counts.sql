-- How many employees each company has, and how many of them are onboarded, so that a list of many tells how long it is
-- without counting them. The sums over a company's rows count: units that change a count at the same moment mostly meet
-- different rows (slots), and do not wait for one another. A row by itself says nothing, and may be negative.
CREATE TABLE IF NOT EXISTS employee_counts (
    company_id uuid NOT NULL,
    slot       bigint NOT NULL,
    number     bigint NOT NULL,
    onboarded  bigint NOT NULL,
    PRIMARY KEY (company_id, slot)
);

-- In the order of companies; those without employees get a row, too, so that it is known how far it came.
REPEAT INSERT INTO employee_counts (company_id, slot, number, onboarded)
    SELECT c.company_id, 0, (SELECT count(*) FROM employees e WHERE e.company_id = c.company_id),
        (SELECT count(e.onboarded_at) FROM employees e WHERE e.company_id = c.company_id)
    FROM companies c WHERE c.company_id > COALESCE((SELECT k.company_id FROM employee_counts k ORDER BY k.company_id DESC LIMIT 1),
        uuid '00000000-0000-0000-0000-000000000000') ORDER BY c.company_id LIMIT 100;
