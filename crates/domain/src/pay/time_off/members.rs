//! The employees of policies: joining, leaving, and setting balances.
//!
//! An employee has at most one policy of each type. An employee who joins another policy of the same type leaves the first one, and keeps
//! the balance unless the request sets another.

use std::collections::BTreeSet;

use rules::time_off::Reason;
use rules::{Amount, Checks, Violation};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::commands::{Leaving, Members};
use super::ledger::{self, Cause};
use super::requests;
use super::rows;
use super::rows::{Enrollment, TimeOffPolicy};
use super::service::{self, PolicyDetails, TABLE};
use super::turns;
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::patch;
use crate::pay::compensations;
use crate::people::employees::Employee;
use crate::platform::jobs::JobKind;
use crate::platform::{audit, jobs};
use crate::records::{IdRange, id_of};

/// Maximum number of employees in one request.
const AT_ONCE: usize = 1_000;

/// An employee of a request, with the balance to set.
struct Line {
    employee: Uuid,
    /// the id as sent
    sent: String,
    balance: Option<Amount>,
}

impl Line {
    /// Returns a violation for the line that names the employee as sent.
    fn line_violation(&self, message: &str) -> Violation {
        let named = json!({ "entity_type": "Employee", "entity_uuid": self.sent });
        Violation::invalid("uuid", message).with_metadata(named)
    }
}

/// Whether a request may, must or must not set balances.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Balance {
    May,
    Must,
    Never,
}

/// Adds employees to a policy, each with at least one job.
///
/// # Errors
/// "Not found"; 422 for an inactive policy, and for every violation of the input; a store error.
pub fn add_members(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &Members,
) -> Result<PolicyDetails, Error> {
    let policy = service::find_guarded(tx, caller, id)?;
    let says = if policy.is_unlimited() { Balance::Never } else { Balance::May };
    for line in read_member_lines(tx, caller, &policy, input, says)? {
        enroll_member(tx, caller, &policy, &line)?;
    }
    audit::record_audit_entry(tx, caller, "employees_added", (TABLE, id), &employees_for_audit(input))?;
    service::get_policy(tx, caller, id)
}

/// Removes employees from a policy; their balances are lost. No-op for employees who are not in it.
///
/// # Errors
/// "Not found"; 422 for an inactive policy, for employees with requests for its hours that are pending, or approved and not paid, and for
/// every violation of the input; a store error.
pub fn remove_members(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &Leaving,
) -> Result<PolicyDetails, Error> {
    let (policy, input) = (service::find_guarded(tx, caller, id)?, input.to_members());
    let (mut checks, mut leaving) = (Checks::new(), Vec::new());
    for line in read_member_lines(tx, caller, &policy, &input, Balance::Never)? {
        let held = find_enrollment(tx, caller, &policy, line.employee)?.filter(|held| held.policy == id);
        let Some(held) = held else { continue };
        let waits =
            requests::rows::has_unpaid_request(tx, caller.company, line.employee, policy.policy_type)?;
        checks.require(!waits, || {
            line.line_violation(
                "uuid must name an employee without requests for hours of the policy that are pending, or approved and not \
                 paid yet: decline them first, or let a payroll pay them",
            )
        });
        leaving.push(held);
    }
    checks.finish()?;
    for held in leaving {
        end_enrollment(tx, caller, held)?;
    }
    audit::record_audit_entry(tx, caller, "employees_removed", (TABLE, id), &employees_for_audit(&input))?;
    service::get_policy(tx, caller, id)
}

/// Sets the balances of employees who have the policy.
///
/// # Errors
/// "Not found"; 422 for an inactive or unlimited policy, for an employee who does not have it, and for every violation of the
/// input; a store error.
pub fn set_balances(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &Members,
) -> Result<PolicyDetails, Error> {
    let policy = service::find_guarded(tx, caller, id)?;
    if policy.is_unlimited() {
        return Err(Error::from(Violation::invalid_operation("An unlimited policy has no balances.")));
    }
    let today = caller.today(tx);
    let (mut checks, mut found) = (Checks::new(), Vec::new());
    for line in read_member_lines(tx, caller, &policy, input, Balance::Must)? {
        match find_enrollment(tx, caller, &policy, line.employee)?.filter(|held| held.policy == id) {
            Some(held) => found.push((held, line.balance.unwrap_or_default())),
            None => checks.push(line.line_violation("uuid must name an employee who has the policy")),
        }
    }
    checks.finish()?;
    for (mut held, balance) in found {
        let change = Amount::from_millionths(balance.millionths() - held.balance.millionths());
        let cause = Cause { reason: Reason::Adjustment, day: today, payroll: None };
        ledger::change_balance(tx, caller.company, &mut held, change, cause)?;
    }
    audit::record_audit_entry(tx, caller, "balances_set", (TABLE, id), &employees_for_audit(input))?;
    service::get_policy(tx, caller, id)
}

