//! The tax questions of the work and home states.

use std::collections::BTreeMap;

use rules::places::{OUTSIDE_PENNSYLVANIA, PHILADELPHIA_CODE};
use rules::withholding::state::{
    Answer, Kind, NEW_HIRE_REPORT, NONRESIDENT_CERTIFICATE, Question, StateQuestions, check_answer,
};
use rules::{Checks, Violation};
use serde_json::{Map, Value, json};
use store::Tx;
use uuid::Uuid;

use super::from_addresses::{self, Current};
use super::{VALID_FROM, questions_of};
use crate::access::tokens::{Actor, Caller};
use crate::error::Error;
use crate::events;
use crate::patch::Patch;
use crate::people::employees;
use crate::platform::audit;
use crate::platform::hooks;
use crate::platform::hooks::EmployeeAspect;
use crate::platform::law;
use crate::withholding::taxes::commands::{AnsweredQuestion, AnsweredState, GivenAnswer, UpdateStateTaxes};
use crate::withholding::taxes::rows;
use crate::withholding::taxes::rows::StateTaxes;

/// A state in which an employee works or lives: its questions, and the stored answers.
#[derive(Debug, Clone)]
pub struct StateDetails {
    /// the questions
    pub questions: StateQuestions,
    /// the answers; `None` before the first one is stored
    pub answers: Option<StateTaxes>,
    /// answers that the addresses give, by the keys of the questions
    pub told: BTreeMap<&'static str, Value>,
    /// the current addresses, for which answers about places have to be given
    pub about_addresses: Current,
}

impl StateDetails {
    /// The employer's answer to the question about the new hire report.
    pub fn file_new_hire_report(&self) -> Option<bool> {
        self.answers.as_ref().and_then(|answers| answers.file_new_hire_report)
    }

    /// The answer to display: the stored one, that of the addresses, or the default of a number, an amount, or a claim that few can make.
    ///
    /// Clients do not allow empty answers, so these start with what is right for most. A filing status and similar
    /// answers, and the place of residence, have to be given by the employee.
    pub fn displayed_answer(&self, question: &Question) -> Option<Value> {
        let stored = match question.key.as_str() {
            NEW_HIRE_REPORT => self.file_new_hire_report().map(Value::from),
            key => self.answers.as_ref().and_then(|answers| {
                let counts = self.about_addresses.is_answer_current(key, answers.given_for.as_ref());
                answers.answers.get(key).filter(|_| counts).cloned()
            }),
        };
        let begins = matches!(question.kind, Kind::Number(_) | Kind::Currency)
            || matches!(question.key.as_str(), "exempt" | NONRESIDENT_CERTIFICATE);
        let told = || self.told.get(question.key.as_str()).cloned();
        stored.or_else(told).or_else(|| question.default.as_ref().filter(|_| begins).map(Answer::to_json))
    }
}

