//! Reasonable compensation of shareholder-employees: the market wage for the same work.
//!
//! An S corporation must pay a shareholder who works for it a reasonable salary before it distributes profits
//! (26 CFR 1.162-7(b)(3): what is ordinarily paid for like services by like enterprises under like
//! circumstances). The estimate is computed from the Occupational Employment and Wage Statistics (OEWS) of
//! the Bureau of Labor Statistics:
//!
//! ```text
//! result = sum over the occupations of  part of the time × yearly wage, rounded once to the cent, half up
//! ```
//!
//! The experience level selects a percentile of the wage distribution ([`Level`]). The wage is the one
//! published for the area of the business or, failing that, for its state or the nation. A [`Wage`] is annual
//! as published, or hourly times 2,080 hours, or, where only "at least" is published, that floor.
//!
//! [`Basis`] holds all inputs of an estimate. It is stored with the estimate, so that the estimate and its
//! [explanation](Basis::explain) do not change with newer statistics.

mod basis;
#[cfg(test)]
mod tests;

pub use basis::{Alternative, Area, AreaKind, Basis, Finding, Occupation};

use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::Named;
use crate::amount::Amount;
use crate::full_time::HOURS_PER_YEAR;

/// Experience level, which selects the percentile of the wage distribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, VariantArray, IntoStaticStr, EnumString)]
pub enum Level {
    /// 10th percentile
    #[strum(serialize = "novice")]
    Novice,
    /// 25th percentile
    #[strum(serialize = "intermediate")]
    Intermediate,
    /// Median.
    #[strum(serialize = "average")]
    Average,
    /// 75th percentile
    #[strum(serialize = "skilled")]
    Skilled,
    /// 90th percentile
    #[strum(serialize = "expert")]
    Expert,
}

impl Level {
    /// Returns the percentile of the wage distribution.
    pub const fn percentile(self) -> u8 {
        [10, 25, 50, 75, 90][self.place()]
    }

    /// Returns the position in [`Named::ALL`].
    pub const fn place(self) -> usize {
        self as usize
    }

    /// Returns the next lower level.
    pub fn lower_level(self) -> Option<Self> {
        self.place().checked_sub(1).map(|place| Self::ALL[place])
    }

    /// Returns the next higher level.
    pub fn higher_level(self) -> Option<Self> {
        Self::ALL.get(self.place() + 1).copied()
    }
}

/// A published percentile of a wage distribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wage {
    /// Dollars per year.
    Yearly(u32),
    /// Cents per hour, where no annual wage is published (performers).
    Hourly(u32),
    /// Top-coded: at least the highest wage published at the time.
    AtLeast,
}

impl Wage {
    /// Returns dollars per year; `floor` (dollars per year) replaces a top-coded wage.
    pub fn dollars_per_year(self, floor: u32) -> Amount {
        match self {
            Self::Yearly(dollars) => Amount::from_cents(i64::from(dollars) * 100),
            Self::Hourly(cents) => Amount::from_cents(i64::from(cents) * HOURS_PER_YEAR),
            Self::AtLeast => Amount::from_cents(i64::from(floor) * 100),
        }
    }

    /// Formats the wage for storage: `135980`, `24.51/h`, `+`.
    pub fn to_text(self) -> String {
        match self {
            Self::Yearly(dollars) => dollars.to_string(),
            Self::Hourly(cents) => format!("{}.{:02}/h", cents / 100, cents % 100),
            Self::AtLeast => "+".to_owned(),
        }
    }

    /// Parses the output of [`Wage::to_text`].
    pub fn parse(text: &str) -> Option<Self> {
        if text == "+" {
            return Some(Self::AtLeast);
        }
        let Some(hourly) = text.strip_suffix("/h") else { return text.parse().ok().map(Self::Yearly) };
        let cents = Amount::parse(hourly).ok()?.cents_half_up();
        u32::try_from(cents).ok().map(Self::Hourly)
    }
}

/// Wages of an occupation in an area at the five percentiles; `None` where unpublished.
pub type Wages = [Option<Wage>; 5];
