//! Amounts of benefits by example, and properties that hold for all of them.

use super::*;
use crate::explain::{NoTrace, Recorder, evaluator};
use crate::payroll::{FixedKind, FixedPay, JobPay};
use crate::window::BASELINE;
use jiff::civil::date;
use proptest::prelude::*;

#[path = "limits_tests.rs"]
mod limits_tests;
#[path = "premium_tests.rs"]
mod premium_tests;

const PERIOD_END: Date = date(2026, 3, 15);

fn amount(text: &str) -> Amount {
    Amount::parse(text).unwrap()
}

fn pay() -> Pay {
    Pay {
        period_end: PERIOD_END,
        check_date: date(2026, 3, 20),
        gross: amount("2000"),
        parts: PayParts::default(),
        paid_in_year: Amount::ZERO,
        periods_per_year: 26,
        annual_salary: Some(amount("52000")),
        birth_date: Some(date(1986, 5, 1)),
        two_percent_shareholder: false,
        roth_catch_up: false,
        of_period: true,
        room: amount("2000"),
    }
}

/// Returns an open-ended record of a type, with its code as the id of the record and of the company benefit.
fn benefit(code: u32, terms: BenefitElection) -> Benefit<u32> {
    Benefit {
        company_benefit: code,
        record: code,
        name: format!("Benefit {code}"),
        kind: BenefitType::find_by_code(code.into()).unwrap(),
        window: Window { effective: BASELINE, expiration: None },
        terms,
        active: true,
        company_active: true,
        excluded: Exclusions::default(),
        missed: None,
        recovers: false,
    }
}

fn dollars(deduction: &str, contribution: &str) -> BenefitElection {
    BenefitElection {
        deduction: amount(deduction),
        contribution: Contribution::Amount(amount(contribution)),
        ..BenefitElection::default()
    }
}

fn percent(deduction: &str, contribution: &str) -> BenefitElection {
    BenefitElection {
        deduction: amount(deduction),
        deduct_as_percentage: true,
        contribution: Contribution::Percentage(amount(contribution)),
        ..BenefitElection::default()
    }
}

fn taken(code: u32, deduction: &str, contribution: &str) -> BenefitToDate<u32> {
    let (deduction, contribution) = (amount(deduction), amount(contribution));
    BenefitToDate { deduction, contribution, ..BenefitToDate::new(code, code.into()) }
}

/// Returns the lines, after the independent evaluator has recomputed their explanation.
fn lines(benefits: &[Benefit<u32>], pay: &Pay, taken: &[BenefitToDate<u32>]) -> Vec<Line<u32>> {
    let mut recorder = Recorder::default();
    let result = calculate_benefits(benefits, pay, taken, Limits::built_in(), &mut recorder);
    assert_eq!(result, calculate_benefits(benefits, pay, taken, Limits::built_in(), &mut NoTrace));
    let nodes: Vec<_> = recorder.finish().iter().map(crate::explain::Node::to_json).collect();
    for node in &nodes {
        evaluator::check(node).unwrap_or_else(|error| panic!("{error}: {node:#}"));
    }
    for line in &result {
        for (figure, value) in [
            (deduction_figure(&line.record), line.employee_deduction),
            (contribution_figure(&line.record), line.company_contribution),
        ] {
            let node = nodes.iter().find(|node| node["figure"] == figure.as_str()).unwrap();
            assert_eq!(node["result"], value.to_text(2));
        }
    }
    result
}

/// Returns the deduction and contribution of the only benefit.
fn figures(benefit: Benefit<u32>, pay: &Pay, taken: &[BenefitToDate<u32>]) -> (String, String) {
    let [line] = &lines(&[benefit], pay, taken)[..] else { panic!("the benefit counts") };
    (line.employee_deduction.to_text(2), line.company_contribution.to_text(2))
}

fn pair(deduction: &str, contribution: &str) -> (String, String) {
    (deduction.to_owned(), contribution.to_owned())
}

