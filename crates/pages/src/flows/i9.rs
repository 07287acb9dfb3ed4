//! Section 1 of Form I-9: employment authorization.

use rules::Named;
use rules::i9::{DocumentType, Status};
use store::Tx;

use super::form::{Choice, Control, Form, Problems};
use super::frame::Frame;
use super::plain;
use super::review::Fact;
use crate::flows::texts::Texts;
use domain::Error;
use domain::patch::Patch;
use domain::people::flows::session::Visitor;
use domain::people::forms::commands::UpdateI9Authorization;
use domain::people::forms::i9;
use interface::people::forms::wire::I9Authorization;

fn stored_i9(tx: &mut Tx<'_>, visitor: &Visitor) -> Result<Option<I9Authorization>, Error> {
    match i9::get_authorization(tx, &visitor.caller, visitor.person) {
        Ok(held) => Ok(Some(held.into())),
        Err(Error::NotFound) => Ok(None),
        Err(error) => Err(error),
    }
}

pub fn render_i9(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    let t = frame.texts;
    let held = stored_i9(tx, visitor)?;
    let controls = i9_controls(t, held.as_ref(), entered, &problems);
    let version = held.map(|held| held.version).unwrap_or_default();
    plain::render_form(frame, t.i9_title, &version, controls, &problems, &[])
}

/// The stored answers, for the review. A document number is masked.
pub fn i9_facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let held = stored_i9(tx, visitor)?;
    let mut controls = i9_controls(frame.texts, held.as_ref(), None, &Problems::default());
    let has_number = held.is_some_and(|held| held.has_document_number);
    for control in controls.iter_mut().filter(|control| control.name == "document_number" && has_number) {
        control.value = "••••".to_owned();
    }
    // Questions that do not apply to the status were not asked.
    controls.retain(|control| !(control.optional && control.value.is_empty()));
    Ok(Fact::from_controls(&controls, frame.texts))
}

fn i9_controls(
    t: &'static Texts,
    held: Option<&I9Authorization>,
    entered: Option<&Form>,
    problems: &Problems,
) -> Vec<Control> {
    let choice = |value: &str, label: &str| Choice { value: value.to_owned(), label: label.to_owned() };
    let statuses = vec![
        choice(Status::Citizen.as_str(), t.i9_citizen),
        choice(Status::Noncitizen.as_str(), t.i9_national),
        choice(Status::PermanentResident.as_str(), t.i9_resident),
        choice(Status::Alien.as_str(), t.i9_alien),
    ];
    let documents = vec![
        choice(DocumentType::UscisNumber.as_str(), t.i9_uscis),
        choice(DocumentType::FormI94.as_str(), t.i9_i94),
        choice(DocumentType::ForeignPassport.as_str(), t.i9_passport),
    ];
    let stored = |read: fn(&I9Authorization) -> Option<&str>| held.and_then(read);
    let number_help =
        if held.is_some_and(|held| held.has_document_number) { t.ssn_held } else { t.i9_number_help };
    vec![
        Control::select_field("authorization_status", t.i9_status, statuses)
            .with_value(entered, stored(|held| Some(held.authorization_status.0.as_str())))
            .with_problem(problems, t.wrong_choice),
        Control::select_field("document_type", t.i9_document, documents)
            .needed_sometimes()
            .with_class("i9-only of-alien")
            .with_help(t.i9_document_help)
            .with_value(entered, stored(|held| held.document_type))
            .with_problem(problems, t.wrong_choice),
        Control::text_line("document_number", t.i9_number, "off")
            .needed_sometimes()
            .with_class("i9-only of-number")
            .with_help(number_help)
            .with_value(entered, None)
            .with_problem(problems, t.wrong_document_number),
        Control::text_line("country", t.i9_country, "country-name")
            .needed_sometimes()
            .with_class("i9-only of-passport")
            .with_help(t.i9_country_help)
            .with_value(entered, stored(|held| held.country.as_deref()))
            .with_problem(problems, t.wrong_country),
        Control::date_field("expiration_date", t.i9_expires)
            .made_optional()
            .with_class("i9-only of-alien")
            .with_help(t.i9_expires_help)
            .with_value(entered, stored(|held| held.expiration_date.as_deref()))
            .with_problem(problems, t.wrong_expiration_date),
    ]
}

pub fn save_i9(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<(), Error> {
    let status = form.get("authorization_status").unwrap_or_default();
    // Fields that do not apply to the status may have entries for an earlier selection.
    let needs = |wanted: &[Status], name: &str| match Status::parse(status) {
        Some(chosen) if wanted.contains(&chosen) => form.clearable_text(name),
        _ => Patch::Absent,
    };
    let is_passport = Status::parse(status) == Some(Status::Alien)
        && form.get("document_type") == Some(DocumentType::ForeignPassport.as_str());
    let with_document = [Status::PermanentResident, Status::Alien];
    let input = UpdateI9Authorization {
        // Empty if the page was shown before the first answers.
        version: form.required_text("version"),
        authorization_status: form.required_text("authorization_status").named(),
        document_type: needs(&[Status::Alien], "document_type"),
        document_number: match needs(&with_document, "document_number") {
            // Cards print these numbers in groups.
            Patch::Value(number) if !is_passport => {
                Patch::Value(number.chars().filter(|c| !matches!(c, '-' | ' ')).collect())
            }
            number => number,
        },
        country: if is_passport { form.clearable_text("country") } else { Patch::Absent },
        expiration_date: match Status::parse(status) {
            Some(Status::Alien) => form.clearable_date("expiration_date"),
            _ => Patch::Absent,
        },
    };
    i9::replace_authorization(tx, &visitor.caller, visitor.person, &input).map(drop)
}
