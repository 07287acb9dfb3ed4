//! Overtime by workweek in whole paychecks, against worked examples of 29 CFR part 778 and of the Department of Labor.

use jiff::ToSpan;
use jiff::civil::{Date, date};
use proptest::prelude::*;

use super::sample::{END, START, biweekly_payroll, by_the_hour, parse_amount};
use super::*;
use crate::amount::Amount;
use crate::compensation::{FlsaStatus, PayTerms, PaymentUnit};
use crate::days::Days;
use crate::explain::{NoTrace, Recorder, evaluator};
use crate::wage_hour::OvertimeRules;

/// Returns the hours of a day.
fn day(date: Date, hours: &str) -> Worked {
    let none = Amount::ZERO;
    Worked { from: date, until: date, regular: parse_amount(hours), overtime: none, double_overtime: none }
}

/// Returns the hours of consecutive days from a given day.
fn days(from: Date, hours: &[&str]) -> Vec<Worked> {
    (0_i64..).zip(hours).map(|(place, hours)| day(from.saturating_add(place.days()), hours)).collect()
}

/// Returns hours that another payroll has paid at straight time.
fn straight(hours: Vec<Worked>) -> Vec<PaidBefore> {
    hours.into_iter().map(PaidBefore::at_straight_time).collect()
}

fn terms(rate: &str) -> Compensation {
    let terms = PayTerms { rate: parse_amount(rate), unit: PaymentUnit::Hour, flsa: FlsaStatus::Nonexempt };
    Compensation { effective: date(2020, 1, 1), terms, floors: Vec::new() }
}

/// Returns pay of 2.13 an hour with the federal minimum wage.
fn tipped() -> Compensation {
    let floor = Floor {
        from: date(2009, 7, 24),
        minimum_wage: parse_amount("7.25"),
        tip_credit: parse_amount("5.12"),
        tips_from: Amount::ZERO,
    };
    Compensation { floors: vec![floor], ..terms("2.13") }
}

/// Returns a job; hours before the pay period count as paid by an earlier payroll.
fn job(compensation: Compensation, hours: Vec<Worked>) -> Job {
    let one = by_the_hour("1", "0").jobs.remove(0);
    let (by_week, paid_before): (Vec<_>, Vec<_>) = hours.into_iter().partition(|worked| worked.from >= START);
    let paid_before = straight(paid_before);
    Job { compensations: vec![compensation], worked: Vec::new(), by_week, paid_before, ..one }
}

/// Returns an employee whose workweeks begin on Monday, like the pay period.
fn employee(jobs: Vec<Job>) -> Employee<'static, u32> {
    let overtime = Overtime { first_day: START, ..Overtime::federal_law() };
    Employee { jobs, overtime, ..by_the_hour("1", "0") }
}

fn bonus(dollars: &str) -> FixedPay {
    FixedPay::new(FixedKind::Earnings, 0, parse_amount(dollars))
}

/// Returns the paycheck, after checking every figure of its explanation.
fn paid(employee: &Employee<'_, u32>) -> Paycheck<u32> {
    let mut recorder = Recorder::default();
    let explained = calculate_paycheck(&mut recorder, &biweekly_payroll(), employee).unwrap();
    for node in recorder.finish() {
        evaluator::check(&node.to_json()).unwrap();
    }
    let paid = calculate_paycheck(&mut NoTrace, &biweekly_payroll(), employee).unwrap();
    assert_eq!(paid, explained);
    paid
}

fn text<const N: usize>(amounts: [Amount; N]) -> [String; N] {
    amounts.map(|amount| amount.to_text(2))
}

#[test]
fn forty_six_hours_at_12_dollars_pay_588_and_with_a_production_bonus_637() {
    // 29 CFR 778.110(a) and (b).
    let mut one = employee(vec![job(terms("12"), days(START, &["9", "9", "9", "9", "10"]))]);
    let pay = paid(&one);
    assert_eq!(text([pay.jobs[0].regular, pay.jobs[0].overtime, pay.gross]), ["480.00", "108.00", "588.00"]);
    assert_eq!(text(pay.jobs[0].hours), ["40.00", "6.00", "0.00"]);
    one.fixed = vec![bonus("46")];
    assert_eq!(text([paid(&one).gross]), ["637.00"]);
    // 29 CFR 778.211: a discretionary bonus is paid in addition, and does not raise the regular rate.
    one.fixed[0].excluded = true;
    assert_eq!(text([paid(&one).gross]), ["634.00"]);
    // Tips are not remuneration from the employer (29 CFR 531.60).
    one.fixed = vec![FixedPay::new(FixedKind::PaycheckTips, 0, parse_amount("46"))];
    assert_eq!(text([paid(&one).gross]), ["634.00"]);
}

