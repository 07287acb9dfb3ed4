use jiff::civil::date;

use super::super::{LivedIn, LivesAt, Visited, WorkedAt, residence_key};
use super::*;
use crate::amount::Amount;

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

/// Returns each state as "state part/whole", with the states that it credits, or "nothing".
fn lines(circumstances: &Circumstances) -> Vec<String> {
    let found = circumstances.state_incomes(Tables::built_in(), date(2026, 6, 30));
    let line = |state: &StateIncome| {
        let credits = state.credits.iter().map(|credit| {
            let (theirs, own) = (credit.theirs, credit.own);
            let most = if own.is_all() { String::new() } else { format!(" up to {}/{}", own.part, own.of) };
            format!(" less {}/{} of {}{most}", theirs.part, theirs.of, found.states[credit.place].state)
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
    assert_eq!(
        lines(&working(&[("NY", 4), ("NJ", 6)], "NJ")),
        ["NY 4/10", "NJ 10/10 less 4/4 of NY up to 4/10"]
    );
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
fn after_a_move_of_home_and_work_neither_state_taxes_the_days_of_the_other() {
    let from = |state: &str| Some(LivedIn { state: state.to_owned(), psd: None });
    let mut circumstances = working(&[("NY", 7), ("NC", 7)], "NC");
    circumstances.lived = [("NC".to_owned(), 7), ("NY".to_owned(), 7)].into();
    (circumstances.work[0].lived, circumstances.work[1].lived) = (from("NY"), from("NC"));
    assert_eq!(lines(&circumstances), ["NC 7/14", "NY 7/14"]);
    // Two days in New York from the new home: New York taxes nonresidents, and North Carolina takes nothing in addition.
    circumstances.work = working(&[("NY", 7), ("NY", 2), ("NC", 5)], "NC").work;
    for (at, state) in circumstances.work.iter_mut().zip(["NY", "NC", "NC"]) {
        at.lived = from(state);
    }
    assert_eq!(lines(&circumstances), ["NC 5/14", "NY 9/14"]);
    // Work that does not name its home is divided by days.
    circumstances.work[2].lived = None;
    assert_eq!(lines(&circumstances).len(), 2);
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
    let mut circumstances = working(&[("NY", 10)], "PA");
    circumstances.confirmed.clear();
    assert_eq!(lines(&circumstances), ["NY 10/10", "PA_INCOME"]);
}

fn visited(days: u32, of_year: &str) -> Visited {
    let wages = Amount::parse(of_year).unwrap();
    Visited { days, of_year: wages, of_quarter: wages, ..Visited::default() }
}

#[test]
fn wages_up_to_a_threshold_of_a_state_that_is_visited_are_the_home_states() {
    let mut circumstances = working(&[("CO", 8), ("ID", 2)], "CO");
    let with = |circumstances: &mut Circumstances, of_year: &str| {
        circumstances.visited.insert("ID".to_owned(), visited(30, of_year));
        lines(circumstances)
    };
    assert_eq!(with(&mut circumstances, "1000"), ["CO 10/10", "ID nothing"]);
    assert_eq!(with(&mut circumstances, "1000.01"), ["CO 8/10", "ID 2/10"]);
    circumstances.visited.clear();
    assert_eq!(
        lines(&circumstances),
        ["CO 8/10", "ID 2/10"],
        "an assigned place of work is expected to pass it"
    );
}

#[test]
fn visits_add_to_the_days_of_a_work_address_and_days_that_are_not_known_let_nobody_off() {
    let mut circumstances = working(&[("CO", 8), ("IL", 2)], "CO");
    circumstances.worked_days.insert("IL".to_owned(), 29);
    circumstances.visited.insert("IL".to_owned(), visited(1, "0"));
    assert_eq!(lines(&circumstances), ["CO 10/10", "IL nothing"]);
    circumstances.visited.insert("IL".to_owned(), visited(2, "0"));
    assert_eq!(lines(&circumstances), ["CO 8/10", "IL 2/10"]);
    circumstances.worked_days.clear();
    assert_eq!(lines(&circumstances), ["CO 10/10", "IL nothing"]);
    circumstances.visited.insert("IL".to_owned(), Visited { undated: true, ..visited(2, "0") });
    assert_eq!(lines(&circumstances), ["CO 8/10", "IL 2/10"]);
}

#[test]
fn wages_of_a_visit_are_the_part_of_gross_pay_that_its_hours_are() {
    let mut circumstances = working(&[("CO", 0), ("OK", 0)], "CO");
    (circumstances.work[0].hours, circumstances.work[1].hours) = (60_000, 20_000);
    circumstances.visited.insert("OK".to_owned(), visited(3, "100"));
    let wages =
        circumstances.clone().with_visited_wages(date(2026, 6, 30), Amount::from_cents(100_010)).unwrap();
    // A quarter of 1,000.10, plus the year's earlier wages; the calendar quarter is a new one.
    assert_eq!(wages.visited["OK"].of_year, Amount::parse("350.03").unwrap());
    assert_eq!(wages.visited["OK"].of_quarter, Amount::parse("250.03").unwrap());
    assert_eq!(lines(&wages), ["CO 80000/80000", "OK nothing"]);
}
