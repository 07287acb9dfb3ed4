//! The steps of a payroll after data entry: calculating, submitting, cancelling and deleting it.

use rules::{Category, Checks, Violation};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::{Error, Stale};
use crate::events;
use crate::money::deposits;
use crate::money::funding::wires;
use crate::patch::Patch;
use crate::pay::books::rows as books;
use crate::pay::checks;
use crate::pay::pay_schedules::service::guard_schedules;
use crate::pay::payrolls::calendar::{dismissals, missed, regular, transitions};
use crate::pay::payrolls::closing::processing::disbursements;
use crate::pay::payrolls::facts::employments;
use crate::pay::payrolls::record::commands::{SubmissionBlocker, SubmitPayroll};
use crate::pay::payrolls::record::deadlines::submission_deadline;
use crate::pay::payrolls::record::payroll::{Payroll, Request, TABLE};
use crate::pay::payrolls::record::{rows, settings};
use crate::pay::payrolls::run::{calculation, prior_provider};
use crate::pay::payrolls::service::blockers::refuse_blocked;
use crate::pay::payrolls::service::details::{find_guarded, refuse_submitted, store_payroll};
use crate::pay::payrolls::service::submission_blockers;
use crate::platform::hooks::{PayCause, PayChange};
use crate::platform::{audit, hooks, jobs};

/// Key of the submission blocker for taxes that are due but could not be calculated.
const UNWORKED_TAXES: &str = "unworked_taxes";

/// Requests a calculation, which runs in the background.
///
/// # Errors
/// "Not found"; 422 for a payroll that was submitted, and with every blocker; "not now" on a node whose clock is behind; a store error.
pub fn calculate_payroll(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    let mut one = find_guarded(tx, caller, id)?;
    refuse_submitted(&one)?;
    let under_way = one.request == Some(Request::Calculating);
    if !under_way {
        // A late payroll is paid on another day, perhaps in another year; the check below requires that year's tables.
        calculation::request_calculation(tx, caller, &mut one)?;
    }
    refuse_blocked(tx, caller, one.check_date)?;
    events::newest::refuse_behind(tx)?;
    if under_way { Ok(()) } else { store_payroll(tx, caller, &mut one, "calculation_requested") }
}

