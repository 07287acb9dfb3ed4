//! Gross pay and the minimum wage adjustment, against examples calculated by hand.

use super::*;
use crate::compensation::FlsaStatus;
use crate::days::Days;
use crate::explain::{NoTrace, Recorder, evaluator};
use crate::payroll::Proration;
use crate::payroll::input::{Compensation, DayOff, Floor};
use crate::payroll::sample::{END, START, biweekly_payroll};
use crate::withholding::federal::PayFrequency;
use jiff::civil::date;
use proptest::prelude::*;

fn amount(text: &str) -> Amount {
    Amount::parse(text).unwrap()
}

fn terms(rate: &str, unit: PaymentUnit) -> Compensation {
    let terms = PayTerms { rate: amount(rate), unit, flsa: FlsaStatus::Nonexempt };
    Compensation { effective: date(2020, 1, 1), terms, floors: Vec::new() }
}

fn floor(from: Date, minimum_wage: &str, tip_credit: &str) -> Floor {
    Floor {
        from,
        minimum_wage: amount(minimum_wage),
        tip_credit: amount(tip_credit),
        tips_from: Amount::ZERO,
    }
}

/// Returns pay of 2.13 an hour with the federal minimum wage.
fn tipped() -> Compensation {
    Compensation {
        floors: vec![floor(date(2009, 7, 24), "7.25", "5.12")],
        ..terms("2.13", PaymentUnit::Hour)
    }
}

fn worked(Days { first: from, last: until }: Days, hours: [&str; 3]) -> Worked {
    let [regular, overtime, double_overtime] = hours.map(amount);
    Worked { from, until, regular, overtime, double_overtime }
}

fn job(compensations: Vec<Compensation>, hours: [&str; 3]) -> Job {
    Job {
        hired: date(2020, 1, 1),
        left: None,
        away: None,
        away_again: Vec::new(),
        compensations,
        worked: vec![worked(Days { first: START, last: END }, hours)],
        by_week: Vec::new(),
        paid_before: Vec::new(),
        later: Vec::new(),
        agreed_overtime_rate: false,
        fluctuating_workweek: false,
        time_off: Vec::new(),
    }
}

fn paid(job: &Job, tips: &str) -> JobPay {
    let mut recorder = Recorder::default();
    let explained = of_job(&mut recorder, (&biweekly_payroll(), job), amount(tips), || "job".into()).unwrap();
    for node in recorder.finish() {
        evaluator::check(&node.to_json()).unwrap();
    }
    let pay = of_job(&mut NoTrace, (&biweekly_payroll(), job), amount(tips), || "job".into()).unwrap();
    assert_eq!(pay, explained);
    pay
}

fn text(amounts: &[Amount]) -> Vec<String> {
    amounts.iter().map(|amount| amount.to_text(2)).collect()
}

#[test]
fn tips_make_up_for_the_minimum_wage_with_none_some_and_enough() {
    let server = job(vec![tipped()], ["80", "0", "0"]);
    for (tips, make_up) in [("0", "409.60"), ("200.00", "209.60"), ("500.00", "0.00")] {
        let pay = paid(&server, tips);
        assert_eq!(text(&[pay.regular, pay.make_up]), ["170.40", make_up], "{tips}");
    }
    // Tips count up to the credit of 409.60 and no further.
    assert_eq!(paid(&server, "409.60").make_up, Amount::ZERO);
    assert_eq!(paid(&server, "409.59").make_up.to_text(2), "0.01");
}

#[test]
fn an_hour_of_overtime_leaves_no_more_credit_than_any_other() {
    let pay = paid(&job(vec![tipped()], ["40", "10", "0"]), "0");
    // 5.755 an hour is paid as 5.76, and 10.875 is required as 10.88: 142.80 in all (Department of Labor, Fact Sheet 15).
    assert_eq!(pay.regular.checked_add(pay.overtime).unwrap().to_text(2), "142.80");
    assert_eq!(text(&[pay.regular, pay.overtime, pay.make_up]), ["85.20", "57.60", "256.00"]);
    let double = paid(&job(vec![tipped()], ["40", "0", "10"]), "0");
    assert_eq!(text(&[double.double_overtime, double.make_up]), ["93.80", "256.00"]);
    // At 5.00 the credit taken is 2.25, so that overtime is 10.875 less 2.25: 8.625 an hour.
    let higher = Compensation { floors: tipped().floors, ..terms("5.00", PaymentUnit::Hour) };
    let pay = paid(&job(vec![higher], ["40", "10", "0"]), "300");
    assert_eq!(text(&[pay.regular, pay.overtime, pay.make_up]), ["200.00", "86.25", "0.00"]);
    // Overtime at a rate above the minimum wage pays one and a half times that rate.
    let above = Compensation { floors: tipped().floors, ..terms("9.01", PaymentUnit::Hour) };
    let pay = paid(&job(vec![above], ["40", "10", "0"]), "0");
    assert_eq!(text(&[pay.regular, pay.overtime, pay.make_up]), ["360.40", "135.20", "0.00"]);
}

