//! Tables of state certificates and new hire reporting.

use super::answer::{Answer, check_answer};
use super::question::{Choice, ChoiceValue, Kind, MAX_COUNT, Must, NumberOf, Question};
use crate::Named;
use crate::amount::Amount;
use crate::withholding::csv_rows;
use crate::withholding::federal::{FilingStatus, W4};
use crate::withholding::table::{
    TableError, built_in, optional_member, read_amount, read_boolean, read_editions, read_list, read_text,
    read_whole_number, required_field,
};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// Key of the new hire reporting question.
pub const NEW_HIRE_REPORT: &str = "file_new_hire_report";
/// Key of the filing status question.
const STATUS: &str = "filing_status";
/// Key of the question about exemption from withholding.
const EXEMPT: &str = "exempt";
/// Row for states without their own row.
const FEDERAL: &str = "US";

const NEW_HIRE_REPORTING: &str = include_str!("../../../../../data/new_hire_reporting.csv");

static BUILT_IN: LazyLock<StateCertificates> = LazyLock::new(|| {
    built_in("state_certificates_2026.json", StateCertificates::parse(StateCertificates::FILE))
});

/// The certificates of all states, by year.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateCertificates {
    editions: BTreeMap<i16, StateTables>,
}

/// The certificates of the states in a year.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StateTables {
    by_code: BTreeMap<String, Arc<StateCertificate>>,
}

/// Withholding certificate of a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateCertificate {
    /// Two-letter code, as returned by [`crate::check::state`].
    pub code: String,
    /// Name of the state.
    pub name: String,
    /// Whether the state taxes wages.
    pub wage_tax: bool,
    /// Name of the form; `None` if the state does not tax wages or has no form.
    pub form: Option<String>,
    /// Questions, in the order of the form; if the state does not tax wages, only the employer's about exemption from the
    /// state's programs.
    pub questions: Vec<Question>,
    /// Withholding without a certificate.
    pub if_no_certificate: IfNoCertificate,
    /// The state's filing status for each status of the federal Form W-4, in states that use that form; otherwise empty.
    pub by_federal_w4: Vec<(FilingStatus, Answer)>,
    /// New hire reporting question for the employer, [`NEW_HIRE_REPORT`].
    pub new_hire_report: Question,
    /// Deadline of the report, in days after the start of work.
    pub new_hire_days: i32,
}

/// Withholding from an employee without a certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IfNoCertificate {
    /// As if these answers were given, by key; other questions use their defaults.
    Answers(Vec<(String, Answer)>),
    /// A percentage of wages.
    FlatPercent(Amount),
}

impl StateCertificate {
    /// Whether the employee has given a certificate: whether any of the employee's own questions is answered.
    pub fn is_given(&self, answered: impl Fn(&str) -> bool) -> bool {
        self.questions.iter().any(|question| !question.admin_only && answered(&question.key))
    }

    /// Returns the answers that a federal Form W-4 gives to the state's questions, in states that use that form. They take
    /// precedence over stored answers, which at best copy an older form.
    pub fn answers_of(&self, w4: &W4) -> Vec<(&'static str, Answer)> {
        if self.by_federal_w4.is_empty() {
            return Vec::new();
        }
        // These states exempt whoever the federal form exempts, and nobody else by an answer of their own.
        let exempt = (EXEMPT, Answer::Bool(w4.is_exempt()));
        let status = self.by_federal_w4.iter().find(|(status, _)| *status == w4.filing_status());
        let status = status.filter(|_| !w4.is_exempt()).map(|(_, answer)| (STATUS, answer.clone()));
        status.into_iter().chain([exempt]).collect()
    }
}

impl StateCertificate {
    /// Returns the codes of the taxes from which the employee's answers exempt.
    pub fn exempted_taxes(&self, answer: impl Fn(&str) -> Option<Answer>) -> Vec<&str> {
        let yes = |question: &&Question| {
            !question.exempts.is_empty() && answer(&question.key) == Some(Answer::Bool(true))
        };
        self.questions.iter().filter(yes).flat_map(|question| &question.exempts).map(String::as_str).collect()
    }
}

impl StateCertificates {
    /// The built-in certificates as text.
    pub const FILE: &'static str = include_str!("../../../../../data/state_certificates_2026.json");

