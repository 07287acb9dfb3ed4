//! Worked examples of the law on garnishments other than support.

#![allow(clippy::inconsistent_digit_grouping, reason = "the cents of an amount are set apart")]

use std::collections::BTreeSet;

use jiff::civil::date;

use super::tests_support::*;
use super::*;

const CREDITOR: Option<GarnishmentType> = Some(GarnishmentType::CreditorGarnishment);

/// Returns a weekly pay with `gross` and `disposable` cents, in a state with a minimum wage.
fn weekly(state: &str, gross: i64, disposable: i64, minimum_wage: i64) -> Pay<'static> {
    let wages = MinimumWages {
        state: Some(cents_amount(minimum_wage)),
        ..MinimumWages::of_country(cents_amount(725))
    };
    let law = GarnishmentLaw::built_in(state, date(2026, 6, 1), wages);
    Pay {
        periods: PeriodsPaid::one_period(PayFrequency::EveryWeek),
        gross: cents_amount(gross),
        law: Box::leak(Box::new(law)),
        ..monthly_pay(disposable, state)
    }
}

/// Returns what a creditor with an unlimited claim gets from a week's pay.
fn creditor(state: &str, gross: i64, disposable: i64, minimum_wage: i64) -> i64 {
    withheld_amounts(&weekly(state, gross, disposable, minimum_wage), &[other_terms(CREDITOR, 9_000_00)])[0]
}

#[test]
fn federal_law_leaves_30_hours_at_the_minimum_wage_and_three_quarters() {
    // The table and examples 1 to 4 of Fact Sheet 30 (December 2024), and 29 CFR 870.10, at 7.25: nothing up to 217.50 a week,
    // the excess over it up to 290.00, a quarter above that; 2, 2 1/6 and 4 1/3 times those amounts for longer pay periods.
    // A draw of 300.00 a week and a commission of 1,800.00 a month are limited separately.
    use PayFrequency::{EveryOtherWeek, EveryWeek, Monthly, TwicePerMonth};
    for (frequency, disposable, taken) in [
        (EveryWeek, 217_50, 0),
        (EveryWeek, 233_00, 15_50),
        (EveryWeek, 290_00, 72_50),
        (EveryWeek, 300_00, 75_00),
        (EveryWeek, 368_00, 92_00),
        (EveryOtherWeek, 435_00, 0),
        (EveryOtherWeek, 580_00, 145_00),
        (TwicePerMonth, 471_25, 0),
        (TwicePerMonth, 628_33, 157_08),
        (Monthly, 942_50, 0),
        (Monthly, 125_666, 31_416),
        (Monthly, 1_800_00, 450_00),
        (Monthly, 2_000_00, 500_00),
    ] {
        let pay =
            Pay { periods: PeriodsPaid::one_period(frequency), ..weekly("GA", disposable, disposable, 7_25) };
        assert_eq!(
            withheld_amounts(&pay, &[other_terms(CREDITOR, 9_000_00)]),
            [taken],
            "{frequency:?} {disposable}"
        );
    }
}

#[test]
fn support_of_more_than_a_quarter_leaves_a_creditor_nothing() {
    // Example 5 of Fact Sheet 30: 140.00 of 370.00 a week is withheld for support, while a quarter would be 92.50.
    let pay = weekly("GA", 370_00, 370_00, 7_25);
    let mut support = support_terms(50, 140_00);
    support.child_support.as_mut().unwrap().payment_period = PayFrequency::EveryWeek;
    assert_eq!(withheld_amounts(&pay, &[other_terms(CREDITOR, 9_000_00)]), [92_50]);
    assert_eq!(withheld_amounts(&pay, &[support, other_terms(CREDITOR, 9_000_00)]), [140_00, 0]);
}

