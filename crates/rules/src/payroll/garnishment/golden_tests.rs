//! Worked examples: those that states publish for employers, and one for each rule.

#![allow(clippy::inconsistent_digit_grouping, reason = "the cents of an amount are set apart")]

use jiff::civil::date;

use super::tests_support::*;
use super::*;

/// Returns current support and arrears of each order, in cents.
fn parts(pay: &Pay<'_>, all: &[GarnishmentTerms]) -> Vec<(i64, i64)> {
    let part = |deduction: &Deduction<usize>| {
        (deduction.current_support.cents_half_up(), deduction.arrears.cents_half_up())
    };
    checked_deductions(pay, &garnishments_with(all)).iter().map(part).collect()
}

#[test]
fn texas_pays_current_support_in_full_and_the_rest_of_the_limit_in_equal_parts_of_arrears() {
    let orders =
        [support_order(50, 100_00, 50_00), support_order(50, 200_00, 50_00), support_order(50, 50_00, 25_00)];
    assert_eq!(
        parts(&monthly_pay(850_00, "TX"), &orders),
        [(100_00, 25_00), (200_00, 25_00), (50_00, 25_00)]
    );
}

#[test]
fn texas_passes_on_what_an_order_does_not_need_of_its_equal_part() {
    let orders = [
        support_order(50, 100_00, 100_00),
        support_order(50, 200_00, 25_00),
        support_order(50, 50_00, 35_00),
    ];
    assert_eq!(
        parts(&monthly_pay(900_00, "TX"), &orders),
        [(100_00, 40_00), (200_00, 25_00), (50_00, 35_00)]
    );
}

#[test]
fn california_divides_half_of_net_earnings_in_proportion_to_the_orders() {
    assert_eq!(
        withheld_amounts(
            &monthly_pay(1_200_00, "CA"),
            &[support_terms(50, 700_00), support_terms(50, 350_00)]
        ),
        [400_00, 200_00]
    );
    let orders = [support_order(50, 400_00, 120_00), support_order(50, 100_00, 40_00)];
    assert_eq!(parts(&monthly_pay(1_200_00, "CA"), &orders), [(400_00, 75_00), (100_00, 25_00)]);
}

#[test]
fn kentucky_divides_in_exact_proportion() {
    // The limit is 50 % of 600.00. The state's own page rounds the percentages and arrives at 129 and 171.
    let mut orders = [support_terms(50, 150_00), support_terms(50, 200_00)];
    for terms in &mut orders {
        terms.child_support.as_mut().unwrap().order.supports_other_family = Some(true);
        terms.child_support.as_mut().unwrap().order.arrears_over_12_weeks = Some(false);
    }
    assert_eq!(withheld_amounts(&monthly_pay(600_00, "KY"), &orders), [128_57, 171_43]);
}

#[test]
fn indiana_gives_the_last_cent_to_the_largest_remainder() {
    let orders = [support_terms(50, 75_00), support_terms(50, 65_00), support_terms(50, 90_00)];
    assert_eq!(withheld_amounts(&monthly_pay(340_00, "IN"), &orders), [55_44, 48_04, 66_52]);
}

#[test]
fn creditors_get_what_support_leaves_of_a_quarter() {
    let weekly =
        Pay { periods: PeriodsPaid::one_period(PayFrequency::EveryWeek), ..monthly_pay(1_000_00, "ID") };
    let creditor = other_terms(Some(GarnishmentType::CreditorGarnishment), 400_00);
    let with_support = |support: i64| {
        let mut terms = support_terms(50, support);
        terms.child_support.as_mut().unwrap().payment_period = PayFrequency::EveryWeek;
        withheld_amounts(&weekly, &[creditor.clone(), terms])
    };
    assert_eq!(with_support(250_00), [0, 250_00]);
    assert_eq!(with_support(100_00), [150_00, 100_00]);
}

#[test]
fn thirty_hours_at_the_minimum_wage_are_kept_from_creditors_and_loans() {
    let floors = [
        (PayFrequency::EveryWeek, 217_50),
        (PayFrequency::EveryOtherWeek, 435_00),
        (PayFrequency::TwicePerMonth, 471_25),
        (PayFrequency::Monthly, 942_50),
    ];
    for (frequency, floor) in floors {
        for kind in [GarnishmentType::CreditorGarnishment, GarnishmentType::StudentLoan] {
            let pay = Pay { periods: PeriodsPaid::one_period(frequency), ..monthly_pay(floor + 1, "ID") };
            assert_eq!(withheld_amounts(&pay, &[other_terms(Some(kind), 500_00)]), [1], "{frequency:?}");
            let pay = Pay { periods: PeriodsPaid::one_period(frequency), ..monthly_pay(floor, "ID") };
            assert_eq!(withheld_amounts(&pay, &[other_terms(Some(kind), 500_00)]), [0], "{frequency:?}");
        }
    }
}

