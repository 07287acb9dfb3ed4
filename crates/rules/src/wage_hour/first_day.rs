//! The day on which workweeks begin.

use jiff::civil::Weekday;
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::named::serde_by_name;

/// The first day of an employer's workweeks: any day of the week, chosen once (29 CFR 778.105).
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum FirstDay {
    /// Sunday.
    #[strum(serialize = "Sunday")]
    Sunday,
    /// Monday.
    #[strum(serialize = "Monday")]
    Monday,
    /// Tuesday.
    #[strum(serialize = "Tuesday")]
    Tuesday,
    /// Wednesday.
    #[strum(serialize = "Wednesday")]
    Wednesday,
    /// Thursday.
    #[strum(serialize = "Thursday")]
    Thursday,
    /// Friday.
    #[strum(serialize = "Friday")]
    Friday,
    /// Saturday.
    #[strum(serialize = "Saturday")]
    Saturday,
}

serde_by_name!(FirstDay);

impl FirstDay {
    /// Returns the day of the week.
    pub const fn weekday(self) -> Weekday {
        match self {
            Self::Sunday => Weekday::Sunday,
            Self::Monday => Weekday::Monday,
            Self::Tuesday => Weekday::Tuesday,
            Self::Wednesday => Weekday::Wednesday,
            Self::Thursday => Weekday::Thursday,
            Self::Friday => Weekday::Friday,
            Self::Saturday => Weekday::Saturday,
        }
    }
}
