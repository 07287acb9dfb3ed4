//! Pay periods and pay dates against a wall calendar, and invariants of any schedule.

use super::*;
use PayFrequency::*;
use proptest::prelude::*;

fn terms(frequency: PayFrequency, pay: Date, end: Date, days: [Option<i8>; 2]) -> PayScheduleTerms {
    PayScheduleTerms {
        frequency,
        anchor_pay_date: pay,
        anchor_end_of_pay_period: end,
        day_1: days[0],
        day_2: days[1],
    }
}

fn schedule(frequency: PayFrequency, pay: Date, end: Date, days: [Option<i8>; 2]) -> PaySchedule {
    PaySchedule::new(&terms(frequency, pay, end, days)).unwrap()
}

/// Returns start, end and pay date of some periods, as text.
fn periods(schedule: &PaySchedule, numbers: std::ops::RangeInclusive<i32>) -> Vec<String> {
    let periods = numbers.map(|number| schedule.period(number));
    periods.map(|period| format!("{} {} {}", period.start, period.end, period.check_date)).collect()
}

#[test]
fn by_the_week_both_days_move_by_seven() {
    let weekly = schedule(EveryWeek, date(2026, 11, 20), date(2026, 11, 14), [None; 2]);
    let expected = [
        "2026-11-01 2026-11-07 2026-11-13",
        "2026-11-08 2026-11-14 2026-11-20",
        "2026-11-15 2026-11-21 2026-11-27",
        "2026-11-22 2026-11-28 2026-12-04",
    ];
    assert_eq!(periods(&weekly, -1..=2), expected);
}

#[test]
fn a_pay_date_on_a_holiday_or_a_weekend_is_the_banking_day_before() {
    // Thursdays: 26 November 2026 is Thanksgiving.
    let every_other = schedule(EveryOtherWeek, date(2026, 11, 12), date(2026, 11, 7), [None; 2]);
    assert_eq!(periods(&every_other, 1..=1), ["2026-11-08 2026-11-21 2026-11-25"]);
    // The 15th of November 2026 is a Sunday.
    let monthly = schedule(Monthly, date(2026, 10, 15), date(2026, 9, 30), [Some(15), None]);
    assert_eq!(
        periods(&monthly, 0..=1),
        ["2026-09-01 2026-09-30 2026-10-15", "2026-10-01 2026-10-31 2026-11-13"]
    );
}

#[test]
fn the_end_of_a_month_stays_the_end_of_every_month() {
    let monthly = schedule(Monthly, date(2026, 2, 27), date(2026, 2, 28), [Some(31), None]);
    let expected = [
        "2026-02-01 2026-02-28 2026-02-27",
        "2026-03-01 2026-03-31 2026-03-31",
        "2026-04-01 2026-04-30 2026-04-30",
    ];
    assert_eq!(periods(&monthly, 0..=2), expected);
    let quarterly = schedule(Quarterly, date(2026, 1, 5), date(2025, 12, 31), [None; 2]);
    assert_eq!(
        periods(&quarterly, 0..=1),
        ["2025-10-01 2025-12-31 2026-01-05", "2026-01-01 2026-03-31 2026-04-03"]
    );
    let annually = schedule(Annually, date(2024, 2, 29), date(2024, 2, 29), [None; 2]);
    assert_eq!(periods(&annually, 1..=1), ["2024-03-01 2025-02-28 2025-02-28"]);
}

#[test]
fn a_day_of_the_month_that_a_short_month_lacks_is_its_last() {
    let monthly = schedule(Monthly, date(2026, 1, 30), date(2026, 1, 29), [Some(30), None]);
    // In February the period ends and is paid on the 28th (a Saturday); in March it ends on the 29th and is paid on the 30th again.
    let expected = ["2026-01-30 2026-02-28 2026-02-27", "2026-03-01 2026-03-29 2026-03-30"];
    assert_eq!(periods(&monthly, 1..=2), expected);
}

#[test]
fn twice_per_month_is_paid_on_both_days_for_half_a_month() {
    let halves = schedule(TwicePerMonth, date(2026, 6, 30), date(2026, 6, 30), [Some(15), Some(31)]);
    let expected = [
        "2026-06-01 2026-06-15 2026-06-15",
        "2026-06-16 2026-06-30 2026-06-30",
        "2026-07-01 2026-07-15 2026-07-15",
        "2026-07-16 2026-07-31 2026-07-31",
    ];
    assert_eq!(periods(&halves, -1..=2), expected);
    // Paid five days after the end; the days may come in any order.
    let later = schedule(TwicePerMonth, date(2026, 6, 5), date(2026, 5, 31), [Some(20), Some(5)]);
    let expected = [
        "2026-05-16 2026-05-31 2026-06-05",
        "2026-06-01 2026-06-15 2026-06-18",
        "2026-06-16 2026-06-30 2026-07-03",
    ];
    assert_eq!(periods(&later, 0..=2), expected);
    // Ends on the 10th, and therefore also on the 25th.
    let tenth = schedule(TwicePerMonth, date(2026, 6, 15), date(2026, 6, 10), [Some(15), Some(31)]);
    assert_eq!(
        periods(&tenth, 0..=1),
        ["2026-05-26 2026-06-10 2026-06-15", "2026-06-11 2026-06-25 2026-06-30"]
    );
}

