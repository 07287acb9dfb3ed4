//! Federal income tax of a paycheck: by the worksheet, at the flat rates for supplemental wages, or both.
//!
//! With `fixed_withholding_rate`, all wages are supplemental and taxed at the flat rates. Without it, bonuses, commissions and
//! other lines of earnings are combined with regular wages for withholding (26 CFR 31.3402(g)-1(a)(6)); but the part of the
//! calendar year's supplemental wages above the threshold is taxed at the highest rate, whatever the certificate says
//! (26 CFR 31.3402(g)-1(a)(2)). Pre-tax deductions reduce regular wages first.
//!
//! A transition between two schedules pays several pay periods, or part of one. The tax of one pay period is then multiplied by
//! their number (26 CFR 31.3402(b)-1(c) also withholds by the length of the period).
//!
//! For a nonresident alien, an amount is added to the wages for the worksheet only (IRS Publication 15-T, Tables 1 and 2).

use super::input::{Employee, FixedKind, Payroll};
use super::proration::PeriodsPaid;
use super::taxes;
use crate::amount::{Amount, Rounding};
use crate::explain::{Operation, Step, Trace};
use crate::ratio::Ratio;
use crate::withholding::federal::{withhold_on, withhold_traced};

/// Name of the result in explanations.
const FIGURE: &str = "federal_income_tax";

/// Returns the supplemental part of the taxable wages. `None` on overflow.
pub(super) fn supplemental_wages<K>(
    payroll: &Payroll<'_>,
    employee: &Employee<'_, K>,
    taxable: Amount,
) -> Option<Amount> {
    if payroll.fixed_withholding_rate {
        return Some(taxable);
    }
    let lines = employee.fixed.iter().filter(|line| line.kind.is_supplemental());
    let lines = lines.map(|line| line.amount).try_fold(Amount::ZERO, Amount::checked_add)?;
    Some(lines.min(taxable))
}

/// Returns the bonuses of a paycheck. `None` on overflow.
pub(super) fn total_bonuses<K>(employee: &Employee<'_, K>) -> Option<Amount> {
    let lines = employee.fixed.iter().filter(|line| line.kind == FixedKind::Bonus);
    lines.map(|line| line.amount).try_fold(Amount::ZERO, Amount::checked_add)
}

/// Calculates federal income tax on taxable wages, part of which is supplemental. `None` on overflow.
pub(super) fn withhold_income_tax<K, T: Trace>(
    trace: &mut T,
    (payroll, employee): (&Payroll<'_>, &Employee<'_, K>),
    taxable: Amount,
    supplemental: Amount,
) -> Option<Amount> {
    let before = &employee.year_to_date;
    if payroll.fixed_withholding_rate {
        let exempt = employee.w4.is_exempt();
        return taxes::supplemental_tax(trace, payroll.taxes, taxable, (before, exempt));
    }
    let of_year = before.supplemental_wages.checked_add(supplemental)?;
    let above = of_year.checked_sub(payroll.taxes.supplemental_threshold)?.max(Amount::ZERO);
    let above = above.min(supplemental);
    let regular = taxable.checked_sub(above)?;
    let added =
        nonresident_addition(payroll, employee).filter(|_| regular > Amount::ZERO).unwrap_or_default();
    let periods = payroll.withholding_periods(&employee.jobs);
    if above == Amount::ZERO && added == Amount::ZERO && periods.is_one() {
        return withhold_traced(trace, payroll.federal, &employee.w4, taxable, periods.frequency);
    }
    trace.open_figure();
    if above > Amount::ZERO {
        explain_above(trace, payroll, (before.supplemental_wages, supplemental, of_year), above);
    }
    trace.add_leaf(|| {
        Step::new("regular_wages", Operation::Difference, regular)
            .input("taxable_wages", taxable)
            .input("wages_at_the_higher_rate", above)
    });
    let by_worksheet = by_worksheet(trace, (payroll, employee), (regular, added), periods)?;
    let percent = payroll.taxes.supplemental_above;
    let high = Ratio::from_amount(above).percent(percent)?.to_cents(Rounding::HalfUp)?;
    trace.add_leaf(|| {
        Step::new("tax_at_the_higher_rate", Operation::Product, high)
            .input("wages_at_the_higher_rate", above)
            .ratio("rate", percent.millionths(), 100_000_000)
            .rounded("0.01", Rounding::HalfUp)
            .source("26 CFR 31.3402(g)-1(a)(2)")
    });
    let tax = by_worksheet.checked_add(high)?;
    trace.close_figure(|| {
        Step::new(FIGURE, Operation::Sum, tax)
            .input("tax_by_the_worksheet", by_worksheet)
            .input("tax_at_the_higher_rate", high)
    });
    Some(tax)
}

