//! Worksheet 1A of IRS Publication 15-T: the percentage method for automated payroll systems.

use super::{Bracket, FederalTables, FilingStatus, PayFrequency, W4};
use crate::amount::{Amount, Rounding};
use crate::explain::{NoTrace, Operation, Step, Trace, Value};
use crate::ratio::Ratio;

/// Scale at which every annual figure of the worksheet is an integer: figures are in millionths of a dollar, and
/// rates in millionths of a percent.
const EXACT: i128 = 100 * 1_000_000;
/// Millionths per cent.
const CENT: i128 = 10_000;

/// Entries of the worksheet, in millionths of a dollar.
struct Lines<'t> {
    /// Schedule of the filing status.
    schedule: &'t [Bracket],
    /// Line 1d, per year.
    other_income: i128,
    /// Lines 1f and 1g, or 1k, per year.
    deductions: i128,
    /// The parts of the deductions, by name; a part without a name is none.
    parts: [(&'static str, i128); 2],
    /// Line 3a, per year.
    credits: i128,
    /// Line 4a, per pay period.
    extra: i128,
}

/// Returns the federal income tax to withhold from the wages of a pay period, in whole cents; see
/// [`withhold_traced`].
pub fn withhold_income_tax(
    tables: &FederalTables,
    w4: &W4,
    taxable_wages: Amount,
    frequency: PayFrequency,
) -> Option<Amount> {
    withhold_traced(&mut NoTrace, tables, w4, taxable_wages, frequency)
}

/// Returns the federal income tax to withhold from the wages of a pay period, in whole cents, and explains it
/// as the figure `federal_income_tax`.
///
/// `taxable_wages` are the period's wages in dollars after pre-tax deductions. Annual figures are exact, and
/// the result is rounded once, half up. Available pay is not considered. Source: IRS Publication 15-T,
/// Worksheet 1A; line numbers are those of the worksheet.
///
/// `None` on overflow, which valid inputs ([`super::check`], [`crate::amount::MAX_AMOUNT`]) never reach.
pub fn withhold_traced<T: Trace>(
    trace: &mut T,
    tables: &FederalTables,
    w4: &W4,
    taxable_wages: Amount,
    frequency: PayFrequency,
) -> Option<Amount> {
    withhold_on(trace, tables, w4, ("taxable_wages", taxable_wages), frequency)
}

/// Like [`withhold_traced`], on wages that another figure explains.
pub(crate) fn withhold_on<T: Trace>(
    trace: &mut T,
    tables: &FederalTables,
    w4: &W4,
    (wages_figure, taxable_wages): (&'static str, Amount),
    frequency: PayFrequency,
) -> Option<Amount> {
    let Some(lines) = form_lines(tables, w4) else {
        trace.add_leaf(|| {
            Step::new(FIGURE, Operation::Given, Amount::ZERO)
                .note("The certificate claims exemption from withholding.")
        });
        return Some(Amount::ZERO);
    };
    let periods = i128::from(frequency.periods_per_year());
    // Lines 1c to 1i or 1l: the adjusted annual wage amount.
    let annual_wages = amount_millionths(taxable_wages) * periods;
    let adjusted = (annual_wages + lines.other_income - lines.deductions).max(0);
    // Lines 2a to 2g, and 3a to 3c before the division by pay periods.
    let row = row_of(lines.schedule, adjusted);
    let whole_tax = row.map_or(0, |row| scaled_tax(row, adjusted));
    let annual_tax = (whole_tax - lines.credits * EXACT).max(0);
    let cents = half_up(annual_tax, periods * EXACT * CENT);
    // Line 4b.
    let withheld = cents * CENT + lines.extra;
    let result = i64::try_from(withheld).ok().map(Amount::from_millionths)?;
    let worked = Worked {
        wages_figure,
        taxable_wages,
        periods,
        annual_wages,
        adjusted,
        whole_tax,
        annual_tax,
        cents,
        withheld,
    };
    worked.explain_worksheet(trace, tables, &lines, row);
    Some(result)
}

/// Name of the result in explanations.
const FIGURE: &str = "federal_income_tax";

/// Figures of the worksheet, for the explanation.
struct Worked {
    wages_figure: &'static str,
    taxable_wages: Amount,
    periods: i128,
    annual_wages: i128,
    adjusted: i128,
    whole_tax: i128,
    annual_tax: i128,
    cents: i128,
    withheld: i128,
}

impl Worked {
    fn explain_worksheet<T: Trace>(
        &self,
        trace: &mut T,
        tables: &FederalTables,
        lines: &Lines,
        row: Option<&Bracket>,
    ) {
        trace.open_figure();
        trace.open_figure();
        trace.open_figure();
        trace.open_figure();
        self.explain_adjusted(trace, lines);
        let above = row.map_or(0, |row| self.adjusted - amount_millionths(row.at_least));
        let percent = row.map_or(0, |row| amount_millionths(row.percent));
        trace.open_figure();
        trace.add_leaf(|| {
            Step::new("above_row", Operation::Difference, exact_value(above, 1))
                .input("adjusted_annual_wage", exact_value(self.adjusted, 1))
                .input("row_from", row.map_or(Amount::ZERO, |row| row.at_least))
        });
        trace.close_figure(|| {
            Step::new("tax_above_row", Operation::Product, exact_value(above * percent, EXACT))
                .input("above_row", exact_value(above, 1))
                .ratio("rate", percent, EXACT)
        });
        trace.close_figure(|| {
            Step::new("annual_tax", Operation::Sum, exact_value(self.whole_tax, EXACT))
                .input("row_base", row.map_or(Amount::ZERO, |row| row.base))
                .input("tax_above_row", exact_value(above * percent, EXACT))
                .source(tables.source.clone())
        });
        trace.close_figure(|| {
            Step::new("annual_tax_after_credits", Operation::Remaining, exact_value(self.annual_tax, EXACT))
                .input("annual_tax", exact_value(self.whole_tax, EXACT))
                .input("credits", exact_value(lines.credits, 1))
        });
        trace.close_figure(|| {
            Step::new("tax_of_the_period", Operation::Product, exact_value(self.cents * CENT, 1))
                .input("annual_tax_after_credits", exact_value(self.annual_tax, EXACT))
                .ratio("pay_periods", 1, self.periods)
                .rounded("0.01", Rounding::HalfUp)
        });
        trace.close_figure(|| {
            Step::new(FIGURE, Operation::Sum, exact_value(self.withheld, 1))
                .input("tax_of_the_period", exact_value(self.cents * CENT, 1))
                .input("extra_withholding", exact_value(lines.extra, 1))
                .source("IRS Publication 15-T, Worksheet 1A")
        });
    }

    fn explain_adjusted<T: Trace>(&self, trace: &mut T, lines: &Lines) {
        let income = self.annual_wages + lines.other_income;
        trace.open_figure();
        trace.open_figure();
        trace.add_leaf(|| {
            Step::new("annual_wages", Operation::Product, exact_value(self.annual_wages, 1))
                .input(self.wages_figure, self.taxable_wages)
                .ratio("pay_periods", self.periods, 1)
        });
        trace.close_figure(|| {
            Step::new("annual_income", Operation::Sum, exact_value(income, 1))
                .input("annual_wages", exact_value(self.annual_wages, 1))
                .input("other_income", exact_value(lines.other_income, 1))
        });
        trace.add_leaf(|| {
            let parts = lines.parts.iter().filter(|(name, _)| !name.is_empty());
            let step = Step::new("deductions_of_the_year", Operation::Sum, exact_value(lines.deductions, 1));
            parts.fold(step, |step, (name, part)| step.input(*name, exact_value(*part, 1)))
        });
        trace.close_figure(|| {
            Step::new("adjusted_annual_wage", Operation::Remaining, exact_value(self.adjusted, 1))
                .input("annual_income", exact_value(income, 1))
                .input("deductions_of_the_year", exact_value(lines.deductions, 1))
        });
    }
}

fn exact_value(num: i128, den: i128) -> Value {
    Ratio::of_millionths(num, den).to_value()
}

/// Returns the entries of a form; `None` if exempt.
fn form_lines<'t>(tables: &'t FederalTables, w4: &W4) -> Option<Lines<'t>> {
    match *w4 {
        W4::Rev2020 { filing_status: FilingStatus::Exempt, .. }
        | W4::Pre2020 { filing_status: FilingStatus::Exempt, .. } => None,
        W4::Rev2020 {
            filing_status,
            two_jobs,
            dependents_amount,
            other_income,
            deductions,
            extra_withholding,
        } => {
            let schedules = if two_jobs { &tables.two_jobs } else { &tables.standard };
            let (schedule, standard_amount) = match filing_status {
                FilingStatus::Married => (&schedules.married, tables.standard_amount_married),
                FilingStatus::HeadOfHousehold => (&schedules.head_of_household, tables.standard_amount_other),
                FilingStatus::Single | FilingStatus::MarriedWithholdAsSingle | FilingStatus::Exempt => {
                    (&schedules.single, tables.standard_amount_other)
                }
            };
            let line_1g = if two_jobs { 0 } else { amount_millionths(standard_amount) };
            Some(Lines {
                schedule,
                other_income: amount_millionths(other_income),
                deductions: amount_millionths(deductions) + line_1g,
                parts: [("step_4b_deductions", amount_millionths(deductions)), ("line_1g", line_1g)],
                credits: amount_millionths(dependents_amount),
                extra: amount_millionths(extra_withholding),
            })
        }
        W4::Pre2020 { filing_status, allowances, additional_withholding } => {
            let married = filing_status == FilingStatus::Married;
            let of_allowances = i128::from(allowances) * amount_millionths(tables.allowance);
            Some(Lines {
                schedule: if married { &tables.standard.married } else { &tables.standard.single },
                other_income: 0,
                deductions: of_allowances,
                parts: [("withholding_allowances", of_allowances), ("", 0)],
                credits: 0,
                extra: amount_millionths(additional_withholding),
            })
        }
    }
}

/// Returns the row for an annual wage in millionths of a dollar.
fn row_of(schedule: &[Bracket], annual_wages: i128) -> Option<&Bracket> {
    schedule.iter().rev().find(|row| amount_millionths(row.at_least) <= annual_wages)
}

/// Returns the tax of a row on an annual wage in millionths of a dollar, scaled by [`EXACT`].
fn scaled_tax(row: &Bracket, annual_wages: i128) -> i128 {
    let above = annual_wages - amount_millionths(row.at_least);
    amount_millionths(row.base) * EXACT + above * amount_millionths(row.percent)
}

fn amount_millionths(amount: Amount) -> i128 {
    i128::from(amount.millionths())
}

/// Returns `num / den`, rounded half up, for non-negative values.
fn half_up(num: i128, den: i128) -> i128 {
    (num + den / 2) / den
}

#[cfg(test)]
#[path = "worksheet_tests.rs"]
mod tests;
