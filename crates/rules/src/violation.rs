//! Broken rules as data.
//!
//! A rule knows neither HTTP nor a language of errors; it says which attribute is at fault, what kind of
//! fault it is and what would be right. The edge of the service turns each [`Violation`] into one item of
//! its answer. [`Checks`] gathers the violations of one input, because whoever repairs a request wants to
//! hear of every fault at once and not of one per attempt.

use strum::{EnumString, IntoStaticStr, VariantArray};

use serde_json::Value;

/// One violation of a rule as plain data.
#[derive(Debug, Clone, PartialEq)]
pub struct Violation {
    /// The attribute at fault as the caller spells it, or `base` for the record as a whole.
    pub key: String,
    /// What kind of fault it is.
    pub category: Category,
    /// For people: what was wrong and what would be right. Never holds a secret value.
    pub message: String,
    /// Facts about the fault for programs, as a JSON object.
    pub metadata: Option<Value>,
    /// Deeper violations; only where the category is [`Category::NestedErrors`].
    pub errors: Vec<Violation>,
}

/// The kinds of fault, a closed set that clients know by its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Category {
    /// The value of an attribute is wrong, or blank where it must not be.
    #[strum(serialize = "invalid_attribute_value")]
    InvalidAttributeValue,
    /// A parameter that the call needs is absent.
    #[strum(serialize = "missing_parameter")]
    MissingParameter,
    /// A parameter is badly formed or not allowed here.
    #[strum(serialize = "invalid_parameter")]
    InvalidParameter,
    /// The action is not possible in the present state.
    #[strum(serialize = "invalid_operation")]
    InvalidOperation,
    /// The same thing exists already.
    #[strum(serialize = "duplicate_operation")]
    DuplicateOperation,
    /// A container: the faults are in [`Violation::errors`].
    #[strum(serialize = "nested_errors")]
    NestedErrors,
    /// Something must be settled before payroll can run; the metadata's `key` names it.
    #[strum(serialize = "payroll_blocker")]
    PayrollBlocker,
    /// Something stands in the way of a company's move to a partner's product; the metadata's `key` names it.
    #[strum(serialize = "migration_blocker")]
    MigrationBlocker,
    /// The record was changed since the version that the caller read.
    #[strum(serialize = "invalid_resource_version")]
    InvalidResourceVersion,
}

impl Violation {
    /// A violation without metadata and without deeper ones.
    pub fn new(key: impl Into<String>, category: Category, message: impl Into<String>) -> Self {
        Self { key: key.into(), category, message: message.into(), metadata: None, errors: Vec::new() }
    }

    /// The value of the attribute `key` is wrong or blank.
    pub fn invalid(key: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(key, Category::InvalidAttributeValue, message)
    }

    /// The parameter `key` is absent.
    pub fn missing(key: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(key, Category::MissingParameter, message)
    }

    /// The record as a whole is in a state in which the action is not possible.
    pub fn operation(message: impl Into<String>) -> Self {
        Self::new("base", Category::InvalidOperation, message)
    }

    /// The same violation with facts for programs; `metadata` is a JSON object.
    pub fn with_metadata(self, metadata: Value) -> Self {
        Self { metadata: Some(metadata), ..self }
    }

    /// Violations inside the part `key` of the input.
    pub fn nested(key: impl Into<String>, errors: Vec<Violation>) -> Self {
        let key = key.into();
        let message = format!("{key} is not valid; its own errors say why");
        Self { errors, ..Self::new(key, Category::NestedErrors, message) }
    }
}

/// Collects every violation of one input, so that a caller hears of all at once.
#[derive(Debug, Default)]
pub struct Checks {
    violations: Vec<Violation>,
}

impl Checks {
    /// Nothing broken so far.
    pub fn new() -> Self {
        Self::default()
    }

    /// Records one violation.
    pub fn push(&mut self, violation: Violation) {
        self.violations.push(violation);
    }

    /// Records several violations, in their order.
    pub fn extend(&mut self, violations: impl IntoIterator<Item = Violation>) {
        self.violations.extend(violations);
    }

    /// Records the violation unless the rule holds.
    pub fn require(&mut self, holds: bool, violation: impl FnOnce() -> Violation) {
        if !holds {
            self.push(violation());
        }
    }

    /// Keeps the value, or records the violation.
    pub fn take<T>(&mut self, result: Result<T, Violation>) -> Option<T> {
        result.map_err(|violation| self.push(violation)).ok()
    }

    /// Whether nothing is broken so far.
    pub fn is_empty(&self) -> bool {
        self.violations.is_empty()
    }

    /// Every violation in the order in which it was found, or `Ok` when there is none.
    ///
    /// # Errors
    /// The recorded violations.
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
        assert_eq!(checks.take(Ok(7)), Some(7));
        assert_eq!(checks.take::<i32>(Err(Violation::invalid("zip", "zip has five digits"))), None);
        checks.require(true, || Violation::operation("never asked for"));
        checks.require(false, || Violation::missing("version", "version is needed"));
        checks.extend([Violation::operation("the payroll is processed")]);
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
