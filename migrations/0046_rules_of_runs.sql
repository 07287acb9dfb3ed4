-- By which version of the rules, and by which vintages of imported tables, a calculation worked out its paychecks; unknown
-- for those of before.
ALTER TABLE payroll_runs ADD COLUMN rules_version bigint;

ALTER TABLE payroll_runs ADD COLUMN tables json NOT NULL DEFAULT '{}';
