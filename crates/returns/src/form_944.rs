//! Form 944, the return of a year of employers whom the IRS has told to file it in place of Forms 941.
//!
//! Its lines are those of Form 941 under other numbers, calculated on the wages of the whole year; adjustments are one line.
//!
//! Source: Form 944 and its instructions (2025).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::civil::date;
use rules::Named as _;
use rules::deposits::Schedule;
use rules::payroll::taxes::PayrollTaxes;
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::form_941::{Adjustments, Line941, Made, Sums};
use crate::liability::{Breakdown, DayLiability, LEAST_CENTS, months};
use crate::line::{Line, Year};
use crate::table::{LineRow, built_in, rows};
use crate::{Error, Payment};

static TITLES: LazyLock<Vec<LineRow>> =
    LazyLock::new(|| built_in("form_944.csv", rows(include_str!("../../../data/returns/form_944.csv"))));

/// A line with an amount. `4a1` is column 1 of line 4a.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, VariantArray, IntoStaticStr, EnumString,
)]
pub enum Line944 {
    /// wages, tips and other compensation
    #[strum(serialize = "1")]
    Wages,
    /// federal income tax withheld
    #[strum(serialize = "2")]
    IncomeTax,
    /// taxable Social Security wages
    #[strum(serialize = "4a1")]
    SocialSecurityWages,
    /// tax on them
    #[strum(serialize = "4a2")]
    SocialSecurityTax,
    /// taxable Social Security tips
    #[strum(serialize = "4b1")]
    SocialSecurityTips,
    /// tax on them
    #[strum(serialize = "4b2")]
    TipsTax,
    /// taxable Medicare wages and tips
    #[strum(serialize = "4c1")]
    MedicareWages,
    /// tax on them
    #[strum(serialize = "4c2")]
    MedicareTax,
    /// wages and tips subject to Additional Medicare tax
    #[strum(serialize = "4d1")]
    AdditionalWages,
    /// Additional Medicare tax
    #[strum(serialize = "4d2")]
    AdditionalTax,
    /// total Social Security and Medicare taxes
    #[strum(serialize = "4e")]
    SocialSecurityAndMedicare,
    /// total before adjustments
    #[strum(serialize = "5")]
    BeforeAdjustments,
    /// adjustments: fractions of cents, sick pay, tips and group-term life insurance
    #[strum(serialize = "6")]
    Adjustments,
    /// total after adjustments
    #[strum(serialize = "7")]
    AfterAdjustments,
    /// credit for research
    #[strum(serialize = "8")]
    ResearchCredit,
    /// total taxes
    #[strum(serialize = "9")]
    Total,
    /// deposits
    #[strum(serialize = "10")]
    Deposits,
    /// balance due
    #[strum(serialize = "11")]
    Due,
    /// overpayment
    #[strum(serialize = "12")]
    Overpaid,
}

impl Line944 {
    /// The lines of Form 941 of which it is the sum.
    pub fn of_941(self) -> &'static [Line941] {
        match self {
            Self::Wages => &[Line941::Wages],
            Self::IncomeTax => &[Line941::IncomeTax],
            Self::SocialSecurityWages => &[Line941::SocialSecurityWages],
            Self::SocialSecurityTax => &[Line941::SocialSecurityTax],
            Self::SocialSecurityTips => &[Line941::SocialSecurityTips],
            Self::TipsTax => &[Line941::TipsTax],
            Self::MedicareWages => &[Line941::MedicareWages],
            Self::MedicareTax => &[Line941::MedicareTax],
            Self::AdditionalWages => &[Line941::AdditionalWages],
            Self::AdditionalTax => &[Line941::AdditionalTax],
            Self::SocialSecurityAndMedicare => &[Line941::SocialSecurityAndMedicare],
            Self::BeforeAdjustments => &[Line941::BeforeAdjustments],
            Self::Adjustments => &[Line941::FractionsOfCents, Line941::SickPay, Line941::Uncollected],
            Self::AfterAdjustments => &[Line941::AfterAdjustments],
            Self::ResearchCredit => &[Line941::ResearchCredit],
            Self::Total => &[Line941::Total],
            Self::Deposits => &[Line941::Deposits],
            Self::Due => &[Line941::Due],
            Self::Overpaid => &[Line941::Overpaid],
        }
    }

    /// Returns the lines from which the line is calculated; empty for sums over payments, and for what is told.
    pub fn made_of(self) -> &'static [Self] {
        match self {
            Self::SocialSecurityTax => &[Self::SocialSecurityWages],
            Self::TipsTax => &[Self::SocialSecurityTips],
            Self::MedicareTax => &[Self::MedicareWages],
            Self::AdditionalTax => &[Self::AdditionalWages],
            Self::SocialSecurityAndMedicare => {
                &[Self::SocialSecurityTax, Self::TipsTax, Self::MedicareTax, Self::AdditionalTax]
            }
            Self::BeforeAdjustments => &[Self::IncomeTax, Self::SocialSecurityAndMedicare],
            Self::AfterAdjustments => &[Self::BeforeAdjustments, Self::Adjustments],
            Self::Total => &[Self::AfterAdjustments, Self::ResearchCredit],
            Self::Due | Self::Overpaid => &[Self::Total, Self::Deposits],
            _ => &[],
        }
    }
}

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
    pub fn add(&mut self, payment: &Payment) -> Result<(), Error> {
        Year(self.year).check(payment)?;
        self.sums.add(payment)
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
        let breakdown = Breakdown::of(&days, lines[&Line941::Total] < LEAST_CENTS, told.schedule);
        let months = months(1, &days);
        Ok(Self { year, payments: sums.sums.payments(), booked, to_post, days, months, breakdown, lines })
    }

    /// Returns the amount of a line.
    pub fn amount(&self, line: Line944) -> i64 {
        line.of_941().iter().map(|line| self.lines.get(line).copied().unwrap_or_default()).sum()
    }

    /// Returns all lines with amounts, with their titles.
    pub fn lines(&self) -> Vec<Line> {
        let line = |line: &Line944| {
            let made_of = line.made_of().iter().map(|line| line.as_str()).collect();
            Line::titled(&TITLES, line.as_str(), self.amount(*line), made_of)
        };
        Line944::ALL.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_a_title() {
        let titled: Vec<&str> = TITLES.iter().map(|row| row.line.as_str()).collect();
        let lines: Vec<&str> = Line944::ALL.iter().map(|line| line.as_str()).collect();
        assert_eq!(titled, lines);
    }

    #[test]
    fn every_line_of_form_941_but_that_of_unreported_tips_is_in_one_line() {
        for of_941 in Line941::ALL.iter().filter(|line| **line != Line941::UnreportedTips) {
            let count = Line944::ALL.iter().filter(|line| line.of_941().contains(of_941)).count();
            assert_eq!(count, 1, "{of_941:?}");
        }
    }
}
