-- Whether the employer takes the fee that the state of work allows for the work of a garnishment.
ALTER TABLE garnishments ADD COLUMN employer_fee boolean NOT NULL DEFAULT false;
