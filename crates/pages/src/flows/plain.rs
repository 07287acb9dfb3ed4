//! The pages' templates, and the screens without rules of their own.

use askama::Template;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use jiff::civil::Date;

use super::form::{Control, Kind, Problems, unplaced_messages};
use super::frame::{Entry, Frame, Screen};
use crate::flows::texts::Texts;
use domain::Error;
use domain::language::{Language, fill_placeholders};

#[derive(Template)]
#[template(path = "flow/form.html")]
struct FormPage<'a> {
    frame: &'a Frame,
    t: &'static Texts,
    title: &'a str,
    lead: &'a str,
    version: &'a str,
    controls: Vec<Control>,
    summary: Vec<String>,
    refused: bool,
    facts: &'a [(&'a str, String)],
    /// label of the button that refreshes the facts; may be empty
    show: &'a str,
    /// a calendar of the facts; may be empty
    calendar: &'a str,
}

/// A form; `facts` are shown below it, read-only.
pub fn render_form(
    frame: &Frame,
    title: &str,
    version: &str,
    controls: Vec<Control>,
    problems: &Problems,
    facts: &[(&str, String)],
) -> Result<String, Error> {
    shaped_form(frame, Shape { title, lead: "", version, show: "" }, controls, problems, facts)
}

/// A form with facts that follow from the entries: a second button shows them without storing anything.
pub fn previewed_form(
    frame: &Frame,
    title: &str,
    version: &str,
    controls: Vec<Control>,
    problems: &Problems,
    facts: &[(&str, String)],
) -> Result<String, Error> {
    let shape = Shape { title, lead: "", version, show: frame.texts.w4_show };
    shaped_form(frame, shape, controls, problems, facts)
}

/// What is specific to the page of a form.
#[derive(Debug, Clone, Copy)]
pub struct Shape<'a> {
    /// the title
    pub title: &'a str,
    /// what it is about; may be empty
    pub lead: &'a str,
    /// the version of the record
    pub version: &'a str,
    /// label of the button that refreshes the facts; may be empty
    pub show: &'a str,
}

/// A form of such a shape; `facts` are shown below it, read-only.
pub fn shaped_form(
    frame: &Frame,
    shape: Shape<'_>,
    controls: Vec<Control>,
    problems: &Problems,
    facts: &[(&str, String)],
) -> Result<String, Error> {
    calendar_form(frame, shape, controls, problems, (facts, ""))
}

/// The same with a calendar of the facts.
pub fn calendar_form(
    frame: &Frame,
    shape: Shape<'_>,
    controls: Vec<Control>,
    problems: &Problems,
    (facts, calendar): (&[(&str, String)], &str),
) -> Result<String, Error> {
    let Shape { title, lead, version, show } = shape;
    let (t, version) = (frame.texts, frame.form_version(version));
    let summary = unplaced_messages(problems, &controls, t);
    let refused = !problems.is_empty();
    render_template(&FormPage {
        frame,
        t,
        title,
        lead,
        version,
        controls,
        summary,
        refused,
        facts,
        show,
        calendar,
    })
}

#[derive(Template)]
#[template(path = "flow/welcome.html")]
pub struct WelcomePage<'a> {
    pub frame: &'a Frame,
    pub t: &'static Texts,
    pub title: String,
    pub text: String,
    /// what to have at hand
    pub needed: Vec<&'static str>,
    pub time: &'static str,
    pub started: bool,
}

/// The introduction.
pub fn render_welcome(frame: &Frame) -> Result<String, Error> {
    let t = frame.texts;
    let title = fill_placeholders(t.welcome_title, &[("name", &frame.first_name)]);
    let about = if frame.asks_nothing() { t.welcome_text_read } else { t.welcome_text };
    let text = fill_placeholders(about, &[("company", &frame.company)]);
    let number = if frame.of_contractor { t.contractor.needed_number } else { t.welcome_needed_ssn };
    let asked: [(&[Screen], _); 4] = [
        (&[Screen::Personal], number),
        (&[Screen::Address], t.welcome_needed_address),
        (&[Screen::Federal, Screen::State], t.welcome_needed_tax),
        (&[Screen::Payment], t.welcome_needed_bank),
    ];
    let needed: Vec<_> =
        asked.into_iter().filter(|(screens, _)| frame.shows_any_of(screens)).map(|(_, what)| what).collect();
    let time = if needed.len() > 1 { t.welcome_time } else { t.welcome_time_short };
    let started = !frame.asks_nothing() && frame.step_entries().iter().any(|entry| entry.done);
    render_template(&WelcomePage { frame, t, title, text, needed, time, started })
}

#[derive(Template)]
#[template(path = "flow/done.html")]
pub struct DonePage<'a> {
    pub frame: &'a Frame,
    pub t: &'static Texts,
    pub text: String,
    /// what happens next, in order; empty if there was nothing to enter
    pub next: Vec<String>,
    /// label of the link back
    pub back: String,
    pub open: Vec<Entry>,
}

/// That nothing is left to do, or what is; `payday` is the next one, if known.
pub fn render_done(frame: &Frame, payday: Option<Date>) -> Result<String, Error> {
    let t = frame.texts;
    let what = if frame.asks_nothing() { t.done_text_read } else { t.done_text };
    let company = [("company", frame.company.as_str())];
    let text = fill_placeholders(what, &company);
    let mut next = vec![fill_placeholders(t.done_next_review, &company)];
    next.extend(payday.map(|day| fill_placeholders(t.done_next_payday, &[("day", &t.format_day(day))])));
    if !frame.of_contractor {
        next.push(t.done_next_stub.to_owned());
    }
    if frame.asks_nothing() {
        next.clear();
    }
    render_template(&DonePage { frame, t, text, next, back: back_label(frame), open: frame.open_entries() })
}

/// The label of the link back to the creator of the link.
pub fn back_label(frame: &Frame) -> String {
    match &frame.face.theme.display_name {
        Some(name) => fill_placeholders(frame.texts.done_back, &[("name", name)]),
        None => frame.texts.done_back_plain.to_owned(),
    }
}

#[derive(Template)]
#[template(path = "flow/message.html")]
struct MessagePage<'a> {
    language: Language,
    title: &'a str,
    text: &'a str,
}

/// A page outside of any session.
pub fn message_page(language: Language, status: StatusCode, title: &str, text: &str) -> Response {
    match render_template(&MessagePage { language, title, text }) {
        Ok(page) => (status, Html(page)).into_response(),
        Err(error) => interface::error::Error::from(error).into_response(),
    }
}

/// A form that was sent from elsewhere.
pub fn foreign_form_page(language: Language) -> Response {
    let texts = crate::flows::texts::texts_in_language(language);
    message_page(language, StatusCode::FORBIDDEN, texts.refused_title, texts.refused_text)
}

pub(super) fn render_template(template: &impl Template) -> Result<String, Error> {
    template.render().map_err(Error::failed_operation("a page could not be made"))
}
