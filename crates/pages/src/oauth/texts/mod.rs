//! All texts of the authorization server's pages, one catalogue per language. Messages to an application, or to its
//! developer, are only in English.

mod en;
mod es;

use domain::language::Language;

/// The number of areas into which scopes are grouped; see `consent`.
pub const AREAS: usize = 10;

/// The language's catalogue of the authorization server's pages.
pub const fn texts_in_language(language: Language) -> &'static Texts {
    match language {
        Language::English => &en::TEXTS,
        Language::Spanish => &es::TEXTS,
    }
}

#[expect(missing_docs, reason = "a text says what it is")]
/// The catalogue. `{name}` in a text is a placeholder; [`domain::language::fill_placeholders`] replaces it.
#[derive(Debug)]
pub struct Texts {
    pub language_label: &'static str,

    pub sign_in: &'static str,
    pub sign_in_text: &'static str,
    pub email: &'static str,
    pub password: &'static str,
    pub cancel: &'static str,

    pub choose_title: &'static str,
    pub choose_text: &'static str,
    pub company: &'static str,
    pub go_on: &'static str,
    pub signed_in_as: &'static str,
    pub sign_out: &'static str,

    pub consent: &'static str,
    pub consent_title: &'static str,
    pub consent_allowed: &'static str,
    pub consent_role: &'static str,
    pub allow: &'static str,
    pub deny: &'static str,
    pub afterwards: &'static str,
    pub leave_title: &'static str,
    pub leave_text: &'static str,
    pub other_company: &'static str,
    /// in the order of `consent`
    pub areas: [&'static str; AREAS],
    pub see: &'static str,
    pub see_and_change: &'static str,
    pub run_payroll: &'static str,
    /// what links to hosted pages permit
    pub open_pages: &'static str,
    pub nothing_else: &'static str,

    pub nowhere_title: &'static str,
    pub nowhere_text: &'static str,
    pub somebody_else: &'static str,

    pub wrong_password: &'static str,
    pub too_many: &'static str,
    pub wrong_company: &'static str,
    pub changed: &'static str,

    pub fault_title: &'static str,
    pub fault_address: &'static str,
    pub fault_no_application: &'static str,
    pub fault_unknown_application: &'static str,
    pub fault_no_redirect: &'static str,
    pub fault_unknown_redirect: &'static str,
    pub fault_too_long: &'static str,
    pub for_the_developer: &'static str,

    pub refused_title: &'static str,
    pub refused_text: &'static str,
    pub failed_title: &'static str,
    pub failed_text: &'static str,
}