#[test]
fn three_jobs_at_two_minimum_wages_are_brought_up_each_by_itself() {
    let at = |rate: &str, minimum: &str, credit: &str| Compensation {
        floors: vec![floor(date(2020, 1, 1), minimum, credit)],
        ..terms(rate, PaymentUnit::Hour)
    };
    let jobs = [
        (at("2.13", "7.25", "5.12"), "20", "50.00", "52.40"),
        (at("16.27", "19.29", "3.02"), "30", "0", "90.60"),
        (at("25.00", "19.29", "3.02"), "10", "0", "0.00"),
    ];
    for (terms, hours, tips, make_up) in jobs {
        assert_eq!(paid(&job(vec![terms], [hours, "0", "0"]), tips).make_up.to_text(2), make_up);
    }
}

#[test]
fn a_minimum_wage_that_rises_inside_the_period_counts_from_its_day_on() {
    // 10 of 14 days at 7.25, 4 at 8.00 with a credit of 5.87.
    let rising = Compensation {
        floors: vec![floor(date(2009, 7, 24), "7.25", "5.12"), floor(date(2026, 6, 11), "8.00", "5.87")],
        ..terms("2.13", PaymentUnit::Hour)
    };
    // Required 70 x (10 x 7.25 + 4 x 8.00) / 14 = 522.50; wages 149.10; credit 373.40.
    assert_eq!(paid(&job(vec![rising.clone()], ["70", "0", "0"]), "0").make_up.to_text(2), "373.40");
    assert_eq!(paid(&job(vec![rising.clone()], ["70", "0", "0"]), "373.40").make_up, Amount::ZERO);
    // 33 hours: 33 x 104.5 / 14 = 246.3214..., less 70.29: 176.0314...
    assert_eq!(paid(&job(vec![rising], ["33", "0", "0"]), "0").make_up.to_text(2), "176.03");
}

#[test]
fn hours_of_workweeks_are_brought_up_week_by_week() {
    let mut server = job(vec![tipped()], ["0", "0", "0"]);
    server.worked = vec![
        worked(Days { first: START, last: date(2026, 6, 7) }, ["40", "0", "0"]),
        worked(Days { first: date(2026, 6, 8), last: END }, ["20", "0", "0"]),
    ];
    // Tips of 307.20 are exactly the credit; two thirds of them belong to the first week.
    assert_eq!(paid(&server, "307.20").make_up, Amount::ZERO);
    assert_eq!(text(&[paid(&server, "0").make_up, paid(&server, "100").make_up]), ["307.20", "207.20"]);
}

#[test]
fn days_without_the_adjustment_do_not_make_up_for_days_with_it() {
    // Tipped through the 7th, then 20.00 an hour without the adjustment: 40 hours each.
    let better = Compensation { effective: date(2026, 6, 8), ..terms("20", PaymentUnit::Hour) };
    let pay = paid(&job(vec![tipped(), better], ["80", "0", "0"]), "0");
    assert_eq!(text(&[pay.regular, pay.make_up]), ["885.20", "204.80"]);
}

#[test]
fn a_rate_that_changes_inside_the_period_counts_by_calendar_days() {
    let raise = Compensation { effective: date(2026, 6, 5), ..terms("25", PaymentUnit::Hour) };
    let pay = paid(&job(vec![terms("20", PaymentUnit::Hour), raise.clone()], ["70", "7", "0"]), "0");
    // 4 of 14 days at 20.00 and 10 at 25.00: 70 x 23.571428... and 7 x 35.357142...
    assert_eq!(text(&[pay.regular, pay.overtime]), ["1650.00", "247.50"]);
    let late = Compensation { effective: date(2026, 6, 15), ..raise };
    let pay = paid(&job(vec![terms("20", PaymentUnit::Hour), late], ["70", "0", "0"]), "0");
    assert_eq!(pay.regular.to_text(2), "1400.00");
}

