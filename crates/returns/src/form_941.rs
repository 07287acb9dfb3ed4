//! Form 941, the employer's return of a quarter, with Schedule B.
//!
//! Taxes are calculated on paychecks and rounded there; the form calculates them on the wages of the whole quarter. Line 7 makes the
//! employee's part agree with what was withheld. The employer's part of the form remains half of lines 5a to 5c, so what was booked for
//! the employer differs from it by cents, which are posted when the quarter is closed.
//!
//! Sources: Form 941 (Rev. March 2026) and its instructions; Instructions for Schedule B (Form 941).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::civil::Date;
use rules::deposits::Schedule;
use rules::payroll::taxes::PayrollTaxes;
use rules::{Amount, Named as _};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::liability::{Breakdown, DayLiability, LEAST_CENTS, liability_by_day, liability_by_month};
use crate::line::{Leaf, Line, add_cents, payment_leaves};
use crate::payment::Taxed;
use crate::table::{LineRow, built_in, read_rows};
use crate::{Error, Payment, Quarter, divide_half_up, percent_of};

static TITLES: LazyLock<Vec<LineRow>> =
    LazyLock::new(|| built_in("form_941.csv", read_rows(include_str!("../../../data/returns/form_941.csv"))));

/// A line with an amount. `5a1` is column 1 of line 5a.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, VariantArray, IntoStaticStr, EnumString,
)]
pub enum Line941 {
    /// wages, tips and other compensation
    #[strum(serialize = "2")]
    Wages,
    /// federal income tax withheld
    #[strum(serialize = "3")]
    IncomeTax,
    /// taxable Social Security wages
    #[strum(serialize = "5a1")]
    SocialSecurityWages,
    /// tax on them
    #[strum(serialize = "5a2")]
    SocialSecurityTax,
    /// taxable Social Security tips
    #[strum(serialize = "5b1")]
    SocialSecurityTips,
    /// tax on them
    #[strum(serialize = "5b2")]
    TipsTax,
    /// taxable Medicare wages and tips
    #[strum(serialize = "5c1")]
    MedicareWages,
    /// tax on them
    #[strum(serialize = "5c2")]
    MedicareTax,
    /// wages and tips subject to Additional Medicare tax
    #[strum(serialize = "5d1")]
    AdditionalWages,
    /// Additional Medicare tax
    #[strum(serialize = "5d2")]
    AdditionalTax,
    /// total Social Security and Medicare taxes
    #[strum(serialize = "5e")]
    SocialSecurityAndMedicare,
    /// tax on unreported tips
    #[strum(serialize = "5f")]
    UnreportedTips,
    /// total before adjustments
    #[strum(serialize = "6")]
    BeforeAdjustments,
    /// fractions of cents
    #[strum(serialize = "7")]
    FractionsOfCents,
    /// sick pay
    #[strum(serialize = "8")]
    SickPay,
    /// uncollected taxes on tips and group-term life insurance
    #[strum(serialize = "9")]
    Uncollected,
    /// total after adjustments
    #[strum(serialize = "10")]
    AfterAdjustments,
    /// credit for research
    #[strum(serialize = "11")]
    ResearchCredit,
    /// total taxes
    #[strum(serialize = "12")]
    Total,
    /// deposits
    #[strum(serialize = "13")]
    Deposits,
    /// balance due
    #[strum(serialize = "14")]
    Due,
    /// overpayment
    #[strum(serialize = "15a")]
    Overpaid,
}

use Line941::{
    AdditionalTax, AdditionalWages, AfterAdjustments, BeforeAdjustments, Deposits, Due, FractionsOfCents,
    IncomeTax, MedicareTax, MedicareWages, Overpaid, ResearchCredit, SickPay, SocialSecurityAndMedicare,
    SocialSecurityTax, SocialSecurityTips, SocialSecurityWages, TipsTax, Total, UnreportedTips, Wages,
};

impl Line941 {
    /// The lines that are sums over payments.
    pub const SUMS: [Self; 7] = [
        Wages,
        IncomeTax,
        SocialSecurityWages,
        SocialSecurityTips,
        MedicareWages,
        AdditionalWages,
        Self::Uncollected,
    ];

