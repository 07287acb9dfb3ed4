//! Which employee follows which schedule, and that each day of every employee is paid once.

use std::collections::HashSet;

use jiff::ToSpan;
use jiff::civil::{Date, date};
use proptest::prelude::*;

use super::assignment::{Basis, Followed, Ground, Newcomer, ScheduleSpan, is_paid_in};
use super::schedule::{PaySchedule, PayScheduleTerms};
use crate::amount::Amount;
use crate::compensation::{FlsaStatus, PayTerms, PaymentUnit};
use crate::days::Days;
use crate::withholding::federal::PayFrequency;

fn schedule(frequency: PayFrequency, pay: Date, end: Date) -> PaySchedule {
    let terms = PayScheduleTerms {
        frequency,
        anchor_pay_date: pay,
        anchor_end_of_pay_period: end,
        day_1: (frequency == PayFrequency::TwicePerMonth).then_some(15),
        day_2: (frequency == PayFrequency::TwicePerMonth).then_some(31),
    };
    PaySchedule::new(&terms).unwrap()
}

const WEEKLY: u8 = 0;
const MONTHLY: u8 = 1;
const HALVES: u8 = 2;
const BIWEEKLY: u8 = 3;

/// Returns facts with schedules of weeks from Monday to Sunday, months, half-months, and two weeks from Monday.
fn ground(today: Date, has_paid: bool) -> Ground<u8> {
    let made = [
        (WEEKLY, schedule(PayFrequency::EveryWeek, date(2026, 1, 9), date(2026, 1, 4))),
        (MONTHLY, schedule(PayFrequency::Monthly, date(2026, 1, 30), date(2026, 1, 31))),
        (HALVES, schedule(PayFrequency::TwicePerMonth, date(2026, 1, 15), date(2026, 1, 15))),
        (BIWEEKLY, schedule(PayFrequency::EveryOtherWeek, date(2026, 1, 16), date(2026, 1, 11))),
    ];
    let followed = |periods| Followed { periods, settled_until: None };
    Ground {
        today,
        has_paid,
        schedules: made.into_iter().map(|(id, periods)| (id, followed(periods))).collect(),
        transitions: HashSet::new(),
    }
}

fn since(schedule: u8, first_day: Date) -> ScheduleSpan<u8> {
    ScheduleSpan { schedule, first_day, before: None, unpaid_from: None }
}

const NOW: Date = Date::MIN;

#[test]
fn pay_by_the_hour_is_hourly_any_other_pay_is_a_salary_and_pay_that_is_not_known_is_neither() {
    let of = |cents, unit, flsa| Basis::from_terms(&PayTerms { rate: Amount::from_cents(cents), unit, flsa });
    assert_eq!(of(2_000, PaymentUnit::Hour, FlsaStatus::Nonexempt), Some(Basis::Hourly));
    assert_eq!(of(5_200_000, PaymentUnit::Year, FlsaStatus::SalariedNonexempt), Some(Basis::Salaried));
    assert_eq!(of(90_000, PaymentUnit::Paycheck, FlsaStatus::Owner), Some(Basis::Salaried));
    assert_eq!(of(0, PaymentUnit::Year, FlsaStatus::CommissionOnlyExempt), Some(Basis::Salaried));
    assert_eq!(of(0, PaymentUnit::Hour, FlsaStatus::Nonexempt), None);
}

#[test]
fn whoever_moves_ends_the_pay_period_that_has_begun_and_the_days_between_are_a_transition() {
    // Wednesday, 10 June: the week ends on the 14th, and the next month begins on 1 July, a Wednesday.
    let planned = ground(date(2026, 6, 10), true).plan_assignments(
        &[since(WEEKLY, date(2026, 1, 5))],
        &[(NOW, MONTHLY)],
        None,
    );
    let moved = ScheduleSpan {
        schedule: MONTHLY,
        first_day: date(2026, 7, 1),
        before: Some(WEEKLY),
        unpaid_from: Some(date(2026, 6, 29)),
    };
    assert_eq!(planned, [since(WEEKLY, date(2026, 1, 5)), moved], "weeks until 28 June, then two days");
}

