//! The employee's home address, and, read-only, the work address.

use jiff::civil::Date;
use rules::Violation;
use rules::onboarding::Status;
use rules::places::{Question, Side};
use serde_json::json;
use store::Tx;

use super::dispatch::Saved;
use super::form::{Control, Form, Problems, state_choices};
use super::frame::Frame;
use super::plain;
use super::question;
use super::review::Fact;
use crate::flows::texts::Texts;
use domain::Error;
use domain::error::Stale;
use domain::language::fill_placeholders;
use domain::patch::Patch;
use domain::people::addresses::commands::{CreateHomeAddress, UpdateHomeAddress};
use domain::people::addresses::rows::HomeAddress;
use domain::people::addresses::service;
use domain::people::employees;
use domain::people::flows::session::Visitor;
use domain::records::version_text;
use domain::salary::wages::zip_areas::ZipAreas;

fn active_home_address(tx: &mut Tx<'_>, visitor: &Visitor) -> Result<Option<HomeAddress>, Error> {
    Ok(active_with_questions(tx, visitor)?.map(|(home, _)| home))
}

/// The current address with the questions about it, each with every choice.
fn active_with_questions(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
) -> Result<Option<(HomeAddress, Vec<Question>)>, Error> {
    let all = service::home_addresses(tx, &visitor.caller, visitor.person)?;
    let Some(home) = all.into_iter().find(|home| home.active) else { return Ok(None) };
    let questions = match home.questions.is_empty() {
        true => Vec::new(),
        false => service::questions_of_home(tx, &visitor.caller, &home.address)?,
    };
    Ok(Some((home.address, questions)))
}

pub fn render_address(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    let (held, questions) = active_with_questions(tx, visitor)?.unzip();
    let questions = questions.unwrap_or_default();
    let corrects = entered.is_some_and(|form| form.get("action") == Some(EDIT));
    let answers = entered.is_none_or(question::is_answer);
    if let Some(home) = held.as_ref().filter(|_| answers)
        && let Some(open) = questions.iter().find(|question| question.answer.is_none())
    {
        let version = version_text(service::HOME, home.id, home.version);
        let address = format!("{}, {}, {} {}", home.street_1, home.city, home.state, home.zip);
        let asked = question::Asked {
            side: Side::Home,
            address: &address,
            version: &version,
            record: "",
            edit: EDIT,
        };
        return question::question_page(frame, &asked, open, &problems);
    }
    let entered = entered.filter(|_| !corrects && !answers);
    let is_paid = is_paid(tx, visitor)?;
    let t = frame.texts;
    let mut controls = address_controls(t, held.as_ref(), entered, &problems);
    controls.extend(question::answered_question_controls(t, Side::Home, &questions, entered, &problems));
    if let Some(held) = held.as_ref().filter(|_| is_paid) {
        let day = t.format_day(held.effective_date);
        let wrong = fill_placeholders(t.wrong_since, &[("day", &day)]);
        controls.push(
            Control::date_field(SINCE, t.since)
                .made_optional()
                .with_help(&fill_placeholders(t.since_help, &[("day", &day)]))
                .with_value(entered, None)
                .with_problem(&problems, &wrong),
        );
    }
    let work = service::list_work(tx, &visitor.caller, visitor.person)?.into_iter().find(|work| work.active);
    let place = work.map_or_else(
        || t.work_address_none.to_owned(),
        |work| {
            let at = work.address;
            format!("{}, {}, {} {}. {}", at.street_1, at.city, at.state, at.zip, t.work_address_wrong)
        },
    );
    let version = held.map(|home| version_text(service::HOME, home.id, home.version)).unwrap_or_default();
    plain::render_form(frame, t.address_title, &version, controls, &problems, &[(t.work_address, place)])
}

/// The action that opens the form of the address while a question about it is asked.
const EDIT: &str = "edit";
/// The field for the date of a move.
const SINCE: &str = "effective_date";

/// Whether the employee may have been paid at the current address, so that a new one needs an effective date: taxes
/// depend on where the employee lived at the time.
fn is_paid(tx: &mut Tx<'_>, visitor: &Visitor) -> Result<bool, Error> {
    let employee = employees::service::find_employee(tx, &visitor.caller, visitor.person)?;
    Ok(employee.status == Status::OnboardingCompleted)
}