#[test]
fn an_anchor_that_was_moved_to_a_banking_day_is_understood() {
    // The 15th of November 2026 is a Sunday, and the employer names Friday the 13th.
    let monthly = schedule(Monthly, date(2026, 11, 13), date(2026, 10, 31), [Some(15), None]);
    assert_eq!(
        periods(&monthly, 0..=1),
        ["2026-10-01 2026-10-31 2026-11-13", "2026-11-01 2026-11-30 2026-12-15"]
    );
    // The first of a month, paid in the month before: 1 August 2026 is a Saturday.
    let first = schedule(Monthly, date(2026, 7, 31), date(2026, 7, 31), [Some(1), None]);
    assert_eq!(periods(&first, 1..=1), ["2026-08-01 2026-08-31 2026-09-01"]);
}

#[test]
fn terms_that_do_not_fit_are_refused_with_every_reason() {
    let day = date(2026, 6, 15);
    let keys = |terms: &PayScheduleTerms| -> Vec<String> {
        let violations = PaySchedule::new(terms).err().unwrap_or_default();
        violations.into_iter().map(|violation| violation.key).collect()
    };
    let golden: [(PayScheduleTerms, &[&str]); 11] = [
        (terms(Daily, day, day, [None; 2]), &["frequency"]),
        (terms(Semiannually, day, day, [None; 2]), &["frequency"]),
        (terms(EveryWeek, day, day, [Some(15), Some(31)]), &["day_1", "day_2"]),
        (terms(TwicePerMonth, day, day, [None; 2]), &["day_1", "day_2"]),
        (terms(TwicePerMonth, day, day, [Some(15), Some(15)]), &["day_2"]),
        (terms(Monthly, day, day, [Some(32), None]), &["day_1"]),
        (terms(Monthly, day, day, [Some(14), None]), &["anchor_pay_date"]),
        (terms(TwicePerMonth, date(2026, 6, 14), day, [Some(1), Some(16)]), &["anchor_pay_date"]),
        // Before the week that it pays, and long after that week.
        (terms(EveryWeek, date(2026, 6, 8), day, [None; 2]), &["anchor_pay_date"]),
        (terms(EveryWeek, date(2026, 8, 15), day, [None; 2]), &["anchor_pay_date"]),
        (
            terms(EveryWeek, date(1899, 6, 15), date(2201, 1, 1), [None; 2]),
            &["anchor_pay_date", "anchor_end_of_pay_period"],
        ),
    ];
    for (terms, expected) in golden {
        assert_eq!(keys(&terms), expected, "{terms:?}");
    }
    assert_eq!(keys(&terms(EveryWeek, date(2026, 6, 9), day, [None; 2])), [""; 0]);
    assert_eq!(keys(&terms(EveryWeek, date(2026, 8, 14), day, [None; 2])), [""; 0]);
}

#[test]
fn a_preview_tells_periods_holidays_and_deadlines() {
    let weekly = schedule(EveryWeek, date(2026, 11, 20), date(2026, 11, 14), [None; 2]);
    let preview = weekly.preview_periods(date(2026, 11, 10), date(2026, 11, 30));
    let periods: Vec<_> = preview.periods.iter().map(|period| period.check_date).collect();
    assert_eq!(periods, [date(2026, 11, 20), date(2026, 11, 27)]);
    assert_eq!(preview.holidays, [date(2026, 11, 11), date(2026, 11, 26)]);
    // Two banking days before the Friday after Thanksgiving.
    assert_eq!(preview.periods[1].run_payroll_by(BANKING_DAYS), date(2026, 11, 24));
    assert_eq!(weekly.preview_periods(date(2026, 1, 1), date(2100, 1, 1)).periods.len(), MAX_PREVIEW);
}

fn any_schedule() -> impl Strategy<Value = PaySchedule> {
    let day = (0i64..20_000).prop_map(|days| date(1990, 1, 1).saturating_add(days.days()));
    (0usize..6, day, 0i64..10, 1i8..=31).prop_map(|(frequency, pay, arrears, other)| {
        let frequency = FREQUENCIES[frequency];
        let days = match frequency {
            TwicePerMonth => [Some(pay.day()), Some(if other == pay.day() { other % 31 + 1 } else { other })],
            Monthly => [Some(pay.day()), None],
            _ => [None; 2],
        };
        schedule(frequency, pay, pay.saturating_sub(arrears.days()), days)
    })
}

proptest! {
    #[test]
    fn periods_follow_each_other_without_a_gap(schedule in any_schedule(), number in -300i32..300) {
        let (period, next) = (schedule.period(number), schedule.period(number + 1));
        prop_assert!(period.start <= period.end);
        prop_assert_eq!(period.end.saturating_add(1.day()), next.start);
        prop_assert!(period.check_date <= next.check_date);
        prop_assert!(is_banking_day(period.check_date));
    }

    #[test]
    fn every_day_lies_in_the_period_that_is_found_for_it(schedule in any_schedule(), days in -9_000i64..9_000) {
        let day = date(2010, 1, 1).saturating_add(days.days());
        let number = schedule.number_of(day);
        let period = schedule.period(number);
        prop_assert!(period.start <= day && day <= period.end);
        prop_assert_eq!(schedule.periods(day, day).collect::<Vec<_>>(), [period]);
    }

    #[test]
    fn a_year_has_as_many_pay_periods_as_its_frequency_says(schedule in any_schedule(), number in -50i32..50) {
        let count = schedule.frequency().periods_per_year();
        let first = schedule.period(number);
        let after = schedule.period(number + i32::try_from(count).unwrap());
        let days = days_between(first.start, after.start);
        // 52 and 26 periods are a day or two short of a year; an end in February may be up to three days early.
        prop_assert!((361..=369).contains(&days), "{days}");
    }
}