#[test]
fn a_salary_is_divided_by_the_pay_periods_of_a_year() {
    let golden = [
        ("52000", PaymentUnit::Year, "2000.00"),
        ("1000", PaymentUnit::Week, "2000.00"),
        ("4333.33", PaymentUnit::Month, "2000.00"),
        ("1234.56", PaymentUnit::Paycheck, "1234.56"),
        ("0", PaymentUnit::Year, "0.00"),
    ];
    for (rate, unit, salary) in golden {
        assert_eq!(
            paid(&job(vec![terms(rate, unit)], ["80", "0", "0"]), "0").total_pay().unwrap().to_text(2),
            salary
        );
    }
}

#[test]
fn a_salary_is_paid_for_the_days_of_employment() {
    let mut clerk = job(vec![terms("36400", PaymentUnit::Year)], ["0", "0", "0"]);
    clerk.hired = date(2026, 6, 8);
    assert_eq!(paid(&clerk, "0").salary.to_text(2), "700.00");
    clerk.left = Some(date(2026, 6, 8));
    assert_eq!(paid(&clerk, "0").salary.to_text(2), "100.00");
    // Left on the 3rd and back on the 12th: 3 of the 14 days at the beginning and 3 at the end.
    clerk.hired = date(2026, 3, 1);
    clerk.left = None;
    clerk.away = Some(Days { first: date(2026, 6, 4), last: date(2026, 6, 11) });
    assert_eq!(paid(&clerk, "0").salary.to_text(2), "600.00");
    // Already back on the 7th, away again from the 9th: 2 more days.
    (clerk.away, clerk.away_again) = (
        Some(Days { first: date(2026, 6, 4), last: date(2026, 6, 6) }),
        vec![Days { first: date(2026, 6, 9), last: date(2026, 6, 11) }],
    );
    assert_eq!(paid(&clerk, "0").salary.to_text(2), "800.00");
    (clerk.away, clerk.away_again) = (None, Vec::new());
    clerk.hired = date(2026, 7, 1);
    assert_eq!(paid(&clerk, "0").salary, Amount::ZERO);
    // A raise on the 8th: half the period at each.
    let raise = Compensation { effective: date(2026, 6, 8), ..terms("72800", PaymentUnit::Year) };
    let clerk = job(vec![terms("36400", PaymentUnit::Year), raise], ["0", "0", "0"]);
    assert_eq!(paid(&clerk, "0").salary.to_text(2), "2100.00");
    // Part of a pay period of four weeks pays its share of the 28 days.
    let clerk = job(vec![terms("36400", PaymentUnit::Year)], ["0", "0", "0"]);
    let prorated = |payroll: Payroll, clerk: &Job| {
        of_job(&mut NoTrace, (&payroll, clerk), Amount::ZERO, String::new).unwrap().salary.to_text(2)
    };
    let part = Payroll { proration: Proration::PartOf(28), ..biweekly_payroll() };
    assert_eq!(prorated(part, &clerk), "700.00");
    // Days before the first period of a weekly schedule: 700.00 for each of two weeks; of a monthly one: 14 of the 31 days of a month.
    let leading_up = |frequency| Payroll { proration: Proration::LeadingUp, frequency, ..biweekly_payroll() };
    assert_eq!(prorated(leading_up(PayFrequency::EveryWeek), &clerk), "1400.00");
    assert_eq!(prorated(leading_up(PayFrequency::Monthly), &clerk), "1369.89");
    let raise = Compensation { effective: date(2026, 6, 11), ..terms("72800", PaymentUnit::Year) };
    let raised = job(vec![terms("36400", PaymentUnit::Year), raise], ["0", "0", "0"]);
    assert_eq!(prorated(leading_up(PayFrequency::EveryWeek), &raised), "1800.00");
    let year = Payroll { start: date(2025, 6, 16), ..leading_up(PayFrequency::EveryWeek) };
    assert_eq!(prorated(year, &Job { hired: year.start, ..clerk.clone() }), "36400.00");
    let off_cycle = Payroll { pays_salaries: false, ..biweekly_payroll() };
    let pay = of_job(&mut NoTrace, (&off_cycle, &clerk), Amount::ZERO, String::new).unwrap();
    assert_eq!(pay.total_pay(), Some(Amount::ZERO));
}

