//! Tests of the worksheet: independently calculated cases, the edges of every bracket, and the properties of
//! any withholding.

use super::*;
use crate::Named;
use crate::amount::Rounding;
use crate::explain::{Recorder, evaluator};
use crate::withholding::federal::{MAX_ALLOWANCES, Schedules, check_w4};
use FilingStatus::*;
use proptest::prelude::*;

/// One case per line, calculated with exact fractions by a separate program that follows Worksheet 1A line by line:
/// for each year, form, filing status and pay frequency. The allowance count is for the older form, the amounts
/// for the newer one, and the extra withholding for both.
const WORKED: &str = include_str!("worked.csv");

fn amount(text: &str) -> Amount {
    Amount::parse(text).unwrap()
}

fn tables() -> &'static FederalTables {
    FederalTables::built_in(2026).unwrap()
}

fn plain(filing_status: FilingStatus, two_jobs: bool) -> W4 {
    W4::Rev2020 {
        filing_status,
        two_jobs,
        dependents_amount: Amount::ZERO,
        other_income: Amount::ZERO,
        deductions: Amount::ZERO,
        extra_withholding: Amount::ZERO,
    }
}

fn withheld(w4: &W4, wages: &str, frequency: PayFrequency) -> String {
    withhold_income_tax(tables(), w4, amount(wages), frequency).unwrap().to_text(2)
}

fn read_form(fields: &[&str]) -> W4 {
    let filing_status = FilingStatus::parse(fields[2]).unwrap();
    match fields[1] {
        "rev_2020" => W4::Rev2020 {
            filing_status,
            two_jobs: fields[3] == "1",
            dependents_amount: amount(fields[5]),
            other_income: amount(fields[6]),
            deductions: amount(fields[7]),
            extra_withholding: amount(fields[8]),
        },
        _ => W4::Pre2020 {
            filing_status,
            allowances: fields[4].parse().unwrap(),
            additional_withholding: amount(fields[8]),
        },
    }
}

#[test]
fn every_worked_case_comes_out_to_the_cent() {
    let cases: Vec<_> = WORKED.lines().skip(1).collect();
    assert_eq!(cases.len(), 2 * 8 * (7 + 5), "years, frequencies, statuses of the two forms");
    for case in cases {
        let fields: Vec<_> = case.split(';').collect();
        let w4 = read_form(&fields);
        assert_eq!(check_w4(&w4), [], "{case}");
        let tables = FederalTables::built_in(fields[0].parse().unwrap()).unwrap();
        let found =
            withhold_income_tax(tables, &w4, amount(fields[10]), PayFrequency::parse(fields[9]).unwrap())
                .unwrap()
                .to_text(2);
        assert_eq!(found, fields[11], "{case}");
    }
}

#[test]
fn a_single_employee_with_1000_a_week_in_2026() {
    // 52,000 a year less 8,600 is 43,400: 1,240 plus 12 % of 23,500 is 4,060 a year, 78.0769 a week.
    assert_eq!(withheld(&plain(Single, false), "1000", PayFrequency::EveryWeek), "78.08");
}

#[test]
fn a_tax_of_half_a_cent_is_rounded_up() {
    // The standard deduction of 2026 is 16,100, and 10 % of 0.05 above it is half a cent.
    assert_eq!(withheld(&plain(Single, false), "16100.04", PayFrequency::Annually), "0.00");
    assert_eq!(withheld(&plain(Single, false), "16100.05", PayFrequency::Annually), "0.01");
}

fn schedule(group: &Schedules, status: FilingStatus) -> &[Bracket] {
    match status {
        Married => &group.married,
        HeadOfHousehold => &group.head_of_household,
        _ => &group.single,
    }
}

