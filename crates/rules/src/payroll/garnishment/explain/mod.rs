//! Explanations of garnishments: one self-contained figure for each.

mod others;
mod requested;
mod state;
mod support;

use std::fmt::Display;

pub(super) use others::explain_other;
pub(super) use support::explain_support;

use super::{Disposable, Line};
use crate::Named;
use crate::amount::{Amount, Rounding};
use crate::explain::{Operation, Step, Trace};
use crate::payroll::figures::garnishment_figure;

fn cents_amount(cents: i64) -> Amount {
    Amount::from_cents(cents)
}

/// Figure name of the amount withheld from earlier paychecks of the pay period.
const EARLIER: &str = "taken_earlier_in_the_pay_period";

/// Explains the disposable earnings of a pay period with earlier paychecks.
fn earnings_of_period<T: Trace>(trace: &mut T, disposable: Disposable) {
    if disposable.earlier_paychecks() > 0 {
        trace.add_leaf(|| {
            Step::new("disposable_earnings", Operation::Sum, cents_amount(disposable.period))
                .input("of_this_paycheck", cents_amount(disposable.now))
                .input("of_earlier_paychecks_of_the_pay_period", cents_amount(disposable.earlier_paychecks()))
        });
    }
}

/// Explains a limit of the pay period and what is left of it; returns the name and cents of the figure that limits this paycheck.
fn left_of_limit<T: Trace>(
    trace: &mut T,
    (limit, left): (&'static str, &'static str),
    (most, earlier): (i64, i64),
    explain: impl FnOnce(&mut T),
) -> (&'static str, i64) {
    if earlier == 0 {
        explain(trace);
        return (limit, most);
    }
    let rest = (most - earlier).max(0);
    trace.open_figure();
    explain(trace);
    trace.close_figure(|| {
        Step::new(left, Operation::Remaining, cents_amount(rest))
            .input(limit, cents_amount(most))
            .input(EARLIER, cents_amount(earlier))
    });
    (left, rest)
}

/// Returns the step for a percentage of an amount, rounded down.
fn percentage_step(
    figure: &'static str,
    of: &'static str,
    amount: i64,
    name: &'static str,
    percent: Amount,
    result: i64,
) -> Step {
    Step::new(figure, Operation::Product, cents_amount(result))
        .input(of, cents_amount(amount))
        .input(name, percent)
        .ratio("per_cent", 1, 100)
        .rounded("0.01", Rounding::Down)
}

/// Returns the root figure of a garnishment.
fn deduction_step<K: Display>(line: &Line<'_, K>) -> Step {
    let terms = &line.garnishment.terms;
    let kind = terms.garnishment_type.map_or("plain deduction", super::GarnishmentType::as_str);
    Step::new(garnishment_figure(&line.garnishment.id), Operation::Least, cents_amount(line.taken))
        .input("type", kind)
        .input("since", line.garnishment.since)
}
