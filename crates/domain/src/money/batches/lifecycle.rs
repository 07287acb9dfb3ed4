//! The life of a batch: it is made with its entries, held, and released for a file.

use jiff::{Timestamp, ToSpan};
use rules::Violation;
use rules::payment::AccountType;
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events;
use crate::money::bank::settings;
use crate::money::funding::wires;
use crate::money::ledger::purpose::{Purpose, Subject};
use crate::money::ledger::rows::{self, Batch, BatchKind, BatchState, Entry, EntryState, HeldBy};
use crate::platform::jobs;

/// Maximum cents of an entry.
pub(in crate::money) const MOST_CENTS: i64 = ach::entry::MOST_CENTS.cast_signed();

/// Returns an empty batch.
pub fn new_batch(tx: &mut Tx<'_>, subject: Subject, kind: BatchKind) -> Batch {
    Batch {
        id: tx.new_id(),
        payroll: subject.id,
        purpose: subject.purpose,
        kind,
        holders: kind.account_holders(),
        check_date: subject.day,
        state: BatchState::Preparing,
        held_by: None,
        reason: None,
        owed_again: false,
        due: None,
        effective: None,
        entries: 0,
        cents: 0,
        largest: 0,
        prepared_to: None,
        file: None,
        number: None,
        first_trace: None,
        version: 1,
        created_at: tx.now(),
    }
}

/// Stores a batch that was read under its payroll's guard.
pub(in crate::money) fn save_batch(tx: &mut Tx<'_>, company: Uuid, batch: &Batch) -> Result<(), Error> {
    assert!(batch.update(tx, company)?, "the row was read under its guard");
    Ok(())
}

/// Returns an entry of a batch, without an account, so that it is held.
pub fn new_entry(tx: &mut Tx<'_>, batch: &Batch, cents: i64, name: &str) -> Entry {
    let id = tx.new_id();
    Entry {
        id,
        batch: batch.id,
        payroll: batch.payroll,
        place: None,
        employee: None,
        contractor: None,
        contractor_payment: None,
        account: None,
        garnishment: None,
        account_type: AccountType::Checking,
        routing_number: None,
        account_number: None,
        cents,
        receiver: id.simple().to_string()[17..].to_uppercase(),
        name: name.to_owned(),
        addendum: None,
        replaces: None,
        state: EntryState::Held,
        code: None,
        returned_on: None,
        debited: false,
        version: 1,
    }
}

/// Stores an entry, and gives it a position in its batch unless it is held.
pub(in crate::money) fn add_entry(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &mut Batch,
    mut entry: Entry,
) -> Result<(), Error> {
    // An amount above the maximum of an entry is held for a decision, like one without an account.
    if entry.account_number.is_some() && entry.cents <= MOST_CENTS {
        batch.entries += 1;
        batch.cents += entry.cents;
        batch.largest = batch.largest.max(entry.cents);
        entry.place = Some(batch.entries);
        entry.state = EntryState::Sent;
    }
    Ok(entry.insert(tx, company)?)
}

/// Releases credits that a wire funds, or holds them until it arrives. Nothing is debited.
pub(in crate::money) fn by_wire(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: Uuid,
    credits: Vec<Batch>,
) -> Result<(), Error> {
    let wire = wires::of_payroll(tx, company, payroll)?;
    let arrived = wire.is_some_and(|wire| wire.status == wires::WireStatus::Approved);
    credits.into_iter().try_for_each(|batch| {
        if arrived {
            release_batch(tx, company, batch, None)
        } else {
            hold_batch(tx, company, batch, HeldBy::NoWire)
        }
    })
}

/// Whether a batch is held for lack of a company account.
pub(in crate::money) fn awaits_account(batch: &Batch) -> bool {
    batch.state == BatchState::Held && batch.held_by == Some(HeldBy::NoCompanyAccount)
}

