-- How often whoever is levied for federal taxes, or the spouse, is 65 or older, or blind; NULL counts as none.
ALTER TABLE garnishments ADD COLUMN levy_additional bigint;
