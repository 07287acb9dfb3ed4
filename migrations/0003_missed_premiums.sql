-- Whether paychecks recover premiums of insurance that earlier ones did not deduct.
ALTER TABLE payroll_settings ADD COLUMN recover_missed_premiums boolean NOT NULL DEFAULT false;