#[test]
fn overtime_of_a_salaried_job_is_paid_by_the_hour_of_a_full_year() {
    let pay = paid(&job(vec![terms("52000", PaymentUnit::Year)], ["80", "4", "1"]), "0");
    // 25.00 an hour.
    assert_eq!(
        text(&[pay.salary, pay.regular, pay.overtime, pay.double_overtime]),
        ["2000.00", "0.00", "150.00", "50.00"]
    );
}

#[test]
fn half_the_rate_of_overtime_is_what_the_federal_law_requires_beyond_it() {
    let premium = |job: &Job| paid(job, "0").flsa_premium.to_text(2);
    // Ten hours at 30.00 and two at 40.00, of which 20.00 an hour are the rate: 100.00 and half of it, 20.00.
    let mut by_hour = job(vec![terms("20", PaymentUnit::Hour)], ["80", "10", "2"]);
    assert_eq!(premium(&by_hour), "120.00");
    by_hour.compensations[0].terms.flsa = FlsaStatus::Exempt;
    assert_eq!(premium(&by_hour), "0.00");
}

#[test]
fn time_off_is_paid_by_the_hour_and_within_a_salary() {
    let off = TimeOff::new(amount("8"), amount("10"));
    let mut by_hour = job(vec![terms("20", PaymentUnit::Hour)], ["72", "0", "0"]);
    by_hour.time_off = vec![off.clone(), TimeOff { paid_out: Amount::ZERO, ..off.clone() }];
    assert_eq!(text(&paid(&by_hour, "0").time_off), ["360.00", "160.00"]);
    let mut salaried = job(vec![terms("52000", PaymentUnit::Year)], ["0", "0", "0"]);
    salaried.time_off = vec![off];
    assert_eq!(text(&paid(&salaried, "0").time_off), ["250.00"]);
}

/// Returns a salaried job with leave without pay.
fn on_leave(flsa: FlsaStatus, hours: &str, days: &[(i8, &str)]) -> Job {
    let mut salaried = job(vec![terms("52000", PaymentUnit::Year)], ["0", "0", "0"]);
    salaried.compensations[0].terms.flsa = flsa;
    let days = days.iter().map(|(day, hours)| DayOff { day: date(2026, 6, *day), hours: amount(hours) });
    salaried.time_off =
        vec![TimeOff { unpaid: true, days: days.collect(), ..TimeOff::new(amount(hours), Amount::ZERO) }];
    salaried
}

#[test]
fn leave_without_pay_lowers_a_salary_by_the_hour_or_by_the_full_day_of_whoever_is_exempt() {
    use FlsaStatus::{Exempt, SalariedNonexempt};
    let salary = |job: Job| {
        let pay = paid(&job, "0");
        assert_eq!(text(&pay.time_off), ["0.00"], "the line itself pays nothing");
        pay.salary.to_text(2)
    };
    // 64 of 80 hours: two days of 2,000.00 at 25.00 an hour.
    for flsa in [Exempt, SalariedNonexempt] {
        assert_eq!(salary(on_leave(flsa, "16", &[])), "1600.00");
        assert_eq!(salary(on_leave(flsa, "80", &[])), "0.00");
        assert_eq!(salary(on_leave(flsa, "96", &[])), "0.00", "no more than there is");
    }
    assert_eq!(salary(on_leave(SalariedNonexempt, "3", &[])), "1925.00");
    assert_eq!(salary(on_leave(Exempt, "3", &[])), "2000.00", "part of a day");
    assert_eq!(salary(on_leave(Exempt, "12", &[])), "1800.00");
    // Six hours on each of two days are no full day, and eight on one are.
    assert_eq!(salary(on_leave(Exempt, "12", &[(2, "6"), (3, "6")])), "2000.00");
    assert_eq!(salary(on_leave(Exempt, "12", &[(2, "8"), (3, "4")])), "1800.00");
    assert_eq!(salary(on_leave(Exempt, "8", &[(2, "4"), (2, "4")])), "1800.00", "entered in two parts");
    // Hourly pay is not touched: the hours are not worked.
    let mut by_hour = on_leave(Exempt, "16", &[]);
    by_hour.compensations = vec![terms("20", PaymentUnit::Hour)];
    by_hour.worked = vec![worked(Days { first: START, last: END }, ["64", "0", "0"])];
    let pay = paid(&by_hour, "0");
    assert_eq!(text(&[pay.salary, pay.regular, pay.time_off[0]]), ["0.00", "1280.00", "0.00"]);
}

