//! Remittance of child support to the agency.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::amount::Amount;

/// Who remits to the agency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Remittance {
    /// The service, debiting the company.
    Automatic,
    /// The employer, with the reason.
    Manual(ManualReason),
}

/// Why the employer has to remit.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum ManualReason {
    /// The agency does not accept electronic payments.
    #[strum(serialize = "agency_takes_no_electronic_payments")]
    Agency,
    /// The operator has no bank that takes files.
    #[strum(serialize = "no_bank")]
    NoBank,
    /// The account of the agency is unknown.
    #[strum(serialize = "no_account_of_agency")]
    NoAccount,
    /// The payroll was off-cycle.
    #[strum(serialize = "off_cycle")]
    OffCycle,
    /// The payment information for an electronic payment cannot be generated.
    #[strum(serialize = "payment_information_missing")]
    Information,
    /// The agency's bank returned the service's payment.
    #[strum(serialize = "payment_returned")]
    Returned,
}

impl Remittance {
    /// Returns the wire name.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Returns why the employer has to remit.
    pub fn reason(self) -> Option<ManualReason> {
        match self {
            Self::Automatic => None,
            Self::Manual(reason) => Some(reason),
        }
    }
}

impl ManualReason {
    /// Returns a reminder for the employer.
    pub fn reminder(self) -> &'static str {
        match self {
            Self::Agency => {
                "The employer is responsible for paying this agency: it does not accept electronic payments."
            }
            Self::NoBank => {
                "The employer is responsible for paying this agency: the service has no bank through which it could pay."
            }
            Self::NoAccount => {
                "The employer is responsible for paying this agency: the service does not know the agency's account."
            }
            Self::OffCycle => {
                "The employer is responsible for paying the agency: what is withheld on an off-cycle payroll is not \
                 paid automatically."
            }
            Self::Information => {
                "The employer is responsible for paying the agency: an electronic payment cannot name the case. It needs the \
                 employee's Social Security number, and an identifier of the order with at most 20 characters."
            }
            Self::Returned => {
                "The employer is responsible for paying the agency: the bank returned the payment of the service."
            }
        }
    }
}

/// Determines who remits, given why the service cannot pay the agency, if so. The agency's reason takes precedence because it applies to
/// every payroll.
pub fn determine_payer(agency: Option<ManualReason>, off_cycle: bool) -> Remittance {
    match (agency, off_cycle) {
        (Some(reason), _) => Remittance::Manual(reason),
        (None, true) => Remittance::Manual(ManualReason::OffCycle),
        (None, false) => Remittance::Automatic,
    }
}

/// Whether family medical insurance is available through employment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MedicalSupport {
    /// Available.
    Yes,
    /// Not available, or not required by the order.
    No,
}

/// Data of an electronic child support payment.
#[derive(Clone, PartialEq, Eq)]
pub struct Addendum<'a> {
    /// Case identifier.
    pub case_identifier: &'a str,
    /// Pay date.
    pub pay_date: Date,
    /// Dollars.
    pub amount: Amount,
    /// Employee's Social Security number: nine characters.
    pub ssn: &'a str,
    /// Medical insurance.
    pub medical: MedicalSupport,
    /// Employee's first name.
    pub first_name: &'a str,
    /// Employee's last name.
    pub last_name: &'a str,
    /// FIPS code
    pub fips_code: &'a str,
    /// Whether employment has ended.
    pub terminated: bool,
}

/// Redacts all fields: the Social Security number and the identity of its owner.
impl std::fmt::Debug for Addendum<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Addendum(***)")
    }
}

/// Maximum length of a case identifier in an addendum.
const CASE_MAX: usize = 20;
/// Maximum length of an addendum.
const ADDENDUM_MAX: usize = 80;

/// Whether an addendum can hold a case identifier.
pub fn is_case_identifier(text: &str) -> bool {
    let fits = |byte: u8| matches!(byte, b' '..=b'~') && !b"*\\~".contains(&byte);
    text.len() <= CASE_MAX && text.bytes().all(fits)
}

