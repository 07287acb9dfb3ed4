-- Whether a payroll was calculated before what was calculated was forgotten: its answers to entries go on naming what brings pay
-- up to the minimum wage.
ALTER TABLE payrolls ADD COLUMN was_calculated boolean NOT NULL DEFAULT false;
