//! What income taxes are found from.

use rules::Amount;
use rules::Named;
use rules::payroll::{Payroll, StateTax};
use rules::withholding::federal::{FilingStatus, W4};
use rules::withholding::state::formula::Formulas;
use rules::withholding::state::{StateTables, check_answer};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{amount, is_false};

/// The certificate for federal income tax: filing status, whether it is the form of before 2020, and its figures in
/// the order of the form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct W4Facts {
    /// filing status
    pub status: String,
    /// whether it is the older form
    #[serde(default, skip_serializing_if = "is_false")]
    pub older: bool,
    /// step 2(c)
    #[serde(default, skip_serializing_if = "is_false")]
    pub two_jobs: bool,
    /// steps 3, 4(a), 4(b) and 4(c); of the older form allowances and additional withholding
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<i64>,
}

/// What income tax of the state of work is found from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateFacts {
    /// two letters; empty for an employee without a work address
    pub state: String,
    /// answers to the questions of the state's certificate, by key
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub answers: Map<String, Value>,
    /// the amount that the partner supplied
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supplied: Option<i64>,
}

impl StateFacts {
    pub(super) fn tax(&self, payroll: &Payroll<'_>) -> StateTax<'static> {
        let certificates = StateTables::built_in();
        let questions = certificates.get(&self.state).map_or(&[] as &[_], |found| found.questions.as_slice());
        let answer = |key: &str| {
            let question = questions.iter().find(|question| question.key == key)?;
            check_answer(question, self.answers.get(key)?).ok()
        };
        let supplied = self.supplied.map(amount);
        if self.state.is_empty() {
            let reason = "the employee has no work address".to_owned();
            return match supplied {
                Some(amount) => StateTax::Supplied { state: String::new(), amount },
                None => StateTax::Missing { state: String::new(), reason },
            };
        }
        StateTax::find((Formulas::built_in(), certificates), payroll, &self.state, answer, supplied)
    }
}

impl W4Facts {
    /// The certificate as it is stored here.
    pub fn of(w4: &W4) -> Self {
        let millionths = |amounts: &[Amount]| amounts.iter().map(|amount| amount.millionths()).collect();
        match w4 {
            W4::Rev2020 {
                filing_status,
                two_jobs,
                dependents_amount,
                other_income,
                deductions,
                extra_withholding,
            } => {
                let all = [*dependents_amount, *other_income, *deductions, *extra_withholding];
                let none = all.iter().all(|amount| *amount == Amount::ZERO);
                Self {
                    status: filing_status.as_str().to_owned(),
                    older: false,
                    two_jobs: *two_jobs,
                    figures: if none { Vec::new() } else { millionths(&all) },
                }
            }
            W4::Pre2020 { filing_status, allowances, additional_withholding } => Self {
                status: filing_status.as_str().to_owned(),
                older: true,
                two_jobs: false,
                figures: vec![*allowances, additional_withholding.millionths()],
            },
        }
    }

    pub(super) fn w4(&self) -> W4 {
        let filing_status = FilingStatus::parse(&self.status)
            .unwrap_or_else(|| panic!("{} is no filing status", self.status));
        let figure = |place: usize| self.figures.get(place).copied().unwrap_or(0);
        if self.older {
            return W4::Pre2020 {
                filing_status,
                allowances: figure(0),
                additional_withholding: amount(figure(1)),
            };
        }
        W4::Rev2020 {
            filing_status,
            two_jobs: self.two_jobs,
            dependents_amount: amount(figure(0)),
            other_income: amount(figure(1)),
            deductions: amount(figure(2)),
            extra_withholding: amount(figure(3)),
        }
    }
}
