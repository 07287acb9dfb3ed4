//! Explanations of garnishments other than child support.

use std::fmt::Display;

use super::requested::requested_amount;
use super::state::state_limit;
use super::{cents, deduction, percentage};
use crate::Named;
use crate::amount::{Amount, Rounding};
use crate::explain::{Operation, Step, Trace};
use crate::payroll::garnishment::law::Exempt;
use crate::payroll::garnishment::others::{
    CREDITOR_PERCENT, Exempted, LOAN_PERCENT, Law, Limits, PROTECTED_HOURS, StateTerms,
};
use crate::payroll::garnishment::{Line, Pay};

/// Explains a garnishment other than child support.
pub(in crate::payroll::garnishment) fn other<K: Display, T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    disposable: i64,
    (limits, law): (&Limits, &Law<'_>),
    before: i64,
    line: &Line<'_, K>,
) {
    trace.open();
    requested_amount(trace, pay, disposable, line);
    match law {
        Law::None => {}
        Law::Creditor(state) => creditor_room(trace, pay, disposable, (limits, state.as_ref()), before),
        Law::Loan => loan_room(trace, pay, disposable, limits, before),
        Law::StateLevy(terms) => state_limit(trace, pay, disposable, limits.gross, terms),
        Law::Levy(exempted) => levy_room(trace, pay, disposable, exempted, before),
    }
    trace.leaf(|| {
        Step::new("left_of_pay", Operation::Remaining, cents((disposable - before).max(0)))
            .input("disposable_earnings", cents(disposable))
            .input("taken_before", cents(before))
    });
    trace.close(|| {
        let step = deduction(line).input("own_amount", cents(line.requested.amount));
        let agency = &limits.agency;
        let step = match law {
            Law::None => step,
            Law::Creditor(state) => {
                let most = limits.creditors(state.as_ref());
                step.input("creditor_room", cents((most - before).max(0)))
            }
            Law::Loan => step
                .input("loan_limit", cents(agency.loan_share))
                .input("above_protected_earnings", cents(agency.above_protected))
                .input("left_of_a_quarter", cents((agency.quarter - before).max(0))),
            Law::StateLevy(terms) => step.input("limit_of_the_state", cents(terms.most)),
            Law::Levy(exempted) => match exempted.room(disposable, before) {
                Some(room) => step.input("levy_room", cents(room)),
                None => step,
            },
        };
        let step = step.input("left_of_pay", cents((disposable - before).max(0)));
        let step = match line.requested.ended {
            Some(why) => step.note(why),
            None => step,
        };
        match line.garnishment.terms.bankruptcy_chapter {
            Some(chapter) => step.source(bankruptcy_section(chapter)).note(
                "An order of the bankruptcy court, for which the limits of 15 USC 1673(a) do not hold (15 USC \
                 1673(b)(1)(B)); it comes after support. Other creditors are stayed (11 USC 362(a)): end theirs when the \
                 court's notice says so.",
            ),
            None => step,
        }
    });
}

fn bankruptcy_section(chapter: i64) -> &'static str {
    if chapter == 12 { "11 USC 1225(c)" } else { "11 USC 1325(c)" }
}

fn creditor_room<T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    disposable: i64,
    (limits, state): (&Limits, Option<&StateTerms<'_>>),
    before: i64,
) {
    let most = limits.creditors(state);
    trace.open();
    trace.open();
    quarter(trace, pay, disposable, limits.creditor_share, false);
    above_protected(trace, pay, disposable, (limits, limits.above_protected), false);
    if let Some(terms) = state {
        state_limit(trace, pay, disposable, limits.gross, terms);
    }
    trace.close(|| {
        let step = Step::new("creditor_limit", Operation::Least, cents(most))
            .input("quarter_of_disposable_earnings", cents(limits.creditor_share))
            .input("above_protected_earnings", cents(limits.above_protected))
            .source("15 USC 1673(a)");
        match state {
            Some(terms) => step.input("limit_of_the_state", cents(terms.most)),
            None => step.note("Federal law; no lower limit of the state of work counts."),
        }
    });
    trace.close(|| {
        Step::new("creditor_room", Operation::Remaining, cents((most - before).max(0)))
            .input("creditor_limit", cents(most))
            .input("taken_before", cents(before))
            .source("29 CFR 870.11")
    });
}

fn loan_room<T: Trace>(trace: &mut T, pay: &Pay<'_>, disposable: i64, limits: &Limits, before: i64) {
    let agency = &limits.agency;
    trace.open();
    disposable_pay(trace, pay, disposable, agency.disposable);
    trace.close(|| {
        percentage(
            "loan_limit",
            "disposable_earnings",
            agency.disposable,
            "loan_percentage",
            LOAN_PERCENT,
            agency.loan_share,
        )
        .source("34 CFR 34.19(b); 31 CFR 285.11(i)(2)")
    });
    above_protected(trace, pay, disposable, (limits, agency.above_protected), true);
    trace.open();
    quarter(trace, pay, disposable, agency.quarter, true);
    trace.close(|| {
        Step::new("left_of_a_quarter", Operation::Remaining, cents((agency.quarter - before).max(0)))
            .input("quarter_of_disposable_earnings", cents(agency.quarter))
            .input("taken_before", cents(before))
            .source("34 CFR 34.20; 31 CFR 285.11(i)(3)")
    });
}

