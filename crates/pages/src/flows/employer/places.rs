//! The company's work locations, its mailing address, and its filing address.

use rules::check;
use rules::places::Side;
use store::Tx;

use super::super::address::{Held, address_line_controls, zip_elsewhere};
use super::super::dispatch::Saved;
use super::super::form::{Control, Form, Problems};
use super::super::frame::Frame;
use super::super::pager::{Part, rows_and_total};
use super::super::question;
use super::super::review::Fact;
use super::records::{self, Open, Record, Words};
use super::with_own;
use crate::flows::texts::Texts;
use domain::Error;
use domain::company::locations::commands::{CreateLocation, UpdateLocation};
use domain::company::locations::places::SentAnswers;
use domain::company::locations::rows;
use domain::company::locations::rows::Location;
use domain::company::locations::service;
use domain::patch::Patch;
use domain::people::flows::session::Visitor;
use domain::records::{id_of, version_text};
use domain::salary::wages::zip_areas::ZipAreas;

fn locations_on_page(tx: &mut Tx<'_>, visitor: &Visitor, page: i64) -> Result<Part<Vec<Location>>, Error> {
    Part::read_page(page, |page| Ok(rows_and_total(service::list_locations(tx, &visitor.caller, page)?)))
}

pub fn render_locations(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    entered: Option<&Form>,
    problems: Problems,
) -> Result<String, Error> {
    let (t, e) = (frame.texts, frame.texts.employer);
    let held = locations_on_page(tx, visitor, frame.pages.page)?;
    let (action, which) = records::current_action(entered);
    if action.is_empty() {
        let mut open = held.rows.iter().filter(|place| place.active);
        if let Some(place) = open.find(|place| place.work_localities(false).open_questions().next().is_some())
        {
            return render_question(frame, place, &problems);
        }
    }
    let which = if action == "save" {
        entered.and_then(|form| form.get("record")).unwrap_or_default()
    } else {
        which
    };
    let changed = match which.is_empty() {
        true => None,
        false => Location::find(tx, visitor.caller.company, id_of(which))?,
    };
    let opens = matches!(action, "add" | "edit" | "save") || held.rows.is_empty();
    let open = opens.then(|| Open {
        title: if changed.is_some() { e.place_change } else { e.place_new }.to_owned(),
        lead: "",
        version: changed
            .as_ref()
            .map(|one| version_text(service::TABLE, one.id, one.version))
            .unwrap_or_default(),
        record: changed.as_ref().map(|one| one.id.to_string()).unwrap_or_default(),
        action: "save",
        label: e.place_save,
        controls: location_controls(
            t,
            changed.as_ref(),
            entered.filter(|_| action == "save"),
            &problems,
            !held.rows.is_empty(),
        ),
    });
    let shown = held.map_rows(|place| location_record(t, place));
    let words = Words { title: e.places_title, lead: e.places_text, add: e.place_add };
    records::records_page(frame, words, shown, open, &problems, None)
}

/// The page with the first open question about a location.
fn render_question(frame: &Frame, place: &Location, problems: &Problems) -> Result<String, Error> {
    let found = place.work_localities(true);
    let Some(open) = found.open_questions().next() else { return Err(Error::NotFound) };
    let (record, version) = (place.id.to_string(), version_text(service::TABLE, place.id, place.version));
    let (address, edit) = (address_line(place), format!("edit:{record}"));
    let asked = question::Asked {
        side: Side::Work,
        address: &address,
        version: &version,
        record: &record,
        edit: &edit,
    };
    question::question_page(frame, &asked, open, problems)
}

fn address_line(place: &Location) -> String {
    let second = place.street_2.as_ref().map(|line| format!(", {line}")).unwrap_or_default();
    format!("{}{second}, {}, {} {}", place.street_1, place.city, place.state, place.zip)
}

fn location_uses(t: &Texts, place: &Location) -> String {
    let e = t.employer;
    let uses = [(place.filing_address, e.place_files), (place.mailing_address, e.place_mail)];
    let named: Vec<_> = uses.into_iter().filter(|(is, _)| *is).map(|(_, text)| text).collect();
    if named.is_empty() { e.place_works.to_owned() } else { named.join(" · ") }
}

fn location_record(t: &Texts, place: &Location) -> Record {
    Record {
        title: address_line(place),
        detail: location_uses(t, place),
        mark: None,
        good: true,
        buttons: vec![(format!("edit:{}", place.id), t.change)],
    }
}

/// The current locations, for the review.
pub fn location_facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let held = locations_on_page(tx, visitor, 1)?.rows;
    Ok(held
        .iter()
        .map(|place| Fact::new(location_uses(frame.texts, place), Some(address_line(place)), frame.texts))
        .collect())
}