/// From the annual wage at which a row begins, its own printed base applies; one cent below, the previous row
/// applies.
#[test]
fn a_row_counts_from_its_own_wage_on() {
    let statuses = [Single, Married, HeadOfHousehold];
    let both = statuses.into_iter().flat_map(|status| [(status, false), (status, true)]);
    for (status, two_jobs) in both {
        let group = if two_jobs { &tables().two_jobs } else { &tables().standard };
        let deduction = match (two_jobs, status) {
            (true, _) => Amount::ZERO,
            (false, Married) => amount("12900"),
            (false, _) => amount("8600"),
        };
        let yearly = |wages: Amount| {
            let paid = wages.checked_add(deduction).unwrap();
            withhold_income_tax(tables(), &plain(status, two_jobs), paid, PayFrequency::Annually).unwrap()
        };
        for pair in schedule(group, status).windows(2) {
            let edge = pair[1].at_least;
            assert_eq!(yearly(edge), pair[1].base, "{status:?} {two_jobs} {edge}");
            let below = edge.checked_sub(Amount::from_cents(1)).unwrap();
            let in_row = below.checked_sub(pair[0].at_least).unwrap();
            // Cents times a whole percentage are ten-thousandths, which an amount holds exactly.
            let tax = in_row.mul_ratio(pair[0].percent.millionths(), 100_000_000, Rounding::Down).unwrap();
            let expected = pair[0].base.checked_add(tax).unwrap().round_to_cents(Rounding::HalfUp);
            assert_eq!(yearly(below), expected, "{status:?} {two_jobs} {below}");
        }
    }
}

#[test]
fn whoever_claims_exemption_has_nothing_withheld() {
    let new = W4::Rev2020 {
        filing_status: Exempt,
        two_jobs: true,
        dependents_amount: Amount::ZERO,
        other_income: amount("90000"),
        deductions: Amount::ZERO,
        extra_withholding: amount("50"),
    };
    let old = W4::Pre2020 { filing_status: Exempt, allowances: 0, additional_withholding: amount("50") };
    for w4 in [new, old] {
        assert_eq!(withheld(&w4, "100000", PayFrequency::Monthly), "0.00");
    }
}

#[test]
fn an_older_form_knows_only_single_and_married() {
    let old =
        |filing_status| W4::Pre2020 { filing_status, allowances: 1, additional_withholding: Amount::ZERO };
    let single = withheld(&old(Single), "3000", PayFrequency::EveryOtherWeek);
    for status in [HeadOfHousehold, MarriedWithholdAsSingle] {
        assert_eq!(withheld(&old(status), "3000", PayFrequency::EveryOtherWeek), single, "{status:?}");
    }
    assert_ne!(withheld(&old(Married), "3000", PayFrequency::EveryOtherWeek), single);
}

#[test]
fn credits_for_dependents_lower_the_tax_to_zero_but_not_the_extra_withholding() {
    let w4 = W4::Rev2020 {
        filing_status: Single,
        two_jobs: false,
        dependents_amount: amount("4400"),
        other_income: Amount::ZERO,
        deductions: Amount::ZERO,
        extra_withholding: amount("12.34"),
    };
    assert_eq!(withheld(&w4, "1000", PayFrequency::EveryWeek), "12.34");
}

#[test]
fn the_largest_inputs_do_not_overflow() {
    let most = crate::amount::MAX_AMOUNT;
    let w4 = W4::Rev2020 {
        filing_status: Single,
        two_jobs: true,
        dependents_amount: Amount::ZERO,
        other_income: most,
        deductions: Amount::ZERO,
        extra_withholding: most,
    };
    // 37 % of the largest daily wage and of 1/260 of the other income, less the small amount that the lower rows
    // save, plus the extra withholding.
    let daily = withhold_income_tax(tables(), &w4, most, PayFrequency::Daily).unwrap();
    assert!(daily > amount("1371000000") && daily < amount("1371500000"), "{daily}");
    let largest = Amount::from_millionths(i64::MAX);
    let beyond = withhold_income_tax(tables(), &w4, largest, PayFrequency::Daily).unwrap();
    assert!(beyond > daily);
    // No valid certificate has such an amount: the result is `None`, not the largest amount.
    let invalid = with_extra(&w4, largest);
    assert_eq!(withhold_income_tax(tables(), &invalid, largest, PayFrequency::Daily), None);
}

