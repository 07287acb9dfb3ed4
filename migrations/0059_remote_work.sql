-- Work at home for the employee's own convenience counts, by some states' rules, as work at the location.
ALTER TABLE work_addresses ADD COLUMN remote_for_own_convenience boolean NOT NULL DEFAULT false;
