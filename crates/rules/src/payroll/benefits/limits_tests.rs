//! Annual and monthly limits, by example.

use super::*;

#[test]
fn roth_contributions_of_any_time_of_the_year_are_the_catch_up_of_a_high_earner() {
    let pay = Pay { birth_date: Some(date(1970, 1, 1)), roth_catch_up: true, ..pay() };
    let terms = BenefitElection { catch_up: true, ..dollars("2000", "0") };
    // 32,500 for both, of which 24,500 pre-tax.
    let left = |before_tax, roth| {
        figures(benefit(5, terms.clone()), &pay, &[taken(5, before_tax, "0"), taken(105, roth, "0")]).0
    };
    assert_eq!(left("20000", "8000"), "2000.00");
    assert_eq!(left("24000", "8000"), "500.00");
    assert_eq!(left("20000", "12000"), "500.00", "of the limit of both");
    assert_eq!(left("24500", "0"), "0.00");
}

#[test]
fn employee_and_company_together_put_no_more_into_a_plan_than_the_law_lets_them() {
    let given =
        |terms: BenefitElection, before: &[BenefitToDate<u32>]| figures(benefit(5, terms), &pay(), before);
    assert_eq!(given(dollars("500", "90000"), &[]), pair("500.00", "71500.00"));
    assert_eq!(given(dollars("500", "3000"), &[taken(5, "10000", "60000")]), pair("500.00", "1500.00"));
    assert_eq!(given(dollars("500", "3000"), &[taken(5, "10000", "62000")]), pair("0.00", "0.00"));
    // Another employer's plan has a limit of its own.
    let other = BenefitToDate { elsewhere: true, ..taken(5, "10000", "62000") };
    assert_eq!(given(dollars("500", "3000"), &[other]), pair("500.00", "3000.00"));
    // Catch-up contributions are in addition.
    let older = Pay { birth_date: Some(date(1970, 1, 1)), ..pay() };
    let terms = BenefitElection { catch_up: true, ..dollars("1000", "3000") };
    let before = [taken(5, "24500", "47000")];
    assert_eq!(figures(benefit(5, terms), &older, &before), pair("1000.00", "500.00"));
}

#[test]
fn commuter_benefits_leave_wages_up_to_the_limits_of_the_month() {
    let of = |code, deduction: &str, before: &[BenefitToDate<u32>]| {
        figures(benefit(code, dollars(deduction, "0")), &pay(), before).0
    };
    let in_month = |code: u32, dollars: &str| BenefitToDate {
        in_month: amount(dollars),
        ..BenefitToDate::new(code, code.into())
    };
    assert_eq!(of(114, "500", &[]), "340.00");
    assert_eq!(of(113, "500", &[in_month(114, "340")]), "340.00", "parking has a limit of its own");
    assert_eq!(of(114, "500", &[in_month(114, "300")]), "40.00");
    assert_eq!(of(114, "500", &[taken(114, "3000", "0")]), "340.00", "other months do not count");
    assert_eq!(of(10, "800", &[]), "680.00", "for both");
    assert_eq!(of(10, "800", &[in_month(114, "100")]), "580.00");
    // A benefit for both transit and parking uses up the limit of the other first.
    assert_eq!(of(114, "340", &[in_month(10, "680")]), "0.00");
    assert_eq!(of(114, "340", &[in_month(10, "500")]), "180.00");
    assert_eq!(of(114, "500", &[in_month(10, "300")]), "340.00");
    assert_eq!(of(113, "340", &[in_month(114, "340"), in_month(10, "100")]), "240.00");
    let with_company = benefit(114, dollars("300", "100"));
    assert_eq!(figures(with_company, &pay(), &[]), pair("300.00", "40.00"));
    let taxed = BenefitElection { reduces_taxable_income: Some(false), ..dollars("500", "0") };
    assert_eq!(figures(benefit(114, taxed), &pay(), &[]).0, "500.00", "after taxes it is wages anyway");
}

#[test]
fn pay_that_a_plan_leaves_out_takes_nothing_of_what_the_law_lets_it_count() {
    // 26 CFR 1.401(a)(17)-1(b)(1): 400,000.00 was paid before, all but 50,000.00 of it as bonuses that the plan excludes.
    let four = BenefitElection { deduct_as_percentage: true, ..percent("0", "4") };
    let pay = Pay { gross: amount("8000"), paid_in_year: amount("400000"), ..pay() };
    let left_out = |left_out| BenefitToDate { left_out: amount(left_out), ..BenefitToDate::new(5, 5) };
    let given = |before: &[BenefitToDate<u32>]| figures(benefit(5, four.clone()), &pay, before).1;
    assert_eq!(given(&[left_out("350000")]), "320.00");
    assert_eq!(given(&[left_out("41000")]), "40.00", "4 % of the last 1,000.00 of 360,000.00");
    assert_eq!(given(&[]), "0.00");
    // The pay that this payroll excludes is reported for the next one.
    let bonus = FixedPay::new(FixedKind::Earnings, 0, amount("3000"));
    let parts =
        PayParts::from_pay_lines(&[JobPay { regular: amount("5000"), ..JobPay::default() }], &[bonus]);
    let excluded = Exclusions { lines: vec![0], ..Exclusions::default() };
    let line = lines(&[Benefit { excluded, ..benefit(5, four.clone()) }], &Pay { parts, ..pay.clone() }, &[])
        .remove(0);
    assert_eq!(BenefitToDate::from(&line).left_out.to_text(2), "3000.00");
}

