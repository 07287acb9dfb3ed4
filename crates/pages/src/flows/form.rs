//! Forms: entries, problems, and the controls that show both.

use std::borrow::Cow;

use axum::http::StatusCode;
use jiff::civil::Date;
use rules::Violation;

use crate::flows::texts::Texts;
use domain::Error;
use domain::error::Stale;
use domain::patch::Patch;

/// Entries that are never saved in a draft: identifying numbers, and session data. The version is saved: it shows
/// whether the record has changed since.
const NOT_IN_DRAFTS: [&str; 7] =
    ["ssn", "ein", LAST_FOUR, "account_number", "account_number_again", "document_number", "form_token"];

/// Suffixes of a date's fields.
pub const DATE_PARTS: [&str; 3] = ["month", "day", "year"];

/// The field of the identity check: the last four digits of the Social Security number.
pub const LAST_FOUR: &str = "ssn_last_four";

/// Prefix of a control's name for the value that the page showed.
const WAS: &str = "was.";

/// The entry in a control that watches for changes.
#[derive(Debug, PartialEq, Eq)]
pub enum Entry<'f> {
    /// this value
    Entered(&'f str),
    /// none: a change made elsewhere meanwhile is kept
    Untouched,
}

/// Suffix of a field whose record already exists with other values ([`Control::with_part_problem`]).
pub const IS_THERE: &str = "is_there";

/// What a browser sent.
#[derive(Debug, Default)]
pub struct Form(Vec<(String, String)>);

impl Form {
    /// Parses a form's body. Invalid UTF-8 becomes a replacement character, which every validation refuses; so does
    /// NUL, which no keyboard enters and a database server rejects.
    pub fn parse(body: &[u8]) -> Self {
        let text = |text: Cow<'_, str>| text.replace('\0', "\u{FFFD}");
        Self(form_urlencoded::parse(body).map(|(name, value)| (text(name), text(value))).collect())
    }

    /// The entries to keep for a new session: none that a later visitor must not read, and none that belong to the
    /// ended session.
    pub fn draft_entries(&self) -> String {
        let kept = self.0.iter().filter(|(name, _)| !NOT_IN_DRAFTS.contains(&name.as_str()));
        form_urlencoded::Serializer::new(String::new()).extend_pairs(kept).finish()
    }

    /// The entries that a page may show again.
    #[must_use]
    pub fn without_secrets(&self) -> Self {
        let is_secret =
            |name: &str| name != "form_token" && name.split('.').any(|part| NOT_IN_DRAFTS.contains(&part));
        Self(self.0.iter().filter(|(name, _)| !is_secret(name)).cloned().collect())
    }

    /// The value of a control.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// The value of a required field: empty stays empty, and is refused by validation.
    pub fn required_text(&self, name: &str) -> Patch<String> {
        Patch::Value(self.get(name).unwrap_or_default().trim().to_owned())
    }

    /// The value of a field that can be cleared.
    pub fn clearable_text(&self, name: &str) -> Patch<String> {
        match self.get(name).map(str::trim) {
            None | Some("") => Patch::Null,
            Some(value) => Patch::Value(value.to_owned()),
        }
    }

    /// Every value of a control that can occur several times.
    pub fn all_values(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// The same with another control.
    #[must_use]
    pub fn with_entry(&self, name: &str, value: &str) -> Self {
        let added = (name.to_owned(), value.to_owned());
        Self(self.0.iter().cloned().chain([added]).collect())
    }

    /// Each control with its value.
    pub fn name_value_pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The name of each control.
    pub fn control_names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// The entered fields of a date: month, day and year. A whole date in one field is split.
    fn date_parts(&self, name: &str) -> [String; 3] {
        let parts = DATE_PARTS.map(|part| self.get(&format!("{name}.{part}")).unwrap_or_default().to_owned());
        let mut filled = parts.iter().filter(|part| !part.trim().is_empty());
        match (filled.next(), filled.next(), self.get(name)) {
            (None, _, Some(whole)) => parts_of_date(whole),
            // The first field is too narrow for a whole date that was entered there.
            (Some(whole), None, _) if written_date(whole.trim()).is_some() => parts_of_date(whole.trim()),
            _ => parts,
        }
    }

    /// An entered date, in three fields or in one; an invalid one is refused by validation.
    pub fn date_entry(&self, name: &str) -> Patch<Date> {
        Patch::Value(self.date_text(name)).date()
    }

    /// The text of an entered date: YYYY-MM-DD if it is one.
    fn date_text(&self, name: &str) -> String {
        let parts = self.date_parts(name);
        let filled: Vec<&str> =
            parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()).collect();
        let written = filled.join("/");
        written_date(&written).map_or(written, |day| day.to_string())
    }