/// Deletes the time off of an employee who is being deleted.
pub fn delete_employee_time_off(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<(), Error> {
    for held in rows::enrolled_between(tx, caller.company, IdRange::only(employee))? {
        jobs::cancel_job(tx, caller.company, JobKind::TimeOffYear, held.id)?;
    }
    requests::rows::delete_employee_requests(tx, caller.company, employee)?;
    rows::delete_employee_enrollments(tx, caller.company, employee)
}

/// Reads the employees of a request and takes their guards, in the same order for all requests.
fn read_member_lines(
    tx: &mut Tx<'_>,
    caller: &Caller,
    policy: &TimeOffPolicy,
    input: &Members,
    says: Balance,
) -> Result<Vec<Line>, Error> {
    let mut checks = Checks::new();
    let given = patch::check_items("employees", &input.employees, AT_ONCE, &mut checks);
    checks.require(!given.is_empty(), || {
        Violation::invalid("employees", format!("employees must have between 1 and {AT_ONCE} items"))
    });
    let (mut found, mut known) = (Vec::new(), BTreeSet::new());
    for line in given {
        let Some(id) = line.uuid.required("uuid", &mut checks, |_, id| Ok(id_of(id))) else { continue };
        let balance = match says {
            Balance::May => line.balance.optional("balance", &mut checks, service::check_hours),
            Balance::Must => line.balance.required("balance", &mut checks, service::check_hours),
            // For unlimited policies clients send the balance of the previous policy, or 0. It has no effect.
            Balance::Never => {
                line.balance.optional("balance", &mut checks, service::check_hours);
                None
            }
        };
        let too_much = policy.max_hours.is_some_and(|limit| balance.is_some_and(|hours| hours > limit));
        checks.require(!too_much, || {
            let most = policy.max_hours.unwrap_or_default().to_text(3);
            Violation::invalid(
                "balance",
                format!("balance must be at most {most}, the max_hours of the policy"),
            )
        });
        checks.require(known.insert(id), || {
            Violation::invalid("uuid", "uuid must name an employee who is listed once")
        });
        let sent = line.uuid.value().cloned().unwrap_or_default();
        found.push(Line { employee: id, sent, balance });
    }
    checks.finish()?;
    found.sort_unstable_by_key(|line| line.employee);
    let mut checks = Checks::new();
    for line in &found {
        tx.take_guard(caller.company, "employee", line.employee)?;
        let exists = Employee::find(tx, caller.company, line.employee)?.is_some();
        let pay = compensations::rows::of_employee(tx, caller.company, line.employee)?;
        checks.require(exists && pay.primary_job().is_some(), || {
            line.line_violation("uuid must name an employee with a job")
        });
    }
    checks.finish()?;
    Ok(found)
}

/// Returns an employee's enrollment in a policy of the same type.
fn find_enrollment(
    tx: &mut Tx<'_>,
    caller: &Caller,
    policy: &TimeOffPolicy,
    employee: Uuid,
) -> Result<Option<Enrollment>, Error> {
    let all = rows::enrolled_between(tx, caller.company, IdRange::only(employee))?;
    Ok(all.into_iter().find(|held| held.policy_type == policy.policy_type))
}

fn enroll_member(tx: &mut Tx<'_>, caller: &Caller, policy: &TimeOffPolicy, line: &Line) -> Result<(), Error> {
    let today = caller.today(tx);
    let before = find_enrollment(tx, caller, policy, line.employee)?;
    if let Some(mut already) = before.clone().filter(|held| held.policy == policy.id) {
        let Some(balance) = line.balance else { return Ok(()) };
        let change = Amount::from_millionths(balance.millionths() - already.balance.millionths());
        let cause = Cause { reason: Reason::Adjustment, day: today, payroll: None };
        return ledger::change_balance(tx, caller.company, &mut already, change, cause);
    }
    let carried = before.as_ref().map(|held| held.balance);
    if let Some(before) = before {
        end_enrollment(tx, caller, before)?;
    }
    let mut new = Enrollment {
        employee: line.employee,
        id: tx.new_id(),
        policy: policy.id,
        policy_type: policy.policy_type,
        balance: Amount::ZERO,
        turned_on: today,
        version: 1,
    };
    new.insert(tx, caller.company)?;
    if !policy.is_unlimited() {
        let most = policy.max_hours.unwrap_or(Amount::from_millionths(i64::MAX));
        let balance = line.balance.or(carried.map(|hours| hours.min(most))).unwrap_or_default();
        let cause = Cause { reason: Reason::Start, day: today, payroll: None };
        ledger::change_balance(tx, caller.company, &mut new, balance, cause)?;
    }
    turns::schedule_balance_change(tx, caller, policy, &new)
}

/// Ends an enrollment. The remaining balance is subtracted so that its changes add up to zero.
fn end_enrollment(tx: &mut Tx<'_>, caller: &Caller, mut held: Enrollment) -> Result<(), Error> {
    let rest = Amount::from_millionths(-held.balance.millionths());
    let cause = Cause { reason: Reason::Removal, day: caller.today(tx), payroll: None };
    ledger::change_balance(tx, caller.company, &mut held, rest, cause)?;
    jobs::cancel_job(tx, caller.company, JobKind::TimeOffYear, held.id)?;
    assert!(held.delete(tx, caller.company)?, "the row was read under the employee's guard");
    Ok(())
}

/// Returns the employees that an audit log entry names.
fn employees_for_audit(input: &Members) -> serde_json::Value {
    let lines = input.employees.value().map_or(&[] as &[_], Vec::as_slice);
    json!({ "employees": lines.iter().filter_map(|line| line.uuid.value()).collect::<Vec<_>>() })
}
