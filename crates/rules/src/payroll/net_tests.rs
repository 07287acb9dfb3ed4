//! Gross to net by hand, and the invariants of any paycheck.

use super::*;
use crate::Named;
use crate::amount::Rounding;
use crate::compensation::{FlsaStatus, PayTerms, PaymentUnit};
use crate::explain::{Node, Recorder, evaluator};
use crate::payment::{Split, SplitBy};
use crate::payroll::benefits::Benefit;
use crate::payroll::input::{FixedPay, Floor, Payment};
use crate::payroll::output::Totals;
use crate::payroll::sample::*;
use crate::payroll::{FicaExemption, StateIncomeTax, StateTaxTables};
use crate::withholding::federal::{FilingStatus, PayFrequency, W4};
use crate::withholding::state::Answer;
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// Returns the paycheck and its explanation, after the independent evaluator has recalculated the explanation.
fn explained(payroll: &Payroll, employee: &Employee<'_, u32>) -> (Paycheck<u32>, Vec<Json>) {
    let mut recorder = Recorder::default();
    let result = calculate_paycheck(&mut recorder, payroll, employee).unwrap();
    let nodes: Vec<Json> = recorder.finish().iter().map(Node::to_json).collect();
    for node in &nodes {
        evaluator::check(node).unwrap_or_else(|error| panic!("{error}: {node:#}"));
    }
    let figure = |name: &str| nodes.iter().find(|node| node["figure"] == name).unwrap()["result"].clone();
    assert_eq!(figure("gross_pay"), result.gross.to_text(2));
    assert_eq!(figure("net_pay"), result.net.to_text(2));
    assert_eq!(figure("check_amount"), result.check_amount.to_text(2));
    assert_eq!(calculate_paycheck(&mut NoTrace, payroll, employee).unwrap(), result);
    (result, nodes)
}

fn paid(employee: &Employee<'_, u32>) -> Paycheck<u32> {
    explained(&biweekly_payroll(), employee).0
}

/// Returns federal income tax, Social Security, Medicare and net pay.
fn figures(paycheck: &Paycheck<u32>) -> [String; 4] {
    let taxes = &paycheck.taxes;
    [taxes.federal_income, taxes.social_security, taxes.medicare, paycheck.net]
        .map(|amount| amount.to_text(2))
}

fn fixed(kind: FixedKind, dollars: &str) -> FixedPay {
    FixedPay::new(kind, 0, parse_amount(dollars))
}

#[test]
fn eighty_hours_at_25_dollars() {
    // 52,000 a year less 8,600 is 43,400: 1,240 plus 12 % of 23,500 is 4,060 a year, 156.15 every other week.
    let paycheck = paid(&by_the_hour("25", "80"));
    assert_eq!(figures(&paycheck), ["156.15", "124.00", "29.00", "1690.85"]);
    assert_eq!(paycheck.taxes.futa.to_text(2), "12.00");
    assert_eq!(paycheck.taxes.of_employer().unwrap().to_text(2), "165.00");
    assert_eq!(paycheck.warnings, []);
}

#[test]
fn a_medical_plan_lowers_every_tax_and_a_401k_income_tax_alone() {
    let mut employee = by_the_hour("25", "80");
    employee.benefits = vec![sample_benefit(1, 1, "100", false), sample_benefit(2, 5, "5", true)];
    let paycheck = paid(&employee);
    // FICA on 1,900.00; income tax on 1,800.00: 46,800 less 8,600 is 38,200, 3,436 a year.
    assert_eq!(figures(&paycheck), ["132.15", "117.80", "27.55", "1522.50"]);
    assert_eq!(paycheck.taxable.federal_income.to_text(2), "1800.00");
    assert_eq!(paycheck.taxable.social_security.to_text(2), "1900.00");
    assert_eq!(paycheck.benefits.len(), 2);
}

#[test]
fn support_comes_from_what_taxes_leave_and_benefits_from_what_support_leaves() {
    let (order, deduction) = (support_order("600"), other_terms(None, "50"));
    let mut employee = by_the_hour("25", "80");
    employee.garnishments = vec![ordered_garnishment(2, &deduction), ordered_garnishment(1, &order)];
    employee.benefits = vec![sample_benefit(1, 993, "30", false)];
    let paycheck = paid(&employee);
    let taken: Vec<_> = paycheck.garnishments.iter().map(|taken| taken.amount.to_text(2)).collect();
    assert_eq!(taken, ["50.00", "600.00"]);
    assert_eq!(paycheck.net.to_text(2), "1010.85");
}