#[test]
fn pay_periods_that_meet_leave_no_days_between() {
    let held = [since(BIWEEKLY, date(2026, 1, 1))];
    let planned = ground(date(2026, 6, 10), true).plan_assignments(&held, &[(NOW, WEEKLY)], None);
    let moved = planned[1];
    assert_eq!((moved.first_day, moved.unpaid_from), (date(2026, 6, 15), None));
}

#[test]
fn a_move_that_is_taken_back_in_time_leaves_nothing_behind() {
    let ground = ground(date(2026, 6, 10), true);
    let held = [since(WEEKLY, date(2026, 1, 5))];
    let moved = ground.plan_assignments(&held, &[(NOW, MONTHLY)], None);
    assert_eq!(ground.plan_assignments(&moved, &[(NOW, WEEKLY)], None), held);
}

#[test]
fn a_move_whose_transition_was_paid_stays_and_another_one_follows_it() {
    let mut ground = ground(date(2026, 6, 29), true);
    let held =
        ground.plan_assignments(&[since(WEEKLY, date(2026, 1, 5))], &[(date(2026, 6, 29), MONTHLY)], None);
    assert_eq!(held[1].first_day, date(2026, 8, 1), "the week of 29 June has begun");
    ground.transitions.insert((WEEKLY, date(2026, 7, 31)));
    let back = ground.plan_assignments(&held, &[(NOW, WEEKLY)], None);
    assert_eq!(
        back[..2],
        held[..],
        "the days until 31 July were paid as those of somebody who leaves the weeks"
    );
    assert_eq!(back[2].first_day, date(2026, 8, 3), "with the first week of the month that has not begun");
    assert_eq!(back[2].unpaid_from, Some(date(2026, 8, 1)));
}

#[test]
fn whoever_comes_to_a_schedule_is_in_none_of_its_payrolls_that_were_submitted_ahead() {
    let mut ground = ground(date(2026, 6, 10), true);
    ground.schedules.get_mut(&MONTHLY).unwrap().settled_until = Some(date(2026, 7, 31));
    let planned = ground.plan_assignments(&[since(WEEKLY, date(2026, 1, 5))], &[(NOW, MONTHLY)], None);
    assert_eq!((planned[1].first_day, planned[1].unpaid_from), (date(2026, 8, 1), Some(date(2026, 7, 27))));
}

#[test]
fn before_anything_was_paid_nobody_waits_for_the_end_of_a_pay_period() {
    let planned = ground(date(2026, 6, 10), false).plan_assignments(
        &[since(WEEKLY, date(2025, 6, 9))],
        &[(NOW, MONTHLY)],
        None,
    );
    assert_eq!(planned[1].first_day, date(2026, 6, 1));
    assert_eq!(planned[1].unpaid_from, None, "no week before was paid, nor will be");
}

#[test]
fn whoever_comes_begins_with_the_pay_period_of_the_first_day_of_work() {
    let ground = ground(date(2026, 6, 10), true);
    let held = [since(WEEKLY, date(2025, 6, 9))];
    let comes = Newcomer { starts: date(2026, 6, 17), left: None };
    let planned = ground.plan_assignments(&held, &[(NOW, MONTHLY)], Some(comes));
    assert_eq!(planned[1], since(MONTHLY, date(2026, 6, 1)));
    // An employee paid weekly through the 7th cannot be paid for the month that includes these days.
    let back = Newcomer { starts: date(2026, 6, 17), left: Some(date(2026, 6, 5)) };
    let planned = ground.plan_assignments(&held, &[(NOW, MONTHLY)], Some(back));
    assert_eq!((planned[1].first_day, planned[1].unpaid_from), (date(2026, 7, 1), Some(date(2026, 6, 29))));
    let later = Newcomer { starts: date(2026, 7, 17), left: Some(date(2026, 6, 5)) };
    assert_eq!(
        ground.plan_assignments(&held, &[(NOW, MONTHLY)], Some(later))[1],
        since(MONTHLY, date(2026, 7, 1))
    );
}

