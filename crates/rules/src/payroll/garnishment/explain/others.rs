//! Explanations of garnishments other than child support.

use std::fmt::Display;

use super::requested::requested_amount;
use super::state::state_limit;
use super::{EARLIER, cents_amount, deduction_step, earnings_of_period, left_of_limit, percentage_step};
use crate::Named;
use crate::amount::{Amount, Rounding};
use crate::explain::{Operation, Step, Trace};
use crate::full_time::WEEKS_PER_YEAR;
use crate::payroll::garnishment::levy::LevyExemption;
use crate::payroll::garnishment::others::{
    CREDITOR_PERCENT, Exempted, LOAN_PERCENT, Law, Limits, PROTECTED_HOURS, StateTerms, health_premiums,
};
use crate::payroll::garnishment::{Disposable, Line, Pay, Taken};

/// Explains a garnishment other than child support.
pub(in crate::payroll::garnishment) fn explain_other<K: Display, T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    disposable: Disposable,
    (limits, law): (&Limits, &Law<'_>),
    before: Taken,
    line: &Line<'_, K>,
) {
    trace.open_figure();
    requested_amount(trace, pay, disposable.now, line);
    let own = line.withheld_earlier();
    let left = match law {
        Law::None => Vec::new(),
        Law::Creditor(state) => vec![creditor_room(trace, pay, disposable, (limits, state.as_ref()), before)],
        Law::Loan => loan_room(trace, pay, disposable, limits, (before, own)),
        Law::StateLevy(terms, others) => {
            let before = Taken { earlier: others.earlier + own, ..*others };
            let names = ("limit_of_the_state", "left_of_the_limit_of_the_state");
            let explain = |trace: &mut T| state_limit(trace, pay, disposable, limits.gross, terms);
            vec![left_of_all(trace, names, (terms.most, before), None, explain)]
        }
        Law::Levy(exempted) => vec![levy_room(trace, pay, disposable, exempted, before)],
    };
    let left_of_pay = (disposable.now - before.now).max(0);
    trace.add_leaf(|| {
        Step::new("left_of_pay", Operation::Remaining, cents_amount(left_of_pay))
            .input("disposable_earnings", cents_amount(disposable.now))
            .input("taken_before", cents_amount(before.now))
    });
    trace.close_figure(|| {
        let step = deduction_step(line).input("own_amount", cents_amount(line.requested.amount));
        let step = left.into_iter().fold(step, |step, (name, left)| step.input(name, cents_amount(left)));
        let step = step.input("left_of_pay", cents_amount(left_of_pay));
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

/// The remainder of a limit: figure name and cents.
type Left = (&'static str, i64);

/// Explains what garnishments that were taken before leave of a limit that is for all of them together; `explain` explains the limit.
fn left_of_all<T: Trace>(
    trace: &mut T,
    (limit, left): (&'static str, &'static str),
    (most, before): (i64, Taken),
    source: Option<&'static str>,
    explain: impl FnOnce(&mut T),
) -> Left {
    if before.total_taken() == 0 {
        explain(trace);
        return (limit, most);
    }
    let rest = (most - before.total_taken()).max(0);
    trace.open_figure();
    explain(trace);
    trace.close_figure(|| {
        let step = subtract_taken(
            Step::new(left, Operation::Remaining, cents_amount(rest)).input(limit, cents_amount(most)),
            before,
        );
        source.into_iter().fold(step, Step::source)
    });
    (left, rest)
}

/// Adds to a step what was already withheld: from this paycheck and, if any, from earlier ones of the pay period.
fn subtract_taken(step: Step, before: Taken) -> Step {
    let step = step.input("taken_before", cents_amount(before.now));
    match before.earlier {
        0 => step,
        earlier => step.input(EARLIER, cents_amount(earlier)),
    }
}

fn bankruptcy_section(chapter: i64) -> &'static str {
    if chapter == 12 { "11 USC 1225(c)" } else { "11 USC 1325(c)" }
}

fn creditor_room<T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    disposable: Disposable,
    (limits, state): (&Limits, Option<&StateTerms<'_>>),
    before: Taken,
) -> Left {
    let room = ("creditor_room", limits.creditor_room(state, before));
    let Some(apart) = state.filter(|state| state.limit.support_apart) else {
        left_of_creditor_limit(trace, pay, disposable, (limits, state), (room.0, before));
        return room;
    };
    let of_country = (limits.creditors() - before.total_taken()).max(0);
    let counted = before.total_taken() - before.support;
    let of_state = (apart.most - counted).max(0);
    trace.open_figure();
    left_of_creditor_limit(trace, pay, disposable, (limits, None), ("left_of_the_federal_limit", before));
    trace.open_figure();
    state_limit(trace, pay, disposable, limits.gross, apart);
    trace.close_figure(|| {
        Step::new("left_of_the_limit_of_the_state", Operation::Remaining, cents_amount(of_state))
            .input("limit_of_the_state", cents_amount(apart.most))
            .input("taken_before_without_support", cents_amount(counted))
            .source(apart.limit.section.clone())
            .note("The law of the state takes support off the quarter of disposable earnings alone.")
    });
    trace.close_figure(|| {
        Step::new(room.0, Operation::Least, cents_amount(room.1))
            .input("left_of_the_federal_limit", cents_amount(of_country))
            .input("left_of_the_limit_of_the_state", cents_amount(of_state))
    });
    room
}

/// Explains, under the name `figure`, what earlier garnishments leave of the limit on creditors.
fn left_of_creditor_limit<T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    disposable: Disposable,
    (limits, state): (&Limits, Option<&StateTerms<'_>>),
    (figure, before): (&'static str, Taken),
) {
    let most = state.map_or(limits.creditors(), |state| limits.creditors().min(state.most));
    trace.open_figure();
    trace.open_figure();
    explain_quarter(trace, pay, disposable, limits.creditor_share, false);
    above_protected(trace, pay, disposable, (limits, limits.above_protected), false);
    if let Some(terms) = state {
        state_limit(trace, pay, disposable, limits.gross, terms);
    }
    trace.close_figure(|| {
        let step = Step::new("creditor_limit", Operation::Least, cents_amount(most))
            .input("quarter_of_disposable_earnings", cents_amount(limits.creditor_share))
            .input("above_protected_earnings", cents_amount(limits.above_protected))
            .source("15 USC 1673(a)");
        match state {
            Some(terms) => step.input("limit_of_the_state", cents_amount(terms.most)),
            None if figure == "creditor_room" => {
                step.note("Federal law; no lower limit of the state of work counts.")
            }
            None => step,
        }
    });
    trace.close_figure(|| {
        let left = cents_amount((most - before.total_taken()).max(0));
        let step = Step::new(figure, Operation::Remaining, left).input("creditor_limit", cents_amount(most));
        subtract_taken(step, before).source("29 CFR 870.11")
    });
}

fn loan_room<T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    disposable: Disposable,
    limits: &Limits,
    (before, own): (Taken, i64),
) -> Vec<Left> {
    let agency = &limits.agency;
    let share =
        left_of_limit(trace, ("loan_limit", "left_of_loan_limit"), (agency.loan_share, own), |trace| {
            trace.open_figure();
            disposable_pay(trace, pay, disposable);
            trace.close_figure(|| {
                percentage_step(
                    "loan_limit",
                    "disposable_earnings",
                    agency.disposable,
                    "loan_percentage",
                    LOAN_PERCENT,
                    agency.loan_share,
                )
                .source("34 CFR 34.19(b); 31 CFR 285.11(i)(2)")
            });
        });
    let names = ("above_protected_earnings", "left_above_protected_earnings");
    let source = Some("15 USC 1673(a); 29 CFR 870.11");
    let above = left_of_all(trace, names, (agency.above_protected, before), source, |trace| {
        above_protected(trace, pay, disposable, (limits, agency.above_protected), true);
    });
    let quarter_left = (agency.quarter - before.total_taken()).max(0);
    trace.open_figure();
    explain_quarter(trace, pay, disposable, agency.quarter, true);
    trace.close_figure(|| {
        let step = Step::new("left_of_a_quarter", Operation::Remaining, cents_amount(quarter_left))
            .input("quarter_of_disposable_earnings", cents_amount(agency.quarter));
        subtract_taken(step, before).source("34 CFR 34.20; 31 CFR 285.11(i)(3)")
    });
    vec![share, above, ("left_of_a_quarter", quarter_left)]
}

/// Explains disposable pay for a debt to a federal agency, from which health insurance premiums are subtracted.
fn disposable_pay<T: Trace>(trace: &mut T, pay: &Pay<'_>, disposable: Disposable) {
    if health_premiums(pay) == 0 {
        return earnings_of_period(trace, disposable);
    }
    trace.add_leaf(|| {
        let step =
            Step::new("disposable_earnings", Operation::Remaining, cents_amount(of_agency(pay, disposable)))
                .input("earnings_after_taxes", cents_amount(disposable.period));
        with_premiums(step, pay).source("31 CFR 285.11(c); 34 CFR 34.3")
    });
}

/// Adds the health insurance premiums of the pay period to a step.
pub(super) fn with_premiums(step: Step, pay: &Pay<'_>) -> Step {
    let step =
        pay.health_premiums.iter().fold(step, |step, (name, amount)| step.input(name.clone(), *amount));
    match pay.earlier.health_premiums {
        Amount::ZERO => step,
        earlier => step.input("premiums_of_earlier_paychecks_of_the_pay_period", earlier),
    }
}

/// Explains a quarter of disposable earnings, or of disposable pay for a debt to a federal agency.
fn explain_quarter<T: Trace>(trace: &mut T, pay: &Pay<'_>, disposable: Disposable, share: i64, agency: bool) {
    let of = if agency { of_agency(pay, disposable) } else { disposable.period };
    trace.open_figure();
    match agency {
        true => disposable_pay(trace, pay, disposable),
        false => earnings_of_period(trace, disposable),
    }
    trace.close_figure(|| {
        percentage_step(
            "quarter_of_disposable_earnings",
            "disposable_earnings",
            of,
            "creditor_percentage",
            CREDITOR_PERCENT,
            share,
        )
    });
}

fn of_agency(pay: &Pay<'_>, disposable: Disposable) -> i64 {
    (disposable.period - health_premiums(pay)).max(0)
}

fn above_protected<T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    disposable: Disposable,
    (limits, above): (&Limits, i64),
    agency: bool,
) {
    let earnings = if agency { limits.agency.disposable } else { disposable.period };
    let (weeks, of) = pay.periods.of_year(WEEKS_PER_YEAR);
    trace.open_figure();
    match agency {
        true => disposable_pay(trace, pay, disposable),
        false => earnings_of_period(trace, disposable),
    }
    trace.add_leaf(|| {
        Step::new("protected_earnings", Operation::Product, cents_amount(limits.protected))
            .ratio("hours_a_week", PROTECTED_HOURS, 1)
            .input("federal_minimum_wage", pay.law.minimum_wages.federal)
            .ratio("weeks", weeks, of)
            .rounded("0.01", Rounding::HalfUp)
            .source("29 CFR 870.10")
    });
    trace.close_figure(|| {
        Step::new("above_protected_earnings", Operation::Remaining, cents_amount(above))
            .input("disposable_earnings", cents_amount(earnings))
            .input("protected_earnings", cents_amount(limits.protected))
    });
}

/// Explains what a federal tax levy may take.
fn levy_room<T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    disposable: Disposable,
    exempted: &Exempted<'_>,
    before: Taken,
) -> Left {
    let room = ("levy_room", exempted.room(disposable.period, before.total_taken()));
    let (Some(row), Some(exempt)) = (exempted.used_exemption(), exempted.amount()) else {
        trace.add_leaf(|| {
            Step::new("levy_room", Operation::Given, cents_amount(0))
                .source("26 USC 6334(d)")
                .note("No amounts that are exempt from the levy are held.")
        });
        return room;
    };
    trace.open_figure();
    earnings_of_period(trace, disposable);
    exempt_from_levy(trace, pay, exempted, (row, exempt));
    trace.close_figure(|| {
        let step = Step::new(room.0, Operation::Remaining, cents_amount(room.1))
            .input("disposable_earnings", cents_amount(disposable.period))
            .input("exempt_from_levy", cents_amount(exempt));
        subtract_taken(step, before).source("26 USC 6334(a)(8) and (9)")
    });
    room
}

/// Explains the amount of a pay period that is exempt from a federal levy.
fn exempt_from_levy<T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    exempted: &Exempted<'_>,
    (row, exempt): (&LevyExemption, i64),
) {
    let (times, of_a_year) = pay.periods.of_year(1);
    let [standard, dependent, _] = row.of_periods(pay.periods, 0);
    let part = |figure: &'static str, name: &'static str, of_year: Amount, part: i64| {
        Step::new(figure, Operation::Product, cents_amount(part))
            .input(name, of_year)
            .ratio("part_of_a_year", times, of_a_year)
            .rounded("0.01", Rounding::HalfUp)
    };
    trace.open_figure();
    trace.add_leaf(|| {
        part("exempt_standard_deduction", "standard_deduction", row.standard_deduction, standard)
            .input("filing_status", row.filing_status.as_str())
    });
    trace.open_figure();
    trace.add_leaf(|| part("exempt_for_a_dependent", "for_a_dependent", row.dependent, dependent));
    trace.close_figure(|| {
        Step::new("exempt_for_dependents", Operation::Product, cents_amount(exempted.dependents))
            .input("exempt_for_a_dependent", cents_amount(dependent))
            .ratio("dependents", exempted.levy.dependents, 1)
    });
    if let Some(of_year) = row.additional.filter(|_| exempted.levy.additional > 0) {
        trace.add_leaf(|| {
            part(
                "exempt_for_age_and_blindness",
                "additional_standard_deduction",
                of_year,
                exempted.additional,
            )
            .ratio("times", exempted.levy.additional, 1)
            .source("26 USC 63(f)")
        });
    }
    trace.close_figure(|| {
        let step = Step::new("exempt_from_levy", Operation::Sum, cents_amount(exempt))
            .input("exempt_standard_deduction", cents_amount(standard))
            .input("exempt_for_dependents", cents_amount(exempted.dependents));
        let step = match exempted.levy.additional {
            0 => step,
            _ => step.input("exempt_for_age_and_blindness", cents_amount(exempted.additional)),
        };
        step.source(format!("26 USC 6334(d); Publication 1494 of {}", row.year))
    });
}
