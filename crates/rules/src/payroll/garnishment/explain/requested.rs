//! Explanations of requested amounts.

use super::support::Part;
use super::{cents_amount, left_of_limit, percentage_step};
use crate::Named;
use crate::amount::{Amount, Rounding};
use crate::explain::{Operation, Step, Trace};
use crate::payroll::garnishment::{Line, Pay, requested};

pub(super) fn requested_current<K, T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    disposable: i64,
    line: &Line<'_, K>,
) {
    trace.open_figure();
    requested_amount(trace, pay, disposable, line);
    let requested = &line.requested;
    let ordered = requested.current_ordered.map(|current| {
        let names = ("current_support_ordered", "left_of_current_support");
        left_of_limit(trace, names, (current, line.withheld_earlier()), |trace| {
            trace.add_leaf(|| current_ordered(pay, line));
        })
    });
    trace.close_figure(|| {
        let step =
            Step::new(Part::Current.requested_name(), Operation::Least, cents_amount(line.current.limit))
                .input("own_amount", cents_amount(requested.amount));
        match ordered {
            Some((name, left)) => step.input(name, cents_amount(left)),
            None => step.note("The order names no parts, so that all of it is current support."),
        }
    });
}

fn current_ordered<K>(pay: &Pay<'_>, line: &Line<'_, K>) -> Step {
    let terms = &line.garnishment.terms;
    let support = terms.child_support.as_ref();
    let ordered = support
        .zip(terms.pay_period_maximum)
        .and_then(|(support, most)| requested::current_part(support, most));
    let from = support.map_or(1, |support| support.payment_period.periods_per_year());
    let (times, of) = pay.periods.of_year(from);
    Step::new(
        "current_support_ordered",
        Operation::Product,
        cents_amount(line.requested.current_ordered.unwrap_or_default()),
    )
    .input("current_and_medical_support_per_payment_period", ordered.unwrap_or(Amount::ZERO))
    .ratio("payment_periods_per_pay_period", times, of)
    .rounded("0.01", Rounding::HalfUp)
}

pub(super) fn requested_arrears<K, T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    disposable: i64,
    line: &Line<'_, K>,
) {
    trace.open_figure();
    requested_current(trace, pay, disposable, line);
    trace.close_figure(|| {
        Step::new(Part::Arrears.requested_name(), Operation::Difference, cents_amount(line.arrears.limit))
            .input("own_amount", cents_amount(line.requested.amount))
            .input(Part::Current.requested_name(), cents_amount(line.current.limit))
    });
}

/// Explains the requested amount.
pub(super) fn requested_amount<K, T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    disposable: i64,
    line: &Line<'_, K>,
) {
    let (requested, terms) = (&line.requested, &line.garnishment.terms);
    if let Some(why) = requested.ended {
        let withheld = line.garnishment.withheld.times;
        trace.add_leaf(|| {
            Step::new("own_amount", Operation::Given, Amount::ZERO).note(why).ratio(
                "taken_so_many_times",
                withheld,
                1,
            )
        });
        return;
    }
    trace.open_figure();
    if terms.deduct_as_percentage {
        trace.add_leaf(|| {
            percentage_step(
                "percentage_of_pay",
                "disposable_earnings",
                disposable,
                "percentage",
                terms.amount,
                requested.basic,
            )
        });
    }
    let cap = requested.cap.map(|cap| {
        let names = ("dollar_cap", "left_of_dollar_cap");
        left_of_limit(trace, names, (cap, line.withheld_earlier()), |trace| dollar_cap(trace, pay, line))
    });
    let left = |figure: &'static str, of: &'static str, most: Amount, taken: Amount, left: i64| {
        Step::new(figure, Operation::Remaining, cents_amount(left))
            .input(of, most)
            .input("taken_before", taken)
    };
    let withheld = &line.garnishment.withheld;
    if let Some((most, rest)) = terms.annual_maximum.zip(requested.left_of_year) {
        trace.add_leaf(|| left("left_of_annual_maximum", "annual_maximum", most, withheld.year, rest));
    }
    if let Some((most, rest)) = terms.total_amount.zip(requested.left_of_total) {
        trace.add_leaf(|| left("left_of_total_amount", "total_amount", most, withheld.total, rest));
    }
    trace.close_figure(|| {
        let basic = match terms.deduct_as_percentage {
            _ if terms.takes_all() => "disposable_earnings",
            true => "percentage_of_pay",
            false => "amount",
        };
        let mut step = Step::new("own_amount", Operation::Least, cents_amount(requested.amount))
            .input(basic, cents_amount(requested.basic));
        let caps = [
            cap,
            requested.left_of_year.map(|left| ("left_of_annual_maximum", left)),
            requested.left_of_total.map(|left| ("left_of_total_amount", left)),
        ];
        for (name, cap) in caps.into_iter().flatten() {
            step = step.input(name, cents_amount(cap));
        }
        step
    });
}

/// Explains the conversion of the dollar cap to the pay period.
fn dollar_cap<K, T: Trace>(trace: &mut T, pay: &Pay<'_>, line: &Line<'_, K>) {
    let terms = &line.garnishment.terms;
    let (Some(most), Some(cap)) = (terms.pay_period_maximum, line.requested.cap) else { return };
    let Some(support) = terms.child_support.as_ref().filter(|_| terms.is_child_support()) else { return };
    trace.add_leaf(|| {
        let from = support.payment_period;
        let (times, of) = pay.periods.of_year(from.periods_per_year());
        Step::new("dollar_cap", Operation::Product, cents_amount(cap))
            .input("pay_period_maximum", most)
            .input("payment_period", from.as_str())
            .input("pay_schedule", pay.periods.frequency.as_str())
            .ratio("payment_periods_per_pay_period", times, of)
            .rounded("0.01", Rounding::HalfUp)
            .note(
                "The order's cap is for its own payment period: it is annualised and divided by the pay periods of \
                 a year.",
            )
    });
}
