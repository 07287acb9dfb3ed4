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

pub fn render_industry(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    let e = frame.texts.employer;
    let held = service::get_industry(tx, &visitor.caller)?;
    let controls = industry_controls(frame.texts, held.as_ref(), entered, &problems);
    let shape = Shape { title: e.industry_title, lead: e.industry_text, version: "", show: "" };
    plain::shaped_form(frame, shape, controls, &problems, &[])
}

/// The current selection, for the review.
pub fn industry_facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let held = service::get_industry(tx, &visitor.caller)?;
    Ok(Fact::from_controls(
        &industry_controls(frame.texts, held.as_ref(), None, &Problems::default()),
        frame.texts,
    ))
}

fn industry_controls(
    t: &'static Texts,
    held: Option<&Industry>,
    entered: Option<&Form>,
    problems: &Problems,
) -> Vec<Control> {
    let e = t.employer;
    vec![
        Control::text_line("title", e.industry_name, "off")
            .with_help(e.industry_name_help)
            .with_value(entered, held.and_then(|one| one.title.as_deref()))
            .with_problem(problems, e.wrong_industry_name),
        Control::text_line("naics_code", e.naics, "off")
            .with_keyboard("numeric")
            .with_help(e.naics_help)
            .with_value(entered, held.map(|one| &*one.naics_code))
            .with_problem(problems, e.wrong_naics),
    ]
}

pub fn save_industry(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<Saved, Error> {
    let held = service::get_industry(tx, &visitor.caller)?;
    let input = UpdateIndustry {
        title: form.required_text("title"),
        naics_code: form.required_text("naics_code"),
        // The page does not ask for these.
        sic_codes: held.map_or(Patch::Absent, |one| Patch::Value(one.sic_codes)),
    };
    service::update_industry(tx, &visitor.caller, &input).map(|_| Saved::Done)
}
