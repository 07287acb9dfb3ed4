//! Legal form, EIN, NAICS and SIC codes of a company.

use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::Named;
use crate::check;
use crate::violation::Violation;

/// Legal forms, by wire name.
pub const TAX_PAYER_TYPES: [&str; 12] = [
    "C-Corporation",
    "S-Corporation",
    "Sole proprietor",
    "LLC",
    "LLP",
    "Limited partnership",
    "Co-ownership",
    "Association",
    "Trusteeship",
    "General partnership",
    "Joint venture",
    "Non-Profit",
];

/// Status of a company.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, VariantArray, IntoStaticStr, EnumString)]
pub enum Status {
    /// Allowed to run payroll.
    Approved,
    /// Not approved yet.
    #[strum(serialize = "Not Approved")]
    NotApproved,
    /// Not allowed to run payroll until it is reinstated.
    Suspended,
}

/// Federal payroll tax return of a company.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, VariantArray, IntoStaticStr, EnumString)]
pub enum FilingForm {
    /// Form 941, quarterly.
    #[strum(serialize = "941")]
    Quarterly,
    /// Form 944, annual; only for companies notified by the IRS.
    #[strum(serialize = "944")]
    Annual,
}

/// Validates the federal payroll tax return, 941 or 944.
pub fn filing_form(key: &str, value: &str) -> Result<FilingForm, Violation> {
    check::parse_named(key, value, &FilingForm::names(), FilingForm::parse)
}

/// The legal form of an employer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LegalForm {
    /// One of [`TAX_PAYER_TYPES`]; `None` if unknown.
    pub tax_payer_type: Option<String>,
    /// Whether it is taxed as an S corporation.
    pub taxable_as_scorp: bool,
}

impl LegalForm {
    /// Returns the display name.
    pub fn name(&self) -> &str {
        match &self.tax_payer_type {
            _ if self.taxable_as_scorp => "S-Corporation",
            Some(kind) => kind,
            None => "company whose legal form is not known",
        }
    }

    /// Whether the employer is taxed as an S corporation, or its legal form is not known. 26 USC 1372 applies only to benefits of
    /// an S corporation's shareholders.
    pub fn may_be_s_corporation(&self) -> bool {
        self.taxable_as_scorp || self.tax_payer_type.as_deref().is_none_or(|kind| kind == "S-Corporation")
    }

    /// Whether the employer is a section 501(c)(3) organization. Other nonprofit organizations, such as those of section 501(c)(4)
    /// or (6), owe the same as other employers, and have another legal form here, such as `Association`.
    pub fn is_charitable(&self) -> bool {
        self.tax_payer_type.as_deref() == Some("Non-Profit")
    }
}

/// Validates the legal form; one of [`TAX_PAYER_TYPES`].
pub fn tax_payer_type(key: &str, value: &str) -> Result<&'static str, Violation> {
    check::one_of(key, value, &TAX_PAYER_TYPES)
}

/// Validates an employer identification number: nine digits, optionally with a dash after the second one. Returns the
/// digits. Messages never contain the value. Prefixes are not checked: the IRS assigns new ones.
pub fn parse_ein(key: &str, value: &str) -> Result<String, Violation> {
    let digits = match value.split_once('-') {
        Some((prefix, rest)) if prefix.len() == 2 => format!("{prefix}{rest}"),
        _ => value.to_owned(),
    };
    if digits.len() != 9 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Violation::invalid(key, format!("{key} must have nine digits, such as 123456789")));
    }
    Ok(digits)
}

/// Validates a NAICS code: six digits, of which the first two are a sector. Source: U.S. Census Bureau, 2022
/// NAICS structure. Whether the industry exists is not checked.
pub fn naics_code(key: &str, value: &str) -> Result<String, Violation> {
    let digits = value.len() == 6 && value.bytes().all(|byte| byte.is_ascii_digit());
    let sector = value.get(..2).and_then(|sector| sector.parse::<u32>().ok());
    let known = matches!(
        sector,
        Some(11 | 21..=23 | 31..=33 | 42 | 44 | 45 | 48 | 49 | 51..=56 | 61 | 62 | 71 | 72 | 81 | 92)
    );
    if digits && known {
        return Ok(value.to_owned());
    }
    let message = format!(
        "{key} must be the six digits of an industry in the North American Industry Classification System, such as 722511"
    );
    Err(Violation::invalid(key, message))
}

/// Validates a Standard Industrial Classification (SIC) code: four digits.
pub fn sic_code(key: &str, value: &str) -> Result<String, Violation> {
    if value.len() == 4 && value.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(value.to_owned());
    }
    Err(Violation::invalid(key, format!("{key} must hold codes of four digits, such as 5812")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_employer_identification_number_has_nine_digits() {
        assert_eq!(parse_ein("ein", "741852096").as_deref(), Ok("741852096"));
        assert_eq!(parse_ein("ein", "74-1852096").as_deref(), Ok("741852096"));
        for wrong in ["", "74185209", "7418520961", "741-852096", "7-41852096", "74-185209a", "７41852096"] {
            assert!(parse_ein("ein", wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn no_prefix_of_an_identification_number_is_refused() {
        assert!((0..100).all(|prefix| parse_ein("ein", &format!("{prefix:02}1234567")).is_ok()));
    }

    #[test]
    fn an_industry_lies_in_a_sector() {
        for fine in ["722511", "451211", "111110", "928120"] {
            assert_eq!(naics_code("naics_code", fine).as_deref(), Ok(fine));
        }
        for wrong in ["", "72251", "7225111", "722-11", "001234", "991234", "７22511"] {
            assert!(naics_code("naics_code", wrong).is_err(), "{wrong}");
        }
        assert!(sic_code("sic_codes", "5812").is_ok());
        assert!(sic_code("sic_codes", "581").is_err());
    }

    #[test]
    fn payroll_taxes_are_reported_each_quarter_or_each_year() {
        for form in [FilingForm::Quarterly, FilingForm::Annual] {
            assert_eq!(filing_form("filing_form", form.as_str()), Ok(form));
        }
        let refused = filing_form("filing_form", "940").unwrap_err();
        assert_eq!(refused.message, "filing_form must be one of: 941, 944");
        assert_eq!(tax_payer_type("tax_payer_type", "LLC"), Ok("LLC"));
        assert!(tax_payer_type("tax_payer_type", "llc").is_err());
    }

    proptest! {
        #[test]
        fn a_refused_number_is_never_echoed(value in "[0-9]{5,8}|[0-9]{10,14}") {
            let shown = format!("{:?}", parse_ein("ein", &value).unwrap_err());
            prop_assert!(!shown.contains(&value));
        }
    }
}
