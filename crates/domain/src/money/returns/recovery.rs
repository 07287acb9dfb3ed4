//! Recovery of a company's returned debit: the debit is presented again, or the company sends a wire. Until the debit is recovered, the
//! company's payrolls are blocked ([`cases::block`]).
//!
//! The outstanding amount is calculated from the entries: returned ones, and re-presented ones that have not settled.

use jiff::ToSpan;
use rules::{Category, Violation};
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::{Actor, Caller};
use crate::company::banks::rows::{self as accounts, Verification};
use crate::company::companies;
use crate::error::Error;
use crate::events;
use crate::money::bank::banking_days::{banking_days_after, begins, earliest_settlement, settled_on, today};
use crate::money::batches::lifecycle::{add, look_again, new_batch, new_entry, release};
use crate::money::batches::transit;
use crate::money::funding::cases::{self, RecoveryCase, Status};
use crate::money::funding::wires::{self, WireInRequest};
use crate::money::ledger::bank_files;
use crate::money::ledger::rows::{self, Batch, BatchState, Entry, EntryState, Kind};
use crate::pay::books;

/// Codes after which a debit may be presented again: insufficient funds, and uncollected funds (Nacha Operating Rules,
/// Subsection 2.12.4.1).
const RETRIED: [&str; 2] = ["R01", "R09"];
/// Maximum number of times a debit may be presented again (the same subsection).
pub const MOST_TRIES: i64 = 2;
/// Days after the settlement of a debit within which it may be presented again (the same subsection).
pub const MOST_DAYS: i64 = 180;
/// Banking days within which a wire has to arrive.
const DAYS_OF_WIRES: i64 = 2;
/// Maximum entries of a debit, each of which can be nearly a hundred million dollars.
const MOST_ENTRIES: i64 = 1_000;

/// The outstanding amount of a payroll's debit.
struct Owed {
    /// returned entries that were not presented again
    returned: Vec<Entry>,
    /// cents that are presented again, and may still be returned
    under_way: i64,
}

impl Owed {
    fn of(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid) -> Result<Self, Error> {
        let mut owed = Self { returned: Vec::new(), under_way: 0 };
        for batch in rows::of_payroll(tx, company, payroll)? {
            if !matches!(batch.kind, Kind::Debit | Kind::TaxDebit | Kind::Redebit) {
                continue;
            }
            let again = batch.kind == Kind::Redebit && !has_settled(tx, &batch)?;
            for entry in rows::entries(tx, company, batch.id, 0, MOST_ENTRIES)? {
                match entry.state {
                    EntryState::Returned => owed.returned.push(entry),
                    EntryState::Sent if again => owed.under_way += entry.cents,
                    _ => {}
                }
            }
        }
        Ok(owed)
    }

    fn cents(&self) -> i64 {
        self.under_way + self.returned.iter().map(|entry| entry.cents).sum::<i64>()
    }
}

/// Whether the return period of a batch's entries is over.
fn has_settled(tx: &mut Tx<'_>, batch: &Batch) -> Result<bool, Error> {
    let moved = bank_files::settles(tx, batch)?;
    Ok(moved.is_some_and(|moved| today(tx.now()) >= settled_on(moved)))
}

/// Opens or reopens the case of a returned debit. The debit was recorded as returned, under the guard of its payroll.
///
/// # Errors
/// A store error.
pub fn returned(tx: &mut Tx<'_>, caller: &Caller, batch: &Batch, code: &str) -> Result<(), Error> {
    let company = caller.company;
    let owed = Owed::of(tx, company, batch.payroll)?;
    guard(tx, company, batch.payroll)?;
    let (mut case, before) = match cases::of_payroll(tx, company, batch.payroll)? {
        Some(case) => {
            let before = case.status;
            (case, Some(before))
        }
        None => (new_case(tx, batch), None),
    };
    case.status = Status::Open;
    (case.code, case.outstanding_cents) = (code.to_owned(), owed.cents());
    if before.is_none() {
        case.insert(tx, company)?;
        cases::note(tx, caller, &case, "created")?;
    } else {
        cases::save(tx, caller, &mut case, "returned")?;
    }
    let until = begins(banking_days_after(today(tx.now()), DAYS_OF_WIRES).saturating_add(1.day()));
    wires::ask_for_case(tx, caller, &case, until)?;
    if before == Some(Status::Open) {
        return Ok(());
    }
    events::emit_of_company(tx, company, events::NOTIFICATION_RECOVERY_CASE_CREATED, case.id)
}

