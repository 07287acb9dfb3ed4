//! Deductions, contributions and imputed income, with explanations.

use std::fmt::Display;

use super::election::{Contribution, Tier};
use super::exclusions::Base;
use super::limits::Limits;
use super::year::Year;
use super::{
    Benefit, BenefitToDate, Lacking, Line, Pay, Standing, Taxes, add_amounts, figure_of, group_life, kind,
    remaining_amount,
};
use crate::amount::{Amount, Rounding};
use crate::explain::{Operation, Step, Trace, Value};

/// 100 % in millionths of a percent, the unit of percentages.
const PERCENT: i64 = 100_000_000;
/// Millionths in a cent.
const CENT: i64 = 10_000;

/// Figure name of what a legal limit leaves.
pub(super) const LEFT_OF_LEGAL_LIMIT: &str = "left_of_legal_limit";
/// Figure name of what the limit on pre-tax deferrals leaves.
pub(super) const LEFT_BEFORE_TAXES: &str = "left_of_the_limit_before_taxes";

/// Returns the name of a record's deduction in explanations.
pub fn deduction_figure(record: &impl Display) -> String {
    figure_of("employee_deduction", record)
}

/// Returns the name of a record's contribution in explanations.
pub fn contribution_figure(record: &impl Display) -> String {
    figure_of("company_contribution", record)
}

/// Returns the name of a record's imputed income in explanations.
pub fn imputed_figure(record: &impl Display) -> String {
    figure_of("imputed_income", record)
}

/// Returns a line for each benefit that applies on the last day of the pay period, in the order of
/// `benefits`, which is that of enrollment: earlier benefits take precedence where pay or a shared limit runs
/// out.
///
/// `taken` are the year-to-date amounts before this payroll, in the year of the check date.
pub fn calculate_benefits<K: Clone + PartialEq + Display, T: Trace>(
    benefits: &[Benefit<K>],
    pay: &Pay,
    taken: &[BenefitToDate<K>],
    limits: &Limits,
    trace: &mut T,
) -> Vec<Line<K>> {
    let mut taken = taken.to_vec();
    let mut room = pay.room.max(Amount::ZERO);
    let (mut lines, mut covered) = (Vec::new(), Vec::new());
    for benefit in benefits.iter().filter(|b| b.standing_on(pay.period_end) == Standing::Applies) {
        let year = Year::for_benefit(benefit, pay, &taken, limits);
        let Taken { limited: Limited { amount: deduction, by }, missed } =
            take_deduction(benefit, pay, &year, room, trace);
        room = remaining_amount(room, deduction);
        let given = employer_contribution(benefit, pay, &year, deduction, trace);
        let (contribution, by) = (given.amount, [by, given.by]);
        if group_life::is_imputed(benefit) {
            covered.push((lines.len(), group_life::Covered { benefit, deduction, before: year.imputed }));
        }
        let line = Line {
            company_benefit: benefit.company_benefit.clone(),
            record: benefit.record.clone(),
            name: benefit.name.clone(),
            kind: benefit.kind,
            employee_deduction: deduction,
            company_contribution: contribution,
            imputed_income: imputed_income(benefit, pay, contribution, trace),
            left_out: percentage_base(benefit, pay).left_out(),
            missed,
            deduction_lowers: reduced_taxes(benefit, pay),
            imputed_income_is_subject_to: match of_shareholder(benefit, pay) {
                true => Taxes::INCOME_TAX,
                false => benefit.kind.imputed_income_is_subject_to(),
            },
            warnings: lacking_information(benefit, &year, by),
        };
        taken.push(BenefitToDate::from(&line));
        lines.push(line);
    }
    let (places, covered): (Vec<usize>, Vec<_>) = covered.into_iter().unzip();
    for (place, (income, warnings)) in
        places.into_iter().zip(group_life::imputed_income(&covered, pay, trace))
    {
        lines[place].imputed_income = income;
        lines[place].warnings.extend(warnings);
    }
    lines
}

