-- Whether pay of an earning type counts towards the regular rate of overtime.
ALTER TABLE earning_types ADD COLUMN counts_in_regular_rate boolean NOT NULL DEFAULT true;