    /// Returns what a payment adds to the line; `None` for lines that are no sum over payments.
    pub fn of_payment(self, payment: &Payment) -> Option<i64> {
        Some(match self {
            Wages => payment.federal_income.wages,
            IncomeTax => payment.federal_income.tax,
            SocialSecurityWages => payment.social_security.wages,
            SocialSecurityTips => payment.social_security.tips,
            MedicareWages => payment.medicare.wages,
            AdditionalWages => payment.additional_medicare.wages,
            Self::Uncollected => -(payment.uncollected.social_security + payment.uncollected.medicare),
            _ => return None,
        })
    }

    /// Returns the lines from which the line is calculated; empty for sums over payments, and for what is told.
    pub fn made_of(self) -> &'static [Self] {
        match self {
            SocialSecurityTax => &[SocialSecurityWages],
            TipsTax => &[SocialSecurityTips],
            MedicareTax => &[MedicareWages],
            AdditionalTax => &[AdditionalWages],
            SocialSecurityAndMedicare => &[SocialSecurityTax, TipsTax, MedicareTax, AdditionalTax],
            BeforeAdjustments => &[IncomeTax, SocialSecurityAndMedicare, UnreportedTips],
            FractionsOfCents => &[SocialSecurityTax, TipsTax, MedicareTax, AdditionalTax, Self::Uncollected],
            AfterAdjustments => &[BeforeAdjustments, FractionsOfCents, SickPay, Self::Uncollected],
            Total => &[AfterAdjustments, ResearchCredit],
            Due | Overpaid => &[Total, Deposits],
            _ => &[],
        }
    }
}

/// What the payments of a period come to. Payments are added one by one, so memory does not grow with the number of employees.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    lines: BTreeMap<Line941, i64>,
    withheld: i64,
    days: BTreeMap<Date, i64>,
    payments: u64,
    above_threshold: u64,
}

impl Sums {
    /// The most cents that rounding can come to: half a cent for each tax of a payment, and as much for the lines of the form.
    fn tolerance(&self) -> u64 {
        self.payments + self.above_threshold.div_ceil(2) + 2
    }

    /// Number of payments.
    pub(crate) fn payments(&self) -> u64 {
        self.payments
    }

    /// Adds a payment.
    ///
    /// # Errors
    /// A sum is too large.
    pub(crate) fn add_payment(&mut self, payment: &Payment) -> Result<(), Error> {
        for line in Line941::SUMS {
            let cents = line.of_payment(payment).unwrap_or_default();
            add_cents(self.lines.entry(line).or_default(), cents, "a line of the return")?;
        }
        add_cents(&mut self.withheld, payment.employee_fica_withheld(), "taxes withheld")?;
        let of_day = self.days.entry(payment.pay_date).or_default();
        add_cents(of_day, payment.tax_liability(), "taxes of a pay date")?;
        self.payments += 1;
        self.above_threshold += u64::from(payment.additional_medicare != Taxed::default());
        Ok(())
    }
}

/// What the payments of a quarter come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sums941 {
    quarter: Quarter,
    sums: Sums,
}

impl Sums941 {
    /// Begins at zero.
    pub fn new(quarter: Quarter) -> Self {
        Self { quarter, sums: Sums::default() }
    }

    /// Its quarter.
    pub fn quarter(&self) -> Quarter {
        self.quarter
    }

    /// Adds a payment.
    ///
    /// # Errors
    /// It is of another quarter, or a sum is too large.
    pub fn add_payment(&mut self, payment: &Payment) -> Result<(), Error> {
        self.quarter.check_payment(payment)?;
        self.sums.add_payment(payment)
    }
}

/// What the payments do not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Told941 {
    /// line 1: employees with wages in the pay period that includes the 12th of the last month
    pub employees: u32,
    /// line 5f: tax on unreported tips, after a notice and demand of the IRS
    pub unreported_tips: i64,
    /// line 8: the employee's part that a third party withheld from sick pay and paid; negative
    pub sick_pay: i64,
    /// line 11: credit of Form 8974
    pub research_credit: i64,
    /// line 13: deposits for the quarter, on whichever day, and the overpayment carried over to it
    pub deposits: i64,
    /// line 12 of the quarter before; `None` if it is not known
    pub before: Option<i64>,
    /// how often taxes are deposited
    pub schedule: Schedule,
}

