//! Several paychecks of one pay period: a bonus, a correction, final wages.

#![allow(clippy::inconsistent_digit_grouping, reason = "the cents of an amount are set apart")]

use proptest::prelude::*;

use super::tests_support::*;
use super::*;

/// Returns what each garnishment withholds from successive paychecks of a pay period, in cents.
fn one_after_another(pays: &[Pay<'_>], all: &[GarnishmentTerms]) -> Vec<Vec<i64>> {
    let mut garnished = garnishments_with(all);
    let mut earlier = EarlierPay::default();
    let mut found = Vec::new();
    for pay in pays {
        let deductions = checked_deductions(&Pay { earlier, ..pay.clone() }, &garnished);
        for (garnishment, deduction) in garnished.iter_mut().zip(&deductions) {
            let withheld = &mut garnishment.withheld;
            for sum in [&mut withheld.year, &mut withheld.total, &mut withheld.period] {
                *sum = sum.checked_add(deduction.amount).unwrap();
            }
            withheld.times += i64::from(deduction.amount > Amount::ZERO);
        }
        let premiums = pay.health_premiums.iter().map(|(_, amount)| *amount);
        for (sum, more) in [
            (&mut earlier.gross, pay.gross),
            (&mut earlier.disposable_earnings, pay.disposable_earnings),
            (
                &mut earlier.health_premiums,
                premiums.fold(Amount::ZERO, |sum, one| sum.checked_add(one).unwrap()),
            ),
        ] {
            *sum = sum.checked_add(more).unwrap();
        }
        found.push(deductions.iter().map(|one| one.amount.cents_half_up()).collect());
    }
    found
}

fn biweekly(disposable: i64, state: &str) -> Pay<'static> {
    Pay { periods: PeriodsPaid::one_period(PayFrequency::EveryOtherWeek), ..monthly_pay(disposable, state) }
}

fn levy() -> GarnishmentTerms {
    GarnishmentTerms {
        tax_levy: Some(TaxLevy {
            filing_status: LevyFilingStatus::Single,
            year: Some(2026),
            ..TaxLevy::default()
        }),
        ..other_terms(Some(GarnishmentType::FederalTaxLien), 0)
    }
}

#[test]
fn an_order_gets_its_dollars_of_a_pay_period_once() {
    // 600.00 a month is 276.92 every other week, however large a bonus in addition to the pay of the period.
    let pays = [biweekly(1_700_00, "TX"), biweekly(2_400_00, "TX"), biweekly(2_400_00, "TX")];
    assert_eq!(one_after_another(&pays, &[support_terms(50, 600_00)]), [[276_92], [0], [0]]);
    // If the first paycheck does not suffice: half of 400.00, and the rest from the bonus.
    let pays = [biweekly(400_00, "TX"), biweekly(1_000_00, "TX")];
    assert_eq!(one_after_another(&pays, &[support_terms(50, 600_00)]), [[200_00], [76_92]]);
}

#[test]
fn arrears_are_what_is_left_of_an_order_whose_current_support_was_taken_before() {
    let pays = [monthly_pay(800_00, "TX"), monthly_pay(2_000_00, "TX")];
    assert_eq!(one_after_another(&pays, &[support_order(50, 350_00, 100_00)]), [[400_00], [50_00]]);
    let mut garnished = garnishments_with(&[support_order(50, 350_00, 100_00)]);
    let parts = |garnished: &[Garnishment<usize>]| {
        let taken = checked_deductions(&monthly_pay(2_000_00, "TX"), garnished);
        (taken[0].current_support.cents_half_up(), taken[0].arrears.cents_half_up())
    };
    for (before, expected) in [(0, (350_00, 100_00)), (300_00, (50_00, 100_00)), (400_00, (0, 50_00))] {
        garnished[0].withheld.period = cents_amount(before);
        assert_eq!(parts(&garnished), expected);
    }
}