/// The current address, for the review.
pub fn address_facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let (held, questions) = active_with_questions(tx, visitor)?.unzip();
    let questions = questions.unwrap_or_default();
    let nothing = Problems::default();
    let mut all = address_controls(frame.texts, held.as_ref(), None, &nothing);
    all.extend(question::answered_question_controls(frame.texts, Side::Home, &questions, None, &nothing));
    Ok(Fact::from_controls(&all, frame.texts))
}

/// The current address.
pub struct Held<'h> {
    pub street_1: &'h str,
    pub street_2: Option<&'h str>,
    pub city: &'h str,
    pub state: &'h str,
    pub zip: &'h str,
}

/// The fields of an address; `second` is the label of the second line.
pub fn address_line_controls(
    t: &'static Texts,
    second: &str,
    held: Option<&Held<'_>>,
    entered: Option<&Form>,
    problems: &Problems,
) -> Vec<Control> {
    let line = |name: &str, label: &str, autocomplete, stored: Option<&str>, wrong: &str| {
        Control::text_line(name, label, autocomplete)
            .with_value(entered, stored)
            .with_problem(problems, wrong)
    };
    vec![
        line("street_1", t.street_1, "address-line1", held.map(|h| h.street_1), t.wrong_street_1),
        line("street_2", second, "address-line2", held.and_then(|h| h.street_2), t.wrong_street_2)
            .made_optional(),
        line("city", t.city, "address-level2", held.map(|h| h.city), t.wrong_city),
        Control {
            autocomplete: "address-level1",
            ..Control::select_field("state", t.state, state_choices())
        }
        .with_value(entered, held.map(|h| h.state))
        .with_problem(problems, t.wrong_state),
        line("zip", t.zip, "postal-code", held.map(|h| h.zip), &zip_problem(t, problems))
            .with_keyboard("numeric"),
    ]
}

fn address_controls(
    t: &'static Texts,
    held: Option<&HomeAddress>,
    entered: Option<&Form>,
    problems: &Problems,
) -> Vec<Control> {
    let courtesy = match entered {
        Some(form) => form.is_ticked("courtesy_withholding"),
        None => held.is_some_and(|home| home.courtesy_withholding),
    };
    let held = held.map(|home| Held {
        street_1: &home.street_1,
        street_2: home.street_2.as_deref(),
        city: &home.city,
        state: &home.state,
        zip: &home.zip,
    });
    let mut controls = address_line_controls(t, t.street_2, held.as_ref(), entered, problems);
    controls.push(
        Control::checkbox_field("courtesy_withholding", t.courtesy_withholding, courtesy)
            .with_help(t.courtesy_help),
    );
    controls
}

/// The problem with a ZIP code: its form, or that it is in another state.
pub fn zip_problem(t: &'static Texts, problems: &Problems) -> String {
    match problems.field_metadata("zip", STATE).and_then(state_name) {
        Some(state) => fill_placeholders(t.wrong_zip_state, &[("state", state)]),
        None => t.wrong_zip.to_owned(),
    }
}

fn state_name(code: &str) -> Option<&'static str> {
    rules::check::STATES.iter().find(|(known, _)| *known == code).map(|(_, name)| *name)
}

/// The state of a ZIP code, if it is known and differs from the selected one. Only states that can be selected are
/// reported.
pub fn zip_elsewhere(zips: &ZipAreas, form: &Form) -> Option<Violation> {
    let zip = form.get("zip").unwrap_or_default().trim();
    let place = zips.find_place(zip.get(..5)?)?;
    let code = std::str::from_utf8(&place.state).ok()?;
    let elsewhere = state_name(code).is_some() && form.get("state").is_some_and(|state| state != code);
    let chosen = form.get("state").is_some_and(|state| !state.is_empty());
    (elsewhere && chosen).then(|| {
        let wrong = Violation::invalid("zip", format!("zip must lie in the state; it lies in {code}"));
        wrong.with_metadata(json!({ STATE: code }))
    })
}

/// The metadata key of a violation that contains the ZIP code's state.
const STATE: &str = "state";