impl Default for Told941 {
    fn default() -> Self {
        Self {
            employees: 0,
            unreported_tips: 0,
            sick_pay: 0,
            research_credit: 0,
            deposits: 0,
            before: None,
            schedule: Schedule::Semiweekly,
        }
    }
}

/// Form 941 of a quarter. Amounts are cents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form941 {
    /// its quarter
    pub quarter: Quarter,
    /// line 1
    pub employees: u32,
    /// number of payments
    pub payments: u64,
    /// taxes of the paychecks, as booked: of the employee and of the employer
    pub booked: i64,
    /// cents to post at the close, so that the books agree with the form: negative if more was booked
    pub to_post: i64,
    /// the liability of each pay date; together line 12
    pub days: Vec<DayLiability>,
    /// the same by month
    pub months: [i64; 3],
    /// how it is reported
    pub breakdown: Breakdown,
    lines: BTreeMap<Line941, i64>,
}

impl Form941 {
    /// Makes the form.
    ///
    /// # Errors
    /// The rates are of another year, line 7 or the cents to post exceed what rounding can come to, or line 12 is negative.
    pub fn new(sums: &Sums941, taxes: &PayrollTaxes, told: &Told941) -> Result<Self, Error> {
        let quarter = sums.quarter;
        let made = Made::new(
            &sums.sums,
            quarter.last_day(),
            taxes,
            &Adjustments {
                unreported_tips: told.unreported_tips,
                sick_pay: told.sick_pay,
                research_credit: told.research_credit,
                deposits: told.deposits,
            },
        )?;
        let is_small =
            made.lines[&Total] < LEAST_CENTS || told.before.is_some_and(|before| before < LEAST_CENTS);
        Ok(Self {
            quarter,
            employees: told.employees,
            payments: sums.sums.payments,
            booked: made.booked,
            to_post: made.to_post,
            months: liability_by_month(quarter.first_day().month(), &made.days),
            breakdown: Breakdown::of_period(&made.days, is_small, told.schedule),
            days: made.days,
            lines: made.lines,
        })
    }

    /// Returns the amount of a line.
    pub fn amount(&self, line: Line941) -> i64 {
        self.lines.get(&line).copied().unwrap_or_default()
    }

    /// Returns all lines with amounts, with their titles.
    pub fn lines(&self) -> Vec<Line> {
        let line = |line: &Line941| {
            let made_of = line.made_of().iter().map(|line| line.as_str()).collect();
            Line::with_title(&TITLES, line.as_str(), self.amount(*line), made_of)
        };
        Line941::ALL.iter().map(line).collect()
    }

    /// Returns what each payment adds to a line; nothing for lines that are no sum over payments.
    pub fn explain_line<'p>(line: Line941, payments: impl IntoIterator<Item = &'p Payment>) -> Vec<Leaf> {
        payment_leaves(payments, |payment| line.of_payment(payment).unwrap_or_default())
    }

    /// Returns what each payment adds to the liability of a pay date.
    pub fn explain_day<'p>(day: Date, payments: impl IntoIterator<Item = &'p Payment>) -> Vec<Leaf> {
        payment_leaves(payments.into_iter().filter(|payment| payment.pay_date == day), Payment::tax_liability)
    }
}

/// What payments do not tell of the taxes of a period, in cents.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Adjustments {
    /// tax on unreported tips
    pub unreported_tips: i64,
    /// the employee's part that a third party withheld from sick pay; negative
    pub sick_pay: i64,
    /// credit of Form 8974
    pub research_credit: i64,
    /// deposits for the period
    pub deposits: i64,
}

/// Withheld income tax, Social Security and Medicare of a period, by the lines of Form 941: calculated on the wages of all of it.
pub(crate) struct Made {
    /// amounts
    pub lines: BTreeMap<Line941, i64>,
    /// taxes of the paychecks
    pub booked: i64,
    /// cents to post at the close
    pub to_post: i64,
    /// the liability of each pay date
    pub days: Vec<DayLiability>,
}