#[test]
fn a_benefit_counts_when_the_last_day_of_the_pay_period_is_in_its_window() {
    let mut one = benefit(1, dollars("50", "0"));
    one.window = Window { effective: date(2026, 3, 1), expiration: Some(date(2026, 3, 31)) };
    let on = |day| one.standing_on(day);
    assert_eq!(on(date(2026, 2, 28)), Standing::NotInWindow);
    assert_eq!(on(date(2026, 3, 1)), Standing::Applies);
    assert_eq!(on(date(2026, 3, 31)), Standing::Applies);
    assert_eq!(on(date(2026, 4, 1)), Standing::NotInWindow);
    let inactive = Benefit { active: false, ..one.clone() };
    assert_eq!(inactive.standing_on(PERIOD_END), Standing::Inactive);
    let dormant = Benefit { company_active: false, ..one.clone() };
    assert_eq!(dormant.standing_on(PERIOD_END), Standing::CompanyInactive);
    assert_eq!(lines(&[inactive, dormant, one], &pay(), &[]).len(), 1);
}

#[test]
fn amounts_are_dollars_or_percentages_of_gross_pay_rounded_once() {
    assert_eq!(figures(benefit(1, dollars("50", "120.50")), &pay(), &[]), pair("50.00", "120.50"));
    assert_eq!(figures(benefit(5, percent("6", "3")), &pay(), &[]), pair("120.00", "60.00"));
    // Half a cent rounds up, and anything just below it does not, however many decimal places it has.
    let gross = |gross: &str| Pay { gross: amount(gross), ..pay() };
    assert_eq!(figures(benefit(5, percent("5", "0")), &gross("1000.10"), &[]).0, "50.01");
    assert_eq!(figures(benefit(5, percent("0.499999", "0")), &gross("1.00"), &[]).0, "0.00");
    assert_eq!(figures(benefit(5, percent("33.333333", "0")), &gross("0.015"), &[]).0, "0.00");
}

#[test]
fn a_matching_company_gives_no_more_than_the_employee() {
    let elective = |terms: BenefitElection| BenefitElection { elective: true, ..terms };
    assert_eq!(figures(benefit(5, elective(dollars("40", "100"))), &pay(), &[]), pair("40.00", "40.00"));
    assert_eq!(figures(benefit(5, elective(percent("6", "3"))), &pay(), &[]), pair("120.00", "60.00"));
    assert_eq!(figures(benefit(5, elective(percent("2", "3"))), &pay(), &[]), pair("40.00", "40.00"));
}

#[test]
fn tiers_give_their_rate_of_the_part_of_the_deduction_that_lies_in_them() {
    let tier = |rate, threshold| Tier { rate: amount(rate), threshold: amount(threshold) };
    // All of the first 3 %, half of the next 2 %.
    let with = |deduction: &str, tiers: Vec<Tier>| {
        let terms = BenefitElection {
            contribution: Contribution::Tiered(tiers),
            elective: true,
            ..percent(deduction, "0")
        };
        figures(benefit(5, terms), &pay(), &[]).1
    };
    let safe_harbor = || vec![tier("100", "3"), tier("50", "5")];
    assert_eq!(with("0", safe_harbor()), "0.00");
    assert_eq!(with("2", safe_harbor()), "40.00");
    assert_eq!(with("3", safe_harbor()), "60.00");
    assert_eq!(with("4", safe_harbor()), "70.00");
    assert_eq!(with("5", safe_harbor()), "80.00");
    assert_eq!(with("20", safe_harbor()), "80.00");
    // 33.33 % of 2 % of 2,000 is 13.332, and two such tiers are rounded together.
    assert_eq!(with("4", vec![tier("33.33", "2"), tier("33.33", "4")]), "26.66");
}

