-- What comes back in an update of a payroll is compared with what its last calculation came to, also once that was forgotten.
CREATE INDEX IF NOT EXISTS payroll_runs_by_payroll ON payroll_runs (company_id, payroll_id, id);
