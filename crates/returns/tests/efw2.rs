//! EFW2 files: positions, totals, and what is refused.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where it fails")]

mod support;

use std::io::Write;

use jiff::civil::date;
use returns::efw2::check::Check;
use returns::efw2::corrected::{self, CORRECTED_RECORD, CorrectedLayout};
use returns::efw2::{Checker, Employer, Error, Layout, Position, RECORD, Writer};
use returns::payment::Lack;
use returns::w2::{MoneyBox, Person};
use returns::{Payment, W2, W2c};
use support::files::submitter::submitter;
use support::files::{at, employer, layout, names, person, records};
use support::{Pay, Year, taxes};

/// A year of monthly pay in Colorado.
fn payments(wages: i64) -> Vec<Payment> {
    let mut year = Year::default();
    for month in 1..=12 {
        let pay = Pay { wages, deferral: wages / 10, income_tax: wages / 8, ..Pay::default() };
        year.pay(&month.to_string(), date(2026, month, 28), "CO", pay);
    }
    year.payments
}

fn form(person: Person, payments: &[Payment]) -> W2 {
    W2::new(2026, person, payments).unwrap()
}

fn write(layout: &Layout, forms: &[W2]) -> Result<Vec<u8>, Error> {
    let mut writer = Writer::new(layout, taxes(), &submitter(), Vec::new())?;
    writer.begin_employer(&employer())?;
    for form in forms {
        writer.write_employee(form)?;
    }
    writer.finish_file().map(|(bytes, _)| bytes)
}

/// Three people: one with uncollected taxes on tips, one above the wage base, and one with health benefits.
fn people() -> Vec<W2> {
    let mut with_uncollected = payments(300_000);
    with_uncollected[3].social_security.employee -= 50;
    with_uncollected[3].uncollected.social_security = 50;
    let mut with_benefits = payments(400_000);
    for payment in &mut with_benefits {
        payment.box_12.insert("W".to_owned(), 5_000);
        payment.box_12.insert("DD".to_owned(), 60_000);
    }
    vec![
        form(person("Ines", "Okafor", "412345678"), &with_uncollected),
        form(person("Tom", "Reyes", "523456789"), &payments(2_000_000)),
        form(person("Lu", "O'Chen-Diaz", "634567890"), &with_benefits),
    ]
}

#[test]
fn a_file_has_its_records_in_order_and_its_fields_in_their_positions() {
    let records = records(&write(layout(), &people()).unwrap());
    assert_eq!(names(&records), ["RA", "RE", "RW", "RO", "RS", "RW", "RS", "RW", "RS", "RT", "RU", "RF"]);
    let (ra, re, rw, ro, rs) = (&records[0], &records[1], &records[2], &records[3], &records[4]);
    assert_eq!(at(ra, 3, 19), "123456789ABCD1234");
    assert_eq!([at(ra, 29, 29), at(ra, 36, 37), at(ra, 500, 500)], ["0", "98", "S"]);
    assert_eq!(at(ra, 446, 485).trim_end(), "ana.Ruiz@example.test", "the case of an e-mail address is kept");
    assert_eq!(at(ra, 217, 273).trim_end(), "NORTHWIND PAYROLL LLC");
    assert_eq!([at(re, 3, 6), at(re, 8, 16), at(re, 219, 219)], ["2026", "987654321", "R"]);
    assert_eq!([at(re, 165, 169), at(re, 170, 173), at(re, 174, 174)], ["80202", "1234", "N"]);
    assert_eq!([at(rw, 3, 11), at(rw, 12, 26).trim_end()], ["412345678", "INES"]);
    assert_eq!(at(rw, 188, 198), "00003240000", "box 1: 36,000.00 less deferrals of 3,600.00");
    assert_eq!(at(rw, 210, 220), "00003600000", "box 3");
    assert_eq!(at(rw, 221, 231), "00000223150", "box 4: 2,232.00 less 0.50 not collected");
    assert_eq!(at(rw, 287, 297), "00000360000", "code D");
    assert_eq!(at(rw, 486, 489), "0 10", "box 13: retirement plan, with a blank before it");
    assert_eq!(at(rw, 490, 512).trim(), "");
    assert_eq!(at(ro, 23, 33), "00000000050", "codes A and B");
    assert_eq!([at(rs, 3, 4), at(rs, 248, 267).trim_end(), at(rs, 274, 275)], ["08", "12345678", "08"]);
    assert_eq!(at(rs, 276, 286), "00003240000");
    assert_eq!(at(&records[5], 210, 220), "00018450000", "the wage base");
    assert_eq!(at(&records[7], 463, 473), "00000720000", "code DD");
    assert_eq!(at(&records[7], 42, 61).trim_end(), "O'CHEN-DIAZ");
}