#[test]
fn a_premium_that_an_order_for_support_tells_and_nothing_deducts_is_told() {
    let mut order = support_order("600");
    // 130.00 a month is 60.00 every other week.
    order.child_support.as_mut().unwrap().order.health_insurance_premium = Some(parse_amount("130"));
    order.child_support.as_mut().unwrap().payment_period = PayFrequency::Monthly;
    let mut employee = by_the_hour("25", "80");
    employee.garnishments = vec![ordered_garnishment(1, &order)];
    let told = |payroll: &Payroll, employee: &Employee<'_, u32>| {
        let warnings = explained(payroll, employee).0.warnings;
        let premium = warnings.into_iter().find(|one| one.key() == "medical_premium_not_deducted");
        premium.map(|one| match one {
            Warning::MedicalPremium { ordered, deducted } => (ordered.to_text(2), deducted.to_text(2)),
            other => panic!("{other:?}"),
        })
    };
    let some = |ordered: &str, deducted: &str| Some((ordered.to_owned(), deducted.to_owned()));
    assert_eq!(told(&biweekly_payroll(), &employee), some("60.00", "0.00"));
    // A separate bonus payroll in the period may take no benefits.
    assert_eq!(told(&Payroll { pays_salaries: false, ..biweekly_payroll() }, &employee), None);
    employee.benefits = vec![sample_benefit(1, 5, "60", false)];
    assert_eq!(
        told(&biweekly_payroll(), &employee),
        some("60.00", "0.00"),
        "a 401(k) is no health insurance"
    );
    employee.benefits = vec![sample_benefit(1, 1, "45", false)];
    assert_eq!(told(&biweekly_payroll(), &employee), some("60.00", "45.00"));
    employee.earlier.health_premiums = parse_amount("15");
    assert_eq!(told(&biweekly_payroll(), &employee), None, "another paycheck of the period took the rest");
    employee.earlier.health_premiums = Amount::ZERO;
    let ended = garnishment::GarnishmentTerms { active: false, ..order.clone() };
    employee.garnishments = vec![ordered_garnishment(1, &ended)];
    assert_eq!(told(&biweekly_payroll(), &employee), None);
}

#[test]
fn a_fee_of_the_employer_leaves_the_minimum_wage_and_overtime_of_the_hours_worked() {
    // California allows 1.50 for a support order; its minimum wage is 16.90 (29 CFR 531.35).
    let order = garnishment::GarnishmentTerms { employer_fee: true, ..support_order("100") };
    let fee = |employee: Employee<'_, u32>| {
        let paycheck = paid(&Employee { garnishments: vec![ordered_garnishment(1, &order)], ..employee });
        assert_eq!(paycheck.garnishments[0].amount.to_text(2), "100.00", "the order itself is taken");
        paycheck.garnishments[0].fee.to_text(2)
    };
    assert_eq!(fee(by_the_hour("20", "80")), "1.50");
    assert_eq!(fee(by_the_hour("16.91", "80")), "0.80");
    assert_eq!(fee(by_the_hour("16.90", "80")), "0.00");
    // Overtime is due in full: only the regular hours leave a cent each.
    let mut long = by_the_hour("16.91", "72");
    long.jobs[0].worked[0].overtime = parse_amount("8");
    assert_eq!(fee(long), "0.72");
    // Tips are not wages paid by the employer; exempt employees have no minimum wage.
    let mut tipped = by_the_hour("16.90", "80");
    tipped.fixed = vec![fixed(FixedKind::PaycheckTips, "200")];
    assert_eq!(fee(tipped), "0.00");
    let mut exempt = by_the_hour("16.90", "80");
    exempt.jobs[0].compensations[0].terms.flsa = FlsaStatus::Exempt;
    assert_eq!(fee(exempt), "1.50");
}

#[test]
fn a_fee_leaves_a_salary_without_hours_the_minimum_wage_of_40_hours_a_week_and_says_so_where_it_is_cut() {
    // 35,152.00 a year is the minimum wage of 16.90 for 2,080 hours (29 CFR 531.35).
    let order = garnishment::GarnishmentTerms { employer_fee: true, ..support_order("100") };
    let told = |employee: Employee<'_, u32>| {
        let paycheck = paid(&Employee { garnishments: vec![ordered_garnishment(1, &order)], ..employee });
        let presumed = Warning::GarnishmentLimit(garnishment::NotApplied::HoursOfFee);
        (paycheck.garnishments[0].fee.to_text(2), paycheck.warnings.contains(&presumed))
    };
    let of = |fee: &str, warned: bool| (fee.to_owned(), warned);
    let salaried = |yearly: &str| {
        let mut employee = by_the_hour("20", "0");
        let (rate, unit, flsa) = (parse_amount(yearly), PaymentUnit::Year, FlsaStatus::SalariedNonexempt);
        employee.jobs[0].compensations[0].terms = PayTerms { rate, unit, flsa };
        employee
    };
    assert_eq!(told(salaried("35152")), of("0.00", true));
    assert_eq!(told(salaried("35178")), of("1.00", true));
    assert_eq!(
        told(salaried("60000")),
        of("1.50", false),
        "whatever the hours were, the fee is small enough"
    );
    // Hours that are entered count as they are.
    let mut entered = salaried("35152");
    entered.jobs[0].worked[0].regular = parse_amount("70");
    assert_eq!(told(entered), of("1.50", false));
    let mut exempt = salaried("35152");
    exempt.jobs[0].compensations[0].terms.flsa = FlsaStatus::Exempt;
    assert_eq!(told(exempt), of("1.50", false));
}

