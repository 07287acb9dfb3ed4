//! Group-term life insurance: coverage above $50,000 is imputed income, at an age-dependent cost.
//!
//! Source: 26 U.S.C. 79; 26 CFR 1.79-3(d)(2), Table I (monthly cost per $1,000, by the age reached in the
//! year).

use std::fmt::Display;

use super::calculate::imputed_figure;
use super::limits::age_reached_in_year;
use super::{Benefit, Pay, remaining};
use crate::amount::{Amount, Rounding};
use crate::explain::{Operation, Step, Trace};

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
fn cost(age: i16) -> i64 {
    COSTS.iter().find(|(up_to, _)| age <= *up_to).map_or(0, |(_, cents)| *cents)
}

/// Returns the imputed income of the pay period: the cost of coverage above $50,000, less after-tax
/// deductions, and less what `before` earlier payrolls of the period imputed of it. Zero with a warning if the date of birth or the salary is unknown.
pub fn imputed_income<K: Display, T: Trace>(
    benefit: &Benefit<K>,
    pay: &Pay,
    (deduction, before): (Amount, Amount),
    trace: &mut T,
) -> (Amount, Vec<&'static str>) {
    let Some(birth) = pay.birth_date else { return (Amount::ZERO, vec!["birth_date_needed"]) };
    if pay.periods_per_year < 1 {
        return (Amount::ZERO, vec!["pay_schedule_needed"]);
    }
    trace.open();
    trace.open();
    trace.open();
    let by_salary = || {
        let multiplier = benefit.terms.coverage_salary_multiplier.millionths();
        let salary = pay.annual_salary?;
        let covered = salary.mul_ratio(multiplier, 1_000_000, Rounding::HalfUp)?;
        Some((salary, multiplier, covered))
    };
    let (coverage, known) = match benefit.terms.coverage_amount {
        Some(amount) => (amount, true),
        None => match by_salary() {
            Some((salary, multiplier, covered)) => {
                trace.leaf(|| {
                    Step::new("coverage", Operation::Product, covered)
                        .input("annual_salary", salary)
                        .ratio("salaries", multiplier, 1_000_000)
                        .rounded("0.000001", Rounding::HalfUp)
                });
                (covered, true)
            }
            None => (Amount::ZERO, false),
        },
    };
    let above = remaining(coverage, FREE);
    trace.close(|| {
        Step::new("coverage_above_50000", Operation::Remaining, above)
            .input("coverage", coverage)
            .input("free", FREE)
            .source("26 U.S.C. 79(a)(1)")
    });
    let age = age_reached_in_year(birth, pay.check_date);
    let cents = cost(age);
    // The quotient is in cents: per thousand dollars, times twelve months, per pay period.
    let cost = above.mul_ratio(cents * 12, 1_000 * pay.periods_per_year * 1_000_000, Rounding::HalfUp);
    let cost = cost.map_or(Amount::ZERO, |count| Amount::from_cents(count.millionths()));
    trace.close(|| {
        Step::new("cost", Operation::Product, cost)
            .input("coverage_above_50000", above)
            .input("age", age.to_string())
            .ratio("dollars_for_each_dollar_and_month", cents, 100_000)
            .ratio("months_in_each_pay_period", 12, pay.periods_per_year)
            .rounded("0.01", Rounding::HalfUp)
            .source("26 CFR 1.79-3(d)(2), Table I")
    });
    let income = remaining(remaining(cost, deduction), before);
    trace.close(|| {
        let step = Step::new(imputed_figure(&benefit.record), Operation::Remaining, income)
            .input("benefit", benefit.name.clone())
            .input("cost", cost)
            .input("employee_deduction", deduction);
        match before {
            Amount::ZERO => step,
            before => step.input("imputed_by_earlier_payrolls_of_the_period", before),
        }
    });
    (income, if known { Vec::new() } else { vec!["salary_needed"] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cost_rises_with_age_as_the_table_says() {
        let golden =
            [(20, 5), (24, 5), (25, 6), (44, 10), (45, 15), (59, 43), (60, 66), (69, 127), (70, 206)];
        for (age, cents) in golden {
            assert_eq!(cost(age), cents, "{age}");
        }
    }
}
