//! Validation of terms.

use super::fees::FeeKind;
use super::levy::LevyFilingStatus;
use super::terms::{GarnishmentTerms, GarnishmentType, IncomeWithholdingOrder, PAYMENT_PERIODS};
use crate::Named;
use crate::amount::Amount;
use crate::check;
use crate::violation::{Checks, Violation};

/// Highest percentage.
const WHOLE: Amount = Amount::from_cents(10_000);
/// Maximum number of dependents of a levy.
const MOST_DEPENDENTS: i64 = 99;
/// Years whose exempt amounts a levy may specify: dependents have counted since 2018 (26 USC 6334(d)(4)).
const LEVY_YEARS: std::ops::RangeInclusive<i16> = 2018..=2099;
/// Maximum number of deductions.
const MOST_TIMES: i64 = 100_000;

/// Returns all violations of the terms.
///
/// Violations of the order are nested under `income_withholding_order`; [`super::Agencies::check_terms`] validates
/// the payee.
pub fn check_terms(terms: &GarnishmentTerms) -> Vec<Violation> {
    let mut checks = Checks::new();
    check_amounts(terms, &mut checks);
    if let Some(times) = terms.times {
        checks.require((1..=MOST_TIMES).contains(&times), || {
            Violation::invalid(
                "times",
                format!("times must be a whole number from 1 to {MOST_TIMES}, or null"),
            )
        });
    }
    if terms.is_child_support() || terms.child_support.is_some() {
        child_support(terms, &mut checks);
    } else if terms.garnishment_type.is_some() && !terms.court_ordered {
        let message = "garnishment_type is only for garnishments that are court ordered: send court_ordered true, or \
                       garnishment_type null";
        checks.push(Violation::invalid("garnishment_type", message));
    }
    check_dates(terms, &mut checks);
    tax_levy(terms, &mut checks);
    check_bankruptcy(terms, &mut checks);
    checks.require(!terms.employer_fee || FeeKind::of_garnishment(terms).is_some(), || {
        let message = "employer_fee is only for the types child_support and creditor_garnishment";
        Violation::invalid("employer_fee", message)
    });
    checks.finish().err().unwrap_or_default()
}

fn check_amounts(terms: &GarnishmentTerms, checks: &mut Checks) {
    if terms.deduct_as_percentage
        && check::validate_dollars("amount", terms.amount, Amount::ZERO..=WHOLE).is_err()
    {
        let message = "amount must be a percentage from 0 to 100 with at most 2 decimal places";
        checks.push(Violation::invalid("amount", message));
    } else {
        check_money("amount", Some(terms.amount), checks);
    }
    check_money("annual_maximum", terms.annual_maximum, checks);
    check_money("pay_period_maximum", terms.pay_period_maximum, checks);
    check_money("total_amount", terms.total_amount, checks);
}

fn check_money(key: &str, amount: Option<Amount>, checks: &mut Checks) {
    checks.extend(amount.and_then(|amount| check::validate_dollars(key, amount, check::UP_TO_MAX).err()));
}

/// Checks that an order does not end before it begins.
fn check_dates(terms: &GarnishmentTerms, checks: &mut Checks) {
    let Some((last, (field, first))) = terms.ends_on.zip(terms.begins_on()) else { return };
    checks.require(first <= last, || {
        let message =
            format!("ends_on must not be before {field}, {first}: it is the last pay date of which is taken");
        Violation::invalid("ends_on", message)
    });
}

/// Checks what a tax levy states about the employee, and which state levies.
fn tax_levy(terms: &GarnishmentTerms, checks: &mut Checks) {
    let Some(levy) = &terms.tax_levy else { return };
    let mut own = Checks::new();
    match terms.garnishment_type {
        Some(GarnishmentType::FederalTaxLien) => own.require(levy.state.is_none(), || {
            let message = "state must be null for a federal_tax_lien: it says which state levies";
            Violation::invalid("state", message)
        }),
        Some(GarnishmentType::StateTaxLien) => {
            let known = |state: &String| crate::check::STATES.iter().any(|(code, _)| code == state);
            own.require(levy.state.as_ref().is_some_and(known), || {
                Violation::invalid("state", "state must be the two letters of the state that levies")
            });
        }
        _ => {
            let message = "tax_levy is only for the types federal_tax_lien and state_tax_lien";
            checks.push(Violation::invalid("tax_levy", message));
            return;
        }
    }
    let most = if levy.filing_status == LevyFilingStatus::MarriedFilingJointly { 4 } else { 2 };
    own.require((0..=most).contains(&levy.additional), || {
        let message = format!(
            "additional_standard_deductions must be a whole number from 0 to {most} with filing_status {}",
            levy.filing_status.as_str()
        );
        Violation::invalid("additional_standard_deductions", message)
    });
    own.require((0..=MOST_DEPENDENTS).contains(&levy.dependents), || {
        let message = format!("dependents must be a whole number from 0 to {MOST_DEPENDENTS}");
        Violation::invalid("dependents", message)
    });
    own.require(levy.year.is_none_or(|year| LEVY_YEARS.contains(&year)), || {
        let (first, last) = (LEVY_YEARS.start(), LEVY_YEARS.end());
        Violation::invalid("year", format!("year must be a year from {first} to {last}, or null"))
    });
    if let Err(faults) = own.finish() {
        checks.push(Violation::nested("tax_levy", faults));
    }
}

