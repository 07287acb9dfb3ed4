//! Orders and pay for tests.

use std::collections::BTreeMap;
use std::sync::Mutex;

use jiff::civil::{Date, date};

use super::*;
use crate::explain::{NoTrace, Recorder, evaluator};
pub use crate::withholding::federal::PayFrequency;

pub const DAY: Date = date(2026, 1, 2);

pub fn cents_amount(cents: i64) -> Amount {
    Amount::from_cents(cents)
}

/// Returns an order for support of `most` cents a month, and at most `percent` percent of pay.
pub fn support_terms(percent: i64, most: i64) -> GarnishmentTerms {
    GarnishmentTerms {
        active: true,
        court_ordered: true,
        garnishment_type: Some(GarnishmentType::ChildSupport),
        amount: cents_amount(percent * 100),
        deduct_as_percentage: true,
        pay_period_maximum: Some(cents_amount(most)),
        annual_maximum: None,
        total_amount: None,
        times: None,
        recurring: false,
        child_support: Some(ChildSupport {
            payment_period: PayFrequency::Monthly,
            order: IncomeWithholdingOrder::default(),
        }),
        served_on: None,
        ends_on: None,
        tax_levy: None,
        bankruptcy_chapter: None,
        employer_fee: false,
    }
}

/// Returns an order for `current` cents of current support and `arrears` cents of arrears a month.
pub fn support_order(percent: i64, current: i64, arrears: i64) -> GarnishmentTerms {
    let mut terms = support_terms(percent, current + arrears);
    if let Some(support) = &mut terms.child_support {
        support.order.current_support = Some(cents_amount(current));
        support.order.arrears = Some(cents_amount(arrears));
    }
    terms
}

/// Returns a garnishment of another type, for `amount` cents of each paycheck.
pub fn other_terms(kind: Option<GarnishmentType>, amount: i64) -> GarnishmentTerms {
    GarnishmentTerms {
        garnishment_type: kind,
        court_ordered: kind.is_some(),
        amount: cents_amount(amount),
        deduct_as_percentage: false,
        pay_period_maximum: None,
        recurring: true,
        child_support: None,
        ..support_terms(0, 0)
    }
}

/// Returns the built-in law of a state in June 2026, cached for all tests.
pub fn law_of_state(state: &str) -> &'static GarnishmentLaw<'static> {
    static KEPT: Mutex<BTreeMap<String, &'static GarnishmentLaw<'static>>> = Mutex::new(BTreeMap::new());
    let make = || -> &'static GarnishmentLaw<'static> {
        let wages = MinimumWages::of_country(cents_amount(725));
        Box::leak(Box::new(GarnishmentLaw::built_in(state, date(2026, 6, 1), wages)))
    };
    KEPT.lock().unwrap().entry(state.to_owned()).or_insert_with(make)
}

pub fn monthly_pay(disposable: i64, state: &str) -> Pay<'static> {
    Pay {
        disposable_earnings: cents_amount(disposable),
        periods: PeriodsPaid::one_period(PayFrequency::Monthly),
        limits: SupportLimits::built_in().limits_of_state(state, jiff::civil::date(2026, 6, 1)),
        gross: cents_amount(disposable),
        health_premiums: Vec::new(),
        law: law_of_state(state),
        free_and_clear: None,
        earlier: EarlierPay::default(),
    }
}

/// Returns garnishments with these terms, all of the same date; their index is the id, and so decides the order.
pub fn garnishments_with(all: &[GarnishmentTerms]) -> Vec<Garnishment<usize>> {
    let one = |(id, terms): (usize, &GarnishmentTerms)| Garnishment {
        id,
        since: DAY,
        terms: terms.clone(),
        withheld: WithheldToDate::default(),
    };
    all.iter().enumerate().map(one).collect()
}

/// Returns the deductions, after checking that the explanation yields the same figures and that all of its sums hold.
pub fn checked_deductions(pay: &Pay<'_>, garnishments: &[Garnishment<usize>]) -> Vec<Deduction<usize>> {
    let taken = deduct_garnishments(&mut NoTrace, pay, garnishments);
    let mut recorder = Recorder::default();
    assert_eq!(deduct_garnishments(&mut recorder, pay, garnishments), taken);
    let nodes: Vec<_> = recorder.finish().iter().map(crate::explain::Node::to_json).collect();
    let roots = nodes
        .iter()
        .filter(|node| node["figure"].as_str().is_some_and(|name| name.starts_with("deduction ")));
    assert_eq!(roots.count(), garnishments.len());
    for node in &nodes {
        evaluator::check(node).unwrap_or_else(|fault| panic!("{fault}: {node:#}"));
    }
    for deduction in &taken {
        let figure = format!("deduction {}", deduction.id);
        let node = nodes.iter().find(|node| node["figure"] == figure).unwrap();
        assert_eq!(node["result"], deduction.amount.to_text(2));
    }
    taken
}

/// Returns the cents withheld for garnishments with these terms.
pub fn withheld_amounts(pay: &Pay<'_>, all: &[GarnishmentTerms]) -> Vec<i64> {
    checked_deductions(pay, &garnishments_with(all))
        .iter()
        .map(|deduction| deduction.amount.cents_half_up())
        .collect()
}
