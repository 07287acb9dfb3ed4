-- Payments of which each is held for itself are listed for the operator, whose list reaches across companies.
CREATE INDEX IF NOT EXISTS payment_entries_held ON payment_entries (company_id, id) WHERE state = 'held';
