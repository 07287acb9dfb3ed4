//! Questions of an employee's states.

use std::sync::{Arc, LazyLock};

use super::answer::Answer;
use super::question::{Kind, Question};
use super::tables::{StateCertificate, StateTables};

/// Questions of a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateQuestions {
    /// The state's certificate.
    pub state: Arc<StateCertificate>,
    /// Whether it is a work state; otherwise it is only the home state.
    pub is_work_state: bool,
    /// Whether this work state does not tax residents of the home state who submit a certificate of nonresidence.
    pub asks_nonresidents: bool,
}

impl StateQuestions {
    /// Returns the questions, the new hire report last. A state that does not tax wages has no questions for the employee.
    pub fn questions(&self) -> impl Iterator<Item = &Question> {
        let employer = self.is_work_state.then_some(&self.state.new_hire_report);
        let nonresident = self.asks_nonresidents.then(nonresident_certificate);
        self.state.questions.iter().chain(nonresident).chain(employer)
    }
}

/// Returns the questions of the work states in order, then the home state. Unknown codes are skipped.
pub fn relevant_questions(
    tables: &StateTables,
    work_states: &[&str],
    home_state: Option<&str>,
) -> Vec<StateQuestions> {
    let mut found: Vec<StateQuestions> = Vec::new();
    let work = work_states.iter().map(|code| (*code, true));
    for (code, is_work_state) in work.chain(home_state.map(|code| (code, false))) {
        let Some(state) = tables.get(code) else { continue };
        if found.iter().any(|earlier| earlier.state.code == code) {
            continue;
        }
        found.push(StateQuestions { state: Arc::clone(state), is_work_state, asks_nonresidents: false });
    }
    found
}

/// Key of the question about a certificate of nonresidence on file.
pub const NONRESIDENT_CERTIFICATE: &str = "nonresident_certificate";

/// Returns the question for work states that have a reciprocity agreement with the home state. Without an answer there
/// is no certificate, and the work state's tax is withheld.
pub fn nonresident_certificate() -> &'static Question {
    const HELP: &str = "The work state has an agreement with the home state: whoever has given the employer its \
                        certificate of nonresidence is taxed by the home state alone.";
    static QUESTION: LazyLock<Question> = LazyLock::new(|| Question {
        key: NONRESIDENT_CERTIFICATE.to_owned(),
        in_formula: None,
        label: "Certificate of nonresidence".to_owned(),
        help: Some(HELP.to_owned()),
        kind: Kind::yes_or_no(),
        must: None,
        default: Some(Answer::Bool(false)),
        admin_only: false,
        optional: true,
        exempts: Vec::new(),
        counts_with: None,
    });
    &QUESTION
}

/// Whether the employee has answered every question that needs an answer. `answered` returns whether there is a stored
/// answer for a state and a key; defaults do not count. True if there are no questions.
pub fn is_complete(states: &[StateQuestions], answered: impl Fn(&str, &str) -> bool) -> bool {
    all_answered(states, false, answered)
}

/// Whether the employer has decided on new hire reporting for every work state. True without a work state.
pub fn new_hire_report_is_answered(states: &[StateQuestions], answered: impl Fn(&str, &str) -> bool) -> bool {
    all_answered(states, true, answered)
}

fn all_answered(states: &[StateQuestions], admin_only: bool, answered: impl Fn(&str, &str) -> bool) -> bool {
    states.iter().all(|asked| {
        let mut questions =
            asked.questions().filter(|question| question.admin_only == admin_only && !question.optional);
        questions.all(|question| answered(&asked.state.code, &question.key))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::withholding::state::NEW_HIRE_REPORT;

    type Asked = (String, bool, Vec<String>);

    fn asked(work: &[&str], home: Option<&str>) -> Vec<Asked> {
        let found = relevant_questions(StateTables::built_in(), work, home);
        let keys = |asked: &StateQuestions| asked.questions().map(|question| question.key.clone()).collect();
        found.iter().map(|asked| (asked.state.code.clone(), asked.is_work_state, keys(asked))).collect()
    }

    fn expected(code: &str, work: bool, keys: &[&str]) -> Asked {
        (code.to_owned(), work, keys.iter().map(|key| (*key).to_owned()).collect())
    }

    const CALIFORNIA: [&str; 4] = [
        "filing_status",
        "withholding_allowance",
        "estimated_deduction_allowances",
        "additional_withholding",
    ];

    fn with_report(keys: &[&'static str]) -> Vec<&'static str> {
        keys.iter().copied().chain([NEW_HIRE_REPORT]).collect()
    }

    #[test]
    fn a_state_of_work_and_home_asks_once_and_asks_the_employer_too() {
        assert_eq!(asked(&["CA"], Some("CA")), [expected("CA", true, &with_report(&CALIFORNIA))]);
    }

    #[test]
    fn a_home_in_another_state_asks_only_the_employee() {
        let both = [expected("TX", true, &with_report(&[])), expected("CA", false, &CALIFORNIA)];
        assert_eq!(asked(&["TX"], Some("CA")), both);
    }

    #[test]
    fn a_state_without_a_tax_on_wages_asks_the_employee_nothing_and_the_employer_about_exemptions() {
        let both = [expected("WA", true, &with_report(&["wa_cares_exempt"])), expected("NV", false, &[])];
        assert_eq!(asked(&["WA", "WA"], Some("NV")), both);
        assert!(is_complete(&relevant_questions(StateTables::built_in(), &["WA"], Some("NV")), |_, _| false));
    }

    #[test]
    fn a_place_that_is_no_state_asks_nothing() {
        assert_eq!(asked(&["PR"], Some("XX")), []);
        assert_eq!(asked(&[], None), []);
    }

    #[test]
    fn the_employee_is_done_when_every_own_question_of_every_state_is_answered() {
        let states = relevant_questions(StateTables::built_in(), &["CA"], Some("NM"));
        let all = |_: &str, key: &str| key != NEW_HIRE_REPORT;
        assert!(is_complete(&states, all));
        assert!(!new_hire_report_is_answered(&states, all));
        assert!(new_hire_report_is_answered(&states, |state, key| (state, key) == ("CA", NEW_HIRE_REPORT)));
        for state in &states {
            for question in state.questions().filter(|question| !question.admin_only) {
                let but_one = |code: &str, key: &str| (code, key) != (&state.state.code, &question.key);
                assert!(!is_complete(&states, but_one), "{} {}", state.state.code, question.key);
            }
        }
    }

    #[test]
    fn a_default_is_not_an_answer() {
        let states = relevant_questions(StateTables::built_in(), &["KY"], None);
        assert!(states[0].questions().all(|question| question.admin_only || question.default.is_some()));
        assert!(!is_complete(&states, |_, _| false));
    }
}