#[test]
fn totals_are_the_sums_of_the_records_before_them() {
    let records = records(&write(layout(), &people()).unwrap());
    let sum = |name: &str, from, to| -> i64 {
        let of = records.iter().filter(|record| record.starts_with(name));
        of.map(|record| at(record, from, to).parse::<i64>().unwrap()).sum()
    };
    let (rt, ru, rf) = (&records[9], &records[10], &records[11]);
    assert_eq!(at(rt, 3, 9), "0000003");
    for ((from, to), (of_from, of_to)) in [
        ((188, 198), (10, 24)),
        ((199, 209), (25, 39)),
        ((254, 264), (100, 114)),
        ((287, 297), (145, 159)),
        ((364, 374), (250, 264)),
        ((463, 473), (295, 309)),
    ] {
        assert_eq!(sum("RW", from, to), at(rt, of_from, of_to).parse::<i64>().unwrap(), "{from}");
    }
    assert_eq!([at(ru, 3, 9), at(ru, 25, 39)], ["0000001", "000000000000050"]);
    assert_eq!(at(rf, 8, 16), "000000003");
}

/// The file that is left in the directory for temporary files of tests can be given to another checker.
#[test]
fn a_file_on_disk_is_as_long_as_the_writer_says() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("efw2_2026.txt");
    let out = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
    let mut writer = Writer::new(layout(), taxes(), &submitter(), out).unwrap();
    for ein in ["987654321", "987654322"] {
        writer.begin_employer(&Employer { ein: ein.to_owned(), ..employer() }).unwrap();
        people().iter().for_each(|form| writer.write_employee(form).unwrap());
    }
    let (_, written) = writer.finish_file().unwrap();
    assert_eq!((written.employers, written.employees), (2, 6));
    assert_eq!(std::fs::metadata(&path).unwrap().len(), written.bytes);
}

#[test]
fn an_amount_without_a_position_is_refused_with_the_employees_who_have_it() {
    let mut tipped = payments(300_000);
    tipped[0].tips = 1_000;
    let mut overtime = payments(300_000);
    overtime[0].overtime_premium = 777;
    let waiter =
        Person { tipped_occupations: ["102".to_owned()].into(), ..person("Ana", "Silva", "412345679") };
    let forms =
        [form(waiter, &tipped), form(person("Bo", "Lund", "412345670"), &overtime), people().remove(1)];
    let mut checker = Checker::new(layout(), taxes(), &submitter());
    checker.begin_employer(&employer());
    forms.iter().for_each(|form| checker.check_form(form));
    let findings = checker.finish();
    let blocking: Vec<_> = findings.iter().filter(|one| one.blocks_file()).collect();
    let told: Vec<(&str, &str)> = blocking.iter().map(|one| (one.who.as_str(), one.field.as_str())).collect();
    assert_eq!(told, [("Ana Silva", "code_TP"), ("Ana Silva", "box_14b"), ("Bo Lund", "code_TT")]);
    assert!(blocking.iter().all(|one| one.check == Check::OpenPosition));
    let refused = write(layout(), &forms[..1]).unwrap_err().to_string();
    assert!(refused.contains("Ana Silva") && refused.contains("10.00"), "{refused}");
    assert!(!refused.contains("412345679"), "no Social Security number in a message");
}

#[test]
fn an_amount_is_written_once_its_position_is_known() {
    let positions = ["code_TP=RW:490-500,RT:415-429", "box_14b=RW:342-347"];
    let positions: Vec<Position> = positions.iter().map(|text| Position::parse(text).unwrap()).collect();
    let mut tipped = payments(300_000);
    tipped[0].tips = 1_000;
    let waiter =
        Person { tipped_occupations: ["102".to_owned()].into(), ..person("Ana", "Silva", "412345679") };
    let forms = [form(waiter, &tipped), people().remove(1)];
    let without_occupations = layout().with_positions(&positions[..1]).unwrap();
    let refused = write(&without_occupations, &forms).unwrap_err().to_string();
    assert!(refused.contains("box_14b") && refused.contains("Ana Silva"), "{refused}");
    let written = records(&write(&layout().with_positions(&positions).unwrap(), &forms).unwrap());
    assert_eq!((at(&written[2], 490, 500), at(&written[2], 342, 347)), ("00000001000", "102   "));
    let totals = written.iter().find(|record| record.starts_with("RT")).unwrap();
    assert_eq!(at(totals, 415, 429), "000000000001000");
}