/// Checks a bankruptcy order: courts order an employer to pay the trustee under chapters 12 and 13.
fn check_bankruptcy(terms: &GarnishmentTerms, checks: &mut Checks) {
    let Some(chapter) = terms.bankruptcy_chapter else { return };
    checks.require(matches!(chapter, 12 | 13), || {
        Violation::invalid("bankruptcy_chapter", "bankruptcy_chapter must be 12, 13 or null")
    });
    checks.require(terms.garnishment_type == Some(GarnishmentType::OtherGarnishment), || {
        let message = "garnishment_type must be other_garnishment for the order of a bankruptcy court";
        Violation::invalid("garnishment_type", message)
    });
}

fn child_support(terms: &GarnishmentTerms, checks: &mut Checks) {
    let must =
        |key: &str, what: &str| Violation::invalid(key, format!("{key} must be {what} for child support"));
    checks.require(terms.court_ordered, || must("court_ordered", "true"));
    checks.require(terms.garnishment_type == Some(GarnishmentType::ChildSupport), || {
        must("garnishment_type", "child_support")
    });
    checks.require(terms.deduct_as_percentage, || must("deduct_as_percentage", "true"));
    checks.require(terms.pay_period_maximum.is_some(), || {
        let message = "pay_period_maximum can't be blank: it is the order's dollar amount per payment period";
        Violation::invalid("pay_period_maximum", message)
    });
    let Some(support) = &terms.child_support else {
        let message = "child_support can't be blank: it says which agency is paid, and by which identifiers";
        checks.push(Violation::invalid("child_support", message));
        return;
    };
    checks.require(PAYMENT_PERIODS.contains(&support.payment_period), || {
        let periods = PAYMENT_PERIODS.map(|period| period.as_str()).join(", ");
        let fault = Violation::invalid("payment_period", format!("payment_period must be one of: {periods}"));
        Violation::nested("child_support", vec![fault])
    });
    let parts = order_parts(&support.order, terms.pay_period_maximum);
    if !parts.is_empty() {
        checks.push(Violation::nested("income_withholding_order", parts));
    }
}

