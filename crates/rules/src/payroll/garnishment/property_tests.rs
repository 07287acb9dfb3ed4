//! Properties that hold for any orders and any pay.

use proptest::prelude::*;

use super::tests_support::*;
use super::*;
use crate::Named;

fn fact() -> impl Strategy<Value = Option<bool>> {
    prop_oneof![Just(None), Just(Some(false)), Just(Some(true))]
}

prop_compose! {
    /// A support order, often with parts, sometimes with a low annual maximum.
    fn support()(
        percent in 1i64..=65,
        current in 0i64..200_000,
        arrears in 0i64..60_000,
        in_parts: bool,
        family in fact(),
        old_arrears in fact(),
        period in 0usize..4,
        year in proptest::option::weighted(0.2, 0i64..40_000),
    ) -> GarnishmentTerms {
        let mut terms = if in_parts { support_order(percent, current, arrears) } else { support_terms(percent, current) };
        let support = terms.child_support.as_mut().unwrap();
        support.payment_period = PAYMENT_PERIODS[period];
        support.order.supports_other_family = family;
        support.order.arrears_over_12_weeks = old_arrears;
        terms.annual_maximum = year.map(cents_amount);
        terms
    }
}

prop_compose! {
    fn another()(
        kind in prop_oneof![Just(None), proptest::sample::select(&GarnishmentType::ALL[1..]).prop_map(Some)],
        amount in 0i64..150_000,
    ) -> GarnishmentTerms {
        other_terms(kind, amount)
    }
}

prop_compose! {
    fn pay()(
        disposable in prop_oneof![0i64..200, 0i64..1_000_000],
        frequency in 0usize..4,
        state in 0usize..51,
    ) -> Pay<'static> {
        let state = crate::check::STATES[state].0;
        Pay { periods: PeriodsPaid::one_period(PAYMENT_PERIODS[frequency]), ..monthly_pay(disposable, state) }
    }
}

fn all() -> impl Strategy<Value = Vec<GarnishmentTerms>> {
    let one = prop_oneof![3 => support(), 2 => another()];
    proptest::collection::vec(one, 0..7)
}

/// Whether an order is bound by the limits of 15 USC 1673(a).
fn is_of_a_creditor(terms: &GarnishmentTerms) -> bool {
    use GarnishmentType::{CreditorGarnishment, FederalLoan, OtherGarnishment, StudentLoan};
    let kinds = [CreditorGarnishment, FederalLoan, OtherGarnishment, StudentLoan];
    terms.garnishment_type.map_or(terms.court_ordered, |kind| kinds.contains(&kind))
}

prop_compose! {
    /// A debt to which 15 USC 1673(a) applies: to a creditor, an agency, the holder of a student loan, or by another order of a court.
    fn debt()(
        kind in proptest::sample::select(vec![
            None,
            Some(GarnishmentType::CreditorGarnishment),
            Some(GarnishmentType::FederalLoan),
            Some(GarnishmentType::OtherGarnishment),
            Some(GarnishmentType::StudentLoan),
        ]),
        amount in 0i64..150_000,
    ) -> GarnishmentTerms {
        GarnishmentTerms { court_ordered: true, ..other_terms(kind, amount) }
    }
}

/// The earnings that 15 USC 1673(a) leaves after all orders for debts, in cents.
fn left_by_debts(pay: &Pay<'_>) -> i64 {
    let disposable = pay.disposable_earnings.cents_half_up();
    let quarter = disposable - requested::percent_of(disposable, others::CREDITOR_PERCENT);
    quarter.max(disposable.min(thirty_hours(pay)))
}

/// Calculates independently thirty hours a week at 7.25 dollars for a pay period, in cents (29 CFR 870.10(c)).
fn thirty_hours(pay: &Pay<'_>) -> i64 {
    match pay.periods.frequency {
        PayFrequency::EveryWeek => 21_750,
        PayFrequency::EveryOtherWeek => 43_500,
        PayFrequency::TwicePerMonth => 47_125,
        PayFrequency::Monthly => 94_250,
        other => panic!("{other:?} is no period of these tests"),
    }
}

fn sum(taken: &[Deduction<usize>]) -> i64 {
    taken.iter().map(|deduction| deduction.amount.cents_half_up()).sum()
}

