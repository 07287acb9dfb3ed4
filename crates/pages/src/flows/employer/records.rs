//! Screens with a list: the records, with buttons for each, and a form that adds or changes one.

use askama::Template;

use super::super::form::{Control, Form, Kind, Problems, unplaced_messages};
use super::super::frame::Frame;
use super::super::pager::{Pager, Part, last_page};
use super::super::plain::render_template;
use crate::flows::texts::Texts;
use domain::Error;

/// A record of the list.
pub struct Record {
    /// title
    pub title: String,
    /// a line below it
    pub detail: String,
    /// status, in a word
    pub mark: Option<&'static str>,
    /// whether the status is good
    pub good: bool,
    /// its actions: the value that the button sends, and its label
    pub buttons: Vec<(String, &'static str)>,
}

/// The open form.
pub struct Open {
    /// title
    pub title: String,
    /// a line below the title
    pub lead: &'static str,
    /// the record's version; empty for a new one
    pub version: String,
    /// the record's identifier; empty for a new one
    pub record: String,
    /// the value that its button sends
    pub action: &'static str,
    /// the label of its button
    pub label: &'static str,
    /// its fields
    pub controls: Vec<Control>,
}

/// The texts of the screen.
pub struct Words {
    /// the title
    pub title: &'static str,
    /// what it is about
    pub lead: &'static str,
    /// the label of the button that opens the form
    pub add: &'static str,
}

#[derive(Template)]
#[template(path = "flow/records.html")]
struct RecordsPage<'a> {
    frame: &'a Frame,
    t: &'static Texts,
    words: Words,
    records: Vec<Record>,
    /// which page of the list this is
    page: i64,
    /// the page on which a new record will be
    end: i64,
    pager: Option<Pager>,
    open: Option<Open>,
    refused: bool,
    summary: Vec<String>,
}

/// The page.
pub fn records_page(
    frame: &Frame,
    words: Words,
    records: Part<Vec<Record>>,
    open: Option<Open>,
    problems: &Problems,
    said: Option<&str>,
) -> Result<String, Error> {
    let controls = open.as_ref().map(|open| open.controls.as_slice()).unwrap_or_default();
    let mut summary = unplaced_messages(problems, controls, frame.texts);
    if let Some(said) = said.filter(|_| !summary.is_empty() && !problems.is_stale()) {
        summary = vec![said.to_owned()];
    }
    let refused = !problems.is_empty();
    let t = frame.texts;
    let path = format!("/flow/{}", frame.screen_name());
    render_template(&RecordsPage {
        frame,
        t,
        page: records.page,
        end: last_page(records.total + 1),
        pager: records.page_links(t, words.title, |page| format!("{path}?page={page}")),
        words,
        records: records.rows,
        open,
        refused,
        summary,
    })
}

impl RecordsPage<'_> {
    /// Every control, for the list of problems.
    fn all_controls(&self) -> &[Control] {
        self.open.as_ref().map(|open| open.controls.as_slice()).unwrap_or_default()
    }
}

/// The current action: what a button sent, and for which record.
pub fn current_action(form: Option<&Form>) -> (&str, &str) {
    let text = form.and_then(|form| form.get("action")).unwrap_or_default();
    text.split_once(':').unwrap_or((text, ""))
}
