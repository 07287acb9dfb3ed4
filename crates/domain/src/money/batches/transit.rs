//! The company's money on its way to those who are paid, in the books: its account is debited, or it sends a wire, before the payments settle.
//!
//! Cash moves on the day on which a debit settles, and the payments that it funds settle out of [`Account::FundsInTransit`]. Where the
//! operator's own account is debited, operator and company settle between them, and payments are posted out of the bank account.

use jiff::civil::Date;
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::company::companies;
use crate::error::Error;
use crate::money::funding::{self, Mode};
use crate::money::ledger::purpose::{Purpose, Subject};
use crate::money::ledger::rows::{self, Batch, BatchKind};
#[cfg(doc)]
use crate::pay::books::Account;
use crate::pay::books::transit;

/// Whether the company funds the payments of a payroll, a deposit or a group of contractors: by a debit of its account, or by a wire.
pub(in crate::money) fn is_funded(tx: &mut Tx<'_>, company: Uuid, subject: Uuid) -> Result<bool, Error> {
    if funding::of_payroll(tx, company, subject)?.mode == Mode::Wire {
        return Ok(true);
    }
    for batch in rows::of_payroll(tx, company, subject)? {
        if matches!(batch.kind, BatchKind::Debit | BatchKind::TaxDebit) && is_of_company(tx, company, &batch)?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Posts that the bank has a debit of the company's account, or a refund to it, as of its settlement; with -1, that it no longer has it.
/// No-op for other batches, and where the operator's account is debited.
pub(in crate::money) fn post_company_transfer(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &Batch,
    sign: i64,
) -> Result<(), Error> {
    let (cents, what) = match batch.kind {
        BatchKind::Debit | BatchKind::TaxDebit => (batch.cents, "Debit of the bank account"),
        BatchKind::Redebit => (batch.cents, "Debit of the bank account, again"),
        BatchKind::Refund => (-batch.cents, "Refund to the bank account"),
        BatchKind::Pay
        | BatchKind::Support
        | BatchKind::Again
        | BatchKind::SupportAgain
        | BatchKind::Reversal
        | BatchKind::Tax => {
            return Ok(());
        }
    };
    if !is_of_company(tx, company, batch)? {
        return Ok(());
    }
    let what = if sign < 0 { format!("{what} that was not made after all") } else { what.to_owned() };
    let day = batch.effective.unwrap_or(batch.check_date);
    transit::post_transfer(tx, company, (sign * cents, day), posting_memo(&what, batch.payment_subject()))
}

/// Posts that money moved today; negative cents came back to the bank account.
pub(in crate::money) fn moved_today(
    tx: &mut Tx<'_>,
    company: Uuid,
    subject: Subject,
    (cents, what): (i64, &str),
) -> Result<(), Error> {
    let today = Caller::for_service(company, companies::time_zone(tx, company)?).today(tx);
    transit::post_transfer(tx, company, (cents, today), posting_memo(what, subject))
}

/// Returns the day as of which a payment of a batch is posted: not before it settles, nor before what it pays is owed.
pub(in crate::money) fn posting_day(tx: &mut Tx<'_>, company: Uuid, batch: &Batch) -> Result<Date, Error> {
    let today = Caller::for_service(company, companies::time_zone(tx, company)?).today(tx);
    let owed = today.max(batch.check_date);
    Ok(batch.effective.map_or(owed, |settles| settles.max(owed)))
}

fn is_of_company(tx: &mut Tx<'_>, company: Uuid, batch: &Batch) -> Result<bool, Error> {
    Ok(rows::first_entry(tx, company, batch)?.is_some_and(|entry| entry.account.is_some()))
}

fn posting_memo(what: &str, Subject { purpose, day, .. }: Subject) -> String {
    let of = match purpose {
        Purpose::Payroll => "payroll of",
        Purpose::TaxDeposit => "tax deposit due",
        Purpose::Contractors => "contractors of",
    };
    format!("{what}: {of} {day}")
}
