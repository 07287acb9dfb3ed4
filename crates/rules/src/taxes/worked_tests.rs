//! Whole situations: all lines of each state, and three pays for each kind of local tax. Both tables of cases are computed
//! by `tests/worked/places.py`.

use std::collections::BTreeMap;

use jiff::civil::{Date, date};
use serde::Deserialize;

use super::golden_tests::{dollars, facts, lines_of, pay};
use super::local::{January, Places, Residency, Tables, WorkPlace};
use super::*;
use crate::amount::Amount;
use crate::withholding::csv_rows;

const DAY: Date = date(2026, 6, 12);

/// Returns the lines of an outcome; taxes that could not be calculated have a question mark.
fn all_lines(outcome: &Outcome<'_>) -> Vec<String> {
    let open = outcome.unworked.iter().map(|one| format!("{} ?", one.code));
    let mut lines: Vec<String> = lines_of(outcome).into_iter().chain(open).collect();
    lines.sort();
    lines
}

/// Returns "CODE amount CODE amount" as a sorted list of lines.
fn expected(lines: &str) -> Vec<String> {
    let words: Vec<&str> = lines.split(' ').collect();
    let mut lines: Vec<String> = words.chunks(2).map(|line| line.join(" ")).collect();
    lines.sort();
    lines
}

#[derive(Deserialize)]
struct OfState {
    state: String,
    lines: String,
}

#[test]
fn who_lives_and_works_in_a_state_bears_its_programmes_and_the_employer_its_own() {
    let cases: Vec<OfState> = csv_rows(include_str!("states_worked.csv")).unwrap();
    let states: Vec<&str> = cases.iter().map(|case| case.state.as_str()).collect();
    for (state, _) in crate::check::STATES {
        assert!(states.contains(&state), "{state} has a case");
    }
    for OfState { state, lines } in &cases {
        let circumstances = Circumstances {
            work: vec![WorkedAt { state: state.clone(), days: 14, ..WorkedAt::default() }],
            home: LivesAt { state: state.clone(), ..LivesAt::default() },
            unemployment_percent: Some(dollars("2.7")),
            employees: 60,
            // Pennsylvania would otherwise require the register's codes; places have their own table of cases.
            psd: PsdCodes { home: None, work: None, exempt_from_services: true },
            ..Circumstances::default()
        };
        let base = facts(DAY).social_security_base;
        let situation = circumstances.find_situation(&TaxTables::built_in(), DAY, base);
        let pay = Pay { hours: dollars("80"), ..pay(DAY, Wages::of_cash(dollars("2345.67"))) };
        let outcome = situation.calculate_lines(&pay, &[]);
        let found: Vec<String> = all_lines(&outcome).into_iter().filter(|line| line != "PA_EIT ?").collect();
        assert_eq!(found, expected(lines), "{state}");
    }
}

#[derive(Deserialize)]
struct OfPlace {
    kind: String,
    home: String,
    work: String,
    half: String,
    january_home: String,
    january_work: String,
    psd_home: String,
    psd_work: String,
    exemptions: String,
    election: String,
    payroll: String,
    courtesy: String,
    wages: Amount,
    lines: String,
}

impl OfPlace {
    fn places(&self) -> Places {
        let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let words = |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_owned).collect() };
        let work = words(&self.work);
        let county = work.iter().find(|place| place.ends_with("_COUNTY") && work.len() > 1).cloned();
        let part = if self.half.is_empty() { Share::ALL } else { Share::new(5, 10).unwrap() };
        let work_places = work.iter().map(|place| WorkPlace {
            share: part,
            within: county.clone().filter(|county| county != place),
            ..WorkPlace::all_work_at(place)
        });
        let (january_home, january_work) = (given(&self.january_home), given(&self.january_work));
        let (home, work) = (given(&self.psd_home), given(&self.psd_work));
        let home_places = words(&self.home);
        let credit = |place: &String| OhioCreditTable::built_in().get(place, DAY).unwrap().credit.clone();
        let agreed = home_places.iter().filter(|_| !self.courtesy.is_empty());
        Places {
            agreed: agreed.map(|place| (place.clone(), Ok(credit(place)))).collect(),
            home: home_places,
            work: work_places.collect(),
            january: (january_home.is_some() || january_work.is_some())
                .then_some(January { home: january_home, work: january_work }),
            pennsylvania: match (home, work) {
                (None, None) => Vec::new(),
                (home, work) => vec![(Residency { home, work, ..Residency::default() }, Share::ALL)],
            },
            ..Places::default()
        }
    }

    fn facts(&self) -> Facts<'static> {
        let mut facts = facts(DAY);
        let setting = Setting {
            confirmed: true,
            filing: Some(Filing::Single),
            exemptions: self.exemptions.parse().unwrap_or(0),
            election: Some(self.election.clone()).filter(|election| !election.is_empty()),
            ..Setting::default()
        };
        let settings = TaxTable::built_in_local().iter().map(|tax| (tax.code.clone(), setting.clone()));
        facts.settings = settings.collect::<BTreeMap<_, _>>();
        if !self.payroll.is_empty() {
            facts.payrolls.insert(self.work.clone(), dollars(&self.payroll));
        }
        facts
    }
}

#[test]
fn three_pays_for_each_kind_of_local_tax_come_to_what_was_worked_apart() {
    let cases: Vec<OfPlace> = csv_rows(include_str!("places_worked.csv")).unwrap();
    let mut of_kind: BTreeMap<&str, usize> = BTreeMap::new();
    for case in &cases {
        *of_kind.entry(&case.kind).or_default() += 1;
        let situation = Situation::new([local::due_taxes(Tables::built_in(), &case.facts(), &case.places())]);
        let state = |state| StateResult {
            state,
            wages: case.wages,
            taxable: Some(case.wages),
            tax: dollars("80"),
            additional: Amount::ZERO,
        };
        let states = [state("NY"), state("MD"), state("IN")];
        let pay = Pay { states: &states, ..pay(DAY, Wages::of_cash(case.wages)) };
        let outcome = situation.calculate_lines(&pay, &situation.to_dates(|_| ToDate::default()));
        assert_eq!(all_lines(&outcome), expected(&case.lines), "{} {}", case.kind, case.wages);
    }
    assert!(of_kind.values().all(|number| *number == 3), "{of_kind:?}");
}

/// Checks that every state whose places levy a tax on wages has a case.
#[test]
fn every_state_with_local_taxes_is_among_the_cases() {
    let cases: Vec<OfPlace> = csv_rows(include_str!("places_worked.csv")).unwrap();
    let all: String = cases.iter().map(|case| format!(" {}", case.lines)).collect();
    for tax in TaxTable::built_in_local().iter() {
        let state = tax.jurisdiction.state.as_str();
        // San Francisco's tax no longer applies to wages, and Seattle's figures are not known.
        let none = ["CA", "WA"].contains(&state);
        assert_eq!(all.contains(&format!(" {state}_")), !none, "{state}");
    }
}
