//! The employer's pages: the onboarding of the company, step by step, its time off, its payrolls, and its contractors. Each
//! screen sends the commands that the API sends, and the domain validates them in the same way.

mod bank;
pub mod contractor_payments;
mod contractors;
mod employees;
mod forms;
mod industry;
pub mod payrolls;
mod places;
mod policies;
mod records;
mod review;
mod schedule;
mod signatory;
mod states;
mod taxes;
mod verify;

use store::Tx;

use super::dispatch::Saved;
use super::form::{Form, Problems};
use super::frame::{Frame, Screen};
use domain::Error;
use domain::people::flows::session::Visitor;
use domain::salary::wages::zip_areas::ZipAreas;

/// The content of a screen.
pub fn render_screen(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    match frame.current {
        Some(Screen::Places) => places::render_locations(tx, visitor, frame, entered, problems),
        Some(Screen::Signatory) => signatory::render_signatory(tx, visitor, frame, entered, problems),
        Some(Screen::CompanyTaxes) => taxes::render_federal_taxes(tx, visitor, frame, entered, problems),
        Some(Screen::Industry) => industry::render_industry(tx, visitor, frame, entered, problems),
        Some(Screen::Bank) => bank::render_bank(tx, visitor, frame, entered, problems),
        Some(Screen::Employees) => employees::render_employees(tx, visitor, frame, entered, problems),
        Some(Screen::CompanyStates) => states::render_state_setup(tx, visitor, frame, entered, problems),
        Some(Screen::Schedule) => schedule::render_schedule(tx, visitor, frame, entered, problems),
        Some(Screen::CompanyForms) => forms::render_forms(tx, visitor, frame, entered, problems),
        Some(Screen::Verify) => verify::render_verification(tx, visitor, frame, entered, problems),
        Some(Screen::Review) => review::render_review(tx, visitor, frame),
        Some(Screen::Done) => review::render_done(tx, visitor, frame),
        Some(Screen::Policies) => policies::render_policies(tx, visitor, frame, entered, problems),
        Some(Screen::Contractors) => contractors::render_contractors(tx, visitor, frame, entered, problems),
        Some(Screen::Payrolls) => payrolls::list_payrolls(tx, visitor, frame),
        Some(Screen::ContractorPayments) => contractor_payments::list_payments(tx, visitor, frame),
        _ => review::render_welcome(frame),
    }
}

/// Stores the form of a screen.
pub fn save_screen(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    screen: Screen,
    form: &Form,
    zips: Option<&ZipAreas>,
) -> Result<Saved, Error> {
    if form.get("action") == Some("show") {
        return Ok(Saved::Ask);
    }
    match screen {
        Screen::Places => places::save_locations(tx, visitor, form, zips),
        Screen::Signatory => signatory::save_signatory(tx, visitor, form, zips),
        Screen::CompanyTaxes => taxes::save_federal_taxes(tx, visitor, form),
        Screen::Industry => industry::save_industry(tx, visitor, form),
        Screen::Bank => bank::save_bank(tx, visitor, form),
        Screen::Employees => employees::save_employees(tx, visitor, form),
        Screen::CompanyStates => states::save_state_answers(tx, visitor, form),
        Screen::Schedule => schedule::save_schedule(tx, visitor, form),
        Screen::CompanyForms => forms::sign_forms(tx, visitor, form),
        Screen::Verify => verify::save_verification(tx, visitor, form),
        Screen::Policies => policies::save_policies(tx, visitor, form),
        Screen::Contractors => contractors::save_contractors(tx, visitor, form, zips),
        Screen::Review => review::finish_onboarding(tx, visitor),
        // The others have no form.
        _ => Ok(Saved::Done),
    }
}

/// Combines the refusals of a use case with the problems found on the page.
pub fn with_own<T>(stored: Result<T, Error>, own: Vec<rules::Violation>) -> Result<T, Error> {
    match stored {
        Err(Error::Violations(mut violations)) => {
            violations.extend(own);
            Err(Error::Violations(violations))
        }
        Ok(_) if !own.is_empty() => Err(Error::Violations(own)),
        stored => stored,
    }
}
