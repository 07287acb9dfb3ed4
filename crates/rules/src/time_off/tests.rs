use jiff::civil::date;
use proptest::prelude::*;

use super::*;
use crate::violation::Checks;

fn hours(text: &str) -> Amount {
    Amount::parse(text).unwrap()
}

fn terms(method: AccrualMethod, rate: &str) -> AccrualTerms {
    AccrualTerms {
        method,
        rate: hours(rate),
        rate_unit: method.is_hourly().then(|| hours("30")),
        waiting_days: 0,
        carryover_limit: None,
        yearly_limit: None,
        balance_limit: None,
        reset: None,
    }
}

fn paid(regular: &str, overtime: &str, off: &str) -> HoursPaid {
    HoursPaid { regular: hours(regular), overtime: hours(overtime), off: hours(off), of_period: Some((1, 1)) }
}

fn earned(terms: &AccrualTerms, standing: Standing, paid: &HoursPaid) -> String {
    terms.paycheck_effect(standing, paid, Taken::default(), true).unwrap().earned.to_text(3)
}

fn faults(terms: &AccrualTerms) -> Vec<String> {
    let mut checks = Checks::new();
    terms.check_terms(&mut checks);
    checks.finish().err().into_iter().flatten().map(|violation| violation.key).collect()
}

#[test]
fn each_hourly_method_counts_its_own_hours_and_rounds_up_to_a_thousandth() {
    let paid = paid("72", "5", "8");
    for (method, expected) in [
        (AccrualMethod::PerHourWorked, "2.567"), // 77 / 30 = 2.5666…
        (AccrualMethod::PerHourWorkedNoOvertime, "2.400"),
        (AccrualMethod::PerHourPaid, "2.834"), // 85 / 30 = 2.8333…
        (AccrualMethod::PerHourPaidNoOvertime, "2.667"),
        (AccrualMethod::PerPayPeriod, "1.000"),
        (AccrualMethod::PerCalendarYear, "0.000"),
        (AccrualMethod::PerAnniversaryYear, "0.000"),
        (AccrualMethod::Unlimited, "0.000"),
    ] {
        assert_eq!(earned(&terms(method, "1"), Standing::default(), &paid), expected, "{method:?}");
    }
    let bonus = HoursPaid { of_period: None, ..paid };
    let per_period = terms(AccrualMethod::PerPayPeriod, "1");
    assert_eq!(earned(&per_period, Standing::default(), &bonus), "0.000", "a bonus is no pay period");
    let three_days = HoursPaid { of_period: Some((3, 14)), ..paid };
    assert_eq!(earned(&per_period, Standing::default(), &three_days), "0.215", "a part of one: 0.2142…");
}

#[test]
fn a_pay_period_earns_once_however_many_paychecks_it_has() {
    let after = |method, before: &str| {
        let standing = Standing { earned_in_period: hours(before), ..Standing::default() };
        earned(&terms(method, "1"), standing, &paid("60", "0", "0"))
    };
    let of_period = ["0", "0.4", "1", "1.5"].map(|before| after(AccrualMethod::PerPayPeriod, before));
    assert_eq!(of_period, ["1.000", "0.600", "0.000", "0.000"]);
    assert_eq!(after(AccrualMethod::PerHourWorked, "1"), "2.000", "hours are worked once");
}

#[test]
fn the_limits_of_the_year_and_of_the_balance_hold_what_is_earned_back() {
    let standing = Standing { balance: hours("38"), earned_in_year: hours("46.5"), ..Standing::default() };
    let mut terms = AccrualTerms {
        yearly_limit: Some(hours("48")),
        balance_limit: Some(hours("40")),
        ..terms(AccrualMethod::PerPayPeriod, "4")
    };
    assert_eq!(
        earned(&terms, standing, &HoursPaid { of_period: Some((1, 1)), ..HoursPaid::default() }),
        "1.500"
    );
    terms.yearly_limit = None;
    let period = HoursPaid { of_period: Some((1, 1)), ..HoursPaid::default() };
    assert_eq!(earned(&terms, standing, &period), "2.000");
    // Eight hours off make room for what the same paycheck earns.
    let effect = terms
        .paycheck_effect(standing, &period, Taken { used: hours("8"), ..Taken::default() }, true)
        .unwrap();
    assert_eq!(
        (effect.earned.to_text(0), effect.balance_after(standing.balance).unwrap().to_text(0)),
        ("4".into(), "34".into())
    );
    // A balance above a limit that was lowered later stays; it does not grow.
    let above = Standing { balance: hours("60"), ..standing };
    assert_eq!(earned(&terms, above, &period), "0.000");
}

#[test]
fn nothing_is_earned_before_the_waiting_period_is_over() {
    let terms = AccrualTerms { waiting_days: 90, ..terms(AccrualMethod::PerHourWorked, "1") };
    assert_eq!(terms.first_earning_day(date(2026, 3, 2)), date(2026, 5, 31));
    let effect =
        terms.paycheck_effect(Standing::default(), &paid("80", "0", "0"), Taken::default(), false).unwrap();
    assert_eq!(effect.changes(), []);
}