    /// The same for an optional date.
    pub fn clearable_date(&self, name: &str) -> Patch<String> {
        match self.date_text(name) {
            text if text.is_empty() => Patch::Null,
            text => Patch::Value(text),
        }
    }

    /// The value that the page showed in a control that [watches](Control::with_watched_value) for changes.
    pub fn shown_value(&self, name: &str) -> Option<&str> {
        self.get(&format!("{WAS}{name}")).map(str::trim)
    }

    /// The entry in a control that [watches](Control::with_watched_value) for changes; `now` is the current value.
    ///
    /// # Errors
    /// Stale, if it was changed both here and elsewhere.
    pub fn watched_entry(&self, name: &str, now: &str) -> Result<Entry<'_>, Error> {
        let value = self.get(name).map(str::trim).unwrap_or_default();
        match self.shown_value(name) {
            Some(was) if was == value && was != now => Ok(Entry::Untouched),
            Some(was) if was != now && value != now => {
                Err(Error::Stale(Stale { current: now.to_owned(), differing: vec!["answers"] }))
            }
            _ => Ok(Entry::Entered(value)),
        }
    }

    /// Whether a box is ticked.
    pub fn is_ticked(&self, name: &str) -> bool {
        self.get(name).is_some()
    }
}

/// A date in a usual notation: 07/31/1990, 7-31-1990, 1990-07-31. The year must have four digits, so that nothing is
/// guessed.
pub fn written_date(text: &str) -> Option<Date> {
    let parts: Vec<&str> = text.split(['/', '-', '.', ' ']).filter(|part| !part.is_empty()).collect();
    let [first, second, third] = parts.as_slice() else { return None };
    let (year, month, day) = if first.len() == 4 { (first, second, third) } else { (third, first, second) };
    let digits =
        |text: &str, most: usize| text.len() <= most && text.bytes().all(|byte| byte.is_ascii_digit());
    if year.len() != 4 || !digits(year, 4) || !digits(month, 2) || !digits(day, 2) {
        return None;
    }
    Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()
}

/// Month, day and year of a whole date; an invalid one remains in the first field.
fn parts_of_date(text: &str) -> [String; 3] {
    match written_date(text) {
        Some(day) => [day.month().to_string(), day.day().to_string(), day.year().to_string()],
        None => [text.to_owned(), String::new(), String::new()],
    }
}

/// The problems of a form.
#[derive(Debug, Default, Clone)]
pub struct Problems {
    keys: Vec<String>,
    /// the problems of each field, without those that only contain others
    told: Vec<Violation>,
    refused: Vec<Violation>,
    stale: bool,
}

impl Problems {
    /// The fields that violations name, each once.
    pub fn from_violations(violations: &[Violation]) -> Self {
        let (mut keys, mut told): (Vec<String>, Vec<Violation>) = (Vec::new(), Vec::new());
        let mut open: Vec<&Violation> = violations.iter().rev().collect();
        while let Some(violation) = open.pop() {
            if violation.errors.is_empty() {
                told.push(violation.clone());
                if !keys.contains(&violation.key) {
                    keys.push(violation.key.clone());
                }
            } else {
                open.extend(violation.errors.iter().rev());
            }
        }
        Self { keys, told, refused: violations.to_vec(), stale: false }
    }

    /// One field that was refused.
    pub fn at_field(key: &str) -> Self {
        Self { keys: vec![key.to_owned()], ..Self::default() }
    }

    /// The record was changed elsewhere meanwhile.
    pub fn stale_record() -> Self {
        Self { stale: true, ..Self::default() }
    }

    /// The status of the page that shows them.
    pub fn status_code(&self) -> StatusCode {
        if self.stale { StatusCode::CONFLICT } else { StatusCode::UNPROCESSABLE_ENTITY }
    }

