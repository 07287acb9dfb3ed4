//! Time off in paychecks: hours used and accrued, and hours paid out on termination.
//!
//! The last payroll of an employment pays out the remaining balance if the policy requires it or, for vacation, the work state does, unless
//! the hours to pay out were entered. A state's rule that is not certain pays nothing until the operator has confirmed it, and the paycheck
//! warns of it. Time off is calculated with the inputs of a paycheck and stored with them; balances change when the payroll is processed.

use rules::Amount;
use rules::compensation::PaymentUnit;
use rules::final_pay::FinalPayRule;
use rules::payroll::{Job, Share, TimeOff, employment_shares, job_pay, periods_paid};
use rules::time_off::{HoursPaid, PolicyType, Standing, Taken, hours_of_salary};
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::pay::payrolls::calendar::members;
use crate::pay::payrolls::facts::context::Context;
use crate::pay::payrolls::facts::same_period::{EarlierInPeriod, SamePeriod};
use crate::pay::payrolls::record::entered::{Entered, TimeOff as TimeOffLine};
use crate::pay::payrolls::record::kinds::TimeOffKind;
use crate::pay::payrolls::record::paycheck_inputs::PaycheckInputs;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::rows;
use crate::pay::payrolls::record::texts::{BALANCE_EXCEEDED, NOT_PAID_OUT, PAYOUT_NOT_CONFIRMED};
use crate::pay::payrolls::record::time_off::{LeaveInput, kind_of};
use crate::pay::payrolls::record::warning::Warning;
use crate::pay::time_off::commands::HoursWorked;
use crate::pay::time_off::payroll::EmployeePolicy;
use crate::pay::time_off::{self};
use crate::records::IdRange;

/// Adds a paycheck's effects on an employee's balances, and what is paid out on termination.
///
/// # Errors
/// A store error for a policy that cannot be read, or for sums that no balance can hold.
pub(in crate::pay::payrolls) fn add_leave_effects(
    context: &Context,
    inputs: &mut PaycheckInputs,
    held: &[EmployeePolicy],
    entered: &Entered,
    earlier: Option<&EarlierInPeriod>,
) -> Result<(), store::Error> {
    let payroll = &context.payroll;
    let Some(primary) = inputs.jobs.first().filter(|_| !held.is_empty()) else { return Ok(()) };
    let (hired, is_last) = (primary.hired, is_last(payroll, primary));
    let hours = hours_paid(context, inputs);
    for one in held {
        let (kind, terms) = (kind_of(one.policy.policy_type), one.policy.accrual_terms()?);
        let law = final_pay_rule(context, one, &inputs.state.state).filter(|_| is_last);
        let by_law = law.is_some_and(|law| law.pays_out(context.employer.confirmed_figures()));
        let required = (is_last && one.policy.paid_out_on_termination) || by_law;
        // The balance left in a deactivated policy is earned pay; the policy has no other effect.
        let counts = one.policy.is_in_use();
        if !counts && (!required || one.policy.is_unlimited()) {
            continue;
        }
        let line = entered.time_off.iter().find(|line| line.kind == kind);
        let used = line.map_or(Amount::ZERO, TimeOffLine::hours_taken);
        if one.policy.is_unlimited() {
            inputs.leave.extend(without_limit(kind, used));
            continue;
        }
        let said = line.and_then(|line| line.paid_out);
        let begun = counts && payroll.end >= terms.first_earning_day(hired);
        let standing = in_period(one.accrual_standing(hired, payroll.end)?, kind, earlier);
        let taken = Taken { used, paid_out: Amount::ZERO };
        let effect = hours.and_then(|hours| terms.paycheck_effect(standing, &hours, taken, begun));
        let left = effect.and_then(|effect| effect.balance_after(standing.balance));
        let (Some(effect), Some(left)) = (effect, left) else { return Err(too_many_hours()) };
        let due = if required { left.max(Amount::ZERO) } else { Amount::ZERO };
        let paid_out = said.unwrap_or(due);
        if said.is_none() && paid_out > Amount::ZERO {
            pay_out(inputs, kind, paid_out);
        }
        let rest = left.checked_sub(paid_out).ok_or_else(too_many_hours)?;
        inputs.warnings.extend(leave_balance_warning(kind, rest, paid_out < due));
        let in_doubt =
            law.filter(|law| law.is_doubtful() && !required && said.is_none() && rest > Amount::ZERO);
        inputs.warnings.extend(in_doubt.map(|law| not_confirmed(law, rest)));
        if effect.earned > Amount::ZERO || used > Amount::ZERO || paid_out > Amount::ZERO {
            inputs.leave.push(LeaveInput {
                kind,
                used,
                earned: effect.earned,
                paid_out,
                balance: Some(rest),
            });
        }
    }
    Ok(())
}

