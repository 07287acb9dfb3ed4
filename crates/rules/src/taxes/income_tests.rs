use jiff::civil::date;

use super::super::{LivesAt, WorkedAt, residence_key};
use super::*;

fn working(at: &[(&str, u32)], home: &str) -> Circumstances {
    let work = at.iter().map(|(state, days)| WorkedAt {
        state: (*state).to_owned(),
        days: *days,
        ..WorkedAt::default()
    });
    let confirmed = at.iter().map(|(state, _)| residence_key(state)).chain([residence_key(home)]);
    Circumstances {
        work: work.collect(),
        home: LivesAt { state: home.to_owned(), ..LivesAt::default() },
        confirmed: confirmed.collect(),
        ..Circumstances::default()
    }
}

/// Each state as "state part/whole", with the states that it credits, or "nothing".
fn lines(circumstances: &Circumstances) -> Vec<String> {
    let found = circumstances.state_incomes(Tables::built_in(), date(2026, 6, 30));
    let line = |state: &StateIncome| {
        let credits = state.credits.iter().map(|(place, share)| {
            format!(" less {}/{} of {}", share.part, share.of, found.states[*place].state)
        });
        let credits: String = credits.collect();
        match state.withheld {
            true => format!("{} {}/{}{credits}", state.state, state.share.part, state.share.of),
            false => format!("{} nothing", state.state),
        }
    };
    let unworked = found.unworked.iter().map(|one| one.code.clone());
    found.states.iter().map(line).chain(unworked).collect()
}

#[test]
fn who_lives_and_works_in_one_state_bears_it_alone_and_nothing_is_to_be_said() {
    let circumstances = working(&[("CA", 10)], "CA");
    assert_eq!(lines(&circumstances), ["CA 1/1"]);
    let found = circumstances.state_incomes(Tables::built_in(), date(2026, 6, 30));
    assert_eq!(found.states[0].why, "");
    assert_eq!(lines(&Circumstances::default()), Vec::<String>::new());
}

#[test]
fn without_a_home_address_the_state_of_work_is_borne_in_full() {
    assert_eq!(lines(&working(&[("NY", 10)], "")), ["NY 1/1"]);
    assert_eq!(lines(&working(&[("NY", 5), ("NJ", 5)], "")), ["NJ 5/10", "NY 5/10"]);
}

#[test]
fn the_state_of_work_comes_before_the_home_state_that_credits_it() {
    assert_eq!(lines(&working(&[("NY", 10)], "NJ")), ["NY 10/10", "NJ 10/10 less 10/10 of NY"]);
    assert_eq!(lines(&working(&[("NY", 4), ("NJ", 6)], "NJ")), ["NY 4/10", "NJ 10/10 less 4/4 of NY"]);
    assert_eq!(lines(&working(&[("NV", 10)], "CA")), ["CA 10/10", "NV nothing"]);
}

#[test]
fn a_certificate_of_nonresidence_moves_the_tax_home() {
    let mut circumstances = working(&[("NJ", 10)], "PA");
    assert_eq!(lines(&circumstances), ["NJ 10/10", "PA 10/10 less 10/10 of NJ"]);
    circumstances.nonresident_certificates.insert("NJ".to_owned());
    assert_eq!(lines(&circumstances), ["NJ nothing", "PA 10/10"]);
}

#[test]
fn decisions_on_one_state_for_different_reasons_are_one_tax() {
    let mut circumstances = working(&[("NY", 4), ("CT", 6)], "CT");
    circumstances.work[1].office = Some("NY".to_owned());
    assert_eq!(lines(&circumstances), ["NY 10/10", "CT 10/10 less 10/10 of NY"]);
}

#[test]
fn days_up_to_a_threshold_are_the_home_states() {
    let mut circumstances = working(&[("CO", 8), ("IL", 2)], "CO");
    circumstances.worked_days.insert("IL".to_owned(), 30);
    assert_eq!(lines(&circumstances), ["CO 10/10", "IL nothing"]);
    circumstances.worked_days.insert("IL".to_owned(), 31);
    assert_eq!(lines(&circumstances), ["CO 8/10", "IL 2/10"]);
}

#[test]
fn after_a_move_each_home_state_credits_its_own_part_of_the_other_states_tax() {
    let mut circumstances = working(&[("NY", 10)], "NJ");
    circumstances.lived = [("CT".to_owned(), 5), ("NJ".to_owned(), 9)].into();
    circumstances.confirmed.insert(residence_key("CT"));
    assert_eq!(
        lines(&circumstances),
        ["NY 140/140", "CT 50/140 less 50/140 of NY", "NJ 90/140 less 90/140 of NY"]
    );
}

#[test]
fn of_two_states_that_credit_each_other_one_comes_first_and_says_so() {
    let mut circumstances = working(&[("NJ", 5), ("CT", 5)], "NJ");
    circumstances.lived = [("CT".to_owned(), 7), ("NJ".to_owned(), 7)].into();
    let found = circumstances.state_incomes(Tables::built_in(), date(2026, 6, 30));
    assert!(found.states[0].why.contains("the tax of NJ is not credited"), "{found:?}");
    assert_eq!(found.states[1].credits.len(), 1);
}

#[test]
fn a_home_rule_from_memory_is_told_and_not_used() {
    let mut circumstances = working(&[("NY", 10)], "NJ");
    circumstances.confirmed.clear();
    assert_eq!(lines(&circumstances), ["NY 10/10", "NJ_INCOME"]);
}