#[test]
fn percentages_and_tiers_are_of_the_pay_that_the_plan_counts() {
    let job = JobPay {
        salary: amount("1200"),
        overtime: amount("300"),
        time_off: vec![amount("100")],
        ..JobPay::default()
    };
    let bonus = FixedPay::new(FixedKind::Bonus, 0, amount("400"));
    let pay = Pay { parts: PayParts::from_pay_lines(&[job], &[bonus]), ..pay() };
    let with = |kinds: &[PayKind], lines: &[usize], terms: BenefitElection| {
        let excluded = Exclusions { kinds: kinds.to_vec(), lines: lines.to_vec() };
        figures(Benefit { excluded, ..benefit(5, terms) }, &pay, &[])
    };
    assert_eq!(with(&[], &[], percent("10", "5")), pair("200.00", "100.00"));
    assert_eq!(with(&[PayKind::Overtime], &[], percent("10", "5")), pair("170.00", "85.00"));
    assert_eq!(with(&[], &[0], percent("10", "5")), pair("160.00", "80.00"));
    assert_eq!(with(&[PayKind::Regular, PayKind::TimeOff], &[0], percent("10", "5")), pair("30.00", "15.00"));
    assert_eq!(with(&[PayKind::Regular], &[0, 7], dollars("50", "20")), pair("50.00", "20.00"), "dollars");
    let tiers = vec![Tier { rate: amount("100"), threshold: amount("3") }];
    let matched =
        BenefitElection { contribution: Contribution::Tiered(tiers), elective: true, ..dollars("60", "0") };
    assert_eq!(with(&[], &[], matched.clone()).1, "60.00");
    assert_eq!(with(&[], &[0], matched).1, "48.00", "3 % of 1,600");
}

#[test]
fn a_yearly_maximum_counts_what_all_records_of_the_benefit_took_since_january() {
    let capped = |deduction: Option<&str>, contribution: Option<&str>| {
        let mut terms = dollars("100", "80");
        terms.deduction_annual_maximum = deduction.map(amount);
        terms.contribution_annual_maximum = contribution.map(amount);
        figures(benefit(1, terms), &pay(), &[taken(1, "950", "790"), taken(2, "9000", "9000")])
    };
    assert_eq!(capped(Some("1000"), None), pair("50.00", "80.00"));
    assert_eq!(capped(Some("950"), Some("800")), pair("0.00", "10.00"));
    // More was taken than the maximum, which has been lowered since.
    assert_eq!(capped(Some("900"), Some("0")), pair("0.00", "0.00"));
}

#[test]
fn types_that_share_a_legal_limit_share_what_is_left_of_it_in_the_order_of_enrolment() {
    let two = [benefit(5, dollars("300", "0")), benefit(105, dollars("300", "0"))];
    let result = lines(&two, &pay(), &[taken(5, "20000", "5000"), taken(105, "4100", "0")]);
    // 24,500 less 24,100; company contributions do not count.
    let deductions: Vec<_> = result.iter().map(|line| line.employee_deduction.to_text(2)).collect();
    assert_eq!(deductions, ["300.00", "100.00"]);
}

#[test]
fn contributions_of_a_year_count_no_more_pay_than_the_law_lets_a_plan_count() {
    // 26 U.S.C. 401(a)(17): 360,000 in 2026. With pay of 500,000 a year, 4 % is 14,400.
    let half = vec![Tier { rate: amount("50"), threshold: amount("6") }];
    let tiered = BenefitElection { contribution: Contribution::Tiered(half), ..percent("4.8", "0") };
    let of_year = |code, terms: &BenefitElection| {
        let mut sum = (Amount::ZERO, Amount::ZERO);
        for month in 0..10 {
            let pay = Pay {
                gross: amount("50000"),
                room: amount("50000"),
                paid_in_year: Amount::from_cents(5_000_000 * month),
                ..pay()
            };
            let line = lines(&[benefit(code, terms.clone())], &pay, &[]).remove(0);
            sum =
                (add_amounts(sum.0, line.employee_deduction), add_amounts(sum.1, line.company_contribution));
        }
        (sum.0.to_text(2), sum.1.to_text(2))
    };
    let four = BenefitElection { deduct_as_percentage: true, ..percent("0", "4") };
    assert_eq!(of_year(5, &four), pair("0.00", "14400.00"));
    assert_eq!(of_year(108, &four), pair("0.00", "14400.00"));
    // Deferrals have a limit of their own and are 2,400.00 a month. Half of that is matched seven times, then half of 6 % of 10,000.00.
    assert_eq!(of_year(5, &tiered), pair("24000.00", "8700.00"));
    // The match in a SIMPLE IRA has no such limit.
    assert_eq!(of_year(8, &four), pair("0.00", "20000.00"));
    // Dollar amounts are unaffected.
    assert_eq!(of_year(5, &dollars("0", "2000")), pair("0.00", "20000.00"));
}

