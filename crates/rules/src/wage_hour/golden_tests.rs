//! Examples from 29 CFR part 778 and from the daily overtime rules of states.

#![allow(
    clippy::inconsistent_digit_grouping,
    clippy::mistyped_literal_suffixes,
    reason = "the cents of an amount are set apart"
)]

use jiff::ToSpan;
use jiff::civil::{Date, date};

use super::*;
use crate::amount::Amount;
use crate::explain::{NoTrace, Recorder};

/// A Monday.
const MONDAY: Date = date(2026, 6, 1);

fn cents(cents: i64) -> Amount {
    Amount::from_cents(cents)
}

/// Returns a week of hours, in hundredths per day from Monday on, at a rate in cents.
fn week(rate: i64, days: &[i64]) -> Vec<Worked> {
    let day = |(place, hours): (i64, &i64)| Worked {
        date: MONDAY.saturating_add(place.days()),
        job: 0,
        hours: cents(*hours),
        rate: cents(rate),
    };
    (0..).zip(days).map(day).collect()
}

fn sorted(state: &str, lines: &[Worked]) -> Vec<(Worked, Sorted)> {
    let sorted =
        sort_hours(OvertimeRules::built_in().rule_of_state(state), MONDAY, cents(12_00), lines).unwrap();
    lines.iter().copied().zip(sorted).collect()
}

/// Returns the hundredths of an hour of each kind.
fn hours(state: &str, lines: &[Worked]) -> [i64; 3] {
    let all = sorted(state, lines);
    let total = |of: fn(&Sorted) -> Amount| all.iter().map(|(_, one)| of(one).cents_half_up()).sum();
    [total(|one| one.regular), total(|one| one.overtime), total(|one| one.double)]
}

/// Returns straight time, regular rate and premium, in cents.
fn pays(lines: &[(Worked, Sorted)], salary: Option<Salary>, others: &[Remuneration]) -> [i64; 3] {
    let agreed = vec![false; lines.len()];
    let pay = week_pay(&mut NoTrace, lines, &agreed, salary, others).unwrap();
    let mut recorder = Recorder::default();
    assert_eq!(week_pay(&mut recorder, lines, &agreed, salary, others), Some(pay));
    assert_eq!(recorder.finish().len(), 1);
    [pay.straight_time, pay.regular_rate, pay.premium].map(Amount::cents_half_up)
}

fn bonus(amount: i64, excluded: bool) -> Remuneration {
    Remuneration { name: "bonus".to_owned(), amount: cents(amount), excluded }
}

#[test]
fn an_hourly_week_of_46_hours_pays_588_dollars() {
    // 29 CFR 778.110(a): 12.00 an hour for 46 hours is 552.00, plus 6 hours at half the rate.
    let lines = sorted("TX", &week(12_00, &[9_00, 9_00, 9_00, 9_00, 10_00]));
    assert_eq!(pays(&lines, None, &[]), [552_00, 12_00, 36_00]);
}

#[test]
fn a_production_bonus_raises_the_regular_rate_and_a_gift_does_not() {
    // 29 CFR 778.110(b): with a production bonus of 46.00 the rate is 13.00 and the week pays 637.00.
    let lines = sorted("TX", &week(12_00, &[9_00, 9_00, 9_00, 9_00, 10_00]));
    let [straight, rate, premium] = pays(&lines, None, &[bonus(46_00, false)]);
    assert_eq!((rate, straight + 46_00 + premium), (13_00, 637_00));
    // 29 CFR 778.211 and 778.212.
    assert_eq!(pays(&lines, None, &[bonus(46_00, true)]), [552_00, 12_00, 36_00]);
}

#[test]
fn piece_work_with_waiting_time_is_divided_by_all_hours() {
    // 29 CFR 778.111: 600.00 of piecework in 46 hours and 4 hours at 8.00: 12.64 an hour, 63.20 for 10 hours of overtime.
    let mut lines = week(0, &[10_00, 10_00, 10_00, 10_00, 6_00]);
    lines.push(Worked { rate: cents(8_00), hours: cents(4_00), ..lines[4] });
    let lines = sorted("TX", &lines);
    let piece_work = Remuneration { name: "piece work".to_owned(), ..bonus(600_00, false) };
    assert_eq!(pays(&lines, None, &[piece_work]), [32_00, 12_64, 63_20]);
}

