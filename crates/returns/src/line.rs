//! Lines of a form, and what they are made of.

use std::fmt;

use jiff::civil::Date;

use crate::Error;
use crate::payment::Payment;
use crate::table::LineRow;

/// A line of a form with its title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// number on the form; a column follows it: `5a1`
    pub number: &'static str,
    /// name of the element in the electronic return, if it is known
    pub element: Option<String>,
    /// title
    pub title: String,
    /// cents
    pub cents: i64,
    /// numbers of the lines from which it is calculated; empty for sums over payments, and for what is told
    pub made_of: Vec<&'static str>,
}

impl Line {
    /// A line with its title in the table of its form; a test of each form holds that every line has one.
    pub(crate) fn with_title(
        titles: &[LineRow],
        number: &'static str,
        cents: i64,
        made_of: Vec<&'static str>,
    ) -> Self {
        let row = titles.iter().find(|row| row.line == number);
        let (element, title) = row.map(|row| (row.element.clone(), row.title.clone())).unwrap_or_default();
        Self { number, element, title, cents, made_of }
    }
}

/// What a payment adds to a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    /// pay date
    pub pay_date: Date,
    /// the paycheck
    pub paycheck: String,
    /// cents; negative for a reversal
    pub cents: i64,
}

/// Returns what each payment adds to a sum, without those that add nothing.
pub fn payment_leaves<'p>(
    payments: impl IntoIterator<Item = &'p Payment>,
    of: impl Fn(&Payment) -> i64,
) -> Vec<Leaf> {
    let leaf = |payment: &Payment| Leaf {
        pay_date: payment.pay_date,
        paycheck: payment.paycheck.clone(),
        cents: of(payment),
    };
    payments.into_iter().map(leaf).filter(|leaf| leaf.cents != 0).collect()
}

/// The period of a return.
pub(crate) trait Period: fmt::Display {
    /// Returns the refusal of a payment of another period.
    fn refuse_payment(&self, payment: &Payment) -> Error {
        Error::Period { paycheck: payment.paycheck.clone(), date: payment.pay_date, period: self.to_string() }
    }
}

impl Period for crate::Quarter {}

/// A calendar year as the period of a return.
pub(crate) struct Year(pub i16);

impl fmt::Display for Year {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the year {}", self.0)
    }
}

impl Period for Year {}

impl Year {
    /// Checks that a payment belongs to the year.
    pub fn check_payment(&self, payment: &Payment) -> Result<(), Error> {
        match payment.pay_date.year() == self.0 {
            true => Ok(()),
            false => Err(self.refuse_payment(payment)),
        }
    }
}

/// Adds to a sum.
pub(crate) fn add_cents(sum: &mut i64, cents: i64, what: &'static str) -> Result<(), Error> {
    *sum = sum.checked_add(cents).ok_or(Error::TooLarge { what })?;
    Ok(())
}
