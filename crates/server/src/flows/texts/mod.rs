//! Every word of the hosted pages, one catalogue a language. A catalogue is a value of [`Texts`], so a text that is
//! missing in one language does not compile.

mod en;
mod es;
mod questions;

pub use questions::question;

/// Languages of the pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// English
    English,
    /// Spanish
    Spanish,
}

impl Language {
    /// Every language.
    pub const ALL: [Self; 2] = [Self::English, Self::Spanish];

    /// The code in a page's `lang` and in the store.
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Spanish => "es",
        }
    }

    /// The language's own name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Spanish => "Español",
        }
    }

    /// The language of a code.
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.code() == code)
    }

    /// The first language of an Accept-Language header that there is; English otherwise.
    pub fn accepted(header: &str) -> Self {
        let mut wanted: Vec<(&str, &str)> = header
            .split(',')
            .map(|entry| {
                let (range, weight) = entry.split_once(";q=").unwrap_or((entry, "1"));
                (range.trim(), weight.trim())
            })
            .collect();
        // Weights are "1" or "0.x": their texts sort like their numbers. The order of equals stays.
        wanted.sort_by(|a, b| b.1.cmp(a.1));
        let known = |range: &str| {
            Self::ALL.into_iter().find(|language| range.split('-').next() == Some(language.code()))
        };
        wanted
            .iter()
            .filter(|(_, weight)| !weight.starts_with("0.0") && *weight != "0")
            .find_map(|(range, _)| known(range))
            .unwrap_or(Self::English)
    }

    /// The language's catalogue.
    pub const fn texts(self) -> &'static Texts {
        match self {
            Self::English => &en::TEXTS,
            Self::Spanish => &es::TEXTS,
        }
    }
}

#[expect(missing_docs, reason = "a text says what it is")]
/// The catalogue. `{name}` in a text stands for a value; [`fill`] puts it in.
#[derive(Debug)]
pub struct Texts {
    pub app_title: &'static str,
    pub skip_to_content: &'static str,
    pub language_label: &'static str,
    pub language_apply: &'static str,
    pub progress_label: &'static str,
    pub step_done: &'static str,
    pub step_current: &'static str,
    pub step_open: &'static str,
    pub save_and_continue: &'static str,
    pub back: &'static str,
    pub optional: &'static str,
    pub choose: &'static str,
    pub yes: &'static str,
    pub no: &'static str,
    pub change: &'static str,
    pub remove: &'static str,

    pub error_title: &'static str,
    pub error_stale: &'static str,
    pub entries_kept: &'static str,
    pub expired_kept: &'static str,

    pub welcome: &'static str,
    pub welcome_title: &'static str,
    pub welcome_text: &'static str,
    pub welcome_needed: &'static str,
    pub welcome_needed_ssn: &'static str,
    pub welcome_needed_address: &'static str,
    pub welcome_needed_tax: &'static str,
    pub welcome_needed_bank: &'static str,
    pub welcome_time: &'static str,
    pub welcome_kept: &'static str,
    pub start: &'static str,
    pub go_on: &'static str,

    pub personal: &'static str,
    pub personal_title: &'static str,
    pub first_name: &'static str,
    pub middle_initial: &'static str,
    pub last_name: &'static str,
    pub preferred_first_name: &'static str,
    pub email: &'static str,
    pub date_of_birth: &'static str,
    pub date_of_birth_help: &'static str,
    pub ssn: &'static str,
    pub ssn_help: &'static str,
    pub ssn_held: &'static str,

    pub address: &'static str,
    pub address_title: &'static str,
    pub street_1: &'static str,
    pub street_2: &'static str,
    pub city: &'static str,
    pub state: &'static str,
    pub zip: &'static str,
    pub courtesy_withholding: &'static str,
    pub courtesy_help: &'static str,
    pub work_address: &'static str,
    pub work_address_wrong: &'static str,
    pub work_address_none: &'static str,

    pub review: &'static str,
    pub review_title: &'static str,
    pub review_text: &'static str,
    pub review_open: &'static str,
    pub review_finish: &'static str,
    pub not_given: &'static str,

    pub done: &'static str,
    pub done_title: &'static str,
    pub done_text: &'static str,
    pub done_close: &'static str,

    pub expired_title: &'static str,
    pub expired_text: &'static str,
    pub unknown_title: &'static str,
    pub unknown_text: &'static str,
    pub refused_title: &'static str,
    pub refused_text: &'static str,
    pub failed_title: &'static str,
    pub failed_text: &'static str,

