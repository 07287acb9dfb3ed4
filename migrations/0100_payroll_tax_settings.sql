-- Of Form W-4's record: whether an amount is added to the wages of a nonresident alien for income tax withholding, and why the
-- pay is free of Social Security and Medicare tax.
ALTER TABLE employee_federal_taxes ADD COLUMN nonresident_alien boolean NOT NULL DEFAULT false;
ALTER TABLE employee_federal_taxes ADD COLUMN fica_exemption text;
