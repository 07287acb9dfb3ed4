//! Holiday pay: the federal holidays that an employer may choose to pay, and the days on which they are paid.
//!
//! The holidays are those of 5 USC 6103(a). A holiday on a Saturday is paid on the Friday before, one on a Sunday on the
//! Monday after (5 USC 6103(b), Executive Order 11582), as in most offices; banks, which do not move Saturday holidays,
//! observe different days ([`crate::payroll::holidays`]). No law requires private employers to pay holidays; company policy does.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday, date};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::Amount;
use crate::named::serde_by_name;

/// Hours paid for one holiday.
pub const HOURS: Amount = Amount::from_cents(8_00);

/// A federal holiday, in calendar order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, VariantArray, IntoStaticStr, EnumString)]
pub enum Holiday {
    /// January 1.
    #[strum(serialize = "new_years_day")]
    NewYearsDay,
    /// Third Monday in January.
    #[strum(serialize = "mlk_day")]
    MlkDay,
    /// Third Monday in February.
    #[strum(serialize = "presidents_day")]
    PresidentsDay,
    /// Last Monday in May.
    #[strum(serialize = "memorial_day")]
    MemorialDay,
    /// June 19.
    #[strum(serialize = "juneteenth")]
    Juneteenth,
    /// July 4.
    #[strum(serialize = "independence_day")]
    IndependenceDay,
    /// First Monday in September.
    #[strum(serialize = "labor_day")]
    LaborDay,
    /// Second Monday in October.
    #[strum(serialize = "columbus_day")]
    ColumbusDay,
    /// November 11.
    #[strum(serialize = "veterans_day")]
    VeteransDay,
    /// Fourth Thursday in November.
    #[strum(serialize = "thanksgiving")]
    Thanksgiving,
    /// December 25.
    #[strum(serialize = "christmas_day")]
    ChristmasDay,
}

serde_by_name!(Holiday);

impl Holiday {
    /// Returns the display name.
    pub fn title(self) -> &'static str {
        match self {
            Self::NewYearsDay => "New Year's Day",
            Self::MlkDay => "Martin Luther King, Jr. Day",
            Self::PresidentsDay => "Presidents' Day",
            Self::MemorialDay => "Memorial Day",
            Self::Juneteenth => "Juneteenth",
            Self::IndependenceDay => "Independence Day",
            Self::LaborDay => "Labor Day",
            Self::ColumbusDay => "Columbus Day",
            Self::VeteransDay => "Veterans Day",
            Self::Thanksgiving => "Thanksgiving",
            Self::ChristmasDay => "Christmas Day",
        }
    }

    /// Returns the day on which the holiday is paid in a year. New Year's Day may be paid in the previous year.
    pub fn paid_on(self, year: i16) -> Date {
        let day = self.day(year);
        match day.weekday() {
            Weekday::Saturday => day.saturating_sub(1.day()),
            Weekday::Sunday => day.saturating_add(1.day()),
            _ => day,
        }
    }

    /// Returns the day of the holiday itself.
    fn day(self, year: i16) -> Date {
        let nth = |month, nth, weekday| {
            let first = date(year, month, 1);
            // Every month has a first to fourth and a last of each weekday.
            first.nth_weekday_of_month(nth, weekday).unwrap_or(first)
        };
        match self {
            Self::NewYearsDay => date(year, 1, 1),
            Self::MlkDay => nth(1, 3, Weekday::Monday),
            Self::PresidentsDay => nth(2, 3, Weekday::Monday),
            Self::MemorialDay => nth(5, -1, Weekday::Monday),
            Self::Juneteenth => date(year, 6, 19),
            Self::IndependenceDay => date(year, 7, 4),
            Self::LaborDay => nth(9, 1, Weekday::Monday),
            Self::ColumbusDay => nth(10, 2, Weekday::Monday),
            Self::VeteransDay => date(year, 11, 11),
            Self::Thanksgiving => nth(11, 4, Weekday::Thursday),
            Self::ChristmasDay => date(year, 12, 25),
        }
    }

    /// Returns the next day on which the holiday is paid, including today.
    pub fn next_from(self, today: Date) -> Date {
        let years = today.year()..=today.year().saturating_add(2);
        years.map(|year| self.paid_on(year)).find(|day| *day >= today).unwrap_or(today)
    }
}