proptest! {
    #[test]
    fn leave_without_pay_never_pays_more_nor_less_than_nothing(
        hours in 0i64..200, rate in 1_000_000i64..30_000_000, exempt in any::<bool>(),
    ) {
        let flsa = if exempt { FlsaStatus::Exempt } else { FlsaStatus::SalariedNonexempt };
        let mut leave = on_leave(flsa, &hours.to_string(), &[]);
        leave.compensations[0].terms.rate = Amount::from_cents(rate);
        let mut whole = leave.clone();
        whole.time_off.clear();
        let (left, all) = (paid(&leave, "0").salary, paid(&whole, "0").salary);
        prop_assert!(left >= Amount::ZERO && left <= all);
        let mut recorder = Recorder::default();
        of_job(&mut recorder, (&biweekly_payroll(), &leave), Amount::ZERO, || "job".to_owned()).unwrap();
        for node in recorder.finish() {
            prop_assert!(evaluator::check(&node.to_json()).is_ok(), "{node:?}");
        }
    }
}

#[test]
fn time_off_is_paid_by_the_hour_of_a_salary_where_no_salary_is_paid() {
    let mut salaried = job(vec![terms("52000", PaymentUnit::Year)], ["0", "0", "0"]);
    salaried.time_off = vec![TimeOff::new(amount("8"), amount("10"))];
    let outside = Payroll { pays_salaries: false, ..biweekly_payroll() };
    let off = |job: &Job| {
        let pay = of_job(&mut NoTrace, (&outside, job), Amount::ZERO, String::new).unwrap();
        assert_eq!(pay.salary, Amount::ZERO);
        text(&pay.time_off)
    };
    // 25.00 an hour, for hours taken and hours paid out.
    assert_eq!(off(&salaried), ["450.00"]);
    // 50.00 an hour in the second of two weeks: four hours at each rate, and ten at the last one.
    salaried
        .compensations
        .push(Compensation { effective: date(2026, 6, 8), ..terms("104000", PaymentUnit::Year) });
    assert_eq!(off(&salaried), ["800.00"]);
    // Commission alone has no hourly rate to pay.
    let mut seller = job(vec![terms("0", PaymentUnit::Year)], ["0", "0", "0"]);
    seller.time_off = vec![TimeOff::new(amount("8"), Amount::ZERO)];
    assert_eq!(off(&seller), ["0.00"]);
}

#[test]
fn time_off_whose_day_is_known_is_paid_at_the_rate_of_the_day() {
    let on = |day: i8, hours: &str| DayOff { day: date(2026, 6, day), hours: amount(hours) };
    let off = |hours: &str, days: &[DayOff]| TimeOff {
        days: days.to_vec(),
        ..TimeOff::new(amount(hours), Amount::ZERO)
    };
    // 20.00 an hour in the first week, and a salary or 30.00 an hour in the second.
    let from_the_8th = |rate, unit| Compensation { effective: date(2026, 6, 8), ..terms(rate, unit) };
    let mut job =
        job(vec![terms("20", PaymentUnit::Hour), from_the_8th("52000", PaymentUnit::Year)], ["0", "0", "0"]);
    job.time_off = vec![off("8", &[on(1, "8")]), off("8", &[on(8, "8")]), off("8", &[])];
    assert_eq!(text(&paid(&job, "0").time_off), ["160.00", "0.00", "80.00"]);
    job.compensations[1] = from_the_8th("30", PaymentUnit::Hour);
    // Two entries on the 1st, and four hours without a known day.
    job.time_off.push(off("16", &[on(1, "4"), on(1, "4"), on(14, "4")]));
    assert_eq!(text(&paid(&job, "0").time_off), ["160.00", "240.00", "200.00", "380.00"]);
}

#[test]
fn sick_pay_of_somebody_with_tips_is_no_less_than_the_minimum_wage_where_the_law_asks_for_it() {
    let mut server = job(vec![tipped()], ["0", "0", "0"]);
    let plain = TimeOff::new(amount("8"), Amount::ZERO);
    server.time_off = vec![plain.clone(), TimeOff { at_minimum_wage: true, ..plain.clone() }];
    assert_eq!(text(&paid(&server, "0").time_off), ["17.04", "58.00"]);
    let above = Compensation { floors: tipped().floors, ..terms("9.01", PaymentUnit::Hour) };
    server.compensations = vec![above];
    assert_eq!(text(&paid(&server, "0").time_off), ["72.08", "72.08"]);
}

