-- Files for the bank follow one another in the order in which they were made, which the clocks of several nodes do not tell: each begins with
-- the trace number after the last one of the file before it.
ALTER TABLE bank_files ADD COLUMN place bigint NOT NULL DEFAULT 0;
CREATE INDEX IF NOT EXISTS bank_files_by_place ON bank_files (company_id, place, id);
