//! Questions of state certificates.

use strum::IntoStaticStr;

use super::Answer;
use crate::amount::Amount;

/// Default maximum of counts.
pub(super) const MAX_COUNT: i32 = 99;

/// A question to the employee or the employer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Key, unique within the state.
    pub key: String,
    /// What the state's formula calls it, where that is something else.
    pub in_formula: Option<String>,
    /// Label.
    pub label: String,
    /// Help text.
    pub help: Option<String>,
    /// Type of the answer.
    pub kind: Kind,
    /// What an answer must be beside its type.
    pub must: Option<Must>,
    /// Default, displayed until there is an answer.
    pub default: Option<Answer>,
    /// Whether the employer answers.
    pub admin_only: bool,
    /// Whether it concerns few: without an answer, what counts is right for most, and onboarding goes on.
    pub optional: bool,
    /// Codes of taxes of the state and its places that are not due with a yes.
    pub exempts: Vec<String>,
}

/// Type of an answer.
#[derive(Debug, Clone, PartialEq, Eq, IntoStaticStr)]
pub enum Kind {
    /// One of several choices.
    Select(Vec<Choice>),
    /// A number.
    Number(NumberOf),
    /// Dollars in whole cents, non-negative.
    Currency,
    /// A line of text.
    Text,
    /// A date.
    Date,
}

/// What an answer must be beside its type, so that it cannot be one that no employee can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Must {
    /// A percentage within the rates that there are.
    Lie {
        /// Lowest.
        from: Amount,
        /// Highest.
        to: Amount,
    },
    /// A code of so many digits.
    HaveDigits(usize),
    /// A school district of Ohio: its number, the name of one that has an income tax, or none.
    NameDistrict,
}

/// Unit of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberOf {
    /// A count, such as allowances or dependents.
    Things {
        /// Maximum.
        max: i32,
    },
    /// A percentage from 0 to 100, such as 3.2.
    Percent,
}

/// A choice of a [`Kind::Select`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Value.
    pub value: ChoiceValue,
    /// Label.
    pub label: String,
    /// What the choice says to the state's formula, by the formula's keys; empty where it says its own value.
    pub in_formula: Vec<(String, Answer)>,
}

/// The value of a [`Choice`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChoiceValue {
    /// Text.
    Text(String),
    /// Boolean.
    Bool(bool),
    /// Integer.
    Int(i32),
}

impl Question {
    /// What an answer to this question says to the formula under a key of the formula, if it says anything.
    fn says(&self, key: &str, answer: Answer) -> Option<Answer> {
        if let Kind::Select(choices) = &self.kind
            && let Some(choice) = choices.iter().find(|choice| choice.is(&answer))
            && !choice.in_formula.is_empty()
        {
            return choice.in_formula.iter().find(|(known, _)| known == key).map(|(_, said)| said.clone());
        }
        (self.in_formula.as_deref().unwrap_or(&self.key) == key).then_some(answer)
    }
}

/// What answers to these questions say to the state's formula under one of its keys. An answer that is held under the
/// formula's own key, as older calculations hold them, counts as it is.
pub(super) fn said(
    questions: &[Question],
    key: &str,
    answer: impl Fn(&str) -> Option<Answer>,
) -> Option<Answer> {
    if questions.iter().all(|question| question.key != key)
        && let Some(kept) = answer(key)
    {
        return Some(kept);
    }
    questions.iter().find_map(|question| question.says(key, answer(&question.key)?))
}

impl Choice {
    /// Whether it is the answer.
    fn is(&self, answer: &Answer) -> bool {
        match (&self.value, answer) {
            (ChoiceValue::Text(word), Answer::Text(given)) => word == given,
            (ChoiceValue::Bool(yes), Answer::Bool(given)) => yes == given,
            (ChoiceValue::Int(number), Answer::Number(given)) => {
                Amount::from_cents(i64::from(*number) * 100) == *given
            }
            _ => false,
        }
    }
}

impl Kind {
    /// Returns the wire name.
    pub fn as_str(&self) -> &'static str {
        self.into()
    }

    /// Returns the choices yes and no.
    pub fn yes_or_no() -> Self {
        let choice = |value, label: &str| Choice {
            value: ChoiceValue::Bool(value),
            label: label.to_owned(),
            in_formula: Vec::new(),
        };
        Self::Select(vec![choice(true, "Yes"), choice(false, "No")])
    }
}