#[test]
fn benefits_are_cut_to_what_is_left_and_taxes_follow() {
    let order = support_order("900");
    let mut employee = by_the_hour("10", "80");
    employee.garnishments = vec![ordered_garnishment(1, &order)];
    employee.benefits = vec![sample_benefit(1, 993, "40", false), sample_benefit(2, 1, "500", false)];
    let (paycheck, nodes) = explained(&biweekly_payroll(), &employee);
    // Initially the medical plan would reduce the wages to 300.00. Half of the pay after taxes goes to support, and 40.00 to
    // the life insurance, which was enrolled first; so the plan is cut and the taxes are higher.
    assert_eq!(paycheck.net, Amount::ZERO);
    assert_eq!(paycheck.benefits[0].employee_deduction.to_text(2), "40.00");
    let plan = paycheck.benefits[1].employee_deduction;
    assert!(plan > Amount::ZERO && plan < parse_amount("400"), "{plan}");
    assert!(paycheck.taxable.medicare > parse_amount("400"));
    assert!(matches!(paycheck.warnings[..], [Warning::DeductionsCut { .. }]), "{:?}", paycheck.warnings);
    let net = nodes.iter().find(|node| node["figure"] == "net_pay").unwrap();
    let because: Vec<_> =
        net["because"].as_array().unwrap().iter().map(|node| node["figure"].clone()).collect();
    assert_eq!(because[..2], ["left_for_benefits", "left_for_benefits_once_more"]);
}

#[test]
fn missed_premiums_are_told_until_they_are_recovered_and_their_recovery_is_explained() {
    let mut employee = by_the_hour("25", "80");
    employee.benefits =
        vec![Benefit { missed: Some(parse_amount("170")), ..sample_benefit(1, 1, "100", false) }];
    let told = |employee: &Employee<'_, u32>| {
        let (paycheck, nodes) = explained(&biweekly_payroll(), employee);
        let amounts = paycheck.warnings.iter().filter_map(|warning| match warning {
            Warning::PremiumsMissed { amount, of } => Some((amount.to_text(2), of.clone())),
            _ => None,
        });
        let amounts: Vec<_> = amounts.collect();
        (paycheck.benefits[0].employee_deduction.to_text(2), amounts, nodes)
    };
    let open = |left: &str| vec![(left.to_owned(), vec!["Benefit 1".to_owned()])];
    let (deducted, warned, _) = told(&employee);
    assert_eq!((deducted.as_str(), warned), ("100.00", open("170.00")));
    employee.benefits[0].recovers = true;
    let (deducted, warned, nodes) = told(&employee);
    assert_eq!((deducted.as_str(), warned), ("200.00", open("70.00")));
    let figures = serde_json::to_string(&nodes).unwrap();
    assert!(figures.contains("deduction_with_missed_premiums") && figures.contains("missed_premiums"));
    employee.benefits[0].missed = Some(parse_amount("70"));
    let (deducted, warned, _) = told(&employee);
    assert_eq!((deducted.as_str(), warned), ("170.00", vec![]));
}

#[test]
fn taxes_are_those_of_the_benefit_that_is_taken_however_far_it_is_cut() {
    let order = support_order("900");
    for (plan, orders) in [("2000", true), ("900", true), ("2000", false), ("1999.99", false)] {
        let mut employee = by_the_hour("25", "80");
        if orders {
            employee.garnishments = vec![ordered_garnishment(1, &order)];
        }
        employee.benefits = vec![sample_benefit(1, 1, plan, false), sample_benefit(2, 991, "30", false)];
        let (paycheck, _) = explained(&biweekly_payroll(), &employee);
        let taken = paycheck.benefits[0].employee_deduction;
        let wages = paycheck.gross.checked_sub(taken).unwrap();
        assert_eq!(paycheck.taxable.medicare, wages, "{plan}");
        let medicare = crate::payroll::taxes::percent_of(wages, parse_amount("1.45")).unwrap();
        assert_eq!(
            (paycheck.taxes.medicare, paycheck.taxes.employer_medicare),
            (medicare, medicare),
            "{plan}"
        );
        assert!(taken == parse_amount(plan) || paycheck.net == Amount::ZERO, "{plan}: {}", paycheck.net);
    }
}

