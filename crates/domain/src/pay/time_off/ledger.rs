//! Changes to balances. All of them are made here. The caller holds the employee's guard.

use jiff::civil::Date;
use rules::time_off::{PolicyType, Reason};
use rules::{Amount, Checks};
use store::{Tx, Unread};
use uuid::Uuid;

use super::rows;
use super::rows::{Enrollment, TimeOffChange};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::patch::{Patch, as_is};
use crate::people::employees;
use crate::records::IdRange;

/// The reason for a balance change, its effective day, and the payroll calculation that makes it.
#[derive(Debug, Clone, Copy)]
pub struct Cause {
    /// the reason
    pub reason: Reason,
    /// the effective day of the change
    pub day: Date,
    /// the payroll and its calculation, if a payroll makes the change
    pub payroll: Option<(Uuid, Uuid)>,
}

/// Adds hours to a balance, and records the reason. Hours taken from unlimited time off are recorded without changing a balance. No-op for
/// zero hours.
///
/// # Errors
/// A store error, also if the sum is too large for a balance.
pub fn change_balance(
    tx: &mut Tx<'_>,
    company: Uuid,
    held: &mut Enrollment,
    hours: Amount,
    cause: Cause,
) -> Result<(), Error> {
    if hours == Amount::ZERO {
        return Ok(());
    }
    insert_change(tx, company, (held.employee, held.policy, held.policy_type), hours, cause)?;
    if !cause.reason.moves_balance() {
        return Ok(());
    }
    held.balance = held.balance.checked_add(hours).ok_or_else(too_large)?;
    assert!(held.update(tx, company)?, "the row was read under the employee's guard");
    held.version += 1;
    Ok(())
}

fn insert_change(
    tx: &mut Tx<'_>,
    company: Uuid,
    (employee, policy, policy_type): (Uuid, Uuid, PolicyType),
    hours: Amount,
    Cause { reason, day, payroll }: Cause,
) -> Result<(), Error> {
    let new = TimeOffChange {
        employee,
        id: tx.new_id(),
        policy,
        policy_type,
        reason,
        hours,
        day,
        payroll: payroll.map(|(payroll, _)| payroll),
        run: payroll.map(|(_, run)| run),
        created_at: tx.now(),
    };
    Ok(new.insert(tx, company)?)
}

/// Reverses the changes that a calculation made for an employee. If the employee has left the policy in the meantime, the sum of its
/// changes stays zero, and the hours are reversed in the policy that the balance was carried into, if any.
pub fn reverse_run_changes(tx: &mut Tx<'_>, company: Uuid, employee: Uuid, run: Uuid) -> Result<(), Error> {
    for old in rows::of_run(tx, company, employee, run)? {
        assert!(old.delete(tx, company)?, "the row was read under the employee's guard");
        if !old.reason.moves_balance() {
            continue;
        }
        let back = Amount::from_millionths(-old.hours.millionths());
        let enrolled = rows::enrolled_between(tx, company, IdRange::only(employee))?;
        let held = enrolled.into_iter().find(|one| one.policy_type == old.policy_type);
        let cause = Cause { reason: Reason::Adjustment, day: old.day, payroll: None };
        match held {
            Some(mut held) if held.policy == old.policy => {
                held.balance = held.balance.checked_add(back).ok_or_else(too_large)?;
                assert!(held.update(tx, company)?, "the row was read under the employee's guard");
            }
            moved => {
                insert_change(tx, company, (employee, old.policy, old.policy_type), old.hours, cause)?;
                if let Some(mut held) = moved {
                    change_balance(tx, company, &mut held, back, cause)?;
                }
            }
        }
    }
    Ok(())
}

/// Returns the error for a sum too large for a balance.
pub(super) fn too_large() -> Error {
    Error::from(Unread::new("would be larger than a balance can be").into_error(Enrollment::TABLE, "balance"))
}

/// A change and the balance after it.
#[derive(Debug, Clone)]
pub struct Activity {
    /// the change
    pub change: TimeOffChange,
    /// balance of its policy after the change; `None` for unlimited time off
    pub balance: Option<Amount>,
    /// name of its policy
    pub policy_name: Option<String>,
}

/// Lists the changes to an employee's balances of a type, newest first.
///
/// # Errors
/// "Not found"; 422 for a missing or unknown type; a store error.
pub fn list_activities(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    asked: &Patch<PolicyType>,
) -> Result<Vec<Activity>, Error> {
    let employee = employees::service::find_employee(tx, caller, employee)?.id;
    let mut checks = Checks::new();
    let asked = asked.required("time_off_type", &mut checks, as_is);
    checks.finish()?;
    let Some(policy_type) = asked else { unreachable!("a list without a type is refused") };
    let policies = rows::list_policies(tx, caller.company)?;
    let mut sums = std::collections::HashMap::<Uuid, Amount>::new();
    let mut found = Vec::new();
    for change in rows::balance_changes(tx, caller.company, employee, policy_type)? {
        let balance = match change.reason.moves_balance() {
            true => {
                let sum = sums.entry(change.policy).or_default();
                *sum = sum.checked_add(change.hours).ok_or_else(too_large)?;
                Some(*sum)
            }
            false => None,
        };
        let name =
            policies.iter().find(|policy| policy.id == change.policy).map(|policy| policy.name.clone());
        found.push(Activity { balance, policy_name: name, change });
    }
    found.reverse();
    Ok(found)
}