#[test]
fn a_bonus_is_divided_by_all_hours_and_half_of_the_regular_rate_is_added_for_each_hour_of_overtime() {
    // The formula of fact sheet 56A (December 2019): total compensation of the workweek divided by all hours worked is the regular
    // rate; half of it for each hour of overtime. The sheet has no figures; these are 748.00 for 44 hours, 17.00 an hour, and 34.00
    // for four hours.
    let mut one = employee(vec![job(terms("16"), days(START, &["9", "9", "9", "9", "8"]))]);
    one.fixed = vec![bonus("44")];
    let pay = paid(&one);
    assert_eq!(text([pay.jobs[0].regular, pay.jobs[0].overtime, pay.gross]), ["640.00", "98.00", "782.00"]);
    // Example A of fact sheet 56C (December 2019): 43 hours at 10.00 and a bonus of 50.00 are 480.00, 11.16 an hour; three times
    // 5.58 are 16.74.
    let mut one = employee(vec![job(terms("10"), days(START, &["9", "9", "9", "8", "8"]))]);
    one.fixed = vec![bonus("50")];
    let pay = paid(&one);
    assert_eq!(text([pay.jobs[0].regular, pay.jobs[0].overtime, pay.gross]), ["400.00", "46.74", "496.74"]);
}

#[test]
fn hours_at_a_place_with_a_lower_minimum_wage_make_up_for_none_at_one_with_a_higher() {
    // 8 x (19.29 - 17.29) is 16.00; the second day, at 15.16, does not reduce it.
    let floor = |day, wage| {
        let (minimum_wage, from) = (parse_amount(wage), START.saturating_add(i64::days(day)));
        Floor { from, minimum_wage, tip_credit: parse_amount("3.02"), tips_from: Amount::ZERO }
    };
    let of_days = |hours: &[&str]| {
        let floors = vec![floor(0, "19.29"), floor(1, "15.16")];
        employee(vec![job(Compensation { floors, ..terms("17.29") }, days(START, hours))])
    };
    assert_eq!(text([paid(&of_days(&["8"])).jobs[0].make_up]), ["16.00"]);
    let mut both = of_days(&["8", "8"]);
    assert_eq!(text([paid(&both).jobs[0].make_up]), ["16.00"]);
    // Tips cover the shortfall, up to its credit of 24.16; the second day takes none of them.
    both.fixed = vec![FixedPay::new(FixedKind::PaycheckTips, 0, parse_amount("10"))];
    assert_eq!(text([paid(&both).jobs[0].make_up]), ["6.00"]);
}

#[test]
fn a_tipped_hour_of_overtime_pays_one_and_a_half_minimum_wages_less_the_credit() {
    // Fact sheet 15: overtime is calculated from the minimum wage, and its tip credit is no larger than for any other hour. So
    // 1.5 x 7.25 - 5.12 = 5.755 for each of six hours, 2.13 for each of forty.
    let mut one = employee(vec![job(tipped(), days(START, &["9", "9", "9", "9", "10"]))]);
    one.fixed = vec![FixedPay::new(FixedKind::CashTips, 0, parse_amount("300"))];
    let pay = paid(&one);
    assert_eq!(text([pay.jobs[0].regular, pay.jobs[0].overtime]), ["85.20", "34.53"]);
    assert_eq!(pay.jobs[0].make_up, Amount::ZERO, "300.00 of tips are more than 46 x 5.12");
    // With 100.00 of tips in two weeks of equal hours each week has 50.00: 46 x 7.25 - 97.98 - 50.00 is missing in each.
    one.jobs[0].by_week.extend(days(date(2026, 6, 8), &["9", "9", "9", "9", "10"]));
    one.fixed[0].amount = parse_amount("100");
    assert_eq!(text([paid(&one).jobs[0].make_up]), ["371.04"]);
}

