//! Why a use case was refused or failed.
//!
//! Rules report [`Violation`]s; use cases add "not found" and "stale". The interface decides how each is represented on
//! the wire.

use std::borrow::Cow;
use std::fmt::Display;

use rules::{Category, Named, Violation};
use serde_json::{Map, Value};

/// Why a use case was refused or failed.
#[derive(Debug, Clone)]
pub enum Error {
    /// No such record in the caller's company, whether or not another company has it.
    NotFound,
    /// The result is no longer kept.
    Expired,
    /// Rules were broken.
    Violations(Vec<Violation>),
    /// A required value is missing, or refers to a record that does not exist, where the specification distinguishes
    /// this from broken rules.
    Malformed(Vec<Violation>),
    /// The record is final and cannot be changed.
    Settled(Violation),
    /// The record has changed since the version that was sent.
    Stale(Stale),
    /// The input cannot be read at all.
    Unreadable(String),
    /// The caller's token was revoked while the request was being processed.
    Withdrawn,
    /// The caller's token lacks this scope.
    MissingScope(&'static str),
    /// This node cannot do it at the moment, with the reason; another node, or this one later, can.
    NotNow(String),
    /// The store failed.
    Store(store::Error),
    /// An invariant does not hold, or an operation that cannot fail did; with what and why, for the log only.
    Internal(Cow<'static, str>),
}

impl Error {
    /// The error in one line, for the operator.
    pub fn to_line(&self) -> String {
        let messages =
            |wrong: &[Violation]| wrong.iter().map(|one| one.message.as_ref()).collect::<Vec<_>>().join("; ");
        match self {
            Self::NotFound => "there is no such record".to_owned(),
            Self::Expired => "it is no longer kept".to_owned(),
            Self::Violations(wrong) | Self::Malformed(wrong) => messages(wrong),
            Self::Settled(wrong) => messages(std::slice::from_ref(wrong)),
            Self::Stale(_) => "it has just been changed: try again".to_owned(),
            Self::Unreadable(why) | Self::NotNow(why) => why.clone(),
            Self::Withdrawn => "the token was withdrawn".to_owned(),
            Self::MissingScope(scope) => format!("the scope {scope} is missing"),
            Self::Store(error) => error.to_string(),
            Self::Internal(why) => why.to_string(),
        }
    }

    /// An invariant that does not hold, described without anyone's data.
    pub fn internal(what: impl Into<Cow<'static, str>>) -> Self {
        Self::Internal(what.into())
    }

    /// An operation that cannot fail did: what was done, and the reason given.
    pub fn failed_operation<E: Display>(what: &'static str) -> impl FnOnce(E) -> Self {
        move |error| Self::Internal(Cow::Owned(format!("{what}: {error}")))
    }
}

/// What a caller needs to repeat an update that was based on an old version.
#[derive(Debug, Clone)]
pub struct Stale {
    /// the version to send
    pub current: String,
    /// fields whose stored value differs from the one that was sent
    pub differing: Vec<&'static str>,
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        match error {
            store::Error::TooMany { most } => Self::from(Violation::invalid_operation(format!(
                "There are more than {most} records to be looked at together, and a part of them would give a wrong result; \
                 nothing was changed."
            ))),
            error => Self::Store(error),
        }
    }
}

impl store::MaybeStore for Error {
    fn in_store(&self) -> Option<&store::Error> {
        if let Self::Store(error) = self { Some(error) } else { None }
    }
}

impl From<Vec<Violation>> for Error {
    fn from(violations: Vec<Violation>) -> Self {
        Self::Violations(violations)
    }
}

impl From<Violation> for Error {
    fn from(violation: Violation) -> Self {
        Self::Violations(vec![violation])
    }
}

/// Violations as they are stored with a record: the items of the `errors` of a response.
pub fn violations_json(violations: &[Violation]) -> Value {
    violations.iter().map(violation_json).collect()
}

fn violation_json(violation: &Violation) -> Value {
    let mut item = Map::new();
    item.insert("error_key".to_owned(), (*violation.key).into());
    item.insert("category".to_owned(), violation.category.as_str().into());
    item.insert("message".to_owned(), (*violation.message).into());
    let metadata = violation.metadata.as_ref().and_then(Value::as_object);
    if let Some(metadata) = metadata.filter(|metadata| !metadata.is_empty()) {
        item.insert("metadata".to_owned(), metadata.clone().into());
    }
    if violation.category == Category::NestedErrors {
        item.insert("errors".to_owned(), violations_json(&violation.errors));
    }
    item.into()
}
