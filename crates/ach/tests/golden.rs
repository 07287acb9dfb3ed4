//! Thirteen written files, kept byte for byte in `tests/bank/golden`, where a third-party reader reads them, too.
//! `STIPEND_TEST_BANK_FILES=FOLDER` writes them into a folder as well.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that meets what it does not expect fails"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use ach::addendum::TaxDeposit;
use ach::back::{What, read_back};
use ach::{AccountKind, Batch, Direction, Entry, File, Header, Kind, Originator, Routing};
use jiff::civil::{Date, date};

const BANKS: [&str; 3] = ["021000021", "121000248", "062000019"];

fn routing(text: &str) -> Routing {
    Routing::parse(text).unwrap()
}

fn entry(direction: Direction, place: usize, cents: u64) -> Entry {
    Entry {
        direction,
        account_kind: if place % 3 == 2 { AccountKind::Savings } else { AccountKind::Checking },
        routing: routing(BANKS[place % BANKS.len()]),
        account: format!("{}", 1_111_222_233 + place),
        cents,
        id: format!("E{place:06}"),
        name: "Ana Silva-Ñandú".to_owned(),
        addendum: None,
    }
}

fn credit(place: usize, cents: u64) -> Entry {
    entry(Direction::Credit, place, cents)
}

fn debit(cents: u64) -> Entry {
    Entry {
        id: "EMPLOYER".to_owned(),
        name: "Blue Heron Diners".to_owned(),
        ..entry(Direction::Debit, 0, cents)
    }
}

fn batch(kind: Kind, effective: Date, entries: Vec<Entry>) -> Batch {
    Batch {
        originator: Originator {
            name: "BLUE HERON".to_owned(),
            id: "1999999999".to_owned(),
            bank: routing("091000019"),
        },
        kind,
        description: "PAYROLL".to_owned(),
        descriptive_date: Some(date(2026, 6, 18)),
        effective,
        entries,
    }
}

fn support(place: usize, cents: u64, addendum: &str) -> Entry {
    Entry { name: "ALABAMA CSPC".to_owned(), addendum: Some(addendum.to_owned()), ..credit(place, cents) }
}

fn file(batches: Vec<Batch>) -> File {
    File {
        header: Header {
            destination: routing("091000019"),
            destination_name: "FIRST EXAMPLE BANK".to_owned(),
            origin: " 091000019".to_owned(),
            origin_name: "STIPEND".to_owned(),
            made: date(2026, 6, 16).at(16, 2, 0, 0),
            modifier: 'A',
            reference: String::new(),
        },
        traced: 0,
        batches,
    }
}

/// What a bank sends back for the second entry of a file.
fn back(addendum: &str) -> String {
    let records = [
        "101 09100001919999999992606190900A094101FIRST EXAMPLE BANK     STIPEND".to_owned(),
        "5200EXAMPLE BANK                        1999999999PPDRETURN          260619   1021000020000001"
            .to_owned(),
        format!(
            "621091000019{:<17}{:010}{:<15}{:<22}  1021000020000001",
            "1111222234",
            cents_of(addendum),
            "E000001",
            "ANA SILVA"
        ),
        format!("7{addendum:<78}021000020000001"),
        format!(
            "820000000200091000010000000000{:02}{:012}1999999999{:25}021000020000001",
            0,
            cents_of(addendum),
            ""
        ),
        format!("9000001000001000000020009100001{:012}{:012}", 0, cents_of(addendum)),
    ];
    let mut text: Vec<String> = records.iter().map(|record| format!("{record:<94}")).collect();
    assert!(text.iter().all(|record| record.len() == 94), "{text:#?}");
    text.resize(10, "9".repeat(94));
    text.join("\n") + "\n"
}

fn cents_of(addendum: &str) -> u64 {
    if addendum.starts_with("99") { 150_000 } else { 0 }
}

/// A deposit of Form 941 or 940, as the Treasury takes it.
fn deposit(place: usize, tax: &str, period: Date, amounts: &[(&str, u64)]) -> Entry {
    let amounts: Vec<_> = amounts.iter().map(|(kind, cents)| ((*kind).to_owned(), *cents)).collect();
    let cents = amounts.iter().map(|(_, cents)| cents).sum();
    let told = TaxDeposit { taxpayer: "123456789".to_owned(), tax: tax.to_owned(), period, amounts };
    Entry { name: "IRS".to_owned(), addendum: Some(told.write_segment().unwrap()), ..credit(place, cents) }
}