#[test]
fn north_and_south_carolina_pennsylvania_and_texas_let_creditors_take_nothing() {
    for state in ["NC", "SC", "PA", "TX"] {
        assert_eq!(creditor(state, 2_000_00, 1_600_00, 725), 0, "{state}");
        let loan = other_terms(Some(GarnishmentType::StudentLoan), 9_000_00);
        assert_eq!(withheld_amounts(&weekly(state, 2_000_00, 1_600_00, 725), &[loan]), [240_00], "{state}");
    }
}

#[test]
fn california_lets_creditors_take_a_fifth_or_two_fifths_above_48_hours() {
    // Code Civ. Proc. 706.050 at the state minimum wage of 16.90 in 2026: 48 hours are 811.20 a week.
    assert_eq!(creditor("CA", 1_500_00, 1_200_00, 16_90), 155_52); // 40 % of 388.80
    assert_eq!(creditor("CA", 3_000_00, 2_400_00, 16_90), 480_00); // 20 %
    assert_eq!(creditor("CA", 900_00, 811_20, 16_90), 0);
    // The section multiplies by 96, 104 and 208 hours for longer pay periods.
    for (frequency, hours) in
        [(PayFrequency::EveryOtherWeek, 96), (PayFrequency::TwicePerMonth, 104), (PayFrequency::Monthly, 208)]
    {
        let protected = hours * 16_90;
        let pay = Pay {
            periods: PeriodsPaid::one_period(frequency),
            ..weekly("CA", protected + 10_00, protected + 10_00, 16_90)
        };
        assert_eq!(withheld_amounts(&pay, &[other_terms(CREDITOR, 9_000_00)]), [4_00], "{frequency:?}");
    }
}

#[test]
fn a_local_minimum_wage_protects_more_where_the_law_counts_by_it() {
    let pay = weekly("CA", 1_500_00, 1_200_00, 16_90);
    let wages = MinimumWages { local: Some(cents_amount(19_18)), ..pay.law.minimum_wages };
    let law = GarnishmentLaw { minimum_wages: wages, ..pay.law.clone() };
    let pay = Pay { law: &law, ..pay };
    assert_eq!(withheld_amounts(&pay, &[other_terms(CREDITOR, 9_000_00)]), [111_74]); // 40 % of 1,200.00 less 920.64
}

#[test]
fn new_york_lets_creditors_take_a_tenth_of_gross_pay() {
    // CPLR 5231(b): 10 % of gross, 25 % of disposable earnings, and 30 hours at 17.00 are protected.
    assert_eq!(creditor("NY", 1_000_00, 780_00, 17_00), 100_00);
    assert_eq!(creditor("NY", 700_00, 560_00, 17_00), 50_00);
    assert_eq!(creditor("NY", 600_00, 510_00, 17_00), 0);
}

#[test]
fn illinois_and_massachusetts_count_15_percent_of_gross_pay_and_45_or_50_hours() {
    assert_eq!(creditor("IL", 1_000_00, 800_00, 15_00), 125_00); // 800.00 less 45 hours at 15.00
    assert_eq!(creditor("IL", 1_400_00, 1_100_00, 15_00), 210_00);
    assert_eq!(creditor("MA", 1_000_00, 800_00, 15_00), 50_00);
    assert_eq!(creditor("MA", 1_400_00, 1_100_00, 15_00), 210_00);
}