#[test]
fn deferrals_into_a_simple_ira_count_towards_the_limit_of_all_deferrals_of_the_year() {
    // 26 U.S.C. 402(g)(1) and (3)(D): 24,500 in 2026, of which a SIMPLE IRA takes at most 17,000.
    let both = [benefit(8, dollars("2000", "0")), benefit(5, dollars("2000", "0"))];
    let deductions = |before: &[BenefitToDate<u32>]| {
        let lines = lines(&both, &Pay { room: amount("9000"), ..pay() }, before);
        let deducted: Vec<_> = lines.iter().map(|line| line.employee_deduction.to_text(2)).collect();
        deducted
    };
    assert_eq!(deductions(&[taken(8, "16000", "0")]), ["1000.00", "2000.00"]);
    assert_eq!(deductions(&[taken(8, "16000", "500"), taken(5, "6000", "0")]), ["1000.00", "1500.00"]);
    assert_eq!(deductions(&[taken(8, "1000", "0"), taken(105, "23000", "0")]), ["500.00", "0.00"]);
}

#[test]
fn catch_up_of_a_high_earner_goes_into_roth_contributions_alone() {
    let pay = Pay { birth_date: Some(date(1970, 1, 1)), roth_catch_up: true, ..pay() };
    let terms = BenefitElection { catch_up: true, ..dollars("2000", "0") };
    let before_tax = [taken(5, "24400", "0")];
    assert_eq!(
        figures(benefit(5, terms.clone()), &pay, &before_tax).0,
        "100.00",
        "up to the limit of everybody"
    );
    assert_eq!(figures(benefit(105, terms.clone()), &pay, &before_tax).0, "2000.00", "beyond it");
    let ordinary = Pay { roth_catch_up: false, ..pay };
    assert_eq!(figures(benefit(5, terms), &ordinary, &before_tax).0, "2000.00");
}

#[test]
fn catch_up_takes_the_mark_and_the_age() {
    let at = |catch_up, birth: Option<Date>| {
        let terms = BenefitElection { catch_up, ..dollars("2000", "0") };
        let pay = Pay { birth_date: birth, ..pay() };
        figures(benefit(5, terms), &pay, &[taken(5, "24500", "0")]).0
    };
    assert_eq!(at(false, Some(date(1970, 1, 1))), "0.00");
    assert_eq!(at(true, Some(date(1976, 12, 31))), "2000.00");
    assert_eq!(at(true, Some(date(1977, 1, 1))), "0.00");
    assert_eq!(at(true, None), "2000.00");
    let sixty = |taken_before| {
        let terms = BenefitElection { catch_up: true, ..dollars("2000", "0") };
        let pay = Pay { birth_date: Some(date(1966, 8, 1)), ..pay() };
        figures(benefit(5, terms), &pay, &[taken(5, taken_before, "0")]).0
    };
    assert_eq!(sixty("35000"), "750.00");
    // A health savings account has no catch-up flag: age 55 is enough.
    let hsa = |birth| {
        let terms = BenefitElection { limit_option: Some(LimitOption::Family), ..dollars("500", "600") };
        let pay = Pay { birth_date: birth, ..pay() };
        figures(benefit(6, terms), &pay, &[taken(6, "5000", "3500")])
    };
    // 8,750, toward which both sides count; 1,000 more from age 55.
    assert_eq!(hsa(None), pair("250.00", "0.00"));
    assert_eq!(hsa(Some(date(1971, 6, 1))), pair("500.00", "600.00"));
}