/// The cases by name.
fn cases() -> Vec<(&'static str, String)> {
    let (pay_date, next_day) = (date(2026, 6, 18), date(2026, 6, 17));
    let written = |batches| file(batches).write_records().unwrap().0;
    let person = |day, entries| batch(Kind::Person, day, entries);
    let business = |day, entries| batch(Kind::Organization, day, entries);
    let splits = person(pay_date, vec![credit(0, 50_000), credit(1, 150_000), credit(2, 1)]);
    let ded = |case: &str, cents| format!(r"DED*CS*{case}*260618*{cents}*412550001*N*SILVA,ANA*01000*N\");
    let two = vec![support(0, 12_000, &ded("AL-77", 12_000)), support(1, 6_000, &ded("OH-5", 6_000))];
    let amounts = [("1", 49_600), ("2", 11_600), ("3", 40_000)];
    let withheld = vec![deposit(0, "94105", date(2026, 6, 1), &amounts)];
    let futa = vec![deposit(0, "09405", date(2026, 12, 1), &[("09405", 4_550)])];
    let largest = vec![credit(0, 9_999_999_999), Entry { account: "1".repeat(17), ..credit(1, 1) }];
    let mut other = person(pay_date, vec![credit(7, 77_700)]);
    other.originator.name = "Harbor Lane Books LLC".to_owned();
    let mut second = file(vec![person(date(2026, 6, 22), vec![credit(0, 50_000)])]);
    second.traced = 1;
    let change = "98C01091000010000002      021000021918171614";
    vec![
        ("splits", written(vec![splits.clone(), business(next_day, vec![debit(200_001)])])),
        (
            "two_agencies",
            written(vec![
                person(pay_date, vec![credit(0, 100)]),
                business(pay_date, two),
                business(next_day, vec![debit(18_100)]),
            ]),
        ),
        (
            "tax_deposits",
            written(vec![
                Batch { description: "TAXPAYMENT".to_owned(), ..business(date(2026, 6, 24), withheld) },
                Batch { description: "TAXPAYMENT".to_owned(), ..business(date(2026, 7, 31), futa) },
                business(next_day, vec![debit(105_750)]),
            ]),
        ),
        (
            "prenote",
            written(vec![person(
                pay_date,
                vec![credit(0, 0), Entry { account_kind: AccountKind::Savings, ..debit(0) }],
            )]),
        ),
        // Juneteenth is a Friday: what would be paid on it is paid on Thursday.
        ("holiday", written(vec![person(date(2026, 6, 18), vec![credit(0, 100)])])),
        ("same_day", written(vec![person(date(2026, 6, 17), vec![credit(0, 100)])])),
        ("reversal", written(vec![splits.reversing_batch(date(2026, 6, 19))])),
        ("return", back("99R03091000010000002      02100002NO ACCOUNT")),
        ("notification_of_change", back(change)),
        ("prefunding", second.write_records().unwrap().0),
        (
            "ten_thousand",
            written(vec![person(
                pay_date,
                (0..10_000).map(|place| credit(place, place as u64 + 1)).collect(),
            )]),
        ),
        ("limits", written(vec![person(pay_date, largest)])),
        ("second_company", written(vec![person(pay_date, vec![credit(0, 100)]), other])),
    ]
}

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/bank/golden")
}

#[test]
fn thirteen_files_are_written_as_they_were() {
    let renew = std::env::var_os("STIPEND_TEST_BANK_RENEW").is_some();
    let also = std::env::var_os("STIPEND_TEST_BANK_FILES").map(PathBuf::from);
    let cases = cases();
    assert_eq!(cases.len(), 13);
    for (name, text) in cases {
        if let Some(folder) = &also {
            fs::write(folder.join(format!("{name}.ach")), &text).unwrap();
        }
        // A megabyte is not kept: the reader of others' making works its totals out.
        if name == "ten_thousand" {
            continue;
        }
        let kept = golden().join(format!("{name}.ach"));
        if renew {
            fs::write(&kept, &text).unwrap();
        }
        assert!(fs::read_to_string(&kept).unwrap() == text, "{name} is written in another way");
    }
}

#[test]
fn what_the_bank_sends_back_is_read_as_it_was_kept() {
    let read = |name: &str| {
        let text = fs::read_to_string(golden().join(format!("{name}.ach"))).unwrap();
        read_back(text.as_bytes()).unwrap().known.remove(0)
    };
    let returned = read("return");
    assert_eq!((returned.original_trace.as_str(), returned.cents), ("091000010000002", 150_000));
    assert!(matches!(returned.what, What::Return { ref code, .. } if code == "R03"));
    let changed = read("notification_of_change");
    assert!(
        matches!(changed.what, What::Change { ref code, ref correction } if code == "C01" && correction.account.as_deref() == Some("1918171614"))
    );
}

/// The figure that is promised is of a release build: this one has a little more time.
#[test]
#[expect(clippy::disallowed_methods, reason = "the layout knows no clock, and what passes is measured")]
fn a_hundred_thousand_entries_are_written_in_two_seconds() {
    let entries = (0..100_000).map(|place| credit(place, place as u64 + 1)).collect();
    let whole = file(vec![batch(Kind::Person, date(2026, 6, 18), entries)]);
    let begun = Instant::now();
    let (text, control) = whole.write_records().unwrap();
    let took = begun.elapsed();
    assert_eq!((control.totals.count, text.lines().count() % 10), (100_000, 0));
    let most = if cfg!(debug_assertions) { 20 } else { 2 };
    assert!(took.as_secs() < most, "it took {took:?}");
}
