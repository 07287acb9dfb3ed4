//! Files as banks accept them, and the files that they return.

#![allow(clippy::unwrap_used, reason = "a test ends where it fails")]

use ach::addendum::TaxDeposit;
use ach::back::{Correction, SentBack, What, read_back};
use ach::batch::Totals;
use ach::read::read_entries;
use ach::{
    AccountKind, BLOCK, Batch, Direction, Entry, Error, File, Header, Kind, Originator, RECORD, Routing,
};
use jiff::civil::{date, datetime};
use proptest::prelude::*;

fn routing(text: &str) -> Routing {
    Routing::parse(text).unwrap()
}

fn entry(account: &str, cents: u64) -> Entry {
    Entry {
        direction: Direction::Credit,
        account_kind: AccountKind::Checking,
        routing: routing("021000021"),
        account: account.to_owned(),
        cents,
        id: "E-0001".to_owned(),
        name: "María Núñez".to_owned(),
        addendum: None,
    }
}

fn batch(kind: Kind, entries: Vec<Entry>) -> Batch {
    Batch {
        originator: Originator {
            name: "Cedar Diner LLC".to_owned(),
            id: "1123456789".to_owned(),
            bank: routing("091000019"),
        },
        kind,
        description: "PAYROLL".to_owned(),
        descriptive_date: Some(date(2026, 6, 14)),
        effective: date(2026, 6, 19),
        entries,
    }
}

fn file(batches: Vec<Batch>) -> File {
    File {
        traced: 0,
        header: Header {
            destination: routing("091000019"),
            destination_name: "First Example Bank".to_owned(),
            origin: "1123456789".to_owned(),
            origin_name: "Example Payroll".to_owned(),
            made: datetime(2026, 6, 16, 14, 5, 0, 0),
            modifier: 'A',
            reference: String::new(),
        },
        batches,
    }
}

const SUPPORT: &str = r"DED*CS*0123456789*260619*0000015000*412552001*N*SILVA MARIA*4800000\";

#[test]
fn a_file_of_pay_and_support_is_written_character_by_character() {
    let savings = Entry { account_kind: AccountKind::Savings, ..entry("4455", 25_000) };
    let agency = Entry {
        routing: routing("091000019"),
        id: "AGENCY48".to_owned(),
        name: "State Disbursement Unit".to_owned(),
        addendum: Some(SUPPORT.to_owned()),
        ..entry("998877", 15_000)
    };
    let one = file(vec![
        batch(Kind::Person, vec![entry("123456789", 123_456), savings]),
        batch(Kind::Organization, vec![agency]),
    ]);
    let (text, control) = one.write_records().unwrap();
    let expected = [
        "101 09100001911234567892606161405A094101FIRST EXAMPLE BANK     EXAMPLE PAYROLL                ",
        "5220CEDAR DINER LLC                     1123456789PPDPAYROLL   260614260619   1091000010000001",
        "622021000021123456789        0000123456E-0001         MAR A N  EZ             0091000010000001",
        "6320210000214455             0000025000E-0001         MAR A N  EZ             0091000010000002",
        "822000000200042000040000000000000000001484561123456789                         091000010000001",
        "5220CEDAR DINER LLC                     1123456789CCDPAYROLL   260614260619   1091000010000002",
        "622091000019998877           0000015000AGENCY48       STATE DISBURSEMENT UNI  1091000010000003",
        "705DED*CS*0123456789*260619*0000015000*412552001*N*SILVA MARIA*4800000\\            00010000003",
        "822000000200091000010000000000000000000150001123456789                         091000010000002",
        "9000002000001000000040013300005000000000000000000163456                                       ",
    ];
    for (number, (line, expected)) in text.lines().zip(expected).enumerate() {
        assert_eq!(line, expected, "record {}", number + 1);
    }
    assert_eq!(text.lines().count(), BLOCK);
    assert_eq!(control.totals, Totals { count: 4, hash: 13_300_005, debits: 0, credits: 163_456 });
    assert_eq!(one.trace_number(1, 0).as_deref(), Some("091000010000003"));
    assert_eq!(one.trace_number(1, 1), None);
}

