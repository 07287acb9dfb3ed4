//! Form 940, the employer's annual return of federal unemployment tax, with Schedule A.
//!
//! Sources: Form 940 and its instructions (2025); Schedule A (Form 940); 26 USC 3301 to 3306.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use rules::deposits::FUTA_CARRYOVER_CENTS;
use rules::payroll::taxes::{FutaCreditReductions, PayrollTaxes};
use rules::{Amount, Named as _};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::line::{Leaf, Line, Year, add_cents, payment_leaves};
use crate::payment::Exempt;
use crate::table::{LineRow, built_in, read_rows};
use crate::{Error, Payment, Quarter, percent_of};

/// Percent of the credit for contributions to state unemployment funds, which is lost where all wages are excluded from them (line 9).
const MAXIMUM_CREDIT: Amount = Amount::from_cents(540);

static TITLES: LazyLock<Vec<LineRow>> =
    LazyLock::new(|| built_in("form_940.csv", read_rows(include_str!("../../../data/returns/form_940.csv"))));

/// A line with an amount.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, VariantArray, IntoStaticStr, EnumString,
)]
pub enum Line940 {
    /// total payments
    #[strum(serialize = "3")]
    Payments,
    /// exempt payments
    #[strum(serialize = "4")]
    Exempt,
    /// payments above the wage base
    #[strum(serialize = "5")]
    AboveBase,
    /// subtotal
    #[strum(serialize = "6")]
    Subtotal,
    /// taxable wages
    #[strum(serialize = "7")]
    Taxable,
    /// tax before adjustments
    #[strum(serialize = "8")]
    BeforeAdjustments,
    /// all wages excluded from state tax
    #[strum(serialize = "9")]
    AllExcluded,
    /// some wages excluded, or state tax paid late
    #[strum(serialize = "10")]
    SomeExcluded,
    /// credit reduction
    #[strum(serialize = "11")]
    CreditReduction,
    /// total tax
    #[strum(serialize = "12")]
    Total,
    /// deposits
    #[strum(serialize = "13")]
    Deposits,
    /// balance due
    #[strum(serialize = "14")]
    Due,
    /// overpayment
    #[strum(serialize = "15")]
    Overpaid,
    /// liability of the first quarter
    #[strum(serialize = "16a")]
    First,
    /// liability of the second quarter
    #[strum(serialize = "16b")]
    Second,
    /// liability of the third quarter
    #[strum(serialize = "16c")]
    Third,
    /// liability of the fourth quarter
    #[strum(serialize = "16d")]
    Fourth,
    /// total liability
    #[strum(serialize = "17")]
    Liability,
}

use Line940::{
    AboveBase, AllExcluded, BeforeAdjustments, CreditReduction, Deposits, Due, First, Fourth, Liability,
    Overpaid, Payments, Second, SomeExcluded, Subtotal, Taxable, Third, Total,
};

/// Lines of the liability, by quarter.
const QUARTERS: [Line940; 4] = [First, Second, Third, Fourth];

impl Line940 {
    /// The lines that are sums over payments.
    pub const SUMS: [Self; 4] = [Payments, Self::Exempt, AboveBase, Taxable];

    /// Returns what a payment adds to the line; `None` for lines that are no sum over payments.
    pub fn of_payment(self, payment: &Payment) -> Option<i64> {
        Some(match self {
            Payments => payment.futa.subject + payment.futa_exempt_payments(),
            Self::Exempt => payment.futa_exempt_payments(),
            AboveBase => payment.futa.subject - payment.futa_wages(),
            Taxable => payment.futa_wages(),
            _ => return None,
        })
    }

    /// Returns the lines from which the line is calculated.
    pub fn made_of(self) -> &'static [Self] {
        match self {
            Subtotal => &[Self::Exempt, AboveBase],
            BeforeAdjustments | AllExcluded => &[Taxable],
            CreditReduction => &[Taxable],
            Total => &[BeforeAdjustments, AllExcluded, SomeExcluded, CreditReduction],
            Due | Overpaid => &[Total, Deposits],
            Liability => &QUARTERS,
            _ => &[],
        }
    }
}

