//! What blocks payroll, in the page's language, with a link to the step that resolves it.

use rules::{Named as _, Violation};
use store::Tx;

use super::super::super::frame::{Frame, Screen};
use crate::flows::texts::blocker_text;
use domain::Error;
use domain::pay::payrolls::service::blockers;
use domain::pay::payrolls::service::blockers::PayrollBlockerKind;
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
fn settled_at(kind: PayrollBlockerKind) -> Option<Screen> {
    match kind {
        PayrollBlockerKind::NeedsOnboarding => Some(Screen::Review),
        PayrollBlockerKind::MissingAddresses => Some(Screen::Places),
        PayrollBlockerKind::MissingFederalTaxSetup => Some(Screen::CompanyTaxes),
        PayrollBlockerKind::MissingIndustrySelection => Some(Screen::Industry),
        PayrollBlockerKind::MissingBankInfo => Some(Screen::Bank),
        PayrollBlockerKind::MissingBankVerification => Some(Screen::Verify),
        PayrollBlockerKind::MissingEmployeeSetup => Some(Screen::Employees),
        PayrollBlockerKind::MissingSignatory => Some(Screen::Signatory),
        PayrollBlockerKind::MissingForms => Some(Screen::CompanyForms),
        PayrollBlockerKind::MissingPaySchedule => Some(Screen::Schedule),
        PayrollBlockerKind::MissingStateTaxSetup => Some(Screen::CompanyStates),
        PayrollBlockerKind::ContractorOnlyCompany
        | PayrollBlockerKind::Suspended
        | PayrollBlockerKind::NeedsApproval
        | PayrollBlockerKind::PendingRecoveryCase
        | PayrollBlockerKind::MissingTaxTables => None,
    }
}

/// A blocker in the page's language.
pub fn blocker_line(frame: &Frame, kind: PayrollBlockerKind) -> Blocked {
    let screen = settled_at(kind).filter(|screen| frame.shows_any_of(&[*screen]));
    Blocked {
        text: blocker_text(frame.language, kind).to_owned(),
        link: screen.map(|screen| (screen.path(), screen.title(frame.texts))),
        english: false,
    }
}

/// The blockers of the company's next payroll.
pub fn next_payroll_blockers(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
) -> Result<Vec<Blocked>, Error> {
    let all = blockers::list_blockers(tx, &visitor.caller)?;
    Ok(all.iter().map(|one| blocker_line(frame, one.kind)).collect())
}

/// The refusal of a use case. Blockers are in the page's language; other reasons are not translated.
pub fn refusal_lines(frame: &Frame, violations: &[Violation]) -> Vec<Blocked> {
    let kind =
        |violation: &Violation| PayrollBlockerKind::parse(violation.metadata.as_ref()?.get("key")?.as_str()?);
    let told = |one: &Violation| match kind(one) {
        Some(kind) => blocker_line(frame, kind),
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
        for kind in PayrollBlockerKind::ALL {
            for language in Language::ALL {
                let words = blocker_text(language, *kind);
                assert!(words.ends_with('.') && seen.insert(words), "{words}");
            }
        }
    }
}