fn new_case(tx: &mut Tx<'_>, debit: &Batch) -> RecoveryCase {
    RecoveryCase {
        id: tx.new_id(),
        payroll: debit.payroll,
        purpose: debit.purpose,
        check_date: debit.check_date,
        debited_on: debit.effective.unwrap_or(debit.check_date),
        event_cents: debit.cents,
        created_at: tx.now(),
        status: Status::Open,
        code: String::new(),
        outstanding_cents: 0,
        tries: 0,
        version: 1,
    }
}

/// Takes the guards needed for a case, always in this order.
fn guard(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid) -> Result<(), Error> {
    rows::guard(tx, company, payroll)?;
    wires::guard(tx, company, payroll)?;
    cases::guard(tx, company, payroll)
}

fn guarded(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<RecoveryCase, Error> {
    let found = cases::get(tx, caller, id)?;
    guard(tx, caller.company, found.payroll)?;
    cases::get(tx, caller, id)
}

/// Presents a returned debit again: the same amounts from the same account, with the next file.
///
/// # Errors
/// "Not found"; 422 if the Nacha rules do not allow it, the account has changed, or a recovery is already in progress; a store error.
pub fn redebit(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    let company = caller.company;
    let mut case = guarded(tx, caller, id)?;
    let owed = Owed::of(tx, company, case.payroll)?;
    if let Some(why) = why_not(tx, caller, &case, &owed)? {
        return Err(refused(why));
    }
    let mut batch = new_batch(tx, case.subject(), Kind::Redebit);
    batch.insert(tx, company)?;
    for mut entry in owed.returned {
        let Some(opened) = entry.open(tx, company)? else { continue };
        let mut next = new_entry(tx, &batch, entry.cents, &entry.name);
        (next.account, next.account_type, next.replaces) =
            (entry.account, entry.account_type, Some(entry.id));
        next.seal(tx, company, (&opened.routing, &opened.account), None)?;
        add(tx, company, &mut batch, next)?;
        replaced(tx, company, &mut entry)?;
    }
    release(tx, company, batch, None)?;
    wires::cancel_of_case(tx, caller, (case.payroll, case.id))?;
    case.status = Status::RedebitInitiated;
    case.tries += 1;
    cases::save(tx, caller, &mut case, "redebit_initiated")
}

/// Returns why a debit cannot be presented again.
fn why_not(
    tx: &mut Tx<'_>,
    caller: &Caller,
    case: &RecoveryCase,
    owed: &Owed,
) -> Result<Option<String>, Error> {
    let is_operator = caller.actor == Actor::Operator;
    let standing = match case.status {
        Status::Open => None,
        // Only the operator can see that no wire has arrived.
        Status::WireInitiated if is_operator => None,
        Status::WireInitiated => Some("The company reports having sent a wire; it is awaited."),
        Status::RedebitInitiated => Some("The debit has already been presented again."),
        Status::Recovered => Some("The money has been received."),
        Status::Lost => Some("The case was written off."),
    };
    if let Some(why) = standing {
        return Ok(Some(why.to_owned()));
    }
    let mut codes = owed.returned.iter().filter_map(|entry| entry.code.as_deref());
    if let Some(code) = codes.find(|code| !RETRIED.contains(code)) {
        let codes = RETRIED.join(" and ");
        return Ok(Some(format!(
            "A debit can be presented again only after {codes}; this one was returned as {code}. {SEND_A_WIRE}"
        )));
    }
    if case.tries >= MOST_TRIES {
        return Ok(Some(format!("A debit can be presented again at most {MOST_TRIES} times. {SEND_A_WIRE}")));
    }
    let last = case.debited_on.saturating_add(MOST_DAYS.days());
    if earliest_settlement(tx.now(), false) > last {
        return Ok(Some(format!(
            "A debit can be presented again only within {MOST_DAYS} days, until {last}. {SEND_A_WIRE}"
        )));
    }
    let account = accounts::current(tx, caller.company)?;
    let same = account
        .filter(|one| one.verification == Verification::Verified)
        .is_some_and(|one| owed.returned.iter().all(|entry| entry.account == Some(one.id)));
    Ok((!same).then(|| format!("The company now pays from another account. {SEND_A_WIRE}")))
}

const SEND_A_WIRE: &str = "Send a wire: see the wire-in requests of the company.";

fn replaced(tx: &mut Tx<'_>, company: Uuid, entry: &mut Entry) -> Result<(), Error> {
    entry.state = EntryState::Replaced;
    assert!(entry.update(tx, company)?, "the row was read under its guard");
    Ok(())
}

/// Recovers the case of a payroll whose debit was presented again and not returned.
///
/// # Errors
/// A store error.
pub fn settled(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid) -> Result<(), Error> {
    guard(tx, company, payroll)?;
    let under_way = |case: &RecoveryCase| case.status == Status::RedebitInitiated;
    let Some(case) = cases::of_payroll(tx, company, payroll)?.filter(under_way) else { return Ok(()) };
    if Owed::of(tx, company, payroll)?.cents() > 0 {
        return Ok(());
    }
    let caller = Caller::service(company, companies::time_zone(tx, company)?);
    recovered(tx, &caller, case)
}

/// Recovers the case of a payroll whose wire has arrived.
pub(in crate::money) fn by_wire(tx: &mut Tx<'_>, caller: &Caller, payroll: Uuid) -> Result<(), Error> {
    guard(tx, caller.company, payroll)?;
    match cases::of_payroll(tx, caller.company, payroll)? {
        Some(case) if case.status != Status::Recovered => recovered(tx, caller, case),
        _ => Ok(()),
    }
}

/// Records that the money was received, and releases the company's held payments.
fn recovered(tx: &mut Tx<'_>, caller: &Caller, mut case: RecoveryCase) -> Result<(), Error> {
    let company = caller.company;
    let mut received = 0;
    for mut entry in Owed::of(tx, company, case.payroll)?.returned {
        replaced(tx, company, &mut entry)?;
        received += entry.cents;
    }
    // A debit that was presented again is posted by itself.
    transit::moved_today(tx, company, case.subject(), (received, "Money for a returned debit"))?;
    (case.status, case.outstanding_cents) = (Status::Recovered, 0);
    cases::save(tx, caller, &mut case, "recovered")?;
    events::emit_of_company(tx, company, events::NOTIFICATION_RECOVERY_CASE_RESOLVED, case.id)?;
    let now = tx.now();
    for batch in rows::held_of(tx, company)? {
        look_again(tx, company, &batch, now)?;
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
    let had_arrived = wires::get(tx, caller, id)?.status == wires::Status::Approved;
    let wire = wires::approve(tx, caller, id)?;
    if wire.case.is_some() {
        by_wire(tx, caller, wire.payroll)?;
        return Ok(wire);
    }
    if !had_arrived {
        let memo = format!("Wire {}", wire.tracking_code);
        let today = caller.today(tx);
        books::transit::transfer(tx, caller.company, (wire.requested_cents, today), memo)?;
    }
    let made = rows::of_payroll(tx, caller.company, wire.payroll)?;
    // Before the cut-off there are no batches yet; once made, they find that the wire has arrived.
    if let Some(batch) = made.iter().find(|batch| batch.state == BatchState::Held) {
        let now = tx.now();
        look_again(tx, caller.company, batch, now)?;
    }
    Ok(wire)
}

/// How the operator closes a case by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Close {
    /// the money was received in another way
    Recovered,
    /// it is written off
    Lost,
}

/// Closes a case by hand.
///
/// # Errors
/// "Not found"; 422 if it is recovered, or its debit is being presented again; a store error.
pub fn close(tx: &mut Tx<'_>, caller: &Caller, id: Uuid, how: Close) -> Result<(), Error> {
    let mut case = guarded(tx, caller, id)?;
    match case.status {
        Status::Open | Status::WireInitiated | Status::Lost => {}
        Status::RedebitInitiated => {
            return Err(refused("The debit has been presented again: wait for the result.".to_owned()));
        }
        Status::Recovered => return Err(refused("The money has been received.".to_owned())),
    }
    wires::cancel_of_case(tx, caller, (case.payroll, case.id))?;
    match how {
        Close::Recovered => recovered(tx, caller, case),
        Close::Lost if case.status == Status::Lost => Ok(()),
        Close::Lost => {
            case.status = Status::Lost;
            cases::save(tx, caller, &mut case, "lost")?;
            events::emit_of_company(tx, caller.company, events::NOTIFICATION_RECOVERY_CASE_RESOLVED, case.id)
        }
    }
}

fn refused(message: String) -> Error {
    Error::from(Violation::new("base", Category::InvalidOperation, message))
}
