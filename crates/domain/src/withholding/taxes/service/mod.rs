//! Use cases of an employee's taxes.
//!
//! Every change takes the guard of the employee first, as changes of addresses do, because the addresses determine
//! which states ask questions.

pub mod federal;
mod from_addresses;
mod preview;
pub mod state;

use rules::effective;
use rules::taxes::ReciprocityTable;
use rules::withholding::state::{
    NEW_HIRE_REPORT, StateQuestions, is_complete, new_hire_report_is_answered,
    relevant_questions as state_questions,
};
use store::Tx;
use uuid::Uuid;

pub use preview::{Preview, dependent_credits, federal_preview};

use super::rows;
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::people::addresses;
use crate::platform::law;

/// The first day of every answer to a state. Answers are not dated.
pub const VALID_FROM: &str = "2010-01-01";

/// Which parts of an employee's taxes are complete, for the steps of onboarding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaxFacts {
    /// whether Form W-4 is answered
    pub federal_tax: bool,
    /// whether the states of work and home are known, and every question to the employee is answered
    pub state_tax: bool,
    /// whether the employer has decided for every work state whether to report the new hire
    pub new_hire_report: bool,
}

/// Which parts of an employee's taxes are complete.
pub fn tax_facts(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<TaxFacts, Error> {
    let federal_tax = rows::find_federal(tx, caller.company, employee)?.is_some();
    let places = work_and_home_states(tx, caller, employee)?;
    let states = questions_for_places(tx, caller, &places)?;
    let stored = rows::state_answers(tx, caller.company, employee)?;
    let (told, current) = from_addresses::answers_from_addresses(tx, caller, employee)?;
    let answered = |state: &str, key: &str| {
        let by_address = told.iter().any(|one| one.state == state && one.key == key);
        let stored = stored.iter().find(|stored| stored.state == state);
        by_address
            || stored.is_some_and(|stored| match key {
                NEW_HIRE_REPORT => stored.file_new_hire_report.is_some(),
                key => {
                    stored.answers.contains_key(key)
                        && current.is_answer_current(key, stored.given_for.as_ref())
                }
            })
    };
    let (works, lives) = (places.work.is_some(), places.home.is_some());
    Ok(TaxFacts {
        federal_tax,
        state_tax: works && lives && is_complete(&states, answered),
        new_hire_report: works && new_hire_report_is_answered(&states, answered),
    })
}

/// The questions of the states of work and home.
fn questions_of(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<Vec<StateQuestions>, Error> {
    let places = work_and_home_states(tx, caller, employee)?;
    questions_for_places(tx, caller, &places)
}

fn questions_for_places(
    tx: &mut Tx<'_>,
    caller: &Caller,
    places: &Places,
) -> Result<Vec<StateQuestions>, Error> {
    let certificates = law::state_certificates(tx)?;
    let work: Vec<&str> = places.work.as_deref().into_iter().collect();
    let today = caller.today(tx);
    let mut states =
        state_questions(certificates.certificates_of_year(today.year()), &work, places.home.as_deref());
    if let Some(home) = &places.home {
        let table = law::in_force::<ReciprocityTable>(tx)?;
        for state in states.iter_mut().filter(|state| state.is_work_state) {
            let agreement = table.get(&state.state.code, home, today);
            state.asks_nonresidents = state.state.code != *home && agreement.is_some();
        }
    }
    Ok(states)
}

/// The states in which an employee works and lives today.
struct Places {
    work: Option<String>,
    home: Option<String>,
}

fn work_and_home_states(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<Places, Error> {
    let today = caller.today(tx);
    let works = addresses::rows::work_addresses(tx, caller.company, employee)?;
    let homes = addresses::rows::home_addresses(tx, caller.company, employee)?;
    let work = effective::active_record(&works, today, |work| work.address.effective_date);
    let home = effective::active_record(&homes, today, |home| home.effective_date);
    Ok(Places { work: work.map(|work| work.state.clone()), home: home.map(|home| home.state.clone()) })
}