#[test]
fn changes_that_are_known_ahead_are_planned_ahead_and_one_that_nobody_lives_to_see_is_none() {
    let ground = ground(date(2026, 6, 10), true);
    let held = [since(WEEKLY, date(2026, 1, 5))];
    let wanted = [(NOW, WEEKLY), (date(2026, 7, 10), MONTHLY), (date(2026, 7, 20), HALVES)];
    let planned = ground.plan_assignments(&held, &wanted, None);
    assert_eq!(planned.len(), 2, "halves of months begin with the month that would be the first");
    assert_eq!((planned[1].schedule, planned[1].first_day), (HALVES, date(2026, 8, 1)));
}

/// Returns the pay periods, whole and in part, that pay an employee with these spans, in order of days, with their schedules.
fn paid(ground: &Ground<u8>, spans: &[ScheduleSpan<u8>], from: Date, until: Date) -> Vec<(Date, Date, u8)> {
    let mut found = Vec::new();
    for (id, followed) in &ground.schedules {
        for period in followed.periods.periods(from, until).filter(|period| period.start >= from) {
            if is_paid_in(spans, *id, Days { first: period.start, last: period.end }) {
                found.push((period.start, period.end, *id));
            }
        }
    }
    let part =
        |one: &ScheduleSpan<u8>| Some((one.unpaid_from?, one.first_day.saturating_sub(1.day()), one.before?));
    found.extend(spans.iter().filter_map(part).filter(|(start, ..)| *start >= from));
    found.sort_unstable();
    found
}

proptest! {
    #[test]
    fn whatever_is_assigned_when_and_however_far_payrolls_are_submitted_each_day_is_paid_once(
        steps in prop::collection::vec((0i64..40, 0u8..4, 0u8..6, 0i64..90, any::<bool>()), 1..12)
    ) {
        let start = date(2026, 3, 2);
        let (mut today, mut ground) = (start, ground(start, true));
        let mut spans = vec![since(WEEKLY, start)];
        // Submitted days of the employee, which no later plan may take back or pay again.
        let mut submitted: HashSet<(Date, Date, u8)> = HashSet::new();
        for (days, wanted, settles, ahead, later) in steps {
            today = today.saturating_add(days.days());
            ground.today = today;
            let until = today.saturating_add((ahead / 3).days());
            // The payrolls of a schedule are submitted up to some day, possibly ahead, whether or not they include the employee.
            if let Some(followed) = ground.schedules.get_mut(&settles) {
                let whole = followed.periods.periods(start, until).map(|period| period.end);
                followed.settled_until = followed.settled_until.max(whole.filter(|end| *end <= until).last());
                let left = spans.iter().filter(|one| one.before == Some(settles) && one.unpaid_from.is_some());
                let left = left.map(|one| (settles, one.first_day.saturating_sub(1.day())));
                ground.transitions.extend(left.filter(|(_, end)| *end <= until));
                let own = paid(&ground, &spans, start, until).into_iter();
                submitted.extend(own.filter(|(_, end, id)| *id == settles && *end <= until));
            }
            let from = if later { today.saturating_add(ahead.days()) } else { NOW };
            spans = ground.plan_assignments(&spans, &[(from, wanted)], None);
            let all = paid(&ground, &spans, start, date(2027, 12, 31));
            let mut next = start;
            for (from, until, _) in &all {
                prop_assert_eq!(*from, next, "{:?} of {:?}", all, spans);
                next = until.saturating_add(1.day());
            }
            prop_assert!(next > date(2027, 11, 30), "paid until {}", next);
            for period in &submitted {
                prop_assert!(all.contains(period), "{:?} was submitted and is no more: {:?}", period, spans);
            }
            prop_assert_eq!(ground.plan_assignments(&spans, &[(from, wanted)], None), spans.clone(), "nothing is planned twice");
        }
    }
}