#[test]
fn a_year_of_the_policy_begins_on_its_day_and_carries_over_only_so_much() {
    let by_year = AccrualTerms {
        carryover_limit: Some(hours("24")),
        balance_limit: Some(hours("60")),
        ..terms(AccrualMethod::PerCalendarYear, "40")
    };
    let hired = date(2024, 2, 29);
    let turn = by_year.next_turn(hired, date(2026, 6, 1)).unwrap();
    assert_eq!(turn, Turn { day: date(2027, 1, 1), carries_over: true, grants: true });
    assert_eq!(by_year.lost_hours(hours("37.5")).unwrap().to_text(1), "13.5");
    assert_eq!(
        by_year.granted_hours(hours("24")).unwrap().to_text(0),
        "36",
        "within the limit of the balance"
    );
    let in_july = AccrualTerms { reset: YearDay::parse("07-01"), ..by_year };
    assert_eq!(in_july.next_turn(hired, date(2026, 7, 1)).unwrap().day, date(2027, 7, 1));
    assert_eq!(in_july.year_of(hired, date(2026, 6, 30)), date(2025, 7, 1));
    let by_hire = AccrualTerms { method: AccrualMethod::PerAnniversaryYear, ..by_year };
    assert_eq!(by_hire.next_turn(hired, date(2026, 1, 1)).unwrap().day, date(2026, 2, 28));
    assert_eq!(by_hire.next_turn(hired, date(2027, 12, 31)).unwrap().day, date(2028, 2, 29));
    // The first day of work, and the first after a return, is not an anniversary.
    let back = date(2027, 2, 3);
    for after in [date(2026, 6, 1), date(2027, 2, 2), back] {
        assert_eq!(by_hire.next_turn(back, after).unwrap().day, date(2028, 2, 3), "{after}");
    }
    // Granted on the anniversary, carried over on the reset day of the policy: two different days.
    let apart = AccrualTerms { reset: YearDay::parse("01-01"), ..by_hire };
    let first = apart.next_turn(hired, date(2025, 12, 31)).unwrap();
    assert_eq!(first, Turn { day: date(2026, 1, 1), carries_over: true, grants: false });
    let second = apart.next_turn(hired, first.day).unwrap();
    assert_eq!(second, Turn { day: date(2026, 2, 28), carries_over: false, grants: true });
    assert_eq!(terms(AccrualMethod::PerHourWorked, "1").next_turn(hired, first.day), None);
}

#[test]
fn days_of_a_year_are_read_and_shown_as_month_and_day() {
    for text in ["01-01", "02-29", "12-31"] {
        let day = YearDay::parse(text).unwrap();
        assert_eq!((day.to_string().as_str(), YearDay::of_number(day.sort_number())), (text, Some(day)));
    }
    for faulty in ["", "1-1", "13-01", "02-30", "0101", "01-01-26", "+1-01"] {
        assert_eq!(YearDay::parse(faulty), None, "{faulty:?}");
    }
}

#[test]
fn terms_that_contradict_the_method_are_named_field_by_field() {
    let fine = terms(AccrualMethod::PerHourPaid, "1");
    assert_eq!(faults(&fine), [""; 0]);
    let full = AccrualTerms {
        waiting_days: 30,
        carryover_limit: Some(hours("1")),
        yearly_limit: Some(hours("1")),
        balance_limit: Some(hours("1")),
        reset: YearDay::parse("01-01"),
        ..fine
    };
    assert_eq!(faults(&full), [""; 0]);
    let unlimited = faults(&AccrualTerms { method: AccrualMethod::Unlimited, ..full });
    assert_eq!(
        unlimited,
        [
            "accrual_rate",
            "carryover_limit_hours",
            "max_hours",
            "policy_reset_date",
            "max_accrual_hours_per_year",
            "accrual_waiting_period_days",
            "accrual_rate_unit"
        ]
    );
    let yearly = faults(&AccrualTerms { method: AccrualMethod::PerCalendarYear, ..full });
    assert_eq!(yearly, ["max_accrual_hours_per_year", "accrual_waiting_period_days", "accrual_rate_unit"]);
    assert_eq!(faults(&AccrualTerms { rate_unit: None, ..fine }), ["accrual_rate_unit"]);
    assert_eq!(faults(&AccrualTerms { rate: Amount::ZERO, ..fine }), ["accrual_rate"]);
}

#[test]
fn a_salary_counts_as_a_share_of_2080_hours_less_hours_off() {
    let text = |hours: Option<Amount>| hours.unwrap().to_text(2);
    let of_salary = |periods, held: &[_], off| text(hours_of_salary(periods, held.iter().copied(), off));
    assert_eq!(of_salary(26, &[(1, 1)], Amount::ZERO), "80.00");
    assert_eq!(of_salary(26, &[(7, 14)], hours("8")), "32.00");
    assert_eq!(of_salary(24, &[(15, 15)], Amount::ZERO), "86.666667");
    assert_eq!(of_salary(52, &[(7, 7)], hours("48")), "0.00");
    assert_eq!(of_salary(52, &[(5, 7), (1, 1), (1, 1)], Amount::ZERO), "108.571429");
    assert_eq!(of_salary(12, &[], Amount::ZERO), "0.00");
}

