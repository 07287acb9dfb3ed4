//! Wires that companies send before their credits go out, if the operator requires it ([`crate::money::funding`]).
//!
//! A request is created when a payroll is processed, and when a debit is returned ([`crate::money::returns::recovery`]). The company reports that it sent
//! the wire; the operator, who sees the account, records that it arrived.

use jiff::Timestamp;
use jiff::civil::Date;
use rules::{Amount, Category, Checks, Named, Violation, check};
use serde_json::json;
use store::{Tx, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use super::cases::{self, RecoveryCase};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::money::ledger::purpose::{Purpose, Subject};
use crate::paging::{Listed, Page};
use crate::patch::{Patch, as_is};
use crate::platform::audit;
use crate::records::MOST_TOGETHER;

/// The status of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum WireStatus {
    /// the company has not reported a wire
    #[strum(serialize = "awaiting_funds")]
    AwaitingFunds,
    /// the company reports that it was sent
    #[strum(serialize = "pending_review")]
    PendingReview,
    /// it arrived
    #[strum(serialize = "approved")]
    Approved,
    /// no longer needed: the payroll was cancelled, or the returned debit was presented again, returned again or closed by hand
    #[strum(serialize = "canceled")]
    Canceled,
}

store::record! {
    /// An awaited wire.
    #[derive(Debug, Clone)]
    pub struct WireInRequest in "wire_in_requests" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fixed {
            /// what it funds: a payroll, a tax deposit, or a group of contractor payments
            pub payroll: Uuid = "payroll_id",
            /// which of them it is
            pub purpose: Purpose as text,
            /// the reference to put on the wire
            pub tracking_code: String,
            /// requested amount, in cents
            pub requested_cents: i64,
            /// when it has to arrive
            pub deadline: Timestamp,
            /// the case of the returned debit that it replaces; `None` if it funds the credits of the payroll
            pub case: Option<Uuid> = "recovery_case_id",
        }
        fields {
            /// its status
            pub status: WireStatus as text,
            /// when it was sent
            pub date_sent: Option<Date>,
            /// the bank that sent it
            pub bank_name: Option<String>,
            /// sent amount, in cents
            pub sent_cents: Option<i64>,
            /// notes
            pub notes: Option<String>,
        }
        times { created_at, updated_at }
        version
    }
}

store::statements! {
    records WireInRequest;
    LIST = store::text!(WireInRequest::SELECT, " ORDER BY id LIMIT $2 OFFSET $3");
    COUNT = "SELECT count(*) FROM wire_in_requests WHERE company_id = $1";
    OPEN = store::text!(WireInRequest::SELECT, " AND payroll_id = $2 AND recovery_case_id IS NULL AND status <> 'canceled' \
           ORDER BY id DESC LIMIT 1");
    ARRIVED = store::text!(WireInRequest::SELECT, " AND payroll_id = $2 AND recovery_case_id IS NULL AND status = 'approved' \
              ORDER BY id LIMIT $3");
    OF_CASE = store::text!(WireInRequest::SELECT, " AND payroll_id = $2 AND recovery_case_id = $3 \
              AND (status = 'awaiting_funds' OR status = 'pending_review') ORDER BY id DESC LIMIT 1");
}

/// A report that a wire was sent.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct UpdateWireInRequest {
    pub date_sent: Patch<Date>,
    pub bank_name: Patch<String>,
    pub amount_sent: Patch<Amount>,
    pub additional_notes: Patch<String>,
}

/// Maximum characters of a bank's name, and of notes.
const LONGEST: usize = 500;

/// Returns the wires of a company, in the order in which they were requested.
///
/// # Errors
/// 422 when an unpaged list is too long; a store error.
pub fn list_wires(tx: &mut Tx<'_>, caller: &Caller, page: Page) -> Result<Listed<WireInRequest>, Error> {
    let (limit, offset) = page.limit_and_offset();
    let found = tx.try_query(LIST, params![caller.company, limit, offset], WireInRequest::read)?;
    Listed::new(page, found, || {
        Ok(tx.find_row(COUNT, params![caller.company], |row| row.get::<i64>(0))?.unwrap_or(0))
    })
}

