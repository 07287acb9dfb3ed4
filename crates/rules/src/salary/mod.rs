//! Which salary is reasonable for an owner who works in the company: the wages that others get for the same work.
//!
//! An S corporation has to pay a shareholder who works for it a reasonable salary before it distributes profits (26 CFR
//! 1.162-7(b)(3): what is ordinarily paid for like services by like enterprises under like circumstances). The estimate
//! is worked out from the Occupational Employment and Wage Statistics of the Bureau of Labor Statistics:
//!
//! ```text
//! result = sum over the occupations of  part of the time × yearly wage, rounded once to the cent, half up
//! ```
//!
//! The level of experience chooses a point of the wage distribution ([`Level`]). The wage is that of the area in which
//! the business lies; where there is none, that of its state, and then the nation's. A [`Wage`] is yearly dollars as
//! published, or an hourly wage times 2,080 hours, or, where only "at least" is published, that floor.
//!
//! [`Basis`] is everything that an estimate rests on. It is kept with the estimate, so that the estimate and its
//! [explanation](Basis::explain) stay what they are when newer statistics come.

mod basis;
#[cfg(test)]
mod tests;

pub use basis::{Alternative, Area, AreaKind, Basis, Finding, Occupation};

use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::Named;
use crate::amount::Amount;

/// Hours of a year of full-time work: 52 weeks of 40 (Bureau of Labor Statistics, OEWS technical notes).
pub const HOURS: i64 = 2_080;

/// How experienced somebody is, and with that the point of the wage distribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, VariantArray, IntoStaticStr, EnumString)]
pub enum Level {
    /// the 10th percentile
    #[strum(serialize = "novice")]
    Novice,
    /// the 25th
    #[strum(serialize = "intermediate")]
    Intermediate,
    /// the median
    #[strum(serialize = "average")]
    Average,
    /// the 75th
    #[strum(serialize = "skilled")]
    Skilled,
    /// the 90th
    #[strum(serialize = "expert")]
    Expert,
}

impl Level {
    /// The percentile of the wage distribution.
    pub const fn percentile(self) -> u8 {
        [10, 25, 50, 75, 90][self.place()]
    }

    /// Its place among [`Level::ALL`].
    pub const fn place(self) -> usize {
        self as usize
    }

    /// The next lower level.
    pub fn lower(self) -> Option<Self> {
        self.place().checked_sub(1).map(|place| Self::ALL[place])
    }

    /// The next higher level.
    pub fn higher(self) -> Option<Self> {
        Self::ALL.get(self.place() + 1).copied()
    }
}

/// One point of a wage distribution, as it is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wage {
    /// dollars a year
    Yearly(u32),
    /// cents an hour, where no yearly wage is published (performers)
    Hourly(u32),
    /// at least the highest wage that is told at the time, no figure
    AtLeast,
}

impl Wage {
    /// Dollars a year, with `floor` (dollars a year) where only that is told.
    pub fn yearly(self, floor: u32) -> Amount {
        match self {
            Self::Yearly(dollars) => Amount::from_cents(i64::from(dollars) * 100),
            Self::Hourly(cents) => Amount::from_cents(i64::from(cents) * HOURS),
            Self::AtLeast => Amount::from_cents(i64::from(floor) * 100),
        }
    }

    /// Short text, as it is kept with an estimate: `135980`, `24.51/h`, `+`.
    pub fn to_text(self) -> String {
        match self {
            Self::Yearly(dollars) => dollars.to_string(),
            Self::Hourly(cents) => format!("{}.{:02}/h", cents / 100, cents % 100),
            Self::AtLeast => "+".to_owned(),
        }
    }

    /// Reads [`Wage::to_text`].
    pub fn parse(text: &str) -> Option<Self> {
        if text == "+" {
            return Some(Self::AtLeast);
        }
        let Some(hourly) = text.strip_suffix("/h") else { return text.parse().ok().map(Self::Yearly) };
        let cents = Amount::parse(hourly).ok()?.cents_half_up();
        u32::try_from(cents).ok().map(Self::Hourly)
    }
}

/// The wages of an occupation in an area at the five points; `None` where none is published.
pub type Wages = [Option<Wage>; 5];
