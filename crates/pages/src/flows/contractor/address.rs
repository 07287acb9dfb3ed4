//! The contractor's address.

use store::Tx;

use super::super::address::{Held, address_line_controls, zip_elsewhere};
use super::super::dispatch::Saved;
use super::super::form::{Form, Problems};
use super::super::frame::Frame;
use super::super::plain;
use super::super::review::Fact;
use domain::Error;
use domain::contractors::addresses::ContractorAddress;
use domain::contractors::addresses::rows::UpdateContractorAddress;
use domain::contractors::addresses::service;
use domain::people::flows::session::Visitor;
use domain::salary::wages::zip_areas::ZipAreas;

fn stored_lines(address: &ContractorAddress) -> Held<'_> {
    Held {
        street_1: &address.street_1,
        street_2: address.street_2.as_deref(),
        city: &address.city,
        state: &address.state,
        zip: &address.zip,
    }
}

pub fn render_address(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    let t = frame.texts;
    let shown = service::get_contractor_address(tx, &visitor.caller, visitor.person)?;
    let stored = shown.address.as_ref().map(stored_lines);
    let controls = address_line_controls(t, t.street_2, stored.as_ref(), entered, &problems);
    plain::render_form(frame, t.address_title, &shown.version(), controls, &problems, &[])
}

/// The address, for the review.
pub fn address_facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let t = frame.texts;
    let shown = service::get_contractor_address(tx, &visitor.caller, visitor.person)?;
    let stored = shown.address.as_ref().map(stored_lines);
    Ok(Fact::from_controls(
        &address_line_controls(t, t.street_2, stored.as_ref(), None, &Problems::default()),
        t,
    ))
}

pub fn save_address(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    form: &Form,
    zips: Option<&ZipAreas>,
) -> Result<Saved, Error> {
    let input = UpdateContractorAddress {
        version: form.required_text("version"),
        street_1: form.required_text("street_1"),
        street_2: form.clearable_text("street_2"),
        city: form.required_text("city"),
        state: form.required_text("state"),
        zip: form.required_text("zip"),
    };
    service::update_contractor_address(tx, &visitor.caller, visitor.person, &input)?;
    match zips.and_then(|zips| zip_elsewhere(zips, form)) {
        Some(wrong) => Err(Error::from(wrong)),
        None => Ok(Saved::Done),
    }
}