#[test]
fn other_states_leave_more_than_federal_law() {
    assert_eq!(creditor("DE", 1_000_00, 800_00, 15_00), 120_00);
    assert_eq!(creditor("MD", 1_000_00, 460_00, 15_00), 10_00);
    assert_eq!(creditor("DC", 1_500_00, 1_200_00, 17_95), 120_50); // a quarter of what exceeds 718.00
    assert_eq!(creditor("AZ", 1_500_00, 1_200_00, 15_15), 120_00);
    // South Dakota: 20 %, and 40 hours at the greater of its minimum wage and the federal one are protected, 474.00 at 11.85.
    assert_eq!(creditor("SD", 1_000_00, 800_00, 11_85), 160_00);
    assert_eq!(creditor("SD", 600_00, 500_00, 11_85), 26_00);
    assert_eq!(creditor("NH", 500_00, 400_00, 7_25), 37_50); // what exceeds 50 hours at 7.25
    // Louisiana: medical insurance premiums are subtracted from disposable earnings, so the limit is a quarter of 700.00.
    let premiums = vec![("medical_insurance 1".to_owned(), cents_amount(100_00))];
    let insured = Pay { health_premiums: premiums, ..weekly("LA", 1_000_00, 800_00, 7_25) };
    assert_eq!(withheld_amounts(&insured, &[other_terms(CREDITOR, 9_000_00)]), [175_00]);
    // Nevada: 18 % up to gross weekly pay of 770.00, 25 % above it, and 50 hours at the federal minimum wage are protected.
    assert_eq!(creditor("NV", 770_00, 640_00, 12_00), 115_20);
    assert_eq!(creditor("NV", 770_01, 640_00, 12_00), 160_00);
    assert_eq!(creditor("NV", 500_00, 380_00, 12_00), 17_50);
    // Minnesota measures gross weekly pay in hours at its minimum wage, 11.41 in 2026: nothing up to 456.40, 10 % up to 684.60,
    // 15 % up to 912.80 and 25 % above. Beyond that, only 30 hours at the federal minimum wage are protected.
    assert_eq!(creditor("MN", 456_40, 380_00, 11_41), 0);
    assert_eq!(creditor("MN", 456_41, 380_00, 11_41), 38_00);
    assert_eq!(creditor("MN", 684_60, 560_00, 11_41), 56_00);
    assert_eq!(creditor("MN", 684_61, 560_00, 11_41), 84_00);
    assert_eq!(creditor("MN", 912_80, 740_00, 11_41), 111_00);
    assert_eq!(creditor("MN", 912_81, 740_00, 11_41), 185_00);
    let two_weeks = Pay {
        periods: PeriodsPaid::one_period(PayFrequency::EveryOtherWeek),
        ..weekly("MN", 1_300_00, 1_062_80, 11_41)
    };
    assert_eq!(withheld_amounts(&two_weeks, &[other_terms(CREDITOR, 9_000_00)]), [106_28]);
    // Oregon protects dollars: 338.00 a week until June 2026, with its own figures for other pay periods.
    assert_eq!(creditor("OR", 500_00, 400_00, 15_05), 62_00);
    let half_month = Pay {
        periods: PeriodsPaid::one_period(PayFrequency::TwicePerMonth),
        ..weekly("OR", 800_00, 740_00, 15_05)
    };
    assert_eq!(withheld_amounts(&half_month, &[other_terms(CREDITOR, 9_000_00)]), [3_00]);
}

#[test]
fn what_support_takes_counts_towards_the_limit_of_a_state() {
    let pay = weekly("CA", 3_000_00, 2_400_00, 16_90);
    let mut support = support_terms(50, 300_00);
    support.child_support.as_mut().unwrap().payment_period = PayFrequency::EveryWeek;
    assert_eq!(withheld_amounts(&pay, &[other_terms(CREDITOR, 9_000_00), support]), [180_00, 300_00]);
}

#[test]
fn new_york_takes_support_off_a_quarter_of_disposable_earnings_and_leaves_the_tenth_of_gross_pay() {
    // CPLR 5231(b)(iii): 25 % of 1,529.50 is 382.37, and a tenth of 2,000.00 is 200.00.
    let pay = Pay {
        periods: PeriodsPaid::one_period(PayFrequency::EveryOtherWeek),
        ..weekly("NY", 2_000_00, 1_529_50, 17_00)
    };
    let with_support = |dollars: i64, creditors: &[i64]| {
        let mut support = support_terms(50, dollars);
        support.child_support.as_mut().unwrap().payment_period = PayFrequency::EveryOtherWeek;
        let creditors = creditors.iter().map(|debt| other_terms(CREDITOR, *debt));
        withheld_amounts(&pay, &std::iter::once(support).chain(creditors).collect::<Vec<_>>())
    };
    assert_eq!(with_support(200_00, &[9_000_00]), [200_00, 182_37]);
    assert_eq!(with_support(100_00, &[9_000_00]), [100_00, 200_00]);
    assert_eq!(with_support(400_00, &[9_000_00]), [400_00, 0]);
    // Another creditor counts against both.
    assert_eq!(with_support(100_00, &[150_00, 9_000_00]), [100_00, 150_00, 50_00]);
    assert_eq!(with_support(200_00, &[150_00, 9_000_00]), [200_00, 150_00, 32_37]);
}