#[test]
fn what_does_not_fit_is_refused_by_the_name_of_its_field_and_without_its_value() {
    let refused =
        |entry: Entry| match file(vec![batch(Kind::Person, vec![entry])]).write_records().unwrap_err() {
            Error::Field { field, why } => {
                assert!(!why.contains("12345678901234567890"), "{why}");
                field
            }
            other => panic!("{other}"),
        };
    assert_eq!(refused(entry("12345678901234567890", 1)), "account number");
    assert_eq!(refused(entry(" ", 1)), "account number");
    assert_eq!(refused(entry("1", 10_000_000_000)), "amount");
    assert_eq!(refused(Entry { id: "x".repeat(16), ..entry("1", 1) }), "identification");
    assert_eq!(refused(Entry { addendum: Some("x".repeat(81)), ..entry("1", 1) }), "addendum");
    assert_eq!(refused(Entry { addendum: Some("ä".to_owned()), ..entry("1", 1) }), "addendum");
    let empty = file(vec![batch(Kind::Person, Vec::new())]).write_records().unwrap_err();
    assert!(empty.to_string().contains("entries can't be none"), "{empty}");
    assert!(file(Vec::new()).write_records().is_err());
}

#[test]
fn nothing_of_an_account_is_shown_by_debug() {
    let secret = Entry { addendum: Some(SUPPORT.to_owned()), ..entry("123456789", 1) };
    let shown = format!("{secret:?} {:?}", file(vec![batch(Kind::Person, vec![secret.clone()])]));
    for part in ["123456789", "412552001", "Núñez"] {
        // The originator's own identification is no secret.
        assert!(!shown.replace("1123456789", "").contains(part), "{part}: {shown}");
    }
}

#[test]
fn a_prenote_and_a_debit_have_codes_of_their_own_and_a_reversal_goes_the_other_way() {
    let prenote = entry("11", 0);
    let debit = Entry { direction: Direction::Debit, ..entry("22", 500) };
    let mixed = batch(Kind::Organization, vec![prenote, debit, entry("33", 700)]);
    let (text, _) = file(vec![mixed.clone()]).write_records().unwrap();
    let read = read_entries(&text).unwrap();
    assert_eq!(read.iter().map(|one| one.code).collect::<Vec<_>>(), [23, 27, 22]);
    let back = mixed.reversing_batch(date(2026, 6, 23));
    let (text, control) = file(vec![back]).write_records().unwrap();
    assert!(text.contains("REVERSAL  "));
    let codes: Vec<_> =
        ach::read::read_entries(&text).unwrap().iter().map(|one| (one.code, one.cents)).collect();
    assert_eq!(codes, [(22, 500), (27, 700)], "there is nothing of a prenote to take back");
    assert_eq!((control.totals.debits, control.totals.credits), (700, 500));
}

#[test]
fn a_file_whose_totals_do_not_agree_is_refused_with_the_number_of_its_record() {
    let (text, _) =
        file(vec![batch(Kind::Person, vec![entry("1", 100), entry("2", 200)])]).write_records().unwrap();
    let changed = text.replacen("0000000100E", "0000000101E", 1);
    let why = read_entries(&changed).unwrap_err().to_string();
    assert!(why.starts_with("record 5: the batch's control says") && why.contains("credits 301"), "{why}");
    for (from, to) in [("\n82", "\n92"), ("\n9000001", "\n9000002"), ("101 0", "1 1 0")] {
        let text = text.replacen(from, to, 1);
        assert_eq!(read_entries(&text).is_err(), from != "101 0", "{from}");
    }
    assert!(read_entries(&text[..text.len() / 2]).is_err());
    assert!(read_entries("").is_err());
    // Some banks send records without ends of lines.
    assert_eq!(read_entries(&text.replace('\n', "")).unwrap().len(), 2);
}

/// A record of a bank that sends an entry back.
fn returned(kind: &str, code: &str, trace: &str, data: &str) -> String {
    let addendum = match kind {
        "99" => format!("799{code}{trace}      09100001{data:<44}021000020000001"),
        _ => format!("798{code}{trace}      09100001{data:<29}               021000020000001"),
    };
    assert_eq!(addendum.len(), RECORD);
    let entry =
        "6210910000191123456789       0000012345E-0001         SILVA                   1021000020000001";
    let batch =
        "5200EXAMPLE BANK                        1123456789PPDRETURN          260622   1021000020000001";
    let end =
        "820000000200091000010000000000000000000123451123456789                         021000020000001";
    let header =
        "101 09100001911234567892606220900A094101FIRST EXAMPLE BANK     EXAMPLE PAYROLL                ";
    let control = format!("9000001000001000000020009100001000000000000000000012345{}", " ".repeat(39));
    [header, batch, entry, &addendum, end, &control].join("\n")
}

