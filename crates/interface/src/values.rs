//! Values of fields that can have only a few, taken from where the code decides about them, for the description.

use rules::Named;
use rules::company::setup::Step as CompanyStep;
use rules::company::{Status as CompanyStatus, TAX_PAYER_TYPES};
use rules::i9;
use rules::onboarding::{Status, Step};
use rules::payroll::benefits::election::TAXABLE_INCOME;
use rules::payroll::benefits::{LimitOption, Standing};
use rules::payroll::schedule::FREQUENCIES;
use rules::salary::{AreaKind, Level};
use serde_json::Value;

use crate::company::companies::wire::{FUNDING_TYPE, PAY_SCHEDULE_TYPE};
use crate::company::partners::wire as migration;
use crate::company::signatories::wire::IDENTITY_VERIFICATION_STATUS;
use crate::error::Kind;
use crate::salary::estimates::wire::WAGE_BASES;
use domain::benefits::rows::company::CatchUpType;
use domain::benefits::service::bulk;
use domain::benefits::service::planning::PlannedChange;
use domain::benefits::service::timeline::DayStatus;
use domain::company::companies::traits::Trait;
use domain::events::webhooks::types;
use domain::events::webhooks::types::NAMES;
use domain::pay::minimum_wages::table::Authority;
use domain::pay::payrolls::service::REASONS;
use domain::pay::payrolls::{blockers, entered};

/// Shape, field, and the values that it can have.
type Entry = (&'static str, &'static str, fn() -> Vec<&'static str>);

/// See the module.
const VALUES: &[Entry] = &[
    ("Employee", "onboarding_status", statuses),
    ("OnboardingStatus", "onboarding_status", statuses),
    ("UpdateOnboardingStatus", "onboarding_status", statuses),
    ("StepRecord", "id", steps),
    ("StepMark", "id", steps),
    ("CompanyOnboardingStep", "id", CompanyStep::names),
    ("CompanyOnboardingStep", "requirements", CompanyStep::names),
    ("Company", "company_status", CompanyStatus::names),
    ("Company", "funding_type", || vec![FUNDING_TYPE]),
    ("Company", "pay_schedule_type", || vec![PAY_SCHEDULE_TYPE]),
    ("Company", "entity_type", || TAX_PAYER_TYPES.into()),
    ("UpdateFederalTaxDetails", "tax_payer_type", || TAX_PAYER_TYPES.into()),
    ("LineKind", "name", || fixed().into_iter().chain(entered::TIME_OFF).collect()),
    ("Signatory", "identity_verification_status", || vec![IDENTITY_VERIFICATION_STATUS]),
    ("MigrationFinding", "category", migration::categories),
    ("NewTrait", "trait", Trait::names),
    ("NewSubscription", "subscription_types", || NAMES.into()),
    ("UpdateSubscription", "subscription_types", || NAMES.into()),
    ("Subscription", "subscription_types", || NAMES.into()),
    ("Subscription", "status", types::Status::names),
    ("Event", "event_type", || domain::events::ALL_TYPES.iter().map(|one| one.name).collect()),
    ("CreatePaySchedule", "frequency", frequencies),
    ("UpdatePaySchedule", "frequency", frequencies),
    ("PaySchedule", "frequency", frequencies),
    ("HourlyInput", "name", hourly),
    ("HourlyCompensation", "name", hourly),
    ("HourlyKind", "name", hourly),
    ("FixedCompensationType", "name", fixed),
    ("CreatePayroll", "off_cycle_reason", || REASONS.into()),
    ("Payroll", "off_cycle_reason", || REASONS.into()),
    ("TimeOffInput", "name", || entered::TIME_OFF.into()),
    ("PaidTimeOff", "name", || entered::TIME_OFF.into()),
    ("MinimumWage", "authority", Authority::names),
    ("I9Authorization", "authorization_status", right_to_work),
    ("UpdateI9Authorization", "authorization_status", right_to_work),
    ("PayrollBlocker", "key", || blockers::ALL.map(|(key, _)| key).into()),
    ("ErrorItem", "category", categories),
    ("OccupationInput", "experience_level", Level::names),
    ("EstimateOccupation", "experience_level", Level::names),
    ("EstimateAlternative", "experience_level", Level::names),
    ("ExplainedOccupation", "experience_level", Level::names),
    ("ExplainedOccupation", "wage_basis", || WAGE_BASES.into()),
    ("EstimateArea", "kind", AreaKind::names),
    ("CompanyBenefit", "catch_up_type", catch_up_types),
    ("CreateCompanyBenefit", "catch_up_type", catch_up_types),
    ("UpdateCompanyBenefit", "catch_up_type", catch_up_types),
    ("BenefitTerms", "limit_option", LimitOption::names),
    ("CreateEmployeeBenefit", "limit_option", LimitOption::names),
    ("UpdateEmployeeBenefit", "limit_option", LimitOption::names),
    ("BulkItem", "limit_option", LimitOption::names),
    ("TimelineWish", "limit_option", LimitOption::names),
    ("BenefitTerms", "deduction_reduces_taxable_income", taxable_income),
    ("CreateEmployeeBenefit", "deduction_reduces_taxable_income", taxable_income),
    ("UpdateEmployeeBenefit", "deduction_reduces_taxable_income", taxable_income),
    ("BulkItem", "deduction_reduces_taxable_income", taxable_income),
    ("TimelineWish", "deduction_reduces_taxable_income", taxable_income),
    ("BulkItem", "action", || bulk::ACTIONS.into()),
    ("PlannedChange", "action", || PlannedChange::ACTIONS.into()),
    ("BenefitOnPayroll", "why", Standing::names),
    ("TimelineStretch", "why", DayStatus::names),
];

fn statuses() -> Vec<&'static str> {
    Status::names()
}

