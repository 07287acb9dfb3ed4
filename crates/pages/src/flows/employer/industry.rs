//! The company's industry.

use store::Tx;

use super::super::dispatch::Saved;
use super::super::form::{Control, Form, Problems};
use super::super::frame::Frame;
use super::super::plain;
use super::super::plain::Shape;
use super::super::review::Fact;
use crate::flows::texts::Texts;
use domain::Error;
use domain::company::setup::commands::UpdateIndustry;
use domain::company::setup::industry as service;
use domain::company::setup::rows::Industry;
use domain::patch::Patch;
use domain::people::flows::session::Visitor;

pub fn view(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    let e = frame.texts.employer;
    let held = service::get(tx, &visitor.caller)?;
    let controls = controls(frame.texts, held.as_ref(), entered, &problems);
    let shape = Shape { title: e.industry_title, lead: e.industry_text, version: "", show: "" };
    plain::shaped_form(frame, shape, controls, &problems, &[])
}

/// The current selection, for the review.
pub fn facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let held = service::get(tx, &visitor.caller)?;
    Ok(Fact::of(&controls(frame.texts, held.as_ref(), None, &Problems::default()), frame.texts))
}

fn controls(
    t: &'static Texts,
    held: Option<&Industry>,
    entered: Option<&Form>,
    problems: &Problems,
) -> Vec<Control> {
    let e = t.employer;
    vec![
        Control::line("title", e.industry_name, "off")
            .help(e.industry_name_help)
            .holding(entered, held.and_then(|one| one.title.as_deref()))
            .judged(problems, e.wrong_industry_name),
        Control::line("naics_code", e.naics, "off")
            .keyboard("numeric")
            .help(e.naics_help)
            .holding(entered, held.map(|one| &*one.naics_code))
            .judged(problems, e.wrong_naics),
    ]
}

pub fn save(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<Saved, Error> {
    let held = service::get(tx, &visitor.caller)?;
    let input = UpdateIndustry {
        title: form.needed("title"),
        naics_code: form.needed("naics_code"),
        // The page does not ask for these.
        sic_codes: held.map_or(Patch::Absent, |one| Patch::Value(one.sic_codes)),
    };
    service::update(tx, &visitor.caller, &input).map(|_| Saved::Done)
}