#[test]
fn tips_in_cash_are_taxed_but_not_paid_again() {
    let mut employee = by_the_hour("10", "80");
    employee.fixed = vec![fixed(FixedKind::CashTips, "200"), fixed(FixedKind::PaycheckTips, "100")];
    let paycheck = paid(&employee);
    assert_eq!(paycheck.gross.to_text(2), "1100.00");
    assert_eq!(paycheck.taxable.medicare.to_text(2), "1100.00");
    // 28,600 a year less 8,600 is 20,000: 1,240 plus 12 % of 100 is 1,252 a year, 48.15.
    assert_eq!(figures(&paycheck), ["48.15", "68.20", "15.95", "767.70"]);
}

#[test]
fn taxes_that_the_pay_does_not_reach_for_are_reported() {
    let mut employee = by_the_hour("2.13", "80");
    employee.fixed = vec![fixed(FixedKind::CashTips, "3000")];
    let paycheck = paid(&employee);
    assert_eq!(paycheck.net, Amount::ZERO);
    // The wages of 170.40 bear 10.56 and 2.47; the rest does not cover 186.00 of Social Security on tips.
    assert_eq!(figures(&paycheck)[..3], ["0.00", "167.93", "2.47"]);
    assert!(matches!(paycheck.warnings[..], [Warning::TaxesNotCollected { .. }]));
    assert_eq!(paycheck.taxes.employer_social_security.to_text(2), "196.56");
}

#[test]
fn a_bonus_at_the_flat_rate_bears_22_percent() {
    let flat = Payroll { fixed_withholding_rate: true, pays_salaries: false, ..biweekly_payroll() };
    let mut employee = by_the_hour("25", "0");
    employee.fixed = vec![fixed(FixedKind::Earnings, "1000")];
    let (paycheck, _) = explained(&flat, &employee);
    assert_eq!(figures(&paycheck), ["220.00", "62.00", "14.50", "703.50"]);
    assert_eq!(paycheck.taxable.supplemental.to_text(2), "1000.00");
}

#[test]
fn exempt_employment_pays_no_social_security_medicare_or_unemployment_tax() {
    let mut employee = by_the_hour("25", "80");
    employee.fica_exemption = Some(FicaExemption::Student);
    let (paycheck, nodes) = explained(&biweekly_payroll(), &employee);
    let taxes = &paycheck.taxes;
    let none = [taxes.social_security, taxes.medicare, taxes.additional_medicare, taxes.futa];
    assert_eq!(none, [Amount::ZERO; 4]);
    assert_eq!([taxes.employer_social_security, taxes.employer_medicare], [Amount::ZERO; 2]);
    let wages = &paycheck.taxable;
    assert_eq!([wages.social_security, wages.medicare, wages.futa], [Amount::ZERO; 3]);
    assert!(taxes.federal_income > Amount::ZERO, "income tax is not affected");
    let all: String = nodes.iter().map(ToString::to_string).collect();
    assert!(all.contains("26 USC 3121(b)(10)") && all.contains("26 USC 3306(c)(10)(B)"));
    employee.fica_exemption = Some(FicaExemption::TotalizationAgreement);
    assert!(paid(&employee).taxes.futa > Amount::ZERO);
}

#[test]
fn an_organization_of_section_501_c_3_pays_no_unemployment_tax_and_the_rest() {
    let mut employee = by_the_hour("25", "80");
    let before = paid(&employee);
    employee.charitable_employer = true;
    let (paycheck, nodes) = explained(&biweekly_payroll(), &employee);
    assert_eq!((paycheck.taxes.futa, paycheck.taxable.futa), (Amount::ZERO, Amount::ZERO));
    assert!(before.taxes.futa > Amount::ZERO);
    assert_eq!(Taxes { futa: before.taxes.futa, ..paycheck.taxes }, before.taxes, "nothing else differs");
    let all: String = nodes.iter().map(ToString::to_string).collect();
    assert!(all.contains("26 USC 3306(c)(8)"), "{all}");
}

