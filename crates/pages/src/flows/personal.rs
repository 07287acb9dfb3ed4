//! Personal details: name, e-mail, date of birth, Social Security number.

use rules::Violation;
use store::Tx;

use super::dispatch::Saved;
use super::form::{Control, Form, LAST_FOUR, Problems};
use super::frame::Frame;
use super::plain;
use super::review::Fact;
use crate::flows::texts::Texts;
use domain::Error;
use domain::patch::Patch;
use domain::people::employees::Employee;
use domain::people::employees::rows as employees;
use domain::people::employees::service;
use domain::people::employees::service::TABLE;
use domain::people::flows::confirmation;
use domain::people::flows::confirmation::Standing;
use domain::people::flows::session::Visitor;
use domain::people::profiles;
use domain::people::profiles::commands::UpdateEmployee;
use domain::records::version_text;

/// Beginning of the refusal of a nine-digit number that was never issued.
const NEVER_ISSUED: &str = "ssn is not a Social Security number";

pub fn render_personal(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    let held = service::find_employee(tx, &visitor.caller, visitor.person)?;
    let controls = personal_controls(tx, visitor, frame.texts, &held, (entered, &problems))?;
    let version = version_text(TABLE, held.id, held.version);
    plain::render_form(frame, frame.texts.personal_title, &version, controls, &problems, &[])
}

/// The stored details, for the review; of the Social Security number only whether it is on file.
pub fn personal_facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let held = service::find_employee(tx, &visitor.caller, visitor.person)?;
    let mut controls = personal_controls(tx, visitor, frame.texts, &held, (None, &Problems::default()))?;
    for control in controls.iter_mut().filter(|control| control.name == "ssn" && held.ssn.is_some()) {
        control.value = "•••-••-••••".to_owned();
    }
    Ok(Fact::from_controls(&controls, frame.texts))
}

fn personal_controls(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    t: &'static Texts,
    held: &Employee,
    (entered, problems): (Option<&Form>, &Problems),
) -> Result<Vec<Control>, Error> {
    let birth = employees::birth_date(tx, visitor.caller.company, held)?.map(|day| day.to_string());
    let ssn_help = if held.ssn.is_some() { t.ssn_held } else { t.ssn_help };
    let wrong = if problems.has_message(NEVER_ISSUED) { t.wrong_ssn_never_issued } else { t.wrong_ssn };
    let mut ssn = Control::secret_field("ssn", t.ssn).with_help(ssn_help).with_problem(problems, wrong);
    ssn.optional = held.ssn.is_some();
    let asked = confirmation::confirmation_standing(tx, visitor)?;
    let line = |name: &str, label: &str, autocomplete, stored: Option<&str>, wrong: &str| {
        Control::text_line(name, label, autocomplete)
            .with_value(entered, stored)
            .with_problem(problems, wrong)
    };
    let mut controls = vec![
        line("first_name", t.first_name, "given-name", Some(&held.first_name), t.wrong_first_name),
        line(
            "middle_initial",
            t.middle_initial,
            "off",
            held.middle_initial.as_deref(),
            t.wrong_middle_initial,
        )
        .made_optional(),
        line("last_name", t.last_name, "family-name", Some(&held.last_name), t.wrong_last_name),
        line(
            "preferred_first_name",
            t.preferred_first_name,
            "nickname",
            held.preferred_first_name.as_deref(),
            t.wrong_preferred_first_name,
        )
        .made_optional(),
        line("email", t.email, "email", held.email.as_deref(), t.wrong_email).with_keyboard("email"),
        Control::birth_date_field("date_of_birth", t.date_of_birth)
            .with_help(t.date_of_birth_help)
            .with_value(entered, birth.as_deref())
            .with_problem(problems, t.wrong_date_of_birth),
        ssn,
    ];
    // Otherwise the holder of a stolen link could replace the number on file, and then pass the identity check.
    if matches!(asked, Standing::Asked | Standing::Locked) && entered.is_some() {
        let problem = if asked == Standing::Locked { t.confirm_locked } else { t.confirm_wrong };
        let control = Control::text_line(LAST_FOUR, t.confirm_last_four, "off").with_keyboard("numeric");
        controls.push(control.with_help(t.confirm_ssn_help).with_problem(problems, problem));
    }
    Ok(controls)
}

pub fn save_personal(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<Saved, Error> {
    let held = service::find_employee(tx, &visitor.caller, visitor.person)?;
    // People write the number in groups; only its nine digits matter.
    let ssn: String =
        form.get("ssn").unwrap_or_default().chars().filter(|c| !matches!(c, '-' | ' ')).collect();
    if held.ssn.is_some() && !ssn.is_empty() && !is_confirmed(tx, visitor, form)? {
        return Ok(Saved::Unconfirmed(LAST_FOUR));
    }
    let is_first = held.ssn.is_none();
    let missing = (is_first && ssn.is_empty())
        .then(|| Violation::invalid("ssn", "the Social Security number is needed"));
    let input = UpdateEmployee {
        version: form.required_text("version"),
        first_name: form.required_text("first_name"),
        middle_initial: form.clearable_text("middle_initial"),
        last_name: form.required_text("last_name"),
        preferred_first_name: form.clearable_text("preferred_first_name"),
        email: form.required_text("email"),
        date_of_birth: form.date_entry("date_of_birth"),
        ssn: if ssn.is_empty() { Patch::Absent } else { Patch::Value(ssn) },
        ..UpdateEmployee::default()
    };
    match (profiles::service::update_employee(tx, &visitor.caller, visitor.person, &input), missing) {
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