fn any_w4() -> impl Strategy<Value = W4> {
    let cents = |most: i64| (0..=most).prop_map(Amount::from_cents);
    let new =
        (0usize..4, any::<bool>(), cents(2_000_000), cents(10_000_000), cents(10_000_000), cents(50_000))
            .prop_map(
                |(status, two_jobs, dependents_amount, other_income, deductions, extra_withholding)| {
                    W4::Rev2020 {
                        filing_status: FilingStatus::REV_2020[status],
                        two_jobs,
                        dependents_amount,
                        other_income,
                        deductions,
                        extra_withholding,
                    }
                },
            );
    let old = (0usize..5, 0..=MAX_ALLOWANCES, cents(50_000)).prop_map(|(status, allowances, extra)| {
        W4::Pre2020 { filing_status: FilingStatus::ALL[status], allowances, additional_withholding: extra }
    });
    prop_oneof![new, old]
}

/// Returns the form with a different extra withholding amount.
fn with_extra(w4: &W4, extra: Amount) -> W4 {
    match *w4 {
        W4::Rev2020 { filing_status, two_jobs, dependents_amount, other_income, deductions, .. } => {
            W4::Rev2020 {
                filing_status,
                two_jobs,
                dependents_amount,
                other_income,
                deductions,
                extra_withholding: extra,
            }
        }
        W4::Pre2020 { filing_status, allowances, .. } => {
            W4::Pre2020 { filing_status, allowances, additional_withholding: extra }
        }
    }
}

/// Largest drop in the annual tax when pay rises, in cents: the halved limits of the two-jobs schedules are printed
/// in whole dollars, so a printed base can be less than the tax up to it. 24 % of half a dollar.
const PRINTED_STEP_DOWN: i64 = 12;

proptest! {
    #[test]
    fn every_figure_can_be_worked_out_again(
        w4 in any_w4(), wages in 0i64..=200_000_000, frequency in 0usize..8
    ) {
        let frequency = PayFrequency::ALL[frequency];
        let wages = Amount::from_cents(wages);
        let mut recorder = Recorder::default();
        let traced = withhold_traced(&mut recorder, tables(), &w4, wages, frequency).unwrap();
        prop_assert_eq!(Some(traced), withhold_income_tax(tables(), &w4, wages, frequency));
        let nodes = recorder.finish();
        prop_assert_eq!(nodes.len(), 1);
        prop_assert_eq!(&nodes[0].step.result, &Value::Amount(traced));
        prop_assert_eq!(evaluator::check(&nodes[0].to_json()), Ok(()));
    }

    #[test]
    fn what_is_withheld_is_whole_cents_and_never_negative(
        w4 in any_w4(), wages in 0i64..=200_000_000, frequency in 0usize..8
    ) {
        let tax = withhold_income_tax(tables(), &w4, Amount::from_cents(wages), PayFrequency::ALL[frequency]).unwrap();
        prop_assert!(tax >= Amount::ZERO);
        prop_assert_eq!(Amount::from_cents(tax.cents_half_up()), tax);
    }

    #[test]
    fn more_pay_never_lowers_the_tax(
        w4 in any_w4(), wages in 0i64..=20_000_000, more in 0i64..=1_000_000, frequency in 0usize..8
    ) {
        let frequency = PayFrequency::ALL[frequency];
        let cents =
            |wages| withhold_income_tax(tables(), &w4, Amount::from_cents(wages), frequency).unwrap().cents_half_up();
        let two_jobs = matches!(w4, W4::Rev2020 { two_jobs: true, .. });
        let periods = frequency.periods_per_year();
        // Rounding at either end may turn a fraction of a cent into a whole cent.
        let allowed = if two_jobs { (PRINTED_STEP_DOWN + periods - 1) / periods } else { 0 };
        prop_assert!(cents(wages + more) >= cents(wages) - allowed);
    }

    #[test]
    fn extra_withholding_is_added_to_the_cent(
        w4 in any_w4(), wages in 0i64..=20_000_000, extra in 0i64..=1_000_000, frequency in 0usize..8
    ) {
        let frequency = PayFrequency::ALL[frequency];
        let cents = |extra| {
            let w4 = with_extra(&w4, Amount::from_cents(extra));
            withhold_income_tax(tables(), &w4, Amount::from_cents(wages), frequency).unwrap().cents_half_up()
        };
        let exempt = matches!(
            w4,
            W4::Rev2020 { filing_status: Exempt, .. } | W4::Pre2020 { filing_status: Exempt, .. }
        );
        prop_assert_eq!(cents(extra), cents(0) + if exempt { 0 } else { extra });
    }
}