#[test]
fn tips_up_to_seven_dollars_an_hour_count_towards_no_minimum_wage_of_hawaii() {
    let floor = Floor { tips_from: amount("7"), ..floor(date(2026, 1, 1), "16", "1.25") };
    let server = Compensation { floors: vec![floor], ..terms("14.75", PaymentUnit::Hour) };
    let server = job(vec![server], ["40", "0", "0"]);
    // 2.00, 7.75 and 8.25 an hour; 40 hours at 1.25 are 50.00.
    for (tips, make_up) in
        [("0", "50.00"), ("80", "50.00"), ("310", "20.00"), ("330", "0.00"), ("900", "0.00")]
    {
        assert_eq!(text(&[paid(&server, tips).make_up]), [make_up], "{tips}");
    }
}

proptest! {
    #[test]
    fn wages_and_credited_tips_reach_the_minimum_wage_for_every_hour(
        rate in 100i64..2_000, minimum in 500i64..2_500, credit in 0i64..1_200,
        hours in proptest::array::uniform3(0i64..6_000), tips in 0i64..100_000, rise in 0i64..400, day in 1i8..=14
    ) {
        let credit = credit.min(minimum);
        let cents = |cents: i64| Amount::from_cents(cents).to_text(2);
        let floors = vec![
            floor(date(2020, 1, 1), &cents(minimum), &cents(credit)),
            floor(date(2026, 6, day), &cents(minimum + rise), &cents(credit + rise)),
        ];
        let server = Compensation { floors, ..terms(&cents(rate), PaymentUnit::Hour) };
        let [a, b, c] = hours.map(cents);
        let pay = paid(&job(vec![server], [a.as_str(), b.as_str(), c.as_str()]), &cents(tips));
        // Checked with separate integer arithmetic: cents x hundredths of hours x days of 14.
        let before = i64::from(day) - 1;
        let all: i64 = hours.iter().sum();
        let spread = |first: i64, then: i64| first * before + then * (14 - before);
        let least = spread(minimum, minimum + rise) * all;
        let credited = (tips * 100 * 14).min(spread(credit, credit + rise) * all);
        let cash = pay.total_pay().unwrap().cents_half_up() * 100 * 14;
        prop_assert!(cash + credited + 700 >= least, "{cash} {credited} {least}");
    }

    #[test]
    fn tips_never_raise_the_make_up(hours in 0i64..10_000, tips in 0i64..100_000, more in 0i64..1_000) {
        let cents = |cents: i64| Amount::from_cents(cents).to_text(2);
        let server = job(vec![tipped()], [&cents(hours), "0", "0"]);
        prop_assert!(paid(&server, &cents(tips + more)).make_up <= paid(&server, &cents(tips)).make_up);
    }
}

#[test]
fn hours_without_days_are_those_of_the_days_that_are_paid_by_the_hour() {
    let at = |effective, rate: &str, unit, flsa| {
        let terms = PayTerms { rate: amount(rate), unit, flsa };
        Compensation { effective, terms, floors: Vec::new() }
    };
    let by_hour = |effective| at(effective, "20", PaymentUnit::Hour, FlsaStatus::Nonexempt);
    let salary = |effective, flsa| at(effective, "52000", PaymentUnit::Year, flsa);
    let middle = date(2026, 6, 8);
    // A week's salary of 1,000.00, and 40 hours of the other week.
    for terms in [
        vec![by_hour(date(2020, 1, 1)), salary(middle, FlsaStatus::Exempt)],
        vec![salary(date(2020, 1, 1), FlsaStatus::Exempt), by_hour(middle)],
    ] {
        let pay = paid(&job(terms, ["40", "2", "0"]), "0");
        assert_eq!(text(&[pay.salary, pay.regular, pay.overtime]), ["1000.00", "800.00", "60.00"]);
    }
    // A salary with overtime has hours of its own, which it covers.
    let both = vec![by_hour(date(2020, 1, 1)), salary(middle, FlsaStatus::SalariedNonexempt)];
    assert_eq!(text(&[paid(&job(both, ["80", "0", "0"]), "0").regular]), ["800.00"]);
    // Beside the salary, two hourly rates share the hours by their days.
    let three = vec![
        by_hour(date(2020, 1, 1)),
        at(date(2026, 6, 5), "30", PaymentUnit::Hour, FlsaStatus::Nonexempt),
        salary(middle, FlsaStatus::Exempt),
    ];
    assert_eq!(text(&[paid(&job(three, ["70", "0", "0"]), "0").regular]), ["1700.00"], "40 and 30 hours");
}
