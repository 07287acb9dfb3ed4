//! The signatory. Of the Social Security number, only whether it is on file is ever shown; once it is, changes to the
//! signatory and to the bank account require its last four digits.

use store::Tx;

use super::super::address::{Held, address_line_controls, zip_elsewhere};
use super::super::dispatch::Saved;
use super::super::form::{Control, Form, Kind, LAST_FOUR, Problems};
use super::super::frame::Frame;
use super::super::plain;
use super::super::plain::Shape;
use super::super::review::Fact;
use super::with_own;
use crate::flows::texts::Texts;
use domain::Error;
use domain::company::signatories::commands::{Address, SignatoryFields};
use domain::company::signatories::service;
use domain::company::signatories::service::SignatoryDetails;
use domain::patch::Patch;
use domain::people::flows::confirmation;
use domain::people::flows::confirmation::Standing;
use domain::people::flows::session::Visitor;
use domain::records::version_text;
use domain::salary::wages::zip_areas::ZipAreas;

pub fn render_signatory(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    let (t, e) = (frame.texts, frame.texts.employer);
    let held = service::get_signatory(tx, &visitor.caller)?;
    let mut controls = signatory_controls(t, held.as_ref(), entered, &problems);
    let asked = confirmation::confirmation_standing(tx, visitor)?;
    // Otherwise the holder of a stolen link could replace the number on file, and then pass the identity check.
    if matches!(asked, Standing::Asked | Standing::Locked) && entered.is_some() {
        let problem = if asked == Standing::Locked { e.confirm_locked } else { t.confirm_wrong };
        let control = Control::text_line(LAST_FOUR, e.confirm_last_four, "off").with_keyboard("numeric");
        controls.push(control.with_help(t.confirm_ssn_help).with_problem(&problems, problem));
    }
    let version = held
        .map(|one| version_text(service::TABLE, one.signatory.id, one.signatory.version))
        .unwrap_or_default();
    let shape = Shape { title: e.signatory_title, lead: e.signatory_text, version: &version, show: "" };
    plain::shaped_form(frame, shape, controls, &problems, &[])
}

/// The current signatory, for the review.
pub fn signatory_facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let held = service::get_signatory(tx, &visitor.caller)?;
    let mut controls = signatory_controls(frame.texts, held.as_ref(), None, &Problems::default());
    let has_number = held.is_some_and(|one| one.signatory.ssn.is_some());
    for control in controls.iter_mut().filter(|control| control.name == "ssn" && has_number) {
        control.value = "•••-••-••••".to_owned();
    }
    controls.retain(|control| !control.optional || !control.value.is_empty());
    Ok(Fact::from_controls(&controls, frame.texts))
}

