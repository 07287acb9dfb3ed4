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

pub fn render_federal_taxes(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    let e = frame.texts.employer;
    let held = service::get_federal_details(tx, &visitor.caller)?;
    let controls = federal_tax_controls(frame.texts, &held, entered, &problems);
    let version = version_text(service::TABLE, visitor.caller.company, held.federal.version);
    let shape = Shape { title: e.taxes_title, lead: e.taxes_text, version: &version, show: "" };
    plain::shaped_form(frame, shape, controls, &problems, &[])
}

/// The current details, for the review.
pub fn federal_tax_facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let held = service::get_federal_details(tx, &visitor.caller)?;
    let mut controls = federal_tax_controls(frame.texts, &held, None, &Problems::default());
    for control in controls.iter_mut().filter(|control| control.name == "ein" && held.company.ein.is_some()) {
        control.value = "••-•••••••".to_owned();
    }
    Ok(Fact::from_controls(&controls, frame.texts))
}

fn federal_tax_controls(
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
    let mut ein = Control::secret_field("ein", e.ein)
        .with_help(if has_ein { e.ein_held } else { e.ein_help })
        .with_problem(problems, e.wrong_ein);
    ein.optional = has_ein;
    let scorp = match entered {
        Some(form) => form.is_ticked("taxable_as_scorp"),
        None => held.federal.taxable_as_scorp,
    };
    vec![
        Control::text_line("legal_name", e.legal_name, "organization")
            .with_help(e.legal_name_help)
            .with_value(entered, Some(&held.company.name))
            .with_problem(problems, e.wrong_legal_name),
        ein,
        Control::select_field("tax_payer_type", e.legal_form, kinds)
            .with_value(entered, held.company.entity_type.as_deref())
            .with_problem(problems, t.wrong_choice),
        Control::select_field("filing_form", e.filing_form, returns.collect())
            .with_help(e.filing_form_help)
            .with_value(entered, Some(held.federal.filing_form.as_str()))
            .with_problem(problems, t.wrong_choice),
        Control::checkbox_field("taxable_as_scorp", e.scorp, scorp).with_help(e.scorp_help),
    ]
}

pub fn save_federal_taxes(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<Saved, Error> {
    let held = service::get_federal_details(tx, &visitor.caller)?;
    let ein = form.get("ein").unwrap_or_default().trim();
    let input = UpdateFederalTaxDetails {
        version: form.required_text("version"),
        legal_name: form.required_text("legal_name"),
        ein: match ein.is_empty() && held.company.ein.is_some() {
            true => Patch::Absent,
            false => Patch::Value(ein.to_owned()),
        },
        tax_payer_type: form.required_text("tax_payer_type"),
        filing_form: form.required_text("filing_form"),
        taxable_as_scorp: Patch::Value(form.is_ticked("taxable_as_scorp")),
    };
    service::update_federal_details(tx, &visitor.caller, &input).map(|_| Saved::Done)
}