    /// Returns the built-in certificates: the fifty states and the District of Columbia, 2026.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Parses the layout of `state_certificates_<year>.json`, or a list of such objects. A state that is missing from a
    /// year keeps its form of the year before.
    ///
    /// # Errors
    /// Something is missing or malformed, a default or an answer is not valid for its question, or keys of a
    /// state are not unique.
    pub fn parse(file: &str) -> Result<Self, TableError> {
        Self::parse_with(file, NEW_HIRE_REPORTING)
    }

    fn parse_with(file: &str, new_hire_reporting: &str) -> Result<Self, TableError> {
        let days = NewHireDays::read_days(new_hire_reporting)?;
        let mut editions = read_editions(file, |_, edition| StateTables::read_edition(edition, &days))?;
        let mut before = StateTables::default();
        for edition in editions.values_mut() {
            for (code, certificate) in before.by_code {
                edition.by_code.entry(code).or_insert(certificate);
            }
            before = edition.clone();
        }
        Ok(Self { editions })
    }

    /// Returns the certificates of a year: those of the newest edition up to that year, or of the oldest edition.
    ///
    /// # Panics
    /// Never: there is at least one edition.
    pub fn certificates_of_year(&self, year: i16) -> &StateTables {
        let edition = self.editions.range(..=year).next_back().or_else(|| self.editions.first_key_value());
        let Some((_, tables)) = edition else { panic!("certificates have an edition") };
        tables
    }

    /// Returns the certificates of all years, in order.
    pub fn iter(&self) -> impl Iterator<Item = (i16, &StateTables)> {
        self.editions.iter().map(|(year, tables)| (*year, tables))
    }
}

impl StateTables {
    /// Returns the newest built-in certificates.
    pub fn built_in() -> &'static Self {
        BUILT_IN.certificates_of_year(i16::MAX)
    }

    fn read_edition(edition: &Value, days: &NewHireDays) -> Result<Self, TableError> {
        let common = required_field(edition, "every_wage_tax", |value| read_list(value, read_question))?;
        let states = required_field(edition, "states", |value| {
            value.as_object().ok_or_else(|| TableError::new("this must be an object"))
        })?;
        let read = |(code, value): (&String, &Value)| {
            let due = days.days_of_state(code);
            let certificate =
                read_state(code, value, &common, due).map_err(|error| error.within_part(code))?;
            Ok((code.clone(), Arc::new(certificate)))
        };
        Ok(Self { by_code: states.iter().map(read).collect::<Result<_, TableError>>()? })
    }

    /// Returns the certificate of a state.
    pub fn get(&self, code: &str) -> Option<&Arc<StateCertificate>> {
        self.by_code.get(code)
    }

    /// Returns all states, by code.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<StateCertificate>> {
        self.by_code.values()
    }
}

/// A row of `new_hire_reporting.csv`.
#[derive(Deserialize)]
struct NewHireRow {
    state: String,
    days: i32,
}

/// Days within which a new hire must be reported.
struct NewHireDays {
    by_state: BTreeMap<String, i32>,
    /// Days for states without a row.
    federal: i32,
}

impl NewHireDays {
    fn read_days(csv: &str) -> Result<Self, TableError> {
        let rows = csv_rows::<NewHireRow>(csv).map_err(|error| error.within_part("new hire reporting"))?;
        let by_state: BTreeMap<String, i32> = rows.into_iter().map(|row| (row.state, row.days)).collect();
        let federal = by_state.get(FEDERAL).copied();
        let federal = federal.ok_or_else(|| TableError::new("new hire reporting: no row US"))?;
        Ok(Self { by_state, federal })
    }

    fn days_of_state(&self, state: &str) -> i32 {
        self.by_state.get(state).copied().unwrap_or(self.federal)
    }
}

