//! Explanations of states' limits on creditors and tax levies.

use super::others::with_premiums;
use super::{cents_amount, earnings_of_period, percentage_step};
use crate::Named;
use crate::amount::Rounding;
use crate::explain::{Operation, Step, Trace};
use crate::full_time::WEEKS_PER_YEAR;
use crate::payroll::garnishment::others::{Excess, StateTerms};
use crate::payroll::garnishment::state_limits::{GarnishmentLimit, LimitRule};
use crate::payroll::garnishment::{Disposable, Pay};

/// Explains a state's limit as `limit_of_the_state`.
pub(super) fn state_limit<T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    disposable: Disposable,
    gross: i64,
    terms: &StateTerms<'_>,
) {
    let limit = terms.limit;
    if limit.rule == LimitRule::Barred {
        trace.add_leaf(|| {
            Step::new("limit_of_the_state", Operation::Given, cents_amount(0))
                .input("state", limit.state.clone())
                .source(limit.section.clone())
                .note(match limit.gross_up_to_hours {
                    None => "The state of work lets creditors take nothing of wages.",
                    Some(_) => "The state of work lets creditors take nothing of wages as low as these.",
                })
        });
        return;
    }
    trace.open_figure();
    if let (Some(part), Some(percent)) = (terms.of_disposable, limit.percent_of_disposable) {
        trace.open_figure();
        explain_earnings(trace, pay, disposable, terms);
        let of = terms.earnings;
        trace.close_figure(|| {
            percentage_step("part_of_disposable_earnings", "earnings", of, "percentage", percent, part)
        });
    }
    if let (Some(part), Some(percent)) = (terms.of_gross, limit.percent_of_gross) {
        trace.add_leaf(|| {
            percentage_step("part_of_gross_pay", "gross_pay", gross, "percentage", percent, part)
        });
    }
    if let (Some(excess), Some(percent)) = (&terms.excess, limit.percent_of_excess) {
        trace.open_figure();
        trace.open_figure();
        explain_earnings(trace, pay, disposable, terms);
        trace.add_leaf(|| protected_earnings(pay, limit, excess));
        trace.close_figure(|| {
            Step::new(
                "above_earnings_that_the_state_protects",
                Operation::Remaining,
                cents_amount(excess.above),
            )
            .input("earnings", cents_amount(terms.earnings))
            .input("earnings_that_the_state_protects", cents_amount(excess.protected))
        });
        trace.close_figure(|| {
            percentage_step(
                "part_above_protected_earnings",
                "above_earnings_that_the_state_protects",
                excess.above,
                "percentage",
                percent,
                excess.part,
            )
        });
    }
    trace.close_figure(|| {
        let mut step = Step::new("limit_of_the_state", Operation::Least, cents_amount(terms.most));
        let each = [
            ("part_of_disposable_earnings", terms.of_disposable),
            ("part_of_gross_pay", terms.of_gross),
            ("part_above_protected_earnings", terms.excess.as_ref().map(|excess| excess.part)),
        ];
        for (name, part) in each {
            if let Some(part) = part {
                step = step.input(name, cents_amount(part));
            }
        }
        let step = step.input("state", limit.state.clone()).source(limit.section.clone());
        if limit.note.is_empty() { step } else { step.note(limit.note.clone()) }
    });
}

/// Explains the earnings to which a state's limit applies.
fn explain_earnings<T: Trace>(trace: &mut T, pay: &Pay<'_>, disposable: Disposable, terms: &StateTerms<'_>) {
    trace.open_figure();
    earnings_of_period(trace, disposable);
    trace.close_figure(|| {
        let step = Step::new("earnings", Operation::Remaining, cents_amount(terms.earnings))
            .input("disposable_earnings", cents_amount(disposable.period));
        if terms.limit.health_premiums { with_premiums(step, pay) } else { step }
    });
}

/// Returns the step for the earnings that a state protects in a pay period.
fn protected_earnings(pay: &Pay<'_>, limit: &GarnishmentLimit, excess: &Excess) -> Step {
    let step =
        Step::new("earnings_that_the_state_protects", Operation::Product, cents_amount(excess.protected))
            .rounded("0.01", Rounding::HalfUp);
    if let Some((hours, basis)) = limit.hours.zip(limit.minimum_wage) {
        let (weeks, of) = pay.periods.of_year(WEEKS_PER_YEAR);
        return step
            .ratio("hours_a_week", hours, 1)
            .input("minimum_wage", pay.law.minimum_wages.wage_for_basis(basis))
            .input("minimum_wage_of", basis.as_str())
            .ratio("weeks", weeks, of);
    }
    match limit.protected_dollars(pay.periods.frequency) {
        Some((dollars, of_year)) => {
            let (times, of) = pay.periods.of_year(of_year);
            step.input("protected_dollars", dollars).ratio("periods_of_the_law_per_pay_period", times, of)
        }
        None => step,
    }
}
