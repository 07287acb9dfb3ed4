//! Lists of payments: the transactions of the public API, and the operator's lists.

use jiff::ToSpan;
use jiff::civil::Date;
use rules::Named;
use store::record::Cursor;
use store::{Row, Tx, params};
use strum::{IntoStaticStr, VariantArray};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::money::bank::banking_days::{BANKING_DAYS_OF_RETURNS, banking_days_after, earliest_settlement};
use crate::money::batches::reversals::reversible_until;
use crate::money::ledger::bank_files::NotWritten;
use crate::money::ledger::purpose::Purpose;
use crate::money::ledger::rows::{BatchKind, BatchState, Entry, EntryState};
use crate::paging::{Listed, Page};
use crate::records::MOST_TOGETHER;

/// What was held and then paid in another way was never a transaction, nor was a decision about it that was undone. Parameters: $1 company, $2 payroll or NULL, $3 kind of the batch or NULL, $4 whether money goes out of the account, or NULL, $5 payment of a contractor or NULL, $6 whether contractors are paid, or NULL.
const FILTERED: &str = " FROM payment_entries e JOIN payment_batches b ON b.company_id = e.company_id AND b.id = e.batch_id WHERE e.company_id = $1 \
     AND (e.payroll_id = $2 OR $2 IS NULL) AND (b.kind = $3 OR $3 IS NULL) AND (e.contractor_payment_id = $5 OR $5 IS NULL) \
     AND ((b.purpose = 'contractors') = $6 OR $6 IS NULL) \
     AND NOT (e.code IS NULL AND e.place IS NULL AND (e.state = 'replaced' OR e.state = 'paid_by_employer')) AND NOT (b.kind = 'again' AND b.state = 'void') \
     AND ((b.kind = 'debit' OR b.kind = 'reversal' OR b.kind = 'redebit' OR b.kind = 'tax_debit') = $4 OR $4 IS NULL)";

store::statements! {
    LIST = store::text!("SELECT ", store::columns!(Entry, "e."), ", b.kind, b.state, b.check_date, b.effective, b.file_id, b.purpose", FILTERED,
           " ORDER BY e.id LIMIT $7 OFFSET $8");
    COUNT = store::text!("SELECT count(*)", FILTERED);
    UNPAID = store::text!("SELECT ", store::columns!(Entry, "e."), ", b.kind, b.state, b.check_date, b.effective, b.file_id, b.purpose", FILTERED,
             " AND (e.state = 'held' OR e.state = 'returned') AND (b.kind = 'pay' OR b.kind = 'again' OR b.kind = 'support' \
             OR b.kind = 'support_again') ORDER BY e.id LIMIT $7");
    GIVEN = store::text!("SELECT ", store::columns!(Entry, "e."), ", b.kind, b.state, b.check_date, b.effective, b.file_id, b.purpose", FILTERED,
            " AND e.state = 'sent' AND e.place IS NOT NULL AND (b.kind = 'pay' OR b.kind = 'again') AND b.state = 'filed' \
            AND b.effective >= $7 ORDER BY e.id DESC LIMIT $8");
}

/// Days back in which a payment settled that can still be reversed, whatever holidays there are.
const DAYS_OF_REVERSALS: i64 = 21;

/// Which transactions to list.
#[derive(Debug, Clone, Default)]
pub struct TransactionFilter {
    /// only those of this payroll
    pub payroll: Option<Uuid>,
    /// only those of this payment of a contractor
    pub contractor_payment: Option<Uuid>,
    /// only those of this type, as named in the API
    pub transaction_type: Option<String>,
    /// only those that debit accounts, or only those that credit them
    pub debits: Option<bool>,
}

/// The status of a transaction, as in the public API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum TransactionStatus {
    /// the bank does not have it
    Unsubmitted,
    /// the bank has it
    Submitted,
    /// it has settled, and the return period has passed
    Successful,
    /// a bank returned it
    Failed,
}

/// A payment, as listed.
#[derive(Debug, Clone)]
pub struct Transaction {
    /// the payment
    pub entry: Entry,
    /// its kind
    pub kind: BatchKind,
    /// its status
    pub status: TransactionStatus,
    /// what it is for
    pub purpose: Purpose,
    /// check date of the payroll; due date of the deposit
    pub check_date: Date,
    /// its settlement date; the check date while it is in no file
    pub payment_date: Date,
}

