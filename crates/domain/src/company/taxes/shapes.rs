//! Operations on federal tax details and on what states ask, and their shapes.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::Field;
use crate::withholding::taxes::shapes::{AnswerValue, answer_value};

/// What a company tells the federal government.
#[derive(Debug, Serialize, ToSchema)]
pub struct FederalTaxDetails {
    /// concurrency token, to be sent with an update
    pub version: String,
    /// legal form
    pub tax_payer_type: Option<String>,
    /// whether it is taxed as an S corporation
    pub taxable_as_scorp: bool,
    /// `941` or `944`
    pub filing_form: &'static str,
    /// whether the employer identification number is held
    pub has_ein: bool,
    /// whether the number was looked at when the company was approved
    pub ein_verified: bool,
    /// the same, as a word
    pub ein_verification: EinVerification,
    /// legal name
    pub legal_name: String,
    /// YYYY-MM-DD, since when these details hold
    pub effective_date: String,
    /// how often withheld taxes are deposited
    pub deposit_schedule: &'static str,
}

/// Where the verification of the employer identification number stands.
#[derive(Debug, Serialize, ToSchema)]
pub struct EinVerification {
    /// `pending` or `verified`
    pub status: &'static str,
}

/// Federal tax details as they are to be; what is left out stays.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateFederalTaxDetails {
    /// the version as last read
    #[schema(required)]
    pub version: Field<String>,
    /// at most 200 characters
    pub legal_name: Field<String>,
    /// nine digits, a dash after the second allowed
    pub ein: Field<String>,
    /// `C-Corporation`, `S-Corporation`, `Sole proprietor`, `LLC`, `LLP`, `Limited partnership`, `Co-ownership`,
    /// `Association`, `Trusteeship`, `General partnership`, `Joint venture` or `Non-Profit`
    pub tax_payer_type: Field<String>,
    /// `941` or `944`
    pub filing_form: Field<String>,
    /// whether it is taxed as an S corporation
    pub taxable_as_scorp: Field<bool>,
}

/// How far a company is with a state.
#[derive(Debug, Serialize, ToSchema)]
pub struct StateSetup {
    /// two letters
    pub state: String,
    /// whether everything is answered
    pub setup_complete: bool,
    /// `not_started`, `in_progress` or `complete`
    pub setup_status: &'static str,
    /// always false: no rate is assumed
    pub default_rates_applied: bool,
    /// whether payroll can be run in the state
    pub ready_to_run_payroll: bool,
}

/// What a state asks.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaxRequirements {
    /// who is asked
    pub company_uuid: Uuid,
    /// two letters
    pub state: String,
    /// what is asked, in groups
    pub requirement_sets: Vec<TaxRequirementSet>,
}

/// Things that a state asks together.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaxRequirementSet {
    /// two letters
    pub state: String,
    /// `registrations`, `taxrates` or `depositschedules`
    pub key: &'static str,
    /// for people
    pub label: &'static str,
    /// YYYY-MM-DD: since when the answers hold; null where they do not change from a day on
    pub effective_from: Option<String>,
    /// what is asked
    pub requirements: Vec<TaxRequirement>,
}

/// One thing that a state asks.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaxRequirement {
    /// for programs
    pub key: &'static str,
    /// always empty: what is asked does not depend on other answers
    #[schema(value_type = Vec<Object>)]
    pub applicable_if: Vec<Value>,
    /// for people
    pub label: &'static str,
    /// more for people
    pub description: Option<&'static str>,
    /// the answer; null while there is none
    #[schema(value_type = Option<String>)]
    pub value: Value,
    /// how it is answered
    pub metadata: TaxRequirementMetadata,
    /// always true
    pub editable: bool,
}

/// How a requirement is answered.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaxRequirementMetadata {
    /// `account_number`, `tax_rate` or `select`
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// label and value of what can be chosen; only with `select`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Object>>)]
    pub options: Option<Vec<Value>>,
    /// bounds; only with `tax_rate`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub validation: Option<Value>,
}

/// Answers to a state; what is left out stays.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateTaxRequirements {
    /// the groups that are answered
    #[schema(required)]
    pub requirement_sets: Field<Vec<SetInput>>,
}

/// Answers of one group.
#[derive(Debug, Default, Clone, Deserialize, ToSchema)]
#[serde(default)]
pub struct SetInput {
    /// `registrations`, `taxrates` or `depositschedules`
    #[schema(required)]
    pub key: Field<String>,
    /// as in the address
    #[schema(required)]
    pub state: Field<String>,
    /// YYYY-MM-DD: for `taxrates` the first day of a quarter; by default the beginning of the year
    pub effective_from: Field<String>,
    /// the answers
    pub requirements: Field<Vec<RequirementInput>>,
}

/// One answer.
#[derive(Debug, Default, Clone, Deserialize, ToSchema)]
#[serde(default)]
pub struct RequirementInput {
    /// which requirement
    #[schema(required)]
    pub key: Field<String>,
    /// the answer; null takes it back
    #[schema(required, schema_with = answer_value)]
    pub value: Field<AnswerValue>,
}
