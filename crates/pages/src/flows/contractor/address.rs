//! The contractor's address.

use store::Tx;

use super::super::address::{Held, lines, zip_elsewhere};
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

fn held(address: &ContractorAddress) -> Held<'_> {
    Held {
        street_1: &address.street_1,
        street_2: address.street_2.as_deref(),
        city: &address.city,
        state: &address.state,
        zip: &address.zip,
    }
}

pub fn view(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    let t = frame.texts;
    let shown = service::get(tx, &visitor.caller, visitor.person)?;
    let stored = shown.address.as_ref().map(held);
    let controls = lines(t, t.street_2, stored.as_ref(), entered, &problems);
    plain::form(frame, t.address_title, &shown.version(), controls, &problems, &[])
}

/// The address, for the review.
pub fn facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let t = frame.texts;
    let shown = service::get(tx, &visitor.caller, visitor.person)?;
    let stored = shown.address.as_ref().map(held);
    Ok(Fact::of(&lines(t, t.street_2, stored.as_ref(), None, &Problems::default()), t))
}

pub fn save(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    form: &Form,
    zips: Option<&ZipAreas>,
) -> Result<Saved, Error> {
    let input = UpdateContractorAddress {
        version: form.needed("version"),
        street_1: form.needed("street_1"),
        street_2: form.clearable("street_2"),
        city: form.needed("city"),
        state: form.needed("state"),
        zip: form.needed("zip"),
    };
    service::update(tx, &visitor.caller, visitor.person, &input)?;
    match zips.and_then(|zips| zip_elsewhere(zips, form)) {
        Some(wrong) => Err(Error::from(wrong)),
        None => Ok(Saved::Done),
    }
}
