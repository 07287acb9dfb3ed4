-- Whether the operator's command has taken a file, where there is one, and why it has not.
ALTER TABLE bank_files ADD COLUMN pickup text;
ALTER TABLE bank_files ADD COLUMN pickup_note text;

CREATE INDEX IF NOT EXISTS bank_files_by_pickup ON bank_files (company_id, pickup);
