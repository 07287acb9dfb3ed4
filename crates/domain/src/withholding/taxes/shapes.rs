//! Operations on an employee's taxes, and their shapes.

use rules::Amount;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};
use uuid::Uuid;

use crate::field::{Field, Wire};

/// Form W-4 of an employee; `w4_data_type` tells which.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum FederalTaxes {
    /// the form of 2020 and later
    Rev2020(FederalTaxesRev2020),
    /// the form before that
    Pre2020(FederalTaxesPre2020),
}

/// Form W-4 of 2020 or later. Before the employee has answered, filing_status and two_jobs are null.
#[derive(Debug, Serialize, ToSchema)]
pub struct FederalTaxesRev2020 {
    /// concurrency token, to be sent with an update
    pub version: String,
    /// whose form it is
    pub employee_uuid: Uuid,
    /// always `rev_2020_w4`
    pub w4_data_type: &'static str,
    /// `Single`, `Married`, `Head of Household` or `Exempt from withholding`; null until it was answered
    pub filing_status: Option<&'static str>,
    /// step 2(c): two jobs in all, or a spouse who works; null until it was answered
    pub two_jobs: Option<bool>,
    /// step 3: credits for dependents and others, dollars a year
    pub dependents_amount: String,
    /// step 4(a): income from elsewhere, dollars a year
    pub other_income: String,
    /// step 4(b): deductions above the standard deduction, dollars a year
    pub deductions: String,
    /// step 4(c): dollars to be withheld from each paycheck besides
    pub extra_withholding: String,
}

/// Form W-4 as it was before 2020. Carried over from before the service; it can only be replaced by the newer form.
#[derive(Debug, Serialize, ToSchema)]
pub struct FederalTaxesPre2020 {
    /// concurrency token, to be sent with an update
    pub version: String,
    /// whose form it is
    pub employee_uuid: Uuid,
    /// always `pre_2020_w4`
    pub w4_data_type: &'static str,
    /// as on the newer form, or `Married, but withhold as Single`
    pub filing_status: &'static str,
    /// number of allowances
    pub federal_withholding_allowance: i64,
    /// dollars to be withheld from each paycheck besides
    pub additional_withholding: String,
}

/// Form W-4 of 2020 or later. Amounts are text or numbers. What is left out or null stays; on a first answer two_jobs
/// is false and amounts are zero.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateFederalTaxes {
    /// the version as last read
    #[schema(required)]
    pub version: Field<String>,
    /// `rev_2020_w4`: the older form cannot be written
    #[schema(required)]
    pub w4_data_type: Field<String>,
    /// `Single`, `Married`, `Head of Household` or `Exempt from withholding`
    #[schema(required)]
    pub filing_status: Field<String>,
    /// step 2(c): two jobs in all, or a spouse who works
    pub two_jobs: Field<bool>,
    /// step 3: credits for dependents and others, dollars a year
    #[schema(value_type = String)]
    pub dependents_amount: Field<Amount>,
    /// step 4(a): income from elsewhere, dollars a year
    #[schema(value_type = String)]
    pub other_income: Field<Amount>,
    /// step 4(b): deductions above the standard deduction, dollars a year
    #[schema(value_type = String)]
    pub deductions: Field<Amount>,
    /// step 4(c): dollars to be withheld from each paycheck besides
    #[schema(value_type = String)]
    pub extra_withholding: Field<Amount>,
}

/// What a state asks of an employee who works or lives there.
#[derive(Debug, Serialize, ToSchema)]
pub struct StateTaxes {
    /// who is asked
    pub employee_uuid: Uuid,
    /// two letters
    pub state: String,
    /// the employer's answer to the question of that key; null until it was given
    pub file_new_hire_report: Option<bool>,
    /// whether the employee works there
    pub is_work_state: bool,
    /// the questions with their answers; none of the employee's own where the state does not tax wages
    pub questions: Vec<StateQuestion>,
}

/// A question of a state.
#[derive(Debug, Serialize, ToSchema)]
pub struct StateQuestion {
    /// for people
    pub label: String,
    /// more for people
    pub description: Option<String>,
    /// for programs
    pub key: String,
    /// whether it is the employer who answers, not the employee
    pub is_question_for_admin_only: bool,
    /// how it is answered
    pub input_question_format: QuestionFormat,
    /// none or one. A number or an amount that nobody has entered yet is answered with its default.
    pub answers: Vec<StateAnswer>,
}

/// How a question is answered.
#[derive(Debug, Serialize, ToSchema)]
pub struct QuestionFormat {
    /// `Select`, `Number`, `Currency`, `Text` or `Date`
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// what can be chosen; only with `Select`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<QuestionOption>>,
}

/// An answer that can be chosen.
#[derive(Debug, Serialize, ToSchema)]
pub struct QuestionOption {
    /// for programs
    #[schema(schema_with = answer_value)]
    pub value: Value,
    /// for people
    pub label: String,
}

/// An answer to a question of a state.
#[derive(Debug, Serialize, ToSchema)]
pub struct StateAnswer {
    /// text, number, or true or false
    #[schema(schema_with = answer_value)]
    pub value: Value,
    /// always 2010-01-01
    pub valid_from: &'static str,
    /// always null
    pub valid_up_to: Option<&'static str>,
}

/// Answers to the questions of states. States and questions that are left out stay as they are.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdateStateTaxes {
    /// the states whose questions are answered
    #[schema(required)]
    pub states: Field<Vec<AnsweredState>>,
}

/// Answers to the questions of one state.
#[derive(Debug, Default, Clone, Deserialize, ToSchema)]
#[serde(default)]
pub struct AnsweredState {
    /// two letters: a state in which the employee works or lives
    #[schema(required)]
    pub state: Field<String>,
    /// the questions that are answered
    pub questions: Field<Vec<AnsweredQuestion>>,
}

/// The answer to one question.
#[derive(Debug, Default, Clone, Deserialize, ToSchema)]
#[serde(default)]
pub struct AnsweredQuestion {
    /// the question
    #[schema(required)]
    pub key: Field<String>,
    /// one; none leaves the question as it is
    pub answers: Field<Vec<GivenAnswer>>,
}

/// An answer.
#[derive(Debug, Default, Clone, Deserialize, ToSchema)]
#[serde(default)]
pub struct GivenAnswer {
    /// of the kind that the question asks for
    #[schema(required, schema_with = answer_value)]
    pub value: Field<AnswerValue>,
    /// 2010-01-01, the only day there is; it may be left out
    pub valid_from: Field<String>,
    /// null, the only end there is; it may be left out
    pub valid_up_to: Field<String>,
}

/// The value of an answer, before the question has said of which kind it must be.
#[derive(Debug, Clone)]
pub struct AnswerValue(pub Value);

impl Wire for AnswerValue {
    const EXPECTED: &'static str = "text, a number, or true or false";
    fn from_json(value: Value) -> Option<Self> {
        matches!(value, Value::String(_) | Value::Number(_) | Value::Bool(_)).then_some(Self(value))
    }
    fn schema() -> RefOr<Schema> {
        answer_value()
    }
}

/// How such a value is described.
pub fn answer_value() -> RefOr<Schema> {
    let any = SchemaType::from_iter([Type::String, Type::Number, Type::Boolean]);
    ObjectBuilder::new().schema_type(any).description(Some("text, number, or true or false")).into()
}