#[test]
fn an_exemption_of_the_owners_child_ends_at_18_and_says_so() {
    let mut employee = by_the_hour("25", "80");
    employee.fica_exemption = Some(FicaExemption::ChildOfSoleProprietor);
    employee.birth_date = Some(jiff::civil::date(2006, 1, 1));
    let paycheck = paid(&employee);
    assert_eq!(
        (paycheck.taxes.social_security.to_text(2).as_str(), paycheck.taxes.futa),
        ("124.00", Amount::ZERO)
    );
    let told = |paycheck: &Paycheck<u32>| paycheck.warnings.iter().map(Warning::message).collect::<String>();
    assert!(told(&paycheck).contains("past the age"), "{}", told(&paycheck));
    employee.birth_date = None;
    let paycheck = paid(&employee);
    assert!(paycheck.taxes.futa > Amount::ZERO);
    assert!(told(&paycheck).contains("date of birth"), "{}", told(&paycheck));
}

#[test]
fn skipping_regular_deductions_leaves_what_courts_ordered() {
    let skipping = Payroll { skip_regular_deductions: true, ..biweekly_payroll() };
    let (order, deduction) = (support_order("600"), other_terms(None, "50"));
    let mut employee = by_the_hour("25", "80");
    employee.garnishments = vec![ordered_garnishment(1, &order), ordered_garnishment(2, &deduction)];
    employee.benefits = vec![sample_benefit(1, 1, "100", false)];
    let (paycheck, _) = explained(&skipping, &employee);
    assert_eq!(paycheck.benefits, []);
    let taken: Vec<_> = paycheck.garnishments.iter().map(|taken| (taken.id, taken.amount)).collect();
    assert_eq!(taken, [(1, parse_amount("600"))]);
}

#[test]
fn a_supplied_state_tax_is_withheld_and_a_missing_one_is_reported() {
    let mut employee = by_the_hour("25", "80");
    employee.states = vec![StateIncomeTax::of_one(StateTax::Supplied {
        state: "SC".to_owned(),
        amount: parse_amount("61.23"),
    })];
    assert_eq!(paid(&employee).net.to_text(2), "1629.62");
    employee.states = vec![StateIncomeTax::of_one(StateTax::Missing {
        state: "SC".to_owned(),
        reason: "the tables are in doubt".to_owned(),
    })];
    let paycheck = paid(&employee);
    let [warning] = &paycheck.warnings[..] else { panic!("{:?}", paycheck.warnings) };
    assert_eq!(warning.key(), "state_tax_not_withheld");
    assert!(warning.message().contains("the tables are in doubt"));
}

/// Returns how a state's tax is determined for the sample payroll, with these answers on the certificate.
fn in_state(code: &str, answers: &[(&str, Answer)]) -> StateTax<'static> {
    let answer =
        |key: &str| answers.iter().find(|(known, _)| *known == key).map(|(_, answer)| answer.clone());
    StateTax::find_state_tax(StateTaxTables::built_in(), &biweekly_payroll(), code, answer, None)
}

#[test]
fn a_state_is_never_counted_as_zero_without_saying_so() {
    assert_eq!(in_state("TX", &[]), StateTax::NoTax { state: "TX".to_owned() });
    let why = |code: &str| match in_state(code, &[]) {
        StateTax::Missing { reason, .. } => reason,
        other => panic!("{code}: {other:?}"),
    };
    assert!(
        matches!(in_state("MD", &[]), StateTax::Formula { .. }),
        "at the rate for counties that are not known"
    );
    assert_eq!(why("GU"), "no withholding formula of the state is held");
    let supplied = |code| {
        StateTax::find_state_tax(
            StateTaxTables::built_in(),
            &biweekly_payroll(),
            code,
            |_| None,
            Some(parse_amount("5")),
        )
    };
    assert!(matches!(supplied("GU"), StateTax::Supplied { .. }));
    assert!(matches!(supplied("TX"), StateTax::NoTax { .. }));
    assert!(matches!(
        in_state("MD", &[("local_rate", Answer::Number(parse_amount("3.2")))]),
        StateTax::Formula { .. }
    ));
}

#[test]
fn state_income_tax_follows_the_states_formula() {
    let mut employee = by_the_hour("25", "80");
    employee.states =
        vec![StateIncomeTax::of_one(in_state("IL", &[("allowances", Answer::Number(parse_amount("1")))]))];
    let paycheck = paid(&employee);
    // 52,000 less 2,925 at 4.95 %: 2,429.2125 a year, 93.43.
    assert_eq!(paycheck.taxes.state_income.to_text(2), "93.43");
    assert_eq!(paycheck.net.to_text(2), "1597.42");
}

