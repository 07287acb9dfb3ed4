use jiff::civil::date;

use super::*;
use crate::w2::Address;

fn heading() -> Heading {
    let party = |name: &str| Party {
        name: name.to_owned(),
        address: Address {
            delivery: "7 Elm Street".to_owned(),
            city: "Nashville".to_owned(),
            state: "TN".to_owned(),
            zip: "37201-1234".to_owned(),
            ..Address::default()
        },
    };
    Heading {
        transmitter: Transmitter {
            ein: "123456789".to_owned(),
            party: party("Northwind Payroll LLC"),
            contact: Contact {
                name: "Ana Ruiz".to_owned(),
                phone: "6155550100".to_owned(),
                ..Contact::default()
            },
        },
        reporter: Reporter {
            ein: "987654321".to_owned(),
            party: party("Bluebird Cafe Inc"),
            account: "1234-567 8".to_owned(),
        },
        quarter: Quarter::new(2026, 3).unwrap(),
        made_on: date(2026, 10, 5),
    }
}

fn reported(total: i64, taxable: i64) -> Reported {
    Reported {
        ssn: "412552001".to_owned(),
        first_name: "Mary Jo".to_owned(),
        middle_initial: "Q".to_owned(),
        last_name: "O'Neil-Lopez".to_owned(),
        wages: Wages { total, taxable, contributions: 2_700, ..Wages::default() },
        hours: 480_250_000,
        on_the_12th: [true, false, true],
    }
}

fn written(state: &str, all: &[Reported]) -> Vec<String> {
    let heading = heading();
    let mut writer = WageWriter::new(file_of_state(state).unwrap(), &heading, Vec::new()).unwrap();
    all.iter().for_each(|one| writer.write_employee(one).unwrap());
    let text = String::from_utf8(writer.finish_file().unwrap()).unwrap();
    text.split_terminator("\r\n").map(str::to_owned).collect()
}

/// Characters of a record by their positions, from 1.
fn at(record: &str, from: usize, to: usize) -> &str {
    record[from - 1..to].trim_end()
}

#[test]
fn a_file_of_icesa_has_the_records_that_the_state_reads_and_totals_of_its_employees() {
    let records = written("WV", &[reported(1_250_000, 950_000), reported(300_000, 0)]);
    let names: Vec<&str> = records.iter().map(|record| &record[..1]).collect();
    assert_eq!(names, ["A", "E", "S", "S", "T", "F"]);
    assert!(records.iter().all(|record| record.len() == RECORD));
    for (record, from, to, expected) in [
        (0, 2, 18, "2026123456789UTAX"),
        (0, 24, 73, "NORTHWIND PAYROLL LLC"),
        (0, 154, 163, "37201-1234"),
        (0, 243, 250, "10052026"),
        (1, 6, 14, "987654321"),
        (1, 171, 189, "541234-567 8     09"),
        (2, 2, 45, "412552001O'NEIL-LOPEZ        MARY JO     Q54"),
        (2, 50, 77, "0000000125000000000001250000"),
        (2, 78, 105, "0000000030000000000000950000"),
        (2, 132, 134, "481"),
        (2, 212, 220, "101092026"),
        (4, 2, 12, "0000002UTAX"),
        (4, 27, 68, "000000015500000000000060000000000000950000"),
        (4, 69, 81, "0000000005400"),
        (4, 227, 247, "000000200000000000002"),
        (5, 2, 25, "00000000020000000001UTAX"),
    ] {
        assert_eq!(at(&records[record], from, to), expected, "record {record}, {from} to {to}");
    }
    let records = written("TN", &[reported(1_250_000, 950_000)]);
    assert_eq!(records.iter().map(|record| &record[..1]).collect::<Vec<_>>(), ["E", "S", "F"]);
}

#[test]
fn the_list_of_washington_has_whole_hours() {
    let lines = written("WA", &[reported(1_250_000, 950_000)]);
    assert_eq!(lines[1..], ["412552001,\"O'Neil-Lopez\",\"Mary Jo\",\"Q\",,481,12500.00"]);
}

#[test]
fn the_list_of_new_york_has_the_taxes_of_the_state_its_city_and_yonkers() {
    let mut one = reported(1_250_000, 950_000);
    (one.wages.income_wages, one.wages.income_tax) = (1_200_000, 61_000);
    (one.wages.new_york_city_tax, one.wages.yonkers_tax) = (38_250, 1_025);
    let of_columns = "412552001,\"O'Neil-Lopez\",\"Mary Jo\",\"Q\",12500.00,12000.00,610.00,382.50,10.25";
    assert_eq!(written("NY", &[one]), [of_columns]);
}

#[test]
fn what_would_be_turned_back_is_told_at_once() {
    let (tennessee, washington) = (file_of_state("TN").unwrap(), file_of_state("WA").unwrap());
    assert!(check_heading(tennessee, &heading()).is_empty());
    let mut wrong = heading();
    (wrong.reporter.ein, wrong.reporter.account) = (String::new(), " ".to_owned());
    wrong.reporter.party.address.delivery.clear();
    wrong.transmitter.ein.clear();
    assert_eq!(check_heading(tennessee, &wrong).len(), 3, "Tennessee reads no record of who transmits");
    assert_eq!(check_heading(file_of_state("WV").unwrap(), &wrong).len(), 4);
    wrong.reporter.account = "1".repeat(16);
    assert!(check_heading(tennessee, &wrong).iter().any(|why| why.contains("more than 15 characters")));

    let fine = reported(100, 100);
    assert!(check_employee(washington, "Mary", &fine, false).is_empty());
    let bad = Reported { ssn: String::new(), last_name: "Peña".to_owned(), hours: 0, ..reported(-100, 100) };
    let found = check_employee(washington, "Mary", &bad, true);
    assert_eq!(found.len(), 6, "{found:?}");
    assert!(found.iter().all(|why| why.starts_with("Mary: ")));
    assert_eq!(check_employee(tennessee, "Mary", &bad, true).len(), 5, "Tennessee asks for no hours");
}

#[test]
fn every_field_of_icesa_has_a_value() {
    for state in ["DC", "MD", "TN", "WV"] {
        assert!(!written(state, &[reported(100, 100)]).is_empty());
    }
    assert!(parse_fields("record,value,from,to\nS,ssn,2,10\nS,last_name,10,30\n").is_err());
    assert!(parse_fields("record,value,from,to\nX,ssn,2,10\n").is_err());
    let head = "state,format,records,needs_hours,without_file,confidence,source";
    for wrong in
        ["TN,icesa,,no,,memory,x", "TN,csv,E S,no,,memory,x", "TN,,,no,,memory,x", "ZZ,csv,,no,,memory,x"]
    {
        assert!(parse_files(&format!("{head}\n{wrong}\n")).is_err(), "{wrong}");
    }
}