/// Returns a balance with the hours that other payrolls of the pay period accrued.
fn in_period(standing: Standing, kind: TimeOffKind, earlier: Option<&EarlierInPeriod>) -> Standing {
    let earned = earlier.and_then(|earlier| earlier.earned.get(&kind).copied());
    Standing { earned_in_period: earned.unwrap_or_default(), ..standing }
}

/// Records hours of unlimited time off, which have no other effect.
fn without_limit(kind: TimeOffKind, used: Amount) -> Option<LeaveInput> {
    (!used.is_zero()).then_some(LeaveInput {
        kind,
        used,
        earned: Amount::ZERO,
        paid_out: Amount::ZERO,
        balance: None,
    })
}

fn too_many_hours() -> store::Error {
    store::Unread::new("has more hours than a balance can hold").into_error("payroll_inputs", "entered")
}

/// Whether a payroll pays the wages of its pay period: regular payrolls, transitions, and final wages.
fn is_of_period(payroll: &Payroll) -> bool {
    payroll.pays_wages_of_its_days()
}

/// Returns the number of pay periods that a payroll covers, as a fraction. A transition, and final wages within one, cover a part of one or
/// of several, prorated like salaries.
fn periods_of(payroll: &Payroll) -> Option<(i64, i64)> {
    if payroll.is_transition() || (payroll.is_dismissal() && payroll.whole_days.is_some()) {
        return periods_paid(payroll.days(), (payroll.frequency, payroll.salary_proration()));
    }
    is_of_period(payroll).then_some((1, 1))
}

/// Whether a payroll pays the final wages of a job.
fn is_last(payroll: &Payroll, job: &Job) -> bool {
    is_of_period(payroll) && job.left.is_some_and(|left| (payroll.start..=payroll.end).contains(&left))
}

/// Returns a state's rule for the balance left at the end of employment, which applies to vacation only.
fn final_pay_rule<'c>(context: &'c Context, held: &EmployeePolicy, state: &str) -> Option<&'c FinalPayRule> {
    let table = context.tables.held.final_pay.edition_on(context.payroll.end);
    table.rule_of_state(state).filter(|_| held.policy.policy_type == PolicyType::Vacation)
}

fn not_confirmed(law: &FinalPayRule, rest: Amount) -> Warning {
    PAYOUT_NOT_CONFIRMED.to_warning(&[
        ("hours", &rest.to_text(3)),
        ("source", &law.source),
        ("confirm", &law.key()),
    ])
}

/// Adds hours to be paid out to the line of the primary job.
fn pay_out(inputs: &mut PaycheckInputs, kind: TimeOffKind, hours: Amount) {
    let Some(primary) = inputs.jobs.first_mut() else { return };
    match inputs.time_off.iter().position(|one| *one == kind) {
        Some(place) => primary.time_off[place].paid_out = hours,
        None => {
            inputs.time_off.push(kind);
            primary.time_off.push(TimeOff::new(Amount::ZERO, hours));
        }
    }
}

fn leave_balance_warning(kind: TimeOffKind, rest: Amount, is_too_little: bool) -> Option<Warning> {
    let text = match rest < Amount::ZERO {
        true => BALANCE_EXCEEDED,
        false if is_too_little => NOT_PAID_OUT,
        false => return None,
    };
    Some(text.to_warning(&[("hours", &rest.to_text(3)), ("kind", &kind.as_str())]))
}

/// Returns the hours of a paycheck that accrue time off. A salary counts as its share of 2,080 hours a year if no hours were entered.
/// `None` on overflow.
fn hours_paid(context: &Context, inputs: &PaycheckInputs) -> Option<HoursPaid> {
    let payroll = &context.payroll;
    let mut found = HoursPaid { of_period: periods_of(payroll), ..HoursPaid::default() };
    for (job, of_weeks) in inputs.jobs.iter().zip(hours_of_workweeks(context, inputs)?) {
        let off = checked_sum(job.time_off.iter().map(|line| line.hours))?;
        let [of_weeks, overtime, double_overtime] = of_weeks;
        let mut regular = checked_sum(job.worked.iter().map(|worked| worked.regular).chain([of_weeks]))?;
        let salaried = job.compensations.last().is_some_and(|one| one.terms.unit != PaymentUnit::Hour);
        if salaried && is_of_period(payroll) && regular == Amount::ZERO {
            let by = (payroll.frequency, payroll.salary_proration());
            let held = employment_shares(payroll.days(), by, &job.days_held());
            let held = held.iter().map(Share::day_fraction);
            regular = hours_of_salary(payroll.frequency.periods_per_year(), held, off)?;
        }
        let over = job.worked.iter().flat_map(|worked| [worked.overtime, worked.double_overtime]);
        found.regular = found.regular.checked_add(regular)?;
        found.overtime = found.overtime.checked_add(checked_sum(over.chain([overtime, double_overtime]))?)?;
        found.off = found.off.checked_add(off)?;
    }
    Some(found)
}

