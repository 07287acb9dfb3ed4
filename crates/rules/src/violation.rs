//! Violations of rules, as data.
//!
//! Rules know neither HTTP nor the format of error responses: a [`Violation`] names the attribute, the kind
//! of error and what would be valid, and the server maps it to an item of an error response. [`Checks`]
//! collects all violations of one input, so that callers see every error at once.

use strum::{EnumString, IntoStaticStr, VariantArray};

use serde_json::Value;

/// A violation of a rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Violation {
    /// The attribute, as spelled by the caller, or `base` for the record as a whole.
    pub key: String,
    /// The kind of error.
    pub category: Category,
    /// Human-readable: what was wrong and what would be valid. Never contains secrets.
    pub message: String,
    /// Machine-readable details, as a JSON object.
    pub metadata: Option<Value>,
    /// Nested violations; only with [`Category::NestedErrors`].
    pub errors: Vec<Violation>,
}

/// Kinds of error. Clients rely on the names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Category {
    /// The value of an attribute is invalid, or blank although required.
    #[strum(serialize = "invalid_attribute_value")]
    InvalidAttributeValue,
    /// A required parameter is missing.
    #[strum(serialize = "missing_parameter")]
    MissingParameter,
    /// A parameter is malformed or not allowed here.
    #[strum(serialize = "invalid_parameter")]
    InvalidParameter,
    /// The operation is not possible in the current state.
    #[strum(serialize = "invalid_operation")]
    InvalidOperation,
    /// The resource already exists.
    #[strum(serialize = "duplicate_operation")]
    DuplicateOperation,
    /// Container for the errors in [`Violation::errors`].
    #[strum(serialize = "nested_errors")]
    NestedErrors,
    /// Blocks payroll; the metadata's `key` identifies the blocker.
    #[strum(serialize = "payroll_blocker")]
    PayrollBlocker,
    /// Blocks the migration of a company to a partner; the metadata's `key` identifies the blocker.
    #[strum(serialize = "migration_blocker")]
    MigrationBlocker,
    /// The record has changed since the version the caller read.
    #[strum(serialize = "invalid_resource_version")]
    InvalidResourceVersion,
}

impl Violation {
    /// Creates a violation without metadata or nested errors.
    pub fn new(key: impl Into<String>, category: Category, message: impl Into<String>) -> Self {
        Self { key: key.into(), category, message: message.into(), metadata: None, errors: Vec::new() }
    }

    /// Creates a violation for an invalid or blank value of attribute `key`.
    pub fn invalid(key: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(key, Category::InvalidAttributeValue, message)
    }

    /// Creates a violation for the missing parameter `key`.
    pub fn missing(key: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(key, Category::MissingParameter, message)
    }

    /// Creates a violation for an operation that is not possible in the current state of the record.
    pub fn invalid_operation(message: impl Into<String>) -> Self {
        Self::new("base", Category::InvalidOperation, message)
    }

    /// Adds metadata, a JSON object.
    pub fn with_metadata(self, metadata: Value) -> Self {
        Self { metadata: Some(metadata), ..self }
    }

    /// Wraps the violations of part `key` of the input.
    pub fn nested(key: impl Into<String>, errors: Vec<Violation>) -> Self {
        let key = key.into();
        let message = format!("{key} is not valid; see its nested errors");
        Self { errors, ..Self::new(key, Category::NestedErrors, message) }
    }
}

/// Collects the violations of one input.
#[derive(Debug, Default)]
pub struct Checks {
    violations: Vec<Violation>,
}

impl Checks {
    /// Creates an empty collection.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a violation.
    pub fn push(&mut self, violation: Violation) {
        self.violations.push(violation);
    }

    /// Adds several violations.
    pub fn extend(&mut self, violations: impl IntoIterator<Item = Violation>) {
        self.violations.extend(violations);
    }

    /// Adds a violation unless `holds`.
    pub fn require(&mut self, holds: bool, violation: impl FnOnce() -> Violation) {
        if !holds {
            self.push(violation());
        }
    }

    /// Returns the value, or adds the violation.
    pub fn take_value<T>(&mut self, result: Result<T, Violation>) -> Option<T> {
        result.map_err(|violation| self.push(violation)).ok()
    }

    /// Whether there are no violations so far.
    pub fn is_empty(&self) -> bool {
        self.violations.is_empty()
    }

    /// Returns all violations in order, or `Ok` if there are none.
    pub fn finish(self) -> Result<(), Vec<Violation>> {
        if self.violations.is_empty() { Ok(()) } else { Err(self.violations) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Named;
    use serde_json::json;

    #[test]
    fn a_caller_hears_of_every_violation_in_the_order_of_the_input() {
        let mut checks = Checks::new();
        assert!(checks.is_empty());
        assert_eq!(checks.take_value(Ok(7)), Some(7));
        assert_eq!(checks.take_value::<i32>(Err(Violation::invalid("zip", "zip has five digits"))), None);
        checks.require(true, || Violation::invalid_operation("never asked for"));
        checks.require(false, || Violation::missing("version", "version is needed"));
        checks.extend([Violation::invalid_operation("the payroll is processed")]);
        assert!(!checks.is_empty());
        let found: Vec<_> =
            checks.finish().unwrap_err().into_iter().map(|v| (v.key, v.category.as_str())).collect();
        let expected = [
            ("zip".to_owned(), "invalid_attribute_value"),
            ("version".to_owned(), "missing_parameter"),
            ("base".to_owned(), "invalid_operation"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn an_input_without_violations_passes() {
        assert_eq!(Checks::new().finish(), Ok(()));
    }

    #[test]
    fn deeper_violations_stay_under_their_container() {
        let inner = Violation::invalid("state", "state is not known").with_metadata(json!({"key": "state"}));
        let outer = Violation::nested("child_support", vec![inner.clone()]);
        assert_eq!(outer.category.as_str(), "nested_errors");
        assert_eq!(outer.errors, [inner]);
        assert_eq!(outer.errors[0].metadata, Some(json!({"key": "state"})));
    }
}
