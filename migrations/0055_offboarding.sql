-- An application or a user that the operator has disabled: nothing is let in, and all can be taken back.
ALTER TABLE applications ADD COLUMN disabled_at instant;

ALTER TABLE users ADD COLUMN disabled_at instant;
