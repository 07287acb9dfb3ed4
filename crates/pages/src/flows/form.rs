//! Forms: what was entered, what was wrong with it, and the controls that show both.

use axum::http::StatusCode;
use rules::Violation;

use crate::flows::texts::Texts;
use domain::patch::Patch;

/// Entries that no draft keeps: numbers that identify, and what is of one page.
const NOT_IN_DRAFTS: [&str; 6] =
    ["ssn", LAST_FOUR, "account_number", "document_number", "form_token", "version"];

/// The field in which a person confirms to be there: the last four digits of the Social Security number.
pub const LAST_FOUR: &str = "ssn_last_four";

/// What a browser sent.
#[derive(Debug, Default)]
pub struct Form(Vec<(String, String)>);

impl Form {
    /// Reads a form's body. What is no text becomes a replacement character, which no check lets through.
    pub fn parse(body: &[u8]) -> Self {
        Self(form_urlencoded::parse(body).into_owned().collect())
    }

    /// The entries as they wait for a new session: none that a later visitor must not read, and none that belong to
    /// one page as it was made.
    pub fn draft(&self) -> String {
        let kept = self.0.iter().filter(|(name, _)| !NOT_IN_DRAFTS.contains(&name.as_str()));
        form_urlencoded::Serializer::new(String::new()).extend_pairs(kept).finish()
    }

    /// The value of a control.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// The value as a field that must be filled: empty stays empty, and is refused by its check.
    pub fn needed(&self, name: &str) -> Patch<String> {
        Patch::Value(self.get(name).unwrap_or_default().trim().to_owned())
    }

    /// The value as a field that may be cleared.
    pub fn clearable(&self, name: &str) -> Patch<String> {
        match self.get(name).map(str::trim) {
            None | Some("") => Patch::Null,
            Some(value) => Patch::Value(value.to_owned()),
        }
    }

    /// Whether a box is ticked.
    pub fn ticked(&self, name: &str) -> bool {
        self.get(name).is_some()
    }
}

/// What was wrong with a form.
#[derive(Debug, Default, Clone)]
pub struct Problems {
    keys: Vec<String>,
    stale: bool,
}

impl Problems {
    /// The fields that violations name, each once.
    pub fn of(violations: &[Violation]) -> Self {
        let mut keys: Vec<String> = Vec::new();
        let mut open: Vec<&Violation> = violations.iter().rev().collect();
        while let Some(violation) = open.pop() {
            if violation.errors.is_empty() {
                if !keys.contains(&violation.key) {
                    keys.push(violation.key.clone());
                }
            } else {
                open.extend(violation.errors.iter().rev());
            }
        }
        Self { keys, stale: false }
    }

    /// One field that was refused.
    pub fn at(key: &str) -> Self {
        Self { keys: vec![key.to_owned()], stale: false }
    }

    /// Somebody else changed the record meanwhile.
    pub fn stale() -> Self {
        Self { keys: Vec::new(), stale: true }
    }

    /// The status of the page that shows them.
    pub fn status(&self) -> StatusCode {
        if self.stale { StatusCode::CONFLICT } else { StatusCode::UNPROCESSABLE_ENTITY }
    }

    /// Whether a field was refused.
    pub fn has(&self, key: &str) -> bool {
        self.keys.iter().any(|found| found == key)
    }

    /// Whether something below a field was refused.
    pub fn has_within(&self, key: &str) -> bool {
        self.keys.iter().any(|found| found.split('.').next() == Some(key))
    }

    /// Whether there is anything to say.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty() && !self.stale
    }
}

/// How a control is entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// one line; the browser's hint for the keyboard is `inputmode`
    Line {
        /// such as `text`, `email`, `numeric`, `decimal`
        inputmode: &'static str,
    },
    /// one of several
    Select(Vec<Choice>),
    /// yes or no
    Tick,
    /// a heading over the controls that follow
    Heading,
}

/// One of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// sent
    pub value: String,
    /// shown
    pub label: String,
}

