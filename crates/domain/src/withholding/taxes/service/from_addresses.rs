//! Answers to the states' questions that the addresses give: they come answered, and an answer of the employee's takes precedence.

use jiff::civil::date;
use rules::effective;
use rules::places::{
    Certificate, GivenAddress, GivenFor, OF_HOME, OF_WORK, Side, ToldAnswer, told_by_home, told_by_work,
    told_on_first_of_january,
};
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::people::addresses::jurisdictions::{About, find_localities};
use crate::people::addresses::rows::{self, Workplace};
use crate::platform::law;

/// The addresses of today.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Current {
    home: Option<GivenAddress>,
    work: Option<GivenAddress>,
}

impl Current {
    /// Returns the address that a question is about; `None` for one about no address.
    pub(super) fn address_of_question(&self, key: &str) -> Option<GivenAddress> {
        if OF_HOME.contains(&key) {
            self.home.clone()
        } else if OF_WORK.contains(&key) {
            self.work.clone()
        } else {
            None
        }
    }

    /// Returns whether a stored answer counts: unless it was given for another address.
    pub(super) fn is_answer_current(&self, key: &str, given_for: Option<&GivenFor>) -> bool {
        let given = given_for.and_then(|given| given.0.get(key));
        given.zip(self.address_of_question(key)).is_none_or(|(given, current)| *given == current)
    }
}

/// Returns the answers that an employee's current addresses give, and these addresses.
pub(super) fn answers_from_addresses(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
) -> Result<(Vec<ToldAnswer>, Current), Error> {
    let today = caller.today(tx);
    let homes = rows::home_addresses(tx, caller.company, employee)?;
    let works = rows::work_addresses(tx, caller.company, employee)?;
    let register = law::pennsylvania_register(tx)?;
    let nothing = Certificate::default();
    let of_work = |work: &Workplace| {
        let by_hand = work.address.jurisdiction_codes.as_ref();
        let about = About { by_hand, answers: work.place_answers.as_ref(), ..About::default() };
        find_localities(Side::Work, work.postal(), about, &nothing)
    };
    let (mut all, mut current) = (Vec::new(), Current::default());
    if let Some(home) = effective::active_record(&homes, today, |home| home.effective_date) {
        current.home = Some(GivenAddress::from_address(home.postal().address()));
        all.extend(told_by_home(&home.state, &home.home_localities(&nothing), &register, today));
    }
    if let Some(work) = effective::active_record(&works, today, |work| work.address.effective_date) {
        current.work = Some(GivenAddress::from_address(work.postal().address()));
        all.extend(told_by_work(&work.state, &of_work(work), &register));
    }
    let first = date(today.year(), 1, 1);
    if let Some(home) = effective::active_record(&homes, first, |home| home.effective_date) {
        let work = effective::active_record(&works, first, |work| work.address.effective_date);
        let at_work = work.map(|work| (work.state.clone(), of_work(work)));
        let at_work = at_work.as_ref().map(|(state, found)| (state.as_str(), found));
        all.extend(told_on_first_of_january((&home.state, &home.home_localities(&nothing)), at_work));
    }
    Ok((all, current))
}