fn signatory_controls(
    t: &'static Texts,
    held: Option<&SignatoryDetails>,
    entered: Option<&Form>,
    problems: &Problems,
) -> Vec<Control> {
    let e = t.employer;
    let one = held.map(|held| &held.signatory);
    let home = one.and_then(|one| one.home.as_ref());
    let birth = held.and_then(|held| held.birthday).map(|day| day.to_string());
    let line = |name: &str, label: &str, autocomplete, stored: Option<&str>, wrong: &str| {
        Control::text_line(name, label, autocomplete)
            .with_value(entered, stored)
            .with_problem(problems, wrong)
    };
    let has_number = one.is_some_and(|one| one.ssn.is_some());
    let ssn_help = if has_number { t.ssn_held } else { e.signatory_ssn_help };
    let mut ssn = Control::secret_field("ssn", t.ssn).with_help(ssn_help).with_problem(problems, e.wrong_ssn);
    ssn.optional = has_number;
    let mut controls = vec![
        line("first_name", t.first_name, "given-name", one.map(|o| &*o.first_name), e.wrong_first_name),
        line(
            "middle_initial",
            t.middle_initial,
            "off",
            one.and_then(|o| o.middle_initial.as_deref()),
            t.wrong_middle_initial,
        )
        .made_optional(),
        line("last_name", t.last_name, "family-name", one.map(|o| &*o.last_name), e.wrong_last_name),
        line("title", e.title, "organization-title", one.and_then(|o| o.title.as_deref()), e.wrong_title)
            .with_help(e.title_help),
        line("phone", e.phone, "tel-national", one.and_then(|o| o.phone.as_deref()), e.wrong_phone)
            .with_keyboard("tel")
            .with_help(e.phone_help),
    ];
    // The e-mail address of an existing account cannot be changed.
    if one.is_none() {
        controls.push(line("email", t.email, "email", None, t.wrong_email).with_keyboard("email"));
    }
    controls.extend([
        Control::birth_date_field("birthday", t.date_of_birth)
            .with_help(t.date_of_birth_help)
            .with_value(entered, birth.as_deref())
            .with_problem(problems, e.wrong_birthday),
        ssn,
        Control { kind: Kind::Heading, ..Control::text_line("home_address", e.signatory_home, "off") },
    ]);
    let home = home.map(|home| Held {
        street_1: &home.street_1,
        street_2: home.street_2.as_deref(),
        city: &home.city,
        state: &home.state,
        zip: &home.zip,
    });
    controls.extend(address_line_controls(t, t.street_2, home.as_ref(), entered, problems));
    controls
}

pub fn save_signatory(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    form: &Form,
    zips: Option<&ZipAreas>,
) -> Result<Saved, Error> {
    let held = service::get_signatory(tx, &visitor.caller)?;
    let digits = |name: &str| -> String {
        form.get(name)
            .unwrap_or_default()
            .chars()
            .filter(|c| !matches!(c, '-' | ' ' | '(' | ')' | '.'))
            .collect()
    };
    let ssn = digits("ssn");
    let has_number = held.as_ref().is_some_and(|one| one.signatory.ssn.is_some());
    if has_number && !ssn.is_empty() && !is_confirmed(tx, visitor, form)? {
        return Ok(Saved::Unconfirmed(LAST_FOUR));
    }
    let input = SignatoryFields {
        version: form.required_text("version"),
        first_name: form.required_text("first_name"),
        middle_initial: form.clearable_text("middle_initial"),
        last_name: form.required_text("last_name"),
        title: form.required_text("title"),
        phone: Patch::Value(digits("phone")),
        birthday: form.date_entry("birthday"),
        email: form.required_text("email"),
        ssn: if has_number && ssn.is_empty() { Patch::Absent } else { Patch::Value(ssn) },
        home_address: Patch::Value(Address {
            street_1: form.required_text("street_1"),
            street_2: form.clearable_text("street_2"),
            city: form.required_text("city"),
            state: form.required_text("state"),
            zip: form.required_text("zip"),
            country: Patch::Absent,
        }),
    };
    let stored = match &held {
        Some(one) => service::update_signatory(tx, &visitor.caller, one.signatory.id, &input),
        None => service::create_signatory(
            tx,
            &visitor.caller,
            &SignatoryFields { version: Patch::Absent, ..input },
        ),
    };
    let elsewhere = zips.and_then(|zips| zip_elsewhere(zips, form));
    with_own(stored, elsewhere.into_iter().collect())?;
    if !has_number {
        // The identity of a visitor who has just entered the number is confirmed.
        visitor.record_confirmation(tx)?;
    }
    Ok(Saved::Done)
}

/// Whether the visitor's identity is confirmed, or was just confirmed.
fn is_confirmed(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<bool, Error> {
    Ok(match confirmation::confirmation_standing(tx, visitor)? {
        Standing::Confirmed | Standing::NoNumber => true,
        Standing::Locked => false,
        Standing::Asked => confirmation::is_right(tx, visitor, form.get(LAST_FOUR).unwrap_or_default())?,
    })
}
