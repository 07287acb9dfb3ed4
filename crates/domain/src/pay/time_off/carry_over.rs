//! Carry-over: when a new year of a policy begins, hours left above the policy's limit are forfeited.
//!
//! Payrolls are processed after the days they pay, so hours taken or accrued in the last days of a year are recorded in the next one. The
//! forfeited hours depend on the days that hours are for, not on when they are recorded: approved hours for days of the old year that no
//! payroll has paid yet do not count as left, and hours recorded later for such days correct the result.

use jiff::ToSpan;
use jiff::civil::Date;
use rules::Amount;
use rules::days::Days;
use rules::time_off::{AccrualTerms, Reason};
use store::{Tx, params};
use uuid::Uuid;

use super::ledger::{self, Cause, too_large};
use super::requests::rows::FIRST_DAY as FIRST_OF_ALL;
use super::rows::{Enrollment, TimeOffChange};
use super::{requests, rows};
use crate::error::Error;
use crate::records::IdRange;

store::statements! {
    FIRST_DAY = "SELECT start_date FROM payrolls WHERE company_id = $1 AND id = $2";
    PAID_UNTIL = "SELECT max(p.end_date) FROM payrolls p \
                  JOIN payroll_results r ON r.company_id = p.company_id AND r.run_id = p.run_id \
                  WHERE p.company_id = $1 AND r.employee_id = $2 AND p.processed_at IS NOT NULL AND p.off_cycle = false";
}

/// Subtracts from a balance the hours forfeited when its policy year begins on `day`, or corrects the hours already subtracted. The caller
/// holds the employee's guard.
///
/// # Errors
/// A store error, also if a sum is too large for a balance.
pub(super) fn settle_forfeited_hours(
    tx: &mut Tx<'_>,
    company: Uuid,
    terms: &AccrualTerms,
    held: &mut Enrollment,
    day: Date,
) -> Result<(), Error> {
    let changes = rows::balance_changes(tx, company, held.employee, held.policy_type)?;
    let (mut left, mut taken_out) = (Amount::ZERO, Amount::ZERO);
    for change in changes.iter().filter(|one| one.policy == held.policy && one.reason.moves_balance()) {
        if change.reason == Reason::CarryOver && change.day == day {
            taken_out = taken_out.checked_sub(change.hours).ok_or_else(too_large)?;
        }
        let before = hours_before(tx, company, change, day)?;
        left = left.checked_add(before).ok_or_else(too_large)?;
    }
    let approved = approved_before(tx, company, held, day)?;
    left = left.checked_sub(approved).ok_or_else(too_large)?;
    let lost = terms.lost_hours(left).ok_or_else(too_large)?;
    let change = taken_out.checked_sub(lost).ok_or_else(too_large)?;
    ledger::change_balance(tx, company, held, change, Cause { reason: Reason::CarryOver, day, payroll: None })
}

/// Returns the part of a change that counts for days before `day`. Hours paid by a payroll count for the days of their requests; hours
/// entered for the pay period count for its first day.
fn hours_before(tx: &mut Tx<'_>, company: Uuid, change: &TimeOffChange, day: Date) -> Result<Amount, Error> {
    if change.day < day {
        return Ok(change.hours);
    }
    let (Reason::Use, Some(payroll), Some(run)) = (change.reason, change.payroll, change.run) else {
        return Ok(Amount::ZERO);
    };
    let first = tx.find_row(FIRST_DAY, params![company, payroll], |row| row.get::<Date>(0))?;
    if first.is_none_or(|first| first >= day) {
        return Ok(Amount::ZERO);
    }
    let mut before = change.hours;
    for paid in requests::rows::days_of_run(tx, company, change.employee, run)? {
        let request = requests::rows::TimeOffRequest::find(tx, company, change.employee, paid.request)?;
        if paid.day >= day && request.is_some_and(|one| one.policy_type == change.policy_type) {
            before = before.checked_add(paid.hours).ok_or_else(too_large)?;
        }
    }
    Ok(before.min(Amount::ZERO))
}

/// Sums the approved hours for days before `day` that a payroll has yet to pay: they are still in the balance.
///
/// # Errors
/// A store error, also if a sum is too large for a balance.
pub(super) fn approved_before(
    tx: &mut Tx<'_>,
    company: Uuid,
    held: &Enrollment,
    day: Date,
) -> Result<Amount, Error> {
    let paid_until =
        tx.find_row(PAID_UNTIL, params![company, held.employee], |row| row.get::<Option<Date>>(0))?.flatten();
    // Days in pay periods that were processed before the approval are never paid.
    let first = paid_until.map_or(FIRST_OF_ALL, |last| last.saturating_add(1.day()));
    let last = day.saturating_sub(1.day());
    let bounds = IdRange::only(held.employee);
    let approved = requests::rows::approved_unpaid_days(tx, company, bounds, Days { first, last })?;
    let mut hours = approved.iter().filter(|one| one.policy_type == held.policy_type).map(|one| one.hours);
    hours.try_fold(Amount::ZERO, Amount::checked_add).ok_or_else(too_large)
}
