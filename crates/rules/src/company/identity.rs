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
    check::named(key, value, &FilingForm::names(), FilingForm::parse)
}

/// Validates the legal form; one of [`TAX_PAYER_TYPES`].
pub fn tax_payer_type(key: &str, value: &str) -> Result<&'static str, Violation> {
    check::one_of(key, value, &TAX_PAYER_TYPES)
}

/// Validates an employer identification number: nine digits, optionally with a dash after the second one,
/// beginning with a prefix that the IRS assigns. Returns the digits. Messages never contain the value.
/// Source: IRS, How EINs are assigned and valid EIN prefixes (01 to 06, 10 to 16, 20 to 27, 30 to 48, 50 to
/// 68, 71 to 77, 80 to 88, 90 to 95, 98, 99).
pub fn ein(key: &str, value: &str) -> Result<String, Violation> {
    let digits = match value.split_once('-') {
        Some((prefix, rest)) if prefix.len() == 2 => format!("{prefix}{rest}"),
        _ => value.to_owned(),
    };
    if digits.len() != 9 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Violation::invalid(key, format!("{key} must have nine digits, such as 123456789")));
    }
    let prefix = digits.bytes().take(2).fold(0, |number, digit| number * 10 + u32::from(digit - b'0'));
    let assigned = matches!(
        prefix,
        1..=6 | 10..=16 | 20..=27 | 30..=48 | 50..=68 | 71..=77 | 80..=88 | 90..=95 | 98 | 99
    );
    if assigned {
        return Ok(digits);
    }
    let message = format!(
        "{key} is not an employer identification number: the IRS assigns none with its first two digits"
    );
    Err(Violation::invalid(key, message))
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
    fn an_employer_identification_number_has_nine_digits_and_an_assigned_prefix() {
        assert_eq!(ein("ein", "741852096").as_deref(), Ok("741852096"));
        assert_eq!(ein("ein", "74-1852096").as_deref(), Ok("741852096"));
        for wrong in ["", "74185209", "7418520961", "741-852096", "7-41852096", "74-185209a", "７41852096"] {
            assert!(ein("ein", wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn eighty_three_prefixes_are_assigned() {
        let assigned = (0..100).filter(|prefix| ein("ein", &format!("{prefix:02}1234567")).is_ok()).count();
        assert_eq!(assigned, 6 + 7 + 8 + 19 + 19 + 7 + 9 + 6 + 2);
        for never in ["00", "07", "09", "17", "28", "49", "69", "70", "78", "79", "89", "96", "97"] {
            assert!(ein("ein", &format!("{never}1234567")).is_err(), "{never}");
        }
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
        fn a_refused_number_is_never_echoed(value in "(0[07-9]|49|97)[0-9]{7}|[0-9]{5,8}") {
            let shown = format!("{:?}", ein("ein", &value).unwrap_err());
            prop_assert!(!shown.contains(&value));
        }
    }
}
