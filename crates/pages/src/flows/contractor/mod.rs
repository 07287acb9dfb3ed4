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
pub fn view(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    match frame.current {
        Some(Screen::Personal) => personal::view(tx, visitor, frame, entered, problems),
        Some(Screen::Address) => address::view(tx, visitor, frame, entered, problems),
        Some(Screen::Payment) => payment::view(tx, visitor, frame, entered, problems),
        Some(Screen::Documents) => documents::view(tx, visitor, frame, entered, problems),
        Some(Screen::Review) => review::view(tx, visitor, frame),
        Some(Screen::Done) => plain::done(frame, None),
        _ => plain::welcome(frame),
    }
}

/// The facts of a screen, for the review.
pub fn facts(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    screen: Screen,
) -> Result<Option<Vec<Fact>>, Error> {
    Ok(Some(match screen {
        Screen::Personal => personal::facts(tx, visitor, frame)?,
        Screen::Address => address::facts(tx, visitor, frame)?,
        Screen::Payment => payment::facts(tx, visitor, frame)?,
        Screen::Documents => documents::facts(tx, visitor, frame)?,
        _ => return Ok(None),
    }))
}

/// Stores the form of a screen.
pub fn save(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    screen: Screen,
    form: &Form,
    zips: Option<&ZipAreas>,
) -> Result<Saved, Error> {
    match screen {
        Screen::Personal => personal::save(tx, visitor, form),
        Screen::Address => address::save(tx, visitor, form, zips),
        Screen::Payment => payment::save(tx, visitor, form),
        Screen::Documents => documents::save(tx, visitor, form),
        Screen::Review => {
            onboarding::finished(tx, &visitor.caller, visitor.person)?;
            Ok(Saved::Done)
        }
        // The others have no form.
        _ => Ok(Saved::Done),
    }
}
