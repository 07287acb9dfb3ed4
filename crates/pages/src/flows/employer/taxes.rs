//! The company's filing details with the Internal Revenue Service.

use rules::Named;
use rules::company::{FilingForm, TAX_PAYER_TYPES};
use store::Tx;

use super::super::dispatch::Saved;
use super::super::form::{Choice, Control, Form, Problems};
use super::super::frame::Frame;
use super::super::plain;
use super::super::plain::Shape;
use super::super::review::Fact;
use crate::flows::texts::Texts;
use domain::Error;
use domain::company::taxes::commands::UpdateFederalTaxDetails;
use domain::company::taxes::federal as service;
use domain::company::taxes::federal::FederalTaxDetails;
use domain::patch::Patch;
use domain::people::flows::session::Visitor;
use domain::records::version_text;

pub fn view(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    let e = frame.texts.employer;
    let held = service::get(tx, &visitor.caller)?;
    let controls = controls(frame.texts, &held, entered, &problems);
    let version = version_text(service::TABLE, visitor.caller.company, held.federal.version);
    let shape = Shape { title: e.taxes_title, lead: e.taxes_text, version: &version, show: "" };
    plain::shaped_form(frame, shape, controls, &problems, &[])
}

/// The current details, for the review.
pub fn facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let held = service::get(tx, &visitor.caller)?;
    let mut controls = controls(frame.texts, &held, None, &Problems::default());
    for control in controls.iter_mut().filter(|control| control.name == "ein" && held.company.ein.is_some()) {
        control.value = "••-•••••••".to_owned();
    }
    Ok(Fact::of(&controls, frame.texts))
}

fn controls(
    t: &'static Texts,
    held: &FederalTaxDetails,
    entered: Option<&Form>,
    problems: &Problems,
) -> Vec<Control> {
    let e = t.employer;
    let kinds = TAX_PAYER_TYPES.into_iter().zip(e.legal_forms);
    let kinds =
        kinds.map(|(value, label)| Choice { value: value.to_owned(), label: label.to_owned() }).collect();
    let returns = FilingForm::ALL.iter().map(|one| Choice {
        value: one.as_str().to_owned(),
        label: match one {
            FilingForm::Quarterly => e.form_941,
            FilingForm::Annual => e.form_944,
        }
        .to_owned(),
    });
    let has_ein = held.company.ein.is_some();
    let mut ein = Control::secret("ein", e.ein)
        .help(if has_ein { e.ein_held } else { e.ein_help })
        .judged(problems, e.wrong_ein);
    ein.optional = has_ein;
    let scorp = match entered {
        Some(form) => form.ticked("taxable_as_scorp"),
        None => held.federal.taxable_as_scorp,
    };
    vec![
        Control::line("legal_name", e.legal_name, "organization")
            .help(e.legal_name_help)
            .holding(entered, Some(&held.company.name))
            .judged(problems, e.wrong_legal_name),
        ein,
        Control::select("tax_payer_type", e.legal_form, kinds)
            .holding(entered, held.company.entity_type.as_deref())
            .judged(problems, t.wrong_choice),
        Control::select("filing_form", e.filing_form, returns.collect())
            .help(e.filing_form_help)
            .holding(entered, Some(held.federal.filing_form.as_str()))
            .judged(problems, t.wrong_choice),
        Control::tick("taxable_as_scorp", e.scorp, scorp).help(e.scorp_help),
    ]
}

pub fn save(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<Saved, Error> {
    let held = service::get(tx, &visitor.caller)?;
    let ein = form.get("ein").unwrap_or_default().trim();
    let input = UpdateFederalTaxDetails {
        version: form.needed("version"),
        legal_name: form.needed("legal_name"),
        ein: match ein.is_empty() && held.company.ein.is_some() {
            true => Patch::Absent,
            false => Patch::Value(ein.to_owned()),
        },
        tax_payer_type: form.needed("tax_payer_type"),
        filing_form: form.needed("filing_form"),
        taxable_as_scorp: Patch::Value(form.ticked("taxable_as_scorp")),
    };
    service::update(tx, &visitor.caller, &input).map(|_| Saved::Done)
}