/// Returns `percent` of `base`, rounded once to the cent.
fn percent_of(base: Amount, percent: Amount) -> Amount {
    // The quotient is in cents.
    let cents = base.mul_ratio(percent.millionths(), PERCENT * CENT, Rounding::HalfUp);
    cents.map_or_else(|| panic!("a bounded percentage of pay fits"), |c| Amount::from_cents(c.millionths()))
}

fn percent_leaf<T: Trace>(trace: &mut T, figure: &'static str, base: &Base<'_>, percent: Amount) -> Amount {
    let result = percent_of(base.amount, percent);
    base.explain_base(trace, || {
        Step::new(figure, Operation::Product, result)
            .input(base.name(), base.amount)
            .ratio("percentage", percent.millionths(), PERCENT)
            .rounded("0.01", Rounding::HalfUp)
    });
    result
}

/// Returns the pay to which a deduction's percentage applies.
fn percentage_base<'l, K>(benefit: &Benefit<K>, pay: &Pay) -> Base<'l> {
    Base::after_exclusions(pay.gross, &pay.parts, &benefit.excluded)
}

/// Returns the pay to which a contribution's percentage applies: at most the annual pay that the law lets a plan count.
fn base_of_contribution<'l, K>(benefit: &Benefit<K>, pay: &Pay, year: &Year<'l>) -> Base<'l> {
    let base = percentage_base(benefit, pay);
    match year.compensation {
        Some(limit) => base.within_limit(limit, remaining_amount(pay.paid_in_year, year.left_out)),
        None => base,
    }
}

fn left_of_maximum<T: Trace>(trace: &mut T, maximum: Amount, used: Amount) -> Amount {
    let left = remaining_amount(maximum, used);
    trace.add_leaf(|| {
        Step::new("left_of_annual_maximum", Operation::Remaining, left)
            .input("annual_maximum", maximum)
            .input("used_this_year", used)
    });
    left
}

