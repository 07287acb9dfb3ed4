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

fn held(tx: &mut Tx<'_>, visitor: &Visitor) -> Result<Option<I9Authorization>, Error> {
    match i9::get(tx, &visitor.caller, visitor.person) {
        Ok(held) => Ok(Some(held.into())),
        Err(Error::NotFound) => Ok(None),
        Err(error) => Err(error),
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
    let held = held(tx, visitor)?;
    let controls = controls(t, held.as_ref(), entered, &problems);
    let version = held.map(|held| held.version).unwrap_or_default();
    plain::form(frame, t.i9_title, &version, controls, &problems, &[])
}

/// The stored answers, for the review. A document number is masked.
pub fn facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let held = held(tx, visitor)?;
    let mut controls = controls(frame.texts, held.as_ref(), None, &Problems::default());
    let has_number = held.is_some_and(|held| held.has_document_number);
    for control in controls.iter_mut().filter(|control| control.name == "document_number" && has_number) {
        control.value = "••••".to_owned();
    }
    // Questions that do not apply to the status were not asked.
    controls.retain(|control| !(control.optional && control.value.is_empty()));
    Ok(Fact::of(&controls, frame.texts))
}

fn controls(
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
        Control::select("authorization_status", t.i9_status, statuses)
            .holding(entered, stored(|held| Some(held.authorization_status.0.as_str())))
            .judged(problems, t.wrong_choice),
        Control::select("document_type", t.i9_document, documents)
            .needed_sometimes()
            .classed("i9-only of-alien")
            .help(t.i9_document_help)
            .holding(entered, stored(|held| held.document_type))
            .judged(problems, t.wrong_choice),
        Control::line("document_number", t.i9_number, "off")
            .needed_sometimes()
            .classed("i9-only of-number")
            .help(number_help)
            .holding(entered, None)
            .judged(problems, t.wrong_document_number),
        Control::line("country", t.i9_country, "country-name")
            .needed_sometimes()
            .classed("i9-only of-passport")
            .help(t.i9_country_help)
            .holding(entered, stored(|held| held.country.as_deref()))
            .judged(problems, t.wrong_country),
        Control::date("expiration_date", t.i9_expires)
            .optional()
            .classed("i9-only of-alien")
            .help(t.i9_expires_help)
            .holding(entered, stored(|held| held.expiration_date.as_deref()))
            .judged(problems, t.wrong_expiration_date),
    ]
}

pub fn save(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<(), Error> {
    let status = form.get("authorization_status").unwrap_or_default();
    // Fields that do not apply to the status may have entries for an earlier selection.
    let needs = |wanted: &[Status], name: &str| match Status::parse(status) {
        Some(chosen) if wanted.contains(&chosen) => form.clearable(name),
        _ => Patch::Absent,
    };
    let is_passport = Status::parse(status) == Some(Status::Alien)
        && form.get("document_type") == Some(DocumentType::ForeignPassport.as_str());
    let with_document = [Status::PermanentResident, Status::Alien];
    let input = UpdateI9Authorization {
        // Empty if the page was shown before the first answers.
        version: form.needed("version"),
        authorization_status: form.needed("authorization_status").named(),
        document_type: needs(&[Status::Alien], "document_type"),
        document_number: match needs(&with_document, "document_number") {
            // Cards print these numbers in groups.
            Patch::Value(number) if !is_passport => {
                Patch::Value(number.chars().filter(|c| !matches!(c, '-' | ' ')).collect())
            }
            number => number,
        },
        country: if is_passport { form.clearable("country") } else { Patch::Absent },
        expiration_date: match Status::parse(status) {
            Some(Status::Alien) => form.clearable_date("expiration_date"),
            _ => Patch::Absent,
        },
    };
    i9::put(tx, &visitor.caller, visitor.person, &input).map(drop)
}
