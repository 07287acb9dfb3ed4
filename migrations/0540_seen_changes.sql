-- Which changes a calculation had seen: their units may be committed in another order than that of the ids of their entries in the audit log.
ALTER TABLE payrolls ADD COLUMN seen_changes json;
