//! Tax details of companies on the wire.

use domain::company::taxes::commands;
use domain::company::taxes::federal::{self, FederalTaxDetails as Details};
use domain::company::taxes::state::{self, AnsweredSet, StateRequirements};
use domain::records::version_text;
use rules::Named;
use rules::company::state::{Format, Requirement, SetupStatus};
use rules::deposits::Schedule;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use uuid::Uuid;

use crate::field::{Field, List};
use crate::input;
use crate::values::{
    CompanyNameText, DateText, EinText, FilingFormName, LineText, StateText, TaxPayerType, VersionText,
};
use crate::withholding::taxes::wire::{AnswerValue, answer_value};

/// A company's filing details with the IRS.
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
    /// whether the employer identification number is on file
    pub has_ein: bool,
    /// whether the EIN was checked when the company was approved
    pub ein_verified: bool,
    /// the same, as a word
    pub ein_verification: EinVerification,
    /// legal name
    pub legal_name: String,
    /// YYYY-MM-DD: when these details took effect
    #[schema(format = Date)]
    pub effective_date: String,
    /// deposit schedule of withheld taxes: `Monthly` or `Semiweekly`, or `Quarterly` with Form 944
    pub deposit_schedule: &'static str,
}

/// The status of the EIN's verification.
#[derive(Debug, Serialize, ToSchema)]
pub struct EinVerification {
    /// `pending` or `verified`
    pub status: &'static str,
}

/// The deposit schedule of withheld taxes. A company whose taxes in the lookback period are not known to exceed 50,000
/// dollars deposits monthly (26 CFR 31.6302-1(b)(2)); the service has no data on earlier quarters.
fn deposit_schedule(stated: Option<Schedule>) -> &'static str {
    match stated {
        Some(Schedule::Semiweekly) => "Semiweekly",
        Some(Schedule::Quarterly) => "Quarterly",
        Some(Schedule::Monthly) | None => "Monthly",
    }
}

impl From<Details> for FederalTaxDetails {
    fn from(details: Details) -> Self {
        let Details { company, federal, deposit_schedule: stated } = details;
        Self {
            version: version_text(federal::TABLE, company.id, federal.version),
            tax_payer_type: company.entity_type,
            taxable_as_scorp: federal.taxable_as_scorp,
            filing_form: federal.filing_form.as_str(),
            has_ein: federal.ein.is_some(),
            ein_verified: federal.ein_verified,
            ein_verification: EinVerification {
                status: if federal.ein_verified { "verified" } else { "pending" },
            },
            legal_name: company.name,
            effective_date: federal.effective_date.to_string(),
            deposit_schedule: deposit_schedule(stated),
        }
    }
}

/// A company's setup status in a state.
#[derive(Debug, Serialize, ToSchema)]
pub struct StateSetup {
    /// two letters
    pub state: String,
    /// whether everything is answered
    pub setup_complete: bool,
    /// `not_started`, `in_progress` or `complete`
    pub setup_status: &'static str,
    /// always false: no default rate is assumed
    pub default_rates_applied: bool,
    /// whether payroll can be run in the state
    pub ready_to_run_payroll: bool,
}

impl From<state::StateSetup> for StateSetup {
    fn from(setup: state::StateSetup) -> Self {
        let complete = setup.status == SetupStatus::Complete;
        Self {
            state: setup.state,
            setup_complete: complete,
            setup_status: setup.status.as_str(),
            default_rates_applied: false,
            ready_to_run_payroll: complete,
        }
    }
}

/// A state's tax requirements.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaxRequirements {
    /// the company
    pub company_uuid: Uuid,
    /// two letters
    pub state: String,
    /// the requirements, in groups
    pub requirement_sets: Vec<TaxRequirementSet>,
}

/// A group of requirements.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaxRequirementSet {
    /// two letters
    pub state: String,
    /// `registrations`, `taxrates`, `depositschedules`, `employer`, or the code of a program, such as `CO_FAMLI`
    pub key: &'static str,
    /// human-readable title
    pub label: &'static str,
    /// YYYY-MM-DD: when the answers take effect; null if they are not dated
    #[schema(format = Date)]
    pub effective_from: Option<String>,
    /// the requirements
    pub requirements: Vec<TaxRequirement>,
}

