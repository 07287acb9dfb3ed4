//! Form 943, the return of a year of employers of farmworkers, who file it in place of Forms 941 or 944 for their wages.
//!
//! Its lines are those of Form 941 under other numbers, calculated on the wages of the whole year. It has no line for tips.
//!
//! Source: Form 943 and its instructions (2025).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::civil::date;
use rules::Named as _;
use rules::deposits::Schedule;
use rules::payroll::taxes::PayrollTaxes;
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::form_941::{Adjustments, Line941, Made, Sums};
use crate::liability::{Breakdown, DayLiability, LEAST_CENTS, months};
use crate::line::{Leaf, Line, Year};
use crate::table::{LineRow, built_in, rows};
use crate::{Error, Payment};

static TITLES: LazyLock<Vec<LineRow>> =
    LazyLock::new(|| built_in("form_943.csv", rows(include_str!("../../../data/returns/form_943.csv"))));

/// A line with an amount. Line 1 is a number of employees.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, VariantArray, IntoStaticStr, EnumString,
)]
pub enum Line943 {
    /// wages subject to Social Security tax
    #[strum(serialize = "2")]
    SocialSecurityWages,
    /// tax on them
    #[strum(serialize = "3")]
    SocialSecurityTax,
    /// wages subject to Medicare tax
    #[strum(serialize = "4")]
    MedicareWages,
    /// tax on them
    #[strum(serialize = "5")]
    MedicareTax,
    /// wages subject to Additional Medicare tax
    #[strum(serialize = "6")]
    AdditionalWages,
    /// Additional Medicare tax
    #[strum(serialize = "7")]
    AdditionalTax,
    /// federal income tax withheld
    #[strum(serialize = "8")]
    IncomeTax,
    /// total before adjustments
    #[strum(serialize = "9")]
    BeforeAdjustments,
    /// adjustments
    #[strum(serialize = "10")]
    Adjustments,
    /// total after adjustments
    #[strum(serialize = "11")]
    AfterAdjustments,
    /// credit for research
    #[strum(serialize = "12")]
    ResearchCredit,
    /// total taxes
    #[strum(serialize = "13")]
    Total,
    /// deposits
    #[strum(serialize = "14")]
    Deposits,
    /// balance due
    #[strum(serialize = "15")]
    Due,
    /// overpayment
    #[strum(serialize = "16")]
    Overpaid,
}

impl Line943 {
    /// The lines of Form 941 of which it is the sum.
    pub fn of_941(self) -> &'static [Line941] {
        match self {
            Self::SocialSecurityWages => &[Line941::SocialSecurityWages],
            Self::SocialSecurityTax => &[Line941::SocialSecurityTax],
            Self::MedicareWages => &[Line941::MedicareWages],
            Self::MedicareTax => &[Line941::MedicareTax],
            Self::AdditionalWages => &[Line941::AdditionalWages],
            Self::AdditionalTax => &[Line941::AdditionalTax],
            Self::IncomeTax => &[Line941::IncomeTax],
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
            Self::MedicareTax => &[Self::MedicareWages],
            Self::AdditionalTax => &[Self::AdditionalWages],
            Self::BeforeAdjustments => {
                &[Self::SocialSecurityTax, Self::MedicareTax, Self::AdditionalTax, Self::IncomeTax]
            }
            Self::AfterAdjustments => &[Self::BeforeAdjustments, Self::Adjustments],
            Self::Total => &[Self::AfterAdjustments, Self::ResearchCredit],
            Self::Due | Self::Overpaid => &[Self::Total, Self::Deposits],
            _ => &[],
        }
    }
}

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
    pub fn add(&mut self, payment: &Payment) -> Result<(), Error> {
        Year(self.year).check(payment)?;
        self.tips += payment.social_security.tips;
        self.sums.add(payment)
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
        let breakdown = Breakdown::of(&days, lines[&Line941::Total] < LEAST_CENTS, told.schedule);
        let (months, payments) = (months(1, &days), sums.sums.payments());
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

    /// Returns the amount of a line.
    pub fn amount(&self, line: Line943) -> i64 {
        line.of_941().iter().map(|line| self.lines.get(line).copied().unwrap_or_default()).sum()
    }

    /// Returns all lines with amounts, with their titles.
    pub fn lines(&self) -> Vec<Line> {
        let line = |line: &Line943| {
            let made_of = line.made_of().iter().map(|line| line.as_str()).collect();
            Line::titled(&TITLES, line.as_str(), self.amount(*line), made_of)
        };
        Line943::ALL.iter().map(line).collect()
    }

    /// Returns what each payment adds to a line; nothing for lines that are no sum over payments.
    pub fn explain<'p>(line: Line943, payments: impl IntoIterator<Item = &'p Payment>) -> Vec<Leaf> {
        match line.of_941() {
            [of_941] => crate::Form941::explain(*of_941, payments),
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_a_title() {
        let titled: Vec<&str> = TITLES.iter().map(|row| row.line.as_str()).collect();
        let lines = Line943::ALL.iter().map(|line| line.as_str());
        // Line 1 is a number of employees, not an amount.
        assert_eq!(titled, std::iter::once("1").chain(lines).collect::<Vec<_>>());
    }

    #[test]
    fn every_line_of_form_941_but_wages_and_those_of_tips_is_in_one_line() {
        let left_out = [
            Line941::Wages,
            Line941::SocialSecurityTips,
            Line941::TipsTax,
            Line941::SocialSecurityAndMedicare,
            Line941::UnreportedTips,
        ];
        for of_941 in Line941::ALL {
            let count = Line943::ALL.iter().filter(|line| line.of_941().contains(of_941)).count();
            assert_eq!(count, usize::from(!left_out.contains(of_941)), "{of_941:?}");
        }
    }
}