/// Returns a wire of a company.
///
/// # Errors
/// "Not found"; a store error.
pub fn get_wire(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<WireInRequest, Error> {
    WireInRequest::find(tx, caller.company, id)?.ok_or(Error::NotFound)
}

/// Returns the wire for the credits of a payroll, unless it was withdrawn.
pub fn of_payroll(tx: &mut Tx<'_>, company: Uuid, payroll: Uuid) -> Result<Option<WireInRequest>, Error> {
    Ok(tx.try_find(OPEN, params![company, payroll], WireInRequest::read)?)
}

/// Requests a wire; no-op if one is awaited already, or nothing is to be paid. Wires that arrived for the payroll before it was cancelled
/// count: only the remaining amount is requested.
pub fn request_wire(
    tx: &mut Tx<'_>,
    company: Uuid,
    subject: Subject,
    (requested_cents, deadline): (i64, Timestamp),
) -> Result<(), Error> {
    let payroll = subject.id;
    lock_payroll_wires(tx, company, payroll)?;
    let awaited = of_payroll(tx, company, payroll)?.is_some_and(|wire| wire.status != WireStatus::Approved);
    let arrived = tx.try_query_all(ARRIVED, params![company, payroll], MOST_TOGETHER, WireInRequest::read)?;
    let missing = requested_cents - arrived.iter().map(|wire| wire.requested_cents).sum::<i64>();
    if missing <= 0 || awaited {
        return Ok(());
    }
    let wire = new_wire(tx, subject, (missing, deadline));
    Ok(wire.insert(tx, company)?)
}

/// Requests a wire that replaces a returned debit, in place of any that was already requested for it.
pub(in crate::money) fn ask_for_case(
    tx: &mut Tx<'_>,
    caller: &Caller,
    case: &RecoveryCase,
    deadline: Timestamp,
) -> Result<(), Error> {
    cancel_of_case(tx, caller, (case.payroll, case.id))?;
    let wire = WireInRequest {
        case: Some(case.id),
        ..new_wire(tx, case.funded_subject(), (case.outstanding_cents, deadline))
    };
    Ok(wire.insert(tx, caller.company)?)
}

fn new_wire(
    tx: &mut Tx<'_>,
    subject: Subject,
    (requested_cents, deadline): (i64, Timestamp),
) -> WireInRequest {
    let id = tx.new_id();
    WireInRequest {
        id,
        payroll: subject.id,
        purpose: subject.purpose,
        // Short enough to be read over the telephone, and without letters that look alike.
        tracking_code: format!("W{}", &id.simple().to_string()[20..].to_uppercase()),
        requested_cents,
        deadline,
        case: None,
        status: WireStatus::AwaitingFunds,
        date_sent: None,
        bank_name: None,
        sent_cents: None,
        notes: None,
        version: 1,
    }
}

/// Returns the wire, under the guard of its payroll.
fn find_guarded_wire(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<WireInRequest, Error> {
    let found = get_wire(tx, caller, id)?;
    lock_payroll_wires(tx, caller.company, found.payroll)?;
    get_wire(tx, caller, id)
}

/// Takes the guard under which the wires of a payroll are changed.
pub(in crate::money) fn lock_payroll_wires(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: Uuid,
) -> Result<(), Error> {
    Ok(tx.take_guard(company, WireInRequest::TABLE, payroll)?)
}

fn save_wire(
    tx: &mut Tx<'_>,
    caller: &Caller,
    wire: &mut WireInRequest,
    action: &'static str,
) -> Result<(), Error> {
    assert!(wire.update(tx, caller.company)?, "the row was read under its guard");
    wire.version += 1;
    let told = json!({ "status": wire.status.as_str(), "amount_sent": wire.sent_cents });
    audit::record_audit_entry(tx, caller, action, (WireInRequest::TABLE, wire.id), &told)
}

/// Returns a reported field of a wire: the previous value is kept if none is sent, and one of them must exist.
fn check_reported_field<T, R>(
    field: &Patch<T>,
    before: Option<R>,
    key: &str,
    checks: &mut Checks,
    check: impl FnOnce(&str, &T) -> Result<R, Violation>,
) -> Option<R> {
    match field {
        Patch::Absent | Patch::Null if before.is_some() => before,
        _ => field.required(key, checks, check),
    }
}

/// Records that the company has sent a wire. The report can be repeated until the wire has arrived.
///
/// # Errors
/// "Not found"; 422 for every violation of the input, and if the wire has arrived or is no longer needed; a store error.
pub fn report_wire_sent(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &UpdateWireInRequest,
) -> Result<WireInRequest, Error> {
    let mut wire = find_guarded_wire(tx, caller, id)?;
    if !matches!(wire.status, WireStatus::AwaitingFunds | WireStatus::PendingReview) {
        let message = "The wire has arrived, or is no longer needed.";
        return Err(Error::from(Violation::new("base", Category::InvalidOperation, message)));
    }
    let mut checks = Checks::new();
    let text = |key: &str, text: &String| check::validate_text(key, text, LONGEST);
    let WireInRequest { date_sent, bank_name, sent_cents, .. } = wire.clone();
    let sent = check_reported_field(&input.date_sent, date_sent, "date_sent", &mut checks, as_is);
    let bank = check_reported_field(&input.bank_name, bank_name, "bank_name", &mut checks, text);
    let amount = check_reported_field(
        &input.amount_sent,
        sent_cents,
        "amount_sent",
        &mut checks,
        |key, amount: &Amount| {
            let cents = amount.cents_half_up();
            let fine = cents > 0 && *amount == Amount::from_cents(cents);
            if fine {
                Ok(cents)
            } else {
                Err(Violation::invalid(key, format!("{key} must be dollars above 0, to the cent")))
            }
        },
    );
    let notes = input.additional_notes.optional("additional_notes", &mut checks, text);
    checks.finish()?;
    (wire.date_sent, wire.bank_name, wire.sent_cents) = (sent, bank, amount);
    wire.notes = notes.or(wire.notes);
    wire.status = WireStatus::PendingReview;
    save_wire(tx, caller, &mut wire, "reported")?;
    if wire.case.is_some() {
        cases::wire_told(tx, caller, wire.payroll)?;
    }
    Ok(wire)
}

/// Records that a wire has arrived.
///
/// # Errors
/// "Not found"; 422 if it is no longer needed; a store error.
pub fn approve_wire(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<WireInRequest, Error> {
    let mut wire = find_guarded_wire(tx, caller, id)?;
    match wire.status {
        WireStatus::Approved => {}
        WireStatus::Canceled => {
            let message = "The wire is no longer needed.";
            return Err(Error::from(Violation::new("base", Category::InvalidOperation, message)));
        }
        WireStatus::AwaitingFunds | WireStatus::PendingReview => {
            wire.status = WireStatus::Approved;
            save_wire(tx, caller, &mut wire, "approved")?;
        }
    }
    Ok(wire)
}

/// Withdraws the wire request of a cancelled payroll. One that has arrived is kept for the payroll's next submission.
pub fn withdraw_wire_request(tx: &mut Tx<'_>, caller: &Caller, payroll: Uuid) -> Result<(), Error> {
    lock_payroll_wires(tx, caller.company, payroll)?;
    let open = of_payroll(tx, caller.company, payroll)?.filter(|wire| wire.status != WireStatus::Approved);
    let Some(mut wire) = open else { return Ok(()) };
    wire.status = WireStatus::Canceled;
    save_wire(tx, caller, &mut wire, "canceled")
}

/// Withdraws the request for a wire that would have replaced a returned debit, unless it has arrived.
pub(in crate::money) fn cancel_of_case(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (payroll, case): (Uuid, Uuid),
) -> Result<(), Error> {
    lock_payroll_wires(tx, caller.company, payroll)?;
    let found = tx.try_find(OF_CASE, params![caller.company, payroll, case], WireInRequest::read)?;
    let Some(mut wire) = found else { return Ok(()) };
    wire.status = WireStatus::Canceled;
    save_wire(tx, caller, &mut wire, "canceled")
}