#[test]
fn a_deduction_takes_no_more_than_there_is_and_a_match_follows_it() {
    let terms = BenefitElection { elective: true, ..dollars("300", "300") };
    let poor = Pay { room: amount("120.55"), ..pay() };
    let result = lines(&[benefit(1, dollars("100", "0")), benefit(5, terms)], &poor, &[]);
    let figures: Vec<_> =
        result.iter().map(|l| (l.employee_deduction.to_text(2), l.company_contribution.to_text(2))).collect();
    assert_eq!(figures, [pair("100.00", "0.00"), pair("20.55", "20.55")]);
    let broke = Pay { room: amount("-5"), ..pay() };
    assert_eq!(lines(&[benefit(1, dollars("100", "10"))], &broke, &[])[0].employee_deduction, Amount::ZERO);
}

#[test]
fn what_a_deduction_lowers_follows_from_its_type_unless_the_record_says() {
    let lowers = |code, reduces, shareholder| {
        let terms = BenefitElection { reduces_taxable_income: reduces, ..dollars("10", "0") };
        let pay = Pay { two_percent_shareholder: shareholder, ..pay() };
        lines(&[benefit(code, terms)], &pay, &[])[0].deduction_lowers
    };
    assert_eq!(lowers(1, None, false), Taxes::ALL);
    assert_eq!(lowers(5, None, false), Taxes::INCOME_TAX);
    assert_eq!(lowers(105, None, false), Taxes::NONE);
    assert_eq!(lowers(107, None, false), Taxes::NONE);
    // After-tax: no plan reduces Social Security wages.
    for code in [105, 107, 110, 991, 998] {
        assert_eq!(lowers(code, Some(true), false), Taxes::INCOME_TAX, "{code}");
    }
    assert_eq!(lowers(5, Some(true), false), Taxes::INCOME_TAX);
    assert_eq!(lowers(1, Some(false), false), Taxes::NONE);
    assert_eq!(lowers(108, Some(true), false), Taxes::NONE);
    // A more-than-2 % shareholder.
    assert_eq!(lowers(1, None, true), Taxes::NONE);
    assert_eq!(lowers(1, Some(true), true), Taxes::ALL);
    assert_eq!(lowers(5, None, true), Taxes::INCOME_TAX);
    let both = [benefit(1, dollars("10", "0")), benefit(5, dollars("7", "0"))];
    let result = lines(&both, &pay(), &[]);
    assert_eq!(deductions_lowering(&result, |taxes| taxes.fica).to_text(2), "10.00");
    assert_eq!(deductions_lowering(&result, |taxes| taxes.income_tax).to_text(2), "17.00");
}

#[test]
fn what_the_company_gives_counts_as_income_where_the_type_says_so() {
    let result = lines(&[benefit(106, dollars("0", "85")), benefit(1, dollars("10", "85"))], &pay(), &[]);
    let imputed: Vec<_> =
        result.iter().map(|l| (l.imputed_income.to_text(2), l.imputed_income_is_subject_to)).collect();
    assert_eq!(imputed, [("85.00".to_owned(), Taxes::ALL), ("0.00".to_owned(), Taxes::NONE)]);
}

#[test]
fn what_the_company_pays_for_a_shareholders_health_is_income_tax_wages_alone() {
    let owner = Pay { two_percent_shareholder: true, ..pay() };
    let held = [(1, "10"), (2, "3"), (3, "2"), (6, "5"), (7, "4"), (10, "6")];
    let held: Vec<_> = held.into_iter().map(|(code, company)| benefit(code, dollars("0", company))).collect();
    let imputed: Vec<_> = lines(&held, &owner, &[])
        .iter()
        .map(|line| (line.kind.code, line.imputed_income.to_text(0), line.imputed_income_is_subject_to))
        .collect();
    let income = Taxes::INCOME_TAX;
    assert_eq!(
        imputed[..3],
        [(1, "10".to_owned(), income), (2, "3".to_owned(), income), (3, "2".to_owned(), income)]
    );
    assert_eq!(imputed[3], (6, "5".to_owned(), income));
    assert_eq!(imputed[4..], [(7, "0".to_owned(), Taxes::NONE), (10, "0".to_owned(), Taxes::NONE)]);
}

