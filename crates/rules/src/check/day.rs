//! Dates.

use crate::violation::Violation;
use jiff::civil::Date;
use jiff::tz::Offset;
use jiff::{Timestamp, ToSpan};

/// First and last date of any record: wide enough for every birth and hire, narrow enough that date
/// arithmetic never overflows.
const FIRST: Date = jiff::civil::date(1900, 1, 1);
const LAST: Date = jiff::civil::date(2199, 12, 31);
/// Maximum age; an older date of birth is a typing error.
const OLDEST_AGE: i16 = 120;

/// Minimum age for work outside agriculture: 29 CFR 570.2 and 570.119. The exceptions (children employed by
/// their parents, actors, newspaper carriers: 29 U.S.C. 213) are not covered.
pub const MINIMUM_AGE: i16 = 14;

/// Parses a date from 1900-01-01 to 2199-12-31, as YYYY-MM-DD.
pub fn parse_date(key: &str, value: &str) -> Result<Date, Violation> {
    read_date(value).map_err(|expected| Violation::invalid(key, format!("{key} must be {expected}")))
}

/// What text must be to be read as a date, to complete the message "<key> must be …".
pub const WRITTEN_DAY: &str = "a day of the calendar, written YYYY-MM-DD";

/// As [`parse_date`]; the error completes the message "<key> must be …".
pub fn read_date(value: &str) -> Result<Date, String> {
    match read_ymd(value) {
        None => Err(WRITTEN_DAY.to_owned()),
        Some(day) if (FIRST..=LAST).contains(&day) => Ok(day),
        Some(_) => Err(format!("a day between {FIRST} and {LAST}")),
    }
}

/// Parses a timestamp with its offset from UTC, to the millisecond; its day in UTC lies between the same bounds as a [`parse_date`].
pub fn parse_moment(key: &str, value: &str) -> Result<Timestamp, Violation> {
    let at = value.parse::<Timestamp>().ok();
    let Some(at) = at.and_then(|at| Timestamp::from_millisecond(at.as_millisecond()).ok()) else {
        let why = format!("{key} must be a timestamp with an offset, such as 2026-06-15T09:00:00-07:00");
        return Err(Violation::invalid(key, why));
    };
    if (FIRST..=LAST).contains(&Offset::UTC.to_datetime(at).date()) {
        return Ok(at);
    }
    Err(Violation::invalid(key, format!("{key} must lie between {FIRST} and {LAST}")))
}

/// Parses YYYY-MM-DD. The parser also accepts other formats (2026-W25-1, 20260615), so the format is checked first.
fn read_ymd(value: &str) -> Option<Date> {
    let bytes = value.as_bytes();
    let fits = |(index, byte): (usize, &u8)| match index {
        4 | 7 => *byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    let formed = bytes.len() == 10 && bytes.iter().enumerate().all(fits);
    if formed { value.parse().ok() } else { None }
}

/// Validates an employee's date of birth: before `today`, at most 120 and at least [`MINIMUM_AGE`] years ago.
pub fn birth_date(key: &str, born: Date, today: Date) -> Result<Date, Violation> {
    // A date that overflows the calendar is later than any other.
    let reaches = |age: i16| born.checked_add(age.years()).is_ok_and(|birthday| birthday <= today);
    let message = if born >= today {
        format!("{key} must lie in the past")
    } else if !reaches(MINIMUM_AGE) {
        format!("{key} must be at least {MINIMUM_AGE} years ago")
    } else if born.checked_add(OLDEST_AGE.years()).is_ok_and(|birthday| birthday < today) {
        format!("{key} must be at most {OLDEST_AGE} years ago")
    } else {
        return Ok(born);
    };
    Err(Violation::invalid(key, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date as day;
    use proptest::prelude::*;

    const TODAY: Date = day(2026, 6, 15);

    #[test]
    fn a_date_is_a_day_of_the_calendar_in_one_form_only() {
        assert_eq!(parse_date("hire_date", "2024-02-29"), Ok(day(2024, 2, 29)));
        assert_eq!(parse_date("hire_date", "1900-01-01"), Ok(FIRST));
        assert_eq!(parse_date("hire_date", "2199-12-31"), Ok(LAST));
        let malformed =
            ["", "2026-6-15", "06/15/2026", "20260615", "2026-06-15T00:00:00", "2026-W25-1", "２026-06-1"];
        let outside = ["2023-02-29", "2026-13-01", "2026-00-10", "1899-12-31", "2200-01-01", "0000-01-01"];
        for wrong in malformed.into_iter().chain(outside) {
            assert!(parse_date("hire_date", wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_moment_lies_between_the_same_days_as_a_date() {
        let first = parse_moment("shift_started_at", "1900-01-01T00:00:00Z").unwrap();
        assert_eq!(first.to_string(), "1900-01-01T00:00:00Z");
        let at = parse_moment("shift_started_at", "2026-06-15T09:00:00.123456-07:00").unwrap();
        assert_eq!(at.to_string(), "2026-06-15T16:00:00.123Z");
        assert!(parse_moment("shift_started_at", "2199-12-31T23:59:59.999Z").is_ok());
        for wrong in [
            "1899-12-31T23:59:59Z",
            "2200-01-01T00:00:00Z",
            "9999-12-30T22:00:00Z",
            "-009999-01-02T01:59:59Z",
            "2026-06-15T09:00:00",
            "2026-06-15",
            "+200000-01-01T00:00:00Z",
            "",
        ] {
            assert!(parse_moment("shift_started_at", wrong).is_err(), "{wrong}");
        }
        // By the day in UTC, wherever it was written.
        assert!(parse_moment("shift_started_at", "2199-12-31T23:00:00-02:00").is_err());
    }

    #[test]
    fn an_employee_is_between_fourteen_and_a_hundred_and_twenty_years_old() {
        for fine in [day(2012, 6, 15), day(1990, 1, 1), day(1906, 6, 15)] {
            assert!(birth_date("date_of_birth", fine, TODAY).is_ok(), "{fine}");
        }
        let golden = [
            (day(2026, 6, 15), "date_of_birth must lie in the past"),
            (day(2012, 6, 16), "date_of_birth must be at least 14 years ago"),
            (day(1906, 6, 14), "date_of_birth must be at most 120 years ago"),
        ];
        for (wrong, message) in golden {
            assert_eq!(
                birth_date("date_of_birth", wrong, TODAY),
                Err(Violation::invalid("date_of_birth", message))
            );
        }
    }

    #[test]
    fn someone_born_on_a_leap_day_comes_of_age_on_the_last_of_february() {
        assert!(birth_date("date_of_birth", day(2012, 2, 29), day(2026, 2, 27)).is_err());
        assert!(birth_date("date_of_birth", day(2012, 2, 29), day(2026, 2, 28)).is_ok());
    }

    proptest! {
        #[test]
        fn every_date_survives_being_written_and_read(
            year in 1900i16..2200, month in 1i8..=12, of_month in 1i8..=28
        ) {
            let written = day(year, month, of_month);
            prop_assert_eq!(parse_date("hire_date", &written.to_string()), Ok(written));
        }
    }
}
