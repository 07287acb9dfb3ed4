use std::collections::BTreeSet;

use crate::amount::Amount;
use crate::explain::{Recorder, evaluator};
use crate::payroll::benefits::Contribution;
use crate::payroll::sample::{biweekly_payroll, by_the_hour, parse_amount, sample_benefit};
use crate::payroll::{
    Employee, FixedKind, FixedPay, Paycheck, Payroll, StateIncomeTax, StateTax, StateTaxTables,
    calculate_paycheck,
};
use crate::taxes::BaseTable;
use crate::withholding::state::Answer;

fn fixed(kind: FixedKind, dollars: &str) -> FixedPay {
    FixedPay::new(kind, 0, parse_amount(dollars))
}

/// Returns the paycheck, after checking its explanation with the evaluator.
fn explained(payroll: &Payroll<'_>, employee: &Employee<'_, u32>) -> Paycheck<u32> {
    let mut recorder = Recorder::default();
    let found = calculate_paycheck(&mut recorder, payroll, employee).unwrap();
    for node in recorder.finish() {
        evaluator::check(&node.to_json()).unwrap();
    }
    found
}

/// Returns state income tax on a bonus of 1,000 and a commission of 500 at the flat rates.
fn at_flat_rates(code: &str, confirmed: &BTreeSet<String>) -> String {
    let flat = Payroll { fixed_withholding_rate: true, pays_salaries: false, ..biweekly_payroll() };
    let tables = StateTaxTables { confirmed, ..StateTaxTables::built_in() };
    let mut employee = by_the_hour("25", "0");
    employee.fixed = vec![fixed(FixedKind::Bonus, "1000"), fixed(FixedKind::Earnings, "500")];
    employee.states =
        vec![StateIncomeTax::of_one(StateTax::find_state_tax(tables, &flat, code, |_| None, None))];
    employee.annual_salary = Some(parse_amount("52000"));
    explained(&flat, &employee).taxes.state_income.to_text(2)
}

#[test]
fn each_state_takes_its_own_rate_of_supplemental_wages() {
    let nothing = BTreeSet::new();
    for (code, expected) in [
        ("NY", "175.50"), // 11.7 %
        ("CA", "135.30"), // 10.23 % of the bonus, 6.6 % of the rest
        ("VT", "99.00"),  // 30 % of 330.00 of federal income tax
        ("WI", "79.50"),  // 5.3 % at 52,000 a year
        ("IL", "74.25"),  // 4.95 %
        ("PA", "46.05"),  // 3.07 %
        ("TX", "0.00"),
    ] {
        assert_eq!(at_flat_rates(code, &nothing), expected, "{code}");
    }
}

#[test]
fn a_rate_from_memory_counts_once_it_is_confirmed_and_the_formula_until_then() {
    let nothing = BTreeSet::new();
    let confirmed = BTreeSet::from([crate::taxes::supplemental_key("OK")]);
    assert_ne!(at_flat_rates("OK", &nothing), "67.50");
    assert_eq!(at_flat_rates("OK", &confirmed), "67.50");
}

#[test]
fn an_exempt_certificate_of_the_state_bears_no_rate_for_supplemental_wages() {
    let flat = Payroll { fixed_withholding_rate: true, pays_salaries: false, ..biweekly_payroll() };
    let exempt = |key: &str| (key == "exempt").then_some(Answer::Bool(true));
    let tax = StateTax::find_state_tax(StateTaxTables::built_in(), &flat, "NY", exempt, None);
    let mut employee = by_the_hour("25", "0");
    employee.fixed = vec![fixed(FixedKind::Bonus, "1000")];
    employee.states = vec![StateIncomeTax::of_one(tax)];
    assert_eq!(explained(&flat, &employee).taxes.state_income, Amount::ZERO);
}

/// Returns the state, federal and FICA wages for 4,000.00 of pay with 100.00 of one benefit.
fn wages_with(state: &str, code: i64) -> [String; 3] {
    let mut employee = by_the_hour("50", "80");
    let mut held = sample_benefit(1, code, "100", false);
    // Here, only imputed benefits have a company contribution.
    let given = if held.kind.marks.imputed { "100" } else { "0" };
    held.terms.contribution = Contribution::Amount(parse_amount(given));
    if held.kind.marks.imputed {
        held.terms.deduction = Amount::ZERO;
    }
    employee.benefits = vec![held];
    let tax =
        StateTax::find_state_tax(StateTaxTables::built_in(), &biweekly_payroll(), state, |_| None, None);
    let confirmed = BaseTable::built_in().of_state_income(state, true);
    employee.states = vec![StateIncomeTax { treatments: confirmed, ..StateIncomeTax::of_one(tax) }];
    let found = explained(&biweekly_payroll(), &employee);
    let of_state = found.state_taxes[0].wages;
    [of_state, found.taxable.federal_income, found.taxable.medicare].map(|amount| amount.to_text(0))
}

