//! A company that is large: what unread lists hold, and how long the restore drill takes.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use store::Clock;

use crate::binary::{Running, run, stipend};
use crate::world::{Home, until};

/// The most memory that the process ever had, in kB.
fn peak(service: &Running) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", service.pid())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn r24_a_hundred_lists_of_megabytes_that_nobody_reads_hold_no_more_than_there_is_room_for() {
    let home = Home::new();
    let first = home.start();
    home.crowd(&first, 4_000);
    assert_eq!(first.stop().0, Some(0));
    let service = home.start_with(&[("STIPEND_HELD_MEGABYTES", "48"), ("STIPEND_ANSWER_SECONDS", "3")]);
    let list = format!("/v1/companies/{}/employees", service.company());
    let (status, all) = service.get(&list);
    let size = all.len();
    assert!(status == 200 && size > 4 << 20, "{status}, {size} bytes");
    let (before, start) = (peak(&service), Clock::monotonic());
    let ask = service.head("GET", &list, &service.authorization(), "");
    let slow: Vec<_> = (0..100)
        .map(|_| {
            let mut stream = TcpStream::connect(service.address()).unwrap();
            stream.write_all(ask.as_bytes()).unwrap();
            stream
        })
        .collect();
    // Others are answered meanwhile, and all of it is free again after the time of an answer.
    until("a small list is answered", || service.get(&format!("{list}?per=5")).0 == 200);
    std::thread::sleep(Duration::from_secs(5));
    let most = peak(&service);
    println!(
        "R24: 100 unread lists of {} kB in {} s: from {before} kB to {most} kB with 48 MB of room",
        size >> 10,
        (Clock::monotonic() - start).as_secs(),
    );
    // The room for answers, and four lists that are being read and written at the same time: not a hundred of them.
    assert!(most < before + (230 << 10), "memory grew from {before} kB to {most} kB");
    until("the whole list is answered", || service.get(&list) == (200, all.clone()));
    drop(slow);
    assert_eq!(service.stop().0, Some(0));
}

#[test]
fn r28_the_restore_drill_of_a_large_store_is_timed() {
    let (people, at_once) = if crate::long() { (1_000_000, 5_000) } else { (20_000, 5_000) };
    let home = Home::new();
    let service = home.start();
    for _ in 0..people / at_once {
        home.crowd(&service, at_once);
    }
    let list = format!("/v1/companies/{}/employees?per=5", service.company());
    let told = service.get(&list);
    assert_eq!(told.0, 200);
    let took = |what: &str, since: Duration| {
        println!("R28: {what} of {people} employees: {:.1} s", (Clock::monotonic() - since).as_secs_f64());
    };
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.db");
    let start = Clock::monotonic();
    let done = run(stipend().args(["backup", "--database-url", &home.url()]).arg(&copy));
    assert_eq!(done.code, Some(0), "{}", done.err);
    took("backup beside the running service", start);
    println!("R28: the copy has {} MB", std::fs::metadata(&copy).unwrap().len() >> 20);
    assert_eq!(service.stop().0, Some(0));
    let start = Clock::monotonic();
    let mut restore = stipend();
    restore.args(["restore", "--replace", "--database-url", &home.url()]).arg(&copy);
    let done = run(restore.env("STIPEND_MASTER_KEY_FILE", home.key_file()));
    assert_eq!(done.code, Some(0), "{}", done.err);
    took("restore", start);
    let start = Clock::monotonic();
    let service = home.start();
    assert!(service.get(&list) == told, "the restored store answers as before");
    took("start and first answer", start);
    assert_eq!(service.stop().0, Some(0));
}
