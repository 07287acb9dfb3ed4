//! Use cases of the requirements of states and a company's answers.
//!
//! The requirements of a state apply if the company has an active location there. Answers to dated sets, such as rates,
//! apply from a day on; the latest one that is not in the future is current.

use std::collections::BTreeSet;

use jiff::Timestamp;
use jiff::civil::{Date, date};
use rules::company::state::{
    Requirement, RequirementSet, SetupStatus, beginning_of_year, credit_set, effective_from,
    normalize_answer, requirement_sets,
};
use rules::taxes::OhioCreditTable;
use rules::withholding::state::StateTables;
use rules::{Checks, Violation, check};
use serde_json::{Value, json};
use store::Tx;

use super::commands::{RequirementInput, SetInput, UpdateTaxRequirements};
use super::rows;
use super::rows::Answer;
use crate::access::tokens::Caller;
use crate::company::locations;
use crate::error::Error;
use crate::patch::{Patch, as_is};
use crate::people::addresses::jurisdictions;
use crate::platform::{audit, confirmations, law};

/// Table of the answers, in audit entries.
pub const TABLE: &str = "company_tax_answers";
/// The day from which answers to undated sets apply.
const ALWAYS: Date = date(1900, 1, 1);

/// Progress of the company on the requirements of a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateSetup {
    /// two letters
    pub state: String,
    /// progress
    pub status: SetupStatus,
}

/// The requirements of a state with the company's answers.
#[derive(Debug, Clone)]
pub struct StateRequirements {
    /// two letters
    pub state: String,
    /// requirement sets; a dated set once for each of its days
    pub sets: Vec<AnsweredSet>,
}

/// A requirement set with the answers that apply from a day on.
#[derive(Debug, Clone)]
pub struct AnsweredSet {
    /// the set
    pub set: RequirementSet,
    /// the day; only of a dated set
    pub effective_from: Option<Date>,
    /// the answer to each requirement of the set, in order
    pub answers: Vec<Option<String>>,
}

/// The states in which the company has an active location.
fn active_states(tx: &mut Tx<'_>, caller: &Caller) -> Result<BTreeSet<String>, Error> {
    let places = locations::rows::of_company(tx, caller.company)?;
    Ok(places.into_iter().filter(|place| place.active).map(|place| place.state).collect())
}

fn sets_of(tables: &StateTables, state: &str) -> Vec<RequirementSet> {
    requirement_sets(state, tables.get(state).is_some_and(|state| state.wage_tax))
}

/// What is asked of this company besides: in Ohio, the credits of the cities of residence for which it withholds by agreement, where the
/// table is not sure of them, and those that it has answered.
fn sets_of_company(
    tx: &mut Tx<'_>,
    caller: &Caller,
    state: &str,
    held: &[Answer],
) -> Result<Vec<RequirementSet>, Error> {
    if state != "OH" {
        return Ok(Vec::new());
    }
    let (today, confirmed) = (caller.today(tx), confirmations::confirmed_keys(tx)?);
    let mut cities = jurisdictions::cities_by_agreement(tx, caller.company)?;
    let table = law::in_force::<OhioCreditTable>(tx)?;
    cities.retain(|place| table.asks_for(place, today, &confirmed));
    cities.extend(
        held.iter().filter(|answer| answer.state == state).map(|answer| answer.set.replace('_', "-")),
    );
    Ok(cities.iter().filter_map(|place| credit_set(place)).collect())
}

/// Progress of the company on the requirements of each state.
pub fn list_state_setups(tx: &mut Tx<'_>, caller: &Caller) -> Result<Vec<StateSetup>, Error> {
    let today = caller.today(tx);
    let held = rows::list_answers(tx, caller.company)?;
    let (states, certificates) = (active_states(tx, caller)?, law::state_certificates(tx)?);
    let tables = certificates.certificates_of_year(today.year());
    let setup = |state: String| StateSetup { status: setup_progress(tables, &state, &held, today), state };
    Ok(states.into_iter().map(setup).collect())
}

fn setup_progress(tables: &StateTables, state: &str, held: &[Answer], today: Date) -> SetupStatus {
    let sets = sets_of(tables, state);
    let asked: usize = sets.iter().map(|set| set.required_requirements().count()).sum();
    let answered = |set: &RequirementSet| {
        let is_answered =
            |asked: &&Requirement| rows::current_answer(held, (state, set.key, asked.key), today).is_some();
        set.required_requirements().filter(is_answered).count()
    };
    SetupStatus::from_counts(asked, sets.iter().map(answered).sum())
}

