//! Form W-4 and the questions of states on the wire.

use domain::records::version_text;
use domain::withholding::taxes::rows::{FEDERAL_TABLE, PRE_2020, REV_2020};
use domain::withholding::taxes::service::VALID_FROM;
use domain::withholding::taxes::service::state::StateDetails;
use domain::withholding::taxes::{commands, rows};
use rules::payroll::FicaExemption;
use rules::withholding::federal::W4;
use rules::withholding::state::{Choice, ChoiceValue, Kind, Question};
use rules::{Amount, Named};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};
use uuid::Uuid;

use crate::field::{Field, List, Wire};
use crate::input;
use crate::values::{
    AnswersValidFrom, DecimalText, FicaExemptionName, FilingStatusName, LineText, NoText, StateText,
    VersionText, W4Type,
};

/// Form W-4 of an employee; `w4_data_type` says which.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum FederalTaxes {
    /// the form of 2020 and later
    Rev2020(FederalTaxesRev2020),
    /// the form before that
    Pre2020(FederalTaxesPre2020),
}

/// Form W-4 of 2020 or later. Before the first answer, filing_status and two_jobs are null.
#[derive(Debug, Serialize, ToSchema)]
pub struct FederalTaxesRev2020 {
    /// concurrency token, to be sent with an update
    pub version: String,
    /// the employee
    pub employee_uuid: Uuid,
    /// always `rev_2020_w4`
    pub w4_data_type: &'static str,
    /// `Single`, `Married`, `Head of Household` or `Exempt from withholding`; null before the first answer
    pub filing_status: Option<&'static str>,
    /// step 2(c): two jobs in total, or a spouse who works; null before the first answer
    pub two_jobs: Option<bool>,
    /// step 3: credits for dependents and others, dollars per year
    pub dependents_amount: String,
    /// step 4(a): other income, dollars per year
    pub other_income: String,
    /// step 4(b): deductions above the standard deduction, dollars per year
    pub deductions: String,
    /// step 4(c): extra withholding per paycheck, dollars
    pub extra_withholding: String,
    /// extension: whether an amount is added to the wages of a nonresident alien, only to calculate income tax
    /// withholding (IRS Publication 15-T)
    pub nonresident_alien: bool,
    /// extension: why the pay is exempt from Social Security and Medicare tax, or null: `child_of_sole_proprietor` (26
    /// USC 3121(b)(3)(A); until 18, and until 21 for unemployment tax), `student` (3121(b)(10)),
    /// `nonresident_student_or_exchange_visitor` (3121(b)(19)) or `totalization_agreement` (3101(c))
    pub fica_exemption: Option<&'static str>,
}

/// Form W-4 before 2020. Carried over from before the service; it can only be replaced by the newer form.
#[derive(Debug, Serialize, ToSchema)]
pub struct FederalTaxesPre2020 {
    /// concurrency token, to be sent with an update
    pub version: String,
    /// the employee
    pub employee_uuid: Uuid,
    /// always `pre_2020_w4`
    pub w4_data_type: &'static str,
    /// as on the newer form, or `Married, but withhold as Single`
    pub filing_status: &'static str,
    /// number of allowances
    pub federal_withholding_allowance: i64,
    /// extra withholding per paycheck, dollars
    pub additional_withholding: String,
    /// extension: whether an amount is added to the wages of a nonresident alien, only to calculate income tax
    /// withholding (IRS Publication 15-T)
    pub nonresident_alien: bool,
    /// extension: why the pay is exempt from Social Security and Medicare tax, or null: `child_of_sole_proprietor` (26
    /// USC 3121(b)(3)(A); until 18, and until 21 for unemployment tax), `student` (3121(b)(10)),
    /// `nonresident_student_or_exchange_visitor` (3121(b)(19)) or `totalization_agreement` (3101(c))
    pub fica_exemption: Option<&'static str>,
}