#[test]
fn a_return_names_the_entry_that_was_sent_and_why_it_comes_back() {
    let text = returned("99", "R03", "091000010000007", "NO ACCOUNT");
    let SentBack { known, kept } = read_back(text.as_bytes()).unwrap();
    assert!(kept.is_empty());
    let back = &known[0];
    assert_eq!((back.original_trace.as_str(), back.cents), ("091000010000007", 12_345));
    assert_eq!(back.what, What::Return { code: "R03".to_owned(), information: "NO ACCOUNT".to_owned() });
    for (code, trace, why) in [
        ("X03", "091000010000007", "it names no code"),
        ("R99", "091000010000007", "its code is R99, and codes are R01 to R85"),
        ("R00", "091000010000007", "its code is R00"),
        ("R03", "09100001000000A", "it does not name the trace number"),
    ] {
        let SentBack { known, kept } = read_back(returned("99", code, trace, "").as_bytes()).unwrap();
        assert!(known.is_empty());
        assert_eq!((kept.len(), kept[0].record, kept[0].cents), (1, 3, 12_345));
        assert!(kept[0].why.starts_with(why), "{}", kept[0].why);
    }
}

/// Trace numbers with codes of what was read, and lines with what is wrong about them.
type Read = (Vec<(String, String)>, Vec<(usize, String)>);
/// A difference: its name, what it makes of the lines, how many entries are read, and which lines are listed.
type Case<'c> = (&'c str, &'c dyn Fn(&mut Vec<String>), usize, &'c [usize]);

/// What is read of a file: code and trace number of each return, and the records that are kept, with why.
fn told(bytes: &[u8]) -> Read {
    let SentBack { known, kept } = read_back(bytes).unwrap();
    let code = |what: What| match what {
        What::Return { code, .. } | What::Change { code, .. } => code,
    };
    let known = known.into_iter().map(|back| (code(back.what), back.original_trace)).collect();
    (known, kept.into_iter().map(|kept| (kept.record, kept.why)).collect())
}

#[test]
fn harmless_differences_from_the_layout_hide_no_return() {
    let text = returned("99", "R03", "091000010000007", "NO ACCOUNT");
    let expected = (vec![("R03".to_owned(), "091000010000007".to_owned())], Vec::new());
    let of_lines = |change: &dyn Fn(&str) -> String, end: &str| {
        text.lines().map(|line| change(line) + end).collect::<String>().into_bytes()
    };
    let same = |line: &str| line.to_owned();
    let filler = "9".repeat(RECORD);
    let latin: Vec<u8> = text
        .replace("SILVA      ", "SILV\u{c1}      ")
        .chars()
        .map(|letter| u8::try_from(u32::from(letter)).unwrap())
        .collect();
    for (what, bytes) in [
        ("as it should be", text.clone().into_bytes()),
        ("trimmed", of_lines(&|line| line.trim_end().to_owned(), "\n")),
        ("padded to 100", of_lines(&|line| format!("{line:<100}"), "\r\n")),
        ("with a byte order mark", [b"\xef\xbb\xbf".to_vec(), text.clone().into_bytes()].concat()),
        ("with the mark of an end", format!("{text}\r\n\u{1a}").into_bytes()),
        ("with the mark at the last line", format!("{text}\u{1a}").into_bytes()),
        ("with CR alone", of_lines(&same, "\r")),
        ("with blank lines", of_lines(&same, "\n \n\n")),
        ("without ends of lines", of_lines(&same, "")),
        ("with other blocks", text.replace("9000001000001", "9000001000009").into_bytes()),
        ("with fillers", format!("{text}\n{filler}\n{filler}\n{filler}").into_bytes()),
        ("in Latin-1", latin),
        ("in UTF-8, by letters", text.replace("SILVA      ", "SILV\u{c1}      ").into_bytes()),
        ("in UTF-8, by bytes", text.replace("SILVA      ", "SILV\u{c1}     ").into_bytes()),
        ("with a small letter", text.replace("799R03", "799r03").into_bytes()),
    ] {
        assert_eq!(told(&bytes), expected, "{what}");
    }
    let both = told(format!("{text}\n{filler}\n{text}\n").as_bytes());
    assert_eq!((both.0.len(), both.1.len()), (2, 0), "two files in one");
    let header = text.lines().next().unwrap();
    for control in [format!("9{:054}", 0), format!("9000000000001{:042}", 0), format!("9{:054}{:39}", 0, "")]
    {
        assert_eq!(told(format!("{header}\n{control}\n").as_bytes()), (vec![], vec![]), "the zero file");
    }
}

