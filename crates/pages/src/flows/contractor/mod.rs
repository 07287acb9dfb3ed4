//! A contractor's own pages: details, address, how they are paid, and Form W-9.

mod address;
mod documents;
mod payment;
mod personal;

use store::Tx;

use super::dispatch::Saved;
use super::form::{Form, Problems};
use super::frame::{Frame, Screen};
use super::plain;
use super::review::{self, Fact};
use domain::Error;
use domain::contractors::onboarding;
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
        Some(Screen::Personal) => personal::render_personal(tx, visitor, frame, entered, problems),
        Some(Screen::Address) => address::render_address(tx, visitor, frame, entered, problems),
        Some(Screen::Payment) => payment::render_payment(tx, visitor, frame, entered, problems),
        Some(Screen::Documents) => documents::render_documents(tx, visitor, frame, entered, problems),
        Some(Screen::Review) => review::render_review(tx, visitor, frame),
        Some(Screen::Done) => plain::render_done(frame, None),
        _ => plain::render_welcome(frame),
    }
}

/// The facts of a screen, for the review.
pub fn screen_facts(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    screen: Screen,
) -> Result<Option<Vec<Fact>>, Error> {
    Ok(Some(match screen {
        Screen::Personal => personal::personal_facts(tx, visitor, frame)?,
        Screen::Address => address::address_facts(tx, visitor, frame)?,
        Screen::Payment => payment::payment_facts(tx, visitor, frame)?,
        Screen::Documents => documents::signature_facts(tx, visitor, frame)?,
        _ => return Ok(None),
    }))
}

/// Stores the form of a screen.
pub fn save_screen(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    screen: Screen,
    form: &Form,
    zips: Option<&ZipAreas>,
) -> Result<Saved, Error> {
    match screen {
        Screen::Personal => personal::save_personal(tx, visitor, form),
        Screen::Address => address::save_address(tx, visitor, form, zips),
        Screen::Payment => payment::save_payment(tx, visitor, form),
        Screen::Documents => documents::sign_documents(tx, visitor, form),
        Screen::Review => {
            onboarding::record_self_onboarding_done(tx, &visitor.caller, visitor.person)?;
            Ok(Saved::Done)
        }
        // The others have no form.
        _ => Ok(Saved::Done),
    }
}