/// Withholds by the worksheet on the regular wages of pay periods, plus the addition to the wages of each. `None` on overflow.
fn by_worksheet<K, T: Trace>(
    trace: &mut T,
    (payroll, employee): (&Payroll<'_>, &Employee<'_, K>),
    (regular, added): (Amount, Amount),
    periods: PeriodsPaid,
) -> Option<Amount> {
    let each = periods.amount_for_each(regular)?;
    let wages = each.checked_add(added)?;
    let of_each = if periods.is_one() { "regular_wages" } else { "regular_wages_of_a_pay_period" };
    let (number, of) = periods.number();
    if !periods.is_one() {
        trace.add_leaf(|| {
            Step::new(of_each, Operation::Product, each)
                .input("regular_wages", regular)
                .ratio("part_of_the_pay_periods", of, number)
                .rounded("0.01", Rounding::HalfUp)
        });
    }
    trace.add_leaf(|| {
        let step = Step::new("wages_of_the_worksheet", Operation::Sum, wages)
            .input(of_each, each)
            .input("nonresident_alien_addition", added);
        if added > Amount::ZERO { step.source(payroll.federal.source.clone()) } else { step }
    });
    trace.open_figure();
    let wages = ("wages_of_the_worksheet", wages);
    let tax = withhold_on(trace, payroll.federal, &employee.w4, wages, periods.frequency)?;
    let all = periods.amount_for_all(tax)?;
    trace.close_figure(|| match periods.is_one() {
        true => Step::new("tax_by_the_worksheet", Operation::Sum, tax).input(FIGURE, tax),
        false => Step::new("tax_by_the_worksheet", Operation::Product, all)
            .input(FIGURE, tax)
            .ratio("pay_periods", number, of)
            .rounded("0.01", Rounding::HalfUp),
    });
    Some(all)
}

/// Returns the amount added to the wages of a nonresident alien; `None` for others, and if the table of the year has no amounts.
fn nonresident_addition<K>(payroll: &Payroll<'_>, employee: &Employee<'_, K>) -> Option<Amount> {
    let amounts = payroll.federal.nonresident_alien.as_ref().filter(|_| employee.nonresident_alien)?;
    Some(amounts.amount_to_add(&employee.w4, payroll.withholding_period))
}

fn explain_above<T: Trace>(
    trace: &mut T,
    payroll: &Payroll<'_>,
    (before, supplemental, of_year): (Amount, Amount, Amount),
    above: Amount,
) {
    let threshold = payroll.taxes.supplemental_threshold;
    let beyond = of_year.checked_sub(threshold).unwrap_or_default();
    trace.open_figure();
    trace.open_figure();
    trace.add_leaf(|| {
        Step::new("supplemental_wages_of_the_year", Operation::Sum, of_year)
            .input("supplemental_wages_before", before)
            .input("supplemental_wages", supplemental)
    });
    trace.close_figure(|| {
        Step::new("supplemental_wages_above_the_threshold", Operation::Remaining, beyond)
            .input("supplemental_wages_of_the_year", of_year)
            .input("threshold", threshold)
    });
    trace.close_figure(|| {
        Step::new("wages_at_the_higher_rate", Operation::Least, above)
            .input("supplemental_wages", supplemental)
            .input("supplemental_wages_above_the_threshold", beyond)
    });
}

#[cfg(test)]
#[path = "federal_income_tests.rs"]
mod tests;