#[test]
fn deferrals_into_retirement_plans_are_wages_in_pennsylvania() {
    let mut employee = by_the_hour("25", "80");
    employee.benefits = vec![sample_benefit(1, 1, "100", false), sample_benefit(2, 5, "5", true)];
    employee.states = vec![StateIncomeTax::of_one(in_state("PA", &[]))];
    let paycheck = paid(&employee);
    assert_eq!(paycheck.state_taxes[0].wages.to_text(2), "1900.00");
    assert_eq!(paycheck.taxable.federal_income.to_text(2), "1800.00");
    // 3.07 %.
    assert_eq!(paycheck.taxes.state_income.to_text(2), "58.33");
}

#[test]
fn alabama_subtracts_the_federal_tax_of_the_same_paycheck() {
    let mut employee = by_the_hour("25", "80");
    employee.states = vec![StateIncomeTax::of_one(in_state("AL", &[]))];
    // 52,000 less 2,500 and 26 x 156.15 = 4,059.90 is 45,440.10: 110 plus 5 % of 42,440.10 a year.
    assert_eq!(paid(&employee).taxes.state_income.to_text(2), "85.85");
}

#[test]
fn an_adjustment_made_before_is_made_anew_and_not_added() {
    let mut employee = by_the_hour("2.13", "80");
    let (minimum_wage, tip_credit) = (parse_amount("7.25"), parse_amount("5.12"));
    let floor =
        Floor { from: jiff::civil::date(2009, 7, 24), minimum_wage, tip_credit, tips_from: Amount::ZERO };
    employee.jobs[0].compensations[0].floors = vec![floor];
    employee.fixed =
        vec![fixed(FixedKind::MinimumWageAdjustment, "409.60"), fixed(FixedKind::CashTips, "200")];
    let paycheck = paid(&employee);
    assert_eq!(paycheck.jobs[0].make_up.to_text(2), "209.60");
    assert_eq!(paycheck.gross.to_text(2), "580.00");
    assert_eq!(paycheck.cash_tips.to_text(2), "200.00");
}

#[test]
fn what_is_paid_out_is_divided_with_reimbursements_in_it() {
    let mut employee = by_the_hour("25", "80");
    employee.reimbursements = vec![parse_amount("9.15")];
    let rest = Split { account: 7, priority: 2, amount: None };
    let first = Split { account: 8, priority: 1, amount: Some(100_000) };
    employee.payment = Some(Payment { by: SplitBy::Amount, splits: vec![rest, first] });
    let paycheck = paid(&employee);
    assert_eq!(
        (paycheck.check_amount.to_text(2).as_str(), &paycheck.splits[..]),
        ("1700.00", &[70_000, 100_000][..])
    );
}

#[test]
fn what_a_benefit_asks_for_beyond_the_pay_is_told() {
    let mut employee = by_the_hour("25", "10");
    employee.benefits = vec![sample_benefit(1, 1, "300", false)];
    let cut = |employee: &Employee<'_, u32>| {
        let paycheck = paid(employee);
        let told = paycheck.warnings.iter().find(|warning| warning.key() == "deductions_cut");
        (paycheck.benefits[0].employee_deduction.to_text(2), told.map(Warning::message))
    };
    let message = |amount: &str| format!("pay is insufficient for all deductions: {amount} was not deducted");
    assert_eq!(cut(&employee), ("250.00".to_owned(), Some(message("50.00"))));
    // An after-tax benefit takes what taxes leave: 250.00 less 15.50 and 3.63.
    employee.benefits = vec![sample_benefit(1, 991, "300", false)];
    assert_eq!(cut(&employee), ("230.87".to_owned(), Some(message("69.13"))));
    employee.benefits = vec![sample_benefit(1, 991, "230.87", false)];
    assert_eq!(cut(&employee), ("230.87".to_owned(), None));
    // If nothing is paid, as in a bonus payroll for others, there is nothing to take from.
    let nothing = by_the_hour("25", "0");
    employee.jobs = nothing.jobs;
    assert_eq!(cut(&employee), ("0.00".to_owned(), None));
}

/// Whole paychecks, calculated by a separate script with exact fractions (`tests/worked/paychecks.py`).
const WORKED: &str = include_str!("worked.csv");

