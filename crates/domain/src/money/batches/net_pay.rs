//! When the payments of a payroll are made, and its net pay in the books.
//!
//! A payroll is paid once the bank has all its payments, or the remaining ones are marked as paid by check. In the books, net pay is paid
//! with the first file; amounts held at that time remain owed until they are paid.

use std::collections::BTreeSet;

use jiff::civil::Date;
use store::Tx;
use uuid::Uuid;

use super::lifecycle::save_batch;
use super::{debits, transit};
use crate::error::Error;
use crate::money::ledger::rows::{self, Batch, BatchKind, BatchState};
use crate::money::ledger::{bank_files, by_check, lines};
use crate::pay::books::Account;
use crate::pay::books::accounts::Way;
use crate::pay::books::liabilities::{self, OVERPAYMENT};
use crate::pay::books::rows::{self as books, LiabilityPayment, Owed};
use crate::pay::books::transit as posted;
use crate::pay::payrolls::closing::processing;
use crate::pay::payrolls::record::rows as payrolls;

/// Whether all payments of a payroll that the service makes are made: a limit may hold some of the credits, a file may wait for approval,
/// and an account may be missing.
pub(in crate::money) fn is_all_made(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid) -> Result<bool, Error> {
    for batch in rows::of_payroll(tx, company, payroll)? {
        if batch.state == BatchState::Void || !matches!(batch.kind, BatchKind::Pay | BatchKind::Support) {
            continue;
        }
        if bank_files::settlement_date_at_bank(tx, &batch)?.is_none() {
            return Ok(false);
        }
    }
    Ok(unpaid_net_pay(tx, company, payroll)? == 0)
}

/// Returns the cents of net pay that were held when the other amounts were paid, and are still unpaid.
fn unpaid_net_pay(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid) -> Result<i64, Error> {
    let mut cents = lines::held_cents(tx, company, payroll)?;
    for batch in rows::of_payroll(tx, company, payroll)? {
        if batch.state == BatchState::Void {
            continue;
        }
        if debits::held_before(tx, company, &batch)?.is_some()
            && bank_files::settlement_date_at_bank(tx, &batch)?.is_none()
        {
            cents += batch.cents;
        }
    }
    Ok(cents)
}

/// Records in the books that the bank has pay of a payroll. `begun` holds the payrolls of the same file whose net pay was just posted.
pub(in crate::money) fn went_out(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &Batch,
    begun: &mut BTreeSet<Uuid>,
) -> Result<(), Error> {
    let after = paid_after(tx, company, batch)?;
    if batch.kind != BatchKind::Pay && after.is_none() {
        return Ok(());
    }
    let source = Source::source_of_batch(tx, company, batch)?;
    let day = transit::posting_day(tx, company, batch)?;
    if processing::net_pay_went_out(tx, company, batch.payroll, (day, source.in_transit()))? {
        begun.insert(batch.payroll);
        let held = unpaid_net_pay(tx, company, batch.payroll)?;
        post_net_pay(tx, company, batch, source, (-held, HELD))?;
        return by_check_so_far(tx, company, batch, (day, source));
    }
    let Some(why) = after.filter(|_| !begun.contains(&batch.payroll)) else { return Ok(()) };
    post_net_pay(tx, company, batch, source, (batch.cents, why))?;
    paid_after_all(tx, company, batch)
}

/// Notes that what a batch pays is no longer owed again.
fn paid_after_all(tx: &mut Tx<'_>, company: Uuid, batch: &Batch) -> Result<(), Error> {
    if !batch.owed_again {
        return Ok(());
    }
    rows::lock_payroll_batches(tx, company, batch.payroll)?;
    let Some(mut batch) = Batch::find(tx, company, batch.id)? else { return Ok(()) };
    batch.owed_again = false;
    save_batch(tx, company, &batch)
}

/// Returns what the amount of a batch was before it is paid after all: held, returned, or in a file that was voided. `None` for pay that is
/// paid with the others.
fn paid_after(tx: &mut Tx<'_>, company: Uuid, batch: &Batch) -> Result<Option<&'static str>, Error> {
    if batch.kind != BatchKind::Again {
        return Ok(batch.owed_again.then_some(WAS_VOIDED));
    }
    let before = rows::followed_entry(tx, company, batch)?;
    Ok(before.map(|before| if before.code.is_some() { WAS_RETURNED } else { WAS_HELD }))
}

/// Posts what was paid by check before the other amounts went out: it was posted with them as paid by the bank, and is paid out of the bank
/// account.
fn by_check_so_far(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &Batch,
    (day, source): (Date, Source),
) -> Result<(), Error> {
    if source == Source::BankAccount {
        return Ok(());
    }
    let cents = by_check::of_payroll(tx, company, batch.payroll)?.values().sum();
    let memo = format!("Net pay by check in place of an account: payroll of {}", batch.check_date);
    posted::post_transfer(tx, company, (cents, day), memo)
}

/// What a payment is paid out of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// funds in transit: the company's account was debited, or it sent a wire
    Transit,
    /// the company's bank account
    BankAccount,
}

impl Source {
    /// Returns what the payments of a batch that the service makes are paid out of.
    fn source_of_batch(tx: &mut Tx<'_>, company: Uuid, batch: &Batch) -> Result<Self, Error> {
        let is_funded = transit::is_funded(tx, company, batch.payroll)?;
        Ok(if is_funded { Self::Transit } else { Self::BankAccount })
    }