/// Returns the newest pay of a company that the bank has and that can still be reversed, at most `most`.
pub fn reversible_transactions(
    tx: &mut Tx<'_>,
    caller: &Caller,
    most: i64,
) -> Result<Vec<Transaction>, Error> {
    let today = caller.today(tx);
    let since = today.saturating_sub(DAYS_OF_REVERSALS.days());
    let (no_id, no_kind, either): (Option<Uuid>, Option<&str>, Option<bool>) = (None, None, None);
    let of = params![caller.company, no_id, no_kind, either, no_id, either, since, most];
    let files = NotWritten::read_unwritten(tx)?;
    let mut found = tx.try_query(GIVEN, of, |row| read_transaction(row, today, &files))?;
    let next = earliest_settlement(tx.now(), false);
    found.retain(|one| {
        one.status != TransactionStatus::Unsubmitted && next <= reversible_until(one.payment_date)
    });
    Ok(found)
}

/// Returns a page of a company's transactions, oldest first.
///
/// # Errors
/// 422 when an unpaged list is too long; a store error.
pub fn list_transactions(
    tx: &mut Tx<'_>,
    caller: &Caller,
    filter: &TransactionFilter,
    page: Page,
) -> Result<Listed<Transaction>, Error> {
    let wanted = filter.transaction_type.as_deref();
    let (kind, of_contractors) = match wanted.map(of_words) {
        None => (None, None),
        Some(Some((kind, of_contractors))) => (Some(kind.as_str()), of_contractors),
        // An unknown type yields an empty list.
        Some(None) => return Ok(Listed::slice(page, Vec::new())),
    };
    let today = caller.today(tx);
    let (limit, offset) = page.limit_and_offset();
    let files = NotWritten::read_unwritten(tx)?;
    let all = params![
        caller.company,
        filter.payroll,
        kind,
        filter.debits,
        filter.contractor_payment,
        of_contractors
    ];
    let found = tx.try_query(LIST, &[all, params![limit, offset]].concat(), |row| {
        read_transaction(row, today, &files)
    })?;
    Listed::new(page, found, || Ok(tx.find_row(COUNT, all, |row| row.get::<i64>(0))?.unwrap_or(0)))
}

/// Returns the pay and the support of a company that did not reach whom it is for: what is held by itself, and what was returned.
///
/// # Errors
/// 422 for more than can be read at once; a store error.
pub fn unpaid_transactions(tx: &mut Tx<'_>, caller: &Caller) -> Result<Vec<Transaction>, Error> {
    let today = caller.today(tx);
    let (any, kind, either): (Option<Uuid>, Option<&str>, Option<bool>) = (None, None, None);
    let files = NotWritten::read_unwritten(tx)?;
    let all = params![caller.company, any, kind, either, any, either];
    tx.try_query_all(UNPAID, all, MOST_TOGETHER, |row| read_transaction(row, today, &files))
}

/// Returns the kind that a transaction type names, and whether it is of contractors, where the type says so.
fn of_words(words: &str) -> Option<(BatchKind, Option<bool>)> {
    let named = |purpose: Purpose| BatchKind::ALL.iter().find(|kind| kind.transaction_type(purpose) == words);
    match (named(Purpose::Payroll), named(Purpose::Contractors)) {
        (Some(kind), Some(_)) => Some((*kind, None)),
        (Some(kind), None) => Some((*kind, Some(false))),
        (None, Some(kind)) => Some((*kind, Some(true))),
        (None, None) => None,
    }
}

/// Whether a payment that settled on a day can no longer be returned.
pub fn is_final(settled_on: Date, today: Date) -> bool {
    banking_days_after(settled_on, BANKING_DAYS_OF_RETURNS) < today
}

fn read_transaction(row: &Row<'_>, today: Date, files: &NotWritten) -> Result<Transaction, Error> {
    let entry = Entry::read(row)?;
    let columns = Entry::COLUMNS.split(',').count();
    let mut next = Cursor::new(row, "payment_batches", columns);
    let kind = next.read_text("kind", BatchKind::parse)?;
    let state = next.read_text("state", BatchState::parse)?;
    let check_date: Date = next.read_plain("check_date")?;
    let effective: Option<Date> = next.read_plain("effective")?;
    let is_written = files.is_written(next.read_plain("file_id")?);
    let purpose = next.read_text("purpose", Purpose::parse)?;
    let payment_date = effective.unwrap_or(check_date);
    let given = state == BatchState::Filed && is_written && entry.place.is_some();
    let status = match entry.state {
        EntryState::Returned => TransactionStatus::Failed,
        EntryState::Replaced | EntryState::PaidByEmployer if entry.code.is_some() => {
            TransactionStatus::Failed
        }
        _ if !given => TransactionStatus::Unsubmitted,
        _ if is_final(payment_date, today) => TransactionStatus::Successful,
        _ => TransactionStatus::Submitted,
    };
    Ok(Transaction { entry, kind, status, purpose, check_date, payment_date })
}