#[test]
fn coverage_of_several_group_term_life_benefits_is_free_once_and_none_of_a_shareholder() {
    // At age 46, $1,000 of coverage costs 0.15 a month: 40,000 and 60,000 are 50,000 above the free amount.
    let pay = Pay { birth_date: Some(date(1980, 5, 1)), ..pay() };
    let life = |number: u32, coverage: &str, deduction: &str| {
        let terms = BenefitElection { coverage_amount: Some(amount(coverage)), ..dollars(deduction, "0") };
        Benefit { company_benefit: number, record: number, ..benefit(107, terms) }
    };
    let imputed = |all: &[Benefit<u32>], pay: &Pay, before: &[BenefitToDate<u32>]| {
        let lines = lines(all, pay, before);
        lines.iter().map(|line| line.imputed_income.to_text(2)).collect::<Vec<_>>()
    };
    let both = [life(1, "40000", "0"), life(2, "60000", "0")];
    assert_eq!(imputed(&both, &pay, &[]), ["0.00", "3.46"]);
    assert_eq!(imputed(&[life(1, "60000", "0"), life(2, "40000", "0")], &pay, &[]), ["0.69", "2.77"]);
    // A deduction beyond the cost of one benefit counts for the other.
    assert_eq!(imputed(&[life(1, "40000", "1.00"), life(2, "60000", "0.50")], &pay, &[]), ["0.00", "1.96"]);
    assert_eq!(imputed(&[life(1, "60000", "0"), life(2, "40000", "9.00")], &pay, &[]), ["0.00", "0.00"]);
    let earlier = BenefitToDate { imputed_in_period: amount("3.46"), ..BenefitToDate::new(2, 107) };
    assert_eq!(imputed(&both, &pay, &[earlier]), ["0.00", "0.00"]);
    // A more-than-2 % shareholder is not an employee under section 79.
    let owner = Pay { two_percent_shareholder: true, ..pay.clone() };
    assert_eq!(imputed(&[life(1, "250000", "0")], &pay, &[]), ["13.85"]);
    assert_eq!(imputed(&[life(1, "250000", "0")], &owner, &[]), ["17.31"]);
}

#[test]
fn what_alone_keeps_a_benefit_below_what_was_asked_for_is_told_where_a_record_can_say_more() {
    let told = |benefit: Benefit<u32>, pay: &Pay, taken: &[BenefitToDate<u32>]| {
        let mut found = lines(&[benefit], pay, taken);
        found.remove(0).warnings
    };
    let chosen = |terms: BenefitElection, option| BenefitElection { limit_option: Some(option), ..terms };
    // 3,750.00 for an employee who is married and files separately, or 4,400.00 for self-only coverage.
    let rich = Pay { gross: amount("20000"), room: amount("20000"), ..pay() };
    assert_eq!(told(benefit(11, dollars("5000", "0")), &rich, &[]), [Lacking::LimitOption]);
    assert_eq!(told(benefit(6, dollars("4000", "500")), &rich, &[]), [Lacking::LimitOption]);
    assert_eq!(told(benefit(11, dollars("3750", "0")), &rich, &[]), [], "nothing is cut");
    let jointly = chosen(dollars("8000", "0"), LimitOption::JointFilingOrSingle);
    assert_eq!(told(benefit(11, jointly), &rich, &[]), [], "it is said");
    let capped = BenefitElection { deduction_annual_maximum: Some(amount("3000")), ..dollars("5000", "0") };
    assert_eq!(told(benefit(11, capped), &rich, &[]), [], "the record's own maximum cuts it");
    assert_eq!(told(benefit(7, dollars("5000", "0")), &rich, &[]), [], "a health FSA has one limit");
    // A high earner born in 1970 may defer 24,500.00 pre-tax, without catch-up.
    let high = Pay { birth_date: Some(date(1970, 1, 1)), roth_catch_up: true, ..rich.clone() };
    let terms = BenefitElection { catch_up: true, ..dollars("2000", "0") };
    let before = [taken(5, "24000", "0")];
    assert_eq!(told(benefit(5, terms.clone()), &high, &before), [Lacking::RothCatchUp]);
    assert_eq!(told(benefit(105, terms.clone()), &high, &before), []);
    let without = BenefitElection { catch_up: false, ..terms };
    assert_eq!(told(benefit(5, without), &high, &before), [], "no catch-up is asked for");
}
