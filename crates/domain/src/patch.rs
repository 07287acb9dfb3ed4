//! One field of a command: left out, cleared, a value, or a value of the wrong type.
//!
//! An update must distinguish absent from null, and a field of the wrong type must not hide the other errors of a command. So commands
//! consist of [`Patch`]es, which use cases check field by field with the functions of `rules::check`, collecting every violation in one
//! [`Checks`].

use std::borrow::Cow;

use jiff::civil::Date;
use rules::{Amount, Checks, Named, Violation, check};

/// One field of a command.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// left out: an update keeps what is stored
    #[default]
    Absent,
    /// null: an update clears what is stored
    Null,
    /// a value
    Value(T),
    /// a value of another type; contains what the field must be, as in "must be true or false"
    Invalid(Cow<'static, str>),
}

// Values may be secrets, such as account numbers or passwords, so only their presence is shown.
impl<T> std::fmt::Debug for Patch<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Absent => f.write_str("Absent"),
            Self::Null => f.write_str("Null"),
            Self::Value(_) => f.write_str("Value(***)"),
            Self::Invalid(expected) => write!(f, "Invalid({expected:?})"),
        }
    }
}

impl<T> Patch<T> {
    /// The checked value of a required field.
    pub fn required<R>(
        &self,
        key: &str,
        checks: &mut Checks,
        check: impl FnOnce(&str, &T) -> Result<R, Violation>,
    ) -> Option<R> {
        match self {
            Self::Absent | Self::Null => {
                checks.push(Violation::invalid(key, format!("{key} can't be blank")));
                None
            }
            _ => self.optional(key, checks, check),
        }
    }

    /// The checked value of a required field; an absent one is reported as a missing parameter, not as blank.
    pub fn required_or_missing<R>(
        &self,
        key: &str,
        checks: &mut Checks,
        check: impl FnOnce(&str, &T) -> Result<R, Violation>,
    ) -> Option<R> {
        if let Self::Absent = self {
            checks.push(Violation::missing(key, format!("{key} is needed")));
            return None;
        }
        self.required(key, checks, check)
    }

    /// The checked value of a field that may be absent or null.
    pub fn optional<R>(
        &self,
        key: &str,
        checks: &mut Checks,
        check: impl FnOnce(&str, &T) -> Result<R, Violation>,
    ) -> Option<R> {
        match self {
            Self::Absent | Self::Null => None,
            Self::Value(value) => checks.take_value(check(key, value)),
            Self::Invalid(expected) => {
                checks.push(Violation::invalid(key, format!("{key} must be {expected}")));
                None
            }
        }
    }

    /// Sets `target` if a value was sent. Null leaves it as it is: the field cannot be empty, and generated clients send null for fields
    /// that they do not change.
    pub fn update<R>(
        &self,
        key: &str,
        checks: &mut Checks,
        check: impl FnOnce(&str, &T) -> Result<R, Violation>,
        target: &mut R,
    ) {
        if !matches!(self, Self::Absent | Self::Null)
            && let Some(value) = self.required(key, checks, check)
        {
            *target = value;
        }
    }

    /// Sets `target` if a value was sent; null clears it.
    pub fn update_or_clear<R>(
        &self,
        key: &str,
        checks: &mut Checks,
        check: impl FnOnce(&str, &T) -> Result<Option<R>, Violation>,
        target: &mut Option<R>,
    ) {
        match self {
            Self::Absent => {}
            Self::Null => *target = None,
            _ => {
                if let Some(value) = self.optional(key, checks, check) {
                    *target = value;
                }
            }
        }
    }

    /// Whether it was left out or null.
    pub fn is_blank(&self) -> bool {
        matches!(self, Self::Absent | Self::Null)
    }

    /// The value that was read, or what the field must be.
    pub fn read(read: Result<T, impl Into<Cow<'static, str>>>) -> Self {
        read.map_or_else(|expected| Self::Invalid(expected.into()), Self::Value)
    }