/// What the payments of a year come to. People are added one by one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sums940 {
    year: i16,
    lines: BTreeMap<Line940, i64>,
    exempt: BTreeMap<Exempt, i64>,
    by_state: BTreeMap<String, i64>,
    booked: [i64; 4],
    payments: u64,
    uneven: Vec<Uneven>,
}

/// A person whose taxable wages are not the first of the year up to the wage base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uneven {
    /// the person, as the caller names it
    pub person: String,
    /// taxable wages of the paychecks
    pub taxable: i64,
    /// wages that are not exempt, up to the wage base
    pub expected: i64,
}

impl Sums940 {
    /// Begins at zero.
    pub fn new(year: i16) -> Self {
        Self {
            year,
            lines: BTreeMap::new(),
            exempt: BTreeMap::new(),
            by_state: BTreeMap::new(),
            booked: [0; 4],
            payments: 0,
            uneven: Vec::new(),
        }
    }

    /// Adds all payments of a person in the year.
    ///
    /// # Errors
    /// A payment is of another year, or a sum is too large.
    pub fn add_payments(
        &mut self,
        person: &str,
        payments: &[Payment],
        taxes: &PayrollTaxes,
    ) -> Result<(), Error> {
        for payment in payments {
            Year(self.year).check_payment(payment)?;
            for line in Line940::SUMS {
                let cents = line.of_payment(payment).unwrap_or_default();
                add_cents(self.lines.entry(line).or_default(), cents, "a line of Form 940")?;
            }
            for (kind, cents) in &payment.futa.exempt {
                add_cents(self.exempt.entry(*kind).or_default(), *cents, "exempt payments")?;
            }
            for (state, cents) in &payment.futa.by_state {
                add_cents(
                    self.by_state.entry(state.clone()).or_default(),
                    *cents,
                    "taxable wages of a state",
                )?;
            }
            let quarter = usize::from(Quarter::containing_day(payment.pay_date).number().unsigned_abs() - 1);
            add_cents(&mut self.booked[quarter], payment.futa.tax, "federal unemployment tax")?;
            self.payments += 1;
        }
        let subject: i64 = payments.iter().map(|payment| payment.futa.subject).sum();
        let taxable: i64 = payments.iter().map(Payment::futa_wages).sum();
        let expected = subject.min(taxes.futa_base.cents_half_up());
        if taxable != expected {
            self.uneven.push(Uneven { person: person.to_owned(), taxable, expected });
        }
        Ok(())
    }
}

/// What the payments do not tell. Cents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Told940 {
    /// whether all taxable wages are excluded from state unemployment tax (line 9)
    pub all_excluded: bool,
    /// line 10, from the worksheet
    pub some_excluded: i64,
    /// line 13: deposits for the year, and the overpayment carried over to it
    pub deposits: i64,
}

/// A row of Schedule A.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateOfScheduleA {
    /// two-letter code
    pub state: String,
    /// taxable wages
    pub wages: i64,
    /// credit reduction in percent; `None` if the state has none
    pub percent: Option<Amount>,
    /// the reduction
    pub reduction: i64,
}

/// Form 940 of a year. Amounts are cents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form940 {
    /// the year
    pub year: i16,
    /// the states of Schedule A, in order
    pub states: Vec<StateOfScheduleA>,
    /// whether the credit reductions of the year are known. If not, line 11 is zero for now, and the form can't be closed.
    pub is_closed: bool,
    /// kinds of exempt payments, with their amounts
    pub exempt: BTreeMap<Exempt, i64>,
    /// tax of the paychecks, as booked
    pub booked: i64,
    /// cents to post at the close, without the credit reduction
    pub to_post: i64,
    /// people whose taxable wages are not the first of the year up to the wage base; each is to be explained
    pub uneven: Vec<Uneven>,
    lines: BTreeMap<Line940, i64>,
}

