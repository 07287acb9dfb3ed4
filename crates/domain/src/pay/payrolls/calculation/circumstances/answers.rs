//! The answers to the questions of states' withholding certificates, as paychecks use them.

use std::collections::{BTreeMap, BTreeSet};

use rules::taxes::Circumstances;
use rules::withholding::federal::W4;
use rules::withholding::state::{Answer, StateTables, nonresident_certificate, parse_answer};
use serde_json::{Map, Value};

use crate::pay::payrolls::calculation::context::Context;
use crate::pay::payrolls::calculation::records::StoredAnswers;

/// Reads the answers to the questions of states' certificates, by state.
///
/// # Errors
/// An answer that its question does not allow.
pub(in crate::pay::payrolls) fn by_state(
    context: &Context,
    stored: StoredAnswers,
) -> Result<BTreeMap<String, BTreeMap<String, Answer>>, store::Error> {
    let certificates = certificates(context);
    let read = |(state, stored): (String, _)| {
        let answers = of_state(certificates, &state, stored)?;
        Ok((state, answers))
    };
    stored.into_iter().map(read).collect()
}

/// Replaces answers with the entries of the Form W-4 on file, in the states that use that form.
pub(in crate::pay::payrolls) fn add_form(
    context: &Context,
    w4: &W4,
    circumstances: &Circumstances,
    answers: &mut BTreeMap<String, BTreeMap<String, Answer>>,
) {
    let certificates = certificates(context);
    for certificate in circumstances.states().into_iter().filter_map(|state| certificates.get(state)) {
        for (key, answer) in certificate.answers_of(w4) {
            answers.entry(certificate.code.clone()).or_default().insert(key.to_owned(), answer);
        }
    }
}

/// Returns the codes of state and local taxes that the answers exempt from.
pub(in crate::pay::payrolls) fn exempted(
    context: &Context,
    answers: &BTreeMap<String, BTreeMap<String, Answer>>,
) -> BTreeSet<String> {
    let of_state = |(state, answers): (&String, &BTreeMap<String, Answer>)| {
        let certificate = certificates(context).get(state)?;
        let codes = certificate.exempted(|key| answers.get(key).cloned());
        Some(codes.into_iter().map(str::to_owned).collect::<Vec<_>>())
    };
    answers.iter().filter_map(of_state).flatten().collect()
}

fn certificates(context: &Context) -> &StateTables {
    context.tables.held.state_certificates.of(context.payroll.check_date.year())
}

/// Reads the answers to the questions of a state's certificate. Answers to questions no longer on the certificate are omitted.
fn of_state(
    tables: &StateTables,
    state: &str,
    stored: Map<String, Value>,
) -> Result<BTreeMap<String, Answer>, store::Error> {
    let questions = tables.get(state).map_or(&[] as &[_], |found| found.questions.as_slice());
    let mut answers = BTreeMap::new();
    for (key, value) in stored {
        let mut questions = questions.iter().chain([nonresident_certificate()]);
        let Some(question) = questions.find(|question| question.key == key) else { continue };
        let answer = parse_answer(question, &value).map_err(|_| {
            let why =
                format!("holds an answer to {} of {state} that its question does not allow", question.key);
            store::Unread::new(why).of("employee_state_taxes", "answers")
        })?;
        // An impossible answer, stored before such answers were refused, counts as missing: the paycheck then has a warning.
        if question.allows(&answer) {
            answers.insert(key, answer);
        }
    }
    Ok(answers)
}