/// Returns a state tax levy.
fn state_levy(state: &str) -> GarnishmentTerms {
    GarnishmentTerms {
        tax_levy: Some(TaxLevy { state: Some(state.to_owned()), ..TaxLevy::default() }),
        ..other_terms(Some(GarnishmentType::StateTaxLien), 900_00)
    }
}

#[test]
fn a_limit_from_memory_counts_once_it_is_confirmed_and_says_so_before() {
    let pay = weekly("IL", 1_500_00, 1_200_00, 15_00);
    let all = [state_levy("IL")];
    assert_eq!(withheld_amounts(&pay, &all), [300_00], "the federal limit on creditors");
    let [NotApplied::Unconfirmed { key, .. }] = &not_applied(&pay, &garnishments_with(&all))[..] else {
        panic!("one limit is in doubt")
    };
    assert_eq!(key, "IL_STATE_LEVY");
    let law = GarnishmentLaw { confirmed: BTreeSet::from([key.clone()]), ..pay.law.clone() };
    let pay = Pay { law: &law, ..pay };
    assert_eq!(withheld_amounts(&pay, &all), [225_00]); // 15 % of gross pay
    assert_eq!(not_applied(&pay, &garnishments_with(&all)), []);
    assert!(crate::taxes::doubtful_figures().iter().any(|one| one.key == "IL_STATE_LEVY"));
}

#[test]
fn health_insurance_premiums_leave_disposable_pay_of_agency_debts_and_student_loans() {
    // 31 CFR 285.11(c) and 34 CFR 34.3: 15 % of 800.00 less 100.00, while the limit on creditors is based on 800.00.
    let premiums = vec![("medical_insurance 1".to_owned(), cents_amount(100_00))];
    let pay = Pay { health_premiums: premiums, ..weekly("NH", 1_000_00, 800_00, 8_75) };
    for kind in [GarnishmentType::FederalLoan, GarnishmentType::StudentLoan] {
        assert_eq!(withheld_amounts(&pay, &[other_terms(Some(kind), 9_000_00)]), [105_00]);
    }
    assert_eq!(withheld_amounts(&pay, &[other_terms(CREDITOR, 9_000_00)]), [200_00]);
    // Disposable pay of 220.00: the excess over 30 hours at 7.25 is less than 15 %.
    let low = Pay { disposable_earnings: cents_amount(320_00), ..pay };
    assert_eq!(withheld_amounts(&low, &[other_terms(Some(GarnishmentType::FederalLoan), 9_000_00)]), [2_50]);
}

#[test]
fn agency_debts_and_creditors_come_in_the_order_of_service() {
    let pay = weekly("NH", 1_500_00, 1_000_00, 8_75);
    let agency = other_terms(Some(GarnishmentType::FederalLoan), 9_000_00);
    let small = other_terms(CREDITOR, 200_00);
    let served = |first: i8, second: i8| -> Vec<i64> {
        let mut all = garnishments_with(&[agency.clone(), small.clone()]);
        (all[0].since, all[1].since) = (date(2026, 1, first), date(2026, 1, second));
        checked_deductions(&pay, &all).iter().map(|one| one.amount.cents_half_up()).collect()
    };
    // The agency first: it gets 15 %, and the creditor what that leaves of a quarter.
    assert_eq!(served(1, 2), [150_00, 100_00]);
    // The creditor first: the agency gets what is left of a quarter (31 CFR 285.11(i)(3)).
    assert_eq!(served(2, 1), [50_00, 200_00]);
    assert_eq!(served(1, 1), [150_00, 100_00], "the agency's of one day");
}

