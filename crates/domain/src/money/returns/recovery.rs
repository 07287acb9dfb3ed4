//! Recovery of a company's returned debit: the debit is presented again, or the company sends a wire. Until the debit is recovered, the
//! company's payrolls are blocked ([`cases::are_payrolls_blocked`]).
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
use crate::money::bank::banking_days::{
    banking_days_after, day_start_in_california, earliest_settlement, settled_on, today_in_california,
};
use crate::money::batches::lifecycle::{add_entry, look_again, new_batch, new_entry, release_batch};
use crate::money::batches::transit;
use crate::money::funding::cases::{self, CaseStatus, RecoveryCase};
use crate::money::funding::wires::{self, WireInRequest};
use crate::money::ledger::bank_files;
use crate::money::ledger::rows::{self, Batch, BatchKind, BatchState, Entry, EntryState};
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
    fn owed_of_payroll(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid) -> Result<Self, Error> {
        let mut owed = Self { returned: Vec::new(), under_way: 0 };
        for batch in rows::of_payroll(tx, company, payroll)? {
            if !matches!(batch.kind, BatchKind::Debit | BatchKind::TaxDebit | BatchKind::Redebit) {
                continue;
            }
            let again = batch.kind == BatchKind::Redebit && !has_settled(tx, &batch)?;
            for entry in rows::entries_after(tx, company, batch.id, 0, MOST_ENTRIES)? {
                match entry.state {
                    EntryState::Returned => owed.returned.push(entry),
                    EntryState::Sent if again => owed.under_way += entry.cents,
                    _ => {}
                }
            }
        }
        Ok(owed)
    }

    fn total_cents(&self) -> i64 {
        self.under_way + self.returned.iter().map(|entry| entry.cents).sum::<i64>()
    }
}

/// Whether the return period of a batch's entries is over.
fn has_settled(tx: &mut Tx<'_>, batch: &Batch) -> Result<bool, Error> {
    let moved = bank_files::settlement_date_at_bank(tx, batch)?;
    Ok(moved.is_some_and(|moved| today_in_california(tx.now()) >= settled_on(moved)))
}

/// Opens or reopens the case of a returned debit. The debit was recorded as returned, under the guard of its payroll.
pub fn open_case(tx: &mut Tx<'_>, caller: &Caller, batch: &Batch, code: &str) -> Result<(), Error> {
    let company = caller.company;
    let owed = Owed::owed_of_payroll(tx, company, batch.payroll)?;
    lock_case(tx, company, batch.payroll)?;
    let (mut case, before) = match cases::of_payroll(tx, company, batch.payroll)? {
        Some(case) => {
            let before = case.status;
            (case, Some(before))
        }
        None => (new_case(tx, batch), None),
    };
    case.status = CaseStatus::Open;
    (case.code, case.outstanding_cents) = (code.to_owned(), owed.total_cents());
    if before.is_none() {
        case.insert(tx, company)?;
        cases::audit_case(tx, caller, &case, "created")?;
    } else {
        cases::save_case(tx, caller, &mut case, "returned")?;
    }
    let until = day_start_in_california(
        banking_days_after(today_in_california(tx.now()), DAYS_OF_WIRES).saturating_add(1.day()),
    );
    wires::ask_for_case(tx, caller, &case, until)?;
    if before == Some(CaseStatus::Open) {
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
        status: CaseStatus::Open,
        code: String::new(),
        outstanding_cents: 0,
        tries: 0,
        version: 1,
    }
}

/// Takes the guards needed for a case, always in this order.
fn lock_case(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid) -> Result<(), Error> {
    rows::lock_payroll_batches(tx, company, payroll)?;
    wires::lock_payroll_wires(tx, company, payroll)?;
    cases::lock_payroll_case(tx, company, payroll)
}