/// Returns the missing information that could raise a record's deduction or contribution, given the figure that alone limited each.
fn lacking_information<K>(
    benefit: &Benefit<K>,
    year: &Year<'_>,
    by: [Option<&'static str>; 2],
) -> Vec<Lacking> {
    let by = |figure: &str| by.contains(&Some(figure));
    let option = year.is_of_an_option() && benefit.terms.limit_option.is_none();
    let option = (option && by(LEFT_OF_LEGAL_LIMIT)).then_some(Lacking::LimitOption);
    let roth = by(LEFT_BEFORE_TAXES).then_some(Lacking::RothCatchUp);
    option.into_iter().chain(roth).collect()
}

/// The minimum of named figures, and the name of the figure if it alone is the smallest.
struct Limited {
    amount: Amount,
    by: Option<&'static str>,
}

/// The minimum of named figures.
#[derive(Default)]
struct Least {
    figures: [(&'static str, Amount); MOST_FIGURES],
    count: usize,
}

/// Figures of the deduction, which has more of them than the contribution.
const MOST_FIGURES: usize = 8;

impl Least {
    fn add_limit(mut self, name: &'static str, amount: impl Into<Option<Amount>>) -> Self {
        if let Some(amount) = amount.into() {
            self.figures[self.count] = (name, amount);
            self.count += 1;
        }
        self
    }

    fn figures(&self) -> &[(&'static str, Amount)] {
        &self.figures[..self.count]
    }

    fn least_amount(&self) -> Amount {
        self.figures().iter().map(|(_, amount)| *amount).min().unwrap_or(Amount::ZERO)
    }

    fn limited_amount(&self) -> Limited {
        let amount = self.least_amount();
        let mut smallest = self.figures().iter().filter(|(_, one)| *one == amount).map(|(name, _)| *name);
        let first = smallest.next();
        Limited { amount, by: first.filter(|_| smallest.next().is_none()) }
    }

    /// Returns the smaller of the result and the limits other than `left_out`, with another amount in place of `wanted`.
    fn least_instead(&self, (wanted, amount): (&str, Amount), left_out: &str) -> Amount {
        let others = self.figures().iter().filter(|(name, _)| *name != wanted && *name != left_out);
        others.map(|(_, one)| *one).fold(amount, Amount::min)
    }

    fn least_step<K: Display>(&self, figure: String, benefit: &Benefit<K>) -> Step {
        let step = Step::new(figure, Operation::Least, self.least_amount())
            .input("benefit", benefit.name.clone())
            .input("in_force", benefit.window.to_string());
        self.figures().iter().fold(step, |step, (name, amount)| step.input(*name, *amount))
    }
}

/// A deduction, and the premiums that are still missed after it.
struct Taken {
    limited: Limited,
    missed: Option<Amount>,
}

/// Figure name of the pay that a deduction is taken from.
const PAY_TO_TAKE_FROM: &str = "pay_to_take_from";

fn take_deduction<K: Display, T: Trace>(
    benefit: &Benefit<K>,
    pay: &Pay,
    year: &Year<'_>,
    room: Amount,
    trace: &mut T,
) -> Taken {
    trace.open_figure();
    let terms = &benefit.terms;
    let recovered = recovered_premiums(benefit, pay);
    if recovered > Amount::ZERO {
        trace.open_figure();
    }
    let of_period = if terms.deduct_as_percentage {
        percent_leaf(trace, "deduction_by_terms", &percentage_base(benefit, pay), terms.deduction)
    } else {
        terms.deduction
    };
    let (name, wanted) = with_recovered(trace, of_period, recovered);
    let maximum = terms.deduction_annual_maximum.map(|most| left_of_maximum(trace, most, year.deducted));
    let legal = year.legal_room(Amount::ZERO, trace);
    let deferrals = year.room_of_deferrals(trace);
    let before_tax = year.room_before_tax(trace);
    let additions = year.room_to_defer(trace);
    let month = year.room_of_month(Amount::ZERO, trace);
    let least = Least::default()
        .add_limit(name, wanted)
        .add_limit("left_of_annual_maximum", maximum)
        .add_limit(LEFT_OF_LEGAL_LIMIT, legal)
        .add_limit("left_of_the_limit_of_all_deferrals", deferrals)
        .add_limit(LEFT_BEFORE_TAXES, before_tax)
        .add_limit("left_of_annual_additions", additions)
        .add_limit("left_of_the_limit_of_the_month", month)
        .add_limit(PAY_TO_TAKE_FROM, room);
    let limited = least.limited_amount();
    let asked = least.least_instead((name, of_period), PAY_TO_TAKE_FROM);
    let missed = missed_premiums(benefit, pay, asked, limited.amount);
    trace.close_figure(|| least.least_step(deduction_figure(&benefit.record), benefit));
    Taken { limited, missed }
}

/// Returns the missed premiums that are recovered with those of the pay period, at most as much again as the record's own amount: several
/// missed periods are not taken from one paycheck. A percentage of this pay says nothing about that of earlier periods.
fn recovered_premiums<K>(benefit: &Benefit<K>, pay: &Pay) -> Amount {
    match benefit.missed {
        Some(missed) if benefit.recovers && pay.of_period && !benefit.terms.deduct_as_percentage => {
            missed.min(benefit.terms.deduction)
        }
        _ => Amount::ZERO,
    }
}

/// Returns a deduction by terms together with recovered premiums, and the name of the figure. Closes the figure opened by the caller if
/// there are any.
fn with_recovered<T: Trace>(trace: &mut T, of_period: Amount, recovered: Amount) -> (&'static str, Amount) {
    if recovered == Amount::ZERO {
        return ("deduction_by_terms", of_period);
    }
    let wanted = add_amounts(of_period, recovered);
    trace.close_figure(|| {
        Step::new("deduction_with_missed_premiums", Operation::Sum, wanted)
            .input("deduction_by_terms", of_period)
            .input("missed_premiums", recovered)
    });
    ("deduction_with_missed_premiums", wanted)
}

/// Returns the premiums that are missed after a deduction, of which `asked` was due by the terms and the limits of the benefit.
fn missed_premiums<K>(benefit: &Benefit<K>, pay: &Pay, asked: Amount, deducted: Amount) -> Option<Amount> {
    if !benefit.kind.is_insurance() || !pay.of_period {
        return benefit.missed;
    }
    let missed = remaining_amount(add_amounts(benefit.missed.unwrap_or_default(), asked), deducted);
    (benefit.missed.is_some() || missed > Amount::ZERO).then_some(missed)
}

fn employer_contribution<K: Display, T: Trace>(
    benefit: &Benefit<K>,
    pay: &Pay,
    year: &Year<'_>,
    deduction: Amount,
    trace: &mut T,
) -> Limited {
    trace.open_figure();
    let terms = &benefit.terms;
    let (wanted, matches) = match &terms.contribution {
        Contribution::Amount(amount) => (*amount, terms.elective),
        Contribution::Percentage(percent) => (
            percent_leaf(trace, "contribution_by_terms", &base_of_contribution(benefit, pay, year), *percent),
            terms.elective,
        ),
        // A tiered contribution is already based on the deduction.
        Contribution::Tiered(tiers) => {
            (tiered_contribution(tiers, &base_of_contribution(benefit, pay, year), deduction, trace), false)
        }
    };
    let maximum = terms.contribution_annual_maximum.map(|most| left_of_maximum(trace, most, year.given));
    let legal = if year.counts_contribution() { year.legal_room(deduction, trace) } else { None };
    let additions = year.room_to_give(deduction, trace);
    let month = year.room_of_month(deduction, trace);
    let least = Least::default()
        .add_limit("contribution_by_terms", wanted)
        .add_limit("employee_deduction", matches.then_some(deduction))
        .add_limit("left_of_annual_maximum", maximum)
        .add_limit(LEFT_OF_LEGAL_LIMIT, legal)
        .add_limit("left_of_annual_additions", additions)
        .add_limit("left_of_the_limit_of_the_month", month);
    let limited = least.limited_amount();
    trace.close_figure(|| least.least_step(contribution_figure(&benefit.record), benefit));
    limited
}

/// Returns an exact fraction in lowest terms, for explanations.
fn exact_fraction(num: i128, den: i128) -> Value {
    let mut divisor = (num.abs(), den.abs());
    while divisor.1 != 0 {
        divisor = (divisor.1, divisor.0 % divisor.1);
    }
    let divisor = divisor.0.max(1);
    Value::Ratio(num / divisor, den / divisor)
}

/// Returns the tiered contribution: the rate of each tier times the part of the deduction in it, added up
/// exactly and rounded once.
fn tiered_contribution<T: Trace>(
    tiers: &[Tier],
    base: &Base<'_>,
    deduction: Amount,
    trace: &mut T,
) -> Amount {
    // At this scale dollars are integers for any percentage, and shares of them are integers at its square.
    const SCALE: i128 = PERCENT as i128;
    const DOLLAR: i128 = SCALE * 1_000_000;
    trace.open_figure();
    let whole = i128::from(deduction.millionths()) * SCALE;
    let (mut lower, mut sum) = (0, 0);
    let mut shares = Vec::with_capacity(tiers.len());
    for (number, tier) in (1..).zip(tiers) {
        let end = i128::from(base.amount.millionths()) * i128::from(tier.threshold.millionths());
        let upper = whole.min(end);
        let inside = (upper - lower).max(0);
        let share = inside * i128::from(tier.rate.millionths());
        trace.open_figure();
        trace.open_figure();
        trace.open_figure();
        base.explain_base(trace, || {
            Step::new("end_of_tier", Operation::Product, exact_fraction(end, DOLLAR))
                .input(base.name(), base.amount)
                .ratio("threshold", tier.threshold.millionths(), PERCENT)
        });
        trace.close_figure(|| {
            Step::new("deduction_up_to_end", Operation::Least, exact_fraction(upper, DOLLAR))
                .input("employee_deduction", deduction)
                .input("end_of_tier", exact_fraction(end, DOLLAR))
        });
        trace.close_figure(|| {
            Step::new("deduction_in_tier", Operation::Remaining, exact_fraction(inside, DOLLAR))
                .input("deduction_up_to_end", exact_fraction(upper, DOLLAR))
                .input("in_tiers_before", exact_fraction(lower, DOLLAR))
        });
        trace.close_figure(|| {
            Step::new(format!("tier_{number}"), Operation::Product, exact_fraction(share, DOLLAR * SCALE))
                .input("deduction_in_tier", exact_fraction(inside, DOLLAR))
                .ratio("rate", tier.rate.millionths(), PERCENT)
        });
        shares.push(share);
        (lower, sum) = (upper.max(lower), sum + share);
    }
    let cents = DOLLAR * SCALE / 100;
    let rounded = sum / cents + i128::from(sum % cents * 2 >= cents);
    let result =
        i64::try_from(rounded).map_or_else(|_| panic!("a match within pay fits"), Amount::from_cents);
    trace.close_figure(|| {
        let step =
            Step::new("contribution_by_terms", Operation::Sum, result).rounded("0.01", Rounding::HalfUp);
        let shares = (1..).zip(shares).map(|(number, share): (i32, _)| (number, share));
        shares.fold(step, |step, (number, share)| {
            step.input(format!("tier_{number}"), exact_fraction(share, DOLLAR * SCALE))
        })
    });
    result
}

/// Returns the imputed income of a benefit other than group-term life insurance, whose coverages are counted together.
fn imputed_income<K: Display, T: Trace>(
    benefit: &Benefit<K>,
    pay: &Pay,
    contribution: Amount,
    trace: &mut T,
) -> Amount {
    let shareholder = of_shareholder(benefit, pay);
    if group_life::is_imputed(benefit) || (!benefit.kind.marks.imputed && !shareholder) {
        return Amount::ZERO;
    }
    trace.add_leaf(|| {
        let step = Step::new(imputed_figure(&benefit.record), Operation::Sum, contribution)
            .input("benefit", benefit.name.clone())
            .input("company_contribution", contribution);
        match shareholder {
            true => step
                .note("Wages of a more-than-2 % shareholder for income tax alone.")
                .source("26 USC 1372; IRS Announcement 92-16"),
            false => step,
        }
    });
    contribution
}

/// Whether the company's share is income of a more-than-2 % shareholder of an S corporation: health plan premiums and
/// contributions to a health savings account are wages for income tax withholding, but not for Social Security, Medicare or
/// federal unemployment tax (26 U.S.C. 1372; IRS Announcement 92-16; IRS Notice 2005-8).
fn of_shareholder<K>(benefit: &Benefit<K>, pay: &Pay) -> bool {
    pay.two_percent_shareholder
        && matches!(benefit.kind.code, kind::MEDICAL | kind::DENTAL | kind::VISION | kind::HSA)
}

/// Returns the taxes a deduction reduces. An after-tax deduction set to reduce taxable income reduces income tax only: no
/// after-tax plan reduces Social Security wages (26 U.S.C. 3121(a)). Health plans and accounts of more-than-2 % shareholders of
/// an S corporation are not cafeteria plans: 26 U.S.C. 1372 and IRS Notice 2008-1.
pub(super) fn reduced_taxes<K>(benefit: &Benefit<K>, pay: &Pay) -> Taxes {
    let by_type = benefit.kind.deduction_lowers();
    let of_health =
        benefit.kind.marks.healthcare || matches!(benefit.kind.code, kind::HSA | kind::HEALTH_FSA);
    match benefit.terms.reduces_taxable_income {
        Some(false) => Taxes::NONE,
        Some(true) if by_type == Taxes::NONE && benefit.kind.code != kind::SEP_IRA => Taxes::INCOME_TAX,
        None if pay.two_percent_shareholder && of_health => Taxes::NONE,
        _ => by_type,
    }
}
