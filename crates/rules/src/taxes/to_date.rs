//! What was counted and taken so far.

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::due::Due;
use super::table::{Method, Span};
use crate::amount::{Amount, Rounding};
use crate::ratio::Ratio;

/// Wages and tax of a stretch of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Sums {
    /// Subject wages.
    #[serde(skip_serializing_if = "is_zero")]
    pub subject: Amount,
    /// Taxable wages.
    #[serde(skip_serializing_if = "is_zero")]
    pub taxable: Amount,
    /// The tax before a part of it is borne by the employer: what counts against caps.
    #[serde(skip_serializing_if = "is_zero")]
    pub whole: Amount,
    /// The tax of this line.
    #[serde(skip_serializing_if = "is_zero")]
    pub amount: Amount,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_zero(amount: &Amount) -> bool {
    *amount == Amount::ZERO
}

impl Sums {
    fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// Adds. `None` on overflow.
    pub(super) fn plus(self, other: Self) -> Option<Self> {
        Some(Self {
            subject: self.subject.checked_add(other.subject)?,
            taxable: self.taxable.checked_add(other.taxable)?,
            whole: self.whole.checked_add(other.whole)?,
            amount: self.amount.checked_add(other.amount)?,
        })
    }
}

/// What an employer has counted for one tax of one employee, up to the last pay date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ToDate {
    /// The last pay date; `None` before the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Date>,
    /// The last day of the last pay period: weeks that ended by then were charged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through: Option<Date>,
    /// The calendar year of `last`.
    #[serde(skip_serializing_if = "Sums::is_nothing")]
    pub year: Sums,
    /// The calendar quarter of `last`.
    #[serde(skip_serializing_if = "Sums::is_nothing")]
    pub quarter: Sums,
    /// The calendar month of `last`.
    #[serde(skip_serializing_if = "Sums::is_nothing")]
    pub month: Sums,
    /// Earlier paychecks of the same pay period as the one that is worked out; told for it, and not carried on.
    #[serde(skip_serializing_if = "Sums::is_nothing")]
    pub period: Sums,
    /// Wages that the same employer paid this year under another state's unemployment insurance.
    #[serde(skip_serializing_if = "is_zero")]
    pub elsewhere: Amount,
}

impl ToDate {
    /// Returns what still counts on a pay date: sums of a year, quarter or month that is over begin anew.
    #[must_use]
    pub fn on(mut self, day: Date) -> Self {
        let Some(last) = self.last else { return self };
        if last.year() != day.year() {
            self.year = Sums::default();
            self.elsewhere = Amount::ZERO;
        }
        if (last.year(), quarter(last)) != (day.year(), quarter(day)) {
            self.quarter = Sums::default();
        }
        if (last.year(), last.month()) != (day.year(), day.month()) {
            self.month = Sums::default();
        }
        self
    }

    /// Adds a paycheck. `None` on overflow.
    pub fn plus(self, sums: Sums, day: Date, through: Date) -> Option<Self> {
        Some(Self {
            last: Some(day),
            through: Some(self.through.map_or(through, |before| before.max(through))),
            year: self.year.plus(sums)?,
            quarter: self.quarter.plus(sums)?,
            month: self.month.plus(sums)?,
            period: Sums::default(),
            elsewhere: self.elsewhere,
        })
    }
}

/// What an employer counted and took in the year before its payrolls were worked out here, where sums alone are told.
///
/// Programs of states count nearly what Social Security and Medicare count, and the wages were paid where the employee works
/// now, so that their wage bases go on from there: an employer that changes its provider begins no base anew.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Opened {
    /// Wages of the year.
    pub wages: Amount,
    /// Taxes of the year by what they were called: the code or the name of a line.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub taxes: BTreeMap<String, Amount>,
}

impl Opened {
    /// Returns what a tax that is due has counted: wages up to the base of the year, and what was taken of it, as it was told
    /// or as those wages come to at its rate.
    pub fn of(&self, due: &Due) -> ToDate {
        let taxable = match due.wage_base {
            Some((base, Span::Year)) => self.wages.min(base),
            _ => self.wages,
        };
        let told = self.taxes.get(&due.code).or_else(|| self.taxes.get(&due.name())).copied();
        let at_rate = match due.method {
            Method::Rate(percent) => {
                Ratio::of(taxable).percent(percent).and_then(|tax| tax.to_cents(Rounding::HalfUp))
            }
            _ => None,
        };
        let whole = match (told, due.borne) {
            (Some(told), None) => told,
            _ => at_rate.unwrap_or_default(),
        };
        let year = Sums { subject: self.wages, taxable, whole, amount: told.unwrap_or_default() };
        ToDate { year, ..ToDate::default() }
    }
}

/// The quarter of a day, from 1.
pub(super) fn quarter(day: Date) -> i8 {
    (day.month() - 1) / 3 + 1
}