fn levy(filing_status: LevyFilingStatus, dependents: i64, year: i16) -> GarnishmentTerms {
    GarnishmentTerms {
        tax_levy: Some(TaxLevy { filing_status, dependents, year: Some(year), ..TaxLevy::default() }),
        ..other_terms(Some(GarnishmentType::FederalTaxLien), 0)
    }
}

#[test]
fn a_federal_levy_takes_what_is_above_the_exempt_amount() {
    let pay = weekly("NH", 1_500_00, 1_200_00, 8_75);
    // Publication 1494 of 2024, weekly: single with three dependents 569.22, married filing separately 280.77.
    assert_eq!(withheld_amounts(&pay, &[levy(LevyFilingStatus::Single, 3, 2024)]), [630_78]);
    assert_eq!(withheld_amounts(&pay, &[levy(LevyFilingStatus::MarriedFilingSeparately, 0, 2024)]), [919_23]);
    // 2026: 16,100 a year is 309.62 a week, and 5,300 is 101.92.
    assert_eq!(withheld_amounts(&pay, &[levy(LevyFilingStatus::Single, 2, 2026)]), [686_54]);
    assert_eq!(withheld_amounts(&pay, &[levy(LevyFilingStatus::MarriedFilingJointly, 9, 2026)]), [0]);
    let capped = GarnishmentTerms { amount: cents_amount(400_00), ..levy(LevyFilingStatus::Single, 2, 2026) };
    assert_eq!(withheld_amounts(&pay, &[capped]), [400_00], "an amount of its own is the most that it takes");
}

#[test]
fn whoever_is_65_or_blind_keeps_the_additional_standard_deduction() {
    let pay = weekly("NH", 1_500_00, 1_200_00, 8_75);
    let with = |status, additional, year| {
        let mut terms = levy(status, 2, year);
        terms.tax_levy.as_mut().unwrap().additional = additional;
        withheld_amounts(&pay, &[terms])
    };
    // 2026: 2,050 a year is 39.42 a week if single, and 1,650 is 31.73 for each spouse (26 USC 63(f)).
    assert_eq!(with(LevyFilingStatus::Single, 0, 2026), [686_54]);
    assert_eq!(with(LevyFilingStatus::Single, 2, 2026), [607_69]);
    assert_eq!(with(LevyFilingStatus::MarriedFilingJointly, 3, 2026), [281_74]);
    let table = "year,filing_status,standard_deduction,dependent,source,confidence\n";
    let rows = <LevyFilingStatus as crate::Named>::ALL
        .iter()
        .map(|status| format!("2026,{},100,1,s,primary\n", crate::Named::as_str(*status)));
    let held = LevyExemptions::parse(&format!("{table}{}", rows.collect::<String>())).unwrap();
    let law = GarnishmentLaw { levy_exemptions: &held, ..pay.law.clone() };
    let mut terms = levy(LevyFilingStatus::Single, 2, 2026);
    terms.tax_levy.as_mut().unwrap().additional = 1;
    let found = not_applied(&Pay { law: &law, ..pay }, &garnishments_with(&[terms]));
    assert_eq!(found, [NotApplied::YearNotHeld { year: 2026 }], "an amount that is not held is told");
}

#[test]
fn support_ordered_before_a_levy_is_exempt_beside_the_exempt_amount() {
    // 26 USC 6334(a)(8): 1,200.00 less 300.00 of support and 513.46.
    let mut support = support_terms(50, 300_00);
    support.child_support.as_mut().unwrap().payment_period = PayFrequency::EveryWeek;
    let all = [support, levy(LevyFilingStatus::Single, 2, 2026)];
    assert_eq!(withheld_amounts(&weekly("NH", 1_500_00, 1_200_00, 8_75), &all), [300_00, 386_54]);
}

