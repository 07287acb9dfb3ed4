-- On which day a company's workweeks begin; NULL follows the pay periods.
ALTER TABLE payroll_settings ADD COLUMN workweek_first_day text;