#[test]
fn the_checker_tells_every_reason_at_once() {
    let mut sender = submitter();
    sender.user_id = "SHORT".to_owned();
    sender.ein = "001234567".to_owned();
    let mut negative = payments(300_000);
    negative[0].box_12.insert("W".to_owned(), -100);
    let mut without_wages = payments(100_000);
    without_wages.truncate(1);
    without_wages[0].medicare.wages = 0;
    without_wages[0].lacks.insert(Lack::StateWages);
    let mut odd = person("R2", "", "666345678");
    odd.address.zip = "8020".to_owned();
    let mut checker = Checker::new(layout(), taxes(), &sender);
    checker.begin_employer(&Employer { ein: "00".to_owned(), ..employer() });
    checker.check_form(&form(odd, &negative));
    checker.check_form(&form(person("Bo", "Lund", "412345670"), &without_wages));
    checker.begin_employer(&employer());
    let findings = checker.finish();
    let found = |check: Check| findings.iter().any(|one| one.check == check && one.blocks_file());
    for check in [
        Check::UserId,
        Check::SubmitterEin,
        Check::EmployerEin,
        Check::Ssn,
        Check::Name,
        Check::Required,
        Check::Negative,
        Check::MedicareWages,
        Check::TaxWithoutWages,
        Check::Incomplete,
        Check::NoEmployees,
    ] {
        assert!(found(check), "{check:?} of {findings:#?}");
    }
    assert!(findings.iter().all(|one| !one.to_string().contains("666345678")));
}

#[test]
fn people_who_are_paid_rightly_raise_nothing_but_what_is_to_be_looked_at() {
    let mut checker = Checker::new(layout(), taxes(), &submitter());
    checker.begin_employer(&employer());
    let mut forms = people();
    forms[0].person.ssn = None;
    forms[0].person.first_name = "Maximiliana Josephine".to_owned();
    forms.iter().for_each(|form| checker.check_form(form));
    let found: Vec<Check> = checker.finish().into_iter().map(|one| one.check).collect();
    assert_eq!(found, [Check::MissingSsn, Check::Shortened]);
    let records = records(&write(layout(), &forms).unwrap());
    assert_eq!([at(&records[2], 3, 11), at(&records[2], 12, 26)], ["000000000", "MAXIMILIANA JOS"]);
}

#[test]
fn records_come_in_the_order_of_a_file() {
    let mut writer = Writer::new(layout(), taxes(), &submitter(), Vec::new()).unwrap();
    assert!(matches!(writer.write_employee(&people()[0]), Err(Error::Order(_))));
    writer.begin_employer(&employer()).unwrap();
    assert!(matches!(writer.begin_employer(&employer()), Err(Error::Order(_))), "the first has no employees");
    let of_2025 = W2::new(2025, person("Bo", "Lund", "412345670"), &[]).unwrap();
    let mut writer = Writer::new(layout(), taxes(), &submitter(), Vec::new()).unwrap();
    writer.begin_employer(&employer()).unwrap();
    let refused = writer.write_employee(&of_2025).unwrap_err().to_string();
    assert_eq!(refused, "the form of Bo Lund is of 2025, the file of 2026");
}

/// An output that fails after so many bytes.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0 < bytes.len() {
            return Err(std::io::Error::other("no space is left"));
        }
        self.0 -= bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn an_output_that_fails_ends_the_file_with_its_error() {
    let mut writer = Writer::new(layout(), taxes(), &submitter(), Full(1_100)).unwrap();
    writer.begin_employer(&employer()).unwrap();
    let refused = writer.write_employee(&people()[1]).unwrap_err();
    assert!(matches!(&refused, Error::Output(_)) && refused.to_string().contains("no space"), "{refused}");
}

/// Counts what is written through it, and keeps nothing.
struct Counted<'c>(&'c std::cell::Cell<u64>);

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.set(self.0.get() + bytes.len() as u64);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn each_record_is_passed_on_before_the_next_form_is_read_so_a_large_file_needs_no_memory() {
    const RECORDS_BEFORE: u64 = 2;
    let line = RECORD as u64 + 2;
    let bytes = std::cell::Cell::new(0);
    let one = form(person("Ines", "Okafor", "412345678"), &payments(300_000));
    let mut writer = Writer::new(layout(), taxes(), &submitter(), Counted(&bytes)).unwrap();
    writer.begin_employer(&employer()).unwrap();
    for number in 1..=2_000_u64 {
        let mut next = one.clone();
        next.person.ssn = Some(format!("4{:08}", 10_000_000 + number));
        writer.write_employee(&next).unwrap();
        // A person and a state each.
        assert_eq!(bytes.get(), (RECORDS_BEFORE + 2 * number) * line);
    }
    let (_, written) = writer.finish_file().unwrap();
    assert_eq!((written.employees, written.bytes), (2_000, bytes.get()));
    assert_eq!(bytes.get(), (RECORDS_BEFORE + 4_000 + 2) * line);
}

