//! The payments of a processed payroll, made once it can no longer be cancelled.
//!
//! Entries are made for a limited number of employees at a time, and the progress is recorded, so that a crash never duplicates one. Then
//! one unit adds the debit that funds them and releases the batches for a file.

use jiff::{Timestamp, ToSpan};
use rules::Violation;
use rules::payment::AccountType;
use store::{Store, Tx};
use uuid::Uuid;

use super::debits::{self, funded_at};
use super::funding::{self, Mode};
use super::payees::Payees;
use super::purpose::{Purpose, Subject};
use super::rows::{Batch, BatchState, Entry, EntryState, Kind};
use super::wires::{self, WireInRequest};
use super::{again, net_pay, recovery, rows, settings, support};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events;
use crate::pay::payrolls;
use crate::pay::payrolls::paid::{self, Outcome};
use crate::pay::payrolls::rows::Payroll;
use crate::people::payment_methods::payable;
use crate::people::payment_methods::rows::BankAccount;
use crate::platform::jobs;

/// Employees whose payments are made in one unit.
const AT_ONCE: i64 = 100;
/// Maximum cents of an entry.
pub(super) const MOST_CENTS: i64 = ach::entry::MOST_CENTS.cast_signed();

/// Why a batch is held until the operator acts and releases it (`stipend bank retry`).
pub const NO_COMPANY_ACCOUNT: &str = "the company has no verified bank account that funds payroll";
/// Why a batch is held.
pub const NO_BANK: &str = "no bank settings exist";
/// Why credits are held.
pub const NO_WIRE: &str = "the wire that funds it has not arrived";
/// Why credits are held.
pub const DEBIT_RETURNED: &str = "the debit that funds it was returned";
/// Why credits are held.
pub const NOT_RECOVERED: &str = "a returned debit of the company has not been recovered";

/// Makes the payments of a payroll, and releases held ones; no-op if it is no longer processed, or nothing is left to release.
///
/// # Errors
/// A store error.
pub async fn prepare(store: &Store, company: Uuid, payroll: Uuid) -> Result<(), Error> {
    while store.write(move |tx| some(tx, company, payroll)).await? {}
    store.write(move |tx| finish(tx, company, payroll)).await
}

