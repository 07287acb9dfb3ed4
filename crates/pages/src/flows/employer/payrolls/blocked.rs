//! What stands in the way of running payroll, in the page's language, with the way to the step that settles it.

use rules::Violation;
use store::Tx;

use super::super::super::frame::{Frame, Screen};
use crate::flows::texts::Texts;
use domain::Error;
use domain::pay::payrolls::blockers;
use domain::people::flows::session::Visitor;

/// Something in the way.
pub struct Blocked {
    /// what has to be done
    pub text: String,
    /// where it is done, if this flow has the step: its address and its title
    pub link: Option<(String, &'static str)>,
    /// whether the text is English whatever the page's language is
    pub english: bool,
}

/// The screen that settles a blocker.
fn settled_at(key: &str) -> Option<Screen> {
    match key {
        "needs_onboarding" => Some(Screen::Review),
        "missing_addresses" => Some(Screen::Places),
        "missing_federal_tax_setup" => Some(Screen::CompanyTaxes),
        "missing_industry_selection" => Some(Screen::Industry),
        "missing_bank_info" => Some(Screen::Bank),
        "missing_bank_verification" => Some(Screen::Verify),
        "missing_employee_setup" => Some(Screen::Employees),
        "missing_signatory" => Some(Screen::Signatory),
        "missing_forms" => Some(Screen::CompanyForms),
        "missing_pay_schedule" => Some(Screen::Schedule),
        "missing_state_tax_setup" => Some(Screen::CompanyStates),
        _ => None,
    }
}

/// A blocker in the page's language; none of a key that has no words here.
fn words(t: &Texts, key: &str) -> Option<&'static str> {
    let place = blockers::ALL.iter().position(|(known, _)| *known == key)?;
    t.employer.blockers.get(place).copied()
}

fn told(frame: &Frame, key: &str, message: &str) -> Blocked {
    let screen = settled_at(key).filter(|screen| frame.shows(&[*screen]));
    let words = words(frame.texts, key);
    Blocked {
        text: words.unwrap_or(message).to_owned(),
        link: screen.map(|screen| (screen.path(), screen.title(frame.texts))),
        english: words.is_none(),
    }
}

/// What stands in the way of running the company's next payroll.
pub fn now(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Blocked>, Error> {
    let all = blockers::list(tx, &visitor.caller)?;
    Ok(all.iter().map(|one| told(frame, one.key, &one.message)).collect())
}

/// What a use case refused. Blockers are told in the page's language; other reasons as they are.
pub fn refused(frame: &Frame, violations: &[Violation]) -> Vec<Blocked> {
    let key = |violation: &Violation| {
        let key = violation.metadata.as_ref()?.get("key")?.as_str()?;
        Some(key.to_owned())
    };
    violations.iter().map(|one| told(frame, &key(one).unwrap_or_default(), &one.message)).collect()
}

#[cfg(test)]
mod tests {
    use domain::language::Language;

    use super::*;
    use crate::flows::texts;

    #[test]
    fn every_blocker_has_words_in_every_language() {
        for language in [Language::English, Language::Spanish] {
            let t = texts::of(language);
            assert_eq!(t.employer.blockers.len(), blockers::ALL.len());
            assert!(blockers::ALL.iter().all(|(key, _)| words(t, key).is_some_and(|text| !text.is_empty())));
        }
        let english = texts::of(Language::English).employer.blockers;
        for ((key, message), words) in blockers::ALL.iter().zip(english) {
            assert_eq!(*message, words, "{key}");
        }
    }
}
