//! Use cases of onboarding.

use jiff::civil::Date;
use rules::Named;
use rules::onboarding::{self, Facts, InviteFacts, Status, Step, StepSet};
use rules::{Category, Checks, Violation};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::commands::UpdateOnboardingStatus;
use super::{MissingData, OnboardingDetails};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events;
use crate::events::EventType;
use crate::patch::{Patch, as_is};
use crate::pay::compensations;
use crate::people::employees::Employee;
use crate::people::employees::rows as employees;
use crate::people::employees::service::{TABLE, find_employee, find_guarded};
use crate::people::{addresses, forms, payment_methods};
use crate::platform::hooks::EmployeeAspect;
use crate::platform::jobs::JobKind;
use crate::platform::{audit, hooks, jobs};
use crate::withholding::taxes;

/// The facts that onboarding depends on.
struct Known {
    facts: Facts,
    invite: InviteFacts,
    start: Option<Date>,
}

fn known_facts(tx: &mut Tx<'_>, caller: &Caller, employee: &Employee) -> Result<Known, Error> {
    let pay = compensations::rows::of_employee(tx, caller.company, employee.id)?;
    let work_address = addresses::rows::has_work(tx, caller.company, employee.id)?;
    let compensation = compensations::rows::has_terms(&pay);
    let start = compensations::rows::start_date(&pay);
    let taxes = taxes::service::tax_facts(tx, caller, employee.id)?;
    let waits = forms::service::waits_for_signature(tx, caller, employee.id)?;
    let facts = Facts {
        personal_details: employee.email.is_some()
            && employee.date_of_birth.is_some()
            && employee.ssn.is_some(),
        compensation,
        work_address,
        home_address: addresses::rows::has_home(tx, caller.company, employee.id)?,
        direct_deposit: payment_methods::rows::uses_direct_deposit(tx, caller.company, employee)?,
        federal_tax: taxes.federal_tax,
        state_tax: taxes.state_tax,
        new_hire_report: taxes.new_hire_report,
        forms_signed: waits == Some(false),
        signature_asked: waits == Some(true),
        without_forms: waits.is_none(),
        documents_asked: employee.i9_document,
        marked: employee.marked,
    };
    // First and last name are never blank in a record.
    let invite = InviteFacts { names: true, start_date: start.is_some(), work_address, compensation };
    Ok(Known { facts, invite, start })
}

