//! Form 943, the return of a year of employers of farmworkers, who file it in place of Forms 941 or 944 for their wages.
//!
//! Its lines are those of Form 941 under other numbers, calculated on the wages of the whole year. It has no line for tips.
//!
//! Source: Form 943 and its instructions (2025).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::civil::date;
use rules::deposits::Schedule;
use rules::payroll::taxes::PayrollTaxes;

use crate::annual::{self, AnnualLine, Numbered, numbered_line};
use crate::form_941::{Adjustments, Line941, Made, Sums};
use crate::liability::{Breakdown, DayLiability, LEAST_CENTS, liability_by_month};
use crate::line::{Leaf, Line, Year};
use crate::table::{LineRow, built_in, read_rows};
use crate::{Error, Payment};

static TITLES: LazyLock<Vec<LineRow>> =
    LazyLock::new(|| built_in("form_943.csv", read_rows(include_str!("../../../data/returns/form_943.csv"))));

/// The lines with an amount. Line 1 is a number of employees.
const LINES: &[Numbered] = &[
    numbered_line("2", AnnualLine::SocialSecurityWages),
    numbered_line("3", AnnualLine::SocialSecurityTax),
    numbered_line("4", AnnualLine::MedicareWages),
    numbered_line("5", AnnualLine::MedicareTax),
    numbered_line("6", AnnualLine::AdditionalWages),
    numbered_line("7", AnnualLine::AdditionalTax),
    numbered_line("8", AnnualLine::IncomeTax),
    numbered_line("9", AnnualLine::BeforeAdjustments),
    numbered_line("10", AnnualLine::Adjustments),
    numbered_line("11", AnnualLine::AfterAdjustments),
    numbered_line("12", AnnualLine::ResearchCredit),
    numbered_line("13", AnnualLine::Total),
    numbered_line("14", AnnualLine::Deposits),
    numbered_line("15", AnnualLine::Due),
    numbered_line("16", AnnualLine::Overpaid),
];

/// What the payments of a year come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sums943 {
    year: i16,
    sums: Sums,
    tips: i64,
}

impl Sums943 {
    /// Begins at zero.
    pub fn new(year: i16) -> Self {
        Self { year, sums: Sums::default(), tips: 0 }
    }

    /// Adds a payment.
    ///
    /// # Errors
    /// It is of another year, or a sum is too large.
    pub fn add_payment(&mut self, payment: &Payment) -> Result<(), Error> {
        Year(self.year).check_payment(payment)?;
        self.tips += payment.social_security.tips;
        self.sums.add_payment(payment)
    }
}

/// What the payments do not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Told943 {
    /// line 1: employees with wages in the pay period that includes 12 March
    pub employees: u32,
    /// line 12: credit of Form 8974
    pub research_credit: i64,
    /// line 14: deposits for the year, and the overpayment carried over to it
    pub deposits: i64,
    /// how often taxes are deposited
    pub schedule: Schedule,
}

/// Form 943 of a year. Amounts are cents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form943 {
    /// its year
    pub year: i16,
    /// line 1
    pub employees: u32,
    /// number of payments
    pub payments: u64,
    /// taxes of the paychecks, as booked: of the employee and of the employer
    pub booked: i64,
    /// cents by which the books would have to change to agree with the form: negative if more was booked
    pub to_post: i64,
    /// the liability of each pay date (Form 943-A); together line 13
    pub days: Vec<DayLiability>,
    /// the same by month: line 17
    pub months: [i64; 12],
    /// how it is reported
    pub breakdown: Breakdown,
    lines: BTreeMap<Line941, i64>,
}

impl Form943 {
    /// Makes the form.
    ///
    /// # Errors
    /// There are tips, the rates are of another year, the fractions of cents or the cents to post exceed what rounding can come to, or line
    /// 13 is negative.
    pub fn new(sums: &Sums943, taxes: &PayrollTaxes, told: &Told943) -> Result<Self, Error> {
        if sums.tips != 0 {
            return Err(Error::Tips { cents: sums.tips });
        }
        let year = sums.year;
        let adjustments = Adjustments {
            research_credit: told.research_credit,
            deposits: told.deposits,
            ..Adjustments::default()
        };
        let Made { lines, booked, to_post, days } =
            Made::new(&sums.sums, date(year, 12, 31), taxes, &adjustments)?;
        let breakdown = Breakdown::of_period(&days, lines[&Line941::Total] < LEAST_CENTS, told.schedule);
        let (months, payments) = (liability_by_month(1, &days), sums.sums.payments());
        Ok(Self {
            year,
            employees: told.employees,
            payments,
            booked,
            to_post,
            days,
            months,
            breakdown,
            lines,
        })
    }

    /// Returns the amount of a line; zero if the form does not have it.
    pub fn amount(&self, line: AnnualLine) -> i64 {
        annual::line_amount(LINES, &self.lines, line)
    }

    /// Returns all lines with amounts, with their titles.
    pub fn lines(&self) -> Vec<Line> {
        annual::form_lines(LINES, &TITLES, &self.lines)
    }

    /// Returns what each payment adds to a line; nothing for lines that are no sum over payments.
    pub fn explain_line<'p>(line: AnnualLine, payments: impl IntoIterator<Item = &'p Payment>) -> Vec<Leaf> {
        match line.of_941() {
            [of_941] => crate::Form941::explain_line(*of_941, payments),
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use strum::VariantArray as _;

    use super::*;

    #[test]
    fn every_line_has_a_title() {
        let titled: Vec<&str> = TITLES.iter().map(|row| row.line.as_str()).collect();
        let lines = LINES.iter().map(|one| one.number);
        // Line 1 is a number of employees, not an amount.
        assert_eq!(titled, std::iter::once("1").chain(lines).collect::<Vec<_>>());
    }

    #[test]
    fn the_form_has_every_line_of_annual_returns_but_wages_tips_and_the_subtotal_of_taxes() {
        let left_out = [
            AnnualLine::Wages,
            AnnualLine::SocialSecurityTips,
            AnnualLine::TipsTax,
            AnnualLine::SocialSecurityAndMedicare,
        ];
        for line in AnnualLine::VARIANTS {
            let count = LINES.iter().filter(|one| one.line == *line).count();
            assert_eq!(count, usize::from(!left_out.contains(line)), "{line:?}");
        }
    }

    #[test]
    fn a_total_is_made_of_the_parts_of_a_subtotal_that_the_form_does_not_have() {
        let lines = annual::form_lines(LINES, &TITLES, &BTreeMap::new());
        let before_adjustments = lines.iter().find(|line| line.number == "9").unwrap();
        assert_eq!(before_adjustments.made_of, ["8", "3", "5", "7"]);
    }
}
