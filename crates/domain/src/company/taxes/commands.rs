//! Inputs of the use cases of companies' taxes.

use jiff::civil::Date;
use serde_json::Value;

use crate::patch::Patch;

/// Updates federal tax details; absent fields are kept.
#[derive(Debug, Clone, Default)]
pub struct UpdateFederalTaxDetails {
    /// version as last read
    pub version: Patch<String>,
    /// legal name
    pub legal_name: Patch<String>,
    /// nine digits
    pub ein: Patch<String>,
    /// legal form, one of `rules::company::TAX_PAYER_TYPES`
    pub tax_payer_type: Patch<String>,
    /// name of a `FilingForm`
    pub filing_form: Patch<String>,
    /// whether the company is taxed as an S corporation
    pub taxable_as_scorp: Patch<bool>,
}

/// Updates answers to the requirements of a state; absent answers are kept.
#[derive(Debug, Clone, Default)]
pub struct UpdateTaxRequirements {
    /// sets with answers
    pub requirement_sets: Patch<Vec<SetInput>>,
}

/// Answers to the requirements of a set.
#[derive(Debug, Clone, Default)]
pub struct SetInput {
    /// key of the set
    pub key: Patch<String>,
    /// two letters
    pub state: Patch<String>,
    /// day from which the answers apply; for dated sets only
    pub effective_from: Patch<Date>,
    /// the answers
    pub requirements: Patch<Vec<RequirementInput>>,
}

/// Answer to a requirement.
#[derive(Debug, Clone, Default)]
pub struct RequirementInput {
    /// key of the requirement
    pub key: Patch<String>,
    /// text, number or boolean; null deletes the answer
    pub value: Patch<Value>,
}
