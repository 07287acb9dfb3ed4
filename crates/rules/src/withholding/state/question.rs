//! Questions of state certificates.

use strum::IntoStaticStr;

use super::Answer;

/// Default maximum of counts.
pub(super) const MAX_COUNT: i32 = 99;

/// A question to the employee or the employer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Key, unique within the state.
    pub key: String,
    /// Label.
    pub label: String,
    /// Help text.
    pub help: Option<String>,
    /// Type of the answer.
    pub kind: Kind,
    /// Default, displayed until there is an answer.
    pub default: Option<Answer>,
    /// Whether the employer answers.
    pub admin_only: bool,
    /// Whether it concerns few: without an answer, what counts is right for most, and onboarding goes on.
    pub optional: bool,
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

impl Kind {
    /// Returns the wire name.
    pub fn as_str(&self) -> &'static str {
        self.into()
    }

    /// Returns the choices yes and no.
    pub fn yes_or_no() -> Self {
        let choice = |value, label: &str| Choice { value: ChoiceValue::Bool(value), label: label.to_owned() };
        Self::Select(vec![choice(true, "Yes"), choice(false, "No")])
    }
}