    fn in_transit(self) -> bool {
        self == Self::Transit
    }
}

/// Records that the file with payments was voided before the bank had it: they are owed until they go with another file. The caller saves
/// the batch.
pub(in crate::money) fn taken_back(tx: &mut Tx<'_>, company: Uuid, batch: &mut Batch) -> Result<(), Error> {
    let what = match paid_after(tx, company, batch)? {
        Some(WAS_HELD) => HELD,
        Some(_) => RETURNED,
        None if is_posted_as_paid(tx, company, batch.payroll)? => {
            batch.owed_again = true;
            VOIDED
        }
        None => return Ok(()),
    };
    let source = Source::source_of_batch(tx, company, batch)?;
    post_net_pay(tx, company, batch, source, (-batch.cents, what))
}

/// Records that the bank returned pay: it is owed until it is paid again. No-op if its net pay is not posted as paid.
pub(in crate::money) fn record_returned_pay(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &Batch,
    cents: i64,
) -> Result<(), Error> {
    if !is_posted_as_paid(tx, company, batch.payroll)? {
        return Ok(());
    }
    let source = Source::source_of_batch(tx, company, batch)?;
    post_net_pay(tx, company, batch, source, (-cents, RETURNED))
}

/// Records that an amount that was held or returned is paid by the employer's check. No-op if net pay is not posted as paid yet: it will then be
/// posted as a whole.
pub(in crate::money) fn by_check_after_all(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &Batch,
    (cents, came_back): (i64, bool),
) -> Result<(), Error> {
    if !is_posted_as_paid(tx, company, batch.payroll)? {
        return Ok(());
    }
    let why = if came_back { WAS_RETURNED } else { WAS_HELD };
    post_net_pay(tx, company, batch, Source::BankAccount, (cents, why))
}

fn is_posted_as_paid(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid) -> Result<bool, Error> {
    let run = payrolls::find_payroll(tx, company, payroll)?.and_then(|payroll| payroll.run);
    let Some(run) = run else { return Ok(false) };
    Ok(books::posting_of(tx, company, run)?.is_some_and(|posting| posting.paid_on.is_some()))
}

/// Records that a payment is taken back from the employee, so that its net pay is owed until it is paid otherwise.
pub(in crate::money) fn taken_from_employee(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &Batch,
    cents: i64,
) -> Result<(), Error> {
    // The operator gives the money back to the employer.
    post_net_pay(tx, company, batch, Source::BankAccount, (-cents, "Net pay that was reversed"))
}

/// Records that a payment could not be taken back from the employee after all, who owes it if the pay was not owed (`owed_by`).
pub(in crate::money) fn left_with_employee(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &Batch,
    (cents, owed_by): (i64, Option<Uuid>),
) -> Result<(), Error> {
    let what = (cents, "Net pay whose reversal was given up");
    match owed_by {
        Some(employee) => note_of(tx, company, batch, Posted::owed_by(employee), Source::BankAccount, what),
        None => post_net_pay(tx, company, batch, Source::BankAccount, what),
    }
}

/// Records that pay which was not owed came back from the bank: the employee owes it no more.
pub(in crate::money) fn given_back(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &Batch,
    (cents, employee): (i64, Uuid),
) -> Result<(), Error> {
    let what = (-cents, "Pay that was not owed and was returned");
    note_of(tx, company, batch, Posted::owed_by(employee), Source::BankAccount, what)
}

const HELD: &str = "Net pay that is held";
const WAS_HELD: &str = "Net pay that was held";
const RETURNED: &str = "Net pay that was returned";
const WAS_RETURNED: &str = "Net pay that was returned and is paid again";
const VOIDED: &str = "Net pay whose file was voided";
const WAS_VOIDED: &str = "Net pay that goes with another file";

/// Posts a payment of net pay; negative for amounts that are not paid with the rest, whose file was voided, or that were taken back.
fn post_net_pay(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &Batch,
    source: Source,
    what: (i64, &str),
) -> Result<(), Error> {
    note_of(tx, company, batch, Posted::net_pay(), source, what)
}

/// The liability of which a payment is posted.
struct Posted {
    owed: Owed,
    /// what it is called
    name: &'static str,
}

impl Posted {
    fn net_pay() -> Self {
        Self { owed: Owed::net_pay(), name: Way::Deposit.line_name() }
    }

    /// What an employee owes.
    fn owed_by(employee: Uuid) -> Self {
        let owed = Owed::new(Account::EmployeeReceivables, &employee.to_string(), "", OVERPAYMENT);
        Self { owed, name: OVERPAYMENT }
    }
}

/// Posts a payment of a liability.
fn note_of(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &Batch,
    Posted { owed: Owed { account, agency, code, .. }, name }: Posted,
    source: Source,
    (cents, what): (i64, &str),
) -> Result<(), Error> {
    if cents == 0 {
        return Ok(());
    }
    liabilities::guard_payments(tx, company)?;
    let paid_on = transit::posting_day(tx, company, batch)?;
    let new = LiabilityPayment {
        id: tx.new_id(),
        account,
        agency,
        code,
        name: name.to_owned(),
        cents,
        paid_on,
        memo: Some(format!("{what}: payroll of {}", batch.check_date)),
        created_at: tx.now(),
        in_transit: source.in_transit(),
    };
    books::insert_liability_payment(tx, company, &new)
}
