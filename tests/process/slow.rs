//! Clients that ask and do not take, and clients that begin to send and do not go on: they hold neither connections nor
//! memory for longer than their time, nor more than their share.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddrV4, TcpStream};
use std::time::Duration;

use rustix::net::{AddressFamily, SocketType, bind, connect, socket};

use store::Clock;

use crate::binary::Running;

const PERSON: &str = r#"{"first_name":"Noor","last_name":"Haddad"}"#;

/// The most memory that the process ever had, in kB.
fn peak(service: &Running) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", service.pid())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

fn people(service: &Running) -> String {
    format!("/v1/companies/{}/employees", service.company())
}

/// Connections that ask for a large answer over and over, and take none of it.
fn unread(service: &Running, connections: usize) -> Vec<TcpStream> {
    let ask = format!("GET /openapi.json HTTP/1.1\r\nhost: {}\r\n\r\n", service.address()).repeat(30);
    let open = |_| {
        let mut stream = TcpStream::connect(service.address()).unwrap();
        stream.write_all(ask.as_bytes()).unwrap();
        stream
    };
    (0..connections).map(open).collect()
}

#[test]
fn who_does_not_take_an_answer_loses_the_connection_and_others_get_theirs() {
    let settings = [("STIPEND_CONNECTIONS", "20"), ("STIPEND_ANSWER_SECONDS", "2")];
    let service = Running::dev_with(&["--memory"], &settings);
    let start = Clock::monotonic();
    let mut slow = unread(&service, 20);
    // All places are taken; the next one is turned away until the time of the slow ones is up.
    let mut waited = None;
    while waited.is_none() && Clock::monotonic() < start + Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(100));
        // Whoever asks whether it lives needs no place.
        assert_eq!(service.get("/healthz").0, 200);
        let answer = service.call_as("Bearer x", "GET", "/docs", "");
        waited = answer.is_ok_and(|(status, _)| status == 200).then(|| Clock::monotonic() - start);
    }
    println!("a place was free after {waited:?}");
    assert!(waited.is_some_and(|waited| (1..10).contains(&waited.as_secs())), "{waited:?}");
    // Nothing more comes of an answer that was given up.
    let first = &mut slow[0];
    first.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let mut rest = Vec::new();
    let ended = first.read_to_end(&mut rest);
    assert!(ended.is_err() && rest.len() < 30 << 20, "{ended:?}, {} bytes", rest.len());
}

#[test]
fn answers_that_nobody_takes_are_bounded_and_changes_are_told_all_the_same() {
    let settings = [("STIPEND_HELD_MEGABYTES", "8"), ("STIPEND_ANSWER_SECONDS", "3")];
    let service = Running::dev_with(&["--memory"], &settings);
    let _slow = unread(&service, 60);
    let mut refused = 0;
    for _ in 0..100 {
        let (status, said) = service.get("/openapi.json");
        refused += usize::from(status == 503);
        assert!(
            status == 200 || said.contains("memory limit for requests and responses"),
            "{status}: {said}"
        );
        if refused > 0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(refused > 0, "there was room for everything");
    // Whoever changes something is told what it came to.
    assert_eq!(service.post(&people(&service), PERSON).0, 201);
    std::thread::sleep(Duration::from_secs(5));
    assert_eq!(service.get("/openapi.json").0, 200, "the room is free again");
    println!("{} kB at most", peak(&service));
}

#[test]
fn bodies_that_do_not_end_take_no_more_memory_than_there_is_room_for() {
    let service = Running::dev_with(&["--memory"], &[("STIPEND_HELD_MEGABYTES", "16")]);
    assert_eq!(service.post(&people(&service), PERSON).0, 201);
    let before = peak(&service);
    let body = " ".repeat(1 << 20);
    let head = service.head("POST", &people(&service), &service.authorization(), &body);
    let begin = |_| {
        let mut stream = TcpStream::connect(service.address()).unwrap();
        stream.set_write_timeout(Some(Duration::from_secs(5))).unwrap();
        // One that was refused may be closed before all of it was sent.
        stream.write_all((head.clone() + &body[..1_000_000]).as_bytes()).ok();
        stream
    };
    let mut slow: Vec<_> = (0..500).map(begin).collect();
    let most = peak(&service);
    println!("500 bodies of 1 MB: from {before} kB to {most} kB");
    // What was freed is given back to the system a little later: by far less than half a gigabyte all the same.
    assert!(most < before + (160 << 10), "memory grew from {before} kB to {most} kB");
    let refused = slow.iter_mut().filter_map(|stream| {
        stream.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).ok().map(|()| assert_eq!(&answer, b"HTTP/1.1 503"))
    });
    let refused = refused.count();
    println!("{refused} of them were refused");
    assert!(refused > 300, "only {refused} were refused");
    drop(slow);
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(service.post(&people(&service), PERSON).0, 201, "the room is free again");
}

/// A connection that has a place for sure, because it was answered and stays open. Those that waited for the start may
/// not be gone yet, in whose place it is turned away at first.
fn taken_up(service: &Running) -> TcpStream {
    let ask = format!("GET /docs HTTP/1.1\r\nhost: {}\r\n\r\n", service.address());
    let answered = || {
        let mut stream = TcpStream::connect(service.address()).ok()?;
        stream.write_all(ask.as_bytes()).ok()?;
        let mut status = [0; 12];
        stream.read_exact(&mut status).ok()?;
        assert_eq!(&status, b"HTTP/1.1 200");
        Some(stream)
    };
    let mut tries = (0..50).map(|_| {
        std::thread::sleep(Duration::from_millis(100));
        answered()
    });
    tries.find_map(|stream| stream).expect("a place within five seconds")
}

