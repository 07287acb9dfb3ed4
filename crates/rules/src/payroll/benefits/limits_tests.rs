//! Limits of the year and of the month, by example.

use super::*;

#[test]
fn roth_contributions_of_any_time_of_the_year_are_the_catch_up_of_a_high_earner() {
    let pay = Pay { birth_date: Some(date(1970, 1, 1)), roth_catch_up: true, ..pay() };
    let terms = BenefitElection { catch_up: true, ..dollars("2000", "0") };
    // 32,500 of both, of which 24,500 before taxes.
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
    // Catch-up contributions come on top.
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
    let with_company = benefit(114, dollars("300", "100"));
    assert_eq!(figures(with_company, &pay(), &[]), pair("300.00", "40.00"));
    let taxed = BenefitElection { reduces_taxable_income: Some(false), ..dollars("500", "0") };
    assert_eq!(figures(benefit(114, taxed), &pay(), &[]).0, "500.00", "after taxes it is wages anyway");
}
