//! How an employee's taxes are told.

use rules::Named;
use rules::withholding::federal::W4;
use rules::withholding::state::{ChoiceValue, Kind, NEW_HIRE_REPORT, Question, StateQuestions};
use serde_json::Value;
use uuid::Uuid;

use super::rows::{FederalTaxes, PRE_2020, REV_2020, StateTaxes};
use super::service::{FEDERAL, VALID_FROM};
use crate::records::version_text;
use crate::withholding::taxes::shapes;
use crate::withholding::taxes::shapes::{QuestionFormat, QuestionOption, StateAnswer, StateQuestion};

/// Form W-4; where there is none yet, that of 2020 without answers.
pub fn federal(employee: Uuid, stored: Option<&FederalTaxes>) -> shapes::FederalTaxes {
    let version = version_text(FEDERAL, employee, stored.map_or(0, |stored| stored.version));
    match stored.map(|stored| stored.w4) {
        Some(W4::Pre2020 { filing_status, allowances, additional_withholding }) => {
            shapes::FederalTaxes::Pre2020(shapes::FederalTaxesPre2020 {
                version,
                employee_uuid: employee,
                w4_data_type: PRE_2020,
                filing_status: filing_status.as_str(),
                federal_withholding_allowance: allowances,
                additional_withholding: additional_withholding.to_string(),
            })
        }
        Some(W4::Rev2020 {
            filing_status,
            two_jobs,
            dependents_amount,
            other_income,
            deductions,
            extra_withholding,
        }) => shapes::FederalTaxes::Rev2020(shapes::FederalTaxesRev2020 {
            version,
            employee_uuid: employee,
            w4_data_type: REV_2020,
            filing_status: Some(filing_status.as_str()),
            two_jobs: Some(two_jobs),
            dependents_amount: dependents_amount.to_string(),
            other_income: other_income.to_string(),
            deductions: deductions.to_string(),
            extra_withholding: extra_withholding.to_string(),
        }),
        None => {
            let zero = || rules::Amount::ZERO.to_string();
            shapes::FederalTaxes::Rev2020(shapes::FederalTaxesRev2020 {
                version,
                employee_uuid: employee,
                w4_data_type: REV_2020,
                filing_status: None,
                two_jobs: None,
                dependents_amount: zero(),
                other_income: zero(),
                deductions: zero(),
                extra_withholding: zero(),
            })
        }
    }
}

/// A state with its questions, and the answers to them.
pub fn state(employee: Uuid, asked: &StateQuestions<'_>, stored: Option<&StateTaxes>) -> shapes::StateTaxes {
    let file_new_hire_report = stored.and_then(|stored| stored.file_new_hire_report);
    let questions = asked.questions.iter().map(|question| {
        let answer = match question.key.as_str() {
            NEW_HIRE_REPORT => file_new_hire_report.map(Value::from),
            key => stored.and_then(|stored| stored.answers.get(key).cloned()),
        };
        told(question, answer.or_else(|| shown_before_an_answer(question)))
    });
    shapes::StateTaxes {
        employee_uuid: employee,
        state: asked.state.code.clone(),
        file_new_hire_report,
        is_work_state: asked.is_work_state,
        questions: questions.collect(),
    }
}

/// Clients let nobody pass a number or an amount that is empty, so that these begin with their default. What is
/// chosen from a list is chosen by the employee.
fn shown_before_an_answer(question: &Question) -> Option<Value> {
    let filled_in = matches!(question.kind, Kind::Number(_) | Kind::Currency);
    question.default.as_ref().filter(|_| filled_in).map(|answer| answer.to_json())
}

fn told(question: &Question, answer: Option<Value>) -> StateQuestion {
    let options = match &question.kind {
        Kind::Select(choices) => {
            let options = choices.iter().map(|choice| QuestionOption {
                value: match &choice.value {
                    ChoiceValue::Text(word) => Value::from(word.as_str()),
                    ChoiceValue::Bool(yes) => Value::from(*yes),
                    ChoiceValue::Int(number) => Value::from(*number),
                },
                label: choice.label.clone(),
            });
            Some(options.collect())
        }
        Kind::Number(_) | Kind::Currency | Kind::Text | Kind::Date => None,
    };
    let answers = answer.map(|value| StateAnswer { value, valid_from: VALID_FROM, valid_up_to: None });
    StateQuestion {
        label: question.label.clone(),
        description: question.help.clone(),
        key: question.key.clone(),
        is_question_for_admin_only: question.admin_only,
        input_question_format: QuestionFormat { kind: question.kind.as_str(), options },
        answers: answers.into_iter().collect(),
    }
}
