//! Explanations of garnishments: one self-contained figure for each.

mod others;
mod requested;
mod state;
mod support;

use std::fmt::Display;

pub(super) use others::other;
pub(super) use support::support;

use super::{Disposable, Line};
use crate::Named;
use crate::amount::{Amount, Rounding};
use crate::explain::{Operation, Step, Trace};

fn cents(cents: i64) -> Amount {
    Amount::from_cents(cents)
}

/// Figure name of the amount withheld from earlier paychecks of the pay period.
const EARLIER: &str = "taken_earlier_in_the_pay_period";

/// Explains the disposable earnings of a pay period with earlier paychecks.
fn earnings_of_period<T: Trace>(trace: &mut T, disposable: Disposable) {
    if disposable.earlier() > 0 {
        trace.leaf(|| {
            Step::new("disposable_earnings", Operation::Sum, cents(disposable.period))
                .input("of_this_paycheck", cents(disposable.now))
                .input("of_earlier_paychecks_of_the_pay_period", cents(disposable.earlier()))
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
    trace.open();
    explain(trace);
    trace.close(|| {
        Step::new(left, Operation::Remaining, cents(rest))
            .input(limit, cents(most))
            .input(EARLIER, cents(earlier))
    });
    (left, rest)
}

/// Returns the step for a percentage of an amount, rounded down.
fn percentage(
    figure: &'static str,
    of: &'static str,
    amount: i64,
    name: &'static str,
    percent: Amount,
    result: i64,
) -> Step {
    Step::new(figure, Operation::Product, cents(result))
        .input(of, cents(amount))
        .input(name, percent)
        .ratio("per_cent", 1, 100)
        .rounded("0.01", Rounding::Down)
}

/// Returns the root figure of a garnishment.
fn deduction<K: Display>(line: &Line<'_, K>) -> Step {
    let terms = &line.garnishment.terms;
    let kind = terms.garnishment_type.map_or("plain deduction", super::GarnishmentType::as_str);
    Step::new(format!("deduction {}", line.garnishment.id), Operation::Least, cents(line.taken))
        .input("type", kind)
        .input("since", line.garnishment.since)
}
