//! Validation and serialization of answers.

use super::question::{Choice, ChoiceValue, Kind, Must, NumberOf, Question};
use crate::amount::Amount;
use crate::check;
use crate::places::{NamedDistrict, OUTSIDE_PENNSYLVANIA, named_district};
use crate::violation::Violation;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Maximum length of text answers, in characters.
const MAX_TEXT: usize = 100;
/// 100 %.
const ALL_OF_IT: Amount = Amount::from_cents(10_000);

/// A valid answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Text, or the value of a choice.
    Text(String),
    /// Boolean.
    Bool(bool),
    /// A number or percentage.
    Number(Amount),
    /// Dollars, in whole cents.
    Currency(Amount),
    /// A date.
    Date(Date),
}

impl Answer {
    /// Returns the JSON representation, which [`check_answer`] parses back. Dollars are text with at least
    /// one decimal place (`"0.0"`, `"12.25"`), as on the wire; other numbers are JSON numbers.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Text(text) => Value::from(text.as_str()),
            Self::Bool(yes) => Value::from(*yes),
            Self::Number(number) => {
                let text = number.to_text(0);
                // Decimal text is valid JSON, so no digit is lost.
                text.parse().unwrap_or(Value::String(text))
            }
            Self::Currency(dollars) => Value::from(dollars.to_text(1)),
            Self::Date(day) => Value::from(day.to_string()),
        }
    }
}

/// Validates an answer. Numbers and dollars may be numbers or text; booleans may be booleans or text.
///
/// # Errors
/// Returns a violation with the key of the question if the value is blank or null, has the wrong type, is out
/// of range, is not one of the choices, or does not meet the question's [`Must`].
pub fn check_answer(question: &Question, value: &Value) -> Result<Answer, Violation> {
    let answer = parse_answer(question, value)?;
    if question.allows_answer(&answer) { Ok(answer) } else { Err(refuse_answer(question)) }
}

fn refuse_answer(question: &Question) -> Violation {
    let key = &question.key;
    let message = match question.must {
        Some(Must::Lie { from, to }) => {
            format!("{key} must be a percentage from {} to {}, such as 3.2", from.to_text(0), to.to_text(0))
        }
        Some(Must::BePsdCode) => {
            format!("{key} must be a PSD code of 6 digits, of which the first two are 01 to 73, or 880000")
        }
        Some(Must::NameDistrict) => {
            format!(
                "{key} must be the district's four-digit number, its full name as in Columbus City School District, \
                 or none; a name that several districts have is told by the number"
            )
        }
        None => format!("{key} is not allowed"),
    };
    Violation::invalid(key, message)
}

/// Whether a text can be a code of Pennsylvania's register: the first two digits are the collection district, which are numbered from
/// 01 to 73.
fn may_be_psd_code(text: &str) -> bool {
    let digits = text.len() == 6 && text.bytes().all(|byte| byte.is_ascii_digit());
    let district = text.get(..2).and_then(|first| first.parse::<u32>().ok()).unwrap_or_default();
    digits && (text == OUTSIDE_PENNSYLVANIA || (1..=73).contains(&district))
}

impl Question {
    /// Whether an answer of the right type is plausible. Answers stored before this check existed may not be.
    pub fn allows_answer(&self, answer: &Answer) -> bool {
        match (self.must, answer) {
            (Some(Must::Lie { from, to }), Answer::Number(number)) => (from..=to).contains(number),
            (Some(Must::BePsdCode), Answer::Text(text)) => may_be_psd_code(text),
            (Some(Must::NameDistrict), Answer::Text(text)) => {
                matches!(named_district(text, None), NamedDistrict::Place(_))
            }
            _ => true,
        }
    }
}

/// Parses an answer, such as a stored one, as [`check_answer`] does, but checks only its type.
///
/// # Errors
/// Returns a violation with the key of the question if the value is blank or not of its type.
pub fn parse_answer(question: &Question, value: &Value) -> Result<Answer, Violation> {
    let key = question.key.as_str();
    if value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty()) {
        return Err(Violation::invalid(key, format!("{key} can't be blank")));
    }
    match &question.kind {
        Kind::Select(choices) => parse_choice(key, choices, value),
        Kind::Number(NumberOf::Things { max }) => parse_number(key, *max, value).map(Answer::Number),
        Kind::Number(NumberOf::Percent) => parse_percent(key, value).map(Answer::Number),
        Kind::Currency => parse_currency(key, value).map(Answer::Currency),
        Kind::Text => check::validate_text(key, parse_text(key, value)?, MAX_TEXT).map(Answer::Text),
        Kind::Date => check::parse_date(key, parse_text(key, value)?).map(Answer::Date),
    }
}

fn parse_choice(key: &str, choices: &[Choice], value: &Value) -> Result<Answer, Violation> {
    let chosen = choices.iter().find_map(|choice| match &choice.value {
        ChoiceValue::Text(word) => (value.as_str() == Some(word)).then(|| Answer::Text(word.clone())),
        ChoiceValue::Bool(yes) => (read_bool(value) == Some(*yes)).then_some(Answer::Bool(*yes)),
        ChoiceValue::Int(number) => {
            let number = whole_amount(*number);
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

fn parse_number(key: &str, max: i32, value: &Value) -> Result<Amount, Violation> {
    let is_whole = |number: &Amount| number.millionths() % whole_amount(1).millionths() == 0;
    read_number(value)
        .filter(|number| is_whole(number) && (Amount::ZERO..=whole_amount(max)).contains(number))
        .ok_or_else(|| Violation::invalid(key, format!("{key} must be a whole number from 0 to {max}")))
}

fn parse_percent(key: &str, value: &Value) -> Result<Amount, Violation> {
    read_number(value).filter(|number| (Amount::ZERO..=ALL_OF_IT).contains(number)).ok_or_else(|| {
        Violation::invalid(key, format!("{key} must be a percentage from 0 to 100, such as 3.2"))
    })
}

fn parse_currency(key: &str, value: &Value) -> Result<Amount, Violation> {
    let dollars = read_number(value).ok_or_else(|| check::not_dollars(key, &check::UP_TO_MAX))?;
    check::validate_dollars(key, dollars, check::UP_TO_MAX)
}

fn parse_text<'v>(key: &str, value: &'v Value) -> Result<&'v str, Violation> {
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

/// Converts an integer.
fn whole_amount(number: i32) -> Amount {
    Amount::from_cents(i64::from(number) * 100)
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
