//! The payroll taxes at their limits, and recalculation of their explanations.

use super::*;
use crate::explain::{Recorder, evaluator};
use proptest::prelude::*;

fn dollars(text: &str) -> Amount {
    Amount::parse(text).unwrap()
}

fn taxes() -> &'static PayrollTaxes {
    PayrollTaxes::built_in(2026).unwrap()
}

fn before(social_security: &str, medicare: &str, futa: &str) -> YearToDate {
    YearToDate {
        social_security_wages: dollars(social_security),
        medicare_wages: dollars(medicare),
        futa_wages: dollars(futa),
        ..YearToDate::default()
    }
}

fn fica_text(wages: &str, before: &YearToDate) -> [String; 4] {
    let fica = fica_of(taxes(), dollars(wages), before).unwrap();
    [fica.social_security_wages, fica.social_security, fica.medicare, fica.additional_medicare]
        .map(|a| a.to_text(2))
}

#[test]
fn the_figures_of_2025_to_2027_come_with_the_crate() {
    let bases =
        [2025, 2026, 2027].map(|year| PayrollTaxes::built_in(year).unwrap().social_security_base.to_text(0));
    assert_eq!(bases, ["176100", "184500", "192300"]);
    assert_eq!(PayrollTaxes::built_in(2024), None);
    assert_eq!(taxes().social_security.to_text(2), "6.20");
    assert_eq!(taxes().medicare.to_text(2), "1.45");
}

#[test]
fn wages_below_every_limit_bear_6_2_and_1_45_percent() {
    assert_eq!(fica_text("1000", &YearToDate::default()), ["1000.00", "62.00", "14.50", "0.00"]);
    // 29.04 x 6.2 % = 1.80048 and x 1.45 % = 0.42108; half a cent goes up: 100 x 1.45 % of 1.00 is 0.0145.
    assert_eq!(fica_text("29.04", &YearToDate::default()), ["29.04", "1.80", "0.42", "0.00"]);
    assert_eq!(fica_text("10.00", &YearToDate::default()), ["10.00", "0.62", "0.15", "0.00"]);
}

#[test]
fn social_security_stops_at_the_wage_base_inside_the_period() {
    let year = before("184000", "184000", "7000");
    assert_eq!(fica_text("1500", &year), ["500.00", "31.00", "21.75", "0.00"]);
    assert_eq!(fica_text("1500", &before("184500", "184500", "7000"))[..2], ["0.00", "0.00"]);
    assert_eq!(fica_text("1500", &before("190000", "184500", "7000"))[..2], ["0.00", "0.00"]);
}

#[test]
fn additional_medicare_begins_above_200_000_inside_the_period() {
    let year = before("184500", "199500", "7000");
    assert_eq!(fica_text("1500", &year), ["0.00", "0.00", "21.75", "9.00"]);
    assert_eq!(fica_text("500", &year)[3], "0.00");
    assert_eq!(fica_text("1500", &before("184500", "250000", "7000"))[3], "13.50");
}

#[test]
fn federal_unemployment_tax_is_on_the_first_7000_of_a_year() {
    let futa_text = |wages: &str, before: &YearToDate| {
        let futa = calculate_futa(&mut NoTrace, taxes(), dollars(wages), before).unwrap();
        [futa.wages, futa.tax].map(|a| a.to_text(2))
    };
    assert_eq!(futa_text("1000", &YearToDate::default()), ["1000.00", "6.00"]);
    assert_eq!(futa_text("1000", &before("0", "0", "6500")), ["500.00", "3.00"]);
    assert_eq!(futa_text("1000", &before("0", "0", "7000")), ["0.00", "0.00"]);
}

#[test]
fn supplemental_wages_bear_22_percent_and_37_above_a_million_in_the_year() {
    let flat = |wages: &str, before: &str, exempt| {
        let year = YearToDate { supplemental_wages: dollars(before), ..YearToDate::default() };
        let mut recorder = Recorder::default();
        let tax = supplemental_tax(&mut recorder, taxes(), dollars(wages), (&year, exempt)).unwrap();
        evaluator::check(&recorder.finish()[0].to_json()).unwrap();
        tax.to_text(2)
    };
    assert_eq!(flat("1000.03", "0", false), "220.01");
    assert_eq!(flat("1000", "999600", false), "310.00");
    assert_eq!(flat("1000", "999600", true), "222.00");
    assert_eq!(flat("1000", "2000000", false), "370.00");
    assert_eq!(flat("1000", "0", true), "0.00");
}