/// Holds a batch for the operator, who releases it (`stipend bank retry`), or for a company account; in the latter case the company is
/// notified, once.
pub(in crate::money) fn hold_batch(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: Batch,
    by: HeldBy,
) -> Result<(), Error> {
    hold_for(tx, company, batch, (by, by.reason_text()))
}

/// Holds a batch as [`hold_batch`] does, and says why in other words.
pub(in crate::money) fn hold_for(
    tx: &mut Tx<'_>,
    company: Uuid,
    mut batch: Batch,
    (by, why): (HeldBy, &str),
) -> Result<(), Error> {
    let told = awaits_account(&batch);
    (batch.state, batch.held_by, batch.reason) = (BatchState::Held, Some(by), Some(why.to_owned()));
    save_batch(tx, company, &batch)?;
    if by == HeldBy::NoCompanyAccount && !told {
        events::emit_of_company(tx, company, events::NOTIFICATION_BANK_ACCOUNT_CREATED, batch.id)?;
    }
    Ok(())
}

/// Releases a batch for the next file that is made after a given time, or after now.
pub(in crate::money) fn release_batch(
    tx: &mut Tx<'_>,
    company: Uuid,
    mut batch: Batch,
    due: Option<Timestamp>,
) -> Result<(), Error> {
    let now = tx.now();
    if awaits_account(&batch) {
        events::emit_of_company(tx, company, events::NOTIFICATION_BANK_ACCOUNT_RESOLVED, batch.id)?;
    }
    (batch.state, batch.held_by, batch.reason) = (BatchState::Ready, None, None);
    batch.due = Some(due.unwrap_or(now).max(now));
    save_batch(tx, company, &batch)?;
    schedule_file(tx, &batch)
}

/// Schedules a file for when a batch is due and others have had time to join it.
fn schedule_file(tx: &mut Tx<'_>, batch: &Batch) -> Result<(), Error> {
    let due = settings::file_time(batch.due.unwrap_or_else(|| tx.now()));
    jobs::schedule_job(tx, settings::OPERATOR, jobs::JobKind::BankFile, batch.id, due)
}

/// Schedules a recheck of what the payments of a held batch belong to.
pub(in crate::money) fn look_again(
    tx: &mut Tx<'_>,
    company: Uuid,
    held: &Batch,
    due: Timestamp,
) -> Result<(), Error> {
    let kind = match held.purpose {
        Purpose::Payroll => jobs::JobKind::PayrollCredits,
        Purpose::TaxDeposit => jobs::JobKind::TaxDeposit,
        Purpose::Contractors => jobs::JobKind::ContractorCredits,
    };
    jobs::schedule_job(tx, company, kind, held.payroll, due)
}

/// Refuses to cancel a payroll, or a group of contractor payments, whose payments were made. This is decided under the guard under which they are made, regardless of what the
/// clocks of two nodes say about the deadline.
///
/// # Errors
/// 422; a store error.
pub fn refuse_prepared(tx: &mut Tx<'_>, caller: &Caller, payroll: Uuid) -> Result<(), Error> {
    rows::lock_payroll_batches(tx, caller.company, payroll)?;
    if rows::of_payroll(tx, caller.company, payroll)?.is_empty() {
        return Ok(());
    }
    Err(Error::from(Violation::invalid_operation(
        "The payments are being made; they can no longer be cancelled.",
    )))
}

/// Rechecks the payments that wait for a company account, now that it has been verified.
pub fn account_verified(tx: &mut Tx<'_>, caller: &Caller) -> Result<(), Error> {
    let now = tx.now();
    for batch in rows::held_of(tx, caller.company)? {
        if awaits_account(&batch) {
            look_again(tx, caller.company, &batch, now)?;
        }
    }
    Ok(())
}

/// Rechecks the held batches of all companies, at most `most`; returns how many.
pub fn retry_held_batches(tx: &mut Tx<'_>, most: i64) -> Result<usize, Error> {
    let held = rows::held_batches(tx, most)?;
    let now = tx.now();
    for one in &held {
        look_again(tx, one.company, &one.batch, now + 1.second())?;
    }
    Ok(held.len())
}
