-- Whether a payroll is skipped: it pays nobody.
ALTER TABLE payrolls ADD COLUMN skipped boolean NOT NULL DEFAULT false;