#[test]
fn a_salary_for_35_or_40_hours_is_a_rate_for_the_hours_above() {
    // 29 CFR 778.113(a): 350.00 for 35 hours is 10.00 an hour, and 15.00 above 40; 375.00 for 40 hours is 9.38.
    let days = [9_00, 9_00, 9_00, 9_00, 9_00];
    let of = |amount, hours| Some(Salary::ForHours { amount: cents(amount), hours: cents(hours) });
    let lines = sorted("TX", &week(0, &days));
    assert_eq!(pays(&lines, of(350_00, 35_00), &[]), [450_00, 10_00, 25_00]);
    assert_eq!(pays(&lines, of(375_00, 40_00), &[])[1], 9_38);
    // 29 CFR 778.322: 200.00 for 35 hours is 5.71 an hour; 41 hours pay 200.00, five hours at 5.71 and one at 8.57: 237.12.
    let lines = sorted("TX", &week(0, &[8_00, 8_00, 8_00, 8_00, 9_00]));
    let [straight, rate, premium] = pays(&lines, of(200_00, 35_00), &[]);
    assert_eq!((rate, straight + premium), (5_71, 237_12));
}

#[test]
fn a_shift_differential_and_a_bonus_raise_the_regular_rate_together() {
    // Fact sheet 56C (December 2019), example B: 45 hours at 15.00, a differential of 30.00 and a bonus of 100.00 are 805.00,
    // 17.89 an hour. The sheet also rounds half of that rate and gets 44.75; 5 hours at half of 17.89 are 44.73, and 44.72 is due.
    let lines = sorted("TX", &week(15_00, &[9_00, 9_00, 9_00, 9_00, 9_00]));
    let differential = Remuneration { name: "shift differential".to_owned(), ..bonus(30_00, false) };
    assert_eq!(pays(&lines, None, &[differential, bonus(100_00, false)]), [675_00, 17_89, 44_73]);
    // Example C: of a bonus of 50.00 and a discretionary bonus of 25.00 only the first counts: 16.74 for three hours.
    let lines = sorted("TX", &week(10_00, &[9_00, 9_00, 9_00, 8_00, 8_00]));
    let both = [bonus(50_00, false), bonus(25_00, true)];
    assert_eq!(pays(&lines, None, &both), [430_00, 11_16, 16_74]);
    // Fact sheet 54 (July 2009): half of a two-week attendance bonus of 100.00 belongs to each week: 722.00 in 56 hours is 12.89.
    let lines = sorted("TX", &week(12_00, &[10_00, 10_00, 10_00, 10_00, 16_00]));
    assert_eq!(pays(&lines, None, &[bonus(50_00, false)]), [672_00, 12_89, 103_12]);
}

#[test]
fn a_salary_for_more_than_40_hours_still_owes_half_of_the_rate_above_them() {
    // Fact sheet 23 (October 2019), salary for workweek exceeding 40 hours: 405.00 for 45 hours is 9.00 an hour, and 22.50 for
    // five hours.
    let lines = sorted("TX", &week(0, &[9_00, 9_00, 9_00, 9_00, 9_00]));
    let salary = Some(Salary::ForHours { amount: cents(405_00), hours: cents(45_00) });
    assert_eq!(pays(&lines, salary, &[]), [405_00, 9_00, 22_50]);
}

#[test]
fn the_rate_of_a_fluctuating_week_falls_with_its_hours() {
    // 29 CFR 778.114(b): 600.00 a week for all hours worked: 37.5, 44, 50 and 48.
    let salary = Some(Salary::ForAllHours { amount: cents(600_00) });
    for (days, rate, pay) in [
        ([7_50, 7_50, 7_50, 7_50, 7_50], 16_00, 600_00),
        ([9_00, 9_00, 9_00, 9_00, 8_00], 13_64, 627_28),
        ([10_00, 10_00, 10_00, 10_00, 10_00], 12_00, 660_00),
        ([10_00, 10_00, 10_00, 10_00, 8_00], 12_50, 650_00),
    ] {
        let [straight, found, premium] = pays(&sorted("TX", &week(0, &days)), salary, &[]);
        assert_eq!((found, straight + premium), (rate, pay));
    }
}

#[test]
fn two_rates_in_a_week_give_their_weighted_average_or_the_rate_in_effect() {
    // 29 CFR 778.115: 30 hours at 2.13 and 16 at 15.00 are 303.90 for 46 hours: 6.61 an hour.
    let mut lines = week(2_13, &[10_00, 10_00, 10_00]);
    lines.extend(
        week(15_00, &[0, 0, 0, 10_00, 6_00]).into_iter().skip(3).map(|line| Worked { job: 1, ..line }),
    );
    let lines = sorted("TX", &lines);
    assert_eq!(pays(&lines, None, &[]), [303_90, 6_61, 19_83]);
    // 29 USC 207(g)(2): the six hours of overtime were worked at 15.00.
    let agreed = [false, false, false, true, true];
    let pay = week_pay(&mut NoTrace, &lines, &agreed, None, &[]).unwrap();
    assert_eq!(pay.premium, cents(45_00));
}