/// Forms W-2c of somebody whose pay and name were wrong, and of somebody whose savings account and retirement plan were.
fn corrections() -> Vec<W2c> {
    let reported = form(person("Ines", "Okafor", "412345678"), &payments(300_000));
    let mut corrected = form(person("Ines", "Okafor", "412345678"), &payments(250_000));
    corrected.person.last_name = "Okafor-Lund".to_owned();
    let other = form(person("Tom", "Reyes", "523456789"), &payments(200_000));
    let mut deferred = other.clone();
    deferred.box_12.insert("W".to_owned(), 12_345);
    deferred.box_12.insert("A".to_owned(), 700);
    deferred.person.has_retirement_plan = false;
    vec![W2c { reported, corrected }, W2c { reported: other, corrected: deferred }]
}

#[test]
fn forms_w_2c_have_what_is_corrected_in_both_columns_and_blanks_elsewhere() {
    let forms = corrections();
    let positions = CorrectedLayout::built_in();
    let (bytes, written) =
        corrected::write_corrections((layout(), positions), (&submitter(), &employer()), &forms, Vec::new())
            .unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let records: Vec<&str> = text.split_terminator("\r\n").collect();
    assert_eq!((written.employees, written.bytes), (2, (records.len() * (CORRECTED_RECORD + 2)) as u64));
    assert!(records.iter().all(|record| record.len() == CORRECTED_RECORD && record.is_ascii()));
    let names: Vec<&str> = records.iter().map(|record| &record[..3]).collect();
    assert_eq!(names, ["RCA", "RCE", "RCW", "RCW", "RCO", "RCT", "RCU", "RCF"]);
    let at = |record: usize, from: usize, to: usize| &records[record][from - 1..to];
    assert_eq!((at(1, 4, 7), at(1, 17, 25), at(1, 8, 16)), ("2026", "987654321", "         "));
    // The number is right, so that only the corrected column has it; of the name both have it.
    assert_eq!((at(2, 4, 12), at(2, 13, 21)), ("         ", "412345678"));
    assert_eq!((at(2, 52, 71).trim(), at(2, 102, 121).trim()), ("OKAFOR", "OKAFOR-LUND"));
    let (before, after) =
        (forms[0].reported.amount(MoneyBox::Wages), forms[0].corrected.amount(MoneyBox::Wages));
    assert_eq!((at(2, 244, 254), at(2, 255, 265)), (&*format!("{before:011}"), &*format!("{after:011}")));
    assert_eq!(at(2, 618, 639).trim(), "", "what is not corrected is blank");
    assert_eq!((at(3, 618, 628), at(3, 629, 639)), ("00000000000", "00000012345"));
    assert_eq!((at(3, 1005, 1006), at(3, 1003, 1004), at(3, 244, 265).trim()), ("10", "  ", ""));
    // Code A is in the other record of the person.
    assert_eq!((at(4, 35, 45), at(4, 46, 56)), ("00000000000", "00000000700"));
    // Totals of those boxes alone that any form corrects.
    assert_eq!((at(5, 4, 10), at(5, 11, 25)), ("0000002", &*format!("{before:015}")));
    assert_eq!((at(5, 26, 40), at(5, 536, 550)), (&*format!("{after:015}"), "000000000012345"));
    assert_eq!(at(5, 251, 280).trim(), "", "nobody's box 10 is corrected");
    assert_eq!((at(6, 4, 10), at(6, 56, 70)), ("0000001", "000000000000700"));
    assert_eq!(at(7, 4, 12), "000000002");
}

