//! Reads balances for payrolls, and records the hours taken and accrued in their paychecks.

use std::collections::HashMap;

use jiff::civil::Date;
use rules::Amount;
use rules::time_off::{Effect, PolicyType, Reason, Standing};
use store::Tx;
use uuid::Uuid;

use super::enrolled::{self, Enrolled};
use super::ledger::{self, Cause};
use super::rows;
use super::rows::{Enrollment, TimeOffPolicy};
use crate::error::Error;
use crate::records::IdRange;

/// A policy of an employee, as payrolls use it.
#[derive(Debug, Clone)]
pub struct EmployeePolicy {
    /// the policy
    pub policy: TimeOffPolicy,
    /// the employee's enrollment in it
    pub enrollment: Enrollment,
    /// hours accrued by day in the last year; empty if no limit depends on them
    pub earned: Vec<(Date, Amount)>,
}

impl EmployeePolicy {
    /// Returns the balance and the hours accrued in the policy year of `day`, for an employee hired on `hired`.
    ///
    /// # Errors
    /// A store error if the terms cannot be read.
    pub fn accrual_standing(&self, hired: Date, day: Date) -> Result<Standing, store::Error> {
        let year = self.policy.accrual_terms()?.year_of(hired, day);
        let of_year = self.earned.iter().filter(|(day, _)| *day >= year).map(|(_, hours)| hours.millionths());
        Ok(Standing {
            balance: self.enrollment.balance,
            earned_in_year: Amount::from_millionths(of_year.sum()),
            earned_in_period: Amount::ZERO,
        })
    }
}

/// Returns the active policies of the employees between two (both included), for paychecks of `day`.
pub fn policies_on_day(
    tx: &mut Tx<'_>,
    company: Uuid,
    bounds: IdRange,
    day: Date,
) -> Result<HashMap<Uuid, Vec<EmployeePolicy>>, Error> {
    read_policies(tx, company, bounds, day, TimeOffPolicy::is_in_use)
}

/// Like [`policies_on_day`], but includes deactivated policies, because hours left in them may have to be paid out.
pub fn held_or_left(
    tx: &mut Tx<'_>,
    company: Uuid,
    bounds: IdRange,
    day: Date,
) -> Result<HashMap<Uuid, Vec<EmployeePolicy>>, Error> {
    read_policies(tx, company, bounds, day, |policy| policy.complete)
}

fn read_policies(
    tx: &mut Tx<'_>,
    company: Uuid,
    bounds: IdRange,
    day: Date,
    concerned: impl Fn(&TimeOffPolicy) -> bool,
) -> Result<HashMap<Uuid, Vec<EmployeePolicy>>, Error> {
    let enrolled = enrolled::policies_between(tx, company, bounds, concerned)?;
    let mut earned: HashMap<(Uuid, Uuid), Vec<(Date, Amount)>> = HashMap::new();
    if enrolled.values().flatten().any(|one| one.policy.max_accrual_hours_per_year.is_some()) {
        // A policy year begins at most a year before.
        let since = day.saturating_sub(jiff::Span::new().years(1));
        for change in rows::earned_since(tx, company, bounds, since)? {
            earned.entry((change.employee, change.policy)).or_default().push((change.day, change.hours));
        }
    }
    let mut with_earned = |Enrolled { policy, enrollment }| {
        let earned = earned.remove(&(enrollment.employee, policy.id)).unwrap_or_default();
        EmployeePolicy { policy, enrollment, earned }
    };
    let all = enrolled.into_iter();
    Ok(all.map(|(employee, of)| (employee, of.into_iter().map(&mut with_earned).collect())).collect())
}

/// The facts of a processed payroll that time off needs.
#[derive(Debug, Clone, Copy)]
pub struct Payday {
    /// the payroll
    pub payroll: Uuid,
    /// its calculation
    pub run: Uuid,
    /// last day of its pay period
    pub end: Date,
}

/// Records the hours taken and accrued in a paycheck, by type. Balance and terms may have changed since the calculation, so the policy's
/// balance limit is applied again to accrued hours, and no hours are accrued if the policy has become unlimited or was deactivated.
pub fn record_time_off(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    payday: Payday,
    effects: &[(PolicyType, Effect)],
) -> Result<(), Error> {
    if effects.is_empty() {
        return Ok(());
    }
    tx.take_guard(company, "employee", employee)?;
    let mut held = held_or_left(tx, company, IdRange::only(employee), payday.end)?;
    let held = held.remove(&employee).unwrap_or_default();
    for (policy_type, effect) in effects {
        let of_type = held.iter().find(|one| one.policy.policy_type == *policy_type);
        let Some(of_type) = of_type else { continue };
        let unlimited = of_type.policy.is_unlimited();
        let mut enrollment = of_type.enrollment.clone();
        for (reason, hours) in effect.changes() {
            let reason = match reason {
                Reason::Accrual if unlimited || !of_type.policy.is_in_use() => continue,
                Reason::Use if unlimited => Reason::UnlimitedUse,
                reason => reason,
            };
            let hours = match (reason, of_type.policy.max_hours) {
                (Reason::Accrual, Some(limit)) => {
                    let room = limit.checked_sub(enrollment.balance).unwrap_or_default();
                    hours.min(room).max(Amount::ZERO)
                }
                _ => hours,
            };
            let cause = Cause { reason, day: payday.end, payroll: Some((payday.payroll, payday.run)) };
            ledger::change_balance(tx, company, &mut enrollment, hours, cause)?;
        }
    }
    Ok(())
}

/// Reverses [`record_time_off`] for a calculation and an employee, when the payroll is cancelled.
pub fn reverse_time_off(tx: &mut Tx<'_>, company: Uuid, employee: Uuid, run: Uuid) -> Result<(), Error> {
    if rows::of_run(tx, company, employee, run)?.is_empty() {
        return Ok(());
    }
    tx.take_guard(company, "employee", employee)?;
    ledger::reverse_run_changes(tx, company, employee, run)
}

/// Reverses [`record_time_off`] for a calculation and one employee without results; returns whether there was one.
pub fn forget_rest(tx: &mut Tx<'_>, company: Uuid, run: Uuid) -> Result<bool, Error> {
    let Some(employee) = rows::rest_of_run(tx, company, run)? else { return Ok(false) };
    reverse_time_off(tx, company, employee, run)?;
    Ok(true)
}
