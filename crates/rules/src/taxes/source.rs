//! Confidence in figures, and taxes that could not be calculated.

use std::fmt;

use strum::{EnumString, IntoStaticStr, VariantArray};

use super::table::{Jurisdiction, Payer};
use crate::Named as _;
use crate::named::serde_by_name;

/// How far the figure of a row can be trusted.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, VariantArray, IntoStaticStr, EnumString,
)]
pub enum Confidence {
    /// Read on the authority's own page, or in its rule or code.
    #[strum(serialize = "primary")]
    Primary,
    /// Read in a notice or list published by others.
    #[strum(serialize = "secondary")]
    Secondary,
    /// General knowledge: counts only once confirmed.
    #[strum(serialize = "memory")]
    Memory,
    /// Read, but in doubt: counts only once confirmed.
    #[strum(serialize = "unconfirmed")]
    Unconfirmed,
}

serde_by_name!(Confidence);

impl Confidence {
    /// Whether the figure counts without being confirmed.
    pub fn is_enough(self) -> bool {
        self <= Self::Secondary
    }

    /// Reads the source and the confidence of a figure that counts as soon as it is in its table.
    ///
    /// # Errors
    /// For people: there is no source, or the figure is not trusted enough.
    pub fn of_figure(source: &str, confidence: &str) -> Result<Self, String> {
        if source.is_empty() {
            return Err("source is empty: name where the figure was read".to_owned());
        }
        let found = Self::parse(confidence).filter(|found| found.is_enough());
        found.ok_or_else(|| {
            format!(
                "confidence must be primary or secondary, because the figure counts as it stands, and is {confidence:?}"
            )
        })
    }
}

/// Who enters what a tax depends on, and with what. `Display` says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, VariantArray, IntoStaticStr, EnumString)]
pub enum EnteredBy {
    /// The employer, with the taxes of the company in the state.
    #[strum(serialize = "company_taxes")]
    CompanyTaxes,
    /// The employee, with the home address.
    #[strum(serialize = "home_address")]
    HomeAddress,
    /// The employer, with the location at which the employee works.
    #[strum(serialize = "location")]
    Location,
    /// The employee for the home, the employer for the location.
    #[strum(serialize = "address")]
    Address,
    /// The employee, with the state's questions on withholding.
    #[strum(serialize = "certificate")]
    Certificate,
    /// The operator of the service, with the tables.
    #[strum(serialize = "operator")]
    Operator,
}

impl fmt::Display for EnteredBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CompanyTaxes => "the employer enters it with the company's taxes of the state",
            Self::HomeAddress => "the employee answers it with the home address",
            Self::Location => "the employer answers it with the work location",
            Self::Address => "it is answered with the address, by the employee for the home and by the employer for a work location",
            Self::Certificate => "the employee answers it with the state's questions on withholding",
            Self::Operator => "the operator imports it",
        })
    }
}

/// A tax that is due by address, certificate or setting and could not be calculated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unworked {
    /// Code of the tax, such as `NY_NEW_YORK_CITY`; or the place, if no tax of it is known.
    pub code: String,
    /// Name, as a pay stub would print it.
    pub name: String,
    /// Who levies it.
    pub jurisdiction: Jurisdiction,
    /// Who would pay it.
    pub payer: Payer,
    /// Reason.
    pub why: Why,
}

/// Why a tax could not be calculated. `Display` says what information is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// The figure is from memory or in doubt, and not confirmed.
    Unconfirmed(Confidence),
    /// The figure is not known.
    Gap,
    /// An answer is missing; holds its name, who enters it, and the allowed values.
    Missing(&'static str, EnteredBy, Vec<String>),
    /// The row does not allow the setting.
    NotAllowed(&'static str),
    /// The employer settles it on its return, not with each payroll.
    SettledOnReturn,
    /// No row of the table is in force on the day.
    NoRow,
    /// The pay lacks the state's wages or tax.
    StateMissing,
    /// The figures are out of bounds.
    TooLarge,
}

impl Why {
    /// Who can enter what is missing; `None` if nobody has to enter anything.
    pub const fn entered_by(&self) -> Option<EnteredBy> {
        match self {
            Self::Missing(_, by, _) => Some(*by),
            Self::Gap | Self::NotAllowed(_) => Some(EnteredBy::CompanyTaxes),
            Self::Unconfirmed(_) | Self::NoRow => Some(EnteredBy::Operator),
            Self::SettledOnReturn | Self::StateMissing | Self::TooLarge => None,
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unconfirmed(confidence) => write!(
                f,
                "the figure is {}: compare it with the authority's notice and confirm it",
                match confidence {
                    Confidence::Memory => "not confirmed by a second source",
                    _ => "in doubt",
                }
            ),
            Self::Gap => write!(
                f,
                "the figure is not known: {}, as the authority's notice tells it",
                EnteredBy::CompanyTaxes
            ),
            Self::Missing(what, by, allowed) if allowed.is_empty() => write!(f, "{what} is missing: {by}"),
            Self::Missing(what, by, allowed) => {
                write!(f, "{what} is missing: {by}, as one of {}", allowed.join(", "))
            }
            Self::NotAllowed(what) => write!(f, "{what} is not possible for this tax: take the setting back"),
            Self::SettledOnReturn => f.write_str("the employer settles it on its return"),
            Self::NoRow => f.write_str("the tables hold no row for this place and day: import one"),
            Self::StateMissing => f.write_str("the state's wages or tax of the same pay are missing"),
            Self::TooLarge => f.write_str("the figures are beyond their bounds"),
        }
    }
}
