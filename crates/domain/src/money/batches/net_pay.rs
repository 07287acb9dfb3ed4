//! When the payments of a payroll are made, and its net pay in the books.
//!
//! A payroll is paid once the bank has all its payments, or the remaining ones are marked as paid by check. In the books, net pay is paid
//! with the first file; amounts held at that time remain owed until they are paid.

use crate::money::ledger::bank_files;
use crate::pay::payrolls::closing::processing;
use crate::pay::payrolls::record::rows as payrolls;
use std::collections::BTreeSet;

use store::Tx;
use uuid::Uuid;

use super::debits;
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::error::Error;
use crate::money::ledger::lines;
use crate::money::ledger::rows::{self, Batch, BatchState, Kind};
use crate::pay::books::Account;
use crate::pay::books::liabilities::{self, OVERPAYMENT};
use crate::pay::books::rows::{self as books, LiabilityPayment};
use crate::pay::payrolls::closing::processing::posting::BY_DEPOSIT;

/// Whether all payments of a payroll that the service makes are made: a limit may hold some of the credits, a file may wait for approval,
/// and an account may be missing.
///
/// # Errors
/// A store error.
pub(in crate::money) fn is_all_made(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid) -> Result<bool, Error> {
    for batch in rows::of_payroll(tx, company, payroll)? {
        if batch.state == BatchState::Void || !matches!(batch.kind, Kind::Pay | Kind::Support) {
            continue;
        }
        if bank_files::settles(tx, &batch)?.is_none() {
            return Ok(false);
        }
    }
    Ok(unpaid(tx, company, payroll)? == 0)
}

/// Returns the cents of net pay that were held when the other amounts were paid, and are still unpaid.
fn unpaid(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid) -> Result<i64, Error> {
    let mut cents = lines::held_cents(tx, company, payroll)?;
    for batch in rows::of_payroll(tx, company, payroll)? {
        if batch.state == BatchState::Void {
            continue;
        }
        if debits::held_before(tx, company, &batch)?.is_some() && bank_files::settles(tx, &batch)?.is_none() {
            cents += batch.cents;
        }
    }
    Ok(cents)
}

/// Records in the books that the bank has pay of a payroll. `begun` holds the payrolls of the same file whose net pay was just posted.
///
/// # Errors
/// A store error.
pub(in crate::money) fn went_out(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &Batch,
    begun: &mut BTreeSet<Uuid>,
) -> Result<(), Error> {
    let after_all = debits::held_before(tx, company, batch)?.is_some();
    if batch.kind != Kind::Pay && !after_all {
        return Ok(());
    }
    if processing::net_pay_went_out(tx, company, batch.payroll)? {
        begun.insert(batch.payroll);
        let held = unpaid(tx, company, batch.payroll)?;
        return note(tx, company, batch, (-held, HELD));
    }
    if !after_all || begun.contains(&batch.payroll) {
        return Ok(());
    }
    after_all_the_others(tx, company, batch, batch.cents)
}

/// Records that the file with a payment was voided before the bank had it.
///
/// # Errors
/// A store error.
pub(in crate::money) fn taken_back(tx: &mut Tx<'_>, company: Uuid, batch: &Batch) -> Result<(), Error> {
    match debits::held_before(tx, company, batch)? {
        Some(_) => note(tx, company, batch, (-batch.cents, HELD)),
        None => Ok(()),
    }
}

/// Records that a held amount is paid: by a file, or by the employer's check. No-op if net pay is not posted as paid yet: it will then be
/// posted as a whole.
///
/// # Errors
/// A store error.
pub(in crate::money) fn after_all_the_others(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &Batch,
    cents: i64,
) -> Result<(), Error> {
    let run = payrolls::find(tx, company, batch.payroll)?.and_then(|payroll| payroll.run);
    let Some(run) = run else { return Ok(()) };
    match books::posting_of(tx, company, run)?.and_then(|posting| posting.paid_on) {
        Some(_) => note(tx, company, batch, (cents, WAS_HELD)),
        None => Ok(()),
    }
}

/// Records that a payment is taken back from the employee, so that its net pay is owed until it is paid otherwise.
///
/// # Errors
/// A store error.
pub(in crate::money) fn taken_from_employee(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &Batch,
    cents: i64,
) -> Result<(), Error> {
    note(tx, company, batch, (-cents, "Net pay that was reversed"))
}

/// Records that a payment could not be taken back from the employee after all, who owes it if the pay was not owed (`owed_by`).
///
/// # Errors
/// A store error.
pub(in crate::money) fn left_with_employee(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &Batch,
    (cents, owed_by): (i64, Option<Uuid>),
) -> Result<(), Error> {
    let what = (cents, "Net pay whose reversal was given up");
    match owed_by {
        Some(employee) => {
            let by = (Account::EmployeeReceivables, employee.to_string(), OVERPAYMENT);
            note_of(tx, company, batch, by, what)
        }
        None => note(tx, company, batch, what),
    }
}

/// Records that pay which was not owed came back from the bank: the employee owes it no more.
///
/// # Errors
/// A store error.
pub(in crate::money) fn given_back(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &Batch,
    (cents, employee): (i64, Uuid),
) -> Result<(), Error> {
    let by = (Account::EmployeeReceivables, employee.to_string(), OVERPAYMENT);
    note_of(tx, company, batch, by, (-cents, "Pay that was not owed and was returned"))
}

const HELD: &str = "Net pay that is held";
const WAS_HELD: &str = "Net pay that was held";

/// Posts a payment of net pay; negative for amounts that are not paid with the rest, whose file was voided, or that were taken back.
fn note(tx: &mut Tx<'_>, company: Uuid, batch: &Batch, what: (i64, &str)) -> Result<(), Error> {
    note_of(tx, company, batch, (Account::NetPayPayable, String::new(), BY_DEPOSIT), what)
}

/// Posts a payment of a liability, named by account, agency and name.
fn note_of(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &Batch,
    (account, agency, name): (Account, String, &str),
    (cents, what): (i64, &str),
) -> Result<(), Error> {
    if cents == 0 {
        return Ok(());
    }
    liabilities::guard(tx, company)?;
    let caller = Caller::service(company, companies::time_zone(tx, company)?);
    let new = LiabilityPayment {
        id: tx.new_id(),
        account,
        agency,
        code: String::new(),
        name: name.to_owned(),
        cents,
        paid_on: caller.today(tx).max(batch.check_date),
        memo: Some(format!("{what}: payroll of {}", batch.check_date)),
        created_at: tx.now(),
    };
    books::pay(tx, company, &new)
}
