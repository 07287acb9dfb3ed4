//! Who the contractor is: a person with a Social Security number or ITIN, or a business with an EIN.

use rules::Violation;
use rules::contractor::ContractorType;
use store::Tx;

use super::super::dispatch::Saved;
use super::super::form::{Control, Form, LAST_FOUR, Problems};
use super::super::frame::Frame;
use super::super::plain;
use super::super::review::Fact;
use domain::Error;
use domain::contractors::profiles;
use domain::contractors::records::Contractor;
use domain::contractors::records::rows::UpdateContractor;
use domain::contractors::records::service::{TABLE, find_contractor};
use domain::patch::Patch;
use domain::people::flows::confirmation;
use domain::people::flows::confirmation::Standing;
use domain::people::flows::session::Visitor;
use domain::records::version_text;

pub fn render_personal(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    let held = find_contractor(tx, &visitor.caller, visitor.person)?;
    let standing = confirmation::confirmation_standing(tx, visitor)?;
    let controls = personal_controls(frame, &held, standing, (entered, &problems));
    let version = version_text(TABLE, held.id, held.version);
    plain::render_form(frame, frame.texts.personal_title, &version, controls, &problems, &[])
}

/// The stored details, for the review; of the number only whether it is on file.
pub fn personal_facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let held = find_contractor(tx, &visitor.caller, visitor.person)?;
    let mut controls = personal_controls(frame, &held, Standing::Confirmed, (None, &Problems::default()));
    for control in controls.iter_mut().filter(|control| control.name == number_of(&held) && held.has_tin()) {
        control.value = "•••••••••".to_owned();
    }
    Ok(Fact::from_controls(&controls, frame.texts))
}

/// The field of the number of the contractor's own kind.
fn number_of(held: &Contractor) -> &'static str {
    match held.kind {
        ContractorType::Individual => "ssn",
        ContractorType::Business => "ein",
    }
}

fn personal_controls(
    frame: &Frame,
    held: &Contractor,
    standing: Standing,
    (entered, problems): (Option<&Form>, &Problems),
) -> Vec<Control> {
    let (t, c) = (frame.texts, frame.texts.contractor);
    let line = |name: &str, label: &str, autocomplete, stored: Option<&str>, wrong: &str| {
        Control::text_line(name, label, autocomplete)
            .with_value(entered, stored)
            .with_problem(problems, wrong)
    };
    let (mut controls, number, help, wrong) = match held.kind {
        ContractorType::Individual => (
            vec![
                line(
                    "first_name",
                    t.first_name,
                    "given-name",
                    held.first_name.as_deref(),
                    t.wrong_first_name,
                ),
                line(
                    "middle_initial",
                    t.middle_initial,
                    "off",
                    held.middle_initial.as_deref(),
                    t.wrong_middle_initial,
                )
                .made_optional(),
                line("last_name", t.last_name, "family-name", held.last_name.as_deref(), t.wrong_last_name),
            ],
            c.ssn,
            if held.has_tin() { c.ssn_held } else { c.ssn_help },
            c.wrong_ssn,
        ),
        ContractorType::Business => (
            vec![line(
                "business_name",
                c.business_name,
                "organization",
                held.business_name.as_deref(),
                c.wrong_business_name,
            )],
            c.ein,
            if held.has_tin() { c.ein_held } else { c.ein_help },
            c.wrong_ein,
        ),
    };
    controls
        .push(line("email", t.email, "email", held.email.as_deref(), t.wrong_email).with_keyboard("email"));
    let mut secret =
        Control::secret_field(number_of(held), number).with_help(help).with_problem(problems, wrong);
    secret.optional = held.has_tin();
    controls.push(secret);
    // Otherwise the holder of a stolen link could replace the number on file, and then pass the identity check.
    if matches!(standing, Standing::Asked | Standing::Locked) && entered.is_some() {
        let problem = if standing == Standing::Locked { t.confirm_locked } else { t.confirm_wrong };
        let control = Control::text_line(LAST_FOUR, c.confirm_last_four, "off").with_keyboard("numeric");
        controls.push(control.with_help(t.confirm_ssn_help).with_problem(problems, problem));
    }
    controls
}

pub fn save_personal(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<Saved, Error> {
    let held = find_contractor(tx, &visitor.caller, visitor.person)?;
    let field = number_of(&held);
    // People write the number in groups; only its nine digits matter.
    let number: String =
        form.get(field).unwrap_or_default().chars().filter(|c| !matches!(c, '-' | ' ')).collect();
    if held.has_tin() && !number.is_empty() && !is_confirmed(tx, visitor, form)? {
        return Ok(Saved::Unconfirmed(LAST_FOUR));
    }
    let is_first = !held.has_tin();
    let missing = (is_first && number.is_empty()).then(|| Violation::invalid(field, "the number is needed"));
    let number = if number.is_empty() { Patch::Absent } else { Patch::Value(number) };
    let mut input = UpdateContractor {
        version: form.required_text("version"),
        email: form.required_text("email"),
        ..UpdateContractor::default()
    };
    match held.kind {
        ContractorType::Individual => {
            input.first_name = form.required_text("first_name");
            input.middle_initial = form.clearable_text("middle_initial");
            input.last_name = form.required_text("last_name");
            input.ssn = number;
        }
        ContractorType::Business => {
            input.business_name = form.required_text("business_name");
            input.ein = number;
        }
    }
    match (profiles::service::update_contractor(tx, &visitor.caller, visitor.person, &input), missing) {
        (Ok(_), None) => {
            if is_first {
                // The identity of a visitor who has just entered the number is confirmed.
                visitor.record_confirmation(tx)?;
            }
            Ok(Saved::Done)
        }
        (Ok(_), Some(missing)) => Err(Error::from(missing)),
        (Err(Error::Violations(mut violations)), missing) => {
            violations.extend(missing);
            Err(Error::Violations(violations))
        }
        (Err(error), _) => Err(error),
    }
}

/// Whether the visitor's identity is confirmed, or was just confirmed.
fn is_confirmed(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<bool, Error> {
    Ok(match confirmation::confirmation_standing(tx, visitor)? {
        Standing::Confirmed | Standing::NoNumber => true,
        Standing::Locked => false,
        Standing::Asked => confirmation::is_right(tx, visitor, form.get(LAST_FOUR).unwrap_or_default())?,
    })
}
