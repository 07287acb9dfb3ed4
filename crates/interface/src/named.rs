//! Closed sets on the wire: an enum of the rules or of the domain, written as its name and described with all its values.

use std::borrow::Cow;
use std::fmt;

use rules::Named;
use serde::{Serialize, Serializer};
use utoipa::__dev::ComposeSchema;
use utoipa::ToSchema;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};

/// One of the values of a closed set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Enum<T>(pub T);

impl<T> From<T> for Enum<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

impl<T: Named> fmt::Display for Enum<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str())
    }
}

impl<T: Named> Serialize for Enum<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.as_str())
    }
}

/// The schema of a text that is one of the names of `T`.
pub fn schema_of<T: Named>() -> Schema {
    schema_of_some(T::ALL)
}

/// The schema of a text that is the name of one of these values.
pub fn schema_of_some<T: Named>(values: &[T]) -> Schema {
    schema_of_names(&values.iter().map(|value| value.as_str()).collect::<Vec<_>>())
}

/// The schema of a text that is one of these names.
pub fn schema_of_names(names: &[&'static str]) -> Schema {
    let names = names.iter().copied();
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names)).into()
}

impl<T: Named> ComposeSchema for Enum<T> {
    fn compose(_: Vec<RefOr<Schema>>) -> RefOr<Schema> {
        schema_of::<T>().into()
    }
}

impl<T: Named> ToSchema for Enum<T> {
    fn name() -> Cow<'static, str> {
        Cow::Owned(format!("{IN_PLACE}{}", std::any::type_name::<T>().replace("::", "_")))
    }
}

/// How the derived description calls a schema that is published where it is used, not under a name of its own.
pub const IN_PLACE: &str = "Enum_";

/// Declares text that is one of several words: in responses, words that no enum has; in bodies, words that a use case
/// looks up. A body's field has it as its type (`Field<TimeOffName>`); a response's field refers to it with
/// `value_type`.
///
/// ```text
/// words! {
///     /// Hours paid without work.
///     TimeOffName = entered::TIME_OFF;
/// }
/// ```
#[macro_export]
macro_rules! words {
    ($($(#[$about:meta])* $name:ident = $names:expr;)+) => {$(
        $crate::text!($(#[$about])* $name = $crate::named::schema_of_names(&$names));
    )+};
}

/// Declares text in a body with its own description.
#[macro_export]
macro_rules! text {
    ($($(#[$about:meta])* $name:ident = $schema:expr);+ $(;)?) => {$(
        $(#[$about])*
        #[derive(Debug)]
        pub enum $name {}

        impl $crate::field::Wire for $name {
            type Value = String;
            const EXPECTED: &'static str = "text";
            fn from_json(value: serde_json::Value) -> Option<String> {
                if let serde_json::Value::String(text) = value { Some(text) } else { None }
            }
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                $schema.into()
            }
        }

        impl utoipa::__dev::ComposeSchema for $name {
            fn compose(
                _: Vec<utoipa::openapi::RefOr<utoipa::openapi::Schema>>,
            ) -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                <Self as $crate::field::Wire>::schema()
            }
        }

        impl utoipa::ToSchema for $name {
            fn name() -> std::borrow::Cow<'static, str> {
                std::borrow::Cow::Borrowed(concat!("Enum_", stringify!($name)))
            }
        }
    )+};
}

/// Declares a closed set that only the interface knows, such as what a response may include.
///
/// ```text
/// names! {
///     /// What an answer with jobs may include.
///     JobInclude { AllCompensations = "all_compensations" }
/// }
/// ```
#[macro_export]
macro_rules! names {
    ($($(#[$about:meta])* $name:ident { $($variant:ident = $text:literal),+ $(,)? })+) => {$(
        $(#[$about])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, strum::VariantArray, strum::IntoStaticStr, strum::EnumString,
        )]
        #[allow(missing_docs, reason = "each is described by its name")]
        pub enum $name {
            $(#[strum(serialize = $text)] $variant,)+
        }
    )+};
}