fn location_controls(
    t: &'static Texts,
    held: Option<&Location>,
    entered: Option<&Form>,
    problems: &Problems,
    others: bool,
) -> Vec<Control> {
    let e = t.employer;
    let at = held.map(|place| Held {
        street_1: &place.street_1,
        street_2: place.street_2.as_deref(),
        city: &place.city,
        state: &place.state,
        zip: &place.zip,
    });
    let mut controls = address_line_controls(t, e.street_2, at.as_ref(), entered, problems);
    let questions = held.map(|place| place.work_localities(true).questions).unwrap_or_default();
    controls.extend(question::answered_question_controls(t, Side::Work, &questions, entered, problems));
    if problems.has_message(service::WORK_IS_PAID) {
        for control in controls.iter_mut().filter(|control| control.name == "state") {
            control.problem = Some(e.place_is_paid.to_owned());
        }
    }
    controls.push(
        Control::text_line("phone_number", e.phone, "tel-national")
            .with_value(entered, held.map(|place| place.phone_number.as_str()))
            .with_problem(problems, e.wrong_phone)
            .with_keyboard("tel")
            .with_help(e.phone_help),
    );
    // The first location is both; another one becomes either on request.
    if others {
        let ticks = [
            ("filing_address", e.place_file_here, held.is_some_and(|one| one.filing_address)),
            ("mailing_address", e.place_mail_here, held.is_some_and(|one| one.mailing_address)),
        ];
        for (name, label, has) in ticks {
            if !has {
                let ticked = entered.is_some_and(|form| form.is_ticked(name));
                controls.push(Control::checkbox_field(name, label, ticked));
            }
        }
    }
    controls
}

pub fn save_locations(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    form: &Form,
    zips: Option<&ZipAreas>,
) -> Result<Saved, Error> {
    if question::is_answer(form) && form.get("action").is_none() {
        let input = UpdateLocation {
            version: form.required_text("version"),
            place_answers: question::submitted_answers(form),
            ..UpdateLocation::default()
        };
        let record = id_of(form.get("record").unwrap_or_default());
        return service::update_location(tx, &visitor.caller, record, &input).map(|_| Saved::Stay);
    }
    match records::current_action(Some(form)).0 {
        "add" | "edit" => return Ok(Saved::Ask),
        "save" => {}
        _ => return Ok(Saved::Done),
    }
    let caller = &visitor.caller;
    let (street_1, street_2) = (form.required_text("street_1"), form.clearable_text("street_2"));
    let (city, state, zip) =
        (form.required_text("city"), form.required_text("state"), form.required_text("zip"));
    let phone_number = form.required_text("phone_number");
    let taken = |name: &str| if form.is_ticked(name) { Patch::Value(true) } else { Patch::Absent };
    let (mailing_address, filing_address) = (taken("mailing_address"), taken("filing_address"));
    let record = form.get("record").unwrap_or_default();
    // If two requests arrive at once, the second finds the first one's location.
    tx.take_guard(caller.company, service::TABLE, caller.company)?;
    if record.is_empty() && is_there(tx, visitor, form)? {
        return Ok(Saved::Stay);
    }
    let stored = if record.is_empty() {
        let input = CreateLocation {
            street_1,
            street_2,
            city,
            state,
            zip,
            phone_number,
            mailing_address,
            filing_address,
            ..CreateLocation::default()
        };
        service::create_location(tx, caller, &input)
    } else {
        let input = UpdateLocation {
            version: form.required_text("version"),
            street_1,
            street_2,
            city,
            state,
            zip,
            phone_number,
            mailing_address,
            filing_address,
            place_answers: answers_of(tx, visitor, record, form)?,
            ..UpdateLocation::default()
        };
        service::update_location(tx, caller, id_of(record), &input)
    };
    let elsewhere = zips.and_then(|zips| zip_elsewhere(zips, form));
    with_own(stored, elsewhere.into_iter().collect()).map(|_| Saved::Stay)
}

/// The answers of a form, unless it changes the address that they are about.
fn answers_of(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    record: &str,
    form: &Form,
) -> Result<Patch<SentAnswers>, Error> {
    let Some(held) = Location::find(tx, visitor.caller.company, id_of(record))? else {
        return Ok(Patch::Absent);
    };
    let entered = |name: &str| form.get(name).unwrap_or_default().trim();
    let same = [(&held.city, "city"), (&held.state, "state"), (&held.zip, "zip")];
    Ok(match same.into_iter().all(|(held, name)| held == entered(name)) {
        true => question::submitted_answers(form),
        false => Patch::Absent,
    })
}

/// Whether the form was sent twice: the location exists as entered.
fn is_there(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<bool, Error> {
    let entered = |name: &str| form.get(name).unwrap_or_default().trim();
    let phone = check::parse_phone("phone_number", entered("phone_number")).ok();
    let held = rows::of_company(tx, visitor.caller.company)?;
    Ok(held.iter().filter(|place| place.active).any(|place| {
        let lines = [&place.street_1, &place.city, &place.state, &place.zip];
        let same = lines
            .into_iter()
            .zip(["street_1", "city", "state", "zip"])
            .all(|(held, name)| held == entered(name));
        let taken = |name: &str, has: bool| has || !form.is_ticked(name);
        same && place.street_2.as_deref().unwrap_or_default() == entered("street_2")
            && Some(&place.phone_number) == phone.as_ref()
            && taken("filing_address", place.filing_address)
            && taken("mailing_address", place.mailing_address)
    }))
}
