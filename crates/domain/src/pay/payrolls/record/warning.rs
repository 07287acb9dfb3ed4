//! A warning of a paycheck.

use std::collections::BTreeMap;

/// A condition in a paycheck that needs attention.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// a key for programs
    pub key: String,
    /// a sentence for people, in English
    pub message: String,
    /// name of the text in `warnings::texts`
    pub text: String,
    /// the values in the text, by name
    pub values: BTreeMap<String, String>,
}
