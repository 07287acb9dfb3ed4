-- Whether payrolls on which a tax that is due was not worked out cannot be submitted.
ALTER TABLE payroll_settings ADD COLUMN block_unworked_taxes boolean NOT NULL DEFAULT false;