/// Returns the addendum record of a child support payment (NACHA CCD+, segment DED of ASC X12), or `None` if
/// a value cannot be represented: records have at most 80 characters and are delimited by `*` and `\`.
///
/// The name is up to seven letters of the last name and up to three of the first; a comma follows a last name of fewer letters.
pub fn payment_addendum(of: &Addendum<'_>) -> Option<String> {
    let letters = |name: &str, most: usize| -> String {
        name.chars()
            .filter(char::is_ascii_alphabetic)
            .take(most)
            .map(|letter| letter.to_ascii_uppercase())
            .collect()
    };
    let last = letters(of.last_name, 7);
    let comma = if last.len() < 7 { "," } else { "" };
    let name = format!("{last}{comma}{}", letters(of.first_name, 3));
    let medical = match of.medical {
        MedicalSupport::Yes => "Y",
        MedicalSupport::No => "N",
    };
    if !is_case_identifier(of.case_identifier) || last.is_empty() {
        return None;
    }
    let date = format!(
        "{:02}{:02}{:02}",
        of.pay_date.year().rem_euclid(100),
        of.pay_date.month(),
        of.pay_date.day()
    );
    let line = format!(
        "DED*CS*{}*{date}*{}*{}*{medical}*{name}*{}*{}\\",
        of.case_identifier,
        of.amount.cents_half_up(),
        of.ssn,
        of.fips_code,
        if of.terminated { "Y" } else { "N" },
    );
    (line.len() <= ADDENDUM_MAX).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Named as _;

    fn of(case_identifier: &str, last_name: &'static str) -> Option<String> {
        payment_addendum(&Addendum {
            case_identifier,
            pay_date: jiff::civil::date(2026, 3, 6),
            amount: Amount::from_cents(12_345),
            ssn: "XXXXX6789",
            medical: MedicalSupport::No,
            first_name: "Anne-Marie",
            last_name,
            fips_code: "39000",
            terminated: false,
        })
    }

    #[test]
    fn an_addendum_names_order_day_cents_and_employee() {
        assert_eq!(
            of("AL-123", "Smith").unwrap(),
            r"DED*CS*AL-123*260306*12345*XXXXX6789*N*SMITH,ANN*39000*N\"
        );
        assert_eq!(of("7", "O'Sullivan").unwrap(), r"DED*CS*7*260306*12345*XXXXX6789*N*OSULLIVANN*39000*N\");
    }

    #[test]
    fn what_cannot_stand_in_an_addendum_makes_none() {
        for case in ["A*1", r"A\1", "A~1", "Ä1", "123456789012345678901"] {
            assert_eq!(of(case, "Smith"), None, "{case}");
        }
        assert_eq!(of("1", "王"), None);
    }

    #[test]
    fn the_employer_pays_where_the_service_cannot() {
        assert_eq!(determine_payer(None, false), Remittance::Automatic);
        assert_eq!(determine_payer(None, true).reason(), Some(ManualReason::OffCycle));
        for reason in [ManualReason::Agency, ManualReason::NoBank, ManualReason::NoAccount] {
            assert_eq!(determine_payer(Some(reason), true).reason(), Some(reason));
            assert_eq!(determine_payer(Some(reason), false).as_str(), "manual");
        }
    }

    #[test]
    fn the_reminder_says_why_the_employer_pays() {
        let electronic = |reason: ManualReason| reason.reminder().contains("electronic payments");
        assert!(electronic(ManualReason::Agency));
        assert!(!electronic(ManualReason::NoBank) && !electronic(ManualReason::NoAccount));
        let texts: std::collections::HashSet<_> =
            ManualReason::ALL.iter().map(|reason| reason.reminder()).collect();
        assert_eq!(texts.len(), ManualReason::ALL.len());
    }
}