#[test]
fn a_server_with_two_jobs_and_a_bonus_has_the_weighted_average_or_the_rate_in_effect() {
    let server = job(tipped(), days(START, &["10", "10", "10"]));
    let clerk = job(terms("15"), days(date(2026, 6, 4), &["10", "6"]));
    let mut one = employee(vec![server, clerk]);
    one.fixed = vec![bonus("100"), FixedPay::new(FixedKind::PaycheckTips, 0, parse_amount("200"))];
    // 29 CFR 778.115, 531.60: (30 x 7.25 + 16 x 15.00 + 100.00) / 46 = 12.12, and half of it for six hours.
    let pay = paid(&one);
    assert_eq!(
        text([pay.jobs[0].regular, pay.jobs[0].overtime, pay.jobs[0].make_up]),
        ["63.90", "0.00", "0.00"]
    );
    assert_eq!(text([pay.jobs[1].regular, pay.jobs[1].overtime]), ["150.00", "126.36"]);
    // 63.90 + 240.00 + 36.36 + 100.00 + 200.00.
    assert_eq!(text([pay.gross]), ["640.26"]);
    // 29 USC 207(g)(2): the six hours were worked at 15.00, to which the bonus adds 100.00 / 46 = 2.17.
    one.jobs[1].agreed_overtime_rate = true;
    assert_eq!(text([paid(&one).jobs[1].overtime]), ["141.51"]);
}

#[test]
fn a_salary_for_whatever_hours_brings_half_of_its_rate_for_overtime() {
    // 29 CFR 778.114(b)(1): 600.00 a week; for 50 hours it is 12.00 an hour, and ten of them add 6.00 each. A week of 37.5 hours
    // pays the salary.
    let terms = PayTerms {
        rate: parse_amount("31200"),
        unit: PaymentUnit::Year,
        flsa: FlsaStatus::SalariedNonexempt,
    };
    let salary = Compensation { effective: date(2020, 1, 1), terms, floors: Vec::new() };
    let mut hours = days(START, &["10"; 5]);
    hours.extend(days(date(2026, 6, 8), &["7.5"; 5]));
    let mut one = employee(vec![job(salary, hours)]);
    one.jobs[0].fluctuating_workweek = true;
    let pay = paid(&one);
    assert_eq!(text([pay.jobs[0].salary, pay.jobs[0].overtime, pay.gross]), ["1200.00", "60.00", "1260.00"]);
    // Without the agreement, the salary is for 40 hours, and each of the ten hours above them pays 22.50.
    one.jobs[0].fluctuating_workweek = false;
    assert_eq!(text([paid(&one).jobs[0].overtime]), ["225.00"]);
    // 29 CFR 778.114(a)(1): a bonus is added to the salary: 700.00 for 50 hours is 14.00 an hour.
    one.jobs[0].fluctuating_workweek = true;
    one.jobs[0].by_week.truncate(5);
    one.fixed =
        vec![FixedPay { earned: Some(Days { first: START, last: date(2026, 6, 7) }), ..bonus("100") }];
    assert_eq!(text([paid(&one).jobs[0].overtime]), ["70.00"]);
}

#[test]
fn each_workweek_stands_alone() {
    // 29 CFR 778.104: 50 and 30 hours are not 40 and 40.
    let mut hours = days(START, &["10"; 5]);
    hours.extend(days(date(2026, 6, 8), &["10"; 3]));
    let pay = paid(&employee(vec![job(terms("10"), hours)]));
    assert_eq!(text([pay.jobs[0].regular, pay.jobs[0].overtime]), ["700.00", "150.00"]);
}

