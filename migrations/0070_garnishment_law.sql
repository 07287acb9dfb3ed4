-- What garnishments other than support say: when they were served and end, what a levy for taxes says of the employee, and
-- the chapter under which a bankruptcy court ordered payments to the trustee.
ALTER TABLE garnishments ADD COLUMN served_on date;
ALTER TABLE garnishments ADD COLUMN ends_on date;
ALTER TABLE garnishments ADD COLUMN levy_filing_status text;
ALTER TABLE garnishments ADD COLUMN levy_dependents bigint;
ALTER TABLE garnishments ADD COLUMN levy_year bigint;
ALTER TABLE garnishments ADD COLUMN levy_state text;
ALTER TABLE garnishments ADD COLUMN bankruptcy_chapter bigint;
