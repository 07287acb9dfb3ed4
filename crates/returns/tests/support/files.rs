//! Parties of files with Forms W-2, and their records.

use returns::efw2::{Employer, Employment, KindOfEmployer, Layout, Layouts, Party, RECORD};
use returns::w2::{Address, Person};

#[path = "../../../../tests/support/submitter.rs"]
pub mod submitter;

pub fn layout() -> &'static Layout {
    Layouts::built_in().layout_of_year(2026).unwrap()
}

pub fn address(delivery: &str, city: &str, state: &str, zip: &str) -> Address {
    let text = str::to_owned;
    let (delivery, city, state, zip) = (text(delivery), text(city), text(state), text(zip));
    Address { location: String::new(), delivery, city, state, zip }
}

pub fn employer() -> Employer {
    Employer {
        ein: "987654321".to_owned(),
        agent: None,
        is_terminating: false,
        other_ein: String::new(),
        party: Party {
            name: "Bluebird Cafe Inc".to_owned(),
            address: address("7 Elm Street", "Denver", "CO", "80202-1234"),
        },
        kind: KindOfEmployer::None,
        employment: Employment::F941,
        contact: None,
        sick_pay_tax: 0,
    }
}

pub fn person(first: &str, last: &str, ssn: &str) -> Person {
    Person {
        id: format!("{first} {last}"),
        ssn: Some(ssn.to_owned()),
        first_name: first.to_owned(),
        last_name: last.to_owned(),
        address: address("1 Oak Road", "Denver", "CO", "80202"),
        has_retirement_plan: true,
        state_accounts: [("CO".to_owned(), "12345678".to_owned())].into(),
        ..Person::default()
    }
}

pub fn records(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    let records: Vec<String> = text.split_terminator("\r\n").map(str::to_owned).collect();
    assert!(text.ends_with("\r\n") && records.iter().all(|record| record.len() == RECORD));
    records
}

pub fn names(records: &[String]) -> Vec<&str> {
    records.iter().map(|record| &record[..2]).collect()
}

/// Characters of a record by their positions, from 1.
pub fn at(record: &str, from: usize, to: usize) -> &str {
    &record[from - 1..to]
}
