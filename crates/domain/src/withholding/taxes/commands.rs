//! Inputs of the use cases of taxes.

use rules::Amount;
use serde_json::Value;

use rules::payroll::FicaExemption;

use crate::patch::Patch;

/// Answers Form W-4 of 2020 or later. What is absent or null is kept; for a first answer two_jobs is false and amounts
/// are zero.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the form")]
pub struct UpdateFederalTaxes {
    pub version: Patch<String>,
    pub w4_data_type: Patch<String>,
    pub filing_status: Patch<String>,
    pub two_jobs: Patch<bool>,
    pub dependents_amount: Patch<Amount>,
    pub other_income: Patch<Amount>,
    pub deductions: Patch<Amount>,
    pub extra_withholding: Patch<Amount>,
    pub nonresident_alien: Patch<bool>,
    /// null removes it
    pub fica_exemption: Patch<FicaExemption>,
}

/// Answers state tax questions. States and questions that are omitted are unchanged.
#[derive(Debug, Clone, Default)]
pub struct UpdateStateTaxes {
    /// the states whose questions are answered
    pub states: Patch<Vec<AnsweredState>>,
}

/// Answers to the questions of a state.
#[derive(Debug, Clone, Default)]
pub struct AnsweredState {
    /// two letters: a state in which the employee works or lives
    pub state: Patch<String>,
    /// the questions that are answered
    pub questions: Patch<Vec<AnsweredQuestion>>,
}

/// The answer to a question.
#[derive(Debug, Clone, Default)]
pub struct AnsweredQuestion {
    /// key of the question
    pub key: Patch<String>,
    /// one; an empty list leaves the question unchanged
    pub answers: Patch<Vec<GivenAnswer>>,
}

/// An answer.
#[derive(Debug, Clone, Default)]
pub struct GivenAnswer {
    /// text, a number or a boolean, as the question requires
    pub value: Patch<Value>,
    /// the only supported first day, or absent
    pub valid_from: Patch<String>,
    /// null or absent: answers have no end date
    pub valid_up_to: Patch<String>,
}