#[test]
fn all_orders_of_a_pay_period_stay_within_the_limit_of_its_earnings() {
    // Half of 1,000.00, then of another 200.00. Texas allocates in equal parts, until an order has the amount it requests.
    let orders = [support_terms(50, 400_00), support_terms(50, 900_00)];
    let pays = [monthly_pay(1_000_00, "TX"), monthly_pay(200_00, "TX")];
    assert_eq!(one_after_another(&pays, &orders), [[250_00, 250_00], [50_00, 50_00]]);
}

#[test]
fn the_exempt_amount_of_a_levy_is_there_once_in_a_pay_period() {
    // Single in 2026 without dependents: 619.23 every other week. A bonus in the same period is taken in full.
    let pays = [biweekly(1_690_85, "TX"), biweekly(554_10, "TX")];
    assert_eq!(one_after_another(&pays, &[levy()]), [[1_071_62], [554_10]]);
    // What the first paycheck did not use of it remains for the second.
    let pays = [biweekly(500_00, "TX"), biweekly(300_00, "TX")];
    assert_eq!(one_after_another(&pays, &[levy()]), [[0], [180_77]]);
    // Support ordered before the levy is exempt in addition, whichever paycheck it was withheld from.
    let pays = [biweekly(1_000_00, "TX"), biweekly(1_000_00, "TX")];
    let all = [support_terms(50, 433_33), levy()];
    assert_eq!(one_after_another(&pays, &all), [[200_00, 180_77], [0, 1_000_00]]);
}

#[test]
fn creditors_and_loans_count_the_earnings_of_the_pay_period() {
    let creditor = other_terms(Some(GarnishmentType::CreditorGarnishment), 9_000_00);
    let loan = other_terms(Some(GarnishmentType::StudentLoan), 9_000_00);
    // 435.00 for two weeks is protected once: nothing is taken from 400.00, and a quarter from the total of 1,000.00.
    let pays = [biweekly(400_00, "GA"), biweekly(600_00, "GA")];
    assert_eq!(one_after_another(&pays, std::slice::from_ref(&creditor)), [[0], [250_00]]);
    assert_eq!(one_after_another(&pays, std::slice::from_ref(&loan)), [[0], [150_00]]);
    // Support from the first paycheck counts against the quarter of both.
    let pays = [biweekly(1_000_00, "GA"), biweekly(1_000_00, "GA")];
    assert_eq!(
        one_after_another(&pays, &[support_terms(50, 433_33), creditor]),
        [[200_00, 50_00], [0, 250_00]]
    );
    // A loan takes 15 percent of both, after subtracting the premiums of both.
    let with_premium = |disposable| Pay {
        health_premiums: vec![("medical".to_owned(), cents_amount(100_00))],
        ..biweekly(disposable, "GA")
    };
    let pays = [with_premium(1_100_00), with_premium(1_100_00)];
    assert_eq!(one_after_another(&pays, &[loan]), [[150_00], [150_00]]);
}

#[test]
fn a_states_levy_and_a_maximum_of_a_pay_period_are_for_all_of_it() {
    let state_levy = GarnishmentTerms {
        tax_levy: Some(TaxLevy { state: Some("CA".to_owned()), ..TaxLevy::default() }),
        ..other_terms(Some(GarnishmentType::StateTaxLien), 9_000_00)
    };
    let pays = [biweekly(1_000_00, "CA"), biweekly(1_000_00, "CA")];
    assert_eq!(one_after_another(&pays, std::slice::from_ref(&state_levy)), [[250_00], [250_00]]);
    // Several levies of the state share its limit.
    let small = GarnishmentTerms { amount: cents_amount(100_00), ..state_levy.clone() };
    assert_eq!(one_after_another(&pays, &[small, state_levy]), [[100_00, 150_00], [100_00, 150_00]]);
    let capped =
        GarnishmentTerms { pay_period_maximum: Some(cents_amount(150_00)), ..other_terms(None, 100_00) };
    assert_eq!(one_after_another(&pays, &[capped]), [[100_00], [50_00]]);
    // Without a maximum, an amount applies to each paycheck, as stated.
    assert_eq!(one_after_another(&pays, &[other_terms(None, 100_00)]), [[100_00], [100_00]]);
}

