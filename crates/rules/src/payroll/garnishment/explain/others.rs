//! Explanations of garnishments other than child support.

use std::fmt::Display;

use super::requested::requested_amount;
use super::{cents, deduction, percentage};
use crate::amount::Rounding;
use crate::explain::{Operation, Step, Trace};
use crate::payroll::garnishment::others::{CREDITOR_PERCENT, LOAN_PERCENT, Law, Limits, PROTECTED_HOURS};
use crate::payroll::garnishment::{Line, Pay};

/// Explains a garnishment other than child support.
pub(in crate::payroll::garnishment) fn other<K: Display, T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    disposable: i64,
    limits: &Limits,
    before: i64,
    line: &Line<'_, K>,
) {
    let law = Law::of(line.garnishment.terms.garnishment_type);
    trace.open();
    requested_amount(trace, pay, disposable, line);
    match law {
        Law::None => {}
        Law::Creditor => creditor_room(trace, pay, disposable, limits, before),
        Law::Loan => loan_room(trace, pay, disposable, limits, before),
    }
    trace.leaf(|| {
        Step::new("left_of_pay", Operation::Remaining, cents((disposable - before).max(0)))
            .input("disposable_earnings", cents(disposable))
            .input("taken_before", cents(before))
    });
    trace.close(|| {
        let step = deduction(line).input("own_amount", cents(line.requested.amount));
        let step = match law {
            Law::None => step,
            Law::Creditor => {
                let most = limits.creditor_share.min(limits.above_protected);
                step.input("creditor_room", cents((most - before).max(0)))
            }
            Law::Loan => step
                .input("loan_limit", cents(limits.loan_share))
                .input("above_protected_earnings", cents(limits.above_protected))
                .input("left_of_a_quarter", cents((limits.creditor_share - before).max(0))),
        };
        let step = step.input("left_of_pay", cents((disposable - before).max(0)));
        match line.requested.ended {
            Some(why) => step.note(why),
            None => step,
        }
    });
}

fn creditor_room<T: Trace>(trace: &mut T, pay: &Pay<'_>, disposable: i64, limits: &Limits, before: i64) {
    let most = limits.creditor_share.min(limits.above_protected);
    trace.open();
    trace.open();
    quarter(trace, disposable, limits);
    above_protected(trace, pay, disposable, limits);
    trace.close(|| {
        Step::new("creditor_limit", Operation::Least, cents(most))
            .input("quarter_of_disposable_earnings", cents(limits.creditor_share))
            .input("above_protected_earnings", cents(limits.above_protected))
            .source("15 USC 1673(a)")
            .note("Federal law; a state may leave creditors less.")
    });
    trace.close(|| {
        Step::new("creditor_room", Operation::Remaining, cents((most - before).max(0)))
            .input("creditor_limit", cents(most))
            .input("taken_before", cents(before))
            .source("29 CFR 870.11")
    });
}

fn loan_room<T: Trace>(trace: &mut T, pay: &Pay<'_>, disposable: i64, limits: &Limits, before: i64) {
    trace.leaf(|| {
        percentage(
            "loan_limit",
            "disposable_earnings",
            disposable,
            "loan_percentage",
            LOAN_PERCENT,
            limits.loan_share,
        )
        .source("20 USC 1095a(a)(1); 31 USC 3720D(b)(1)")
    });
    above_protected(trace, pay, disposable, limits);
    trace.open();
    quarter(trace, disposable, limits);
    trace.close(|| {
        Step::new("left_of_a_quarter", Operation::Remaining, cents((limits.creditor_share - before).max(0)))
            .input("quarter_of_disposable_earnings", cents(limits.creditor_share))
            .input("taken_before", cents(before))
    });
}

fn quarter<T: Trace>(trace: &mut T, disposable: i64, limits: &Limits) {
    trace.leaf(|| {
        percentage(
            "quarter_of_disposable_earnings",
            "disposable_earnings",
            disposable,
            "creditor_percentage",
            CREDITOR_PERCENT,
            limits.creditor_share,
        )
    });
}

fn above_protected<T: Trace>(trace: &mut T, pay: &Pay<'_>, disposable: i64, limits: &Limits) {
    trace.open();
    trace.leaf(|| {
        Step::new("protected_earnings", Operation::Product, cents(limits.protected))
            .ratio("hours_a_week", PROTECTED_HOURS, 1)
            .input("federal_minimum_wage", pay.federal_minimum_wage)
            .ratio("weeks", 52, pay.frequency.periods_per_year())
            .rounded("0.01", Rounding::HalfUp)
            .source("29 CFR 870.10")
    });
    trace.close(|| {
        Step::new("above_protected_earnings", Operation::Remaining, cents(limits.above_protected))
            .input("disposable_earnings", cents(disposable))
            .input("protected_earnings", cents(limits.protected))
    });
}