/// Makes the payments of some employees; returns whether there may be more.
///
/// # Errors
/// A store error.
pub fn some(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<bool, Error> {
    rows::guard(tx, company, id)?;
    let Some((payroll, run)) = payable(tx, company, id)? else { return Ok(false) };
    if settings::find(tx)?.is_none() || payroll.check_only {
        return Ok(false);
    }
    let mut made = rows::of_payroll(tx, company, id)?;
    let Some(mut pay) = take(tx, company, &payroll, &mut made, Kind::Pay)? else { return Ok(false) };
    let some = paid::after(tx, company, run, pay.prepared_to.unwrap_or(Uuid::nil()), AT_ONCE)?;
    let (Some(first), Some(last)) = (some.first(), some.last()) else { return Ok(false) };
    let Some(mut to_agencies) = take(tx, company, &payroll, &mut made, Kind::Support)? else {
        return Ok(false);
    };
    pay.prepared_to = Some(last.employee);
    let payees = Payees::of(tx, company, run, (first.employee, last.employee))?;
    for outcome in &some {
        if !payroll.partner_pays {
            pay_employee(tx, company, &mut pay, (outcome, &payees))?;
        }
        for deduction in outcome.paid()?.deductions.iter().filter(|one| one.support) {
            support::pay(tx, company, &mut to_agencies, deduction.id)?;
        }
    }
    save(tx, company, &pay)?;
    save(tx, company, &to_agencies)?;
    Ok(true)
}

/// Returns the payroll with its calculation, if it is processed.
fn payable(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<(Payroll, Uuid)>, Error> {
    let payroll = payrolls::rows::find(tx, company, id)?;
    let payroll = payroll.filter(Payroll::is_processed);
    Ok(payroll.and_then(|payroll| payroll.run.map(|run| (payroll, run))))
}

/// Returns the batch of a kind that is being prepared, created if missing; `None` if it has already been prepared.
fn take(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
    made: &mut Vec<Batch>,
    kind: Kind,
) -> Result<Option<Batch>, Error> {
    if let Some(at) = made.iter().position(|batch| batch.kind == kind) {
        let batch = made.swap_remove(at);
        return Ok((batch.state == BatchState::Preparing).then_some(batch));
    }
    let batch = new_batch(tx, Subject::payroll(payroll.id, payroll.check_date), kind);
    batch.insert(tx, company)?;
    Ok(Some(batch))
}

/// Returns an empty batch.
pub fn new_batch(tx: &mut Tx<'_>, subject: Subject, kind: Kind) -> Batch {
    Batch {
        id: tx.new_id(),
        payroll: subject.id,
        purpose: subject.purpose,
        kind,
        holders: kind.holders(),
        check_date: subject.day,
        state: BatchState::Preparing,
        reason: None,
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
///
/// # Errors
/// A store error.
pub(super) fn save(tx: &mut Tx<'_>, company: Uuid, batch: &Batch) -> Result<(), Error> {
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
///
/// # Errors
/// A store error.
pub(super) fn add(tx: &mut Tx<'_>, company: Uuid, batch: &mut Batch, mut entry: Entry) -> Result<(), Error> {
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

/// Adds the pay of an employee to a batch, by account.
fn pay_employee(
    tx: &mut Tx<'_>,
    company: Uuid,
    batch: &mut Batch,
    (outcome, payees): (&Outcome, &Payees),
) -> Result<(), Error> {
    let splits = outcome.paid()?.splits;
    if splits.iter().all(|(_, cents)| *cents <= 0) {
        return Ok(());
    }
    let name = payees.name(outcome.employee)?;
    for (account, cents) in splits.into_iter().filter(|(_, cents)| *cents > 0) {
        let mut entry = new_entry(tx, batch, cents, name);
        (entry.employee, entry.account) = (Some(outcome.employee), Some(account));
        let found = payees.account(account).filter(|one| one.employee == outcome.employee);
        let is_returned = found.is_some_and(|one| one.returned_code.is_some());
        let found =
            if is_returned { instead_of_returned(tx, company, outcome.employee, payees)? } else { found };
        // The amount is held if the account is gone: the employer decides. What cannot go to an account that had a payment returned, and
        // has no other, is paid by check.
        match found {
            Some(found) => {
                (entry.account, entry.account_type) = (Some(found.id), found.account_type);
                let routing = found.routing_number(tx, company)?;
                let number = found.account_number(tx, company)?;
                entry.seal(tx, company, (&routing, &number), None)?;
                add(tx, company, batch, entry)?;
            }
            None if is_returned => again::by_check_at_once(tx, company, entry)?,
            None => add(tx, company, batch, entry)?,
        }
    }
    Ok(())
}

/// Returns the account that receives what cannot go to one that had a payment returned.
fn instead_of_returned<'p>(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    payees: &'p Payees,
) -> Result<Option<&'p BankAccount>, Error> {
    let other = payable::of_employee(tx, company, employee)?.last_account();
    Ok(other.and_then(|id| payees.account(id)).filter(|one| one.employee == employee))
}

/// Adds the debit, and releases the batches for a file.
///
/// # Errors
/// A store error.
pub fn finish(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<(), Error> {
    rows::guard(tx, company, id)?;
    let Some((payroll, _)) = payable(tx, company, id)? else { return Ok(()) };
    if release_all(tx, company, Subject::payroll(id, payroll.check_date))? {
        return Ok(());
    }
    let made = rows::of_payroll(tx, company, id)?;
    await_what_is_left(tx, company, &payroll, &made)
}

/// Adds the debit, and releases everything of a subject that was prepared or is held, under its guard; returns false if there are no credits to
/// release.
///
/// # Errors
/// A store error.
pub(super) fn release_all(tx: &mut Tx<'_>, company: Uuid, subject: Subject) -> Result<bool, Error> {
    let made = rows::of_payroll(tx, company, subject.id)?;
    let settings = settings::find(tx)?;
    let waiting = |batch: &&Batch| matches!(batch.state, BatchState::Preparing | BatchState::Held);
    let waiting: Vec<Batch> = made.iter().filter(waiting).cloned().collect();
    let (credits, others): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|batch| batch.kind.is_credit());
    for batch in others {
        release(tx, company, batch, None)?;
    }
    // A follow-up payment has its own debit, or no longer needs one.
    let (credits, followers): (Vec<_>, Vec<_>) =
        credits.into_iter().partition(|batch| matches!(batch.kind, Kind::Pay | Kind::Support));
    for batch in followers {
        again::let_go(tx, company, batch)?;
    }
    let (full, empty): (Vec<_>, Vec<_>) = credits.into_iter().partition(|batch| batch.entries > 0);
    for mut batch in empty {
        batch.state = BatchState::Void;
        save(tx, company, &batch)?;
    }
    let total: i64 = full.iter().map(|batch| batch.cents).sum();
    let (Some(settings), false) = (settings, full.is_empty()) else { return Ok(false) };
    let funding = funding::of_payroll(tx, company, subject.id)?;
    if funding.mode == Mode::Wire {
        by_wire(tx, company, subject.id, full)?;
        return Ok(true);
    }
    let debit = match debits::of_payroll(tx, company, subject.id, None)? {
        Some(debit) => Some(debit),
        None => {
            let wanted = debits::Wanted { subject, kind: Kind::Debit, cents: total, held: None };
            debits::make(tx, company, &settings, wanted)?
        }
    };
    let Some(debit) = debit else {
        full.into_iter().try_for_each(|batch| hold(tx, company, batch, NO_COMPANY_ACCOUNT))?;
        return Ok(true);
    };
    let due = funded_at(tx, &settings, funding, &debit);
    full.into_iter().try_for_each(|batch| release(tx, company, batch, due))?;
    Ok(true)
}

/// Handles a payroll without payments to release. If nothing goes to a bank, it is paid by check or by hand on the check date; if
/// everything has already gone to the bank, it is paid now; held amounts stay unpaid.
fn await_what_is_left(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
    made: &[Batch],
) -> Result<(), Error> {
    if payroll.paid_at.is_some() || !net_pay::is_all_made(tx, company, payroll.id)? {
        return Ok(());
    }
    if !made.iter().any(|batch| batch.kind.is_credit() && batch.entries > 0) {
        return payrolls::processing::await_pay_date(tx, company, payroll);
    }
    // In its own job: the payroll's guard comes before that of its payments.
    let now = tx.now();
    jobs::schedule(tx, company, jobs::Kind::PayrollPaid, payroll.id, now)
}

/// Releases credits that a wire funds, or holds them until it arrives. Nothing is debited.
pub(super) fn by_wire(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: Uuid,
    credits: Vec<Batch>,
) -> Result<(), Error> {
    let wire = wires::of_payroll(tx, company, payroll)?;
    let arrived = wire.is_some_and(|wire| wire.status == wires::Status::Approved);
    credits.into_iter().try_for_each(|batch| {
        if arrived { release(tx, company, batch, None) } else { hold(tx, company, batch, NO_WIRE) }
    })
}

/// Whether a batch is held for lack of a company account.
pub(super) fn awaits_account(batch: &Batch) -> bool {
    batch.state == BatchState::Held && batch.reason.as_deref() == Some(NO_COMPANY_ACCOUNT)
}

/// Holds a batch for the operator, or for a company account; in the latter case the company is notified, once.
pub(super) fn hold(tx: &mut Tx<'_>, company: Uuid, mut batch: Batch, why: &str) -> Result<(), Error> {
    let told = awaits_account(&batch);
    (batch.state, batch.reason) = (BatchState::Held, Some(why.to_owned()));
    save(tx, company, &batch)?;
    if why == NO_COMPANY_ACCOUNT && !told {
        events::emit_of_company(tx, company, events::NOTIFICATION_BANK_ACCOUNT_CREATED, batch.id)?;
    }
    Ok(())
}

/// Records that a wire has arrived, and releases the credits that waited for it.
///
/// # Errors
/// As [`wires::approve`].
pub fn wire_arrived(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<WireInRequest, Error> {
    let found = wires::get(tx, caller, id)?;
    rows::guard(tx, caller.company, found.payroll)?;
    let wire = wires::approve(tx, caller, id)?;
    if wire.case.is_some() {
        recovery::by_wire(tx, caller, wire.payroll)?;
        return Ok(wire);
    }
    let made = rows::of_payroll(tx, caller.company, wire.payroll)?;
    // Before the cut-off there are no batches yet; once made, they find that the wire has arrived.
    if let Some(batch) = made.iter().find(|batch| batch.state == BatchState::Held) {
        let now = tx.now();
        look_again(tx, caller.company, batch, now)?;
    }
    Ok(wire)
}

/// Releases a batch for the next file that is made after a given time, or after now.
pub(super) fn release(
    tx: &mut Tx<'_>,
    company: Uuid,
    mut batch: Batch,
    due: Option<Timestamp>,
) -> Result<(), Error> {
    let now = tx.now();
    if awaits_account(&batch) {
        events::emit_of_company(tx, company, events::NOTIFICATION_BANK_ACCOUNT_RESOLVED, batch.id)?;
    }
    (batch.state, batch.reason) = (BatchState::Ready, None);
    batch.due = Some(due.unwrap_or(now).max(now));
    save(tx, company, &batch)?;
    schedule(tx, &batch)
}

/// Schedules a file for when a batch is due and others have had time to join it.
///
/// # Errors
/// A store error.
fn schedule(tx: &mut Tx<'_>, batch: &Batch) -> Result<(), Error> {
    let due = settings::gather(batch.due.unwrap_or_else(|| tx.now()));
    jobs::schedule(tx, settings::OPERATOR, jobs::Kind::BankFile, batch.id, due)
}

/// Refuses to cancel a payroll, or a group of contractor payments, whose payments were made. This is decided under the guard under which they are made, regardless of what the
/// clocks of two nodes say about the deadline.
///
/// # Errors
/// 422; a store error.
pub fn refuse_prepared(tx: &mut Tx<'_>, caller: &Caller, payroll: Uuid) -> Result<(), Error> {
    rows::guard(tx, caller.company, payroll)?;
    if rows::of_payroll(tx, caller.company, payroll)?.is_empty() {
        return Ok(());
    }
    Err(Error::from(Violation::operation("The payments are being made; they can no longer be cancelled.")))
}

/// Rechecks the payments that wait for a company account, now that it has been verified.
///
/// # Errors
/// A store error.
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
///
/// # Errors
/// A store error.
pub fn retry(tx: &mut Tx<'_>, most: i64) -> Result<usize, Error> {
    let held = rows::held(tx, most)?;
    let now = tx.now();
    for one in &held {
        look_again(tx, one.company, &one.batch, now + 1.second())?;
    }
    Ok(held.len())
}

/// Schedules a recheck of what the payments of a held batch belong to.
///
/// # Errors
/// A store error.
pub(super) fn look_again(tx: &mut Tx<'_>, company: Uuid, held: &Batch, due: Timestamp) -> Result<(), Error> {
    let kind = match held.purpose {
        Purpose::Payroll => jobs::Kind::PayrollCredits,
        Purpose::TaxDeposit => jobs::Kind::TaxDeposit,
        Purpose::Contractors => jobs::Kind::ContractorCredits,
    };
    jobs::schedule(tx, company, kind, held.payroll, due)
}
