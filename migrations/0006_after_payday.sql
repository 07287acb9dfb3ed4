-- What holds payments, as a code beside the words for people.
ALTER TABLE payment_batches ADD COLUMN held_by text;
-- Whether the pay of a batch is owed again in the books, because the file that it went with was voided.
ALTER TABLE payment_batches ADD COLUMN owed_again boolean NOT NULL DEFAULT false;
REPEAT UPDATE payment_batches SET held_by = CASE
    WHEN reason = 'the company has no verified bank account that funds payroll' THEN 'no_company_account'
    WHEN reason = 'no bank settings exist' THEN 'no_bank'
    WHEN reason = 'the wire that funds it has not arrived' THEN 'no_wire'
    WHEN reason = 'the debit that funds it was returned' THEN 'debit_returned'
    WHEN reason = 'a returned debit of the company has not been recovered' THEN 'not_recovered'
    WHEN reason LIKE 'its credits exceed the limit of %' THEN 'limit' ELSE 'file_voided' END
    WHERE (company_id, id) IN (SELECT company_id, id FROM payment_batches WHERE state = 'held' AND held_by IS NULL LIMIT 500);

-- How net pay is paid, as a code of the lines of the books; payments of contractors are found by theirs.
REPEAT UPDATE payroll_posting_lines SET code = CASE name WHEN 'Check' THEN 'check' WHEN 'Partner' THEN 'partner' ELSE 'direct_deposit' END
    WHERE (company_id, run_id, line) IN (SELECT company_id, run_id, line FROM payroll_posting_lines
    WHERE account = 'net_pay_payable' AND code = '' LIMIT 500);
REPEAT UPDATE liability_payments SET code = 'direct_deposit' WHERE (company_id, id) IN (SELECT company_id, id FROM liability_payments
    WHERE account = 'net_pay_payable' AND code = '' LIMIT 500);
CREATE INDEX IF NOT EXISTS liability_payments_by_code ON liability_payments (company_id, account, code);

-- Rates below the minimum wage of the workplace, today or soon: the company is notified of each. wage is in millionths of a dollar.
CREATE TABLE IF NOT EXISTS low_wages (
    company_id      uuid NOT NULL,
    employee_id     uuid NOT NULL,
    compensation_id uuid NOT NULL,
    first_day       date NOT NULL,
    wage            bigint NOT NULL,
    since           instant NOT NULL,
    PRIMARY KEY (company_id, employee_id, compensation_id)
);