#[test]
fn what_cannot_be_read_is_kept_by_record_and_the_rest_is_read() {
    let text = returned("99", "R03", "091000010000007", "NO ACCOUNT");
    let lines: Vec<&str> = text.lines().collect();
    let with = |change: &dyn Fn(&mut Vec<String>)| {
        let mut lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        change(&mut lines);
        told(lines.join("\n").as_bytes())
    };
    let cases: [Case<'_>; 8] = [
        ("a total of the batch", &|all| all[4] = all[4].replacen("12345", "12346", 1), 1, &[5]),
        ("a total of the file", &|all| all[5] = all[5].replacen("12345", "12346", 1), 1, &[6]),
        ("an amount", &|all| all[2] = all[2].replacen("0000012345", "00000I2345", 1), 0, &[3, 5, 6]),
        ("a record of another kind", &|all| all.insert(1, "$$ADD ID=RETURNS".to_owned()), 1, &[2]),
        ("a long record", &|all| all[1].push_str("      x"), 1, &[2]),
        ("no end", &|all| all.truncate(4), 1, &[5]),
        ("no end of the batch", &|all| drop(all.remove(4)), 1, &[5]),
        ("an addendum alone", &|all| drop(all.remove(2)), 0, &[3, 4, 5]),
    ];
    for (what, change, returns, kept) in cases {
        let found = with(change);
        let records: Vec<usize> = found.1.iter().map(|(record, _)| *record).collect();
        assert_eq!((found.0.len(), records.as_slice()), (returns, kept), "{what}: {found:?}");
    }
    // The trace number of the payment is kept with a return that cannot be read.
    let broken = text.replacen("0000012345", "00000I2345", 1);
    let SentBack { kept, .. } = read_back(broken.as_bytes()).unwrap();
    assert_eq!(kept[0].trace, "091000010000007");
    for none in ["", "  \n\r", "<html>\n<body>", "8200"] {
        assert!(read_back(none.as_bytes()).is_err(), "{none:?}");
    }
}

#[test]
fn a_notification_of_change_says_which_field_is_to_be_corrected() {
    let corrected = |code: &str, data: &str| {
        let known = read_back(returned("98", code, "091000010000007", data).as_bytes()).unwrap().known;
        match known.into_iter().next().unwrap().what {
            What::Change { correction, .. } => correction,
            other => panic!("{other:?}"),
        }
    };
    let text = |text: &str| Some(text.to_owned());
    let nothing = Correction::default;
    assert_eq!(corrected("C01", "1918171614"), Correction { account: text("1918171614"), ..nothing() });
    assert_eq!(corrected("C02", "121042882"), Correction { routing: text("121042882"), ..nothing() });
    let both = Correction { routing: text("121042882"), account: text("1918171614"), ..nothing() };
    assert_eq!(corrected("C03", "121042882   1918171614"), both);
    assert_eq!(corrected("C05", "32"), Correction { transaction_code: Some(32), ..nothing() });
    let moved = Correction { account: text("1918171614"), transaction_code: Some(32), ..nothing() };
    assert_eq!(corrected("C06", "1918171614          32"), moved);
    assert_eq!(
        corrected("C07", "1210428821918171614       32"),
        Correction { transaction_code: Some(32), ..both }
    );
    assert_eq!(corrected("C13", ""), nothing(), "it names a fault of the addendum and corrects no account");
    for (code, data) in [("C01", ""), ("C06", "1918171614          3X"), ("C99", "1")] {
        let sent = read_back(returned("98", code, "091000010000007", data).as_bytes()).unwrap();
        assert_eq!((sent.known.len(), sent.kept.len()), (0, 1), "{code}");
        assert!(!sent.kept[0].why.contains("1918171614"));
    }
    assert!(!format!("{:?}", corrected("C01", "1918171614")).contains("1918171614"));
}

#[test]
fn an_entry_that_is_no_return_is_kept_for_a_person_to_look_at() {
    let (text, _) = file(vec![batch(Kind::Person, vec![entry("1", 100)])]).write_records().unwrap();
    let SentBack { known, kept } = read_back(text.as_bytes()).unwrap();
    assert_eq!((known.len(), kept.len()), (0, 1));
}

