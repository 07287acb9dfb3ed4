-- Payments that came back and about which nobody has decided are looked for whenever somebody looks at what there is to do.
CREATE INDEX IF NOT EXISTS payment_entries_returned ON payment_entries (company_id, id) WHERE state = 'returned';