    pub wrong_first_name: &'static str,
    pub wrong_middle_initial: &'static str,
    pub wrong_last_name: &'static str,
    pub wrong_preferred_first_name: &'static str,
    pub wrong_email: &'static str,
    pub wrong_date_of_birth: &'static str,
    pub wrong_ssn: &'static str,
    pub wrong_street_1: &'static str,
    pub wrong_street_2: &'static str,
    pub wrong_city: &'static str,
    pub wrong_state: &'static str,
    pub wrong_zip: &'static str,
    pub wrong_other: &'static str,
    pub payment: &'static str,
    pub payment_title: &'static str,
    pub payment_how: &'static str,
    pub payment_check: &'static str,
    pub payment_deposit: &'static str,
    pub split_by: &'static str,
    pub split_percent: &'static str,
    pub split_amount: &'static str,
    pub split_help: &'static str,
    pub split_rest: &'static str,
    pub split_of: &'static str,
    pub accounts_title: &'static str,
    pub account_new: &'static str,
    pub account_new_text: &'static str,
    pub account_name: &'static str,
    pub account_name_help: &'static str,
    pub routing_number: &'static str,
    pub routing_help: &'static str,
    pub account_number: &'static str,
    pub account_type: &'static str,
    pub account_checking: &'static str,
    pub account_savings: &'static str,
    pub account_add: &'static str,
    pub account_remove_sure: &'static str,
    pub account_remove_yes: &'static str,
    pub account_remove_no: &'static str,
    pub federal: &'static str,
    pub w4_title: &'static str,
    pub w4_status: &'static str,
    pub w4_status_help: &'static str,
    pub w4_single: &'static str,
    pub w4_married: &'static str,
    pub w4_head: &'static str,
    pub w4_exempt: &'static str,
    pub w4_two_jobs: &'static str,
    pub w4_two_jobs_help: &'static str,
    pub w4_dependents: &'static str,
    pub w4_dependents_help: &'static str,
    pub w4_other_income: &'static str,
    pub w4_other_income_help: &'static str,
    pub w4_deductions: &'static str,
    pub w4_deductions_help: &'static str,
    pub w4_extra: &'static str,
    pub w4_extra_help: &'static str,
    pub w4_preview: &'static str,
    pub w4_preview_text: &'static str,
    pub w4_show: &'static str,
    pub states: &'static str,
    pub states_title: &'static str,
    pub state_nothing: &'static str,
    pub state_unknown: &'static str,
    pub documents: &'static str,
    pub documents_title: &'static str,
    pub documents_none: &'static str,
    pub document_open: &'static str,
    pub document_signed: &'static str,
    pub signature: &'static str,
    pub signature_agree: &'static str,
    pub sign: &'static str,
    pub i9: &'static str,
    pub i9_title: &'static str,
    pub wrong_choice: &'static str,
    pub wrong_money: &'static str,
    pub wrong_number: &'static str,
    pub wrong_splits: &'static str,
    pub wrong_account_name: &'static str,
    pub wrong_routing_number: &'static str,
    pub wrong_account_number: &'static str,
    pub wrong_signature_text: &'static str,
    pub wrong_agree: &'static str,
    pub i9_first: &'static str,
    pub i9_status: &'static str,
    pub i9_citizen: &'static str,
    pub i9_national: &'static str,
    pub i9_resident: &'static str,
    pub i9_alien: &'static str,
    pub i9_document: &'static str,
    pub i9_document_help: &'static str,
    pub i9_uscis: &'static str,
    pub i9_i94: &'static str,
    pub i9_passport: &'static str,
    pub i9_number: &'static str,
    pub i9_number_help: &'static str,
    pub i9_country: &'static str,
    pub i9_country_help: &'static str,
    pub i9_expires: &'static str,
    pub i9_expires_help: &'static str,
    pub wrong_document_number: &'static str,
    pub wrong_country: &'static str,
    pub wrong_expiration_date: &'static str,
}

/// A text with its values put in, once: a value that looks like a name stays as it is.
pub fn fill(text: &str, values: &[(&str, &str)]) -> String {
    let mut parts = text.split('{');
    let mut made = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let value = part.split_once('}').and_then(|(name, rest)| {
            values.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value, rest))
        });
        match value {
            Some((value, rest)) => made.extend([value, rest]),
            None => made.extend(["{", part]),
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_browser_s_first_language_that_there_is_counts() {
        assert_eq!(Language::accepted("es-MX,es;q=0.9,en;q=0.8"), Language::Spanish);
        assert_eq!(Language::accepted("fr, es;q=0.5, en;q=0.7"), Language::English);
        assert_eq!(Language::accepted("es;q=0, en"), Language::English);
        assert_eq!(Language::accepted("de"), Language::English);
        assert_eq!(Language::accepted(""), Language::English);
    }

    #[test]
    fn values_are_put_where_their_names_stand() {
        assert_eq!(
            fill("Welcome to {company}, {name}", &[("name", "{company}"), ("company", "X {name}")]),
            "Welcome to X {name}, {company}"
        );
    }
}
