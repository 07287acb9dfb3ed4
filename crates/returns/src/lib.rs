//! Returns of employment taxes: the figures of a quarter and of a year from what was paid, and the files in which they are filed.
//!
//! A return is a sum over payments of wages, by pay date: a check dated 1 January for work in December belongs to the new year
//! (26 CFR 31.3402(a)-1). Everything here is a pure function over plain data in cents; who was paid what, and what was filed, is up
//! to the caller. Each line leads back to the payments that it is made of.
//!
//! | module | contents |
//! |---|---|
//! | [`payment`] | what a paycheck keeps for returns |
//! | [`line`](mod@line) | lines of a form, and what they are made of |
//! | [`quarter`] | quarters |
//! | [`annual`] | lines of the returns that are filed once a year |
//! | [`form_941`] | Form 941 with fractions of cents, and what remains to be posted |
//! | [`form_941x`] | Form 941-X: what is corrected of a quarter |
//! | [`form_943`] | Form 943, the same of a year of farmworkers |
//! | [`form_944`] | Form 944, the same of a year |
//! | [`liability`] | Schedule B: the liability of each pay date |
//! | [`form_940`] | Form 940 with Schedule A |
//! | [`form_1099_nec`] | Form 1099-NEC of a contractor |
//! | [`w2`] | Form W-2 of a person |
//! | [`w3`] | Form W-3, the sum of them |
//! | [`w2c`] | Form W-2c: what is corrected of a Form W-2; Form W-3c |
//! | [`occupations`] | codes of tipped occupations, box 14b |
//! | [`reconcile`](mod@reconcile) | whether the four Forms 941, Form W-3 and the books agree |
//! | [`deadlines`] | when each return is due |
//! | [`state_wages`] | wage reports to the states' unemployment insurance |
//! | [`wage_files`] | files in which states take these reports |
//! | [`state_withholding`] | returns of income tax withheld for states |
//! | [`efw2`] | the file in which Forms W-2 go to the Social Security Administration |
//!
//! Layouts, titles and dates are tables in `data/returns`, with source and confidence.
//!
//! Names, addresses and numbers that identify people and employers never appear in `Debug`. Errors and findings name people as the caller
//! does.

pub mod annual;
pub mod deadlines;
pub mod efw2;
pub mod form_1099_nec;
pub mod form_940;
pub mod form_941;
pub mod form_941x;
pub mod form_943;
pub mod form_944;
pub mod liability;
pub mod line;
pub mod occupations;
pub mod payment;
pub mod quarter;
pub mod reconcile;
pub mod state_wages;
pub mod state_withholding;
mod table;
pub mod w2;
pub mod w2c;
pub mod w3;
pub mod wage_files;

pub use annual::AnnualLine;
pub use form_940::Form940;
pub use form_941::Form941;
pub use form_941x::Form941X;
pub use form_943::Form943;
pub use form_944::Form944;
pub use form_1099_nec::Form1099Nec;
pub use payment::Payment;
pub use quarter::Quarter;
pub use reconcile::reconcile_w3;
pub use w2::W2;
pub use w2c::W2c;
pub use w3::W3;

use jiff::civil::Date;
use rules::Amount;

/// Why a return cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A payment is of another period.
    #[error("pay date {date} of paycheck {paycheck} does not lie in {period}")]
    Period {
        /// the paycheck
        paycheck: String,
        /// its pay date
        date: Date,
        /// the period of the return
        period: String,
    },
    /// A table has no rows for the year.
    #[error("{what} of {year} is not in the tables; they have {}", years_text(.known))]
    Year {
        /// what is missing
        what: &'static str,
        /// the year
        year: i16,
        /// the years of the table
        known: Vec<i16>,
    },
    /// A difference is too large to come from rounding.
    #[error(
        "{what} differ by {} dollars, more than rounding on {payments} payments can come to: that is a mistake",
        format_dollars(*.cents)
    )]
    NotRounding {
        /// what differs
        what: &'static str,
        /// by how much
        cents: i64,
        /// number of payments
        payments: u64,
    },
    /// A total that cannot be below zero on a return is.
    #[error("{what} come to {} dollars; a return cannot report less than zero", format_dollars(*.cents))]
    Negative {
        /// what is negative
        what: &'static str,
        /// the total
        cents: i64,
    },
    /// A form has no line for tips.
    #[error("Form 943 has no line for tips, and {} dollars of them are paid", format_dollars(*.cents))]
    Tips {
        /// tips subject to Social Security tax
        cents: i64,
    },
    /// A sum exceeds every amount of money that can be meant.
    #[error("the sum of {what} is too large")]
    TooLarge {
        /// what was added up
        what: &'static str,
    },
}

/// Returns cents as dollars with two places.
pub fn format_dollars(cents: i64) -> String {
    let sign = if cents < 0 { "-" } else { "" };
    let cents = cents.unsigned_abs();
    format!("{sign}{}.{:02}", cents / 100, cents % 100)
}

fn years_text(years: &[i16]) -> String {
    match years {
        [] => "no year".to_owned(),
        years => years.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
    }
}

/// Returns a quotient, rounded half away from zero: half a cent of line 7 becomes a whole one, in either direction.
fn divide_half_up(amount: i128, by: i128) -> i64 {
    let half = by / 2;
    let rounded = (amount.abs() + half) / by * amount.signum();
    i64::try_from(rounded).unwrap_or(if rounded < 0 { i64::MIN } else { i64::MAX })
}

/// Returns so many percent of an amount in cents, rounded half away from zero.
fn percent_of(cents: i64, percent: Amount) -> i64 {
    divide_half_up(i128::from(cents) * i128::from(percent.millionths()), 100_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_cent_rounds_away_from_zero() {
        assert_eq!([5, -5, 4, -4, 15].map(|tenths| divide_half_up(tenths, 10)), [1, -1, 0, 0, 2]);
        let percent = Amount::parse("12.4").unwrap();
        assert_eq!(percent_of(30_105, percent), 3_733, "37.3302 dollars");
        assert_eq!(percent_of(-30_105, percent), -3_733);
    }

    #[test]
    fn dollars_have_two_places_and_a_sign() {
        assert_eq!([0, 5, -5, 1_234_567].map(format_dollars), ["0.00", "0.05", "-0.05", "12345.67"]);
    }
}
