-- Counties, cities and districts that were set by hand for an address, where the tables do not tell them.
ALTER TABLE home_addresses ADD COLUMN jurisdiction_codes json;
ALTER TABLE work_addresses ADD COLUMN jurisdiction_codes json;