/// The states in which the employee works and lives, with their questions and answers; the work state first.
///
/// # Errors
/// "Not found"; a store error.
pub fn get_state_taxes(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<Vec<StateDetails>, Error> {
    let employee = employees::service::find_employee(tx, caller, employee)?.id;
    let states = questions_of(tx, caller, employee)?;
    let stored = rows::state_answers(tx, caller.company, employee)?;
    let (told, current) = from_addresses::answers_from_addresses(tx, caller, employee)?;
    let details = states.into_iter().map(|questions| {
        let of_this_state = told.iter().filter(|one| one.state == questions.state.code);
        StateDetails {
            answers: of_state(&stored, &questions.state.code).cloned(),
            told: of_this_state.map(|one| (one.key, one.answer.to_json())).collect(),
            about_addresses: current.clone(),
            questions,
        }
    });
    Ok(details.collect())
}

/// Stores the answers that were sent and keeps the others.
///
/// # Errors
/// "Not found", every violation of the input; a store error.
pub fn update_state_taxes(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    command: &UpdateStateTaxes,
) -> Result<Vec<StateDetails>, Error> {
    let employee = employees::service::find_guarded(tx, caller, employee)?.id;
    let states = questions_of(tx, caller, employee)?;
    let read = read_answers(command, &states, matches!(caller.actor, Actor::Employee(_)))?;
    refuse_unknown_codes(tx, &read)?;
    let stored = rows::state_answers(tx, caller.company, employee)?;
    let current = from_addresses::answers_from_addresses(tx, caller, employee)?.1;
    let mut changed = false;
    for (state, answers) in read {
        let before = of_state(&stored, &state).cloned().unwrap_or_else(|| StateTaxes {
            employee,
            state: state.clone(),
            ..StateTaxes::default()
        });
        let (after, changes) = with_new_answers(&before, answers, &current);
        if !changes.is_empty() || after.given_for != before.given_for {
            assert!(rows::put_state(tx, caller.company, &after)?, "the row was read under its guard");
            let action = if before.version == 0 { "created" } else { "updated" };
            audit::record_audit_entry(
                tx,
                caller,
                action,
                (StateTaxes::TABLE, employee),
                &json!({ state: changes }),
            )?;
            changed = true;
        }
    }
    if changed {
        events::emit_event(tx, caller.company, events::EMPLOYEE_UPDATED, employee)?;
        hooks::employee_changed(tx, caller, employee, EmployeeAspect::StateTax)?;
    }
    get_state_taxes(tx, caller, employee)
}

/// Refuses codes that are not in Pennsylvania's register, once the operator has imported it.
fn refuse_unknown_codes(tx: &mut Tx<'_>, read: &[(String, Answers)]) -> Result<(), Error> {
    let of_state = read.iter().filter(|(state, _)| state == "PA").flat_map(|(_, answers)| answers);
    let codes: Vec<(&str, &str)> = of_state
        .filter_map(|(key, answer)| match answer {
            Answer::Text(code) if key.ends_with("psd_code") => Some((key.as_str(), code.as_str())),
            _ => None,
        })
        .collect();
    if codes.is_empty() {
        return Ok(());
    }
    let register = law::pennsylvania_register(tx)?;
    if !register.is_whole() {
        return Ok(());
    }
    for (key, code) in codes {
        if code != OUTSIDE_PENNSYLVANIA && code != PHILADELPHIA_CODE && register.psd(code).is_none() {
            let message =
                format!("{key} must be a PSD code of Pennsylvania's register, or {OUTSIDE_PENNSYLVANIA}");
            let place = json!({ "key": key, "state": "PA" });
            return Err(Violation::invalid(key, message).with_metadata(place).into());
        }
    }
    Ok(())
}

fn of_state<'a>(stored: &'a [StateTaxes], state: &str) -> Option<&'a StateTaxes> {
    stored.iter().find(|stored| stored.state == state)
}

/// The answers of a state with new ones, and the changes.
fn with_new_answers(
    before: &StateTaxes,
    answers: Answers,
    current: &Current,
) -> (StateTaxes, Map<String, Value>) {
    let mut after = before.clone();
    let mut changes = Map::new();
    for (key, answer) in answers {
        let new = answer.to_json();
        let old = if key == NEW_HIRE_REPORT {
            after.file_new_hire_report = new.as_bool();
            before.file_new_hire_report.map(Value::from)
        } else {
            after.answers.insert(key.clone(), new.clone());
            if let Some(address) = current.address_of_question(&key) {
                after.given_for.get_or_insert_default().0.insert(key.clone(), address);
            }
            before.answers.get(&key).cloned()
        };
        if old.as_ref() != Some(&new) {
            changes.insert(key, json!([old, new]));
        }
    }
    (after, changes)
}

/// The answers to one state by the keys of its questions.
type Answers = Vec<(String, Answer)>;

