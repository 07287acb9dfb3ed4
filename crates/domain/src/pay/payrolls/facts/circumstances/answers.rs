//! The answers to the questions of states' withholding certificates, as paychecks use them.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use rules::places::{Certificate, GivenFor, MARYLAND_NONRESIDENT, maryland_rate};
use rules::taxes::Circumstances;
use rules::withholding::federal::W4;
use rules::withholding::state::{
    Answer, Must, StateCertificate, StateTables, nonresident_certificate, parse_answer,
};
use serde_json::{Map, Value};

use crate::pay::payrolls::facts::context::Context;
use crate::pay::payrolls::record::texts::NO_STATE_CERTIFICATE;
use crate::pay::payrolls::record::warning::Warning;
use crate::people::addresses::rows::HomeAddress;

/// Reads the answers to the questions of states' certificates, by state.
///
/// # Errors
/// An answer that its question does not allow.
pub(in crate::pay::payrolls) fn by_state(
    context: &Context,
    stored: BTreeMap<String, Map<String, Value>>,
) -> Result<BTreeMap<String, BTreeMap<String, Answer>>, store::Error> {
    let certificates = certificates_of_year(context);
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
    let certificates = certificates_of_year(context);
    for certificate in circumstances.states().into_iter().filter_map(|state| certificates.get(state)) {
        for (key, answer) in certificate.answers_of(w4) {
            answers.entry(certificate.code.clone()).or_default().insert(key.to_owned(), answer);
        }
    }
}

/// Returns a warning for each state whose tax on wages is calculated without a certificate, because no question of it was answered.
pub(in crate::pay::payrolls) fn missing_certificates(
    context: &Context,
    circumstances: &Circumstances,
    answers: &BTreeMap<String, BTreeMap<String, Answer>>,
) -> Vec<Warning> {
    let certificates = certificates_of_year(context);
    let asked = circumstances.states().into_iter().filter_map(|state| certificates.get(state));
    let is_given = |certificate: &StateCertificate| {
        let answers = answers.get(&certificate.code);
        certificate.is_given(|key| answers.is_some_and(|answers| answers.contains_key(key)))
    };
    let missing = asked.filter(|certificate| certificate.wage_tax && !is_given(certificate));
    missing.map(|certificate| NO_STATE_CERTIFICATE.to_warning(&[("state", &certificate.name)])).collect()
}

/// Adds the local rate of Maryland, by the county of the home, where the employee has answered none.
pub(in crate::pay::payrolls) fn add_local_rate(
    home: Option<&HomeAddress>,
    day: Date,
    given_for: &GivenFor,
    answers: &mut BTreeMap<String, BTreeMap<String, Answer>>,
) {
    const KEY: &str = "local_rate";
    let Some(home) = home else { return };
    if let Some(of_state) = answers.get_mut("MD") {
        if of_state.contains_key(KEY) && given_for.is_for(KEY, home.postal().address()) {
            return;
        }
        of_state.remove(KEY);
    }
    let rate = match home.state.as_str() {
        "MD" => {
            let found = home.home_localities(&Certificate::default());
            let county = found.places.into_iter().find(|at| at.taxed && at.place.starts_with("MD-"));
            county.and_then(|county| maryland_rate(&county, day))
        }
        _ => Some(MARYLAND_NONRESIDENT),
    };
    if let Some(rate) = rate {
        answers.entry("MD".to_owned()).or_default().insert(KEY.to_owned(), Answer::Number(rate));
    }
}

/// Returns the codes of state and local taxes that the answers exempt from.
pub(in crate::pay::payrolls) fn exempted_tax_codes(
    context: &Context,
    answers: &BTreeMap<String, BTreeMap<String, Answer>>,
) -> BTreeSet<String> {
    let of_state = |(state, answers): (&String, &BTreeMap<String, Answer>)| {
        let certificate = certificates_of_year(context).get(state)?;
        let codes = certificate.exempted_taxes(|key| answers.get(key).cloned());
        Some(codes.into_iter().map(str::to_owned).collect::<Vec<_>>())
    };
    answers.iter().filter_map(of_state).flatten().collect()
}

fn certificates_of_year(context: &Context) -> &StateTables {
    context.tables.held.state_certificates.certificates_of_year(context.payroll.check_date.year())
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
            store::Unread::new(why).into_error("employee_state_taxes", "answers")
        })?;
        // An impossible answer, stored before such answers were refused, counts as missing: the paycheck then has a warning.
        // A short name of a school district has a warning of its own, which needs the answer.
        if question.allows_answer(&answer) || question.must == Some(Must::NameDistrict) {
            answers.insert(key, answer);
        }
    }
    Ok(answers)
}