impl Form940 {
    /// Makes the form.
    ///
    /// # Errors
    /// The rates are of another year, or the tax on the sum differs from the taxes of the paychecks by more than a cent for each.
    pub fn new(
        sums: &Sums940,
        taxes: &PayrollTaxes,
        reductions: &FutaCreditReductions,
        told: &Told940,
    ) -> Result<Self, Error> {
        let year = sums.year;
        if taxes.year != year {
            return Err(Error::Year { what: "rates of payroll taxes", year, known: vec![taxes.year] });
        }
        let is_closed = reductions.iter().any(|(of, ..)| of == year);
        let state = |(state, wages): (&String, &i64)| {
            let percent = reductions.reduction_of_state(state, year);
            let reduction = percent.map_or(0, |percent| percent_of(*wages, percent));
            StateOfScheduleA { state: state.clone(), wages: *wages, percent, reduction }
        };
        let states: Vec<StateOfScheduleA> =
            sums.by_state.iter().filter(|(_, wages)| **wages != 0).map(state).collect();
        let mut lines = sums.lines.clone();
        let of = |line| sums.lines.get(&line).copied().unwrap_or_default();
        let before = percent_of(of(Taxable), taxes.futa);
        let all_excluded = if told.all_excluded { percent_of(of(Taxable), MAXIMUM_CREDIT) } else { 0 };
        let reduction: i64 = states.iter().map(|one| one.reduction).sum();
        let further = all_excluded + told.some_excluded + reduction;
        let total = before + further;
        let booked: i64 = sums.booked.iter().sum();
        let to_post = before - booked;
        if to_post.unsigned_abs() > sums.payments {
            let what = "federal unemployment taxes of the paychecks and Form 940 (line 8)";
            return Err(Error::NotRounding { what, cents: to_post, payments: sums.payments });
        }
        // The cents belong to the last quarter that owes any tax, what is settled at the end of the year to the fourth.
        let mut quarters = sums.booked;
        let last = quarters.iter().rposition(|cents| *cents != 0).unwrap_or(3);
        quarters[last] += to_post;
        quarters[3] += further;
        for (line, cents) in [
            (Subtotal, of(Line940::Exempt) + of(AboveBase)),
            (BeforeAdjustments, before),
            (AllExcluded, all_excluded),
            (SomeExcluded, told.some_excluded),
            (CreditReduction, reduction),
            (Total, total),
            (Deposits, told.deposits),
            (Due, (total - told.deposits).max(0)),
            (Overpaid, (told.deposits - total).max(0)),
            (Liability, quarters.iter().sum()),
        ] {
            lines.insert(line, cents);
        }
        lines.extend(QUARTERS.into_iter().zip(quarters));
        let exempt = sums.exempt.iter().filter(|(_, cents)| **cents != 0);
        let exempt = exempt.map(|(kind, cents)| (*kind, *cents)).collect();
        Ok(Self { year, states, is_closed, exempt, booked, to_post, uneven: sums.uneven.clone(), lines })
    }

    /// Returns the amount of a line.
    pub fn amount(&self, line: Line940) -> i64 {
        self.lines.get(&line).copied().unwrap_or_default()
    }

    /// Whether lines 16a to 17 are filled in: only if the tax of the year exceeds 500 dollars.
    pub fn reports_quarters(&self) -> bool {
        self.amount(Total) > FUTA_CARRYOVER_CENTS
    }

    /// Returns the states in which state unemployment tax is paid: a single one is line 1a, several are ticked on Schedule A.
    pub fn states_of_unemployment(&self) -> BTreeSet<&str> {
        self.states.iter().map(|one| one.state.as_str()).collect()
    }

    /// Returns all lines, with their titles.
    pub fn lines(&self) -> Vec<Line> {
        let line = |line: &Line940| {
            let made_of = line.made_of().iter().map(|line| line.as_str()).collect();
            Line::with_title(&TITLES, line.as_str(), self.amount(*line), made_of)
        };
        Line940::ALL.iter().map(line).collect()
    }

    /// Returns what each payment adds to a line; nothing for lines that are no sum over payments.
    pub fn explain_line<'p>(line: Line940, payments: impl IntoIterator<Item = &'p Payment>) -> Vec<Leaf> {
        payment_leaves(payments, |payment| line.of_payment(payment).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_a_title() {
        for line in Line940::ALL {
            assert!(TITLES.iter().any(|row| row.line == line.as_str()), "{line:?}");
        }
        assert_eq!(TITLES.len(), Line940::ALL.len());
    }
}
