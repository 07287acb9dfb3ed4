//! Questions of state certificates.

use strum::IntoStaticStr;

use super::Answer;
use crate::amount::Amount;

/// Default maximum of counts.
pub(super) const MAX_COUNT: i32 = 99;

/// A question for the employee or the employer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Key, unique within the state.
    pub key: String,
    /// Key in the state's formula, if it differs.
    pub in_formula: Option<String>,
    /// Label.
    pub label: String,
    /// Help text.
    pub help: Option<String>,
    /// Type of the answer.
    pub kind: Kind,
    /// Constraint on the answer beyond its type.
    pub must: Option<Must>,
    /// Default, displayed until there is an answer.
    pub default: Option<Answer>,
    /// Whether the employer answers.
    pub admin_only: bool,
    /// Whether it concerns few employees: without an answer, the fallback is right for most, and onboarding continues.
    pub optional: bool,
    /// Codes of taxes of the state and its localities that are not due if the answer is yes.
    pub exempts: Vec<String>,
    /// The answers to another question, by its key, with one of which this question's answer counts.
    pub counts_with: Option<(String, Vec<String>)>,
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

/// A constraint on answers beyond their type, which rules out answers that no employee can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Must {
    /// A percentage within the range of existing rates.
    Lie {
        /// Lowest.
        from: Amount,
        /// Highest.
        to: Amount,
    },
    /// A PSD code of Pennsylvania: six digits, of which the first two are the collection district.
    BePsdCode,
    /// An Ohio school district: its number, its full name, or none.
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
    /// Answers that the choice gives to the state's formula, by formula key; empty if it gives its own value.
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
    /// Whether an answer counts beside the answers to the other questions, which `answer` returns: a figure of an earlier form does
    /// not beside a status of the present one.
    pub(super) fn counts_with(&self, answer: impl Fn(&str) -> Option<Answer>) -> bool {
        let Some((key, words)) = &self.counts_with else { return true };
        match answer(key) {
            Some(Answer::Text(word)) => words.contains(&word),
            _ => false,
        }
    }

    /// Returns what an answer to this question contributes to the formula under `key`, if anything.
    fn contributed_answer(&self, key: &str, answer: Answer) -> Option<Answer> {
        if let Kind::Select(choices) = &self.kind
            && let Some(choice) = choices.iter().find(|choice| choice.is_answer(&answer))
            && !choice.in_formula.is_empty()
        {
            return choice.in_formula.iter().find(|(known, _)| known == key).map(|(_, said)| said.clone());
        }
        (self.in_formula.as_deref().unwrap_or(&self.key) == key).then_some(answer)
    }
}

/// Returns the answer to a key of the state's formula. An answer stored under the formula's own key, as in older
/// calculations, is used as it is.
pub(super) fn answer_to_key(
    questions: &[Question],
    key: &str,
    answer: impl Fn(&str) -> Option<Answer>,
) -> Option<Answer> {
    if questions.iter().all(|question| question.key != key)
        && let Some(kept) = answer(key)
    {
        return Some(kept);
    }
    questions.iter().find_map(|question| question.contributed_answer(key, answer(&question.key)?))
}

impl Choice {
    /// Whether the choice is the answer.
    fn is_answer(&self, answer: &Answer) -> bool {
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
        Self::yes_no_labeled("Yes", "No")
    }

    /// Returns the choices yes and no under labels of their own.
    pub fn yes_no_labeled(yes: &str, no: &str) -> Self {
        let choice = |value, label: &str| Choice {
            value: ChoiceValue::Bool(value),
            label: label.to_owned(),
            in_formula: Vec::new(),
        };
        Self::Select(vec![choice(true, yes), choice(false, no)])
    }
}
