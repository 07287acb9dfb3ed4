//! Reading one answer and writing it again.

use super::question::{Choice, ChoiceValue, Kind, NumberOf, Question};
use crate::amount::Amount;
use crate::check;
use crate::violation::Violation;
use crate::withholding::money;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The most characters of an answer in words.
const MAX_TEXT: usize = 100;
/// The largest percentage.
const ALL_OF_IT: Amount = Amount::from_cents(10_000);

/// An answer that fits its question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// A text, or the word of a choice.
    Text(String),
    /// Yes or no.
    Bool(bool),
    /// A number without a unit, or in percent.
    Number(Amount),
    /// Dollars in whole cents.
    Currency(Amount),
    /// A day.
    Date(Date),
}

impl Answer {
    /// The answer as JSON, in the form in which it is kept and shown. [`check_answer`] reads it again as the
    /// same answer. Dollars are text with at least one decimal place (`"0.0"`, `"12.25"`), which is how clients
    /// of the interface know them; other numbers are numbers.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Text(text) => Value::from(text.as_str()),
            Self::Bool(yes) => Value::from(*yes),
            Self::Number(number) => {
                let text = number.to_text(0);
                // Decimal text is JSON as it is, and so no digit is lost.
                text.parse().unwrap_or(Value::String(text))
            }
            Self::Currency(dollars) => Value::from(dollars.to_text(1)),
            Self::Date(day) => Value::from(day.to_string()),
        }
    }
}

/// The answer that a value is to a question. Numbers and dollars may come as numbers or as text, yes and no
/// as true and false or as those words.
///
/// # Errors
/// One violation under the question's key: blank (null included), of the wrong form, outside its bounds, or
/// none of the choices, which the message lists.
pub fn check_answer(question: &Question, value: &Value) -> Result<Answer, Violation> {
    let key = question.key.as_str();
    if value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty()) {
        return Err(Violation::invalid(key, format!("{key} can't be blank")));
    }
    match &question.kind {
        Kind::Select(choices) => select(key, choices, value),
        Kind::Number(NumberOf::Things { max }) => things(key, *max, value).map(Answer::Number),
        Kind::Number(NumberOf::Percent) => percent(key, value).map(Answer::Number),
        Kind::Currency => currency(key, value).map(Answer::Currency),
        Kind::Text => check::text(key, text(key, value)?, MAX_TEXT).map(Answer::Text),
        Kind::Date => check::date(key, text(key, value)?).map(Answer::Date),
    }
}

fn select(key: &str, choices: &[Choice], value: &Value) -> Result<Answer, Violation> {
    let chosen = choices.iter().find_map(|choice| match &choice.value {
        ChoiceValue::Text(word) => (value.as_str() == Some(word)).then(|| Answer::Text(word.clone())),
        ChoiceValue::Bool(yes) => (read_bool(value) == Some(*yes)).then_some(Answer::Bool(*yes)),
        ChoiceValue::Int(number) => {
            let number = whole(*number);
            (read_number(value) == Some(number)).then_some(Answer::Number(number))
        }
    });
    chosen.ok_or_else(|| {
        let words: Vec<_> = choices
            .iter()
            .map(|choice| match &choice.value {
                ChoiceValue::Text(word) => word.clone(),
                ChoiceValue::Bool(yes) => yes.to_string(),
                ChoiceValue::Int(number) => number.to_string(),
            })
            .collect();
        Violation::invalid(key, format!("{key} must be one of: {}", words.join(", ")))
    })
}

fn things(key: &str, max: i32, value: &Value) -> Result<Amount, Violation> {
    let is_whole = |number: &Amount| number.millionths() % whole(1).millionths() == 0;
    read_number(value)
        .filter(|number| is_whole(number) && (Amount::ZERO..=whole(max)).contains(number))
        .ok_or_else(|| Violation::invalid(key, format!("{key} must be a whole number from 0 to {max}")))
}

fn percent(key: &str, value: &Value) -> Result<Amount, Violation> {
    read_number(value).filter(|number| (Amount::ZERO..=ALL_OF_IT).contains(number)).ok_or_else(|| {
        Violation::invalid(key, format!("{key} must be a percentage from 0 to 100, such as 3.2"))
    })
}

fn currency(key: &str, value: &Value) -> Result<Amount, Violation> {
    read_number(value).filter(|dollars| money::fits(*dollars)).ok_or_else(|| money::violation(key))
}

fn text<'v>(key: &str, value: &'v Value) -> Result<&'v str, Violation> {
    value.as_str().ok_or_else(|| Violation::invalid(key, format!("{key} must be a text")))
}

fn read_bool(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(yes) => Some(*yes),
        Value::String(word) => word.parse().ok(),
        _ => None,
    }
}

fn read_number(value: &Value) -> Option<Amount> {
    match value {
        Value::Number(number) => Amount::parse(&number.to_string()).ok(),
        Value::String(text) => Amount::parse(text).ok(),
        _ => None,
    }
}

/// So many whole ones.
fn whole(number: i32) -> Amount {
    Amount::from_cents(i64::from(number) * 100)
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