#[test]
fn a_levy_whose_exempt_amount_is_not_held_leaves_that_of_the_nearest_year() {
    let pay = weekly("NH", 1_500_00, 1_200_00, 8_75);
    let entered =
        GarnishmentTerms { amount: cents_amount(250_00), ..levy(LevyFilingStatus::Single, 0, 2023) };
    assert_eq!(withheld_amounts(&pay, std::slice::from_ref(&entered)), [250_00]);
    let nearest = NotApplied::EarlierYear { year: 2023, used: 2024 };
    assert_eq!(not_applied(&pay, &garnishments_with(&[entered])), [nearest]);
    // A new year's amounts are published late: those of the prior year are used, and this is reported.
    let of_next_year = [levy(LevyFilingStatus::Single, 2, 2027)];
    assert_eq!(withheld_amounts(&pay, &of_next_year), [686_54]);
    let told = not_applied(&pay, &garnishments_with(&of_next_year));
    assert_eq!(told, [NotApplied::EarlierYear { year: 2027, used: 2026 }]);
    // Without an amount of its own either: 1,200.00 less 280.77 of 2024.
    assert_eq!(withheld_amounts(&pay, &[levy(LevyFilingStatus::Single, 0, 2023)]), [919_23]);
    let doubtful = not_applied(&pay, &garnishments_with(&[levy(LevyFilingStatus::Single, 0, 2025)]));
    assert!(matches!(&doubtful[..], [NotApplied::Unconfirmed { key, .. }] if key == "US_LEVY_2025"));
    // Amounts in the table that are not confirmed are not used; those of the last confirmed year are.
    let of = |year| withheld_amounts(&pay, &[levy(LevyFilingStatus::Single, 0, year)])[0];
    assert_eq!((of(2025), of(2024) > 0), (of(2024), true));
    assert!(doubtful_instead(&doubtful).contains("of an earlier year"));
    // An amount of its own, however large, leaves them as well.
    let own = GarnishmentTerms { amount: cents_amount(5_000_00), ..levy(LevyFilingStatus::Single, 0, 2025) };
    assert_eq!(withheld_amounts(&pay, &[own]), [of(2024)]);
}

#[test]
fn a_federal_levy_without_a_statement_leaves_what_married_filing_separately_leaves() {
    // 26 CFR 301.6334-2: 16,100 a year is 309.62 a week.
    let pay = weekly("NH", 1_500_00, 1_200_00, 8_75);
    let entered = other_terms(Some(GarnishmentType::FederalTaxLien), 9_000_00);
    assert_eq!(withheld_amounts(&pay, std::slice::from_ref(&entered)), [890_38]);
    let percent = GarnishmentTerms { amount: cents_amount(100_00), deduct_as_percentage: true, ..entered };
    assert_eq!(withheld_amounts(&pay, &[percent]), [890_38]);
}

#[test]
fn an_order_of_a_court_is_limited_like_a_creditor_and_a_plain_deduction_is_not() {
    let pay = weekly("NH", 1_500_00, 1_200_00, 8_75);
    assert_eq!(
        withheld_amounts(&pay, &[other_terms(Some(GarnishmentType::OtherGarnishment), 9_000_00)]),
        [300_00]
    );
    let court = GarnishmentTerms { court_ordered: true, ..other_terms(None, 9_000_00) };
    assert_eq!(withheld_amounts(&pay, &[court]), [300_00]);
    let plain = GarnishmentTerms { court_ordered: false, ..other_terms(None, 9_000_00) };
    assert_eq!(withheld_amounts(&pay, &[plain]), [1_200_00]);
    // Texas forbids creditors and allows others, such as restitution: the federal limit alone counts.
    let texas = weekly("TX", 1_500_00, 1_200_00, 7_25);
    assert_eq!(withheld_amounts(&texas, &[other_terms(CREDITOR, 9_000_00)]), [0]);
    assert_eq!(
        withheld_amounts(&texas, &[other_terms(Some(GarnishmentType::OtherGarnishment), 9_000_00)]),
        [300_00]
    );
}

