//! Bonuses and other lump sums that must be reported to the agency of a support order before they are paid.

use std::collections::BTreeSet;

use rules::compensation::annualized_pay;
use rules::full_time::HOURS_PER_YEAR;
use rules::lump_sum::{LumpSumRule, LumpSumRules, LumpSums};
use rules::payroll::FixedKind as PaidAs;
use rules::withholding::federal::PayFrequency;
use rules::{Amount, Rounding};
use uuid::Uuid;

use crate::pay::payrolls::facts::context::Context;
use crate::pay::payrolls::record::kinds::FixedKind;
use crate::pay::payrolls::record::paycheck_inputs::{GarnishmentInput, PaycheckInputs};
use crate::pay::payrolls::record::texts::LUMP_SUM;
use crate::pay::payrolls::record::warning::Warning;
use crate::withholding::garnishments::lump_sums::LumpSum;

/// Returns a warning for each state whose agency must be notified of a payment in a paycheck.
pub(in crate::pay::payrolls) fn lump_sum_warnings(
    context: &Context,
    inputs: &PaycheckInputs,
) -> Vec<Warning> {
    let mut states = BTreeSet::new();
    let told = to_tell(context, inputs).into_iter();
    told.filter(|(_, rule, _)| states.insert(&rule.state))
        .map(|(_, rule, sum)| lump_sum_warning(rule, sum))
        .collect()
}

/// Returns the notices for a paycheck: one for each order whose state requires notification.
pub(in crate::pay::payrolls) fn lump_sum_notices(
    context: &Context,
    employee: Uuid,
    inputs: &PaycheckInputs,
) -> Vec<LumpSum> {
    let payroll = &context.payroll;
    let notice = |(order, rule, amount): (&GarnishmentInput, &LumpSumRule, Amount)| LumpSum {
        payroll: payroll.id,
        garnishment: order.garnishment.id,
        employee,
        check_date: payroll.check_date,
        amount,
        days: rule.days,
        section: rule.section.clone(),
    };
    to_tell(context, inputs).into_iter().map(notice).collect()
}

/// Returns each order whose state requires notification of a payment in a paycheck, and the amount. An ended order requires none.
fn to_tell<'i>(
    context: &'i Context,
    inputs: &'i PaycheckInputs,
) -> Vec<(&'i GarnishmentInput, &'i LumpSumRule, Amount)> {
    let payroll = &context.payroll;
    let rules: &LumpSumRules = context.tables.held.lump_sum_reporting.edition_on(payroll.check_date);
    let goes_on = |order: &&GarnishmentInput| !order.garnishment.has_ended(payroll.check_date);
    let asking = |order| Some((order, rules.rule_of_state(GarnishmentInput::issuing_state_code(order)?)?));
    let orders: Vec<_> = inputs.garnishments.iter().filter(goes_on).filter_map(asking).collect();
    if orders.is_empty() {
        return Vec::new();
    }
    let Some(sums) = sums_to_report(inputs, payroll.frequency) else { return Vec::new() };
    orders.into_iter().filter_map(|(order, rule)| Some((order, rule, rule.to_report(sums)?))).collect()
}

/// Returns the sums to report; `None` on overflow, which the calculation reports.
fn sums_to_report(inputs: &PaycheckInputs, frequency: PayFrequency) -> Option<LumpSums> {
    let mut found = LumpSums::default();
    for line in &inputs.fixed {
        let sum = match line.name {
            FixedKind::Bonus => &mut found.bonuses,
            FixedKind::Commission => &mut found.commissions,
            _ => continue,
        };
        *sum = sum.checked_add(line.pay.amount)?;
    }
    for line in inputs.custom.iter().filter(|line| line.pay.kind == PaidAs::Earnings) {
        found.bonuses = found.bonuses.checked_add(line.pay.amount)?;
    }
    let primary = inputs.jobs.first()?;
    let terms = &primary.compensations.last()?.terms;
    let yearly = annualized_pay(terms, Some(frequency.periods_per_year()))?;
    for line in primary.time_off.iter().filter(|line| line.paid_out > Amount::ZERO) {
        found.leave = found.leave.checked_add(pay_of(line.paid_out, yearly)?)?;
    }
    Some(found)
}

/// Returns the pay for hours at a yearly salary, rounded to the cent as their line is; `None` on overflow.
fn pay_of(hours: Amount, yearly: Amount) -> Option<Amount> {
    let exact = i128::from(yearly.millionths()).checked_mul(hours.millionths().into())?;
    // Millionths of dollars and of hours, in cents.
    let of = i128::from(HOURS_PER_YEAR) * 1_000_000 * 10_000;
    Amount::from_cents_ratio(exact, of, Rounding::HalfUp)
}

fn lump_sum_warning(rule: &LumpSumRule, amount: Amount) -> Warning {
    LUMP_SUM.to_warning(&[
        ("state", &rule.state),
        ("amount", &amount.to_text(2)),
        ("days", &rule.days),
        ("section", &rule.section),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_that_are_paid_out_are_told_to_the_cent_that_is_paid() {
        let amount = |text: &str| Amount::parse(text).unwrap();
        // 52,000.00 a year is 25.00 an hour: 61.429 hours are 1,535.725.
        assert_eq!(pay_of(amount("61.429"), amount("52000")), Some(amount("1535.73")));
        // 36,400.00 a year is 17.50 an hour: 0.142 hours are 2.485.
        assert_eq!(pay_of(amount("0.142"), amount("36400")), Some(amount("2.49")));
        assert_eq!(pay_of(amount("40"), amount("104000")), Some(amount("2000")));
    }
}