proptest! {
    #[test]
    fn a_levy_takes_of_any_parts_of_a_pay_what_it_takes_of_the_whole(first in 0i64..200_000, second in 0i64..200_000) {
        let parts = one_after_another(&[biweekly(first, "TX"), biweekly(second, "TX")], &[levy()]);
        let whole = withheld_amounts(&biweekly(first + second, "TX"), &[levy()]);
        prop_assert_eq!(parts.iter().flatten().sum::<i64>(), whole[0]);
    }

    #[test]
    fn support_and_creditors_take_of_parts_of_a_pay_no_more_than_of_the_whole(
        first in 0i64..300_000,
        second in 0i64..300_000,
        percent in 1i64..=65,
        current in 0i64..100_000,
        arrears in 0i64..50_000,
        debt in 0i64..100_000,
        state in 0usize..51,
    ) {
        let state = crate::check::STATES[state].0;
        let support = [support_order(percent, current, arrears), support_terms(40, 90_000)];
        let creditor = other_terms(Some(GarnishmentType::CreditorGarnishment), debt);
        let pays = [biweekly(first, state), biweekly(second, state)];
        let sum = |taken: &[Vec<i64>]| taken.iter().flatten().sum::<i64>();
        let whole = biweekly(first + second, state);
        prop_assert!(sum(&one_after_another(&pays, &support)) <= withheld_amounts(&whole, &support).iter().sum());
        let maximum = GarnishmentTerms { pay_period_maximum: Some(cents_amount(debt)), ..creditor };
        let alone = std::slice::from_ref(&maximum);
        prop_assert!(sum(&one_after_another(&pays, alone)) <= withheld_amounts(&whole, alone)[0]);
    }
}

#[test]
fn what_a_later_order_took_of_the_first_paycheck_counts_towards_the_limit_of_the_second() {
    // A quarter of 600.00 is 150.00, and of 650.00 162.50: the older creditor gets what is left of it, not its 20.00 once more.
    let pays = [biweekly(600_00, "GA"), biweekly(50_00, "GA")];
    let creditor = |amount| other_terms(Some(GarnishmentType::CreditorGarnishment), amount);
    assert_eq!(
        one_after_another(&pays, &[creditor(20_00), creditor(9_000_00)]),
        [[20_00, 130_00], [12_50, 0]]
    );
}

proptest! {
    #[test]
    fn debts_leave_what_the_law_protects_of_a_pay_period_however_many_paychecks_it_has(
        parts in proptest::collection::vec(0i64..100_000, 1..4),
        debts in proptest::collection::vec((0usize..4, 0i64..80_000), 1..5),
    ) {
        use GarnishmentType::{CreditorGarnishment, FederalLoan, OtherGarnishment, StudentLoan};
        let kinds = [CreditorGarnishment, FederalLoan, OtherGarnishment, StudentLoan];
        let debts: Vec<_> = debts.iter().map(|(kind, amount)| other_terms(Some(kinds[*kind]), *amount)).collect();
        let pays: Vec<_> = parts.iter().map(|part| biweekly(*part, "GA")).collect();
        let whole: i64 = parts.iter().sum();
        let taken: i64 = one_after_another(&pays, &debts).iter().flatten().sum();
        // 435.00 for two weeks, and three quarters.
        prop_assert!(taken <= (whole / 4).min((whole - 435_00).max(0)), "{taken} of {whole}");
    }
}

