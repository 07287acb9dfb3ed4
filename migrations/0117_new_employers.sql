-- By whom somebody who left is employed now, where that is known.
ALTER TABLE terminations ADD COLUMN new_employer text;