/// Calculates independently the highest amount that the law allows all support orders together, in cents.
fn cap(pay: &Pay<'_>, orders: &[&GarnishmentTerms]) -> i64 {
    let said = |of: fn(&IncomeWithholdingOrder) -> Option<bool>| {
        let all: Vec<bool> =
            orders.iter().filter_map(|terms| of(&terms.child_support.as_ref().unwrap().order)).collect();
        if all.is_empty() { None } else { Some(all.contains(&true)) }
    };
    let families = said(|order| order.supports_other_family).map_or(vec![true, false], |said| vec![said]);
    let old = said(|order| order.arrears_over_12_weeks).map_or(vec![true, false], |said| vec![said]);
    let mut most = Amount::ZERO;
    for family in families {
        for old in &old {
            let row = if family { pay.limits.other_family } else { pay.limits.no_other_family };
            let several = pay.limits.several_orders.filter(|_| orders.len() > 1);
            let percent =
                several.map_or(row[usize::from(*old)], |[with, without]| if family { with } else { without });
            most = most.max(percent);
        }
    }
    requested::percent_of(pay.disposable_earnings.cents_half_up(), most)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn nothing_is_negative_above_its_own_amount_the_pay_or_the_legal_cap(pay in pay(), all in all()) {
        let taken = checked_deductions(&pay, &garnishments_with(&all));
        for (deduction, terms) in taken.iter().zip(&all) {
            prop_assert!(deduction.amount >= Amount::ZERO && deduction.amount <= deduction.requested);
            let parts = deduction.current_support.checked_add(deduction.arrears).unwrap();
            prop_assert_eq!(parts, if terms.is_child_support() { deduction.amount } else { Amount::ZERO });
            prop_assert!(deduction.arrears >= Amount::ZERO && deduction.current_support >= Amount::ZERO);
        }
        prop_assert!(sum(&taken) <= pay.disposable_earnings.cents_half_up());
        let orders: Vec<&GarnishmentTerms> = all.iter().filter(|terms| terms.is_child_support()).collect();
        let support: Vec<_> =
            taken.iter().zip(&all).filter(|(_, terms)| terms.is_child_support()).map(|(one, _)| one.clone()).collect();
        prop_assert!(sum(&support) <= cap(&pay, &orders));
    }

    #[test]
    fn no_order_leaves_less_than_the_law_protects(pay in pay(), all in all(), statement in proptest::option::of(0i64..4)) {
        for terms in &all {
            let mut terms = terms.clone();
            terms.annual_maximum = None;
            if terms.garnishment_type == Some(GarnishmentType::FederalTaxLien) {
                terms.tax_levy = statement.map(|dependents| TaxLevy { dependents, ..TaxLevy::default() });
            }
            let left = pay.disposable_earnings.cents_half_up() - sum(&checked_deductions(&pay, &garnishments_with(&[terms.clone()])));
            let disposable = pay.disposable_earnings.cents_half_up();
            let quarter = disposable - requested::percent_of(disposable, others::CREDITOR_PERCENT);
            // A levy of a state, and payments to a bankruptcy court, are not bound by 15 USC 1673(a)(2).
            let of_creditors = is_of_a_creditor(&terms);
            let protected = match terms.garnishment_type {
                Some(GarnishmentType::ChildSupport) => disposable - cap(&pay, &[&terms]),
                Some(GarnishmentType::FederalTaxLien) => {
                    let dependents = statement.unwrap_or(0);
                    let row = LevyExemptions::built_in().exemption_of_year(2026, LevyFilingStatus::MarriedFilingSeparately).unwrap();
                    let [standard, dependent, _] = row.of_periods(pay.periods, 0);
                    disposable.min(standard + dependent * dependents)
                }
                // Plain deductions, which the employee has agreed to.
                None if !terms.court_ordered => 0,
                _ if of_creditors => quarter.max(disposable.min(thirty_hours(&pay))),
                _ => quarter,
            };
            prop_assert!(left >= protected, "{:?}: {} left of {}, {} protected", terms, left, disposable, protected);
        }
    }

    #[test]
    fn all_orders_for_debts_together_leave_what_the_law_protects_whichever_came_first(
        pay in pay(),
        all in proptest::collection::vec((debt(), 0i64..4), 1..6),
        premiums in 0i64..50_000,
    ) {
        let pay = Pay { health_premiums: vec![("medical".to_owned(), cents_amount(premiums))], ..pay };
        let (terms, days): (Vec<_>, Vec<_>) = all.into_iter().unzip();
        let mut served = garnishments_with(&terms);
        for (one, days) in served.iter_mut().zip(days) {
            one.since = one.since.saturating_sub(jiff::Span::new().days(days));
        }
        let left = pay.disposable_earnings.cents_half_up() - sum(&checked_deductions(&pay, &served));
        prop_assert!(left >= left_by_debts(&pay), "{left} left, {} protected", left_by_debts(&pay));
    }

    #[test]
    fn a_debt_takes_something_only_while_everything_before_it_leaves_what_the_law_protects(
        pay in pay(),
        all in all(),
        debts in proptest::collection::vec(debt(), 1..4),
    ) {
        let orders: Vec<GarnishmentTerms> = all.into_iter().filter(|terms| terms.court_ordered).chain(debts).collect();
        let taken = checked_deductions(&pay, &garnishments_with(&orders));
        let of_debts = taken.iter().zip(&orders).filter(|(_, terms)| is_of_a_creditor(terms));
        let of_debts: i64 = of_debts.map(|(one, _)| one.amount.cents_half_up()).sum();
        let left = pay.disposable_earnings.cents_half_up() - sum(&taken);
        prop_assert!(of_debts == 0 || left >= left_by_debts(&pay), "{left} left, {} protected", left_by_debts(&pay));
    }

    #[test]
    fn all_levies_of_a_state_together_take_what_its_law_allows_one_of_them(
        disposable in 0i64..1_000_000,
        amounts in proptest::collection::vec(1i64..150_000, 1..5),
    ) {
        for state in ["CA", "NY", "OR", "PA"] {
            let levy = |amount: i64| GarnishmentTerms {
                tax_levy: Some(TaxLevy { state: Some(state.to_owned()), ..TaxLevy::default() }),
                ..other_terms(Some(GarnishmentType::StateTaxLien), amount)
            };
            let pay = monthly_pay(disposable, "TX");
            let levies: Vec<_> = amounts.iter().map(|amount| levy(*amount)).collect();
            let one = sum(&checked_deductions(&pay, &garnishments_with(&[levy(9_000_000)])));
            prop_assert!(sum(&checked_deductions(&pay, &garnishments_with(&levies))) <= one);
        }
    }

    #[test]
    fn support_uses_the_room_to_the_cent_when_the_orders_ask_for_more(
        pay in pay(),
        orders in proptest::collection::vec(support(), 1..6),
    ) {
        let taken = checked_deductions(&pay, &garnishments_with(&orders));
        let asked: i64 = taken.iter().map(|deduction| deduction.requested.cents_half_up()).sum();
        let percent = pay.limits.limit_percentage(&Facts::combine_orders(orders.iter()));
        let room = requested::percent_of(pay.disposable_earnings.cents_half_up(), percent);
        prop_assert_eq!(sum(&taken), asked.min(room));
    }

    #[test]
    fn the_order_of_the_input_does_not_matter(pay in pay(), all in all(), seed: u64) {
        let garnished = garnishments_with(&all);
        let mut mixed = garnished.clone();
        for at in (1..mixed.len()).rev() {
            mixed.swap(at, (seed.rotate_left(at as u32 * 7) % (at as u64 + 1)) as usize);
        }
        let mut after = checked_deductions(&pay, &mixed);
        after.sort_by_key(|deduction| deduction.id);
        prop_assert_eq!(after, checked_deductions(&pay, &garnished));
    }

    #[test]
    fn every_order_with_current_support_gets_a_cent_while_there_are_as_many(
        pay in pay(),
        orders in proptest::collection::vec(support(), 1..6),
    ) {
        let taken = checked_deductions(&pay, &garnishments_with(&orders));
        let has_current = |(deduction, terms): &(&Deduction<usize>, &GarnishmentTerms)| {
            let requested = Requested::for_terms(terms, &WithheldToDate::default(), pay.disposable_earnings.cents_half_up(), &pay);
            deduction.requested > Amount::ZERO && requested.current_dollars() > 0
        };
        let current: Vec<_> = taken.iter().zip(&orders).filter(has_current).map(|(deduction, _)| deduction).collect();
        if sum(&taken) >= current.len() as i64 {
            prop_assert!(current.iter().all(|deduction| deduction.current_support > Amount::ZERO));
        }
    }

    #[test]
    fn no_arrears_are_paid_while_current_support_is_open(
        pay in pay(),
        orders in proptest::collection::vec(support(), 1..6),
    ) {
        let taken = checked_deductions(&pay, &garnishments_with(&orders));
        if taken.iter().any(|deduction| deduction.arrears > Amount::ZERO) {
            for (deduction, terms) in taken.iter().zip(&orders) {
                let requested = Requested::for_terms(terms, &WithheldToDate::default(), pay.disposable_earnings.cents_half_up(), &pay);
                let current = requested.amount.min(requested.current_dollars());
                prop_assert_eq!(deduction.current_support.cents_half_up(), current);
            }
        }
    }

    #[test]
    fn more_pay_never_lowers_the_total(pay in pay(), all in all(), more in 0i64..5_000) {
        let raised = Pay {
            disposable_earnings: pay.disposable_earnings.checked_add(cents_amount(more)).unwrap(),
            ..pay.clone()
        };
        let garnished = garnishments_with(&all);
        prop_assert!(sum(&checked_deductions(&raised, &garnished)) >= sum(&checked_deductions(&pay, &garnished)));
        let support = |pay: &Pay<'_>| -> i64 {
            let taken = checked_deductions(pay, &garnished);
            let of = taken.iter().zip(&all).filter(|(_, terms)| terms.is_child_support());
            of.map(|(deduction, _)| deduction.amount.cents_half_up()).sum()
        };
        let levied = all.iter().any(|terms| terms.garnishment_type == Some(GarnishmentType::FederalTaxLien));
        prop_assert!(levied || support(&raised) >= support(&pay));
    }
}