    /// The value, if one of the right type was sent.
    pub fn value(&self) -> Option<&T> {
        if let Self::Value(value) = self { Some(value) } else { None }
    }
}

impl Patch<String> {
    /// The day that the text writes.
    pub fn date(&self) -> Patch<Date> {
        self.read_as(check::read_date)
    }

    /// The member of a closed set that the text names.
    pub fn named<T: Named>(&self) -> Patch<T> {
        self.read_as(check::read_name)
    }

    fn read_as<T>(&self, read: impl FnOnce(&str) -> Result<T, String>) -> Patch<T> {
        match self {
            Self::Absent => Patch::Absent,
            Self::Null => Patch::Null,
            Self::Value(text) => Patch::read(read(text)),
            Self::Invalid(expected) => Patch::Invalid(expected.clone()),
        }
    }
}

/// Refuses null for a required field of a new record.
pub fn refuse_null<T>(key: &str, field: &Patch<T>, checks: &mut Checks) {
    checks
        .require(!matches!(field, Patch::Null), || Violation::invalid(key, format!("{key} can't be blank")));
}

/// The check of a field that needs none beyond its type.
///
/// # Errors
/// None.
pub fn as_is<T: Copy>(_: &str, value: &T) -> Result<T, Violation> {
    Ok(*value)
}

/// The check of a field that can be cleared, and needs none beyond its type.
///
/// # Errors
/// None.
pub fn some<T: Copy>(_: &str, value: &T) -> Result<Option<T>, Violation> {
    Ok(Some(*value))
}

/// Dollars from nothing up, to the cent.
///
/// # Errors
/// A violation that names the range.
pub fn check_dollars(key: &str, amount: &Amount) -> Result<Amount, Violation> {
    check::validate_dollars(key, *amount, check::UP_TO_MAX)
}

/// The items of an optional list. Empty, with a violation, if longer than `most`.
pub fn check_items<'l, T>(key: &str, field: &'l Patch<Vec<T>>, most: usize, checks: &mut Checks) -> &'l [T] {
    let short = |key: &str, items: &Vec<T>| {
        if items.len() <= most {
            return Ok(());
        }
        Err(Violation::invalid(key, format!("{key} must have at most {most} items")))
    };
    match field.optional(key, checks, short) {
        Some(()) => field.value().map_or(&[], Vec::as_slice),
        None => &[],
    }
}

/// The version that an update must send.
pub fn check_version(field: &Patch<String>, checks: &mut Checks) -> Option<String> {
    match field {
        Patch::Absent | Patch::Null => {
            let message = "version is needed: send the version of the record as you last read it";
            checks.push(Violation::missing("version", message));
            None
        }
        _ => field.optional("version", checks, |_, version| Ok(version.clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_of_a_command_is_reported_at_once() {
        let (name, amount): (Patch<String>, Patch<i64>) =
            (Patch::Absent, Patch::Invalid("a whole number".into()));
        let mut checks = Checks::new();
        name.required("name", &mut checks, |_, name| Ok(name.clone()));
        amount.required("amount", &mut checks, as_is);
        let violations = checks.finish().unwrap_err();
        assert_eq!(violations.len(), 2);
        assert_eq!(violations[1].message, "amount must be a whole number");
    }

    #[test]
    fn null_clears_and_absent_keeps() {
        let mut checks = Checks::new();
        let (mut kept, mut cleared) = (Some(1), Some(1));
        Patch::<i64>::Absent.update_or_clear("n", &mut checks, |_, n| Ok(Some(*n)), &mut kept);
        Patch::<i64>::Null.update_or_clear("n", &mut checks, |_, n| Ok(Some(*n)), &mut cleared);
        assert_eq!((kept, cleared), (Some(1), None));
        let mut never_empty = 1;
        Patch::Null.update("n", &mut checks, |_, n: &i64| Ok(*n), &mut never_empty);
        assert_eq!(never_empty, 1, "a field that cannot be empty keeps its value");
        assert!(checks.finish().is_ok());
    }
}
