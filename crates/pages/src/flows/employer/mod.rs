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
pub fn view(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    match frame.current {
        Some(Screen::Places) => places::view(tx, visitor, frame, entered, problems),
        Some(Screen::Signatory) => signatory::view(tx, visitor, frame, entered, problems),
        Some(Screen::CompanyTaxes) => taxes::view(tx, visitor, frame, entered, problems),
        Some(Screen::Industry) => industry::view(tx, visitor, frame, entered, problems),
        Some(Screen::Bank) => bank::view(tx, visitor, frame, entered, problems),
        Some(Screen::Employees) => employees::view(tx, visitor, frame, entered, problems),
        Some(Screen::CompanyStates) => states::view(tx, visitor, frame, entered, problems),
        Some(Screen::Schedule) => schedule::view(tx, visitor, frame, entered, problems),
        Some(Screen::CompanyForms) => forms::view(tx, visitor, frame, entered, problems),
        Some(Screen::Verify) => verify::view(tx, visitor, frame, entered, problems),
        Some(Screen::Review) => review::view(tx, visitor, frame),
        Some(Screen::Done) => review::done(tx, visitor, frame),
        Some(Screen::Policies) => policies::view(tx, visitor, frame, entered, problems),
        Some(Screen::Contractors) => contractors::view(tx, visitor, frame, entered, problems),
        Some(Screen::Payrolls) => payrolls::list(tx, visitor, frame),
        Some(Screen::ContractorPayments) => contractor_payments::list(tx, visitor, frame),
        _ => review::welcome(frame),
    }
}

/// Stores the form of a screen.
pub fn save(
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
        Screen::Places => places::save(tx, visitor, form, zips),
        Screen::Signatory => signatory::save(tx, visitor, form, zips),
        Screen::CompanyTaxes => taxes::save(tx, visitor, form),
        Screen::Industry => industry::save(tx, visitor, form),
        Screen::Bank => bank::save(tx, visitor, form),
        Screen::Employees => employees::save(tx, visitor, form),
        Screen::CompanyStates => states::save(tx, visitor, form),
        Screen::Schedule => schedule::save(tx, visitor, form),
        Screen::CompanyForms => forms::save(tx, visitor, form),
        Screen::Verify => verify::save(tx, visitor, form),
        Screen::Policies => policies::save(tx, visitor, form),
        Screen::Contractors => contractors::save(tx, visitor, form, zips),
        Screen::Review => review::finish(tx, visitor),
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