#[test]
fn a_tax_deposit_is_a_segment_of_its_own() {
    let deposit = TaxDeposit {
        taxpayer: "123456789".to_owned(),
        tax: "94105".to_owned(),
        period: date(2026, 6, 1),
        amounts: vec![("1".to_owned(), 50_000), ("2".to_owned(), 1_250)],
    };
    assert_eq!(deposit.write_segment().unwrap(), r"TXP*123456789*94105*260601*1*50000*2*1250\");
    assert!(TaxDeposit { taxpayer: "12-3456789".to_owned(), ..deposit.clone() }.write_segment().is_err());
    assert!(TaxDeposit { amounts: Vec::new(), ..deposit }.write_segment().is_err());
}

#[test]
fn a_hundred_thousand_entries_are_written_and_read_as_they_were() {
    let entries: Vec<_> = (0..100_000).map(|number| entry(&format!("{number}"), 100)).collect();
    let (text, control) = file(vec![batch(Kind::Person, entries)]).write_records().unwrap();
    assert_eq!((control.totals.count, control.blocks), (100_000, 10_001));
    assert_eq!(read_entries(&text).unwrap().len(), 100_000);
}

#[test]
fn ten_thousand_entries_keep_ten_digits_of_their_hash_and_traces_of_their_own() {
    let entries: Vec<_> = (0..10_000).map(|number| entry(&format!("{number}"), number + 1)).collect();
    let (text, control) = file(vec![batch(Kind::Person, entries)]).write_records().unwrap();
    // 10,000 x 2,100,002 are eleven digits.
    assert_eq!(control.totals.hash, 21_000_020_000 % 10_000_000_000);
    assert_eq!(control.totals.credits, 10_000 * 10_001 / 2);
    let read = read_entries(&text).unwrap();
    let mut traces: Vec<_> = read.iter().map(|one| one.trace.clone()).collect();
    traces.dedup();
    assert_eq!(traces.len(), 10_000);
}

prop_compose! {
    fn any_entry()(
        credit: bool, savings: bool, cents in 0u64..=9_999_999_999, account in "[0-9A-Z]{1,17}", id in "[0-9A-Z-]{0,15}",
        name in ".{0,40}", addendum in proptest::option::of("[ -~]{0,80}"),
    ) -> Entry {
        Entry {
            direction: if credit { Direction::Credit } else { Direction::Debit },
            account_kind: if savings { AccountKind::Savings } else { AccountKind::Checking },
            routing: routing("021000021"), account, cents, id, name, addendum,
        }
    }
}

proptest! {
    #[test]
    fn whatever_a_bank_sends_is_read_or_refused_and_every_return_in_it_is_found(
        before in prop::collection::vec("[0-9A-Za-z$ ]{0,100}", 0..4), after in prop::collection::vec("\\PC{0,100}", 0..4),
    ) {
        let _any = read_back(before.join("\n").as_bytes());
        let text = returned("99", "R03", "091000010000007", "");
        let lines = before.iter().map(String::as_str).chain(text.lines()).chain(after.iter().map(String::as_str));
        let all: String = lines.map(|line| format!("{line}\n")).collect();
        let sent = read_back(all.as_bytes()).unwrap();
        let found = sent.known.iter().filter(|back| back.original_trace == "091000010000007").count();
        prop_assert_eq!(found, 1, "{:?}", sent.kept);
    }

    #[test]
    fn whatever_is_written_is_read_again_with_the_same_totals(
        batches in prop::collection::vec(prop::collection::vec(any_entry(), 1..8), 1..5),
    ) {
        let one = file(batches.into_iter().map(|entries| batch(Kind::Organization, entries)).collect());
        let (text, control) = one.write_records().unwrap();
        prop_assert!(text.lines().all(|line| line.len() == RECORD));
        prop_assert_eq!(text.lines().count() % BLOCK, 0);
        let found = read_entries(&text).unwrap();
        let sent: Vec<&Entry> = one.batches.iter().flat_map(|batch| &batch.entries).collect();
        prop_assert_eq!(found.len(), sent.len());
        for (found, sent) in found.iter().zip(&sent) {
            prop_assert_eq!((&found.account, found.cents), (&sent.account, sent.cents));
            prop_assert_eq!(found.is_debit(), sent.direction == Direction::Debit);
            prop_assert_eq!(found.addenda.len(), usize::from(sent.addendum.is_some()));
        }
        let sum = |debit: bool| found.iter().filter(|one| one.is_debit() == debit).map(|one| one.cents).sum::<u64>();
        prop_assert_eq!((control.totals.debits, control.totals.credits), (sum(true), sum(false)));
    }
}
