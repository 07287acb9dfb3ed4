//! Group-term life insurance: total coverage above $50,000 is imputed income, at an age-dependent cost.
//!
//! Source: 26 U.S.C. 79; 26 CFR 1.79-3(d)(2), Table I (monthly cost per $1,000, by the age reached in the
//! year).

use std::fmt::Display;

use super::calculate::imputed_figure;
use super::kind::GROUP_TERM_LIFE;
use super::limits::age_reached_in_year;
use super::{Benefit, Lacking, Pay, add_amounts, remaining_amount};
use crate::amount::{Amount, Rounding};
use crate::explain::{NoTrace, Operation, Step, Trace};

/// Coverage in dollars that is not taxed.
const FREE: Amount = Amount::from_cents(5_000_000);

/// Table I: maximum age, and cents per month for each $1,000.
const COSTS: [(i16, i64); 11] = [
    (24, 5),
    (29, 6),
    (34, 8),
    (39, 9),
    (44, 10),
    (49, 15),
    (54, 23),
    (59, 43),
    (64, 66),
    (69, 127),
    (i16::MAX, 206),
];

/// Returns cents per month for each $1,000 at this age.
fn table_one(age: i16) -> i64 {
    COSTS.iter().find(|(up_to, _)| age <= *up_to).map_or(0, |(_, cents)| *cents)
}

/// A benefit with the deduction of its paycheck line.
pub struct Covered<'b, K> {
    /// The benefit.
    pub benefit: &'b Benefit<K>,
    /// Employee deduction.
    pub deduction: Amount,
    /// Imputed income of earlier payrolls of the pay period.
    pub before: Amount,
}

/// Whether a benefit's coverage is imputed: group-term life insurance with a coverage, unless the record specifies how it is
/// taxed.
pub fn is_imputed<K>(benefit: &Benefit<K>) -> bool {
    let terms = &benefit.terms;
    let covered = terms.coverage_amount.is_some() || terms.coverage_salary_multiplier > Amount::ZERO;
    benefit.kind.code == GROUP_TERM_LIFE && covered && terms.reduces_taxable_income.is_none()
}

