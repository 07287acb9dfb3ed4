-- The last day of work whose wages a payroll of last wages pays: whoever leaves, comes back and leaves again within a pay period has two.
ALTER TABLE payrolls ADD COLUMN last_day date;