#[test]
fn life_insurance_above_50000_counts_as_income_at_the_cost_of_the_age() {
    let life = |change: fn(&mut BenefitElection), pay: Pay| {
        let mut terms = BenefitElection::default();
        change(&mut terms);
        let line = lines(&[benefit(107, terms)], &pay, &[]).remove(0);
        (line.imputed_income.to_text(2), line.warnings)
    };
    // Age 40 in 2026: ten cents a month for each of 100 thousands, 12 / 26 months: 4.615…
    let by_amount: fn(&mut BenefitElection) = |t| t.coverage_amount = Some(amount("150000"));
    assert_eq!(life(by_amount, pay()), ("4.62".to_owned(), vec![]));
    assert_eq!(life(|t| t.coverage_amount = Some(amount("50000")), pay()).0, "0.00");
    // Twice the salary of 52,000 insures 54,000 more than the free amount: 2.492…
    let by_salary: fn(&mut BenefitElection) = |t| t.coverage_salary_multiplier = amount("2");
    assert_eq!(life(by_salary, pay()).0, "2.49");
    assert_eq!(life(by_salary, Pay { annual_salary: None, ..pay() }).1, [Lacking::Salary]);
    assert_eq!(
        life(by_amount, Pay { birth_date: None, ..pay() }),
        ("0.00".to_owned(), vec![Lacking::BirthDate])
    );
    // The employee's after-tax payments are subtracted.
    let shared: fn(&mut BenefitElection) =
        |t| (t.coverage_amount, t.deduction) = (Some(amount("150000")), amount("4"));
    assert_eq!(life(shared, pay()).0, "0.62");
    let not_subject_to_tax: fn(&mut BenefitElection) =
        |t| (t.coverage_amount, t.reduces_taxable_income) = (Some(amount("150000")), Some(false));
    assert_eq!(life(not_subject_to_tax, pay()).0, "0.00");
}

/// The specification's patterns (rule 7), payroll by payroll.
#[test]
fn the_patterns_of_use_take_what_the_specification_says() {
    let window = |from, to| Window { effective: from, expiration: to };
    let record = |number, window, deduction: &str| Benefit {
        record: number,
        window,
        ..benefit(1, dollars(deduction, "0"))
    };
    let taken_on = |records: &[Benefit<u32>], day: Date| {
        let pay = Pay { period_end: day, check_date: day, ..pay() };
        lines(records, &pay, &[]).first().map(|line| line.employee_deduction.to_text(2))
    };
    let some = |text: &str| Some(text.to_owned());
    // Unpaid leave: the prior window ends, then a window without a deduction, then a follow-on window.
    let leave = [
        record(1, window(BASELINE, Some(date(2026, 2, 28))), "100"),
        record(2, window(date(2026, 3, 1), Some(date(2026, 3, 31))), "0"),
        record(3, window(date(2026, 4, 1), None), "100"),
    ];
    assert_eq!(taken_on(&leave, date(2026, 2, 28)), some("100.00"));
    assert_eq!(taken_on(&leave, date(2026, 3, 15)), some("0.00"));
    assert_eq!(taken_on(&leave, date(2026, 4, 1)), some("100.00"));
    // Catch-up: more for a while, then the standard amount again.
    let catch_up = [
        record(1, window(BASELINE, Some(date(2026, 2, 28))), "100"),
        record(2, window(date(2026, 3, 1), Some(date(2026, 3, 31))), "150"),
        record(3, window(date(2026, 4, 1), None), "100"),
    ];
    assert_eq!(taken_on(&catch_up, date(2026, 3, 31)), some("150.00"));
    assert_eq!(taken_on(&catch_up, date(2026, 4, 15)), some("100.00"));
    // Termination on March 10: if the window is left open, the final payroll takes the deduction; if it ends that day, it does not.
    let left_open = [record(1, window(BASELINE, None), "100")];
    assert_eq!(taken_on(&left_open, PERIOD_END), some("100.00"));
    let ended = [record(1, window(BASELINE, Some(date(2026, 3, 10))), "100")];
    assert_eq!(taken_on(&ended, PERIOD_END), None);
    // Hired in the middle of a pay period: the window begins on the actual first day, with the full amount from that period on.
    let hired = [record(1, window(date(2026, 3, 10), None), "100")];
    assert_eq!(taken_on(&hired, date(2026, 2, 28)), None);
    assert_eq!(taken_on(&hired, PERIOD_END), some("100.00"));
}

