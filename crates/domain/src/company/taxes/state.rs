//! What the states ask of a company as an employer, and its answers.
//!
//! A state asks when the company has a place of work there. Answers that change from a day on (rates) are kept by that
//! day; of several, the newest that holds today counts.

use std::collections::BTreeSet;

use jiff::Timestamp;
use jiff::civil::{Date, date};
use rules::Named;
use rules::company::state::{
    Format, HIGHEST_RATE, Requirement, RequirementSet, SetupStatus, answer, beginning_of_year,
    effective_from, requirement_sets,
};
use rules::withholding::state::StateTables;
use rules::{Checks, Violation, check};
use serde_json::{Value, json};
use store::Tx;

use super::rows;
use super::rows::Answer;
use crate::access::tokens::Caller;
use crate::company::locations;
use crate::company::taxes::shapes;
use crate::company::taxes::shapes::{
    RequirementInput, SetInput, StateSetup, TaxRequirementMetadata, TaxRequirementSet, TaxRequirements,
    UpdateTaxRequirements,
};
use crate::error::Error;
use crate::field::Field;
use crate::platform::audit;
use crate::withholding::taxes::shapes::AnswerValue;

/// Table of the answers, in audit entries.
pub const TABLE: &str = "company_tax_answers";
/// The day from which answers hold that do not change from a day on.
const ALWAYS: Date = date(1900, 1, 1);

/// The states in which the company has a place of work.
///
/// # Errors
/// A store error.
fn states(tx: &mut Tx<'_>, caller: &Caller) -> Result<BTreeSet<String>, Error> {
    let places = locations::rows::of_company(tx, caller.company)?;
    Ok(places.into_iter().filter(|place| place.active).map(|place| place.state).collect())
}

fn sets_of(state: &str) -> Vec<RequirementSet> {
    requirement_sets(StateTables::built_in().get(state).is_some_and(|state| state.wage_tax))
}

/// How far the company is with each state.
///
/// # Errors
/// A store error.
pub fn list(tx: &mut Tx<'_>, caller: &Caller) -> Result<Vec<StateSetup>, Error> {
    let today = caller.today(tx);
    let held = rows::answers(tx, caller.company)?;
    let told = states(tx, caller)?.into_iter().map(|state| {
        let status = progress(&state, &held, today);
        let complete = status == SetupStatus::Complete;
        StateSetup {
            state,
            setup_complete: complete,
            setup_status: status.as_str(),
            default_rates_applied: false,
            ready_to_run_payroll: complete,
        }
    });
    Ok(told.collect())
}

fn progress(state: &str, held: &[Answer], today: Date) -> SetupStatus {
    let sets = sets_of(state);
    let asked: usize = sets.iter().map(|set| set.requirements.len()).sum();
    let answered = |set: &RequirementSet| {
        let requirements = set.requirements.iter();
        requirements.filter(|asked| current(held, state, set, asked.key, today).is_some()).count()
    };
    SetupStatus::of(asked, sets.iter().map(answered).sum())
}

/// The answer that counts today.
fn current<'a>(
    held: &'a [Answer],
    state: &str,
    set: &RequirementSet,
    key: &str,
    today: Date,
) -> Option<&'a Answer> {
    let fits = |answer: &&Answer| {
        answer.state == state && answer.set == set.key && answer.key == key && answer.effective_from <= today
    };
    held.iter().filter(fits).max_by_key(|answer| answer.effective_from)
}

/// When the last state was settled; `None` while one is not, or there is none.
///
/// # Errors
/// A store error.
pub fn settled_at(tx: &mut Tx<'_>, caller: &Caller) -> Result<Option<Timestamp>, Error> {
    let today = caller.today(tx);
    let held = rows::answers(tx, caller.company)?;
    let states = states(tx, caller)?;
    let settled = states.iter().all(|state| progress(state, &held, today) == SetupStatus::Complete);
    Ok(held.iter().filter(|_| settled).map(|answer| answer.updated_at).max())
}