    /// Whether a field was refused.
    pub fn has_field(&self, key: &str) -> bool {
        self.keys.iter().any(|found| found == key)
    }

    /// Whether a field nested in another was refused.
    pub fn has_within(&self, key: &str) -> bool {
        self.keys.iter().any(|found| found.split('.').next() == Some(key))
    }

    /// Whether a message begins with these words.
    pub fn has_message(&self, begins: &str) -> bool {
        self.told.iter().any(|one| one.message.starts_with(begins))
    }

    /// The metadata of a refused field under a name.
    pub fn field_metadata(&self, key: &str, name: &str) -> Option<&str> {
        let of_field = self.told.iter().filter(|one| one.key == key);
        of_field.filter_map(|one| one.metadata.as_ref()?.get(name)?.as_str()).next()
    }

    /// The violations.
    pub fn refused_violations(&self) -> &[Violation] {
        &self.refused
    }

    /// Whether the record was changed elsewhere meanwhile.
    pub fn is_stale(&self) -> bool {
        self.stale
    }

    /// Whether there is anything to say.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty() && !self.stale
    }
}

/// The kind of a control.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// one line; `inputmode` is the browser's hint for the keyboard
    Line {
        /// such as `text`, `email`, `numeric`, `decimal`
        inputmode: &'static str,
    },
    /// month, day and year, each in its own field
    Date {
        /// the values of the fields
        parts: [String; 3],
        /// autocomplete hints; may be empty
        autocomplete: [&'static str; 3],
    },
    /// an identifying number: masked while it is entered, and never sent back
    Secret,
    /// one of several choices
    Select(Vec<Choice>),
    /// yes or no
    Tick,
    /// a heading over the controls that follow
    Heading,
}

/// A choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// value
    pub value: String,
    /// label
    pub label: String,
}

/// A control of a form.
#[derive(Debug, Clone)]
pub struct Control {
    /// name, and id in the page
    pub name: String,
    /// label
    pub label: String,
    /// kind
    pub kind: Kind,
    /// its value; for a checkbox "on" or empty
    pub value: String,
    /// a help text below it
    pub help: Option<String>,
    /// whether it is optional
    pub optional: bool,
    /// whether the label says that it is optional: not where another answer makes it needed
    pub is_marked: bool,
    /// autocomplete hint
    pub autocomplete: &'static str,
    /// the problem with it
    pub problem: Option<String>,
    /// CSS classes
    pub class: &'static str,
    /// the value that the page shows, sent back by the form; `None` if a record's version serves instead
    pub was: Option<String>,
    /// whether it holds dollars, which are shown with their sign where they cannot be changed
    pub dollars: bool,
}

impl Control {
    /// A date, in three fields.
    pub fn date_field(name: &str, label: &str) -> Self {
        let kind = Kind::Date { parts: Default::default(), autocomplete: ["off"; 3] };
        Self { kind, ..Self::text_line(name, label, "off") }
    }

    /// A date of birth, in three fields.
    pub fn birth_date_field(name: &str, label: &str) -> Self {
        let autocomplete = ["bday-month", "bday-day", "bday-year"];
        let kind = Kind::Date { parts: Default::default(), autocomplete };
        Self { kind, ..Self::text_line(name, label, "off") }
    }

    /// An identifying number.
    pub fn secret_field(name: &str, label: &str) -> Self {
        Self { kind: Kind::Secret, ..Self::text_line(name, label, "off") }
    }

    /// Shown only if the style sheet says so.
    #[must_use]
    pub fn with_class(self, class: &'static str) -> Self {
        Self { class, ..self }
    }

    /// A required line of text.
    pub fn text_line(name: &str, label: &str, autocomplete: &'static str) -> Self {
        Self {
            name: name.to_owned(),
            label: label.to_owned(),
            kind: Kind::Line { inputmode: "text" },
            value: String::new(),
            help: None,
            optional: false,
            is_marked: true,
            autocomplete,
            problem: None,
            class: "",
            was: None,
            dollars: false,
        }
    }

    /// A required choice.
    pub fn select_field(name: &str, label: &str, choices: Vec<Choice>) -> Self {
        Self { kind: Kind::Select(choices), ..Self::text_line(name, label, "off") }
    }

