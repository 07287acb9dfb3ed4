//! Texts of a contractor's pages.

mod en;
mod es;

pub(super) use self::en::TEXTS as ENGLISH;
pub(super) use self::es::TEXTS as SPANISH;

#[expect(missing_docs, reason = "a text says what it is")]
/// The texts of a contractor's pages.
#[derive(Debug)]
pub struct ContractorTexts {
    pub needed_number: &'static str,
    pub business_name: &'static str,
    pub wrong_business_name: &'static str,
    pub ein: &'static str,
    pub ein_help: &'static str,
    pub ein_held: &'static str,
    pub wrong_ein: &'static str,
    pub ssn: &'static str,
    pub ssn_help: &'static str,
    pub ssn_held: &'static str,
    pub wrong_ssn: &'static str,
    pub confirm_last_four: &'static str,
    pub account_held: &'static str,
    pub account_replace: &'static str,
    pub account_save: &'static str,
    pub check_text: &'static str,
    pub by_check: &'static str,
    pub w9: &'static str,
    pub w9_about: &'static str,
    pub classification: &'static str,
    pub classifications: [&'static str; 7],
    pub wrong_classification: &'static str,
    pub llc: &'static str,
    pub llc_help: &'static str,
    pub llc_choices: [&'static str; 3],
    pub wrong_llc: &'static str,
    pub other_text: &'static str,
    pub wrong_other_text: &'static str,
    pub exempt_payee_code: &'static str,
    pub exemption_from_fatca: &'static str,
    pub code_help: &'static str,
    pub wrong_code: &'static str,
    pub withheld: &'static str,
    pub withheld_help: &'static str,
    pub not_yet: &'static str,
}
