//! Amounts in requests, applied to an election.

use domain::benefits::commands;
use domain::benefits::commands::TermsPatch;
use rules::payroll::benefits::{BenefitElection, Contribution, Tier};
use rules::{Amount, Checks};
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::input::{ContributionInput, input_with_terms};
use crate::field::Field;

/// A command with nothing but amounts.
struct Command {
    terms: TermsPatch,
}

input_with_terms! {
    /// A body with nothing but amounts.
    Body => Command {}
}

fn standard() -> BenefitElection {
    BenefitElection {
        deduction: Amount::from_cents(10_000),
        contribution: Contribution::Percentage(Amount::from_cents(400)),
        elective: true,
        ..BenefitElection::default()
    }
}

fn updated(body: Value, also: bool) -> Result<BenefitElection, Vec<String>> {
    let body: Body = serde_json::from_value(body).unwrap();
    let command = Command::from(body);
    let (mut terms, mut active, mut checks) = (standard(), true, Checks::new());
    command.terms.apply_update(also, &mut terms, &mut active, &mut checks);
    checks.finish().map(|()| terms).map_err(|v| v.into_iter().map(|v| v.key).collect())
}

/// What generated clients send with every update, and some more.
fn filled_in(more: Value) -> Value {
    let mut body = json!({ "employee_deduction": "0.00", "elective": false, "catch_up": false,
        "coverage_salary_multiplier": "0.00", "company_contribution": "0.00", "contribute_as_percentage": false });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

#[test]
fn what_a_client_fills_in_on_its_own_wipes_nothing() {
    assert_eq!(updated(filled_in(json!({})), true), Ok(standard()));
    let raised = updated(filled_in(json!({ "employee_deduction": "120.00" })), false).unwrap();
    assert_eq!(raised, BenefitElection { deduction: Amount::from_cents(12_000), ..standard() });
    // Alone, they are what the caller wants.
    let zero = updated(filled_in(json!({})), false).unwrap();
    assert_eq!((zero.deduction, zero.elective), (Amount::ZERO, false));
    // A caller who sends one of them means it.
    assert_eq!(updated(json!({ "employee_deduction": 0 }), true).unwrap().deduction, Amount::ZERO);
    let none = updated(json!({ "company_contribution": "0", "contribute_as_percentage": false }), true);
    assert_eq!(none.unwrap().contribution, Contribution::Amount(Amount::ZERO));
}

#[test]
fn a_contribution_is_read_in_each_of_its_forms() {
    let read =
        |contribution: Value| updated(json!({ "contribution": contribution }), false).map(|t| t.contribution);
    let amount = |cents| Amount::from_cents(cents);
    assert_eq!(read(json!({ "type": "amount", "value": "50.00" })), Ok(Contribution::Amount(amount(5_000))));
    assert_eq!(
        read(json!({ "type": "percentage", "value": 3.5 })),
        Ok(Contribution::Percentage(amount(350)))
    );
    let tiers = json!([{ "rate": "100", "threshold": "3" }, { "rate": 50, "threshold": "5.0" }]);
    let expected = Contribution::Tiered(vec![
        Tier { rate: amount(10_000), threshold: amount(300) },
        Tier { rate: amount(5_000), threshold: amount(500) },
    ]);
    assert_eq!(read(json!({ "type": "tiered", "value": tiers })), Ok(expected.clone()));
    assert_eq!(read(json!({ "type": "tiered", "value": { "tiers": tiers } })), Ok(expected));
    assert_eq!(read(json!({ "type": "tiered", "value": "3" })), Err(vec!["contribution.value".to_owned()]));
    assert_eq!(read(json!({ "type": "amount", "value": [] })), Err(vec!["contribution.value".to_owned()]));
    assert_eq!(read(json!({ "type": "gift", "value": 1 })), Err(vec!["contribution.type".to_owned()]));
    assert_eq!(read(json!({})), Err(vec!["contribution.type".to_owned(), "contribution.value".to_owned()]));
    assert_eq!(read(json!("50")), Err(vec!["contribution".to_owned()]));
}

#[test]
fn tiers_always_match() {
    let body = json!({ "elective": false, "contribution": { "type": "tiered", "value": [{ "rate": 100, "threshold": 3 }] } });
    assert!(updated(body, false).unwrap().elective);
}

#[test]
fn null_clears_what_may_be_empty() {
    let cleared = json!({ "employee_deduction_annual_maximum": null, "limit_option": null, "catch_up": null,
        "coverage_amount": null, "coverage_salary_multiplier": null, "deduction_reduces_taxable_income": null });
    assert_eq!(updated(cleared, false), Ok(standard()));
    // What cannot be empty is left as it is by an update.
    assert_eq!(updated(json!({ "employee_deduction": null, "active": null }), false), Ok(standard()));
    let refused = updated(json!({ "employee_deduction": "much", "active": "yes" }), false);
    assert_eq!(refused, Err(vec!["active".to_owned(), "employee_deduction".to_owned()]));
}
