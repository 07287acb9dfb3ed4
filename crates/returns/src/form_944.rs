//! Form 944, the return of a year of employers whom the IRS has told to file it in place of Forms 941.
//!
//! Its lines are those of Form 941 under other numbers, calculated on the wages of the whole year; adjustments are one line.
//!
//! Source: Form 944 and its instructions (2025).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::civil::date;
use rules::deposits::Schedule;
use rules::payroll::taxes::PayrollTaxes;

use crate::annual::{self, AnnualLine, Numbered, numbered_line};
use crate::form_941::{Adjustments, Line941, Made, Sums};
use crate::liability::{Breakdown, DayLiability, LEAST_CENTS, liability_by_month};
use crate::line::{Line, Year};
use crate::table::{LineRow, built_in, read_rows};
use crate::{Error, Payment};

static TITLES: LazyLock<Vec<LineRow>> =
    LazyLock::new(|| built_in("form_944.csv", read_rows(include_str!("../../../data/returns/form_944.csv"))));

/// The lines with an amount. `4a1` is column 1 of line 4a.
const LINES: &[Numbered] = &[
    numbered_line("1", AnnualLine::Wages),
    numbered_line("2", AnnualLine::IncomeTax),
    numbered_line("4a1", AnnualLine::SocialSecurityWages),
    numbered_line("4a2", AnnualLine::SocialSecurityTax),
    numbered_line("4b1", AnnualLine::SocialSecurityTips),
    numbered_line("4b2", AnnualLine::TipsTax),
    numbered_line("4c1", AnnualLine::MedicareWages),
    numbered_line("4c2", AnnualLine::MedicareTax),
    numbered_line("4d1", AnnualLine::AdditionalWages),
    numbered_line("4d2", AnnualLine::AdditionalTax),
    numbered_line("4e", AnnualLine::SocialSecurityAndMedicare),
    numbered_line("5", AnnualLine::BeforeAdjustments),
    numbered_line("6", AnnualLine::Adjustments),
    numbered_line("7", AnnualLine::AfterAdjustments),
    numbered_line("8", AnnualLine::ResearchCredit),
    numbered_line("9", AnnualLine::Total),
    numbered_line("10", AnnualLine::Deposits),
    numbered_line("11", AnnualLine::Due),
    numbered_line("12", AnnualLine::Overpaid),
];

/// What the payments of a year come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sums944 {
    year: i16,
    sums: Sums,
}

impl Sums944 {
    /// Begins at zero.
    pub fn new(year: i16) -> Self {
        Self { year, sums: Sums::default() }
    }

    /// Adds a payment.
    ///
    /// # Errors
    /// It is of another year, or a sum is too large.
    pub fn add_payment(&mut self, payment: &Payment) -> Result<(), Error> {
        Year(self.year).check_payment(payment)?;
        self.sums.add_payment(payment)
    }
}

/// What the payments do not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Told944 {
    /// the employee's part that a third party withheld from sick pay and paid; negative
    pub sick_pay: i64,
    /// line 8: credit of Form 8974
    pub research_credit: i64,
    /// line 10: deposits for the year, on whichever day, and the overpayment carried over to it
    pub deposits: i64,
    /// how often taxes are deposited
    pub schedule: Schedule,
}

/// Form 944 of a year. Amounts are cents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form944 {
    /// its year
    pub year: i16,
    /// number of payments
    pub payments: u64,
    /// taxes of the paychecks, as booked: of the employee and of the employer
    pub booked: i64,
    /// cents to post at the close, so that the books agree with the form: negative if more was booked
    pub to_post: i64,
    /// the liability of each pay date; together line 9
    pub days: Vec<DayLiability>,
    /// the same by month: lines 13a to 13l
    pub months: [i64; 12],
    /// how it is reported
    pub breakdown: Breakdown,
    lines: BTreeMap<Line941, i64>,
}

impl Form944 {
    /// Makes the form.
    ///
    /// # Errors
    /// The rates are of another year, the fractions of cents or the cents to post exceed what rounding can come to, or line 9 is negative.
    pub fn new(sums: &Sums944, taxes: &PayrollTaxes, told: &Told944) -> Result<Self, Error> {
        let year = sums.year;
        let adjustments = Adjustments {
            unreported_tips: 0,
            sick_pay: told.sick_pay,
            research_credit: told.research_credit,
            deposits: told.deposits,
        };
        let Made { lines, booked, to_post, days } =
            Made::new(&sums.sums, date(year, 12, 31), taxes, &adjustments)?;
        let breakdown = Breakdown::of_period(&days, lines[&Line941::Total] < LEAST_CENTS, told.schedule);
        let months = liability_by_month(1, &days);
        Ok(Self { year, payments: sums.sums.payments(), booked, to_post, days, months, breakdown, lines })
    }

    /// Returns the amount of a line; zero if the form does not have it.
    pub fn amount(&self, line: AnnualLine) -> i64 {
        annual::line_amount(LINES, &self.lines, line)
    }

    /// Returns all lines with amounts, with their titles.
    pub fn lines(&self) -> Vec<Line> {
        annual::form_lines(LINES, &TITLES, &self.lines)
    }
}

#[cfg(test)]
mod tests {
    use strum::VariantArray as _;

    use super::*;

    #[test]
    fn every_line_has_a_title() {
        let titled: Vec<&str> = TITLES.iter().map(|row| row.line.as_str()).collect();
        assert_eq!(titled, LINES.iter().map(|one| one.number).collect::<Vec<_>>());
    }

    #[test]
    fn the_form_has_every_line_of_annual_returns() {
        let lines: Vec<AnnualLine> = LINES.iter().map(|one| one.line).collect();
        assert_eq!(lines, AnnualLine::VARIANTS);
    }
}
