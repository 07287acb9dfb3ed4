//! Closed sets: enums whose variants are identified by name in requests, responses, tables and storage.
//!
//! An enum derives [`strum::VariantArray`], [`strum::IntoStaticStr`] and [`strum::EnumString`] and names each variant
//! with `#[strum(serialize = "…")]`; it then implements [`Named`]. Enums that are stored or sent also serialize by
//! name, through `serde_by_name!`.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::{Error, Visitor};
use strum::VariantArray;

/// An enum whose variants have unique names.
pub trait Named: Copy + Sized + 'static {
    /// All variants, in declaration order.
    const ALL: &'static [Self];

    /// Returns the name of the variant.
    fn as_str(self) -> &'static str;

    /// Returns the variant with exactly this name.
    fn parse(text: &str) -> Option<Self>;

    /// Returns the names of all variants, in declaration order.
    fn names() -> Vec<&'static str> {
        Self::ALL.iter().map(|variant| variant.as_str()).collect()
    }
}

impl<T: VariantArray + Into<&'static str> + FromStr + Copy> Named for T {
    const ALL: &'static [Self] = T::VARIANTS;

    fn as_str(self) -> &'static str {
        self.into()
    }

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

/// Implements `Serialize` and `Deserialize` for [`Named`] enums: by name, never by position.
macro_rules! serde_by_name {
    ($($type:ty),+ $(,)?) => {$(
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str($crate::Named::as_str(*self))
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str($crate::named::ByName::new(stringify!($type)))
            }
        }
    )+};
}
pub(crate) use serde_by_name;

/// Deserializes a variant of `T` from its name.
pub(crate) struct ByName<T> {
    type_name: &'static str,
    variant: PhantomData<T>,
}

impl<T> ByName<T> {
    pub(crate) fn new(type_name: &'static str) -> Self {
        Self { type_name, variant: PhantomData }
    }
}

impl<T: Named> Visitor<'_> for ByName<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the name of a {}", self.type_name)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        T::parse(text).ok_or_else(|| E::custom(format_args!("unknown {}: {text:?}", self.type_name)))
    }
}

#[cfg(test)]
mod tests {
    use super::Named;
    use crate::company::identity::FilingForm;
    use crate::withholding::federal::FilingStatus;

    #[test]
    fn variants_are_known_by_name() {
        assert_eq!(FilingForm::names(), ["941", "944"]);
        for &status in FilingStatus::ALL {
            assert_eq!(FilingStatus::parse(status.as_str()), Some(status));
        }
        assert_eq!(FilingStatus::parse("single"), None);
        assert_eq!(FilingStatus::parse("Single "), None);
    }

    #[test]
    fn variants_are_serialized_by_name() {
        let text = serde_json::to_string(&FilingStatus::HeadOfHousehold).unwrap();
        assert_eq!(text, r#""Head of Household""#);
        assert_eq!(serde_json::from_str::<FilingStatus>(&text).unwrap(), FilingStatus::HeadOfHousehold);
        let error = serde_json::from_str::<FilingStatus>(r#""Widowed""#).unwrap_err().to_string();
        assert!(error.starts_with(r#"unknown FilingStatus: "Widowed""#), "{error}");
        let error = serde_json::from_str::<FilingStatus>("0").unwrap_err().to_string();
        assert!(error.contains("expected the name of a FilingStatus"), "{error}");
    }
}
