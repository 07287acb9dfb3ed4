use jiff::ToSpan;
use jiff::civil::date;
use proptest::prelude::*;

use super::*;
use crate::days::Days;
use crate::payroll::schedule::FREQUENCIES;

/// First and last day, pay frequency, and the expected parts of whole periods.
type Golden = (Date, Date, PayFrequency, &'static [(i64, i64)]);

/// Returns the days of a job that is held from a given day.
fn job(hired: Date) -> Held {
    Held { from: hired, until: None, away: Vec::new() }
}

fn parts(days: Days, by: (PayFrequency, Proration), job: Held) -> Vec<(i64, i64)> {
    employment_shares(days, by, &job).iter().map(Share::day_fraction).collect()
}

fn leading_up(start: Date, end: Date, frequency: PayFrequency) -> Vec<(i64, i64)> {
    parts(Days { first: start, last: end }, (frequency, Proration::LeadingUp), job(date(2020, 1, 1)))
}

#[test]
fn a_pay_period_is_paid_whole_and_a_part_of_one_by_its_days() {
    let days = Days { first: date(2026, 6, 1), last: date(2026, 6, 14) };
    let weeks = PayFrequency::EveryOtherWeek;
    let always = job(date(2020, 1, 1));
    assert_eq!(parts(days, (weeks, Proration::Whole), always.clone()), [(1, 1)]);
    assert_eq!(parts(days, (weeks, Proration::PartOf(28)), always), [(14, 28)]);
    assert_eq!(parts(days, (weeks, Proration::Whole), job(date(2026, 6, 8))), [(7, 14)]);
    assert!(parts(days, (weeks, Proration::Whole), job(date(2026, 6, 15))).is_empty());
}

#[test]
fn the_days_of_a_payroll_are_as_many_pay_periods_as_its_parts_add_up_to() {
    let weeks = PayFrequency::EveryOtherWeek;
    let three = Days { first: date(2026, 6, 1), last: date(2026, 6, 3) };
    assert_eq!(periods_paid(three, (weeks, Proration::PartOf(14))), Some((3, 14)));
    assert_eq!(periods_paid(three, (weeks, Proration::LeadingUp)), Some((3, 14)));
    assert_eq!(periods_paid(three, (weeks, Proration::Whole)), Some((1, 1)));
    let nineteen = Days { first: date(2026, 6, 15), last: date(2026, 7, 3) };
    assert_eq!(periods_paid(nineteen, (PayFrequency::EveryWeek, Proration::LeadingUp)), Some((19, 7)));
}

#[test]
fn days_that_lead_up_to_a_schedule_are_parts_of_its_pay_periods_counted_back() {
    use PayFrequency::{
        Annually, EveryOtherWeek, EveryWeek, Monthly, Quarterly, Semiannually, TwicePerMonth,
    };
    let golden: [Golden; 9] = [
        (date(2026, 6, 29), date(2026, 6, 30), Monthly, &[(2, 30)]),
        (date(2026, 6, 15), date(2026, 7, 3), EveryWeek, &[(5, 7), (1, 1), (1, 1)]),
        (date(2026, 6, 15), date(2026, 6, 21), EveryOtherWeek, &[(7, 14)]),
        (date(2026, 1, 1), date(2026, 1, 31), TwicePerMonth, &[(1, 1), (1, 1)]),
        (date(2026, 1, 11), date(2026, 1, 15), TwicePerMonth, &[(5, 15)]),
        // Halves that end on the 10th and the 25th.
        (date(2026, 2, 26), date(2026, 3, 10), TwicePerMonth, &[(1, 1)]),
        (date(2026, 1, 15), date(2026, 2, 28), Monthly, &[(17, 31), (1, 1)]),
        (date(2026, 3, 1), date(2026, 3, 31), Quarterly, &[(31, 90)]),
        (date(2026, 6, 1), date(2026, 6, 30), Semiannually, &[(30, 181)]),
    ];
    for (start, end, frequency, expected) in golden {
        assert_eq!(leading_up(start, end, frequency), expected, "{start} {end}");
    }
    assert_eq!(leading_up(date(2026, 12, 31), date(2026, 12, 31), Annually), [(1, 365)]);
    assert_eq!(leading_up(date(2026, 12, 31), date(2026, 12, 31), PayFrequency::Daily), [(1, 1)]);
}

#[test]
fn whoever_comes_goes_or_is_away_within_such_days_has_their_own_share_of_them() {
    let days = Days { first: date(2026, 6, 15), last: date(2026, 7, 3) };
    let by = (PayFrequency::EveryWeek, Proration::LeadingUp);
    let hired = job(date(2026, 6, 24));
    assert_eq!(parts(days, by, hired), [(3, 7), (1, 1)], "from Wednesday of the second week");
    let left = Held { until: Some(date(2026, 6, 16)), ..job(date(2020, 1, 1)) };
    assert_eq!(parts(days, by, left), [(2, 7)]);
    let away = Held {
        away: vec![Days { first: date(2026, 6, 18), last: date(2026, 6, 30) }],
        ..job(date(2020, 1, 1))
    };
    assert_eq!(parts(days, by, away), [(3, 7), (3, 7)]);
}

proptest! {
    #[test]
    fn each_day_that_leads_up_is_in_one_share(start in 0i64..3_000, length in 0i64..400, which in 0usize..6) {
        let start = date(2020, 1, 1).saturating_add(start.days());
        let end = start.saturating_add(length.days());
        let found = employment_shares(Days { first: start, last: end }, (FREQUENCIES[which], Proration::LeadingUp), &job(date(2000, 1, 1)));
        prop_assert_eq!((found[0].from, found.last().unwrap().until), (start, end));
        for two in found.windows(2) {
            prop_assert_eq!(two[0].until.tomorrow().unwrap(), two[1].from);
        }
        for share in &found {
            let days = i64::from(days_between(share.from, share.until)) + 1;
            prop_assert!(days <= share.of, "{:?}", share);
        }
        // All but the first are whole.
        prop_assert!(found[1..].iter().all(|share| share.day_fraction() == (1, 1)), "{:?}", found);
    }
}
