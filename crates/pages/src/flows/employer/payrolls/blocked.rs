//! What blocks payroll, in the page's language, with a link to the step that resolves it.

use rules::{Named as _, Violation};
use store::Tx;

use super::super::super::frame::{Frame, Screen};
use crate::flows::texts::blocker;
use domain::Error;
use domain::pay::payrolls::service::blockers;
use domain::pay::payrolls::service::blockers::Kind;
use domain::people::flows::session::Visitor;

/// A blocker.
pub struct Blocked {
    /// what to do
    pub text: String,
    /// where to do it, if this flow has the step: its address and its title
    pub link: Option<(String, &'static str)>,
    /// whether the text is in English whatever the page's language
    pub english: bool,
}

/// The screen that resolves a blocker.
fn settled_at(kind: Kind) -> Option<Screen> {
    match kind {
        Kind::NeedsOnboarding => Some(Screen::Review),
        Kind::MissingAddresses => Some(Screen::Places),
        Kind::MissingFederalTaxSetup => Some(Screen::CompanyTaxes),
        Kind::MissingIndustrySelection => Some(Screen::Industry),
        Kind::MissingBankInfo => Some(Screen::Bank),
        Kind::MissingBankVerification => Some(Screen::Verify),
        Kind::MissingEmployeeSetup => Some(Screen::Employees),
        Kind::MissingSignatory => Some(Screen::Signatory),
        Kind::MissingForms => Some(Screen::CompanyForms),
        Kind::MissingPaySchedule => Some(Screen::Schedule),
        Kind::MissingStateTaxSetup => Some(Screen::CompanyStates),
        Kind::ContractorOnlyCompany
        | Kind::Suspended
        | Kind::NeedsApproval
        | Kind::PendingRecoveryCase
        | Kind::MissingTaxTables => None,
    }
}

/// A blocker in the page's language.
pub fn blocked(frame: &Frame, kind: Kind) -> Blocked {
    let screen = settled_at(kind).filter(|screen| frame.shows(&[*screen]));
    Blocked {
        text: blocker(frame.language, kind).to_owned(),
        link: screen.map(|screen| (screen.path(), screen.title(frame.texts))),
        english: false,
    }
}

/// The blockers of the company's next payroll.
pub fn now(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Blocked>, Error> {
    let all = blockers::list(tx, &visitor.caller)?;
    Ok(all.iter().map(|one| blocked(frame, one.kind)).collect())
}

/// The refusal of a use case. Blockers are in the page's language; other reasons are not translated.
pub fn refused(frame: &Frame, violations: &[Violation]) -> Vec<Blocked> {
    let kind = |violation: &Violation| Kind::parse(violation.metadata.as_ref()?.get("key")?.as_str()?);
    let told = |one: &Violation| match kind(one) {
        Some(kind) => blocked(frame, kind),
        None => Blocked { text: one.message.clone(), link: None, english: true },
    };
    violations.iter().map(told).collect()
}

#[cfg(test)]
mod tests {
    use domain::language::Language;

    use super::*;

    #[test]
    fn the_words_of_a_blocker_differ_by_language_and_from_those_of_any_other() {
        let mut seen = std::collections::BTreeSet::new();
        for kind in Kind::ALL {
            for language in Language::ALL {
                let words = blocker(language, *kind);
                assert!(words.ends_with('.') && seen.insert(words), "{words}");
            }
        }
    }
}