fn steps() -> Vec<&'static str> {
    Step::names()
}

fn frequencies() -> Vec<&'static str> {
    FREQUENCIES.map(|one| one.as_str()).into()
}

fn hourly() -> Vec<&'static str> {
    entered::HOURLY.map(|(name, _)| name).into()
}

fn fixed() -> Vec<&'static str> {
    entered::FIXED.into_iter().chain([entered::REIMBURSEMENT]).collect()
}

fn right_to_work() -> Vec<&'static str> {
    i9::Status::names()
}

fn catch_up_types() -> Vec<&'static str> {
    CatchUpType::names()
}

fn taxable_income() -> Vec<&'static str> {
    TAXABLE_INCOME.into()
}

fn categories() -> Vec<&'static str> {
    let mut all: Vec<_> = Kind::ALL.iter().map(|kind| kind.explained().category).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Names the values in the description.
pub fn name(tree: &mut Value) {
    for (shape, field, values) in VALUES {
        let place = format!("/components/schemas/{shape}/properties/{field}");
        let Some(schema) = tree.pointer_mut(&place) else { continue };
        let schema = if schema["type"] == "array" { &mut schema["items"] } else { schema };
        let nullable = schema["type"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "null"));
        let mut all: Vec<Value> = values().into_iter().map(Value::from).collect();
        all.extend(nullable.then_some(Value::Null));
        schema["enum"] = all.into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_of_a_field_that_there_is() {
        let api: Value =
            serde_json::from_str(&crate::openapi::publish(&crate::routes::description())).unwrap();
        for (shape, field, values) in VALUES {
            let place = format!("/components/schemas/{shape}/properties/{field}");
            let schema = api.pointer(&place).unwrap_or_else(|| panic!("{shape}.{field} is gone"));
            let told = schema.get("enum").or_else(|| schema["items"].get("enum"));
            assert!(told.is_some() && !values().is_empty(), "{shape}.{field}");
        }
    }
}
