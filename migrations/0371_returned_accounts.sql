-- When a bank returned the last payment to an account: what somebody has to look at is listed by it.
ALTER TABLE employee_bank_accounts ADD COLUMN returned_at instant;

-- Of what came back before, when the account was changed last.
REPEAT UPDATE employee_bank_accounts SET returned_at = updated_at WHERE (company_id, employee_id, id) IN
    (SELECT company_id, employee_id, id FROM employee_bank_accounts WHERE returned_code IS NOT NULL AND returned_at IS NULL LIMIT 500);

CREATE INDEX IF NOT EXISTS employee_bank_accounts_returned ON employee_bank_accounts (company_id, returned_at);
