-- A payment can be held after the debit was made that pays for it: its account was deleted while its file, or that debit, was waited for.
-- Whoever pays it after all debits nobody again.
ALTER TABLE payment_entries ADD COLUMN debited boolean NOT NULL DEFAULT false;
