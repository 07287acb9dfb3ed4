-- The section by which overtime at the rate in effect was agreed for a job; NULL without an agreement.
ALTER TABLE employee_jobs ADD COLUMN agreed_overtime_rate text;