#[test]
fn a_levy_older_than_support_stays_the_first_when_support_has_had_its_dollars_of_the_pay_period() {
    let mut support = support_terms(50, 30_00);
    support.child_support.as_mut().unwrap().payment_period = PayFrequency::EveryOtherWeek;
    let mut all = garnishments_with(&[support, levy()]);
    all[1].since = jiff::civil::date(2025, 12, 1);
    let cents_of = |taken: Vec<Deduction<usize>>| -> Vec<i64> {
        taken.iter().map(|one| one.amount.cents_half_up()).collect()
    };
    // 16,100.00 a year exempts 619.23.
    let first = cents_of(checked_deductions(&biweekly(1_160_04, "GA"), &all));
    assert_eq!(first, [30_00, 540_81]);
    for (garnishment, taken) in all.iter_mut().zip(first) {
        let taken = cents_amount(taken);
        garnishment.withheld = WithheldToDate {
            times: 1,
            year: taken,
            total: taken,
            period: taken,
            ..WithheldToDate::default()
        };
    }
    let earlier = EarlierPay {
        gross: cents_amount(1_160_04),
        disposable_earnings: cents_amount(1_160_04),
        ..EarlierPay::default()
    };
    let second = checked_deductions(&Pay { earlier, ..biweekly(857_47, "GA") }, &all);
    assert_eq!(cents_of(second), [0, 857_47], "later support takes nothing off an older levy");
}

#[test]
fn an_order_that_has_had_all_of_its_amount_does_not_bear_on_the_limit_of_the_others() {
    let of = |percent| {
        let mut terms = support_terms(percent, 2_000_00);
        let order = &mut terms.child_support.as_mut().unwrap().order;
        (order.supports_other_family, order.arrears_over_12_weeks) = (Some(false), Some(false));
        terms
    };
    let ended = GarnishmentTerms { total_amount: Some(cents_amount(20_00)), ..of(65) };
    let of_year = GarnishmentTerms { annual_maximum: Some(cents_amount(20_00)), ..of(65) };
    for first in [ended, of_year] {
        let mut all = garnishments_with(&[first, of(65)]);
        let of_second = |all: &[Garnishment<usize>]| {
            checked_deductions(&biweekly(864_42, "NC"), all)[1].amount.cents_half_up()
        };
        let taken = cents_amount(20_00);
        all[0].withheld = WithheldToDate { times: 1, year: taken, total: taken, ..WithheldToDate::default() };
        // N.C.G.S. 110-136.6: 40 % for one order, 50 % for several.
        assert_eq!(of_second(&all), 345_76);
        assert!(all[0].has_ended(DAY) && !all[1].has_ended(DAY));
        // In the pay period in which it received the last of it, it still counts.
        all[0].withheld.period = taken;
        assert_eq!(of_second(&all), 412_21);
    }
}

#[test]
fn an_order_takes_of_pay_dates_from_its_service_until_its_end_and_bears_on_no_limit_before() {
    // The check date is June 1, 2026.
    let of = |served: Option<Date>, ends: Option<Date>| GarnishmentTerms {
        served_on: served,
        ends_on: ends,
        ..support_terms(65, 2_000_00)
    };
    let pay = biweekly(864_42, "NC");
    let taken_of = |first: GarnishmentTerms| withheld_amounts(&pay, &[first, support_terms(40, 2_000_00)]);
    let (may, june) = (jiff::civil::date(2026, 5, 31), jiff::civil::date(2026, 6, 1));
    let later = jiff::civil::date(2026, 6, 2);
    assert_eq!(taken_of(of(Some(later), None))[0], 0);
    assert_eq!(taken_of(of(None, Some(may)))[0], 0);
    for inside in [of(Some(june), None), of(Some(may), Some(june)), of(None, None)] {
        assert!(taken_of(inside)[0] > 0);
    }
    // N.C.G.S. 110-136.6: 40 % for one order, 50 % for several.
    assert_eq!(taken_of(of(Some(later), None))[1], 345_76);
    let mut received = of(None, None);
    received.child_support.as_mut().unwrap().order.received_on = Some(later);
    assert_eq!(taken_of(received)[0], 0);
}