/// A control of a form.
#[derive(Debug, Clone)]
pub struct Control {
    /// name, and id in the page
    pub name: String,
    /// shown
    pub label: String,
    /// how it is entered
    pub kind: Kind,
    /// what it holds; for a tick "on" or nothing
    pub value: String,
    /// a line below it
    pub help: Option<String>,
    /// whether it may stay empty
    pub optional: bool,
    /// the browser's hint for filling it in
    pub autocomplete: &'static str,
    /// what is wrong with it
    pub problem: Option<String>,
}

impl Control {
    /// A line of text that must be filled.
    pub fn line(name: &str, label: &str, autocomplete: &'static str) -> Self {
        Self {
            name: name.to_owned(),
            label: label.to_owned(),
            kind: Kind::Line { inputmode: "text" },
            value: String::new(),
            help: None,
            optional: false,
            autocomplete,
            problem: None,
        }
    }

    /// One of several choices, which must be made.
    pub fn select(name: &str, label: &str, choices: Vec<Choice>) -> Self {
        Self { kind: Kind::Select(choices), ..Self::line(name, label, "off") }
    }

    /// A box to tick.
    pub fn tick(name: &str, label: &str, ticked: bool) -> Self {
        let value = if ticked { "on" } else { "" }.to_owned();
        Self { kind: Kind::Tick, value, optional: true, ..Self::line(name, label, "off") }
    }

    /// What the control holds: what was entered, or what is stored.
    #[must_use]
    pub fn holding(mut self, entered: Option<&Form>, stored: Option<&str>) -> Self {
        self.value = match entered {
            Some(form) => form.get(&self.name).unwrap_or_default().to_owned(),
            None => stored.unwrap_or_default().to_owned(),
        };
        self
    }

    /// It may stay empty.
    #[must_use]
    pub fn optional(self) -> Self {
        Self { optional: true, ..self }
    }

    /// A line below it.
    #[must_use]
    pub fn help(self, text: &str) -> Self {
        Self { help: Some(text.to_owned()), ..self }
    }

    /// The keyboard that fits.
    #[must_use]
    pub fn keyboard(self, inputmode: &'static str) -> Self {
        Self { kind: Kind::Line { inputmode }, ..self }
    }

    /// The problem that was found with it, in the page's language.
    #[must_use]
    pub fn judged(mut self, problems: &Problems, message: &str) -> Self {
        if problems.has(&self.name) {
            self.problem = Some(message.to_owned());
        }
        self
    }
}

/// The states to choose from, by name.
pub fn states() -> Vec<Choice> {
    let choice = |(code, name): (&str, &str)| Choice { value: code.to_owned(), label: name.to_owned() };
    rules::check::STATES.into_iter().map(choice).collect()
}

/// The messages of problems that no control shows.
pub fn unplaced(problems: &Problems, controls: &[Control], texts: &Texts) -> Vec<String> {
    // A control's name may carry what it belongs to: a state before the key, an account behind it.
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
mod tests {
    use super::*;

    #[test]
    fn every_field_that_a_refusal_names_is_marked_once_however_deep_it_lies() {
        let deep = Violation::nested(
            "states",
            vec![Violation::nested("CA", vec![Violation::invalid("allowances", "x")])],
        );
        let problems = Problems::of(&[Violation::invalid("zip", "x"), Violation::invalid("zip", "y"), deep]);
        assert_eq!(problems.keys, ["zip", "allowances"]);
    }

    #[test]
    fn an_empty_line_is_refused_where_it_is_needed_and_clears_where_it_is_not() {
        let form = Form::parse(b"first_name=+&street_2=+&city=+San+Antonio+");
        assert!(matches!(form.needed("first_name"), Patch::Value(text) if text.is_empty()));
        assert!(matches!(form.clearable("street_2"), Patch::Null));
        assert!(matches!(form.needed("city"), Patch::Value(text) if text == "San Antonio"));
    }

    #[test]
    fn a_draft_holds_what_was_entered_but_no_number_that_identifies() {
        let form = Form::parse(
            b"form_token=t&version=v&first_name=Zo%C3%AB+%26+co&ssn=412-55-1077&account_number=99&document_number=A1",
        );
        let draft = Form::parse(form.draft().as_bytes());
        assert_eq!(draft.0, [("first_name".to_owned(), "Zo\u{eb} & co".to_owned())]);
    }
}