fn read_state(
    code: &str,
    value: &Value,
    common: &[Question],
    new_hire_days: i32,
) -> Result<StateCertificate, TableError> {
    let name = required_field(value, "name", read_text)?;
    let wage_tax = required_field(value, "wage_tax", read_boolean)?;
    // A state that does not tax wages may have programs with exemptions.
    let asked = optional_member(value, "questions").map(|value| read_list(value, read_question));
    let mut questions =
        asked.transpose().map_err(|error| error.within_part("questions"))?.unwrap_or_default();
    if wage_tax {
        required_field(value, "questions", |_| Ok(()))?;
        let left_out =
            optional_member(value, "not_asked").map_or(Ok(Vec::new()), |keys| read_list(keys, read_text))?;
        let asked = common.iter().filter(|question| !left_out.contains(&question.key));
        questions.extend(asked.cloned());
    }
    let mut keys: Vec<_> = questions.iter().map(|question| question.key.as_str()).collect();
    keys.sort_unstable();
    if let Some(pair) = keys.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(TableError::new(format!("questions: {} is there twice", pair[0])));
    }
    let if_no_certificate = if wage_tax {
        required_field(value, "if_no_certificate", |value| read_if_no_certificate(value, &questions))?
    } else {
        IfNoCertificate::Answers(Vec::new())
    };
    let by_federal_w4 = optional_member(value, "by_federal_w4")
        .map(|by| read_by_federal_w4(by, &questions).map_err(|error| error.within_part("by_federal_w4")));
    Ok(StateCertificate {
        code: code.to_owned(),
        by_federal_w4: by_federal_w4.transpose()?.unwrap_or_default(),
        form: optional_member(value, "form").map(read_text).transpose()?,
        new_hire_report: new_hire_question(&name, new_hire_days),
        new_hire_days,
        name,
        wage_tax,
        questions,
        if_no_certificate,
    })
}

fn new_hire_question(state: &str, days: i32) -> Question {
    Question {
        key: NEW_HIRE_REPORT.to_owned(),
        in_formula: None,
        label: format!(
            "File a new hire report with {state}? It is due within {days} days after the employee starts."
        ),
        help: Some("Also no if somebody else files it.".to_owned()),
        // As existing clients look for them.
        kind: Kind::yes_no_labeled(
            "Yes, file the state new hire report for me.",
            "No, I have already filed.",
        ),
        must: None,
        default: None,
        admin_only: true,
        optional: false,
        exempts: Vec::new(),
        counts_with: None,
    }
}

fn read_question(value: &Value) -> Result<Question, TableError> {
    let key = required_field(value, "key", read_text)?;
    let within = |error: TableError| error.within_part(&key);
    let mut question = Question {
        label: required_field(value, "label", read_text).map_err(within)?,
        help: optional_member(value, "help").map(read_text).transpose().map_err(within)?,
        kind: read_kind(value).map_err(within)?,
        must: read_must(value).map_err(within)?,
        default: None,
        admin_only: optional_member(value, "admin_only").map_or(Ok(false), read_boolean).map_err(within)?,
        optional: optional_member(value, "optional").map_or(Ok(false), read_boolean).map_err(within)?,
        in_formula: optional_member(value, "in_formula").map(read_text).transpose().map_err(within)?,
        exempts: optional_member(value, "exempts")
            .map_or(Ok(Vec::new()), |codes| read_list(codes, read_text))
            .map_err(within)?,
        counts_with: optional_member(value, "counts_with")
            .map(read_counts_with)
            .transpose()
            .map_err(within)?,
        key: key.clone(),
    };
    if let Some(default) = optional_member(value, "default") {
        question.default = Some(read_answer(&question, default)?);
    }
    Ok(question)
}

/// Reads the answers to another question with which an answer counts: `{"filing_status": ["single", "married"]}`.
fn read_counts_with(value: &Value) -> Result<(String, Vec<String>), TableError> {
    let one = value.as_object().filter(|questions| questions.len() == 1).and_then(|one| one.iter().next());
    let (key, words) = one.ok_or_else(|| TableError::new("counts_with must name one question"))?;
    Ok((key.clone(), read_list(words, read_text).map_err(|error| error.within_part(key))?))
}

fn read_kind(value: &Value) -> Result<Kind, TableError> {
    match required_field(value, "type", read_text)?.as_str() {
        "select" => {
            required_field(value, "options", |options| read_list(options, read_choice)).map(Kind::Select)
        }
        "boolean" => Ok(Kind::yes_or_no()),
        "count" => {
            let max = optional_member(value, "max").map_or(Ok(MAX_COUNT), read_whole_number)?;
            Ok(Kind::Number(NumberOf::Things { max }))
        }
        "percent" => Ok(Kind::Number(NumberOf::Percent)),
        "currency" => Ok(Kind::Currency),
        "text" => Ok(Kind::Text),
        "date" => Ok(Kind::Date),
        other => Err(TableError::new(format!("no such type: {other}"))),
    }
}