#[test]
fn a_loan_takes_fifteen_percent_and_all_together_a_quarter() {
    let loan = other_terms(Some(GarnishmentType::StudentLoan), 1_000_00);
    let federal = other_terms(Some(GarnishmentType::FederalLoan), 1_000_00);
    let creditor = other_terms(Some(GarnishmentType::CreditorGarnishment), 1_000_00);
    let pay = monthly_pay(4_000_00, "ID");
    assert_eq!(withheld_amounts(&pay, &[creditor.clone(), loan.clone(), federal]), [0, 400_00, 600_00]);
    assert_eq!(withheld_amounts(&pay, &[creditor, loan]), [400_00, 600_00]);
}

#[test]
fn several_loans_together_leave_thirty_hours_at_the_federal_minimum_wage() {
    // 15 USC 1673(a)(2) limits the aggregate: of 250.00 a week 217.50 stays, whoever holds the loans, and whichever came first.
    let weekly = |disposable| Pay {
        periods: PeriodsPaid::one_period(PayFrequency::EveryWeek),
        ..monthly_pay(disposable, "ID")
    };
    let loan = other_terms(Some(GarnishmentType::StudentLoan), 1_000_00);
    let federal = other_terms(Some(GarnishmentType::FederalLoan), 1_000_00);
    let creditor = other_terms(Some(GarnishmentType::CreditorGarnishment), 20_00);
    let two = [loan.clone(), loan.clone()];
    assert_eq!(withheld_amounts(&weekly(230_00), &two), [12_50, 0]);
    // 15 % of 270.00 is 40.50, and a quarter 67.50; 52.50 is above the floor.
    assert_eq!(withheld_amounts(&weekly(270_00), &two), [40_50, 12_00]);
    assert_eq!(withheld_amounts(&weekly(270_00), &[loan.clone(), federal.clone()]), [12_00, 40_50]);
    // 60.00 of 400.00, and what is left of a quarter.
    assert_eq!(withheld_amounts(&weekly(400_00), &two), [60_00, 40_00]);
    // A creditor who came first counts as well.
    let mut served = garnishments_with(&[loan, creditor]);
    served[1].since = served[0].since.yesterday().unwrap();
    let taken = checked_deductions(&weekly(230_00), &served);
    assert_eq!(taken.iter().map(|one| one.amount.cents_half_up()).collect::<Vec<_>>(), [0, 12_50]);
}

#[test]
fn the_dollar_cap_of_an_order_is_converted_to_the_pay_schedule() {
    // 400.00 a month is 4,800.00 a year.
    for (frequency, cap) in [
        (PayFrequency::EveryWeek, 92_31),
        (PayFrequency::EveryOtherWeek, 184_62),
        (PayFrequency::TwicePerMonth, 200_00),
        (PayFrequency::Monthly, 400_00),
    ] {
        let pay = Pay { periods: PeriodsPaid::one_period(frequency), ..monthly_pay(9_000_00, "NJ") };
        assert_eq!(withheld_amounts(&pay, &[support_terms(50, 400_00)]), [cap], "{frequency:?}");
    }
}

#[test]
fn an_order_takes_no_more_than_its_percentage_of_pay() {
    assert_eq!(withheld_amounts(&monthly_pay(999_99, "NJ"), &[support_terms(25, 400_00)]), [249_99]);
}

#[test]
fn an_older_federal_levy_comes_before_support_and_a_younger_one_after() {
    let all = [support_terms(50, 600_00), other_terms(Some(GarnishmentType::FederalTaxLien), 300_00)];
    // 16,100 a year is 1,341.67 a month, which a levy without a statement leaves.
    let pay = monthly_pay(2_000_00, "TX");
    let mut garnished = garnishments_with(&all);
    let amounts = |garnished: &[Garnishment<usize>]| -> Vec<i64> {
        checked_deductions(&pay, garnished).iter().map(|deduction| deduction.amount.cents_half_up()).collect()
    };
    assert_eq!(amounts(&garnished), [600_00, 58_33]);
    garnished[1].since = date(2025, 12, 31);
    assert_eq!(amounts(&garnished), [600_00, 300_00]);
}