/// Returns the employee of a case, with a support order on these terms.
fn employee_of<'g>(
    case: &BTreeMap<&str, &str>,
    order: &'g garnishment::GarnishmentTerms,
) -> Employee<'g, u32> {
    let given = |name: &str| parse_amount(case[name]);
    let mut employee = by_the_hour(case["rate"], case["regular"]);
    let compensation = &mut employee.jobs[0].compensations[0];
    compensation.terms.unit = PaymentUnit::parse(case["unit"]).unwrap();
    if case["minimum_wage"] != "0" {
        let (minimum_wage, tip_credit) = (given("minimum_wage"), given("tip_credit"));
        compensation.floors = vec![Floor {
            from: jiff::civil::date(2009, 7, 24),
            minimum_wage,
            tip_credit,
            tips_from: Amount::ZERO,
        }];
    }
    employee.jobs[0].worked[0].overtime = given("overtime");
    employee.jobs[0].worked[0].double_overtime = given("double_overtime");
    employee.fixed = vec![
        fixed(FixedKind::PaycheckTips, case["paycheck_tips"]),
        fixed(FixedKind::CashTips, case["cash_tips"]),
        fixed(FixedKind::Earnings, case["bonus"]),
    ];
    employee.reimbursements = vec![given("reimbursement")];
    employee.benefits = vec![
        sample_benefit(1, 1, case["medical"], false),
        sample_benefit(2, 5, case["deferral_percent"], true),
    ];
    employee.garnishments = vec![ordered_garnishment(3, order)];
    employee.support_limits =
        garnishment::SupportLimits::built_in().limits_of_state("IL", jiff::civil::date(2026, 6, 1));
    employee.w4 = W4::Rev2020 {
        filing_status: FilingStatus::parse(case["filing_status"]).unwrap(),
        two_jobs: case["two_jobs"] == "1",
        dependents_amount: Amount::ZERO,
        other_income: Amount::ZERO,
        deductions: Amount::ZERO,
        extra_withholding: Amount::ZERO,
    };
    employee.states = vec![StateIncomeTax::of_one(in_state(
        "IL",
        &[("allowances", Answer::Number(given("allowances_il")))],
    ))];
    employee.year_to_date.social_security_wages = given("social_security_before");
    employee.year_to_date.medicare_wages = given("medicare_before");
    employee.year_to_date.futa_wages = given("futa_before");
    employee
}

#[test]
fn four_hundred_paychecks_come_out_as_an_independent_script_works_them() {
    let (head, cases) = WORKED.split_once('\n').unwrap();
    let names: Vec<_> = head.split(';').collect();
    assert_eq!(cases.lines().count(), 400);
    for line in cases.lines() {
        let case: BTreeMap<&str, &str> = names.iter().copied().zip(line.split(';')).collect();
        let frequency = PayFrequency::parse(case["frequency"]).unwrap();
        let mut order = support_order(case["support_most"]);
        order.amount = parse_amount(case["support_percent"]);
        order.child_support.as_mut().unwrap().payment_period = match frequency {
            PayFrequency::Quarterly | PayFrequency::Annually => PayFrequency::Monthly,
            within_a_month => within_a_month,
        };
        let employee = employee_of(&case, &order);
        let payroll = Payroll { frequency, withholding_period: frequency, ..biweekly_payroll() };
        let (paycheck, _) = explained(&payroll, &employee);
        let taxes = &paycheck.taxes;
        let found = [
            ("gross", paycheck.gross),
            ("make_up", paycheck.jobs[0].make_up),
            ("federal_income_tax", taxes.federal_income),
            ("social_security", taxes.social_security),
            ("medicare", taxes.medicare),
            ("additional_medicare", taxes.additional_medicare),
            ("state_income_tax", taxes.state_income),
            ("futa", taxes.futa),
            ("support", paycheck.garnishments[0].amount),
            ("net", paycheck.net),
            ("check_amount", paycheck.check_amount),
        ];
        for (name, found) in found {
            assert_eq!(found.to_text(2), case[name], "{name}: {line}");
        }
    }
}

#[test]
fn three_jobs_at_two_minimum_wages_make_one_paycheck() {
    let mut employee = by_the_hour("2.13", "20");
    let job = |rate: &str, hours: &str, minimum: &str, credit: &str| {
        let mut job = by_the_hour(rate, hours).jobs.remove(0);
        let (minimum_wage, tip_credit) = (parse_amount(minimum), parse_amount(credit));
        job.compensations[0].floors = vec![Floor {
            from: jiff::civil::date(2020, 1, 1),
            minimum_wage,
            tip_credit,
            tips_from: Amount::ZERO,
        }];
        job
    };
    employee.jobs = vec![
        job("2.13", "20", "7.25", "5.12"),
        job("16.27", "30", "19.29", "3.02"),
        job("25.00", "10", "19.29", "3.02"),
    ];
    // Tips of one job do not make up for another.
    employee.fixed =
        vec![fixed(FixedKind::CashTips, "50"), FixedPay { job: 2, ..fixed(FixedKind::PaycheckTips, "500") }];
    let paycheck = paid(&employee);
    let made_up: Vec<_> = paycheck.jobs.iter().map(|job| job.make_up.to_text(2)).collect();
    assert_eq!(made_up, ["52.40", "90.60", "0.00"]);
    // 42.60 + 488.10 + 250.00 of wages, 143.00 made up, 550.00 of tips.
    assert_eq!(paycheck.gross.to_text(2), "1473.70");
}