#[test]
fn one_address_has_its_share_of_the_connections() {
    let (_folder, service) = crate::served(&[("STIPEND_CONNECTIONS_PER_ADDRESS", "10")]);
    let held: Vec<_> = (0..10).map(|_| taken_up(&service)).collect();
    assert!(service.call_as("Bearer x", "GET", "/docs", "").is_err(), "the eleventh is turned away");
    assert_eq!(service.get("/healthz").0, 200, "unless it asks whether the service lives");
    assert_eq!(service.get("/readyz").0, 200, "or can serve");
    drop(held);
    taken_up(&service);
    assert_eq!(service.stop().0, Some(0));
}

/// A connection from an address of this machine, of which it has many.
fn from(last: u8, service: &Running) -> TcpStream {
    let stream = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    bind(&stream, &SocketAddrV4::new(Ipv4Addr::new(127, 0, 0, last), 0)).unwrap();
    connect(&stream, &service.address().parse::<SocketAddrV4>().unwrap()).unwrap();
    TcpStream::from(stream)
}

/// What a client at 127.0.0.2 with the token of another company is answered.
fn of_another(service: &Running, method: &str, path: &str, body: &str) -> u16 {
    let companies = service.report()["companies"].as_array().unwrap();
    let other = companies[1..].iter().find(|company| company["access_token"].is_string()).unwrap();
    let path = path.replace("COMPANY", other["uuid"].as_str().unwrap());
    let token = format!("authorization: Bearer {}\r\n", other["access_token"].as_str().unwrap());
    let mut stream = from(2, service);
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all((service.head(method, &path, &token, body) + body).as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split(' ').nth(1).unwrap().parse().unwrap()
}

/// Others are served: what they read, what they create, and whoever asks whether the service lives.
fn others_are_served(service: &Running, when: &str) {
    for round in 0..5 {
        assert_eq!(
            of_another(service, "GET", "/v1/companies/COMPANY/employees?per=5", ""),
            200,
            "{when}, {round}"
        );
        assert_eq!(
            of_another(service, "POST", "/v1/companies/COMPANY/employees", PERSON),
            201,
            "{when}, {round}"
        );
        assert_eq!(of_another(service, "GET", "/healthz", ""), 200, "{when}, {round}");
        assert_eq!(service.get("/healthz").0, 200, "{when}, {round}");
        assert_eq!(service.get("/readyz").0, 200, "{when}, {round}");
    }
}

/// A service of which one client wants everything, without the limits on requests.
fn wanted(settings: &[(&str, &str)]) -> (tempfile::TempDir, Running) {
    let limits = ["STIPEND_RATE_LIMIT", "STIPEND_ADDRESS_RATE_LIMIT", "STIPEND_CONNECTIONS_PER_ADDRESS"];
    let settings =
        [settings, &limits.map(|name| (name, if name.ends_with("ADDRESS") { "5000" } else { "0" }))].concat();
    crate::served(&settings)
}

#[test]
fn six_hundred_half_sent_bodies_of_one_token_leave_room_for_those_of_others() {
    let (_folder, service) = wanted(&[("STIPEND_HELD_MEGABYTES", "64")]);
    let body = " ".repeat(1 << 20);
    let head = service.head("POST", &people(&service), &service.authorization(), &body);
    let begin = |_| {
        let mut stream = TcpStream::connect(service.address()).unwrap();
        stream.set_write_timeout(Some(Duration::from_secs(5))).unwrap();
        stream.write_all((head.clone() + &body[..1_000_000]).as_bytes()).ok();
        stream
    };
    let _slow: Vec<_> = (0..600).map(begin).collect();
    others_are_served(&service, "600 half-sent bodies");
}

#[test]
fn a_hundred_unread_answers_of_one_address_leave_room_for_those_of_others() {
    let (_folder, service) = wanted(&[("STIPEND_HELD_MEGABYTES", "48"), ("STIPEND_ANSWER_SECONDS", "20")]);
    let _slow = unread(&service, 100);
    std::thread::sleep(Duration::from_millis(500));
    others_are_served(&service, "100 unread answers");
    assert_eq!(of_another(&service, "GET", "/openapi.json", ""), 200, "one as large");
}

#[test]
fn idle_connections_of_one_address_take_at_most_a_quarter_of_all() {
    let (_folder, service) = wanted(&[("STIPEND_CONNECTIONS", "80")]);
    let idle: Vec<_> = (0..200).map(|_| TcpStream::connect(service.address()).unwrap()).collect();
    assert_eq!(of_another(&service, "GET", "/v1/companies/COMPANY/employees?per=5", ""), 200, "at once");
    // By then those that took the places of questions about readiness have lost them.
    std::thread::sleep(Duration::from_secs(3));
    others_are_served(&service, "200 idle connections");
    let open = idle.iter().filter(|stream| {
        stream.set_nonblocking(true).unwrap();
        // One that was turned away has ended.
        stream.peek(&mut [0]).is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock)
    });
    let open = open.count();
    println!("{open} of 200 idle connections are open");
    assert!((10..=22).contains(&open), "{open}: a quarter of 80");
}