/// Returns the imputed income of each benefit in the pay period: the cost of coverage above $50,000, less after-tax deductions, and
/// less the imputed income of earlier payrolls of the period. The free amount applies once, to all coverage of the employee
/// together, and a deduction beyond the cost of its own benefit counts for the others (26 USC 79(a); 26 CFR 1.79-3(a)). A
/// more-than-2 % shareholder of an S corporation has no free amount. Zero with a warning if the date of birth, the pay schedule or
/// the salary is unknown.
pub fn imputed_income<K: Display, T: Trace>(
    all: &[Covered<'_, K>],
    pay: &Pay,
    trace: &mut T,
) -> Vec<(Amount, Vec<Lacking>)> {
    let unknown = match pay.birth_date {
        None => Some(Lacking::BirthDate),
        Some(_) => (pay.periods_per_year < 1).then_some(Lacking::PaySchedule),
    };
    if let Some(warning) = unknown {
        return all.iter().map(|_| (Amount::ZERO, vec![warning])).collect();
    }
    let mut free = if pay.two_percent_shareholder { Amount::ZERO } else { FREE };
    let costs = all.iter().map(|one| {
        let of_one = coverage_cost(one.benefit, free, pay, &mut NoTrace);
        let before = free;
        free = remaining_amount(free, of_one.coverage);
        (before, of_one)
    });
    let costs: Vec<(Amount, Cost)> = costs.collect();
    let beyond = all.iter().zip(&costs).map(|(one, (_, cost))| remaining_amount(one.deduction, cost.amount));
    let mut beyond = beyond.fold(Amount::ZERO, add_amounts);
    let each = all.iter().zip(costs).map(|(one, (free, Cost { amount, known, .. }))| {
        let left = remaining_amount(amount, one.deduction);
        let of_others = left.min(beyond);
        beyond = remaining_amount(beyond, of_others);
        let income = remaining_amount(remaining_amount(left, of_others), one.before);
        trace.open_figure();
        coverage_cost(one.benefit, free, pay, trace);
        trace.close_figure(|| {
            let step = Step::new(imputed_figure(&one.benefit.record), Operation::Remaining, income)
                .input("benefit", one.benefit.name.clone())
                .input("cost", amount)
                .input("employee_deduction", one.deduction);
            let more = [
                ("deductions_beyond_the_cost_of_other_coverage", of_others),
                ("imputed_by_earlier_payrolls_of_the_period", one.before),
            ];
            let more = more.into_iter().filter(|(_, amount)| *amount != Amount::ZERO);
            more.fold(step, |step, (name, amount)| step.input(name, amount))
        });
        (income, if known { Vec::new() } else { vec![Lacking::Salary] })
    });
    each.collect()
}

/// Cost of coverage in a pay period.
struct Cost {
    coverage: Amount,
    amount: Amount,
    /// Whether the coverage is known.
    known: bool,
}

/// Calculates the cost of a benefit's coverage above the free amount.
fn coverage_cost<K, T: Trace>(benefit: &Benefit<K>, free: Amount, pay: &Pay, trace: &mut T) -> Cost {
    trace.open_figure();
    trace.open_figure();
    let found = coverage_amount(benefit, pay, trace);
    let (coverage, known) = (found.unwrap_or_default(), found.is_some());
    let above = remaining_amount(coverage, free);
    let (name, source) = match pay.two_percent_shareholder {
        true => ("coverage_that_counts", "26 U.S.C. 1372; IRS Pub. 15-B"),
        false => ("coverage_above_50000", "26 U.S.C. 79(a)(1)"),
    };
    trace.close_figure(|| {
        Step::new(name, Operation::Remaining, above)
            .input("coverage", coverage)
            .input("free", free)
            .source(source)
    });
    let age = pay.birth_date.map_or(0, |birth| age_reached_in_year(birth, pay.check_date));
    let cents = table_one(age);
    // The quotient is in cents: per thousand dollars, times twelve months, per pay period.
    let cost = above.mul_ratio(cents * 12, 1_000 * pay.periods_per_year * 1_000_000, Rounding::HalfUp);
    let amount = cost.map_or(Amount::ZERO, |count| Amount::from_cents(count.millionths()));
    trace.close_figure(|| {
        Step::new("cost", Operation::Product, amount)
            .input(name, above)
            .input("age", age.to_string())
            .ratio("dollars_for_each_dollar_and_month", cents, 100_000)
            .ratio("months_in_each_pay_period", 12, pay.periods_per_year)
            .rounded("0.01", Rounding::HalfUp)
            .source("26 CFR 1.79-3(d)(2), Table I")
    });
    Cost { coverage, amount, known }
}

/// Returns the coverage of a benefit; `None` if it is a multiple of an unknown salary.
fn coverage_amount<K, T: Trace>(benefit: &Benefit<K>, pay: &Pay, trace: &mut T) -> Option<Amount> {
    if let Some(amount) = benefit.terms.coverage_amount {
        return Some(amount);
    }
    let multiplier = benefit.terms.coverage_salary_multiplier.millionths();
    let salary = pay.annual_salary?;
    let covered = salary.mul_ratio(multiplier, 1_000_000, Rounding::HalfUp)?;
    trace.add_leaf(|| {
        Step::new("coverage", Operation::Product, covered)
            .input("annual_salary", salary)
            .ratio("salaries", multiplier, 1_000_000)
            .rounded("0.000001", Rounding::HalfUp)
    });
    Some(covered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cost_rises_with_age_as_the_table_says() {
        let golden =
            [(20, 5), (24, 5), (25, 6), (44, 10), (45, 15), (59, 43), (60, 66), (69, 127), (70, 206)];
        for (age, cents) in golden {
            assert_eq!(table_one(age), cents, "{age}");
        }
    }
}