#[test]
fn each_kind_of_benefit_leaves_the_wages_that_the_law_of_each_state_says() {
    let all = [
        // Medical plan under section 125.
        (1, [("NJ", "4000"), ("CA", "3900"), ("PA", "3900"), ("NY", "3900")], ["3900", "3900"]),
        // 401(k), and a 403(b), which New Jersey taxes.
        (5, [("NJ", "3900"), ("CA", "3900"), ("PA", "4000"), ("NY", "3900")], ["3900", "4000"]),
        (9, [("NJ", "4000"), ("CA", "3900"), ("PA", "4000"), ("NY", "3900")], ["3900", "4000"]),
        // Health savings account.
        (6, [("NJ", "4000"), ("CA", "4000"), ("PA", "3900"), ("NY", "3900")], ["3900", "3900"]),
        // Dependent care.
        (11, [("NJ", "4000"), ("CA", "3900"), ("PA", "3900"), ("NY", "3900")], ["3900", "3900"]),
        // A Roth 401(k) does not reduce wages.
        (105, [("NJ", "4000"), ("CA", "4000"), ("PA", "4000"), ("NY", "4000")], ["4000", "4000"]),
        // Group-term life insurance: imputed, with Social Security and Medicare withheld.
        (107, [("NJ", "4100"), ("CA", "4000"), ("PA", "4000"), ("NY", "4000")], ["4000", "4100"]),
        // Transit passes.
        (114, [("NJ", "4000"), ("CA", "3900"), ("PA", "4000"), ("NY", "3900")], ["3900", "3900"]),
    ];
    for (code, states, [federal, medicare]) in all {
        for (state, wages) in states {
            assert_eq!(wages_with(state, code), [wages, federal, medicare], "{state}, benefit {code}");
        }
    }
}

#[test]
fn what_the_company_pays_into_a_health_savings_account_is_wages_of_the_states_that_do_not_know_it() {
    let of = |state: &str, shareholder: bool| {
        let mut employee = by_the_hour("50", "80");
        employee.two_percent_shareholder = shareholder;
        let mut held = sample_benefit(1, 6, "50", false);
        held.terms.contribution = Contribution::Amount(parse_amount("60"));
        employee.benefits = vec![held];
        let tax =
            StateTax::find_state_tax(StateTaxTables::built_in(), &biweekly_payroll(), state, |_| None, None);
        let treatments = BaseTable::built_in().of_state_income(state, false);
        employee.states = vec![StateIncomeTax { treatments, ..StateIncomeTax::of_one(tax) }];
        let found = explained(&biweekly_payroll(), &employee);
        [found.state_taxes[0].wages, found.taxable.federal_income].map(|amount| amount.to_text(0))
    };
    for (state, wages) in [("CA", "4060"), ("NJ", "4060"), ("PA", "3950"), ("NY", "3950")] {
        assert_eq!(of(state, false), [wages, "3950"], "{state}");
    }
    // Income of a shareholder in every state, and counted once.
    assert_eq!(of("CA", true), ["4060", "4060"]);
}

#[test]
fn a_roth_contribution_that_is_told_to_reduce_income_lowers_no_social_security_tax() {
    for code in [105, 110, 991, 993, 998] {
        let mut employee = by_the_hour("50", "80");
        let mut held = sample_benefit(1, code, "100", false);
        held.terms.reduces_taxable_income = Some(true);
        employee.benefits = vec![held];
        let found = explained(&biweekly_payroll(), &employee);
        assert_eq!(found.taxable.federal_income.to_text(0), "3900", "{code}");
        assert_eq!(found.taxes.social_security.to_text(2), "248.00", "{code}");
        assert_eq!(found.taxable.futa.to_text(0), "4000", "{code}");
    }
}

#[test]
fn premiums_of_a_shareholder_are_wages_for_income_tax_and_not_for_social_security() {
    let mut employee = by_the_hour("50", "80");
    employee.two_percent_shareholder = true;
    let mut held = sample_benefit(1, 1, "0", false);
    held.terms.contribution = Contribution::Amount(parse_amount("600"));
    employee.benefits = vec![held];
    let found = explained(&biweekly_payroll(), &employee);
    assert_eq!(found.gross.to_text(0), "4000");
    assert_eq!(found.taxable.federal_income.to_text(0), "4600");
    assert_eq!([found.taxable.medicare, found.taxable.futa].map(|wages| wages.to_text(0)), ["4000", "4000"]);
}

#[test]
fn marylands_county_takes_its_rate_of_supplemental_wages_with_the_states() {
    let flat = Payroll { fixed_withholding_rate: true, pays_salaries: false, ..biweekly_payroll() };
    let tables = StateTaxTables::built_in();
    let baltimore = |key: &str| (key == "local_rate").then(|| Answer::Text("3.2".to_owned()));
    let mut employee = by_the_hour("25", "0");
    employee.fixed = vec![fixed(FixedKind::Bonus, "1500")];
    employee.states =
        vec![StateIncomeTax::of_one(StateTax::find_state_tax(tables, &flat, "MD", baltimore, None))];
    // 6.5 % is 97.50, 3.2 % is 48.00.
    assert_eq!(explained(&flat, &employee).taxes.state_income.to_text(2), "145.50");
}