/// Whether work on a day is paid at time and a half in Rhode Island: Sundays and state holidays, which are Victory Day and the federal
/// holidays except those in January and February other than New Year's Day. A holiday on a Sunday is also observed on the Monday after.
///
/// Source: R.I. Gen. Laws 25-3-1, 25-3-3(a).
pub fn is_paid_more_in_rhode_island(day: Date) -> bool {
    let first = date(day.year(), 8, 1);
    let victory_day = first.nth_weekday_of_month(2, Weekday::Monday).unwrap_or(first);
    let holidays =
        Holiday::VARIANTS.iter().filter(|one| !matches!(one, Holiday::MlkDay | Holiday::PresidentsDay));
    let is_kept = |holiday: &Holiday| {
        let itself = holiday.day(day.year());
        day == itself || (itself.weekday() == Weekday::Sunday && day == itself.saturating_add(1.day()))
    };
    day.weekday() == Weekday::Sunday || day == victory_day || holidays.into_iter().any(is_kept)
}

/// Returns the days in a range, both ends included, on which holidays are paid, in order.
pub fn paid_between(holidays: &[Holiday], (from, until): (Date, Date)) -> Vec<(Holiday, Date)> {
    // New Year's Day of the following year may be paid on the last day of the range.
    let years = from.year()..=until.year().saturating_add(1);
    let all = years.flat_map(|year| holidays.iter().map(move |holiday| (*holiday, holiday.paid_on(year))));
    let mut days: Vec<_> = all.filter(|(_, day)| (from..=until).contains(day)).collect();
    days.sort_by_key(|(_, day)| *day);
    days
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Named;

    #[test]
    fn sundays_and_holidays_are_paid_more_in_rhode_island() {
        // A Sunday, Veterans Day, Victory Day, and the Monday after Independence Day on a Sunday.
        for (year, month, day) in [(2026, 11, 8), (2026, 11, 11), (2026, 8, 10), (2027, 7, 5)] {
            assert!(is_paid_more_in_rhode_island(date(year, month, day)), "{year}-{month}-{day}");
        }
        // Ordinary days, the January holiday that is not one there, and the Friday before a holiday on a Saturday.
        for (month, day) in [(11, 4), (11, 5), (1, 19), (7, 3)] {
            assert!(!is_paid_more_in_rhode_island(date(2026, month, day)), "{month}-{day}");
        }
    }

    #[test]
    fn the_holidays_of_2026_are_those_of_the_office_of_personnel_management() {
        let published = [
            (1, 1),
            (1, 19),
            (2, 16),
            (5, 25),
            (6, 19),
            (7, 3),
            (9, 7),
            (10, 12),
            (11, 11),
            (11, 26),
            (12, 25),
        ];
        let ours = paid_between(Holiday::ALL, (date(2026, 1, 1), date(2026, 12, 31)));
        assert!(ours.iter().map(|(_, day)| *day).eq(published.map(|(month, day)| date(2026, month, day))));
    }

    #[test]
    fn a_new_year_on_a_saturday_is_paid_in_the_old_year_and_one_on_a_sunday_a_day_later() {
        assert_eq!(Holiday::NewYearsDay.paid_on(2028), date(2027, 12, 31));
        let december = (date(2027, 12, 27), date(2028, 1, 9));
        assert_eq!(
            paid_between(&[Holiday::NewYearsDay], december),
            [(Holiday::NewYearsDay, date(2027, 12, 31))]
        );
        assert_eq!(Holiday::NewYearsDay.paid_on(2023), date(2023, 1, 2));
    }

    #[test]
    fn only_chosen_holidays_of_the_range_are_paid() {
        let summer = (date(2026, 6, 19), date(2026, 7, 3));
        assert_eq!(paid_between(&[], summer), []);
        let all: Vec<_> =
            paid_between(Holiday::ALL, summer).into_iter().map(|(holiday, _)| holiday).collect();
        assert_eq!(all, [Holiday::Juneteenth, Holiday::IndependenceDay]);
        assert_eq!(paid_between(&[Holiday::Juneteenth], (date(2026, 6, 20), date(2026, 7, 3))), []);
    }

    #[test]
    fn the_next_day_is_today_or_later() {
        for &holiday in Holiday::ALL {
            for today in [date(2027, 12, 31), date(2026, 7, 3), date(2026, 7, 4), date(2026, 12, 31)] {
                assert!(holiday.next_from(today) >= today, "{holiday:?} {today}");
            }
        }
        assert_eq!(Holiday::IndependenceDay.next_from(date(2026, 7, 4)), date(2027, 7, 5));
        assert_eq!(Holiday::NewYearsDay.next_from(date(2027, 12, 31)), date(2027, 12, 31));
        assert_eq!(Holiday::NewYearsDay.next_from(date(2028, 1, 1)), date(2029, 1, 1));
    }
}
