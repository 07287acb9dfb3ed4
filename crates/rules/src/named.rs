//! Closed sets: enums whose variants are known by name, in requests and responses, in tables and in storage.
//!
//! An enum derives [`strum::VariantArray`], [`strum::IntoStaticStr`] and [`strum::EnumString`] and gives each variant
//! its name with `#[strum(serialize = "…")]`; [`Named`] follows.

use std::str::FromStr;

use strum::VariantArray;

/// An enum whose variants have unique names.
pub trait Named: Copy + Sized + 'static {
    /// Every variant, in the order of declaration.
    const ALL: &'static [Self];

    /// The name of the variant.
    fn as_str(self) -> &'static str;

    /// The variant of exactly this name.
    fn parse(text: &str) -> Option<Self>;

    /// The names of all variants, in the order of declaration.
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
}