#[test]
fn a_correction_without_a_position_is_refused_with_the_name_and_every_reason_at_once() {
    let mut forms = corrections();
    forms[0].corrected.box_12.insert("TP".to_owned(), 5_000);
    forms[1].corrected.person.ssn = None;
    let wrong = Employer { ein: "001234567".to_owned(), ..employer() };
    let positions = CorrectedLayout::built_in();
    let refused =
        corrected::write_corrections((layout(), positions), (&submitter(), &wrong), &forms, Vec::new());
    let Err(Error::Refused(findings)) = refused else { panic!("it must be refused") };
    let checks: Vec<Check> = findings.iter().map(|one| one.check).collect();
    for check in [Check::OpenPosition, Check::Ssn, Check::EmployerEin] {
        assert!(checks.contains(&check), "{check:?}: {findings:?}");
    }
    let open = findings.iter().find(|one| one.check == Check::OpenPosition).unwrap();
    assert_eq!((open.who.as_str(), open.field.as_str()), (forms[0].corrected.person.id.as_str(), "code_TP"));
    let none =
        corrected::write_corrections((layout(), positions), (&submitter(), &employer()), &[], Vec::new());
    assert!(matches!(none, Err(Error::Order(_))));
}

/// Names the number of forms to the process that writes them.
const FORMS: &str = "STIPEND_EFW2_FORMS";

/// A process of its own checks and writes them, so that its time and its peak are of nothing else. 10,000; a hundred thousand with
/// STIPEND_LONG=1. `STIPEND_LONG=1 cargo test --release -p returns --test efw2 seconds -- --nocapture` tells what it takes as it is shipped.
#[test]
fn a_hundred_thousand_forms_are_checked_and_written_in_seconds_and_in_bounded_memory() {
    const MOST_MEGABYTES: u64 = 200;
    // Code that is not optimised takes several times as long, which says nothing about what is shipped.
    const MOST_SECONDS: u64 = if cfg!(debug_assertions) { 60 } else { 5 };
    let forms: u64 = if std::env::var_os("STIPEND_LONG").is_some() { 100_000 } else { 10_000 };
    let mut writes = std::process::Command::new(std::env::current_exe().unwrap());
    writes.args(["--exact", "the_writing_process", "--nocapture"]).env(FORMS, forms.to_string());
    let ended = writes.output().unwrap();
    let said = String::from_utf8(ended.stdout).unwrap();
    assert!(ended.status.success(), "{said}{}", String::from_utf8_lossy(&ended.stderr));
    let told = |name: &str| -> u64 {
        let found = said.split_whitespace().find_map(|word| word.strip_prefix(&format!("{name}=")));
        found.unwrap_or_else(|| panic!("no {name}: {said}")).parse().unwrap()
    };
    println!(
        "{forms} forms, {} bytes: {} hundredths of a second of the processor, {} kB at most",
        told("bytes"),
        told("hundredths"),
        told("kilobytes")
    );
    // RA, RE, a person and a state for each form, RT and RF.
    assert_eq!(told("bytes"), (4 + 2 * forms) * (RECORD as u64 + 2));
    assert!(told("hundredths") < MOST_SECONDS * 100 && told("kilobytes") < MOST_MEGABYTES * 1_000, "{said}");
}

/// Only the test above starts it with a number.
#[test]
fn the_writing_process() {
    let Ok(forms) = std::env::var(FORMS) else { return };
    let forms: u64 = forms.parse().unwrap();
    let one = form(person("Ines", "Okafor", "412345678"), &payments(300_000));
    let next = |number: u64| {
        let mut next = one.clone();
        next.person.ssn = Some(format!("4{:08}", 10_000_000 + number));
        next
    };
    let mut checker = Checker::new(layout(), taxes(), &submitter());
    checker.begin_employer(&employer());
    (1..=forms).for_each(|number| checker.check_form(&next(number)));
    assert!(checker.finish().iter().all(|one| !one.blocks_file()));
    let path = std::env::temp_dir().join(format!("efw2-large-{}", std::process::id()));
    let out = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
    let mut writer = Writer::new(layout(), taxes(), &submitter(), out).unwrap();
    writer.begin_employer(&employer()).unwrap();
    (1..=forms).for_each(|number| writer.write_employee(&next(number)).unwrap());
    let (_, written) = writer.finish_file().unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(written.employees, forms);
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kilobytes = peak.trim().trim_end_matches(" kB");
    println!("\nbytes={} hundredths={} kilobytes={kilobytes}", written.bytes, processor_hundredths());
}

/// What this process has used of the processor, in hundredths of a second (proc_pid_stat(5), fields 14 and 15): other work on the machine does
/// not count.
fn processor_hundredths() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let after_name = stat.rsplit_once(')').unwrap().1;
    after_name.split_whitespace().skip(11).take(2).map(|ticks| ticks.parse::<u64>().unwrap()).sum()
}