#[test]
fn a_workweek_across_pay_periods_pays_its_overtime_where_it_ends() {
    // Workweeks begin on Sunday. 10 hours on 31 May were paid before; those of 14 June belong to a week that continues.
    let mut hours = days(date(2026, 5, 31), &["10", "8", "8", "8", "8", "8"]);
    hours.push(day(END, "14"));
    let mut one = employee(vec![job(terms("10"), hours)]);
    one.overtime.first_day = date(2026, 1, 4);
    // 54 hours of this period, and half of the rate for ten of the 50 hours of the first week.
    let pay = paid(&one);
    assert_eq!(text([pay.jobs[0].regular, pay.jobs[0].overtime, pay.gross]), ["440.00", "150.00", "590.00"]);
    assert_eq!(pay.jobs[0].flsa_premium.to_text(2), "50.00");
    // The week ends with the last day of work: California counts 14 hours in a day.
    one.jobs[0].left = Some(END);
    one.overtime.rule = OvertimeRules::built_in().rule_of_state("CA");
    let pay = paid(&one);
    assert_eq!(text(pay.jobs[0].hours), ["40.00", "12.00", "2.00"]);
    // 8 hours on 5 June and 4 on 14 June at 15.00; the two overtime hours on 31 May add only their premium of 5.00 each.
    assert_eq!(text([pay.jobs[0].overtime, pay.jobs[0].double_overtime]), ["190.00", "40.00"]);
    // The federal law asks for no more than before: the second week has 14 hours.
    assert_eq!(pay.jobs[0].flsa_premium.to_text(2), "50.00");
    // An off-cycle payroll leaves what the first week is still owed to the regular one.
    let outside = Payroll { pays_salaries: false, ..biweekly_payroll() };
    let pay = calculate_paycheck(&mut NoTrace, &outside, &one).unwrap();
    assert_eq!(text([pay.jobs[0].overtime, pay.jobs[0].double_overtime]), ["180.00", "40.00"]);
}

/// Returns hours that the payroll at a position paid, with their overtime as of that time.
fn settled(place: u16, hours: Vec<Worked>) -> Vec<PaidBefore> {
    hours.into_iter().map(|worked| PaidBefore { worked, place, settled: true }).collect()
}

#[test]
fn a_workweek_whose_end_was_paid_first_pays_what_is_owed_with_the_days_before() {
    // Workweeks begin on Monday, and the one of 8 June ends on 14 June. The payroll that begins on 13 June was processed with 8
    // hours; 50 hours on the days before make it 58, 18 of them overtime.
    let period = Payroll { end: date(2026, 6, 12), ..biweekly_payroll() };
    let of = |employee: &Employee<'_, u32>| {
        let mut recorder = Recorder::default();
        let found = calculate_paycheck(&mut recorder, &period, employee).unwrap();
        for node in recorder.finish() {
            evaluator::check(&node.to_json()).unwrap();
        }
        text([found.jobs[0].regular, found.jobs[0].overtime])
    };
    let mut one = employee(vec![job(terms("20"), days(date(2026, 6, 8), &["10"; 5]))]);
    one.overtime.settled_until = Some(date(2026, 6, 14));
    one.jobs[0].paid_before = settled(0, days(date(2026, 6, 13), &["8"]));
    assert_eq!(of(&one), ["640.00", "540.00"]);
    // With a raise on 13 June the 58 hours earn 1,240.00, 21.38 an hour: 360.00 and half of it for 18 hours.
    one.jobs[0].later = vec![Compensation { effective: date(2026, 6, 13), ..terms("30") }];
    assert_eq!(of(&one), ["640.00", "552.42"]);
    one.jobs[0].later.clear();
    // Of 45 hours, five were paid as overtime; each of ten more is overtime, and those five are not paid again.
    one.jobs[0].paid_before = settled(0, days(date(2026, 6, 13), &["22.5", "22.5"]));
    one.jobs[0].by_week.truncate(1);
    assert_eq!(of(&one), ["0.00", "300.00"]);
    // Nothing more was worked, so nothing is owed.
    one.jobs[0].by_week.clear();
    assert_eq!(of(&one), ["0.00", "0.00"]);
    // Until that payroll is processed, an hour pays straight time.
    one.jobs[0].by_week = days(date(2026, 6, 8), &["10"; 5]);
    one.overtime.settled_until = None;
    one.jobs[0].paid_before.clear();
    assert_eq!(of(&one), ["1000.00", "0.00"]);
}

