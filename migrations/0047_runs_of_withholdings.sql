-- By which calculation of its payroll a withholding and an item of a benefit were written, so that taking back one calculation
-- leaves alone what another one wrote since. Rows of before have none, and are their payroll's.
ALTER TABLE garnishment_withholdings ADD COLUMN run_id uuid;

ALTER TABLE benefit_payroll_items ADD COLUMN run_id uuid;