#[test]
fn a_bonus_that_is_paid_later_raises_the_premium_of_the_weeks_it_was_earned_in() {
    // 29 CFR 778.209(b): 100.00 for four weeks is 25.00 a week: half of 25/50 for each of ten hours, 2.50 a week of 50 hours.
    let of = |week: i64, hours, overtime| {
        let start = MONDAY.saturating_add((7 * week).days());
        (start, cents(hours), Sorted { overtime: cents(overtime), ..Sorted::default() })
    };
    let weeks = [of(0, 50_00, 10_00), of(1, 40_00, 0), of(2, 50_00, 10_00), of(3, 38_00, 0)];
    let premium = |bonus: i64, count, weeks: &[_]| {
        premium_when_paid_later(&mut NoTrace, "premium", (cents(bonus), count), weeks)
    };
    assert_eq!(premium(100_00, 4, &weeks), Some(cents(5_00)));
    // Weeks whose hours are not known get no premium; their part of the bonus stays with them.
    assert_eq!(premium(100_00, 4, &weeks[..1]), Some(cents(2_50)));
    assert_eq!(premium(100_00, 0, &[]), None);
}

#[test]
fn federal_law_counts_the_week_alone() {
    assert_eq!(hours("TX", &week(10_00, &[12_00, 12_00, 12_00])), [36_00, 0, 0]);
    assert_eq!(hours("TX", &week(10_00, &[8_00; 6])), [40_00, 8_00, 0]);
}

#[test]
fn california_counts_8_and_12_hours_of_a_day_and_the_seventh_day() {
    assert_eq!(hours("CA", &week(20_00, &[13_00, 8_00, 6_00])), [22_00, 4_00, 1_00]);
    // Daily overtime does not count again toward the 40 hours of the week.
    assert_eq!(hours("CA", &week(20_00, &[10_00, 10_00, 10_00, 10_00])), [32_00, 8_00, 0]);
    assert_eq!(hours("CA", &week(20_00, &[8_00; 6])), [40_00, 8_00, 0]);
    // The seventh consecutive day: 8 hours of overtime, double time above them.
    assert_eq!(hours("CA", &week(20_00, &[5_00, 5_00, 5_00, 5_00, 5_00, 5_00, 9_00])), [30_00, 8_00, 1_00]);
    assert_eq!(hours("CA", &week(20_00, &[5_00, 5_00, 0, 5_00, 5_00, 5_00, 9_00])), [33_00, 1_00, 0]);
    // Two jobs on one day share its limit.
    let mut lines = week(20_00, &[6_00]);
    lines.push(Worked { job: 1, hours: cents(5_00), ..lines[0] });
    assert_eq!(hours("CA", &lines), [8_00, 3_00, 0]);
}

#[test]
fn kentucky_counts_the_seventh_day_in_weeks_of_more_than_forty_hours() {
    // KRS 337.050: seven days of six hours are 42 hours, the last six of them overtime.
    assert_eq!(hours("KY", &week(20_00, &[6_00; 7])), [36_00, 6_00, 0]);
    // No more than forty hours: no overtime.
    assert_eq!(hours("KY", &week(20_00, &[6_00, 6_00, 6_00, 6_00, 6_00, 5_00, 5_00])), [40_00, 0, 0]);
    // Hours above forty before the seventh day stay overtime; there is no double time.
    assert_eq!(hours("KY", &week(20_00, &[8_00, 8_00, 8_00, 8_00, 8_00, 8_00, 14_00])), [40_00, 22_00, 0]);
    // Six days, however long, and seven days with one off follow federal law.
    assert_eq!(hours("KY", &week(20_00, &[8_00; 6])), [40_00, 8_00, 0]);
    assert_eq!(hours("KY", &week(20_00, &[8_00, 8_00, 0, 8_00, 8_00, 8_00, 8_00])), [40_00, 8_00, 0]);
}

#[test]
fn alaska_colorado_and_nevada_count_days_each_in_its_way() {
    assert_eq!(hours("AK", &week(20_00, &[10_00, 8_00])), [16_00, 2_00, 0]);
    assert_eq!(hours("CO", &week(20_00, &[13_00, 11_00])), [23_00, 1_00, 0]);
    // Nevada: only below one and a half times the minimum wage, 18.00 at 12.00.
    assert_eq!(hours("NV", &week(17_99, &[10_00])), [8_00, 2_00, 0]);
    assert_eq!(hours("NV", &week(18_00, &[10_00])), [10_00, 0, 0]);
}

#[test]
fn hours_outside_the_week_cannot_be_sorted() {
    let rule = OvertimeRules::built_in().rule_of_state("TX");
    assert_eq!(sort_hours(rule, MONDAY, cents(7_25), &week(10_00, &[1_00; 8])), None);
}
