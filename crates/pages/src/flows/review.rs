//! The review of all entries, with links to change them. Each screen contributes its facts; identifying numbers are
//! masked as on a bank statement.

use askama::Template;
use store::Tx;

use super::form::{Control, Kind};
use super::frame::{Entry, Frame, Screen};
use super::plain::render_template;
use super::{address, contractor, deductions, documents, federal, i9, payment, personal, state, time_off};
use crate::flows::texts::Texts;
use crate::money::dollars_of;
use domain::Error;
use domain::language::fill_placeholders;
use domain::people::flows::session::Visitor;

/// A fact: its label and value.
#[derive(Debug, Clone)]
pub struct Fact {
    /// label
    pub name: String,
    /// value
    pub value: String,
}

impl Fact {
    /// A fact; without a value it says so.
    pub fn new(name: impl Into<String>, value: Option<impl Into<String>>, texts: &Texts) -> Self {
        let value = value.map(Into::into).filter(|value: &String| !value.is_empty());
        Self { name: name.into(), value: value.unwrap_or_else(|| texts.not_given.to_owned()) }
    }

    /// The values of a screen's controls, in the words that the screen shows. A heading applies to what follows it.
    pub fn from_controls(controls: &[Control], texts: &Texts) -> Vec<Self> {
        let mut heading = None;
        let mut facts = Vec::new();
        for control in controls {
            let value = match &control.kind {
                Kind::Heading => {
                    heading = Some(&control.label);
                    continue;
                }
                Kind::Line { .. } if control.dollars && !control.value.is_empty() => {
                    Some(dollars_of(&control.value))
                }
                Kind::Line { .. } | Kind::Secret => Some(control.value.clone()),
                Kind::Date { .. } => Some(match control.value.parse() {
                    Ok(day) => texts.format_day(day),
                    Err(_) => control.value.clone(),
                }),
                Kind::Tick => Some(if control.value.is_empty() { texts.no } else { texts.yes }.to_owned()),
                Kind::Select(choices) => {
                    let chosen = choices.iter().find(|choice| choice.value == control.value);
                    chosen.map(|choice| choice.label.clone())
                }
            };
            let name = heading.map_or_else(|| control.label.clone(), |h| format!("{h}: {}", control.label));
            facts.push(Self::new(name, value, texts));
        }
        facts
    }
}

/// A screen with its facts.
pub struct Part {
    /// the title of the screen
    pub title: &'static str,
    /// where it can be changed; `None` if it is read-only
    pub path: Option<String>,
    /// its facts
    pub facts: Vec<Fact>,
}

#[derive(Template)]
#[template(path = "flow/review.html")]
pub struct ReviewPage<'a> {
    /// its frame
    pub frame: &'a Frame,
    /// its texts
    pub t: &'static Texts,
    /// its opening
    pub dear: String,
    /// the screens
    pub parts: Vec<Part>,
    /// what is still open
    pub open: Vec<Entry>,
    /// the text above the button
    pub end: &'static str,
}

/// The page.
pub fn render_review(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<String, Error> {
    let mut parts = Vec::new();
    for entry in frame.step_entries() {
        let screen = frame.find_screen(entry.path.rsplit('/').next().unwrap_or_default());
        let of_contractor = match screen {
            Some(screen) if frame.of_contractor => contractor::screen_facts(tx, visitor, frame, screen)?,
            _ => None,
        };
        let facts = match screen {
            _ if of_contractor.is_some() => of_contractor.unwrap_or_default(),
            Some(Screen::Personal) => personal::personal_facts(tx, visitor, frame)?,
            Some(Screen::Address) => address::address_facts(tx, visitor, frame)?,
            Some(Screen::Federal) => federal::w4_facts(tx, visitor, frame)?,
            Some(Screen::State) => state::state_tax_facts(tx, visitor, frame)?,
            Some(Screen::Payment) => payment::payment_facts(tx, visitor, frame)?,
            Some(Screen::Deductions) => deductions::deduction_facts(tx, visitor, frame)?,
            Some(Screen::TimeOff) => time_off::balance_facts(tx, visitor, frame)?,
            Some(Screen::I9) => i9::i9_facts(tx, visitor, frame)?,
            Some(Screen::Documents) => documents::signature_facts(tx, visitor, frame)?,
            _ => continue,
        };
        let path = Some(entry.path).filter(|_| !screen.is_some_and(Screen::is_read));
        parts.push(Part { title: entry.title, path, facts });
    }
    let names = [("name", frame.first_name.as_str()), ("company", frame.company.as_str())];
    let dear = fill_placeholders(frame.texts.letter_dear, &names);
    let (t, end) = (frame.texts, frame.texts.letter_end);
    render_template(&ReviewPage { frame, t, dear, parts, open: frame.open_entries(), end })
}