#[test]
fn a_policy_is_held_against_what_the_state_asks_of_sick_leave() {
    let table = SickLeaveTable::built_in();
    let california = table.minimum_of_state("CA").unwrap();
    assert_eq!(california.source, "Cal. Lab. Code 246");
    assert!(table.minimum_of_state("TX").is_none());
    let least: Vec<_> = ["AZ", "CA", "CO"]
        .map(|state| table.minimum_of_state(state).unwrap().at_minimum_wage.is_some())
        .into();
    assert_eq!(least, [true, false, true], "California knows no tip credit");
    let by_hours = terms(AccrualMethod::PerHourWorked, "1");
    assert!(!by_hours.gives_less_than(california, 26));
    let slower = AccrualTerms { rate_unit: Some(hours("40")), ..by_hours };
    assert!(
        slower.gives_less_than(california, 26)
            && !slower.gives_less_than(table.minimum_of_state("WA").unwrap(), 26)
    );
    let capped = AccrualTerms { yearly_limit: Some(hours("24")), ..by_hours };
    assert!(capped.gives_less_than(california, 26));
    assert!(!terms(AccrualMethod::PerCalendarYear, "40").gives_less_than(california, 26));
    assert!(terms(AccrualMethod::PerCalendarYear, "24").gives_less_than(california, 26));
    // 26 times 1.5 is 39 hours; 26 times 1.54 is slightly more than 40.
    assert!(terms(AccrualMethod::PerPayPeriod, "1.5").gives_less_than(california, 26));
    assert!(!terms(AccrualMethod::PerPayPeriod, "1.54").gives_less_than(california, 26));
    assert!(!terms(AccrualMethod::Unlimited, "0").gives_less_than(california, 26));
    for faulty in ["CA,0,40,,s,memory,", "CA,30,40,,s,memory,\nCA,30,40,,s,memory,", "CA,x,40,,s,memory,"] {
        let text =
            format!("state,hours_worked,yearly_limit,at_minimum_wage,source,confidence,note\n{faulty}\n");
        assert!(SickLeaveTable::parse(&text).is_err(), "{faulty}");
    }
}

fn thousandths(most: i64) -> impl Strategy<Value = Amount> {
    (0..=most).prop_map(|number| Amount::from_millionths(number * THOUSANDTH))
}

fn any_terms() -> impl Strategy<Value = AccrualTerms> {
    let limits = || prop::option::of(thousandths(200_000));
    let method = prop::sample::select(<AccrualMethod as crate::Named>::ALL);
    (method, thousandths(40_000), 1..=80_i64, limits(), limits(), limits()).prop_map(
        |(method, rate, unit, carryover_limit, yearly_limit, balance_limit)| AccrualTerms {
            method,
            rate,
            rate_unit: Some(Amount::from_millionths(unit * 1_000_000)),
            waiting_days: 0,
            carryover_limit,
            yearly_limit,
            balance_limit,
            reset: None,
        },
    )
}

proptest! {
    #[test]
    fn a_balance_never_grows_beyond_its_limit_and_is_the_sum_of_its_changes(
        terms in any_terms(),
        paychecks in prop::collection::vec((thousandths(120_000), thousandths(40_000), thousandths(40_000)), 1..40),
    ) {
        let (mut standing, mut sum) = (Standing::default(), Amount::ZERO);
        for (regular, overtime, off) in paychecks {
            let hours = HoursPaid { regular, overtime, off, of_period: Some((1, 1)) };
            let effect = terms.paycheck_effect(standing, &hours, Taken { used: off, ..Taken::default() }, true).unwrap();
            prop_assert!(effect.earned >= Amount::ZERO);
            for (_, change) in effect.changes() {
                sum = sum.checked_add(change).unwrap();
            }
            standing.balance = effect.balance_after(standing.balance).unwrap();
            standing.earned_in_year = standing.earned_in_year.checked_add(effect.earned).unwrap();
            prop_assert_eq!(standing.balance, sum);
            prop_assert!(sum.millionths() % THOUSANDTH == 0, "a thousandth of an hour is the smallest step");
            prop_assert!(terms.balance_limit.is_none_or(|limit| sum <= limit));
            prop_assert!(terms.yearly_limit.is_none_or(|limit| standing.earned_in_year <= limit));
            let lost = terms.lost_hours(sum).unwrap();
            prop_assert!(terms.carryover_limit.is_none_or(|limit| sum.checked_sub(lost).unwrap() <= limit));
            let given = terms.granted_hours(sum).unwrap();
            prop_assert!(terms.balance_limit.is_none_or(|limit| given == Amount::ZERO || sum.checked_add(given).unwrap() <= limit));
        }
    }
}
