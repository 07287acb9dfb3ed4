//! A question and the form of its answer.

use strum::IntoStaticStr;

use super::Answer;

/// The most that a question asking "how many" takes, where the data name no smaller number.
pub(super) const MAX_COUNT: i32 = 99;

/// One question to the employee or the employer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The name of the question within its state.
    pub key: String,
    /// What people read.
    pub label: String,
    /// A sentence of help.
    pub help: Option<String>,
    /// The form of the answer.
    pub kind: Kind,
    /// What is shown as long as there is no answer.
    pub default: Option<Answer>,
    /// Whether it is the employer who answers.
    pub admin_only: bool,
}

/// The form of an answer.
#[derive(Debug, Clone, PartialEq, Eq, IntoStaticStr)]
pub enum Kind {
    /// One of a list.
    Select(Vec<Choice>),
    /// A number.
    Number(NumberOf),
    /// Dollars in whole cents, not negative.
    Currency,
    /// One line of text.
    Text,
    /// A day.
    Date,
}

/// What a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberOf {
    /// Allowances, dependents and the like: a whole number.
    Things {
        /// The most that can be answered.
        max: i32,
    },
    /// Percent, such as 3.2: from 0 to 100.
    Percent,
}

/// One answer that a [`Kind::Select`] allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// What is sent and kept.
    pub value: ChoiceValue,
    /// What people read.
    pub label: String,
}

/// The value of a [`Choice`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChoiceValue {
    /// A word.
    Text(String),
    /// Yes or no.
    Bool(bool),
    /// A whole number.
    Int(i32),
}

impl Kind {
    /// The text that stands in answers of the interface.
    pub fn as_str(&self) -> &'static str {
        self.into()
    }

    /// The choice between yes and no.
    pub fn yes_or_no() -> Self {
        let choice = |value, label: &str| Choice { value: ChoiceValue::Bool(value), label: label.to_owned() };
        Self::Select(vec![choice(true, "Yes"), choice(false, "No")])
    }
}