#[test]
fn a_year_of_paychecks_reaches_every_limit_once() {
    let mut employee = by_the_hour("100", "80");
    let mut taxes = [Amount::ZERO; 3];
    for _ in 0..26 {
        let paycheck = paid(&employee);
        let of_paycheck =
            [paycheck.taxes.social_security, paycheck.taxes.additional_medicare, paycheck.taxes.futa];
        for (sum, tax) in taxes.iter_mut().zip(of_paycheck) {
            *sum = sum.checked_add(tax).unwrap();
        }
        employee.year_to_date = employee.year_to_date.add_paycheck(&paycheck).unwrap();
    }
    // 208,000 in the year: 6.2 % of 184,500, 0.9 % of 8,000, 0.6 % of 7,000.
    assert_eq!(taxes.map(|tax| tax.to_text(2)), ["11439.00", "72.00", "42.00"]);
    assert_eq!(employee.year_to_date.medicare_wages.to_text(2), "208000.00");
    assert_eq!(employee.year_to_date.fica_withheld.to_text(2), "14527.00");
}

/// Checks what must hold for any paycheck.
fn check_laws(employee: &Employee<'_, u32>, paycheck: &Paycheck<u32>) {
    let all = |amounts: &mut dyn Iterator<Item = Amount>| {
        amounts.fold(0, |sum, amount| {
            assert_eq!(amount.round_to_cents(Rounding::Down), amount, "whole cents");
            assert!(amount >= Amount::ZERO, "none is negative");
            sum + amount.cents_half_up()
        })
    };
    let taxes = paycheck.tax_lines(&employee.other_taxes.situation);
    let employee_taxes =
        all(&mut taxes.iter().filter(|line| !line.id.is_of_employer()).map(|line| line.amount));
    let garnishments = all(&mut paycheck.garnishments.iter().map(|taken| taken.amount));
    let benefits = all(&mut paycheck.benefits.iter().map(|line| line.employee_deduction));
    let gross = all(&mut [paycheck.gross].into_iter());
    let cash = all(&mut [paycheck.cash_tips].into_iter());
    let net = all(&mut [paycheck.net].into_iter());
    assert_eq!(net, gross - cash - employee_taxes - garnishments - benefits, "{employee:?}");
    let of_jobs = all(&mut paycheck.jobs.iter().map(|job| job.total_pay().unwrap()));
    let lines = employee.fixed.iter().filter(|line| line.kind != FixedKind::MinimumWageAdjustment);
    assert_eq!(gross, of_jobs + all(&mut lines.map(|line| line.amount)));
    let paid_out = net + all(&mut employee.reimbursements.iter().copied());
    assert_eq!(paycheck.check_amount.cents_half_up(), paid_out);
    if employee.payment.is_some() {
        assert_eq!(paycheck.splits.iter().sum::<i64>(), paid_out);
    }
}

#[test]
fn a_hundred_thousand_employees_by_chance_obey_every_law_and_add_up() {
    let terms = every_garnishment();
    let mut chance = Chance(2026);
    let (mut forward, mut parts) = (Totals::default(), [Totals::default(); 2]);
    let (mut net, mut cut, mut twice) = (0, 0, 0);
    for number in 0..100_000 {
        let payroll = chance.payroll();
        let employee = chance.employee(&terms);
        let once = calculate_paycheck(&mut NoTrace, &payroll, &employee).unwrap();
        check_laws(&employee, &once);
        net += once.net.cents_half_up();
        cut += usize::from(once.warnings.iter().any(|warning| warning.key() == "deductions_cut"));
        forward = forward.add_paycheck(&once).unwrap();
        parts[number % 2] = parts[number % 2].add_paycheck(&once).unwrap();
        if number % 50 == 0 {
            let (again, nodes) = explained(&payroll, &employee);
            assert_eq!(format!("{again:?}"), format!("{once:?}"), "the same bytes");
            assert_eq!(nodes, explained(&payroll, &employee).1, "and the same explanation");
            twice += usize::from(nodes.iter().any(|node| node.to_string().contains("once_more")));
        }
    }
    assert_eq!(forward.net.cents_half_up(), net);
    assert_eq!(parts[0].add_totals(parts[1]).unwrap(), forward);
    assert!(cut > 1_000 && twice > 10, "chance met what is rare: {cut} cut, {twice} settled twice");
}