fn doubtful_instead(told: &[NotApplied]) -> &'static str {
    let [NotApplied::Unconfirmed { instead, .. }] = told else { panic!("{told:?}") };
    instead
}

#[test]
fn a_states_levy_takes_at_most_what_its_law_says() {
    let of = state_levy;
    let pay = weekly("OR", 1_500_00, 1_200_00, 15_05);
    assert_eq!(withheld_amounts(&pay, &[of("OR")]), [300_00]); // ORS 18.385(1)
    assert_eq!(withheld_amounts(&pay, &[of("CO")]), [300_00], "no limit of Colorado's levies is held");
    // A tenth of gross pay, and in New York at most a quarter of disposable earnings; California's stay within 15 USC 1673(a).
    assert_eq!(
        ["NY", "PA", "CA"].map(|state| withheld_amounts(&pay, &[of(state)])[0]),
        [150_00, 150_00, 300_00]
    );
    assert_eq!(withheld_amounts(&weekly("CA", 250_00, 230_00, 16_90), &[of("CA")]), [12_50]);
    assert_eq!(withheld_amounts(&pay, &[of("IL")]), [300_00], "the one of Illinois is from memory");
    assert_eq!(not_applied(&pay, &garnishments_with(&[of("IL")])).len(), 1);
}

#[test]
fn a_bankruptcy_court_comes_after_support_and_before_all_others() {
    let court = GarnishmentTerms {
        bankruptcy_chapter: Some(13),
        ..other_terms(Some(GarnishmentType::OtherGarnishment), 500_00)
    };
    let mut support = support_terms(50, 300_00);
    support.child_support.as_mut().unwrap().payment_period = PayFrequency::EveryWeek;
    let all = [support, other_terms(CREDITOR, 9_000_00), levy(LevyFilingStatus::Single, 2, 2026), court];
    assert_eq!(withheld_amounts(&weekly("NH", 1_500_00, 1_000_00, 8_75), &all), [300_00, 0, 0, 500_00]);
}

#[test]
fn premiums_of_a_medical_support_notice_come_after_current_support_and_before_arrears() {
    let mut support = support_order(50, 300_00, 200_00);
    let of_order = support.child_support.as_mut().unwrap();
    of_order.payment_period = PayFrequency::EveryWeek;
    of_order.order.health_insurance_premium = Some(cents_amount(120_00));
    let of = |disposable: i64, support: &GarnishmentTerms| {
        let pay = weekly("TX", 2_000_00, disposable, 7_25);
        let taken = checked_deductions(&pay, &garnishments_with(std::slice::from_ref(support)));
        (taken[0].current_support.cents_half_up(), taken[0].arrears.cents_half_up())
    };
    // Half of 1,000.00 is 500.00: 300.00 of support, 120.00 of premiums, and 80.00 for arrears.
    assert_eq!(of(1_000_00, &support), (300_00, 80_00));
    assert_eq!(of(1_240_00, &support), (300_00, 200_00), "the limit suffices for all");
    assert_eq!(of(800_00, &support), (300_00, 0), "the premiums take what current support leaves");
    support.child_support.as_mut().unwrap().order.health_insurance_premium = None;
    assert_eq!(of(1_000_00, &support), (300_00, 200_00));
}

#[test]
fn an_order_takes_nothing_after_its_last_day() {
    let until = |day| GarnishmentTerms { ends_on: Some(date(2026, 6, day)), ..other_terms(None, 50_00) };
    let pay = weekly("NH", 1_000_00, 800_00, 8_75);
    assert_eq!(withheld_amounts(&pay, &[until(1)]), [50_00], "the pay date itself");
    let ended = GarnishmentTerms { ends_on: Some(date(2026, 5, 31)), ..other_terms(None, 50_00) };
    assert_eq!(withheld_amounts(&pay, &[ended]), [0]);
}