/// When the last answer was given; `None` if requirements of a state are open, or there are no answers.
pub fn settled_at(tx: &mut Tx<'_>, caller: &Caller) -> Result<Option<Timestamp>, Error> {
    let today = caller.today(tx);
    let held = rows::list_answers(tx, caller.company)?;
    let (states, certificates) = (active_states(tx, caller)?, law::state_certificates(tx)?);
    let tables = certificates.certificates_of_year(today.year());
    let settled =
        states.iter().all(|state| setup_progress(tables, state, &held, today) == SetupStatus::Complete);
    Ok(held.iter().filter(|_| settled).map(|answer| answer.updated_at).max())
}

/// The requirements of a state with the answers; with `scheduling` also dated sets for the next year.
///
/// # Errors
/// "Not found" for a state without an active location; a store error.
pub fn state_requirements(
    tx: &mut Tx<'_>,
    caller: &Caller,
    state: &str,
    scheduling: bool,
) -> Result<StateRequirements, Error> {
    let state = find_state(tx, caller, state)?;
    let today = caller.today(tx);
    let held = rows::list_answers(tx, caller.company)?;
    let certificates = law::state_certificates(tx)?;
    let next_year = beginning_of_year(today).saturating_add(jiff::Span::new().years(1));
    let mut sets = Vec::new();
    let of_company = sets_of_company(tx, caller, &state, &held)?;
    for set in sets_of(certificates.certificates_of_year(today.year()), &state).into_iter().chain(of_company)
    {
        if !set.dated {
            sets.push(answered_set(&state, &set, &held, ALWAYS));
            continue;
        }
        for day in dated_set_days(&set, &state, &held, today, scheduling.then_some(next_year)) {
            sets.push(answered_set(&state, &set, &held, day));
        }
    }
    Ok(StateRequirements { state, sets })
}

/// The days for which a dated set is returned: the current one, later ones, and `further`.
fn dated_set_days(
    set: &RequirementSet,
    state: &str,
    held: &[Answer],
    today: Date,
    further: Option<Date>,
) -> BTreeSet<Date> {
    let given: BTreeSet<Date> = held
        .iter()
        .filter(|answer| answer.state == state && answer.set == set.key)
        .map(|answer| answer.effective_from)
        .collect();
    let now = given.iter().rev().find(|day| **day <= today).copied();
    let mut days: BTreeSet<Date> = given.into_iter().filter(|day| *day > today).collect();
    days.insert(now.unwrap_or_else(|| beginning_of_year(today)));
    days.extend(further);
    days
}

fn answered_set(state: &str, set: &RequirementSet, held: &[Answer], day: Date) -> AnsweredSet {
    let answer = |asked: &Requirement| {
        let fits = |answer: &&Answer| {
            answer.state == state
                && answer.set == set.key
                && answer.key == asked.key
                && answer.effective_from == day
        };
        held.iter().find(fits).map(|answer| asked.format.answer_as_entered(&answer.value))
    };
    AnsweredSet {
        set: set.clone(),
        effective_from: set.dated.then_some(day),
        answers: set.requirements.iter().map(answer).collect(),
    }
}

fn find_state(tx: &mut Tx<'_>, caller: &Caller, state: &str) -> Result<String, Error> {
    let known = check::parse_state("state", state).map_err(|_| Error::NotFound)?;
    active_states(tx, caller)?.take(known).ok_or(Error::NotFound)
}