    /// A checkbox.
    pub fn checkbox_field(name: &str, label: &str, ticked: bool) -> Self {
        let value = if ticked { "on" } else { "" }.to_owned();
        Self { kind: Kind::Tick, value, optional: true, ..Self::text_line(name, label, "off") }
    }

    /// Sets the value: the entry, or the stored value.
    #[must_use]
    pub fn with_value(mut self, entered: Option<&Form>, stored: Option<&str>) -> Self {
        if let Kind::Date { parts, .. } = &mut self.kind {
            *parts = match entered {
                Some(form) => form.date_parts(&self.name),
                None => stored.map(parts_of_date).unwrap_or_default(),
            };
            stored.unwrap_or_default().clone_into(&mut self.value);
            return self;
        }
        if self.kind == Kind::Secret {
            return self;
        }
        self.value = match entered {
            Some(form) => form.get(&self.name).unwrap_or_default().to_owned(),
            None => stored.unwrap_or_default().to_owned(),
        };
        self
    }

    /// As [`with_value`](Self::with_value), on a page with many records and no version: an untouched control shows the
    /// current value, so that a change made elsewhere is not reverted.
    #[must_use]
    pub fn with_watched_value(
        self,
        entered: Option<&Form>,
        stored: Option<&str>,
        problems: &Problems,
    ) -> Self {
        let stored = stored.unwrap_or_default();
        let touched = entered.and_then(|form| {
            let (value, was) = (form.get(&self.name).unwrap_or_default(), form.shown_value(&self.name));
            (was != Some(value.trim())).then_some((value, was))
        });
        let (value, was) = match touched {
            // After being told of a change, the visitor decides about the current value.
            Some((value, Some(was))) if !problems.stale => (value, was),
            Some((value, _)) => (value, stored),
            None => (stored, stored),
        };
        Self { value: value.to_owned(), was: Some(was.to_owned()), ..self }
    }

    /// Makes it optional.
    #[must_use]
    pub fn made_optional(self) -> Self {
        Self { optional: true, ..self }
    }

    /// Needed only after some answers to another question: the browser lets it be empty, and the label does not call it optional.
    #[must_use]
    pub fn needed_sometimes(self) -> Self {
        Self { optional: true, is_marked: false, ..self }
    }

    /// Adds a help text.
    #[must_use]
    pub fn with_help(self, text: &str) -> Self {
        Self { help: Some(text.to_owned()), ..self }
    }

    /// Sets the keyboard.
    #[must_use]
    pub fn with_keyboard(self, inputmode: &'static str) -> Self {
        Self { kind: Kind::Line { inputmode }, ..self }
    }

    /// An amount of dollars.
    #[must_use]
    pub fn in_dollars(self) -> Self {
        Self { dollars: true, ..self.with_keyboard("decimal") }
    }

    /// A problem that does not concern the entry itself, by the suffix of its key.
    #[must_use]
    pub fn with_part_problem(mut self, problems: &Problems, part: &str, message: &str) -> Self {
        if problems.has_field(&format!("{}.{part}", self.name)) {
            self.problem = Some(message.to_owned());
        }
        self
    }

    /// The problem found with it, in the page's language.
    #[must_use]
    pub fn with_problem(mut self, problems: &Problems, message: &str) -> Self {
        if problems.has_field(&self.name) {
            self.problem = Some(message.to_owned());
        }
        self
    }
}

/// The states to choose from, by name.
pub fn state_choices() -> Vec<Choice> {
    let choice = |(code, name): (&str, &str)| Choice { value: code.to_owned(), label: name.to_owned() };
    rules::check::STATES.into_iter().map(choice).collect()
}

/// The messages of problems that no control shows.
pub fn unplaced_messages(problems: &Problems, controls: &[Control], texts: &Texts) -> Vec<String> {
    // A control's name may have a context: a state before the key, an account after it.
    let placed = |key: &String| {
        let first = key.split('.').next();
        controls.iter().any(|control| {
            let mut parts = control.name.split('.');
            control.name == *key || parts.next() == first || parts.next_back() == Some(key)
        })
    };
    let loose = problems.keys.iter().any(|key| !placed(key));
    let stale = problems.stale.then(|| texts.error_stale.to_owned());
    stale.into_iter().chain(loose.then(|| texts.wrong_other.to_owned())).collect()
}

#[cfg(test)]
#[path = "form_tests.rs"]
mod tests;
