-- How an employment came to its end, where that is said.
ALTER TABLE terminations ADD COLUMN separation text;