impl FederalTaxes {
    /// The answer for an employee's form; before there is one, the form of 2020 without answers.
    pub fn new(employee: Uuid, stored: Option<&rows::FederalTaxes>) -> Self {
        let version = version_text(FEDERAL_TABLE, employee, stored.map_or(0, |stored| stored.version));
        let settings = stored.map(|stored| stored.settings).unwrap_or_default();
        let nonresident_alien = settings.nonresident_alien;
        let fica_exemption = settings.fica_exemption.map(FicaExemption::as_str);
        match stored.map(|stored| stored.w4) {
            Some(W4::Pre2020 { filing_status, allowances, additional_withholding }) => {
                Self::Pre2020(FederalTaxesPre2020 {
                    version,
                    employee_uuid: employee,
                    w4_data_type: PRE_2020,
                    filing_status: filing_status.as_str(),
                    federal_withholding_allowance: allowances,
                    additional_withholding: additional_withholding.to_string(),
                    nonresident_alien,
                    fica_exemption,
                })
            }
            Some(W4::Rev2020 {
                filing_status,
                two_jobs,
                dependents_amount,
                other_income,
                deductions,
                extra_withholding,
            }) => Self::Rev2020(FederalTaxesRev2020 {
                version,
                employee_uuid: employee,
                w4_data_type: REV_2020,
                filing_status: Some(filing_status.as_str()),
                two_jobs: Some(two_jobs),
                dependents_amount: dependents_amount.to_string(),
                other_income: other_income.to_string(),
                deductions: deductions.to_string(),
                extra_withholding: extra_withholding.to_string(),
                nonresident_alien,
                fica_exemption,
            }),
            None => {
                let zero = || Amount::ZERO.to_string();
                Self::Rev2020(FederalTaxesRev2020 {
                    version,
                    employee_uuid: employee,
                    w4_data_type: REV_2020,
                    filing_status: None,
                    two_jobs: None,
                    dependents_amount: zero(),
                    other_income: zero(),
                    deductions: zero(),
                    extra_withholding: zero(),
                    nonresident_alien,
                    fica_exemption,
                })
            }
        }
    }
}

input! {
    /// Form W-4 of 2020 or later. Amounts are text or numbers. Omitted or null fields keep their values; in a first answer
    /// two_jobs defaults to false and amounts to zero.
    UpdateFederalTaxes => commands::UpdateFederalTaxes {
        /// the version as last read
        #[schema(required)]
        version: VersionText,
        /// `rev_2020_w4`: the older form cannot be written
        #[schema(required)]
        w4_data_type: W4Type,
        /// `Single`, `Married`, `Head of Household` or `Exempt from withholding`
        #[schema(required)]
        filing_status: FilingStatusName,
        /// step 2(c): two jobs in total, or a spouse who works
        #[schema(nullable)]
        two_jobs: bool,
        /// step 3: credits for dependents and others, dollars per year
        #[schema(nullable, value_type = DecimalText)]
        dependents_amount: Amount,
        /// step 4(a): other income, dollars per year
        #[schema(nullable, value_type = DecimalText)]
        other_income: Amount,
        /// step 4(b): deductions above the standard deduction, dollars per year
        #[schema(nullable, value_type = DecimalText)]
        deductions: Amount,
        /// step 4(c): extra withholding per paycheck, dollars
        #[schema(nullable, value_type = DecimalText)]
        extra_withholding: Amount,
        /// extension: whether an amount is added to the wages of a nonresident alien, only to calculate income tax
        /// withholding; false for students and business apprentices from India (IRS Publication 15-T)
        #[schema(nullable)]
        nonresident_alien: bool,
        /// extension: why the pay is exempt from Social Security and Medicare tax: `child_of_sole_proprietor`,
        /// `student`, `nonresident_student_or_exchange_visitor` or `totalization_agreement`; null removes the exemption
        #[schema(nullable)]
        fica_exemption: FicaExemptionName,
    }
}

/// The questions of a state in which an employee works or lives.
#[derive(Debug, Serialize, ToSchema)]
pub struct StateTaxes {
    /// the employee
    pub employee_uuid: Uuid,
    /// two letters
    pub state: String,
    /// the employer's answer to the question of that key; null until it is given
    pub file_new_hire_report: Option<bool>,
    /// whether the employee works there
    pub is_work_state: bool,
    /// the questions with their answers; without any for the employee if the state does not tax wages
    pub questions: Vec<StateQuestion>,
}