fn find_guarded_case(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<RecoveryCase, Error> {
    let found = cases::get_case(tx, caller, id)?;
    lock_case(tx, caller.company, found.payroll)?;
    cases::get_case(tx, caller, id)
}

/// Presents a returned debit again: the same amounts from the same account, with the next file.
///
/// # Errors
/// "Not found"; 422 if the Nacha rules do not allow it, the account has changed, or a recovery is already in progress; a store error.
pub fn redebit_company(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    let company = caller.company;
    let mut case = find_guarded_case(tx, caller, id)?;
    let owed = Owed::owed_of_payroll(tx, company, case.payroll)?;
    if let Some(why) = why_not(tx, caller, &case, &owed)? {
        return Err(refusal_error(why));
    }
    let mut batch = new_batch(tx, case.funded_subject(), BatchKind::Redebit);
    batch.insert(tx, company)?;
    for mut entry in owed.returned {
        let Some(opened) = entry.open_fields(tx, company)? else { continue };
        let mut next = new_entry(tx, &batch, entry.cents, &entry.name);
        (next.account, next.account_type, next.replaces) =
            (entry.account, entry.account_type, Some(entry.id));
        next.seal_fields(tx, company, (&opened.routing, &opened.account), None)?;
        add_entry(tx, company, &mut batch, next)?;
        mark_replaced(tx, company, &mut entry)?;
    }
    release_batch(tx, company, batch, None)?;
    wires::cancel_of_case(tx, caller, (case.payroll, case.id))?;
    case.status = CaseStatus::RedebitInitiated;
    case.tries += 1;
    cases::save_case(tx, caller, &mut case, "redebit_initiated")
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
        CaseStatus::Open => None,
        // Only the operator can see that no wire has arrived.
        CaseStatus::WireInitiated if is_operator => None,
        CaseStatus::WireInitiated => Some("The company reports having sent a wire; it is awaited."),
        CaseStatus::RedebitInitiated => Some("The debit has already been presented again."),
        CaseStatus::Recovered => Some("The money has been received."),
        CaseStatus::Lost => Some("The case was written off."),
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
    let account = accounts::current_account(tx, caller.company)?;
    let same = account
        .filter(|one| one.verification == Verification::Verified)
        .is_some_and(|one| owed.returned.iter().all(|entry| entry.account == Some(one.id)));
    Ok((!same).then(|| format!("The company now pays from another account. {SEND_A_WIRE}")))
}

const SEND_A_WIRE: &str = "Send a wire: see the wire-in requests of the company.";

fn mark_replaced(tx: &mut Tx<'_>, company: Uuid, entry: &mut Entry) -> Result<(), Error> {
    entry.state = EntryState::Replaced;
    assert!(entry.update(tx, company)?, "the row was read under its guard");
    Ok(())
}

/// Recovers the case of a payroll whose debit was presented again and not returned.
pub fn recover_settled_case(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid) -> Result<(), Error> {
    lock_case(tx, company, payroll)?;
    let under_way = |case: &RecoveryCase| case.status == CaseStatus::RedebitInitiated;
    let Some(case) = cases::of_payroll(tx, company, payroll)?.filter(under_way) else { return Ok(()) };
    if Owed::owed_of_payroll(tx, company, payroll)?.total_cents() > 0 {
        return Ok(());
    }
    let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
    record_recovery(tx, &caller, case)
}

/// Recovers the case of a payroll whose wire has arrived.
pub(in crate::money) fn by_wire(tx: &mut Tx<'_>, caller: &Caller, payroll: Uuid) -> Result<(), Error> {
    lock_case(tx, caller.company, payroll)?;
    match cases::of_payroll(tx, caller.company, payroll)? {
        Some(case) if case.status != CaseStatus::Recovered => record_recovery(tx, caller, case),
        _ => Ok(()),
    }
}

/// Records that the money was received, and releases the company's held payments.
fn record_recovery(tx: &mut Tx<'_>, caller: &Caller, mut case: RecoveryCase) -> Result<(), Error> {
    let company = caller.company;
    let mut received = 0;
    for mut entry in Owed::owed_of_payroll(tx, company, case.payroll)?.returned {
        mark_replaced(tx, company, &mut entry)?;
        received += entry.cents;
    }
    // A debit that was presented again is posted by itself.
    transit::moved_today(tx, company, case.funded_subject(), (received, "Money for a returned debit"))?;
    (case.status, case.outstanding_cents) = (CaseStatus::Recovered, 0);
    cases::save_case(tx, caller, &mut case, "recovered")?;
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
/// As [`wires::approve_wire`].
pub fn wire_arrived(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<WireInRequest, Error> {
    let found = wires::get_wire(tx, caller, id)?;
    rows::lock_payroll_batches(tx, caller.company, found.payroll)?;
    let had_arrived = wires::get_wire(tx, caller, id)?.status == wires::WireStatus::Approved;
    let wire = wires::approve_wire(tx, caller, id)?;
    if wire.case.is_some() {
        by_wire(tx, caller, wire.payroll)?;
        return Ok(wire);
    }
    if !had_arrived {
        let memo = format!("Wire {}", wire.tracking_code);
        let today = caller.today(tx);
        books::transit::post_transfer(tx, caller.company, (wire.requested_cents, today), memo)?;
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
pub fn close_case(tx: &mut Tx<'_>, caller: &Caller, id: Uuid, how: Close) -> Result<(), Error> {
    let mut case = find_guarded_case(tx, caller, id)?;
    match case.status {
        CaseStatus::Open | CaseStatus::WireInitiated | CaseStatus::Lost => {}
        CaseStatus::RedebitInitiated => {
            return Err(refusal_error("The debit has been presented again: wait for the result.".to_owned()));
        }
        CaseStatus::Recovered => return Err(refusal_error("The money has been received.".to_owned())),
    }
    wires::cancel_of_case(tx, caller, (case.payroll, case.id))?;
    match how {
        Close::Recovered => record_recovery(tx, caller, case),
        Close::Lost if case.status == CaseStatus::Lost => Ok(()),
        Close::Lost => {
            case.status = CaseStatus::Lost;
            cases::save_case(tx, caller, &mut case, "lost")?;
            events::emit_of_company(tx, caller.company, events::NOTIFICATION_RECOVERY_CASE_RESOLVED, case.id)
        }
    }
}

fn refusal_error(message: String) -> Error {
    Error::from(Violation::new("base", Category::InvalidOperation, message))
}