fn any_terms() -> impl Strategy<Value = BenefitElection> {
    let cents = |most: i64| (0..most).prop_map(Amount::from_cents);
    let contribution = prop_oneof![
        cents(50_000).prop_map(Contribution::Amount),
        cents(2_000).prop_map(Contribution::Percentage),
        prop::collection::vec((0i64..20_000, 1i64..400), 1..4).prop_map(|steps| {
            let mut threshold = 0;
            let tiers = steps.into_iter().map(|(rate, step)| {
                threshold += step;
                Tier { rate: Amount::from_cents(rate), threshold: Amount::from_cents(threshold) }
            });
            Contribution::Tiered(tiers.collect())
        }),
    ];
    let maximum = || prop::option::of(cents(100_000));
    (cents(10_000), any::<bool>(), maximum(), contribution, any::<bool>(), maximum(), any::<bool>()).prop_map(
        |(deduction, deduct_as_percentage, most_deducted, contribution, elective, most_given, catch_up)| {
            BenefitElection {
                deduction,
                deduct_as_percentage,
                deduction_annual_maximum: most_deducted,
                contribution,
                elective,
                contribution_annual_maximum: most_given,
                catch_up,
                ..BenefitElection::default()
            }
        },
    )
}

proptest! {
    /// Nothing is negative or more than pay, maxima and limits allow, and all is in whole cents; less room never takes more;
    /// and the explanation shows how each figure was derived.
    #[test]
    fn deductions_stay_within_their_limits(
        terms in prop::collection::vec((any_terms(), prop::sample::select(vec![1u32, 5, 6, 9, 11, 105, 106, 991])), 1..5),
        gross in 0i64..1_000_000, room in 0i64..1_000_000, less in 0i64..1_000_000,
        before in prop::collection::vec(0i64..3_000_000, 2),
    ) {
        let benefits: Vec<_> = (0u32..).zip(&terms)
            .map(|(record, (terms, code))| Benefit { record, ..benefit(*code, terms.clone()) }).collect();
        let pay = Pay { gross: Amount::from_cents(gross), room: Amount::from_cents(room), ..pay() };
        let before = [taken(5, &Amount::from_cents(before[0]).to_text(2), "0"), taken(6, &Amount::from_cents(before[1]).to_text(2), "0")];
        let result = lines(&benefits, &pay, &before);
        let total = result.iter().fold(Amount::ZERO, |sum, line| add_amounts(sum, line.employee_deduction));
        prop_assert!(total <= pay.room);
        let mut deferred = before[0].deduction;
        for (line, benefit) in result.iter().zip(&benefits) {
            for figure in [line.employee_deduction, line.company_contribution, line.imputed_income] {
                prop_assert!(figure >= Amount::ZERO && figure == Amount::from_cents(figure.cents_half_up()));
            }
            let most = benefit.terms.deduction_annual_maximum;
            prop_assert!(most.is_none_or(|most| line.employee_deduction <= most));
            let most = benefit.terms.contribution_annual_maximum;
            prop_assert!(most.is_none_or(|most| line.company_contribution <= most));
            if matches!(line.kind.code, 5 | 9 | 105) {
                deferred = add_amounts(deferred, line.employee_deduction);
                prop_assert!(line.employee_deduction == Amount::ZERO || deferred <= amount("24500"));
            }
            let untiered = !matches!(benefit.terms.contribution, Contribution::Tiered(_));
            if benefit.terms.elective && untiered {
                prop_assert!(line.company_contribution <= line.employee_deduction);
            }
        }
        let poorer = Pay { room: Amount::from_cents(room.min(less)), ..pay.clone() };
        let cut = lines(&benefits, &poorer, &before);
        let cut = cut.iter().fold(Amount::ZERO, |sum, line| add_amounts(sum, line.employee_deduction));
        prop_assert!(cut <= total);
    }
}