/// Updates answers to the requirements of a state.
///
/// # Errors
/// "Not found" for a state without an active location, every violation of the input; a store error.
pub fn update_requirements(
    tx: &mut Tx<'_>,
    caller: &Caller,
    state: &str,
    input: &UpdateTaxRequirements,
) -> Result<(), Error> {
    tx.take_guard(caller.company, TABLE, caller.company)?;
    let state = find_state(tx, caller, state)?;
    let today = caller.today(tx);
    let mut checks = Checks::new();
    let sets = input.requirement_sets.required("requirement_sets", &mut checks, |_, sets| Ok(sets.clone()));
    let held = rows::list_answers(tx, caller.company)?;
    let mut known = sets_of(law::state_certificates(tx)?.certificates_of_year(today.year()), &state);
    known.extend(sets_of_company(tx, caller, &state, &held)?);
    let now = tx.now();
    let mut read = Vec::new();
    for (place, sent) in sets.iter().flatten().enumerate() {
        let mut inner = Checks::new();
        read.extend(read_set(sent, &state, &known, today, now, &mut inner));
        if let Err(errors) = inner.finish() {
            checks.push(Violation::nested(format!("requirement_sets[{place}]"), errors));
        }
    }
    checks.finish()?;

    let mut changed = serde_json::Map::new();
    for (answer, given) in read {
        let same = |held: &&Answer| {
            (&held.state, &held.set, &held.key, held.effective_from)
                == (&answer.state, &answer.set, &answer.key, answer.effective_from)
        };
        let before = held.iter().find(same).map(|held| held.value.clone());
        if before == given {
            continue;
        }
        changed.insert(format!("{}.{}", answer.set, answer.key), json!([before, given]));
        match given {
            Some(value) => rows::save_answer(tx, caller.company, &Answer { value, ..answer })?,
            None => rows::delete_answer(tx, caller.company, &answer)?,
        }
    }
    if changed.is_empty() {
        return Ok(());
    }
    audit::record_audit_entry(tx, caller, "updated", (TABLE, caller.company), &json!({ (state): changed }))?;
    crate::events::emit_event(tx, caller.company, crate::events::COMPANY_UPDATED, caller.company)
}

/// Checks the answers to a set; each comes with its new value, or `None` if it is deleted.
fn read_set(
    sent: &SetInput,
    state: &str,
    known: &[RequirementSet],
    today: Date,
    now: Timestamp,
    checks: &mut Checks,
) -> Vec<(Answer, Option<String>)> {
    let keys: Vec<&str> = known.iter().map(|set| set.key).collect();
    let set = sent.key.required("key", checks, |k, v| {
        check::parse_named(k, v, &keys, |key| known.iter().find(|set| set.key == key))
    });
    let same = |k: &str, v: &String| match v == state {
        true => Ok(()),
        false => Err(Violation::invalid(k, format!("{k} must be {state}, as in the address"))),
    };
    sent.state.required("state", checks, same);
    let from = sent.effective_from.optional("effective_from", checks, as_is);
    let Some(set) = set else { return Vec::new() };
    let day = match from {
        _ if !set.dated => Some(ALWAYS),
        Some(day) => checks.take_value(effective_from("effective_from", day, today)),
        None => Some(beginning_of_year(today)),
    };
    let requirements = sent.requirements.optional("requirements", checks, |_, list| Ok(list.clone()));
    let mut read = Vec::new();
    for (place, sent) in requirements.iter().flatten().enumerate() {
        let mut inner = Checks::new();
        let given = read_requirement(sent, set, &mut inner);
        if let Err(errors) = inner.finish() {
            checks.push(Violation::nested(format!("requirements[{place}]"), errors));
        }
        let (Some((asked, value)), Some(day)) = (given, day) else { continue };
        let answer = Answer {
            state: state.to_owned(),
            set: set.key.to_owned(),
            key: asked.key.to_owned(),
            value: String::new(),
            effective_from: day,
            updated_at: now,
        };
        read.push((answer, value));
    }
    read
}

fn read_requirement<'a>(
    sent: &RequirementInput,
    set: &'a RequirementSet,
    checks: &mut Checks,
) -> Option<(&'a Requirement, Option<String>)> {
    let keys: Vec<&str> = set.requirements.iter().map(|asked| asked.key).collect();
    let asked = sent.key.required("key", checks, |k, v| {
        check::parse_named(k, v, &keys, |key| set.requirements.iter().find(|asked| asked.key == key))
    })?;
    // A form sends empty text for fields left blank.
    let open = match &sent.value {
        Patch::Null => true,
        Patch::Value(Value::String(text)) => text.trim().is_empty(),
        _ => false,
    };
    if open {
        return Some((asked, None));
    }
    let value = sent.value.required("value", checks, |key, value| {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.as_str().to_owned(),
            other => other.to_string(),
        };
        normalize_answer(asked, key, &text)
    })?;
    Some((asked, Some(value)))
}