/// Validates the answers. An employee cannot answer the employer's questions.
fn read_answers(
    command: &UpdateStateTaxes,
    states: &[StateQuestions],
    by_employee: bool,
) -> Result<Vec<(String, Answers)>, Error> {
    let mut checks = Checks::new();
    let mut taken: Vec<(String, Answers)> = Vec::new();
    let sent = command.states.required("states", &mut checks, |_, states| Ok(states.clone()));
    for sent in sent.unwrap_or_default() {
        let mut inner = Checks::new();
        let mut metadata = Map::new();
        let state = sent.state.required("state", &mut inner, |_, code| {
            states.iter().find(|one| one.state.code == *code).ok_or_else(|| unknown_state(states))
        });
        if let Some(state) = state {
            let code = state.state.code.as_str();
            metadata.insert("state".to_owned(), code.into());
            let twice = taken.iter().any(|(name, _)| name == code);
            inner.require(!twice, || Violation::invalid("state", "a state can be named only once"));
            taken.push((code.to_owned(), of_questions(&sent, state, by_employee, &mut inner)));
        }
        if let Err(violations) = inner.finish() {
            checks.push(Violation::nested("states", violations).with_metadata(metadata.into()));
        }
    }
    checks.finish()?;
    Ok(taken)
}

fn unknown_state(states: &[StateQuestions]) -> Violation {
    let codes = states.iter().map(|one| one.state.code.as_str()).collect::<Vec<_>>().join(", ");
    let message = if codes.is_empty() {
        "state must be the work or home state, and there is no address of either yet".to_owned()
    } else {
        format!("state must be a work or home state: {codes}")
    };
    Violation::invalid("state", message)
}

fn of_questions(
    sent: &AnsweredState,
    state: &StateQuestions,
    by_employee: bool,
    checks: &mut Checks,
) -> Answers {
    let code = state.state.code.as_str();
    let open: Vec<&Question> =
        state.questions().filter(|question| !(by_employee && question.admin_only)).collect();
    let mut named: Vec<&str> = Vec::new();
    let mut answers = Vec::new();
    let questions = sent.questions.optional("questions", checks, |_, questions| Ok(questions.clone()));
    for (index, sent) in questions.unwrap_or_default().iter().enumerate() {
        let question = sent.key.required("key", checks, |_, key| {
            let found = open.iter().copied().find(|question| question.key == *key);
            found.ok_or_else(|| unknown_question(index + 1, code, &open))
        });
        let Some(question) = question else { continue };
        let key = question.key.as_str();
        let mut inner = Checks::new();
        let twice = named.contains(&key);
        inner.require(!twice, || Violation::invalid(key, format!("{key} can be answered only once")));
        named.push(key);
        answers.extend(read_answer(sent, question, &mut inner).map(|answer| (key.to_owned(), answer)));
        // Programs identify the question by its key and state.
        let place = json!({ "key": key, "state": code });
        let violations = inner.finish().err().unwrap_or_default();
        checks.extend(violations.into_iter().map(|violation| violation.with_metadata(place.clone())));
    }
    answers
}

fn unknown_question(number: usize, state: &str, open: &[&Question]) -> Violation {
    let keys = open.iter().map(|question| question.key.as_str()).collect::<Vec<_>>().join(", ");
    let message = if keys.is_empty() {
        format!("{state} asks no questions, so question {number} cannot be answered")
    } else {
        format!("key of question {number} must be one of those that {state} asks: {keys}")
    };
    Violation::invalid("key", message)
}

/// The answer to a question; `None` if the list of answers is empty, which leaves the question unchanged.
fn read_answer(sent: &AnsweredQuestion, question: &Question, checks: &mut Checks) -> Option<Answer> {
    let key = question.key.as_str();
    let given = sent.answers.optional(key, checks, |key, answers| match answers.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(one.clone())),
        _ => Err(Violation::invalid(key, format!("{key} takes one answer: answers must have one item"))),
    });
    let GivenAnswer { value, valid_from, valid_up_to } = given.flatten()?;
    let answer = value.required(key, checks, |_, value| check_answer(question, value));
    valid_from.optional(key, checks, |key, day| {
        let message = format!("{key} must have valid_from {VALID_FROM}: answers are not dated");
        if day == VALID_FROM { Ok(()) } else { Err(Violation::invalid(key, message)) }
    });
    checks.require(matches!(valid_up_to, Patch::Absent | Patch::Null), || {
        Violation::invalid(key, format!("{key} must have valid_up_to null: answers are not dated"))
    });
    answer
}
