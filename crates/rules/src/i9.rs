//! Form I-9, section 1: the employee's attestation of work authorization.
//!
//! There are four statuses. Citizens and noncitizen nationals need no document; lawful permanent residents
//! give their USCIS number; other noncitizens authorized to work give one of three numbers and, if it
//! expires, the expiration date of their authorization. Source: Form I-9, edition of August 1, 2023, section
//! 1 and instructions; 8 CFR 274a.2(b)(1)(i).

use jiff::civil::Date;
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::check;
use crate::violation::{Checks, Violation};

pub mod documents;

/// Maximum length of a passport number, in characters.
const PASSPORT: usize = 30;
/// Maximum length of a country name, in characters.
const COUNTRY: usize = 100;

/// Attested citizenship or immigration status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Status {
    /// A citizen of the United States.
    #[strum(serialize = "citizen")]
    Citizen,
    /// A noncitizen national of the United States.
    #[strum(serialize = "noncitizen")]
    Noncitizen,
    /// A lawful permanent resident.
    #[strum(serialize = "permanent_resident")]
    PermanentResident,
    /// A noncitizen authorized to work.
    #[strum(serialize = "alien")]
    Alien,
}

impl Status {
    /// Returns the display title.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Citizen => "A citizen of the United States",
            Self::Noncitizen => "A noncitizen national of the United States",
            Self::PermanentResident => "A lawful permanent resident",
            Self::Alien => "A noncitizen authorized to work",
        }
    }
}

/// Kind of document number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum DocumentType {
    /// USCIS number or A-Number
    #[strum(serialize = "uscis_alien_registration_number")]
    UscisNumber,
    /// Form I-94 admission number
    #[strum(serialize = "form_i94")]
    FormI94,
    /// Foreign passport number, with country of issuance.
    #[strum(serialize = "foreign_passport")]
    ForeignPassport,
}

impl DocumentType {
    /// Returns the display title.
    pub const fn title(self) -> &'static str {
        match self {
            Self::UscisNumber => "USCIS number or A-Number",
            Self::FormI94 => "Form I-94 admission number",
            Self::ForeignPassport => "Foreign passport number",
        }
    }
}

/// Section 1 of a Form I-9.
#[derive(Clone, PartialEq, Eq)]
pub struct Authorization {
    /// Attested status.
    pub status: Status,
    /// Kind of document number.
    pub document: Option<DocumentType>,
    /// Document number.
    pub number: Option<String>,
    /// Country of issuance of the passport.
    pub country: Option<String>,
    /// Expiration date of the work authorization, if any.
    pub expires: Option<Date>,
}

/// Redacts the document number.
impl std::fmt::Debug for Authorization {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Authorization(***)")
    }
}

impl Authorization {
    /// Normalizes and validates: drops what the status does not require and removes spaces from numbers.
    ///
    /// # Errors
    /// One violation per field that is missing or malformed. An expiration date must not be in the past, and
    /// only [`Status::Alien`] may have one. Messages never contain a document number.
    pub fn check_authorization(self, today: Date) -> Result<Self, Vec<Violation>> {
        let mut checks = Checks::new();
        let Self { status, document, number, country, expires } = self;
        if status != Status::Alien && expires.is_some() {
            let message = "expiration_date belongs only to the authorization_status alien";
            checks.push(Violation::invalid("expiration_date", message));
        }
        let document = match status {
            Status::Citizen | Status::Noncitizen => None,
            Status::PermanentResident => {
                checks.require(document.is_none_or(|d| d == DocumentType::UscisNumber), || {
                    let message =
                        "document_type must be uscis_alien_registration_number for a permanent_resident";
                    Violation::invalid("document_type", message)
                });
                Some(DocumentType::UscisNumber)
            }
            Status::Alien => {
                checks.require(document.is_some(), || blank_violation("document_type"));
                checks.require(expires.is_none_or(|day| day >= today), || {
                    Violation::invalid("expiration_date", "expiration_date must not be in the past")
                });
                document
            }
        };
        let number =
            document.and_then(|document| checks.take_value(document_number(document, number.as_deref())));
        let country = match document {
            Some(DocumentType::ForeignPassport) => checks.take_value(check::validate_text(
                "country",
                country.as_deref().unwrap_or_default(),
                COUNTRY,
            )),
            _ => None,
        };
        checks.finish()?;
        Ok(Self { status, document, number, country, expires })
    }
}

