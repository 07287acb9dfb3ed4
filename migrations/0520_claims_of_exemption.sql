-- The day on which a Form W-4 that claims exemption from withholding was given: the claim ends with 15 February of the year after it.
-- It is NULL in forms that claim none, and in those that are older, which count by the day of their last change.
ALTER TABLE employee_federal_taxes ADD COLUMN exempt_since date;