/// What a state asks, with the answers; with `scheduling` also the sets that can be answered for the next year.
///
/// # Errors
/// "Not found" for a state without a place of work; a store error.
pub fn get(
    tx: &mut Tx<'_>,
    caller: &Caller,
    state: &str,
    scheduling: bool,
) -> Result<TaxRequirements, Error> {
    let state = find(tx, caller, state)?;
    let today = caller.today(tx);
    let held = rows::answers(tx, caller.company)?;
    let next_year = beginning_of_year(today).saturating_add(jiff::Span::new().years(1));
    let mut told = Vec::new();
    for set in sets_of(&state) {
        if !set.dated {
            told.push(view_set(&state, &set, &held, ALWAYS));
            continue;
        }
        for day in days(&set, &state, &held, today, scheduling.then_some(next_year)) {
            told.push(view_set(&state, &set, &held, day));
        }
    }
    Ok(TaxRequirements { company_uuid: caller.company, state, requirement_sets: told })
}

/// The days for which a dated set is told: the one that holds today, those to come, and one that can be answered.
fn days(
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

fn view_set(state: &str, set: &RequirementSet, held: &[Answer], day: Date) -> TaxRequirementSet {
    let value = |key: &str| {
        let fits = |answer: &&Answer| {
            answer.state == state
                && answer.set == set.key
                && answer.key == key
                && answer.effective_from == day
        };
        held.iter().find(fits).map(|answer| Value::String(answer.value.clone())).unwrap_or_default()
    };
    let requirement = |asked: &Requirement| shapes::TaxRequirement {
        key: asked.key,
        applicable_if: Vec::new(),
        label: asked.label,
        description: Some(asked.description),
        value: value(asked.key),
        metadata: metadata(asked.format),
        editable: true,
    };
    TaxRequirementSet {
        state: state.to_owned(),
        key: set.key,
        label: set.label,
        effective_from: set.dated.then(|| day.to_string()),
        requirements: set.requirements.iter().map(requirement).collect(),
    }
}

fn metadata(format: Format) -> TaxRequirementMetadata {
    let options = match format {
        Format::Select(words) => {
            Some(words.iter().map(|word| json!({ "label": word, "value": word })).collect())
        }
        _ => None,
    };
    let validation = (format == Format::TaxRate)
        .then(|| json!({ "type": "min_max", "min": "0.0", "max": HIGHEST_RATE.to_text(1) }));
    TaxRequirementMetadata { kind: format.as_str(), options, validation }
}

fn find(tx: &mut Tx<'_>, caller: &Caller, state: &str) -> Result<String, Error> {
    let known = check::state("state", state).map_err(|_| Error::NotFound)?;
    states(tx, caller)?.take(known).ok_or(Error::NotFound)
}

/// Answers what was sent and leaves the rest; null takes an answer back.
///
/// # Errors
/// "Not found" for a state without a place of work, every violation of the input; a store error.
pub fn update(
    tx: &mut Tx<'_>,
    caller: &Caller,
    state: &str,
    input: &UpdateTaxRequirements,
) -> Result<(), Error> {
    tx.guard(caller.company, TABLE, caller.company)?;
    let state = find(tx, caller, state)?;
    let today = caller.today(tx);
    let mut checks = Checks::new();
    let sets = input.requirement_sets.required("requirement_sets", &mut checks, |_, sets| Ok(sets.clone()));
    let known = sets_of(&state);
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

    let held = rows::answers(tx, caller.company)?;
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
    audit::record(tx, caller, "updated", (TABLE, caller.company), &json!({ (state): changed }))?;
    crate::events::emit(tx, caller.company, crate::events::COMPANY_UPDATED, caller.company)
}

/// The answers of a set as it was sent, each with its new value or none.
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
        check::named(k, v, &keys, |key| known.iter().find(|set| set.key == key))
    });
    let same = |k: &str, v: &String| match v == state {
        true => Ok(()),
        false => Err(Violation::invalid(k, format!("{k} must be {state}, as in the address"))),
    };
    sent.state.required("state", checks, same);
    let from = sent.effective_from.optional("effective_from", checks, |k, v| check::date(k, v));
    let Some(set) = set else { return Vec::new() };
    let day = match from {
        _ if !set.dated => Some(ALWAYS),
        Some(day) => checks.take(effective_from("effective_from", day, today)),
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
        check::named(k, v, &keys, |key| set.requirements.iter().find(|asked| asked.key == key))
    })?;
    if matches!(sent.value, Field::Null) {
        return Some((asked, None));
    }
    let value = sent.value.required("value", checks, |key, AnswerValue(value)| {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.as_str().to_owned(),
            other => other.to_string(),
        };
        answer(asked, key, &text)
    })?;
    Some((asked, Some(value)))
}
