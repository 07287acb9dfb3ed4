//! Files with Forms W-2 for states: records, fields of the states' own, and what is refused.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where it fails")]

mod support;

use jiff::civil::date;
use returns::W2;
use returns::efw2::Error;
use returns::efw2::states::{self, StateWriter};
use support::files::submitter::submitter;
use support::files::{at, employer, layout, names, person, records};
use support::{Pay, Year, taxes};

/// A form of a year in a state, with the account of the employer there.
fn form_of(state: &str, account: &str, wages: i64) -> W2 {
    let mut year = Year::default();
    for month in 1..=12 {
        let pay = Pay { wages, income_tax: wages / 8, ..Pay::default() };
        year.pay(&month.to_string(), date(2026, month, 28), state, pay);
    }
    let mut person = person("Ida", "Marsh", "412552001");
    person.state_accounts = [(state.to_owned(), account.to_owned())].into();
    W2::new(2026, person, &year.payments).unwrap()
}

fn write_for(state: &str, forms: &[W2]) -> Result<Vec<u8>, Error> {
    let of = states::return_of_state(state).unwrap();
    let mut writer = StateWriter::new(of, (layout(), taxes()), (&submitter(), &employer()), Vec::new())?;
    forms.iter().try_for_each(|form| writer.write_employee(form))?;
    writer.finish_file().map(|(bytes, written)| {
        assert_eq!(written.bytes, bytes.len() as u64);
        bytes
    })
}

#[test]
fn the_file_of_a_state_has_the_records_that_it_reads_and_its_own_fields() {
    let forms =
        [form_of("PA", "12345678", 500_000), form_of("CO", "1", 900_000), form_of("PA", "12345678", 250_000)];
    let lines = records(&write_for("PA", &forms).unwrap());
    assert_eq!(names(&lines), ["RA", "RE", "RS", "RS", "RV", "RF"], "without the employee of Colorado");
    let (wages, tax) = forms
        .iter()
        .filter_map(|form| states::return_of_state("PA").unwrap().line(form))
        .fold((0, 0), |(wages, tax), line| (wages + line.taxed.wages, tax + line.taxed.tax));
    assert_eq!(wages, 12 * 750_000);
    for (record, from, to, expected) in [
        (2, 248, 255, "12345678".to_owned()),
        (2, 276, 286, format!("{:011}", 12 * 500_000)),
        (2, 338, 346, "0".repeat(9)),
        (4, 3, 8, "422026".to_owned()),
        (4, 9, 32, "123456789876543210000002".to_owned()),
        (4, 33, 62, format!("{wages:015}{tax:015}")),
        (4, 63, 512, " ".repeat(450)),
        (5, 3, 512, " ".repeat(510)),
    ] {
        assert_eq!(at(&lines[record], from, to), expected, "record {record}, {from} to {to}");
    }
    let lines = records(&write_for("AZ", &[form_of("AZ", "07-1234567", 500_000)]).unwrap());
    assert_eq!(
        names(&lines),
        ["RA", "RE", "RW", "RS", "RT", "RF"],
        "the file of the federal agency with record RS"
    );
    assert_eq!(at(&lines[3], 248, 267).trim_end(), "07-1234567");
    assert_eq!(at(&lines[5], 8, 16), "000000001");
}

#[test]
fn every_file_of_a_state_can_be_written() {
    for of in states::all_returns().iter().filter(|of| of.without_file.is_empty()) {
        let lines = records(&write_for(&of.state, &[form_of(&of.state, "12345678", 500_000)]).unwrap());
        let expected: Vec<&str> =
            of.records.iter().map(String::as_str).filter(|name| !["RO", "RU"].contains(name)).collect();
        assert_eq!(names(&lines), expected, "{}", of.state);
    }
}

#[test]
fn a_file_of_a_state_is_refused_with_every_reason_at_once() {
    let pennsylvania = states::return_of_state("PA").unwrap();
    let check = |form: &W2| states::check_form(pennsylvania, (layout(), taxes()), &employer(), form);
    let fields = |form: &W2| {
        check(form).iter().filter(|one| one.blocks_file()).map(|one| one.field.clone()).collect::<Vec<_>>()
    };
    assert!(fields(&form_of("PA", "12345678", 500_000)).is_empty());
    assert_eq!(fields(&form_of("PA", "", 500_000)), ["state_employer_account"]);
    assert_eq!(fields(&form_of("PA", "123456789", 500_000)), ["state_employer_account"], "eight characters");
    let mut wrong = form_of("PA", "", 500_000);
    wrong.person.ssn = Some("000123456".to_owned());
    wrong.states[0].taxed.tax = -1;
    assert_eq!(fields(&wrong), ["ssn", "state_employer_account", "box_17"]);
    assert!(check(&form_of("CO", "", 500_000)).is_empty(), "it is not in the file");
    let refused = write_for("PA", &[wrong]).unwrap_err();
    assert!(matches!(&refused, Error::Refused(found) if found.len() == 3), "{refused}");
    assert!(matches!(write_for("PA", &[form_of("CO", "1", 500_000)]), Err(Error::Order(_))));
    assert!(matches!(write_for("IN", &[]), Err(Error::Order(_))), "there is none for Indiana");
}