#[test]
fn hours_of_a_week_count_in_the_order_in_which_they_were_paid() {
    // Workweeks begin on Sunday, 31 May. A payroll for the days before 1 June paid 10 hours straight, and an off-cycle one 32 hours with
    // their overtime: which hours it paid as overtime depends on which payroll was first.
    let mut one = employee(vec![job(terms("10"), days(date(2026, 6, 5), &["8"]))]);
    one.overtime.first_day = date(2026, 1, 4);
    let before = |first: u16, second: u16| {
        let mut paid = settled(second, days(START, &["8"; 4]));
        paid.extend(days(date(2026, 5, 31), &["10"]).into_iter().map(|worked| PaidBefore {
            worked,
            place: first,
            settled: false,
        }));
        paid
    };
    // 10, then 32 hours: two were paid as overtime. The eight on Friday are overtime.
    one.jobs[0].paid_before = before(0, 1);
    assert_eq!(text([paid(&one).jobs[0].regular, paid(&one).jobs[0].overtime]), ["0.00", "120.00"]);
    // 32, then 10 hours: two of the ten are overtime, and no payroll has paid their premium of 5.00 each.
    one.jobs[0].paid_before = before(1, 0);
    assert_eq!(text([paid(&one).jobs[0].regular, paid(&one).jobs[0].overtime]), ["0.00", "130.00"]);
}

#[test]
fn a_bonus_that_is_paid_later_brings_a_premium_of_its_own() {
    // 29 CFR 778.209(b): 100.00 for four weeks, two of them with 50 hours: 2.50 for each of the two.
    let week = |start: Date, hours: [&str; 5]| days(start, &hours);
    let mut hours = week(date(2026, 5, 4), ["10"; 5]);
    hours.extend(week(date(2026, 5, 11), ["8"; 5]));
    hours.extend(week(date(2026, 5, 18), ["10"; 5]));
    hours.extend(week(date(2026, 5, 25), ["8", "8", "8", "8", "6"]));
    let mut one = employee(vec![job(terms("20"), hours)]);
    let earned = Some(Days { first: date(2026, 5, 4), last: date(2026, 5, 31) });
    one.fixed = vec![FixedPay { earned, ..bonus("100") }];
    let pay = paid(&one);
    assert_eq!(text([pay.jobs[0].recalculated, pay.gross]), ["5.00", "105.00"]);
    assert!(pay.warnings.is_empty(), "{:?}", pay.warnings);
    // A discretionary bonus adds nothing; if the hours of a week are unknown, the paycheck warns.
    one.fixed[0].excluded = true;
    assert_eq!(paid(&one).jobs[0].recalculated, Amount::ZERO);
    one.fixed = vec![FixedPay {
        earned: Some(Days { first: date(2026, 4, 27), last: date(2026, 5, 31) }),
        ..bonus("100")
    }];
    let pay = paid(&one);
    assert_eq!(text([pay.jobs[0].recalculated]), ["4.00"]);
    assert_eq!(pay.warnings, [Warning::WorkweeksNotKnown { known: 4, count: 5 }]);
}

#[test]
fn a_correction_of_a_week_that_was_paid_adds_its_overtime_alone() {
    // 42 hours were paid, two of them as overtime; three more on Monday are overtime, too.
    let mut one = employee(vec![job(terms("10"), days(START, &["3"]))]);
    one.jobs[0].paid_before = straight(days(START, &["9", "9", "8", "8", "8"]));
    let outside = Payroll { pays_salaries: false, ..biweekly_payroll() };
    let pay = calculate_paycheck(&mut NoTrace, &outside, &one).unwrap();
    assert_eq!(text([pay.jobs[0].regular, pay.jobs[0].overtime]), ["0.00", "45.00"]);
    // A bonus for the week alone adds 45.00 over 45 hours, 0.50 for each of five hours of overtime.
    one.jobs[0].paid_before = straight(days(START, &["9"; 5]));
    one.jobs[0].by_week.clear();
    one.fixed = vec![FixedPay { earned: Some(Days { first: START, last: date(2026, 6, 7) }), ..bonus("45") }];
    let pay = calculate_paycheck(&mut NoTrace, &outside, &one).unwrap();
    assert_eq!(text([pay.jobs[0].recalculated, pay.gross]), ["2.50", "47.50"]);
}

#[test]
fn a_salary_covers_regular_hours_and_overtime_follows_from_its_rate() {
    // 29 CFR 778.113: 52,000.00 a year is 25.00 an hour; five hours of overtime pay 37.50 each in addition to 2,000.00.
    let mut salary = terms("52000");
    salary.terms = PayTerms { unit: PaymentUnit::Year, flsa: FlsaStatus::SalariedNonexempt, ..salary.terms };
    let pay = paid(&employee(vec![job(salary, days(START, &["9"; 5]))]));
    assert_eq!(
        text([pay.jobs[0].salary, pay.jobs[0].regular, pay.jobs[0].overtime]),
        ["2000.00", "0.00", "187.50"]
    );
}