#[test]
fn a_state_that_owes_a_federal_loan_costs_its_employers_more() {
    assert_eq!(FutaCreditReductions::built_in().reduction_of_state("CA", 2025), Some(dollars("1.2")));
    assert_eq!(FutaCreditReductions::built_in().reduction_of_state("TX", 2025), None);
    assert_eq!(FutaCreditReductions::built_in().reduction_of_state("CA", 2026), None);
}

#[test]
fn a_file_that_lacks_a_figure_is_refused() {
    let error = |right: &str, wrong: &str| {
        PayrollTaxYears::parse(&PayrollTaxYears::FILE.replacen(right, wrong, 1)).unwrap_err().to_string()
    };
    assert_eq!(
        error("2026,medicare,1.45,1.45,,", "2026,medicare,,1.45,,"),
        "2026: medicare: \"\" is not a number"
    );
    assert_eq!(error("2026,futa", "2026,fotu"), "2026: futa: \"\" is not a number");
    assert_eq!(
        error("2025,social_security,6.2,6.2", "2025,social_security,6.2,6.3"),
        "2025: social_security: employee and employer must pay the same"
    );
    let unsourced = error("\"26 USC 3301, 3302, 3306(b)(1)\",secondary", ",secondary");
    assert_eq!(unsourced, "2025: futa: source is empty: name where the figure was read");
    let doubtful = error("3306(b)(1)\",secondary", "3306(b)(1)\",memory");
    assert!(doubtful.starts_with("2025: futa: confidence must be primary or secondary"), "{doubtful}");
}

#[test]
fn the_wage_base_of_2027_names_the_notice_that_announced_it() {
    let taxes = PayrollTaxes::built_in(2027).unwrap();
    assert_eq!(taxes.social_security_base, dollars("192300"));
    let named =
        |line: &&str| line.starts_with("2027,social_security,") && line.contains("notice of October 2026");
    assert_eq!(PayrollTaxYears::FILE.lines().filter(named).count(), 1);
}

proptest! {
    #[test]
    fn a_year_in_pieces_has_the_wages_of_the_year(
        wages in proptest::collection::vec(0i64..5_000_000, 1..40)
    ) {
        let mut year = YearToDate::default();
        let (mut social_security, mut all) = (Amount::ZERO, Amount::ZERO);
        for cents in wages {
            let wages = Amount::from_cents(cents);
            let fica = fica_of(taxes(), wages, &year).unwrap();
            let futa = calculate_futa(&mut NoTrace, taxes(), wages, &year).unwrap();
            social_security = social_security.checked_add(fica.social_security).unwrap();
            all = all.checked_add(wages).unwrap();
            year.social_security_wages = year.social_security_wages.checked_add(fica.social_security_wages).unwrap();
            year.medicare_wages = all;
            year.futa_wages = year.futa_wages.checked_add(futa.wages).unwrap();
        }
        prop_assert_eq!(year.social_security_wages, all.min(taxes().social_security_base));
        prop_assert_eq!(year.futa_wages, all.min(taxes().futa_base));
        // Each paycheck is rounded by at most half a cent.
        let whole = percent_of(year.social_security_wages, taxes().social_security).unwrap();
        prop_assert!(whole.checked_sub(social_security).unwrap().millionths().abs() <= 40 * 5_000 + 5_000);
    }

    #[test]
    fn every_figure_can_be_worked_out_again(wages in 0i64..30_000_000, earlier in 0i64..30_000_000) {
        let year = YearToDate {
            social_security_wages: Amount::from_cents(earlier.min(18_450_000)),
            medicare_wages: Amount::from_cents(earlier),
            futa_wages: Amount::from_cents(earlier.min(700_000)),
            ..YearToDate::default()
        };
        let mut recorder = Recorder::default();
        let traced = calculate_fica(&mut recorder, taxes(), Amount::from_cents(wages), &year).unwrap();
        calculate_futa(&mut recorder, taxes(), Amount::from_cents(wages), &year).unwrap();
        prop_assert_eq!(traced, fica_of(taxes(), Amount::from_cents(wages), &year).unwrap());
        for node in recorder.finish() {
            prop_assert_eq!(evaluator::check(&node.to_json()), Ok(()));
        }
    }
}

#[test]
fn a_reduced_credit_costs_the_employer_its_percentage_of_the_states_wages() {
    let percent = FutaCreditReductions::built_in().reduction_of_state("CA", 2025).unwrap();
    let mut recorder = Recorder::default();
    // 1.2 % of the 7,000 of three employees.
    let due = credit_reduction(&mut recorder, "CA", (dollars("21000"), percent)).unwrap();
    assert_eq!(due.to_text(2), "252.00");
    for node in recorder.finish() {
        evaluator::check(&node.to_json()).unwrap();
    }
    assert_eq!(FutaCreditReductions::built_in().reduction_of_state("TX", 2025), None);
}