/// Returns the violations of the order.
fn order_parts(order: &IncomeWithholdingOrder, most: Option<Amount>) -> Vec<Violation> {
    let mut checks = Checks::new();
    check_money("current_support", order.current_support, &mut checks);
    check_money("arrears", order.arrears, &mut checks);
    check_money("medical_support", order.medical_support, &mut checks);
    check_money("health_insurance_premium", order.health_insurance_premium, &mut checks);
    if checks.is_empty()
        && let Some(most) = most
    {
        let parts = [order.current_support, order.arrears, order.medical_support];
        let sum = parts.into_iter().flatten().try_fold(Amount::ZERO, Amount::checked_add);
        checks.require(sum.is_some_and(|sum| sum <= most), || {
            let message = format!(
                "current_support, arrears and medical_support must not exceed pay_period_maximum, {most}, together"
            );
            Violation::new("base", crate::violation::Category::InvalidAttributeValue, message)
        });
    }
    checks.finish().err().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payroll::garnishment::{ChildSupport, TaxLevy, tests_support::support_terms};
    use crate::withholding::federal::PayFrequency;

    fn keys(terms: &GarnishmentTerms) -> Vec<String> {
        check_terms(terms).into_iter().map(|violation| violation.key).collect()
    }

    #[test]
    fn child_support_is_court_ordered_a_percentage_and_capped_in_dollars() {
        let right = support_terms(50, 40_000);
        assert_eq!(keys(&right), Vec::<String>::new());
        let wrong = GarnishmentTerms {
            court_ordered: false,
            garnishment_type: None,
            deduct_as_percentage: false,
            pay_period_maximum: None,
            ..right.clone()
        };
        assert_eq!(
            keys(&wrong),
            ["court_ordered", "garnishment_type", "deduct_as_percentage", "pay_period_maximum"]
        );
        assert_eq!(keys(&GarnishmentTerms { child_support: None, ..right }), ["child_support"]);
    }

    #[test]
    fn every_amount_that_cannot_be_is_named() {
        let cents = |cents| Some(Amount::from_cents(cents));
        let wrong = GarnishmentTerms {
            amount: Amount::from_cents(10_001),
            annual_maximum: cents(-1),
            total_amount: Some(Amount::from_millionths(1)),
            times: Some(0),
            ..support_terms(50, 40_000)
        };
        assert_eq!(keys(&wrong), ["amount", "annual_maximum", "total_amount", "times"]);
        let edges = GarnishmentTerms { amount: WHOLE, pay_period_maximum: cents(0), ..support_terms(50, 0) };
        assert_eq!(keys(&edges), Vec::<String>::new());
    }

    #[test]
    fn an_order_does_not_end_before_it_is_served_or_received() {
        let day = |day| Some(jiff::civil::date(2026, 5, day));
        let served =
            |served_on, ends_on| GarnishmentTerms { served_on, ends_on, ..support_terms(50, 40_000) };
        assert_eq!(keys(&served(day(2), day(1))), ["ends_on"]);
        assert_eq!(keys(&served(day(2), day(2))), Vec::<String>::new());
        assert_eq!(keys(&served(day(2), None)), Vec::<String>::new());
        let mut received = served(None, day(1));
        received.child_support.as_mut().unwrap().order.received_on = day(2);
        assert_eq!(keys(&received), ["ends_on"]);
        // The date of service takes precedence over the date of receipt.
        received.served_on = day(1);
        assert_eq!(keys(&received), Vec::<String>::new());
    }

    #[test]
    fn only_a_court_order_has_a_type() {
        let plain = GarnishmentTerms {
            court_ordered: false,
            garnishment_type: None,
            deduct_as_percentage: false,
            child_support: None,
            ..support_terms(50, 40_000)
        };
        assert_eq!(keys(&plain), Vec::<String>::new());
        let typed = GarnishmentTerms { garnishment_type: Some(GarnishmentType::StudentLoan), ..plain };
        assert_eq!(keys(&typed), ["garnishment_type"]);
    }

    #[test]
    fn a_levy_and_an_order_of_a_bankruptcy_court_say_what_they_are() {
        let levy = |kind, state: Option<&str>, dependents| GarnishmentTerms {
            garnishment_type: Some(kind),
            deduct_as_percentage: false,
            child_support: None,
            tax_levy: Some(TaxLevy { state: state.map(str::to_owned), dependents, ..TaxLevy::default() }),
            ..support_terms(50, 0)
        };
        let nested = |terms: &GarnishmentTerms| -> Vec<String> {
            let inside = check_terms(terms).into_iter().flat_map(|fault| fault.errors);
            inside.map(|fault| fault.key).collect()
        };
        assert_eq!(keys(&levy(GarnishmentType::FederalTaxLien, None, 3)), Vec::<String>::new());
        assert_eq!(keys(&levy(GarnishmentType::StateTaxLien, Some("CA"), 0)), Vec::<String>::new());
        assert_eq!(nested(&levy(GarnishmentType::FederalTaxLien, Some("CA"), 100)), ["state", "dependents"]);
        assert_eq!(nested(&levy(GarnishmentType::StateTaxLien, None, 0)), ["state"]);
        assert_eq!(keys(&levy(GarnishmentType::StudentLoan, None, 0)), ["tax_levy"]);
        let order = |kind, chapter| GarnishmentTerms {
            tax_levy: None,
            bankruptcy_chapter: Some(chapter),
            ..levy(kind, None, 0)
        };
        assert_eq!(keys(&order(GarnishmentType::OtherGarnishment, 13)), Vec::<String>::new());
        assert_eq!(
            keys(&order(GarnishmentType::CreditorGarnishment, 7)),
            ["bankruptcy_chapter", "garnishment_type"]
        );
    }

    #[test]
    fn a_fee_of_the_employer_is_for_support_and_creditors() {
        let fee = |terms: GarnishmentTerms| keys(&GarnishmentTerms { employer_fee: true, ..terms });
        assert_eq!(fee(support_terms(50, 40_000)), Vec::<String>::new());
        let loan = GarnishmentTerms {
            garnishment_type: Some(GarnishmentType::StudentLoan),
            deduct_as_percentage: false,
            child_support: None,
            ..support_terms(50, 0)
        };
        assert_eq!(fee(loan), ["employer_fee"]);
    }

    #[test]
    fn the_parts_of_an_order_stay_within_its_cap() {
        let cents = |cents| Some(Amount::from_cents(cents));
        let order = IncomeWithholdingOrder {
            current_support: cents(30_000),
            arrears: cents(10_000),
            medical_support: cents(1),
            ..IncomeWithholdingOrder::default()
        };
        let support = ChildSupport { payment_period: PayFrequency::Monthly, order };
        let wrong =
            check_terms(&GarnishmentTerms { child_support: Some(support), ..support_terms(50, 40_000) });
        assert_eq!(
            (wrong[0].key.as_str(), wrong[0].errors[0].key.as_str()),
            ("income_withholding_order", "base")
        );
        let support =
            ChildSupport { payment_period: PayFrequency::Daily, order: IncomeWithholdingOrder::default() };
        let wrong =
            check_terms(&GarnishmentTerms { child_support: Some(support), ..support_terms(50, 40_000) });
        assert_eq!(
            (wrong[0].key.as_str(), wrong[0].errors[0].key.as_str()),
            ("child_support", "payment_period")
        );
    }
}
