-- The newest processed calculation that paid an employee: its result holds the sums of the year. noted_to is the last employee
-- of a calculation for whom that is noted. Where it is not recorded_to, an older version of the program has processed the
-- payroll, and its employees are looked up among the results.
CREATE TABLE IF NOT EXISTS last_paychecks (
    company_id  uuid NOT NULL,
    employee_id uuid NOT NULL,
    run_id      uuid NOT NULL,
    PRIMARY KEY (company_id, employee_id)
);

ALTER TABLE payroll_runs ADD COLUMN noted_to uuid;

CREATE INDEX IF NOT EXISTS payrolls_by_run ON payrolls (company_id, run_id);

-- What was withheld and deducted before rows named their calculation is that of the processed payroll.
REPEAT UPDATE garnishment_withholdings SET run_id =
    (SELECT p.run_id FROM payrolls p WHERE p.company_id = garnishment_withholdings.company_id AND p.id = garnishment_withholdings.payroll_id)
    WHERE (company_id, payroll_id, garnishment_id) IN
    (SELECT w.company_id, w.payroll_id, w.garnishment_id FROM garnishment_withholdings w
     JOIN payrolls p ON p.company_id = w.company_id AND p.id = w.payroll_id
     WHERE w.run_id IS NULL AND p.run_number IS NOT NULL AND p.run_id IS NOT NULL LIMIT 500);

REPEAT UPDATE benefit_payroll_items SET run_id =
    (SELECT p.run_id FROM payrolls p WHERE p.company_id = benefit_payroll_items.company_id AND p.id = benefit_payroll_items.payroll_id)
    WHERE (company_id, company_benefit_id, employee_id, payroll_id) IN
    (SELECT i.company_id, i.company_benefit_id, i.employee_id, i.payroll_id FROM benefit_payroll_items i
     JOIN payrolls p ON p.company_id = i.company_id AND p.id = i.payroll_id
     WHERE i.run_id IS NULL AND p.run_number IS NOT NULL AND p.run_id IS NOT NULL LIMIT 500);