pub fn save_address(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    form: &Form,
    zips: Option<&ZipAreas>,
) -> Result<Saved, Error> {
    if form.get("action") == Some(EDIT) {
        return Ok(Saved::Ask);
    }
    if question::is_answer(form) {
        save_answer(tx, visitor, form)?;
    } else {
        store_address(tx, visitor, form)?;
        if let Some(wrong) = zips.and_then(|zips| zip_elsewhere(zips, form)) {
            return Err(Error::from(wrong));
        }
    }
    // Where the tables cannot tell all places of the address, the screen asks for them next.
    let open = active_with_questions(tx, visitor)?
        .is_some_and(|(_, questions)| questions.iter().any(|question| question.answer.is_none()));
    Ok(if open { Saved::Stay } else { Saved::Done })
}

/// Stores the answer to a question about the current address.
fn save_answer(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<(), Error> {
    let Some(home) = active_home_address(tx, visitor)? else { return Ok(()) };
    let input = UpdateHomeAddress {
        version: form.required_text("version"),
        place_answers: question::submitted_answers(form),
        ..UpdateHomeAddress::default()
    };
    service::update_home(tx, &visitor.caller, home.id, &input).map(drop)
}

fn store_address(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<(), Error> {
    // An empty version means that the page had no address; one may have been added meanwhile.
    match active_home_address(tx, visitor)? {
        None => add_home_address(tx, visitor, form, Patch::Absent),
        Some(held) if is_paid(tx, visitor)? && is_move(&held, form) => {
            let day = chosen_effective_date(&held, form, visitor.caller.today(tx))?;
            if day == held.effective_date {
                return correct_home_address(tx, visitor, &held, form);
            }
            let current = version_text(service::HOME, held.id, held.version);
            if form.get("version") != Some(&current) {
                return Err(Error::Stale(Stale { current, differing: vec!["street_1"] }));
            }
            add_home_address(tx, visitor, form, Patch::Value(day))
        }
        Some(held) => correct_home_address(tx, visitor, &held, form),
    }
}

fn add_home_address(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    form: &Form,
    effective_date: Patch<Date>,
) -> Result<(), Error> {
    let input = CreateHomeAddress {
        street_1: form.required_text("street_1"),
        street_2: form.clearable_text("street_2"),
        city: form.required_text("city"),
        state: form.required_text("state"),
        zip: form.required_text("zip"),
        courtesy_withholding: Patch::Value(form.is_ticked("courtesy_withholding")),
        effective_date,
        ..Default::default()
    };
    service::create_home(tx, &visitor.caller, visitor.person, &input).map(drop)
}

fn correct_home_address(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    held: &HomeAddress,
    form: &Form,
) -> Result<(), Error> {
    let input = UpdateHomeAddress {
        version: form.required_text("version"),
        street_1: form.required_text("street_1"),
        street_2: form.clearable_text("street_2"),
        city: form.required_text("city"),
        state: form.required_text("state"),
        zip: form.required_text("zip"),
        courtesy_withholding: Patch::Value(form.is_ticked("courtesy_withholding")),
        place_answers: match is_move(held, form) {
            // The answers were about the address before.
            true => Patch::Absent,
            false => question::submitted_answers(form),
        },
        ..Default::default()
    };
    service::update_home(tx, &visitor.caller, held.id, &input).map(drop)
}

/// Whether the entered address differs from the current one.
fn is_move(held: &HomeAddress, form: &Form) -> bool {
    let entered = |name: &str| form.get(name).unwrap_or_default().trim().to_owned();
    let place = ["street_1", "street_2", "city", "state", "zip"].map(entered);
    let second = held.street_2.clone().unwrap_or_default();
    place != [held.street_1.clone(), second, held.city.clone(), held.state.clone(), held.zip.clone()]
}

/// The effective date, at the latest today. The current address's own date means that it was wrong from the beginning.
fn chosen_effective_date(held: &HomeAddress, form: &Form, today: Date) -> Result<Date, Violation> {
    let entered = form.date_entry(SINCE);
    let first = held.effective_date;
    let day = entered.value().filter(|day| **day == first || (first < **day && **day <= today));
    day.copied().ok_or_else(|| {
        Violation::invalid(SINCE, format!("{SINCE} must be a day from {first} on, and not after today"))
    })
}