#[test]
fn overtime_that_was_entered_stays_and_is_paid_at_the_regular_rate() {
    let entered = |regular: &str, overtime: &str| Worked {
        from: START,
        until: date(2026, 6, 7),
        regular: parse_amount(regular),
        overtime: parse_amount(overtime),
        double_overtime: Amount::ZERO,
    };
    let mut one = employee(vec![job(terms("12"), vec![entered("40", "6")])]);
    one.fixed = vec![bonus("46")];
    assert_eq!(text([paid(&one).gross]), ["637.00"]);
    assert!(paid(&one).warnings.is_empty());
    one.jobs[0].by_week = vec![entered("44", "2")];
    let expected = Warning::OvertimeBelowLaw {
        week: START,
        entered: parse_amount("2"),
        due: parse_amount("6"),
        section: "29 USC 207(a)(1)".to_owned(),
    };
    assert_eq!(paid(&one).warnings, [expected]);
}

#[test]
fn california_pays_days_and_double_time() {
    let mut one = employee(vec![job(terms("20"), days(START, &["13", "8", "6"]))]);
    one.overtime.rule = OvertimeRules::built_in().rule_of_state("CA");
    let pay = paid(&one);
    // 22 hours, four at 30.00, one at 40.00.
    let job = &pay.jobs[0];
    assert_eq!(text([job.regular, job.overtime, job.double_overtime]), ["440.00", "120.00", "40.00"]);
}

#[test]
fn a_rate_counts_from_its_day_on() {
    let mut raised = job(terms("10"), days(START, &["9"; 5]));
    raised.compensations.push(Compensation { effective: date(2026, 6, 4), ..terms("20") });
    // 27 x 10.00 + 18 x 20.00 = 630.00, 14.00 an hour, and half of it for five hours.
    assert_eq!(text([paid(&employee(vec![raised])).gross]), ["665.00"]);
}

proptest! {
    #[test]
    fn jobs_weeks_and_lines_add_up_and_their_order_is_irrelevant(
        hours in proptest::collection::vec((0_i64..14, 0_usize..2, 0_i64..1_200), 0..20),
        (tips, earned, rule) in (0_i64..50_000, 0_i64..50_000, 0_usize..6),
    ) {
        let state = ["US", "AK", "CA", "CO", "KY", "NV"][rule];
        let mut by_day = std::collections::BTreeMap::new();
        for (place, job, cents) in hours {
            by_day.insert((place, job), cents);
        }
        let of = |job: usize| {
            let own = by_day.iter().filter(move |((_, of), _)| *of == job);
            let line = |((place, _), cents): (&(i64, usize), &i64)| {
                day(START.saturating_add((*place).days()), &Amount::from_cents(*cents).to_text(2))
            };
            own.map(line).collect::<Vec<_>>()
        };
        let mut one = employee(vec![job(tipped(), of(0)), job(terms("15.37"), of(1))]);
        one.overtime.rule = OvertimeRules::built_in().rule_of_state(state);
        one.fixed = vec![
            FixedPay::new(FixedKind::PaycheckTips, 0, Amount::from_cents(tips)),
            FixedPay::new(FixedKind::Earnings, 1, Amount::from_cents(earned)),
        ];
        let pay = paid(&one);
        let jobs: i64 = pay.jobs.iter().map(|job| job.total_pay().unwrap().cents_half_up()).sum();
        prop_assert_eq!(pay.gross.cents_half_up(), jobs + tips + earned);
        let worked: i64 = by_day.values().sum();
        let sorted: i64 = pay.jobs.iter().flat_map(|job| job.hours).map(Amount::cents_half_up).sum();
        prop_assert_eq!(sorted, worked);
        // In no week does the server earn less than the minimum wage, including tips.
        let served: i64 = by_day.iter().filter(|((_, job), _)| *job == 0).map(|(_, cents)| cents).sum();
        let server = &pay.jobs[0];
        let with_tips = server.total_pay().unwrap().cents_half_up() + tips;
        prop_assert!(with_tips + 2 >= served * 725 / 100);
        for job in &mut one.jobs {
            job.by_week.reverse();
        }
        prop_assert_eq!(paid(&one), pay);
    }
}