/// Returns the regular, overtime and double overtime hours of each job whose workweeks are known, as paid. `None` on overflow.
fn hours_of_workweeks(context: &Context, inputs: &PaycheckInputs) -> Option<Vec<[Amount; 3]>> {
    if inputs.jobs.iter().all(|job| job.by_week.is_empty()) {
        return Some(vec![[Amount::ZERO; 3]; inputs.jobs.len()]);
    }
    let terms = context.tables.terms_of(&context.payroll);
    let paid = job_pay(&terms, &inputs.to_rules_employee(&terms, &context.tables))?;
    Some(paid.into_iter().map(|pay| pay.hours).collect())
}

fn checked_sum(mut hours: impl Iterator<Item = Amount>) -> Option<Amount> {
    hours.try_fold(Amount::ZERO, Amount::checked_add)
}

/// Calculates the time off that hours would accrue for an employee in a payroll, by policy. Without hours, nothing accrues.
///
/// # Errors
/// "Not found" for an unknown payroll, or an employee who is not in it; every violation of the input; a store error.
pub fn would_earn(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (payroll, employee): (Uuid, Uuid),
    input: &HoursWorked,
) -> Result<Vec<(Uuid, Amount)>, Error> {
    let payroll = rows::find_payroll(tx, caller.company, payroll)?.ok_or(Error::NotFound)?;
    let employee = members::find_member(tx, caller.company, &payroll, employee)?.ok_or(Error::NotFound)?.id;
    let mut checks = rules::Checks::new();
    let mut hours = |key: &str, field: &crate::patch::Patch<Amount>| {
        field.optional(key, &mut checks, crate::pay::payrolls::entry::known::check_payable_hours)
    };
    let regular = hours("regular_hours_worked", &input.regular_hours_worked);
    let overtime = hours("overtime_hours_worked", &input.overtime_hours_worked);
    let double = hours("double_overtime_hours_worked", &input.double_overtime_hours_worked);
    let vacation = hours("pto_hours_used", &input.pto_hours_used);
    let sick = hours("sick_hours_used", &input.sick_hours_used);
    checks.finish()?;
    let given = [regular, overtime, double, vacation, sick];
    let all = |some: &[Option<Amount>]| checked_sum(some.iter().copied().flatten()).unwrap_or_default();
    let paid = HoursPaid {
        regular: all(&[regular]),
        overtime: all(&[overtime, double]),
        off: all(&[vacation, sick]),
        of_period: periods_of(&payroll).filter(|_| given.iter().any(Option::is_some)),
    };
    let hired =
        time_off::turns::hired_on(tx, caller.company, employee, payroll.end)?.ok_or(Error::NotFound)?;
    let held = time_off::payroll::policies_on_day(tx, caller.company, IdRange::only(employee), payroll.end)?;
    let same_period = SamePeriod::read_for_payroll(tx, caller.company, &payroll)?;
    let earlier = same_period.results_between(tx, caller.company, IdRange::only(employee))?.remove(&employee);
    let mut found = Vec::new();
    for one in held.get(&employee).into_iter().flatten() {
        let kind = kind_of(one.policy.policy_type);
        let (terms, standing) = (one.policy.accrual_terms()?, one.accrual_standing(hired, payroll.end)?);
        let standing = in_period(standing, kind, earlier.as_ref());
        let used = match one.policy.policy_type {
            PolicyType::Vacation => all(&[vacation]),
            PolicyType::Sick => all(&[sick]),
        };
        let begun = payroll.end >= terms.first_earning_day(hired);
        let taken = Taken { used, paid_out: Amount::ZERO };
        let effect = terms.paycheck_effect(standing, &paid, taken, begun).ok_or_else(too_many_hours)?;
        found.push((one.policy.id, effect.earned));
    }
    Ok(found)
}