/// Returns the status and the steps of onboarding.
///
/// # Errors
/// "Not found"; a store error.
pub fn onboarding_status(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<OnboardingDetails, Error> {
    let employee = find_employee(tx, caller, id)?;
    let known = known_facts(tx, caller, &employee)?;
    onboarding_details(tx, caller, &employee, &known.facts)
}

fn onboarding_details(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: &Employee,
    facts: &Facts,
) -> Result<OnboardingDetails, Error> {
    let duplicate_ssn = employee.status != Status::OnboardingCompleted
        && employees::ssn_is_shared(tx, caller.company, employee)?;
    let steps = onboarding::employee_steps(employee.status, facts);
    let missing = missing_on_file(employee, facts);
    Ok(OnboardingDetails { employee: employee.id, status: employee.status, steps, duplicate_ssn, missing })
}

/// Returns what is not on file although it should be: the address for an invitation by e-mail, and, once onboarding is finished, what was
/// only marked as complete.
fn missing_on_file(employee: &Employee, facts: &Facts) -> Vec<MissingData> {
    let invited =
        matches!(employee.status, Status::SelfOnboardingInvited | Status::SelfOnboardingInvitedOverdue);
    let finished = employee.status == Status::OnboardingCompleted && !employee.historical;
    [
        (invited && employee.email.is_none(), MissingData::Email),
        (finished && employee.ssn.is_none(), MissingData::Ssn),
        (finished && !facts.federal_tax, MissingData::FederalTaxes),
        (finished && !facts.state_tax, MissingData::StateTaxes),
    ]
    .into_iter()
    .filter_map(|(lacks, what)| lacks.then_some(what))
    .collect()
}

/// Marks steps, then changes the status as requested.
///
/// # Errors
/// "Not found"; 422 with every violation; a store error.
pub fn update_onboarding_status(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &UpdateOnboardingStatus,
) -> Result<OnboardingDetails, Error> {
    let mut employee = find_guarded(tx, caller, id)?;
    let Request { marks, unmarks, wanted } = read_request(input)?;
    if unmarks.iter().any(|step| employee.marked.contains(*step)) {
        let message = "a step can be marked as completed (true); a mark cannot be removed";
        let key = "onboarding_steps.completed";
        return Err(Error::from(Violation::new(key, Category::InvalidOperation, message)));
    }
    let mut known = known_facts(tx, caller, &employee)?;
    // Steps that were read and are sent back as they are change nothing.
    let shown = onboarding::employee_steps(employee.status, &known.facts);
    let complete = |step: Step| shown.iter().any(|state| state.step == step && state.completed);
    let new: Vec<Step> = marks.iter().copied().filter(|step| !complete(*step)).collect();
    if !marks.is_empty() && (employee.status != Status::OnboardingCompleted || !new.is_empty()) {
        let marked = onboarding::mark_steps(employee.status, &known.facts, &new)?;
        known.facts.marked = marked;
        // If the request for an employee whom an administrator onboards also contains a status, it is that one.
        let moves = employee.status.is_self_onboarding() || wanted.is_none();
        let to = onboarding::after_marking(employee.status, &known.facts)
            .or_else(|| onboarding::employee_finished(employee.status, &known.facts))
            .or_else(|| finished_alone(&employee, &known))
            .filter(|_| moves);
        if marked != employee.marked || to.is_some() {
            employee.marked = marked;
            let to = to.unwrap_or(employee.status);
            let reviewable = to != employee.status && to == Status::SelfOnboardingAwaitingAdminReview;
            if reviewable && employee.self_completed_at.is_none() {
                employee.self_completed_at = Some(tx.now());
                if employee.status.is_self_onboarding() {
                    events::emit_event(tx, caller.company, events::EMPLOYEE_SELF_ONBOARDING_COMPLETED, id)?;
                }
            }
            move_to(tx, caller, &mut employee, to, known.start)?;
        }
    }
    if let Some(wanted) = wanted {
        let to = onboarding::requested_status(employee.status, wanted, &known.facts, &known.invite)?;
        if to != employee.status {
            move_to(tx, caller, &mut employee, to, known.start)?;
        }
    }
    onboarding_details(tx, caller, &employee, &known.facts)
}

/// What a request asks for.
struct Request {
    /// steps that are sent as complete
    marks: Vec<Step>,
    /// steps that are sent as not complete
    unmarks: Vec<Step>,
    wanted: Option<Status>,
}

fn read_request(input: &UpdateOnboardingStatus) -> Result<Request, Error> {
    let mut checks = Checks::new();
    let (no_status, no_steps) = (&input.onboarding_status, &input.onboarding_steps);
    if matches!((no_status, no_steps), (Patch::Absent | Patch::Null, Patch::Absent | Patch::Null)) {
        let message = "Send onboarding_status, or onboarding_steps with the steps to mark as completed.";
        checks.push(Violation::missing("onboarding_status", message));
    }
    let wanted = input.onboarding_status.optional("onboarding_status", &mut checks, as_is);
    let (mut marks, mut unmarks) = (Vec::new(), Vec::new());
    if let Some(steps) =
        input.onboarding_steps.optional("onboarding_steps", &mut checks, |_, steps| Ok(steps.clone()))
    {
        for step in &steps {
            let id = step.id.required("onboarding_steps.id", &mut checks, as_is);
            let completed = step.completed.required("onboarding_steps.completed", &mut checks, as_is);
            match completed {
                Some(false) => unmarks.extend(id),
                _ => marks.extend(id),
            }
        }
    }
    checks.finish()?;
    Ok(Request { marks, unmarks, wanted })
}

fn finished_alone(employee: &Employee, known: &Known) -> Option<Status> {
    onboarding::administrator_finished(employee.status, &known.facts)
}

/// Advances an employee whose data is now complete. A new start date reschedules the job that makes an invitation overdue. The caller holds
/// the employee's guard.
pub fn employee_changed(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    aspect: EmployeeAspect,
) -> Result<(), Error> {
    let Some(mut employee) = Employee::find(tx, caller.company, id)? else { return Ok(()) };
    if employee.status == Status::OnboardingCompleted {
        return Ok(());
    }
    if aspect == EmployeeAspect::StartDate && employee.status.is_self_onboarding() {
        // The employee's own steps do not depend on it.
        let pay = compensations::rows::of_employee(tx, caller.company, id)?;
        return plan_overdue(tx, caller, &employee, compensations::rows::start_date(&pay), 0);
    }
    let known = known_facts(tx, caller, &employee)?;
    let finished = onboarding::employee_finished(employee.status, &known.facts)
        .or_else(|| finished_alone(&employee, &known));
    match finished {
        Some(to) => move_to(tx, caller, &mut employee, to, known.start),
        None => Ok(()),
    }
}

/// Completes a step in which the employee's decision leaves no data, such as being paid by check.
///
/// # Errors
/// "Not found"; a store error.
pub fn complete_step(tx: &mut Tx<'_>, caller: &Caller, id: Uuid, step: Step) -> Result<(), Error> {
    let mut employee = find_guarded(tx, caller, id)?;
    let mut known = known_facts(tx, caller, &employee)?;
    if known.facts.is_complete(step) {
        return Ok(());
    }
    employee.marked.insert(step);
    known.facts.marked = employee.marked;
    let finished = onboarding::employee_finished(employee.status, &known.facts);
    let to = finished.unwrap_or(employee.status);
    move_to(tx, caller, &mut employee, to, known.start)
}

/// Returns the steps in which the employee has nothing left to do, also after onboarding.
pub fn settled_steps(tx: &mut Tx<'_>, caller: &Caller, employee: &Employee) -> Result<StepSet, Error> {
    let facts = known_facts(tx, caller, employee)?.facts;
    Ok(Step::ALL.iter().copied().filter(|step| facts.is_settled(employee.status, *step)).collect())
}

/// Records that the employee opened the link; returns the employee.
pub fn record_link_opened(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Employee, Error> {
    let mut employee = find_guarded(tx, caller, id)?;
    if let Some(to) = onboarding::status_once_opened(employee.status) {
        move_to(tx, caller, &mut employee, to, None)?;
    }
    Ok(employee)
}

/// Marks an invited employee as overdue if the start date or the day of the invitation, whichever is later, and the grace period have
/// passed.
pub fn became_overdue(tx: &mut Tx<'_>, caller: &Caller, id: Uuid, grace_days: i32) -> Result<(), Error> {
    tx.take_guard(caller.company, "employee", id)?;
    let Some(mut employee) = Employee::find(tx, caller.company, id)? else { return Ok(()) };
    let pay = compensations::rows::of_employee(tx, caller.company, id)?;
    let start = compensations::rows::start_date(&pay);
    let days = (start, invited_on(caller, &employee));
    match onboarding::became_overdue(employee.status, days, caller.today(tx), grace_days) {
        Some(to) => move_to(tx, caller, &mut employee, to, start),
        // The date was changed, or the grace period is not over: check again later.
        None => plan_overdue(tx, caller, &employee, start, grace_days),
    }
}

/// Cancels the jobs of an employee who is being deleted.
pub fn cancel_onboarding_jobs(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    jobs::cancel_job(tx, caller.company, JobKind::EmployeeOverdue, id)
}

/// The day of the invitation in the company's time zone.
fn invited_on(caller: &Caller, employee: &Employee) -> Option<Date> {
    employee.invited_at.map(|at| at.to_zoned(caller.zone.clone()).date())
}

fn plan_overdue(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: &Employee,
    start: Option<Date>,
    grace_days: i32,
) -> Result<(), Error> {
    let (Status::SelfOnboardingInvited, Some(start)) = (employee.status, start) else { return Ok(()) };
    let last = onboarding::last_day_to_start(start, invited_on(caller, employee), grace_days);
    // The start of the day after it in the company's time zone.
    let Some(day) = last.and_then(|day| day.tomorrow().ok()) else { return Ok(()) };
    let Ok(due) = day.to_zoned(caller.zone.clone()) else { return Ok(()) };
    jobs::schedule_job(tx, caller.company, JobKind::EmployeeOverdue, employee.id, due.timestamp())
}

/// Stores a transition and emits its event.
fn move_to(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: &mut Employee,
    to: Status,
    start: Option<Date>,
) -> Result<(), Error> {
    let (from, standing) = (employee.status, employees::Standing::from(&*employee));
    employee.status = to;
    if to == Status::OnboardingCompleted {
        employee.onboarded_at = Some(tx.now());
    }
    if from != to && to == Status::SelfOnboardingInvited {
        employee.invited_at = Some(tx.now());
    }
    let reported = to == Status::SelfOnboardingCompletedByEmployee && employee.self_completed_at.is_none();
    if reported {
        employee.self_completed_at = Some(tx.now());
    }
    assert!(employees::move_to(tx, caller.company, employee, standing)?, "the row was read under its guard");
    let change =
        json!({ "onboarding_status": [from.as_str(), to.as_str()], "marked_steps": employee.marked.bits() });
    audit::record_audit_entry(tx, caller, "onboarding", (TABLE, employee.id), &change)?;
    if from != to {
        events::emit_event(tx, caller.company, event_of(from, to, reported), employee.id)?;
        // Once when the employee's part is done, and again when every step is complete.
        let notification = match (from.awaits_employer(), to.awaits_employer()) {
            (_, true) => Some(events::NOTIFICATION_EMPLOYEE_REVIEW_CREATED),
            (true, false) => Some(events::NOTIFICATION_EMPLOYEE_REVIEW_RESOLVED),
            (false, false) => None,
        };
        if let Some(notification) = notification {
            events::emit_event(tx, caller.company, notification, employee.id)?;
        }
    }
    if to == Status::SelfOnboardingInvited {
        plan_overdue(tx, caller, employee, start, 0)?;
    } else if from == Status::SelfOnboardingInvited {
        jobs::cancel_job(tx, caller.company, JobKind::EmployeeOverdue, employee.id)?;
    }
    if from != to && to == Status::OnboardingCompleted {
        hooks::employee_changed(tx, caller, employee.id, EmployeeAspect::Onboarded)?;
    }
    Ok(())
}

fn event_of(from: Status, to: Status, reported: bool) -> EventType {
    match to {
        Status::OnboardingCompleted => events::EMPLOYEE_ONBOARDED,
        Status::SelfOnboardingCompletedByEmployee if reported => events::EMPLOYEE_SELF_ONBOARDING_COMPLETED,
        Status::SelfOnboardingPendingInvite | Status::SelfOnboardingInvited
            if from == Status::AdminOnboardingIncomplete =>
        {
            events::EMPLOYEE_MARKED_FOR_SELF_ONBOARDING
        }
        _ => events::EMPLOYEE_UPDATED,
    }
}