fn read_must(value: &Value) -> Result<Option<Must>, TableError> {
    let bounds = ["lowest", "highest"].map(|name| optional_member(value, name).map(read_amount).transpose());
    let [from, to] = bounds;
    let psd = optional_member(value, "psd_code").map_or(Ok(false), read_boolean)?;
    let district = optional_member(value, "school_district").map_or(Ok(false), read_boolean)?;
    Ok(match (from?, to?) {
        (Some(from), Some(to)) => Some(Must::Lie { from, to }),
        (None, None) if psd => Some(Must::BePsdCode),
        (None, None) => district.then_some(Must::NameDistrict),
        _ => return Err(TableError::new("lowest and highest go together")),
    })
}

fn read_choice(value: &Value) -> Result<Choice, TableError> {
    let parts = value.as_array().map(Vec::as_slice);
    let (value, label, in_formula) = match parts {
        Some([value, label]) => (value, label, Vec::new()),
        Some([value, label, Value::Object(said)]) => (value, label, read_said(said)?),
        _ => return Err(TableError::new("an option must be a value and a label")),
    };
    let value = match value {
        Value::String(word) => ChoiceValue::Text(word.clone()),
        Value::Bool(yes) => ChoiceValue::Bool(*yes),
        number => ChoiceValue::Int(read_whole_number(number)?),
    };
    Ok(Choice { value, label: read_text(label)?, in_formula })
}

/// Reads the answers that a choice gives to the formula: words, or yes and no.
fn read_said(said: &Map<String, Value>) -> Result<Vec<(String, Answer)>, TableError> {
    let read = |(key, value): (&String, &Value)| {
        let answer = match value {
            Value::Bool(yes) => Answer::Bool(*yes),
            word => Answer::Text(read_text(word)?),
        };
        Ok((key.clone(), answer))
    };
    said.iter().map(read).collect()
}

fn read_if_no_certificate(value: &Value, questions: &[Question]) -> Result<IfNoCertificate, TableError> {
    if let Some(percent) = optional_member(value, "flat_percent") {
        return read_amount(percent).map(IfNoCertificate::FlatPercent);
    }
    let answers = value.as_object().ok_or_else(|| TableError::new("this must be an object"))?;
    let read = |(key, value): (&String, &Value)| {
        let question = questions.iter().find(|question| question.key == *key);
        let question = question.ok_or_else(|| TableError::new(format!("no such question: {key}")))?;
        Ok((key.clone(), read_answer(question, value)?))
    };
    answers.iter().map(read).collect::<Result<_, _>>().map(IfNoCertificate::Answers)
}

/// Reads the state's filing status for each federal one. The federal exemption claim is not one of the state's statuses.
fn read_by_federal_w4(
    value: &Value,
    questions: &[Question],
) -> Result<Vec<(FilingStatus, Answer)>, TableError> {
    let by = value.as_object().ok_or_else(|| TableError::new("this must be an object"))?;
    let question = questions.iter().find(|question| question.key == STATUS);
    let question = question.ok_or_else(|| TableError::new(format!("no such question: {STATUS}")))?;
    if questions.iter().all(|question| question.key != EXEMPT) {
        return Err(TableError::new(format!("no such question: {EXEMPT}")));
    }
    let statuses = FilingStatus::ALL.iter().filter(|status| **status != FilingStatus::Exempt);
    let read = |status: &FilingStatus| {
        let answer = required_field(value, status.as_str(), |answer| read_answer(question, answer))?;
        Ok((*status, answer))
    };
    let read: Vec<_> = statuses.map(read).collect::<Result<_, TableError>>()?;
    if by.len() == read.len() { Ok(read) } else { Err(TableError::new("a status is none of Form W-4")) }
}

fn read_answer(question: &Question, value: &Value) -> Result<Answer, TableError> {
    check_answer(question, value).map_err(|violation| TableError::new(violation.message))
}

#[cfg(test)]
#[path = "tables_tests.rs"]
mod tests;