/// Explains disposable pay of a debt to a federal agency, where health insurance premiums leave it.
fn disposable_pay<T: Trace>(trace: &mut T, pay: &Pay<'_>, disposable: i64, left: i64) {
    if pay.health_premiums.is_empty() {
        return;
    }
    trace.leaf(|| {
        let step = Step::new("disposable_earnings", Operation::Remaining, cents(left))
            .input("earnings_after_taxes", cents(disposable));
        let premiums = pay.health_premiums.iter();
        premiums
            .fold(step, |step, (name, amount)| step.input(name.clone(), *amount))
            .source("31 CFR 285.11(c); 34 CFR 34.3")
    });
}

/// Explains a quarter of disposable earnings, or of disposable pay for a debt to a federal agency.
fn quarter<T: Trace>(trace: &mut T, pay: &Pay<'_>, disposable: i64, share: i64, agency: bool) {
    let of = if agency { of_agency(pay, disposable) } else { disposable };
    trace.open();
    if agency {
        disposable_pay(trace, pay, disposable, of);
    }
    trace.close(|| {
        percentage(
            "quarter_of_disposable_earnings",
            "disposable_earnings",
            of,
            "creditor_percentage",
            CREDITOR_PERCENT,
            share,
        )
    });
}

fn of_agency(pay: &Pay<'_>, disposable: i64) -> i64 {
    let premiums = pay.health_premiums.iter().map(|(_, amount)| amount.cents_half_up());
    (disposable - premiums.sum::<i64>()).max(0)
}

fn above_protected<T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    disposable: i64,
    (limits, above): (&Limits, i64),
    agency: bool,
) {
    let of = if agency { limits.agency.disposable } else { disposable };
    trace.open();
    if agency {
        disposable_pay(trace, pay, disposable, of);
    }
    trace.leaf(|| {
        Step::new("protected_earnings", Operation::Product, cents(limits.protected))
            .ratio("hours_a_week", PROTECTED_HOURS, 1)
            .input("federal_minimum_wage", pay.law.minimum_wages.federal)
            .ratio("weeks", 52, pay.frequency.periods_per_year())
            .rounded("0.01", Rounding::HalfUp)
            .source("29 CFR 870.10")
    });
    trace.close(|| {
        Step::new("above_protected_earnings", Operation::Remaining, cents(above))
            .input("disposable_earnings", cents(of))
            .input("protected_earnings", cents(limits.protected))
    });
}

/// Explains what a federal levy for taxes leaves.
fn levy_room<T: Trace>(trace: &mut T, pay: &Pay<'_>, disposable: i64, exempted: &Exempted<'_>, before: i64) {
    let (Exempt::Known(row), Some(exempt)) = (&exempted.exempt, exempted.amount()) else {
        if exempted.takes_all {
            trace.leaf(|| {
                Step::new("levy_room", Operation::Given, cents(0)).source("26 USC 6334(d)").note(
                    "The amounts of the year that are exempt from the levy are not held or not confirmed, and it has no \
                     amount of its own.",
                )
            });
        }
        return;
    };
    let periods = pay.frequency.periods_per_year();
    let [standard, dependent, additional] = row.of_period(pay.frequency);
    let part = |figure: &'static str, name: &'static str, of_year: Amount, part: i64| {
        Step::new(figure, Operation::Product, cents(part))
            .input(name, of_year)
            .ratio("part_of_a_year", 1, periods)
            .rounded("0.01", Rounding::HalfUp)
    };
    trace.open();
    trace.open();
    trace.leaf(|| {
        part("exempt_standard_deduction", "standard_deduction", row.standard_deduction, standard)
            .input("filing_status", row.filing_status.as_str())
    });
    trace.open();
    trace.leaf(|| part("exempt_for_a_dependent", "for_a_dependent", row.dependent, dependent));
    trace.close(|| {
        Step::new("exempt_for_dependents", Operation::Product, cents(exempted.dependents))
            .input("exempt_for_a_dependent", cents(dependent))
            .ratio("dependents", exempted.levy.dependents, 1)
    });
    if let Some(of_year) = row.additional.filter(|_| exempted.levy.additional > 0) {
        trace.open();
        trace.leaf(|| part("additional_exempt_amount", "additional_standard_deduction", of_year, additional));
        trace.close(|| {
            Step::new("exempt_for_age_and_blindness", Operation::Product, cents(exempted.additional))
                .input("additional_exempt_amount", cents(additional))
                .ratio("times", exempted.levy.additional, 1)
                .source("26 USC 63(f)")
        });
    }
    trace.close(|| {
        let step = Step::new("exempt_from_levy", Operation::Sum, cents(exempt))
            .input("exempt_standard_deduction", cents(standard))
            .input("exempt_for_dependents", cents(exempted.dependents));
        let step = match exempted.levy.additional {
            0 => step,
            _ => step.input("exempt_for_age_and_blindness", cents(exempted.additional)),
        };
        step.source(format!("26 USC 6334(d); Publication 1494 of {}", row.year))
    });
    trace.close(|| {
        Step::new("levy_room", Operation::Remaining, cents((disposable - exempt - before).max(0)))
            .input("disposable_earnings", cents(disposable))
            .input("exempt_from_levy", cents(exempt))
            .input("taken_before", cents(before))
            .source("26 USC 6334(a)(8) and (9)")
    });
}