#[test]
fn a_levy_takes_what_there_is_and_plain_deductions_come_last() {
    let all = [
        other_terms(None, 500_00),
        other_terms(Some(GarnishmentType::StateTaxLien), 700_00),
        other_terms(Some(GarnishmentType::FederalTaxLien), 200_00),
    ];
    // 15 USC 1673(a) for the state's levy, of which no limit is known: a quarter of 4,000.00 less the federal one.
    assert_eq!(withheld_amounts(&monthly_pay(4_000_00, "NJ"), &all), [500_00, 700_00, 200_00]);
}

#[test]
fn a_garnishment_ends_with_its_times_its_year_and_its_total() {
    let plain = GarnishmentTerms { recurring: false, ..other_terms(None, 100_00) };
    let pay = monthly_pay(2_000_00, "NJ");
    let after = |terms: &GarnishmentTerms, withheld: WithheldToDate| {
        let garnishment = Garnishment { id: 0, since: DAY, terms: terms.clone(), withheld };
        checked_deductions(&pay, &[garnishment])[0].amount.cents_half_up()
    };
    let times = |times| WithheldToDate { times, ..WithheldToDate::default() };
    // Once, unless the terms say otherwise.
    assert_eq!((after(&plain, times(0)), after(&plain, times(1))), (100_00, 0));
    let thrice = GarnishmentTerms { times: Some(3), ..plain.clone() };
    assert_eq!((after(&thrice, times(2)), after(&thrice, times(3))), (100_00, 0));
    let always = GarnishmentTerms { recurring: true, times: Some(3), ..plain.clone() };
    assert_eq!(after(&always, times(99)), 100_00);
    assert_eq!(after(&support_terms(50, 400_00), times(99)), 400_00);
    assert_eq!(after(&GarnishmentTerms { active: false, ..always.clone() }, times(0)), 0);

    let maxima = GarnishmentTerms {
        annual_maximum: Some(cents_amount(250_00)),
        total_amount: Some(cents_amount(1_000_00)),
        ..always
    };
    let taken = |year, total| WithheldToDate {
        times: 9,
        year: cents_amount(year),
        total: cents_amount(total),
        ..WithheldToDate::default()
    };
    assert_eq!(after(&maxima, taken(100_00, 500_00)), 100_00);
    assert_eq!(after(&maxima, taken(200_00, 500_00)), 50_00);
    assert_eq!(after(&maxima, taken(250_00, 500_00)), 0);
    assert_eq!(after(&maxima, taken(0, 970_00)), 30_00);
    assert_eq!(after(&maxima, taken(0, 1_000_00)), 0);
}

#[test]
fn without_pay_nothing_is_taken() {
    let all = [
        support_terms(50, 400_00),
        other_terms(Some(GarnishmentType::StateTaxLien), 700_00),
        other_terms(None, 1),
    ];
    assert_eq!(withheld_amounts(&monthly_pay(0, "NJ"), &all), [0, 0, 0]);
    assert_eq!(withheld_amounts(&monthly_pay(-5_00, "NJ"), &all), [0, 0, 0]);
    assert_eq!(deduct_garnishments::<usize, _>(&mut crate::explain::NoTrace, &monthly_pay(1, "NJ"), &[]), []);
}

#[test]
fn every_order_with_current_support_gets_a_cent_and_arrears_alone_may_get_none() {
    let orders = [support_order(50, 900_000_00, 0), support_order(50, 1_00, 0), support_order(50, 0, 400_00)];
    assert_eq!(withheld_amounts(&monthly_pay(200_00, "TX"), &orders[1..]), [1_00, 99_00]);
    assert_eq!(withheld_amounts(&monthly_pay(200_00, "CA"), &orders), [99_99, 1, 0]);
}

#[test]
fn disposable_earnings_are_gross_pay_without_taxes() {
    let mut recorder = crate::explain::Recorder::default();
    let taxes = [("federal_income_tax", cents_amount(120_00)), ("social_security", cents_amount(62_00))];
    assert_eq!(disposable_earnings(&mut recorder, cents_amount(1_000_00), &taxes), cents_amount(818_00));
    crate::explain::evaluator::check(&recorder.finish()[0].to_json()).unwrap();
    let more = [("federal_income_tax", cents_amount(2_000_00))];
    assert_eq!(
        disposable_earnings(&mut crate::explain::NoTrace, cents_amount(1_000_00), &more),
        Amount::ZERO
    );
}
