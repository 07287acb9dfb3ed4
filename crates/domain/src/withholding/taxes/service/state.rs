//! The questions of the states of work and home.

use rules::withholding::state::{Answer, NEW_HIRE_REPORT, Question, StateQuestions, check_answer};
use rules::{Checks, Violation};
use serde_json::{Map, Value, json};
use store::Tx;
use uuid::Uuid;

use super::{STATE, VALID_FROM, asked};
use crate::access::tokens::{Actor, Caller};
use crate::error::Error;
use crate::events;
use crate::field::Field;
use crate::people::employees;
use crate::people::onboarding;
use crate::platform::audit;
use crate::withholding::taxes::rows;
use crate::withholding::taxes::rows::StateTaxes;
use crate::withholding::taxes::shapes;
use crate::withholding::taxes::shapes::{AnsweredQuestion, AnsweredState, GivenAnswer, UpdateStateTaxes};
use crate::withholding::taxes::view;

/// The states in which the employee works and lives, with their questions and answers; the state of work first.
///
/// # Errors
/// "Not found"; a store error.
pub fn get(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<Vec<shapes::StateTaxes>, Error> {
    let employee = employees::service::find(tx, caller, employee)?.id;
    let asked = asked(tx, caller, employee)?;
    let stored = rows::states(tx, caller.company, employee)?;
    Ok(asked.iter().map(|asked| view::state(employee, asked, of_state(&stored, &asked.state.code))).collect())
}

/// Takes the answers that were sent and leaves the others.
///
/// # Errors
/// "Not found", every violation of the input; a store error.
pub fn update(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    input: &UpdateStateTaxes,
) -> Result<Vec<shapes::StateTaxes>, Error> {
    let employee = employees::service::find_guarded(tx, caller, employee)?.id;
    let asked = asked(tx, caller, employee)?;
    let read = read(input, &asked, matches!(caller.actor, Actor::Employee(_)))?;
    let stored = rows::states(tx, caller.company, employee)?;
    let mut changed = false;
    for (state, answers) in read {
        let before = of_state(&stored, state).cloned().unwrap_or_else(|| StateTaxes {
            employee,
            state: state.to_owned(),
            ..StateTaxes::default()
        });
        let (after, changes) = answered(&before, answers);
        if !changes.is_empty() {
            assert!(rows::put_state(tx, caller.company, &after)?, "the row was read under its guard");
            let action = if before.version == 0 { "created" } else { "updated" };
            audit::record(tx, caller, action, (STATE, employee), &json!({ state: changes }))?;
            changed = true;
        }
    }
    if changed {
        events::emit(tx, caller.company, events::EMPLOYEE_UPDATED, employee)?;
        onboarding::service::after_change(tx, caller, employee)?;
    }
    get(tx, caller, employee)
}

fn of_state<'a>(stored: &'a [StateTaxes], state: &str) -> Option<&'a StateTaxes> {
    stored.iter().find(|stored| stored.state == state)
}

/// The answers of a state with new ones put in, and what that changes.
fn answered(before: &StateTaxes, answers: Answers) -> (StateTaxes, Map<String, Value>) {
    let mut after = before.clone();
    let mut changes = Map::new();
    for (key, answer) in answers {
        let new = answer.to_json();
        let old = if key == NEW_HIRE_REPORT {
            after.file_new_hire_report = new.as_bool();
            before.file_new_hire_report.map(Value::from)
        } else {
            after.answers.insert(key.to_owned(), new.clone());
            before.answers.get(key).cloned()
        };
        if old.as_ref() != Some(&new) {
            changes.insert(key.to_owned(), json!([old, new]));
        }
    }
    (after, changes)
}

/// The answers to one state by the keys of its questions.
type Answers = Vec<(&'static str, Answer)>;

/// The answers of a body. An employee is not asked what is the employer's to answer.
fn read(
    input: &UpdateStateTaxes,
    asked: &[StateQuestions<'static>],
    by_employee: bool,
) -> Result<Vec<(&'static str, Answers)>, Error> {
    let mut checks = Checks::new();
    let mut taken: Vec<(&str, Answers)> = Vec::new();
    let states = input.states.required("states", &mut checks, |_, states| Ok(states.clone()));
    for sent in states.unwrap_or_default() {
        let mut inner = Checks::new();
        let mut metadata = Map::new();
        let state = sent.state.required("state", &mut inner, |_, code| {
            asked.iter().find(|asked| asked.state.code == *code).ok_or_else(|| unknown_state(asked))
        });
        if let Some(state) = state {
            let code = state.state.code.as_str();
            metadata.insert("state".to_owned(), code.into());
            let twice = taken.iter().any(|(name, _)| *name == code);
            inner.require(!twice, || Violation::invalid("state", "a state can be named only once"));
            taken.push((code, of_questions(&sent, state, by_employee, &mut inner)));
        }
        if let Err(violations) = inner.finish() {
            checks.push(Violation::nested("states", violations).with_metadata(metadata.into()));
        }
    }
    checks.finish()?;
    Ok(taken)
}

fn unknown_state(asked: &[StateQuestions<'_>]) -> Violation {
    let codes = asked.iter().map(|asked| asked.state.code.as_str()).collect::<Vec<_>>().join(", ");
    let message = if codes.is_empty() {
        "state must be that of work or home, and neither has an address yet".to_owned()
    } else {
        format!("state must be one of those of work and home: {codes}")
    };
    Violation::invalid("state", message)
}

fn of_questions(
    sent: &AnsweredState,
    state: &StateQuestions<'static>,
    by_employee: bool,
    checks: &mut Checks,
) -> Answers {
    let (code, mut open) = (state.state.code.as_str(), state.questions.clone());
    open.retain(|question| !(by_employee && question.admin_only));
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
        answers.extend(answer(sent, question, &mut inner).map(|answer| (key, answer)));
        // Programs find the question by its key and state, wherever the error is shown.
        let place = json!({ "key": key, "state": code });
        let violations = inner.finish().err().unwrap_or_default();
        checks.extend(violations.into_iter().map(|violation| violation.with_metadata(place.clone())));
    }
    answers
}

fn unknown_question(number: usize, state: &str, open: &[&Question]) -> Violation {
    let keys = open.iter().map(|question| question.key.as_str()).collect::<Vec<_>>().join(", ");
    let message = if keys.is_empty() {
        format!("{state} asks no questions, so that question {number} cannot be answered")
    } else {
        format!("key of question {number} must be one of those that {state} asks: {keys}")
    };
    Violation::invalid("key", message)
}

/// The answer to a question; none where the list of answers is empty, which leaves the question as it is.
fn answer(sent: &AnsweredQuestion, question: &Question, checks: &mut Checks) -> Option<Answer> {
    let key = question.key.as_str();
    let given = sent.answers.optional(key, checks, |key, answers| match answers.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(one.clone())),
        _ => Err(Violation::invalid(key, format!("{key} takes one answer: answers must have one item"))),
    });
    let GivenAnswer { value, valid_from, valid_up_to } = given.flatten()?;
    let answer = value.required(key, checks, |_, value| check_answer(question, &value.0));
    valid_from.optional(key, checks, |key, day| {
        let message = format!("{key} must have valid_from {VALID_FROM}: answers are not dated");
        if day == VALID_FROM { Ok(()) } else { Err(Violation::invalid(key, message)) }
    });
    checks.require(matches!(valid_up_to, Field::Absent | Field::Null), || {
        Violation::invalid(key, format!("{key} must have valid_up_to null: answers are not dated"))
    });
    answer
}
