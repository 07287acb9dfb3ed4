-- The code of the occupation in which the tips of a job are earned (26 CFR 1.224-1(h)); NULL without one.
ALTER TABLE employee_jobs ADD COLUMN tipped_occupation text;