/// Marks a payroll as failed, as if its calculation had failed; for developers.
///
/// # Errors
/// "Not found"; 422 for one that was submitted; a store error.
pub fn mark_payroll_failed(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Payroll, Error> {
    let mut one = find_guarded(tx, caller, id)?;
    refuse_submitted(&one)?;
    jobs::cancel_job(tx, caller.company, jobs::JobKind::PayrollCalculate, id)?;
    one.forget_calculation();
    one.request = Some(Request::Failed);
    one.request_errors =
        serde_json::json!([calculation::error_item("base", "the calculation was made to fail, for a test")]);
    store_payroll(tx, caller, &mut one, "processing_failed")?;
    events::emit_event(tx, caller.company, events::PAYROLL_PROCESSING_FAILED, id)?;
    Ok(one)
}

/// Submits a calculated payroll; it is processed in the background.
///
/// # Errors
/// "Not found"; 422 for a payroll that is not calculated, is too late, or was overtaken by another; a store error.
pub fn submit_payroll(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &SubmitPayroll,
) -> Result<(), Error> {
    submit_agreed(tx, caller, id, input, None)
}

/// Submits a payroll only if its current calculation is the given one, whose totals somebody has agreed to.
///
/// # Errors
/// As [`submit_payroll`]; 409 if the payroll was calculated again since, or must be; a store error.
pub fn submit_run(tx: &mut Tx<'_>, caller: &Caller, id: Uuid, run: Uuid) -> Result<(), Error> {
    submit_agreed(tx, caller, id, &SubmitPayroll::default(), Some(run))
}

/// Records that the caller has confirmed findings before submitting a payroll: of whom, and the key of each.
pub fn note_confirmed(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    findings: &[(Uuid, String)],
) -> Result<(), Error> {
    let told = findings.iter().map(|(employee, key)| json!({ "employee_uuid": employee, "warning": key }));
    audit::record_audit_entry(
        tx,
        caller,
        "warnings_confirmed",
        (TABLE, id),
        &json!({ "confirmed": told.collect::<Vec<_>>() }),
    )
}

fn submit_agreed(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &SubmitPayroll,
    agreed: Option<Uuid>,
) -> Result<(), Error> {
    // Submitting may create the schedule's next payroll.
    guard_schedules(tx, caller.company)?;
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let mut one = find_guarded(tx, caller, id)?;
    if one.request == Some(Request::Submitting) {
        return Ok(());
    }
    if one.is_stuck() {
        // It was submitted in time and continues where it stopped.
        one.request = Some(Request::Submitting);
        one.request_errors = serde_json::json!([]);
        store_payroll(tx, caller, &mut one, "submitted")?;
        let now = tx.now();
        return jobs::schedule_job(tx, caller.company, jobs::JobKind::PayrollProcess, id, now);
    }
    refuse_submitted(&one)?;
    if agreed.is_some() && agreed != one.run {
        let current = one.run.map_or_else(String::new, |run| run.to_string());
        return Err(Error::Stale(Stale { current, differing: vec!["run"] }));
    }
    refuse_blocked(tx, caller, one.check_date)?;
    let mut checks = Checks::new();
    let listed = submission_blockers::of_payroll(tx, caller.company, &one)?;
    let known = |sent: &SubmissionBlocker| {
        let is = |field: &Patch<String>, text: &str| field.value().is_some_and(|sent| sent == text);
        is(&sent.blocker_type, submission_blockers::RETURNED_ACCOUNT)
            && listed.iter().any(|one| is(&sent.selected_option, one.payment_option()))
    };
    let all_known = |key: &str, list: &Vec<SubmissionBlocker>| {
        if list.iter().all(known) {
            return Ok(());
        }
        let why = match listed.is_empty() {
            true => "must be empty: nothing blocks the submission",
            false => "must name blockers and options that the payroll lists",
        };
        Err(Violation::invalid(key, format!("{key} {why}")))
    };
    input.submission_blockers.optional("submission_blockers", &mut checks, all_known);
    checks.require(one.request == Some(Request::CalculateSuccess) && one.run.is_some(), || {
        Violation::invalid_operation("Calculate the payroll before it is submitted.")
    });
    let now = tx.now();
    checks.require(one.check_only || now <= submission_deadline(one.check_date), || {
        let day = one.check_date;
        Violation::invalid_operation(format!(
            "The deadline for payment on {day} has passed. Calculate the payroll again: it is then paid on a later day."
        ))
    });
    checks.extend(unworked_taxes(tx, caller, &one)?);
    prior_provider::refuse_unfinished(tx, caller.company, &one, &mut checks)?;
    let overtaken = one.run.is_some() && rows::is_overtaken(tx, caller.company, &one)?;
    checks.require(!overtaken, || {
        Violation::invalid_operation(
            "Another payroll was submitted or cancelled since this one was calculated, and the sums of the year changed. \
             Calculate it again.",
        )
    });
    checks.finish()?;
    missed::resolve_missed_payday(tx, caller.company, &one)?;
    one.request = Some(Request::Submitting);
    one.submitted_at = Some(now);
    store_payroll(tx, caller, &mut one, "submitted")?;
    events::emit_event(tx, caller.company, events::PAYROLL_SUBMITTED, id)?;
    transitions::notify_transition(tx, caller.company, &one, events::NOTIFICATION_TRANSITION_RESOLVED)?;
    dismissals::tell_of(tx, caller, &one)?;
    jobs::schedule_job(tx, caller.company, jobs::JobKind::PayrollProcess, id, now)?;
    regular::create_next_payroll(tx, caller, &one)
}

/// Returns a violation for each tax that is due but could not be calculated, if the company lets them block submission.
fn unworked_taxes(tx: &mut Tx<'_>, caller: &Caller, one: &Payroll) -> Result<Vec<Violation>, Error> {
    if one.totals.unworked.is_empty() || !settings::of_company(tx, caller.company)?.block_unworked_taxes {
        return Ok(Vec::new());
    }
    let blocked = one.totals.unworked.iter().map(|tax| {
        let message = format!(
            "{} could not be calculated on {} paychecks where it is due: see their warnings, or turn off block_unworked_taxes in the \
             payroll settings.",
            tax.name, tax.paychecks
        );
        let violation = Violation::new("base", Category::PayrollBlocker, message);
        violation.with_metadata(json!({ "key": UNWORKED_TAXES, "tax": tax.id.code }))
    });
    Ok(blocked.collect())
}

/// Cancels a processed payroll.
///
/// # Errors
/// "Not found"; 422 for a payroll that is not processed, after its deadline, and if later payrolls depend on it; a store error.
pub fn cancel_payroll(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Payroll, Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let mut one = find_guarded(tx, caller, id)?;
    disbursements::refuse_made(tx, caller.company, &one)?;
    let now = tx.now();
    if !one.is_cancellable(now) {
        let message = if one.is_paid_by_partner() && one.paid_at.is_some() {
            "The partner has reported the payroll as paid."
        } else if one.is_processed() {
            "The payroll could be cancelled until 4 pm Pacific time on the day of its deadline, which has passed."
        } else {
            "Only a payroll that was processed can be cancelled."
        };
        return Err(Error::from(Violation::invalid_operation(message)));
    }
    hooks::payments_to_cancel(tx, caller, id)?;
    if rows::is_rested_on(tx, caller.company, &one)? {
        let message =
            "A later payroll for the same employees depends on this one; cancel that payroll first.";
        return Err(Error::from(Violation::invalid_operation(message)));
    }
    employments::payroll_cancelled(tx, caller, &one)?;
    if let Some(run) = one.run {
        disbursements::delete_partner_reports(tx, caller.company, run)?;
        jobs::schedule_job(tx, caller.company, jobs::JobKind::PayrollForget, run, now)?;
        books::reverse_posting(tx, caller.company, run)?;
        deposits::take_back(tx, caller.company, run)?;
        checks::void_run(tx, caller.company, run)?;
    }
    one.skipped = false;
    one.forget_calculation();
    (one.submitted_at, one.processed_at, one.run_number) = (None, None, None);
    for kind in [jobs::JobKind::PayrollPaid, jobs::JobKind::PayrollCredits] {
        jobs::cancel_job(tx, caller.company, kind, id)?;
    }
    wires::withdraw_wire_request(tx, caller, id)?;
    store_payroll(tx, caller, &mut one, "cancelled")?;
    events::emit_event(tx, caller.company, events::PAYROLL_CANCELLED, id)?;
    let change = PayChange { cause: PayCause::Cancelled, record: id, day: one.check_date };
    hooks::pay_changed(tx, caller.company, change)?;
    transitions::notify_transition(tx, caller.company, &one, events::NOTIFICATION_TRANSITION_CREATED)?;
    dismissals::tell_of(tx, caller, &one)?;
    Ok(one)
}

/// Deletes an off-cycle payroll that was not submitted.
///
/// # Errors
/// "Not found"; 422 for any other; a store error.
pub fn delete_payroll(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    let one = find_guarded(tx, caller, id)?;
    refuse_submitted(&one)?;
    if !one.off_cycle {
        let message = "A regular payroll follows from the pay schedule and cannot be deleted; exclude its employees instead.";
        return Err(Error::from(Violation::invalid_operation(message)));
    }
    regular::delete_payroll(tx, caller, &one)
}