/// A question of a state.
#[derive(Debug, Serialize, ToSchema)]
pub struct StateQuestion {
    /// human-readable label
    pub label: String,
    /// human-readable explanation; may be empty
    pub description: String,
    /// machine-readable key
    pub key: String,
    /// whether the employer answers it instead of the employee
    pub is_question_for_admin_only: bool,
    /// the type of the answer
    pub input_question_format: QuestionFormat,
    /// at most one. A number or an amount that was not entered yet has its default.
    pub answers: Vec<StateAnswer>,
}

/// The type of a question's answer.
#[derive(Debug, Serialize, ToSchema)]
pub struct QuestionFormat {
    /// `Select`, `Number`, `Currency`, `Text` or `Date`
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// the choices; only with `Select`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<QuestionOption>>,
}

/// A choice.
#[derive(Debug, Serialize, ToSchema)]
pub struct QuestionOption {
    /// machine-readable value
    #[schema(schema_with = answer_value)]
    pub value: Value,
    /// human-readable label
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

impl StateTaxes {
    /// The response for a state of an employee.
    pub fn new(employee: Uuid, details: &StateDetails) -> Self {
        let question = |question: &Question| StateQuestion::new(question, details.displayed_answer(question));
        Self {
            employee_uuid: employee,
            state: details.questions.state.code.clone(),
            file_new_hire_report: details.file_new_hire_report(),
            is_work_state: details.questions.is_work_state,
            questions: details.questions.questions().map(question).collect(),
        }
    }
}

impl StateQuestion {
    fn new(question: &Question, answer: Option<Value>) -> Self {
        let options = match &question.kind {
            Kind::Select(choices) => Some(choices.iter().map(QuestionOption::from).collect()),
            Kind::Number(_) | Kind::Currency | Kind::Text | Kind::Date => None,
        };
        let answers = answer.map(|value| StateAnswer { value, valid_from: VALID_FROM, valid_up_to: None });
        Self {
            label: question.label.clone(),
            description: question.help.clone().unwrap_or_default(),
            key: question.key.clone(),
            is_question_for_admin_only: question.admin_only,
            input_question_format: QuestionFormat { kind: question.kind.as_str(), options },
            answers: answers.into_iter().collect(),
        }
    }
}

impl From<&Choice> for QuestionOption {
    fn from(choice: &Choice) -> Self {
        let value = match &choice.value {
            ChoiceValue::Text(text) => Value::from(text.as_str()),
            ChoiceValue::Bool(yes) => Value::from(*yes),
            ChoiceValue::Int(number) => Value::from(*number),
        };
        Self { value, label: choice.label.clone() }
    }
}

input! {
    /// Answers to the questions of states. Omitted states and questions are unchanged.
    UpdateStateTaxes => commands::UpdateStateTaxes {
        /// the states whose questions are answered
        #[schema(required)]
        states: List<AnsweredState>,
    }

    /// Answers to the questions of one state.
    AnsweredState => commands::AnsweredState {
        /// two letters: a state in which the employee works or lives
        #[schema(required)]
        state: StateText,
        /// the questions that are answered
        questions: List<AnsweredQuestion>,
    }

    /// The answer to one question.
    AnsweredQuestion => commands::AnsweredQuestion {
        /// the question
        #[schema(required)]
        key: LineText,
        /// one; an empty list leaves the question unchanged
        answers: List<GivenAnswer>,
    }

    /// An answer.
    GivenAnswer => commands::GivenAnswer {
        /// of the question's type
        #[schema(required, schema_with = answer_value)]
        value: AnswerValue,
        /// 2010-01-01, the only value; may be omitted
        valid_from: AnswersValidFrom,
        /// null, the only value; may be omitted
        valid_up_to: NoText,
    }
}

/// The value of an answer, of whichever type the question requires.
#[derive(Debug)]
pub enum AnswerValue {}

impl Wire for AnswerValue {
    type Value = Value;
    const EXPECTED: &'static str = "text, a number, or true or false";
    fn from_json(value: Value) -> Option<Value> {
        matches!(value, Value::String(_) | Value::Number(_) | Value::Bool(_)).then_some(value)
    }
    fn schema() -> RefOr<Schema> {
        answer_value()
    }
}

/// The schema of such a value.
pub fn answer_value() -> RefOr<Schema> {
    let any = SchemaType::from_iter([Type::String, Type::Number, Type::Boolean]);
    ObjectBuilder::new()
        .schema_type(any)
        .description(Some("text, number, or true or false"))
        .max_length(Some(100))
        .into()
}
