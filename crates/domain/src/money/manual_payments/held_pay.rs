//! Net pay, and pay of contractors, that is held, was returned, or was reversed although it was owed, as a liability of the company: it is
//! settled once, by a payment that this service makes, or by one that the employer makes and records.

use std::collections::BTreeSet;

use jiff::civil::Date;
use rules::{Amount, Violation};
use store::{Tx, params};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::contractors::payments::rows as payments;
use crate::error::Error;
use crate::money::batches::repayments::{self, To};
use crate::money::ledger::rows::{self, Entry};
use crate::pay::books::Account;
use crate::pay::books::liabilities::{self, RecordPayment};
use crate::pay::books::rows::{self as books, LiabilityPayment, Owed};
use crate::records::{MOST_TOGETHER, id_of};

store::statements! {
    // Until the first of a payroll's payments goes out, its net pay is owed as a whole, and posted as paid as a whole. What was reversed is
    // owed, too, unless its paycheck is void.
    OWED = store::text!("SELECT ", store::columns!(Entry, "e."), " FROM payment_entries e \
           JOIN payment_batches b ON b.company_id = e.company_id AND b.id = e.batch_id \
           JOIN payrolls p ON p.company_id = e.company_id AND p.id = e.payroll_id \
           JOIN payroll_postings q ON q.company_id = p.company_id AND q.run_id = p.run_id \
           WHERE e.company_id = $1 AND q.paid_on IS NOT NULL AND ((e.state = 'held' AND b.kind = 'pay') OR (e.state = 'returned' AND b.kind IN ('pay', 'again')) \
           OR (e.state = 'reversed' AND EXISTS (SELECT 1 FROM payroll_results r WHERE r.company_id = p.company_id \
           AND r.run_id = p.run_id AND r.employee_id = e.employee_id))) ORDER BY e.id LIMIT $2");
    // A payment of a contractor is posted by itself: what is held of it is owed only after its file was voided.
    OWED_TO_CONTRACTOR = store::text!("SELECT ", store::columns!(Entry, "e."), " FROM payment_entries e \
           JOIN payment_batches b ON b.company_id = e.company_id AND b.id = e.batch_id \
           WHERE e.company_id = $1 AND e.payroll_id = $2 AND e.contractor_payment_id = $3 AND b.kind IN ('pay', 'again') \
           AND e.state IN ('held', 'returned', 'reversed') ORDER BY e.id LIMIT $4");
}

/// Whose pay a liability is.
#[derive(Debug, Clone, Copy)]
pub(in crate::money) enum Payee {
    /// net pay of employees
    Employees,
    /// a payment of a contractor
    Contractor(Uuid),
}

/// Returns whose pay is meant by a payment to be recorded; `None` if it is not one of pay.
///
/// # Errors
/// As [`books::settled`].
pub(in crate::money) fn find_payee(
    tx: &mut Tx<'_>,
    company: Uuid,
    input: &RecordPayment,
) -> Result<Option<Payee>, Error> {
    let Some(id) = input.liability_uuid.value().map(|text| id_of(text)) else { return Ok(None) };
    if id == liabilities::liability_id(company, &Owed::net_pay()) {
        return Ok(Some(Payee::Employees));
    }
    let settled = books::paid_until(tx, company, Date::MAX)?;
    let mut of_contractors = settled.into_keys().filter(|owed| owed.account == Account::ContractorsPayable);
    let found = of_contractors.find(|owed| liabilities::liability_id(company, owed) == id);
    Ok(found.and_then(|owed| owed.code.parse().ok()).map(Payee::Contractor))
}

/// Records that the employer has paid held pay: all of it, or the named payments.
///
/// # Errors
/// 422 for every violation of the input, when nothing is held any more, and for an amount that is not that of the payments; a store error.
pub(in crate::money) fn record_held_pay(
    tx: &mut Tx<'_>,
    caller: &Caller,
    payee: Payee,
    input: &RecordPayment,
) -> Result<LiabilityPayment, Error> {
    let company = caller.company;
    // The guards of payments come before that of liabilities, here as where payments are filed.
    let payrolls: BTreeSet<Uuid> = owed_entries(tx, company, payee)?.iter().map(|one| one.payroll).collect();
    for payroll in payrolls {
        rows::lock_payroll_batches(tx, company, payroll)?;
    }
    let mut held = owed_entries(tx, company, payee)?;
    if held.is_empty() {
        let message = match payee {
            Payee::Employees => {
                "No net pay is held any more: it was paid again (pay_again), or recorded as paid before."
            }
            Payee::Contractor(_) => {
                "The payment is not held any more: it was paid again (pay_again), recorded as paid before, or goes with the next file."
            }
        };
        return Err(Error::from(Violation::invalid_operation(message)));
    }
    if let Some(named) = input.ach_transaction_uuids.value() {
        let named: BTreeSet<Uuid> = named.iter().map(|id| id_of(id)).collect();
        held.retain(|one| named.contains(&one.id));
        if held.len() != named.len() {
            let message = "ach_transaction_uuids must name payments whose net pay is held: what was paid again (pay_again) is settled";
            return Err(Error::from(Violation::invalid("ach_transaction_uuids", message)));
        }
    }
    let payment =
        liabilities::record_liability_payment(tx, caller, input, &std::collections::BTreeMap::new())?;
    let sum: i64 = held.iter().map(|one| one.cents).sum();
    if payment.cents != sum {
        let sum = Amount::from_cents(sum).to_text(2);
        let message = format!(
            "amount must be {sum}, what is held of these payments; name some of them in ach_transaction_uuids to settle them alone. \
             What is being paid again (pay_again) cannot be recorded as paid"
        );
        return Err(Error::from(Violation::invalid("amount", message)));
    }
    for one in held {
        repayments::pay_again(tx, caller, one.id, To::Employer)?;
    }
    Ok(payment)
}

fn owed_entries(tx: &mut Tx<'_>, company: Uuid, payee: Payee) -> Result<Vec<Entry>, Error> {
    if let Payee::Contractor(payment) = payee {
        let group = payments::find_payment(tx, company, payment)?.group;
        let of = params![company, group, payment];
        return Ok(tx.try_query_all(OWED_TO_CONTRACTOR, of, MOST_TOGETHER, Entry::read)?);
    }
    Ok(tx.try_query_all(OWED, params![company], MOST_TOGETHER, Entry::read)?)
}
