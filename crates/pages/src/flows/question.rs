//! The question for the county, city, school district or municipality of an address, where the tables cannot tell: one tap on a name.

use std::collections::BTreeMap;

use askama::Template;
use rules::Named as _;
use rules::places::{NONE, PlaceKind, Question, Side};

use super::form::{Choice, Control, Form, Problems, unplaced_messages};
use super::frame::Frame;
use super::plain::render_template;
use crate::flows::texts::Texts;
use domain::Error;
use domain::company::locations::places::SentAnswers;
use domain::language::fill_placeholders;
use domain::patch::Patch;

#[derive(Template)]
#[template(path = "flow/question.html")]
struct QuestionPage<'a> {
    frame: &'a Frame,
    t: &'static Texts,
    title: &'static str,
    address: &'a str,
    version: &'a str,
    record: &'a str,
    key: &'static str,
    choices: Vec<Choice>,
    others: Vec<Choice>,
    /// the action that opens the form of the address
    edit: &'a str,
    refused: bool,
    summary: Vec<String>,
}

impl QuestionPage<'_> {
    /// Every control, for the list of problems.
    fn all_controls(&self) -> &[Control] {
        &[]
    }
}

/// An address that is asked about.
pub struct Asked<'a> {
    /// home or place of work
    pub side: Side,
    /// its lines
    pub address: &'a str,
    /// version of its record
    pub version: &'a str,
    /// identifier of its record, on a screen with several
    pub record: &'a str,
    /// the action that opens its form
    pub edit: &'a str,
}

/// The page that asks a question.
pub fn question_page(
    frame: &Frame,
    asked: &Asked<'_>,
    question: &Question,
    problems: &Problems,
) -> Result<String, Error> {
    let t = frame.texts;
    let choice = |choice: &rules::places::Choice| Choice {
        value: choice.code.clone(),
        label: choice_label(t, question.kind, &choice.code, &choice.name),
    };
    render_template(&QuestionPage {
        frame,
        t,
        title: question_title(t, asked.side, question.kind),
        address: asked.address,
        version: asked.version,
        record: asked.record,
        key: question.kind.as_str(),
        choices: question.choices.iter().map(choice).collect(),
        others: question.others.iter().map(choice).collect(),
        edit: asked.edit,
        refused: !problems.is_empty(),
        summary: unplaced_messages(problems, &[], t),
    })
}

/// The question in the page's language.
pub fn question_title(t: &Texts, side: Side, kind: PlaceKind) -> &'static str {
    match (side, kind) {
        (Side::Home, PlaceKind::County) => t.place_county,
        (Side::Home, PlaceKind::City) => t.place_city,
        (Side::Home, PlaceKind::Municipality) => t.place_municipality,
        (Side::Home, PlaceKind::SchoolDistrict) => t.place_district,
        // Transit districts tax work alone.
        (Side::Home | Side::Work, PlaceKind::TransitDistrict) => t.place_transit_of_work,
        (Side::Home, PlaceKind::Metro) => t.place_metro,
        (Side::Work, PlaceKind::Metro) => t.place_metro_of_work,
        (Side::Work, PlaceKind::County) => t.place_county_of_work,
        (Side::Work, PlaceKind::City) => t.place_city_of_work,
        (Side::Work, PlaceKind::Municipality) => t.place_municipality_of_work,
        (Side::Work, PlaceKind::SchoolDistrict) => t.place_district_of_work,
    }
}

fn choice_label(t: &Texts, kind: PlaceKind, code: &str, name: &str) -> String {
    match (code, kind) {
        (NONE, PlaceKind::Municipality) => t.place_outside.to_owned(),
        (NONE, PlaceKind::Metro) => t.place_not_in.to_owned(),
        (NONE, PlaceKind::TransitDistrict) => t.place_no_district.to_owned(),
        (_, PlaceKind::Metro) => fill_placeholders(t.place_in, &[("name", name)]),
        (NONE, _) => t.place_no_city.to_owned(),
        _ => name.to_owned(),
    }
}

/// A control for each question that has been answered, to correct the answer.
pub fn answered_question_controls(
    t: &'static Texts,
    side: Side,
    questions: &[Question],
    entered: Option<&Form>,
    problems: &Problems,
) -> Vec<Control> {
    let answered = questions.iter().filter_map(|question| {
        let answer = question.answer.as_deref()?;
        let all = question.choices.iter().chain(&question.others);
        let choices = all.map(|choice| Choice {
            value: choice.code.clone(),
            label: choice_label(t, question.kind, &choice.code, &choice.name),
        });
        let name = name_of(question.kind);
        let control = Control::select_field(&name, question_title(t, side, question.kind), choices.collect());
        Some(control.with_value(entered, Some(answer)).with_problem(problems, t.wrong_choice))
    });
    answered.collect()
}

fn name_of(kind: PlaceKind) -> String {
    format!("place_answers.{}", kind.as_str())
}

/// The answers of a form: that of a button, or of the controls of answered questions.
pub fn submitted_answers(form: &Form) -> Patch<SentAnswers> {
    let mut sent: SentAnswers = BTreeMap::new();
    if let Some((key, code)) = form.get("place").and_then(|place| place.split_once(':')) {
        let code = if code.is_empty() { form.get("other").unwrap_or_default() } else { code };
        if !code.is_empty() {
            sent.insert(key.to_owned(), Some(code.to_owned()));
        }
    }
    for kind in PlaceKind::ALL {
        if let Some(code) = form.get(&name_of(*kind)).filter(|code| !code.is_empty()) {
            sent.insert(kind.as_str().to_owned(), Some(code.to_owned()));
        }
    }
    if sent.is_empty() { Patch::Absent } else { Patch::Value(sent) }
}

/// Whether the form answers a question instead of changing the address.
pub fn is_answer(form: &Form) -> bool {
    form.get("place").is_some()
}
