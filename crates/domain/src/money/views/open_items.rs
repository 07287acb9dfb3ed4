//! What the operator has to act on: held payments, and payments that should have gone to the bank by now.

use jiff::ToSpan;
use jiff::civil::Date;
use rules::Named;
use store::record::Cursor;
use store::{Row, Tx, Value, params};
use uuid::Uuid;

use crate::error::Error;
use crate::money::bank::banking_days::today_in_california;
use crate::money::bank::settings::OPERATOR;
use crate::money::batches::lifecycle::MOST_CENTS;
use crate::money::deposits::{DepositState, TaxDeposit};
use crate::money::ledger::rows::{self, Batch, BatchKind, BatchState, Entry, FileState, OfCompany};

/// Hours after which a due batch should be in a file, and a file in the folder.
const LATE_HOURS: i64 = 1;
/// Days in the past for which overdue deposits are counted.
const DAYS: i64 = 366;

store::statements! {
    HELD = "SELECT count(company_id) FROM payment_batches WHERE state = 'held'";
    WAITING = "SELECT count(company_id) FROM payment_batches WHERE state = 'ready' AND due <= $1";
    PAYMENTS = store::text!("SELECT e.company_id, b.kind, b.check_date, ", store::columns!(Entry, "e."), " FROM payment_entries e \
               JOIN payment_batches b ON b.company_id = e.company_id AND b.id = e.batch_id \
               WHERE e.state = 'held' ORDER BY e.company_id, e.id LIMIT $1");
    FILES = "SELECT count(*) FROM bank_files WHERE company_id = $1 AND (state = 'recorded' OR state = 'staged') AND made <= $2";
    TO_APPROVE = "SELECT count(*) FROM bank_files WHERE company_id = $1 AND state = 'awaiting_approval'";
    DEPOSITS = "SELECT count(company_id) FROM tax_deposits WHERE due >= $1 AND due <= $2 AND (state = 'scheduled' OR state = 'staged')";
}

/// The counts, of all companies together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Standing {
    /// batches that are held until the operator acts
    pub held: i64,
    /// batches that should be in a file by now
    pub waiting: i64,
    /// files that should be in the bank's folder by now
    pub files: i64,
    /// files that wait for approval
    pub to_approve: i64,
    /// tax deposits that are due, and that the bank does not have
    pub deposits: i64,
}

impl Standing {
    /// Returns the number of items that the bank should have by now: they need no decision.
    pub fn count_late_items(&self) -> i64 {
        self.waiting + self.files + self.deposits
    }
}

/// Returns the counts.
pub fn of_all(tx: &mut Tx<'_>) -> Result<Standing, Error> {
    let (late, day) = (tx.now() - LATE_HOURS.hours(), today_in_california(tx.now()));
    let mut count = |sql, values: &[Value<'_>]| {
        Ok::<_, Error>(tx.find_row(sql, values, |row| row.get::<i64>(0))?.unwrap_or(0))
    };
    Ok(Standing {
        held: count(HELD, params![])?,
        waiting: count(WAITING, params![late])?,
        files: count(FILES, params![OPERATOR, late])?,
        to_approve: count(TO_APPROVE, params![OPERATOR])?,
        deposits: count(DEPOSITS, params![day.saturating_sub(DAYS.days()), day])?,
    })
}

/// Returns held batches, and those that should be in a file by now, with their companies; at most `most` of each.
pub fn list_open_batches(tx: &mut Tx<'_>, most: i64) -> Result<Vec<OfCompany>, Error> {
    let late = tx.now() - LATE_HOURS.hours();
    let mut found = rows::held_batches(tx, most)?;
    let ready = rows::ready_batches(tx, most)?.into_iter();
    found.extend(ready.filter(|one| one.batch.due.is_some_and(|due| due <= late)));
    Ok(found)
}

/// A payment that is held individually, while its batch goes out.
#[derive(Debug, Clone)]
pub struct HeldPayment {
    /// the company
    pub company: Uuid,
    /// its kind
    pub kind: BatchKind,
    /// check date of the payroll
    pub check_date: Date,
    /// the payment
    pub entry: Entry,
}

impl HeldPayment {
    /// Returns why it is held.
    pub fn hold_reason(&self) -> &'static str {
        match self.entry.account_number {
            None => "there is no account to pay",
            Some(_) if self.entry.cents > MOST_CENTS => "it exceeds the maximum of an ACH entry",
            Some(_) => "its account was deleted, or had a payment returned",
        }
    }
}

/// Returns payments of all companies that are held individually; at most `most`.
pub fn held_payments(tx: &mut Tx<'_>, most: i64) -> Result<Vec<HeldPayment>, Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, Entry::TABLE, 0);
        let company = next.read_plain("company_id")?;
        let kind = next.read_text("kind", BatchKind::parse)?;
        let check_date = next.read_plain("check_date")?;
        Ok::<_, store::Error>(HeldPayment { company, kind, check_date, entry: Entry::read_from(row, 3)? })
    };
    Ok(tx.try_query(PAYMENTS, params![most], read)?)
}

/// Returns a deposit as it is shown: a staged one says why its payment has not been sent.
pub fn of_deposit(tx: &mut Tx<'_>, company: Uuid, mut deposit: TaxDeposit) -> Result<TaxDeposit, Error> {
    if deposit.state != DepositState::Staged {
        return Ok(deposit);
    }
    for id in [deposit.batch, deposit.debit].into_iter().flatten() {
        let Some(batch) = Batch::find(tx, company, id)? else { continue };
        if let Some(why) = why_not_sent(tx, &batch)? {
            deposit.reason = Some(why);
            break;
        }
    }
    Ok(deposit)
}

fn why_not_sent(tx: &mut Tx<'_>, batch: &Batch) -> Result<Option<String>, Error> {
    match (batch.state, batch.file) {
        (BatchState::Held, _) => Ok(batch.reason.clone()),
        (BatchState::Filed, Some(file)) => {
            let file = rows::find_file(tx, file)?;
            let waits = file.state == FileState::AwaitingApproval;
            Ok(waits.then(|| format!("its file {} waits for approval", file.name)))
        }
        _ => Ok(None),
    }
}

/// Whether a deposit is due and the bank does not have it.
pub fn is_late(deposit: &TaxDeposit, today: Date) -> bool {
    matches!(deposit.state, DepositState::Scheduled | DepositState::Staged) && deposit.due <= today
}