impl Made {
    /// Calculates them.
    ///
    /// # Errors
    /// As [`Form941::new`].
    pub(crate) fn new(
        sums: &Sums,
        last_day: Date,
        taxes: &PayrollTaxes,
        told: &Adjustments,
    ) -> Result<Self, Error> {
        if taxes.year != last_day.year() {
            let (year, known) = (last_day.year(), vec![taxes.year]);
            return Err(Error::Year { what: "rates of payroll taxes", year, known });
        }
        let mut lines = sums.lines.clone();
        let of = |lines: &BTreeMap<Line941, i64>, line| lines.get(&line).copied().unwrap_or_default();
        insert_taxes(&mut lines, taxes);
        let shared = of(&lines, SocialSecurityTax) + of(&lines, TipsTax) + of(&lines, MedicareTax);
        let additional = of(&lines, AdditionalTax);
        let uncollected = of(&lines, Line941::Uncollected);
        // Line 9 is negative; what was not collected was not withheld, and is no fraction of a cent.
        let fractions =
            divide_half_up(2 * i128::from(sums.withheld - uncollected - additional) - i128::from(shared), 2);
        let total_of_parts = shared + additional;
        let before = of(&lines, IncomeTax) + total_of_parts + told.unreported_tips;
        let after = before + fractions + told.sick_pay + uncollected;
        let total = after - told.research_credit;
        for (line, cents) in [
            (SocialSecurityAndMedicare, total_of_parts),
            (UnreportedTips, told.unreported_tips),
            (BeforeAdjustments, before),
            (FractionsOfCents, fractions),
            (SickPay, told.sick_pay),
            (AfterAdjustments, after),
            (ResearchCredit, told.research_credit),
            (Total, total),
            (Deposits, told.deposits),
            (Due, (total - told.deposits).max(0)),
            (Overpaid, (told.deposits - total).max(0)),
        ] {
            lines.insert(line, cents);
        }
        let booked: i64 = sums.days.values().sum();
        let further = total - booked;
        let to_post = further - told.unreported_tips - told.sick_pay + told.research_credit;
        let within = |what, cents: i64| match cents.unsigned_abs() <= sums.tolerance() {
            true => Ok(()),
            false => Err(Error::NotRounding { what, cents, payments: sums.payments }),
        };
        within("taxes withheld and the employee's part of the return (fractions of cents)", fractions)?;
        within("taxes of the paychecks and of the return", to_post)?;
        let days = liability_by_day(last_day, &sums.days, further)?;
        Ok(Self { lines, booked, to_post, days })
    }
}

/// Calculates the taxes of lines 5a to 5d on their wages.
fn insert_taxes(lines: &mut BTreeMap<Line941, i64>, taxes: &PayrollTaxes) {
    let both = |one: Amount| Amount::from_millionths(one.millionths() * 2);
    for (line, rate) in [
        (SocialSecurityTax, both(taxes.social_security)),
        (TipsTax, both(taxes.social_security)),
        (MedicareTax, both(taxes.medicare)),
        (AdditionalTax, taxes.additional_medicare),
    ] {
        let wages = line.made_of().iter().filter_map(|line| lines.get(line)).sum();
        lines.insert(line, percent_of(wages, rate));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_a_title() {
        for line in Line941::ALL {
            assert!(TITLES.iter().any(|row| row.line == line.as_str()), "{line:?}");
        }
        // Line 1 is a number of employees, not an amount.
        assert_eq!(TITLES.len(), Line941::ALL.len() + 1);
    }

    #[test]
    fn a_line_is_a_sum_or_calculated_or_told() {
        let told = [UnreportedTips, SickPay, ResearchCredit, Deposits];
        let payment = Payment::default();
        for line in Line941::ALL {
            let kinds =
                [line.of_payment(&payment).is_some(), !line.made_of().is_empty(), told.contains(line)];
            assert_eq!(kinds.iter().filter(|kind| **kind).count(), 1, "{line:?}");
            assert_eq!(kinds[0], Line941::SUMS.contains(line), "{line:?}");
        }
    }
}