fn document_number(document: DocumentType, number: Option<&str>) -> Result<String, Violation> {
    const KEY: &str = "document_number";
    let compact: String = number.unwrap_or_default().chars().filter(|c| *c != ' ').collect();
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if compact.is_empty() {
        return Err(blank_violation(KEY));
    }
    match document {
        DocumentType::UscisNumber => {
            let bare = compact.strip_prefix(['A', 'a']).unwrap_or(&compact);
            if digits(bare) && (7..=9).contains(&bare.len()) {
                return Ok(compact.to_ascii_uppercase());
            }
            Err(Violation::invalid(
                KEY,
                "document_number must be a USCIS number of 7 to 9 digits, with or without A",
            ))
        }
        DocumentType::FormI94 => {
            let bytes = compact.as_bytes();
            let fine = bytes.len() == 11
                && bytes.iter().enumerate().all(|(place, byte)| match place {
                    9 => byte.is_ascii_alphanumeric(),
                    _ => byte.is_ascii_digit(),
                });
            if fine {
                return Ok(compact.to_ascii_uppercase());
            }
            let message =
                "document_number must be an I-94 admission number: 9 digits, a digit or letter, a digit";
            Err(Violation::invalid(KEY, message))
        }
        DocumentType::ForeignPassport => {
            if compact.len() <= PASSPORT && compact.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
                return Ok(compact.to_ascii_uppercase());
            }
            let message = "document_number must be a passport number of at most 30 letters and digits";
            Err(Violation::invalid(KEY, message))
        }
    }
}

fn blank_violation(key: &str) -> Violation {
    Violation::invalid(key, format!("{key} can't be blank"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    const TODAY: Date = date(2026, 6, 15);

    fn alien(document: DocumentType, number: &str) -> Authorization {
        let country = Some("Peru".to_owned());
        Authorization {
            status: Status::Alien,
            document: Some(document),
            number: Some(number.to_owned()),
            country,
            expires: None,
        }
    }

    fn keys(result: Result<Authorization, Vec<Violation>>) -> Vec<String> {
        result.unwrap_err().into_iter().map(|violation| violation.key).collect()
    }

    #[test]
    fn a_citizen_needs_no_document_and_none_is_kept() {
        let said = Authorization { status: Status::Citizen, ..alien(DocumentType::FormI94, "12345678901") };
        let kept = said.check_authorization(TODAY).unwrap();
        assert!(kept.document.is_none() && kept.number.is_none() && kept.country.is_none());
    }

    #[test]
    fn a_permanent_resident_gives_a_uscis_number() {
        let resident = |number: Option<&str>| Authorization {
            status: Status::PermanentResident,
            document: None,
            number: number.map(str::to_owned),
            country: None,
            expires: None,
        };
        for fine in ["1234567", "123456789", "A123456789", "a 123 456 789"] {
            let kept = resident(Some(fine)).check_authorization(TODAY).unwrap();
            assert_eq!(kept.document, Some(DocumentType::UscisNumber), "{fine}");
        }
        for wrong in [None, Some(""), Some("A"), Some("123456"), Some("1234567890"), Some("B1234567")] {
            assert_eq!(keys(resident(wrong).check_authorization(TODAY)), ["document_number"], "{wrong:?}");
        }
        let other = Authorization { document: Some(DocumentType::FormI94), ..resident(Some("1234567")) };
        assert_eq!(keys(other.check_authorization(TODAY)), ["document_type"]);
    }

    #[test]
    fn whoever_is_authorized_otherwise_gives_one_of_three_numbers() {
        for fine in [
            alien(DocumentType::UscisNumber, "A1234567"),
            alien(DocumentType::FormI94, "123456789A1"),
            alien(DocumentType::FormI94, "123456789 01"),
            alien(DocumentType::ForeignPassport, "X-123 456"),
        ] {
            assert!(fine.check_authorization(TODAY).is_ok());
        }
        let open = Authorization { document: None, number: None, ..alien(DocumentType::FormI94, "") };
        assert_eq!(keys(open.check_authorization(TODAY)), ["document_type"]);
        let nowhere = Authorization { country: None, ..alien(DocumentType::ForeignPassport, "") };
        assert_eq!(keys(nowhere.check_authorization(TODAY)), ["document_number", "country"]);
        for wrong in ["1234567890", "12345678A01", "123456789AA", "123456789é1"] {
            assert_eq!(
                keys(alien(DocumentType::FormI94, wrong).check_authorization(TODAY)),
                ["document_number"],
                "{wrong}"
            );
        }
    }

    #[test]
    fn an_authorization_that_is_over_is_none_and_only_the_last_status_has_an_end() {
        let until = |status, day| Authorization {
            status,
            expires: Some(day),
            ..alien(DocumentType::UscisNumber, "1234567")
        };
        assert!(until(Status::Alien, TODAY).check_authorization(TODAY).is_ok());
        assert_eq!(
            keys(until(Status::Alien, date(2026, 6, 14)).check_authorization(TODAY)),
            ["expiration_date"]
        );
        assert_eq!(
            keys(until(Status::PermanentResident, TODAY).check_authorization(TODAY)),
            ["expiration_date"]
        );
    }
}
