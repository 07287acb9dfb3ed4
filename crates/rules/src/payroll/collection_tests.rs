use crate::amount::Amount;
use crate::explain::{Recorder, evaluator};
use crate::payroll::sample::{biweekly_payroll, by_the_hour, parse_amount};
use crate::payroll::{Employee, FixedKind, FixedPay, Paycheck, StateIncomeTax, StateTax, calculate_paycheck};

/// Returns an employee with forty hours at 2.13 and tips already received.
fn waiter(cash_tips: &str) -> Employee<'static, u32> {
    let mut employee = by_the_hour("2.13", "40");
    employee.fixed = vec![FixedPay::new(FixedKind::CashTips, 0, parse_amount(cash_tips))];
    employee
}

/// Returns the paycheck and its explanation as text, after checking the explanation with the evaluator.
fn explained(employee: &Employee<'_, u32>) -> (Paycheck<u32>, String) {
    let mut recorder = Recorder::default();
    let found = calculate_paycheck(&mut recorder, &biweekly_payroll(), employee).unwrap();
    let nodes = recorder.finish();
    for node in &nodes {
        evaluator::check(&node.to_json()).unwrap();
    }
    let all = nodes.iter().map(|node| node.to_json().to_string()).collect();
    (found, all)
}

fn text(amounts: [Amount; 4]) -> [String; 4] {
    amounts.map(|amount| amount.to_text(2))
}

#[test]
fn taxes_on_wages_come_before_social_security_and_medicare_on_tips_and_income_tax_on_tips_last() {
    // 85.20 of wages, 1,200.00 of tips: 79.68 of Social Security and 18.64 of Medicare are due, of which 5.28 and
    // 1.24 are on wages. 10.00 of state income tax is on wages alone.
    let mut employee = waiter("1200");
    let supplied = StateTax::Supplied { state: "CA".to_owned(), amount: parse_amount("10") };
    employee.states = vec![StateIncomeTax::of_one(supplied)];
    let (found, all) = explained(&employee);
    let taxes = &found.taxes;
    // 85.20 less 5.28, 1.24 and 10.00 leaves 68.68 for 74.40 of Social Security on tips.
    let withheld = [taxes.social_security, taxes.medicare, taxes.state_income, taxes.federal_income];
    assert_eq!(text(withheld), ["73.96", "1.24", "10.00", "0.00"]);
    assert_eq!(found.net, Amount::ZERO);
    let missing = [found.uncollected.social_security, found.uncollected.medicare];
    assert_eq!(missing.map(|amount| amount.to_text(2)), ["5.72", "17.40"]);
    assert_eq!(taxes.employer_social_security.to_text(2), "79.68", "the employer's share is not affected");
    for told in ["31.3402(k)-1", "box 12, code A", "box 12, code B"] {
        assert!(all.contains(told), "{told}: {all}");
    }
}

#[test]
fn what_was_not_collected_is_carried_in_the_year() {
    let mut employee = waiter("1200");
    for _ in 0..2 {
        let (found, _) = explained(&employee);
        employee.year_to_date = employee.year_to_date.add_paycheck(&found).unwrap();
    }
    // 79.68 and 18.64 are due each time; 85.20 covers 5.28, 1.24 and 74.40, and 4.28 of Medicare on tips.
    let carried = &employee.year_to_date;
    assert_eq!(carried.uncollected_social_security, Amount::ZERO);
    assert_eq!(carried.uncollected_medicare.to_text(2), "26.24");
}

#[test]
fn pay_that_reaches_for_every_tax_carries_nothing() {
    let (found, all) = explained(&waiter("100"));
    assert_eq!(found.uncollected, crate::payroll::Uncollected::default());
    assert!(!all.contains("_withheld"), "{all}");
}

#[test]
fn without_tips_what_is_missing_is_no_matter_of_form_w2() {
    let mut employee = by_the_hour("25", "80");
    let supplied = StateTax::Supplied { state: "CA".to_owned(), amount: parse_amount("5000") };
    employee.states = vec![StateIncomeTax::of_one(supplied)];
    let (found, _) = explained(&employee);
    assert_eq!(found.net, Amount::ZERO);
    assert_eq!(found.uncollected, crate::payroll::Uncollected::default());
    assert!(found.warnings.iter().any(|warning| warning.key() == "taxes_not_collected"));
}
