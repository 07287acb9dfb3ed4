//! Whoever reads the log decides nothing about the service: nobody, somebody who has left, a disk without room.

use std::fs::File;
use std::io::{BufRead, BufReader, PipeReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::time::Duration;

use store::Clock;

use crate::binary::{Running, run, stipend};

/// Creates, which leave a line each: several times what a pipe holds.
const WRITES: usize = 600;

/// A demo world that logs every write to `log`.
fn logging_to(log: impl Into<Stdio>) -> Running {
    Running::dev_logging(&["--memory"], &[("STIPEND_LOG", "info")], log.into())
}

/// Writes that are all acknowledged in bounded time, and a stop in its usual time.
fn works_and_stops(service: Running) {
    let path = format!("/v1/companies/{}/employees", service.company());
    for n in 0..WRITES {
        let (status, said) = service.post(&path, r#"{"first_name":"Noor","last_name":"Haddad"}"#);
        assert_eq!(status, 201, "write {n}: {said}");
    }
    let (status, figures) = service.get("/metrics");
    let dropped = figures.lines().find_map(|line| line.strip_prefix("log_lines_dropped_total "));
    assert_eq!(status, 200);
    let dropped: u64 = dropped.unwrap().parse().unwrap();
    println!("{WRITES} writes acknowledged, {dropped} lines dropped");
    let start = Clock::monotonic();
    assert_eq!(service.stop().0, Some(0));
    let took = Clock::monotonic().saturating_sub(start);
    assert!(took < Duration::from_secs(3), "the stop took {took:?}");
    println!("stopped after {took:?}");
}

fn pipe() -> (PipeReader, Stdio) {
    let (reader, writer) = std::io::pipe().unwrap();
    (reader, writer.into())
}

#[test]
fn a_pipe_that_nobody_reads_holds_up_neither_requests_nor_the_stop() {
    let (_never_read, log) = pipe();
    works_and_stops(logging_to(log));
}

#[test]
fn a_reader_of_the_log_who_is_gone_cuts_no_answer() {
    let (reader, log) = pipe();
    let service = logging_to(log);
    drop(reader);
    works_and_stops(service);
}

#[test]
fn a_log_on_a_full_disk_cuts_no_answer() {
    works_and_stops(logging_to(File::options().write(true).open("/dev/full").unwrap()));
}

#[test]
fn a_log_that_is_read_has_every_line_and_the_last_one_before_the_end() {
    let (reader, log) = pipe();
    let lines = std::thread::spawn(move || BufReader::new(reader).lines().map_while(Result::ok).count());
    works_and_stops(logging_to(log));
    let lines = lines.join().unwrap();
    assert!(lines > WRITES, "{lines} lines of {WRITES} writes");
}

#[test]
fn a_start_that_fails_ends_with_its_code_though_it_cannot_say_why() {
    let full = || File::options().write(true).open("/dev/full").unwrap();
    let (_never_read, mut writer) = std::io::pipe().unwrap();
    // What a pipe holds, so that not one line more fits.
    writer.write_all(&[b'x'; 64 << 10]).unwrap();
    for log in [full().into(), writer.into()] {
        let ended = run(stipend().args(["serve", "--listen", "nowhere"]).stderr::<Stdio>(log));
        assert_eq!(ended.code, Some(1));
    }
}

store::statements! {
    SPOIL = "UPDATE pay_schedules SET day_1 = 400 WHERE company_id = $1";
}

#[test]
fn a_request_that_fails_leaves_one_line_with_its_name_its_operation_and_the_cause() {
    let folder = tempfile::tempdir().unwrap();
    let (url, log) =
        (format!("sqlite:{}", folder.path().join("world.db").display()), folder.path().join("log"));
    let settings = [("STIPEND_LOG", "info")];
    let service =
        Running::dev_logging(&["--database-url", &url], &settings, File::create(&log).unwrap().into());
    let company: uuid::Uuid = service.company().parse().unwrap();
    let keys = store::MasterKeys::no_keys();
    let options = store::Options::new(Clock::from_system(), keys, domain::SCHEMA);
    let store = store::Store::open(&url, options).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let spoil = store.write(move |tx| {
        let spoilt = tx.change_rows(SPOIL, store::params![company])?.rows();
        Ok::<_, store::Error>(spoilt)
    });
    assert!(runtime.block_on(spoil).unwrap() > 0);
    drop(store);
    let path = format!("/v1/companies/{company}/pay_schedules");
    let mut stream = TcpStream::connect(service.address()).unwrap();
    stream.write_all(service.head("GET", &path, &service.authorization(), "").as_bytes()).unwrap();
    let mut head = String::new();
    stream.read_to_string(&mut head).unwrap();
    assert!(head.starts_with("HTTP/1.1 500"), "{head}");
    let name = head.lines().find_map(|line| line.strip_prefix("x-request-id: ")).unwrap().to_owned();
    assert_eq!(service.stop().0, Some(0));
    let text = std::fs::read_to_string(&log).unwrap();
    let lines: Vec<_> = text.lines().filter(|line| line.contains(&name)).collect();
    let [line] = lines.as_slice() else { panic!("{text}") };
    for part in ["/pay_schedules", "pay_schedules.day_1 cannot be read", "500"] {
        assert!(line.contains(part), "{line}");
    }
}