/// One requirement.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaxRequirement {
    /// machine-readable key
    pub key: &'static str,
    /// always empty: no requirement depends on the answers to others
    #[schema(value_type = Vec<Object>)]
    pub applicable_if: Vec<Value>,
    /// human-readable question
    pub label: &'static str,
    /// human-readable explanation
    pub description: Option<&'static str>,
    /// the answer; null until it is given
    #[schema(value_type = Option<String>)]
    pub value: Value,
    /// the type of the answer
    pub metadata: TaxRequirementMetadata,
    /// always true
    pub editable: bool,
}

/// The type of a requirement's answer.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaxRequirementMetadata {
    /// `account_number`, `tax_rate`, `select`, `percent`, `text` or `currency`; `tax_rate` and `percent` are fractions:
    /// 0.027 is 2.7 percent
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// label and value of each choice; only with `select`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Object>>)]
    pub options: Option<Vec<Value>>,
    /// bounds; only with `tax_rate` and `percent`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub validation: Option<Value>,
}

impl TaxRequirements {
    /// The answer for the requirements of a state for `company`.
    pub fn new(company: Uuid, requirements: StateRequirements) -> Self {
        let StateRequirements { state, sets } = requirements;
        let requirement_sets = sets.into_iter().map(|set| TaxRequirementSet::new(&state, set)).collect();
        Self { company_uuid: company, state, requirement_sets }
    }
}

impl TaxRequirementSet {
    fn new(state: &str, answered: AnsweredSet) -> Self {
        let AnsweredSet { set, effective_from, answers } = answered;
        let requirements = set.requirements.iter().zip(answers);
        Self {
            state: state.to_owned(),
            key: set.key,
            label: set.label,
            effective_from: effective_from.map(|day| day.to_string()),
            requirements: requirements.map(|(asked, answer)| TaxRequirement::new(asked, answer)).collect(),
        }
    }
}

impl TaxRequirement {
    fn new(asked: &Requirement, answer: Option<String>) -> Self {
        Self {
            key: asked.key,
            applicable_if: Vec::new(),
            label: asked.label,
            description: Some(asked.description),
            value: answer.map(Value::String).unwrap_or_default(),
            metadata: asked.format.into(),
            editable: true,
        }
    }
}

impl From<Format> for TaxRequirementMetadata {
    fn from(format: Format) -> Self {
        let options = match format {
            Format::Select(words) => {
                Some(words.iter().map(|word| json!({ "label": word, "value": word })).collect())
            }
            _ => None,
        };
        let validation = format
            .highest_fraction()
            .map(|highest| json!({ "type": "min_max", "min": "0.0", "max": highest.to_text(1) }));
        Self { kind: format.as_str(), options, validation }
    }
}

input! {
    /// Federal tax details to change; omitted fields keep their values.
    UpdateFederalTaxDetails => commands::UpdateFederalTaxDetails {
        /// the version as last read
        #[schema(required)]
        version: VersionText,
        /// at most 200 characters
        legal_name: CompanyNameText,
        /// nine digits, optionally with a dash after the second
        #[schema(nullable)]
        ein: EinText,
        /// `C-Corporation`, `S-Corporation`, `Sole proprietor`, `LLC`, `LLP`, `Limited partnership`, `Co-ownership`,
        /// `Association`, `Trusteeship`, `General partnership`, `Joint venture` or `Non-Profit`, which means an
        /// organization under section 501(c)(3), exempt from federal unemployment tax
        #[schema(nullable)]
        tax_payer_type: TaxPayerType,
        /// `941` or `944`
        filing_form: FilingFormName,
        /// whether it is taxed as an S corporation
        taxable_as_scorp: bool,
    }

    /// Answers to a state; omitted fields keep their values.
    UpdateTaxRequirements => commands::UpdateTaxRequirements {
        /// the groups that are answered
        #[schema(required)]
        requirement_sets: List<SetInput>,
    }

    /// The answers in one group.
    SetInput => commands::SetInput {
        /// `registrations`, `taxrates` or `depositschedules`
        #[schema(required)]
        key: LineText,
        /// two letters, as in the path
        #[schema(required)]
        state: StateText,
        /// YYYY-MM-DD: for `taxrates` the first day of a quarter; defaults to the beginning of the year
        effective_from: DateText,
        /// the answers
        requirements: List<RequirementInput>,
    }

    /// One answer.
    RequirementInput => commands::RequirementInput {
        /// key of the requirement
        #[schema(required)]
        key: LineText,
        /// the answer; null or an empty text removes it
        #[schema(required, schema_with = answer_value)]
        value: AnswerValue,
    }
}
