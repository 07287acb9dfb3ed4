use crate::amount::Amount;
use crate::explain::{NoTrace, Recorder, evaluator};
use crate::payroll::sample::{biweekly_payroll, by_the_hour, parse_amount};
use crate::payroll::{Employee, FixedKind, FixedPay, Paycheck, Payroll, calculate_paycheck};
use crate::withholding::federal::{FederalTables, FilingStatus, PayFrequency, W4, withhold_income_tax};

fn with_bonus(bonus: &str) -> Employee<'static, u32> {
    let mut employee = by_the_hour("50", "80");
    employee.fixed = vec![FixedPay::new(FixedKind::Bonus, 0, parse_amount(bonus))];
    employee
}

/// Returns the paycheck, after checking its explanation with the evaluator.
fn paid(payroll: &Payroll<'_>, employee: &Employee<'_, u32>) -> Paycheck<u32> {
    let mut recorder = Recorder::default();
    let found = calculate_paycheck(&mut recorder, payroll, employee).unwrap();
    for node in recorder.finish() {
        evaluator::check(&node.to_json()).unwrap();
    }
    found
}

fn by_worksheet(wages: &str) -> Amount {
    let employee = by_the_hour("1", "0");
    withhold_income_tax(
        FederalTables::built_in(2026).unwrap(),
        &employee.w4,
        parse_amount(wages),
        PayFrequency::EveryOtherWeek,
    )
    .unwrap()
}

#[test]
fn a_bonus_on_a_regular_payroll_counts_as_supplemental_and_is_withheld_on_with_the_wages() {
    let found = paid(&biweekly_payroll(), &with_bonus("10000"));
    assert_eq!(found.taxable.supplemental.to_text(2), "10000.00");
    assert_eq!(found.taxes.federal_income, by_worksheet("14000"));
}

#[test]
fn the_part_of_a_bonus_above_a_million_in_the_year_bears_37_percent() {
    let mut employee = with_bonus("300000");
    employee.year_to_date.supplemental_wages = parse_amount("800000");
    let found = paid(&biweekly_payroll(), &employee);
    // 100,000 is above the threshold; 200,000 of the bonus and the wages of 4,000 go through the worksheet.
    let expected = by_worksheet("204000").checked_add(parse_amount("37000")).unwrap();
    assert_eq!(found.taxes.federal_income, expected);
}

#[test]
fn on_and_off_cycle_pay_count_together_against_the_million() {
    let off_cycle = Payroll { fixed_withholding_rate: true, pays_salaries: false, ..biweekly_payroll() };
    let mut employee = with_bonus("900000");
    employee.jobs[0].worked.clear();
    let first = paid(&off_cycle, &employee);
    // 22 % of 900,000.
    assert_eq!(first.taxes.federal_income.to_text(2), "198000.00");
    let mut employee = with_bonus("150000");
    employee.year_to_date = employee.year_to_date.add_paycheck(&first).unwrap();
    let second = paid(&biweekly_payroll(), &employee);
    let expected = by_worksheet("104000").checked_add(parse_amount("18500")).unwrap();
    assert_eq!(second.taxes.federal_income, expected);
    let mut employee = with_bonus("1000");
    employee.year_to_date.supplemental_wages = parse_amount("900000");
    employee.year_to_date = employee.year_to_date.add_paycheck(&second).unwrap();
    employee.jobs[0].worked.clear();
    let third = paid(&off_cycle, &employee);
    assert_eq!(third.taxes.federal_income.to_text(2), "370.00");
}

#[test]
fn an_exempt_certificate_does_not_avoid_37_percent_on_a_regular_payroll() {
    let mut employee = with_bonus("1000");
    employee.year_to_date.supplemental_wages = parse_amount("1000000");
    let W4::Rev2020 { filing_status, .. } = &mut employee.w4 else { panic!("a form of 2020 or later") };
    *filing_status = FilingStatus::Exempt;
    assert_eq!(paid(&biweekly_payroll(), &employee).taxes.federal_income.to_text(2), "370.00");
}

#[test]
fn deductions_before_taxes_leave_regular_wages_first() {
    let mut employee = with_bonus("10000");
    employee.benefits = vec![crate::payroll::sample::sample_benefit(1, 1, "5000", false)];
    let found = paid(&biweekly_payroll(), &employee);
    // The deduction of 5,000 comes first from the 4,000 of wages, then takes 1,000 of the 10,000 bonus.
    assert_eq!(found.taxable.federal_income.to_text(2), "9000.00");
    assert_eq!(found.taxable.supplemental.to_text(2), "9000.00");
}

#[test]
fn to_the_wages_of_a_nonresident_alien_the_table_adds_for_income_tax_alone() {
    let mut employee = by_the_hour("50", "80");
    employee.nonresident_alien = true;
    let found = paid(&biweekly_payroll(), &employee);
    assert_eq!(found.taxes.federal_income, by_worksheet("4619.20"));
    assert_eq!(found.taxable.federal_income.to_text(2), "4000.00", "the addition is no income");
    assert_eq!(found.taxes.social_security.to_text(2), "248.00");
    employee.w4 = W4::Pre2020 {
        filing_status: FilingStatus::Single,
        allowances: 1,
        additional_withholding: Amount::ZERO,
    };
    let tables = FederalTables::built_in(2026).unwrap();
    let expected =
        withhold_income_tax(tables, &employee.w4, parse_amount("4453.80"), PayFrequency::EveryOtherWeek);
    assert_eq!(Some(paid(&biweekly_payroll(), &employee).taxes.federal_income), expected);
}

#[test]
fn a_nonresident_alien_is_warned_where_the_year_has_no_amounts() {
    let mut tables = FederalTables::built_in(2026).unwrap().clone();
    tables.nonresident_alien = None;
    let mut employee = by_the_hour("50", "80");
    employee.nonresident_alien = true;
    let payroll = Payroll { federal: &tables, ..biweekly_payroll() };
    let found = calculate_paycheck(&mut NoTrace, &payroll, &employee).unwrap();
    assert!(found.warnings.iter().any(|warning| warning.key() == "nonresident_alien_amounts_missing"));
}
