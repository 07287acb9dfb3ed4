//! Receivers that are slow, silent, endless or broken, a thousand of them: none holds a place for longer than ten
//! seconds, none is read further than 64 kB, memory stays where it was, and a healthy receiver hardly notices.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use store::Clock;

use crate::receiver::Receiver;
use crate::world::{Home, PERSON, call, memory, subscribe, until};

/// How a receiver misbehaves.
#[derive(Debug, Clone, Copy)]
enum Trick {
    Silent,
    OneByteASecond,
    EndlessBody,
    PackedBody,
    Redirect,
    ManyHeaders,
    ClosesAtOnce,
    TlsThatNeverEnds,
    InTime,
    TooLate,
}

const TRICKS: [Trick; 10] = [
    Trick::Silent,
    Trick::OneByteASecond,
    Trick::EndlessBody,
    Trick::PackedBody,
    Trick::Redirect,
    Trick::ManyHeaders,
    Trick::ClosesAtOnce,
    Trick::TlsThatNeverEnds,
    Trick::InTime,
    Trick::TooLate,
];

/// Bytes that the endless ones could send.
static SENT: AtomicUsize = AtomicUsize::new(0);

/// Listens, and plays a trick on whoever comes; a verification call is taken while `tame`.
fn play(trick: Trick) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let scheme = if matches!(trick, Trick::TlsThatNeverEnds) { "https" } else { "http" };
    let url = format!("{scheme}://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::Builder::new().stack_size(64 << 10).spawn(move || play_on(trick, stream)).ok();
        }
    });
    url
}

fn play_on(trick: Trick, mut stream: TcpStream) {
    if matches!(trick, Trick::ClosesAtOnce) {
        return;
    }
    let mut head = [0; 2_048];
    if stream.read(&mut head).is_err() {
        return;
    }
    let mut send = |bytes: &[u8]| stream.write_all(bytes).is_ok();
    let pause = |millis| std::thread::sleep(Duration::from_millis(millis));
    match trick {
        Trick::ClosesAtOnce => {}
        Trick::Silent | Trick::TlsThatNeverEnds => pause(30_000),
        Trick::OneByteASecond => {
            for byte in b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n" {
                if !send(&[*byte]) {
                    return;
                }
                pause(1_000);
            }
        }
        Trick::EndlessBody | Trick::PackedBody => {
            let packed = if matches!(trick, Trick::PackedBody) { "content-encoding: gzip\r\n" } else { "" };
            send(format!("HTTP/1.1 200 OK\r\n{packed}content-length: 10737418240\r\n\r\n").as_bytes());
            // A gzip member that would unpack to much more, sent over and over.
            let block = [0x1f_u8, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3].repeat(800);
            while send(&block) {
                SENT.fetch_add(block.len(), Ordering::Relaxed);
            }
        }
        Trick::Redirect => {
            send(b"HTTP/1.1 301 x\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n");
        }
        Trick::ManyHeaders => {
            send(b"HTTP/1.1 200 OK\r\n");
            (0..10_000).all(|n| send(format!("x-header-{n}: y\r\n").as_bytes()));
            send(b"content-length: 0\r\n\r\n");
        }
        Trick::InTime | Trick::TooLate => {
            pause(if matches!(trick, Trick::InTime) { 9_700 } else { 10_400 });
            send(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
        }
    }
}

#[test]
fn a_thousand_hostile_receivers_do_not_hold_up_a_healthy_one() {
    let (home, healthy) = (Home::new(), Receiver::new());
    let service = home.start();
    let (_, _token) = subscribe(&service, &healthy);
    let before = memory(service.pid());

    // Ten applications with a hundred subscriptions each, the most that one may have: the verification call of each is
    // the first try of a receiver of its own.
    let urls: Vec<String> = TRICKS.into_iter().map(play).collect();
    let mut subscriptions = Vec::new();
    for _ in 0..10 {
        let application = home.application();
        for n in 0..100 {
            let body = json!({ "url": urls[n % urls.len()], "subscription_types": ["Employee"] }).to_string();
            let made = call(&service, &application, "POST", "/v1/webhook_subscriptions", &body);
            subscriptions.push((application.clone(), made["uuid"].as_str().unwrap().to_owned()));
        }
    }

    let path = format!("/v1/companies/{}/employees", service.company());
    let mut waits = Vec::new();
    let mut most = before;
    let end = Clock::monotonic() + Duration::from_secs(if crate::long() { 60 } else { 25 });
    while Clock::monotonic() < end {
        let seen = healthy.events().len();
        let start = Clock::monotonic();
        assert_eq!(service.post(&path, PERSON).0, 201);
        until("the healthy receiver got its event", || healthy.events().len() > seen);
        waits.push(Clock::monotonic().saturating_sub(start));
        most = most.max(memory(service.pid()));
    }
    waits.sort_unstable();
    let p99 = waits[waits.len() * 99 / 100];
    println!(
        "healthy receiver: {} events, p50 {:?}, p99 {p99:?}; memory {} kB and at most {} kB; {} kB sent by the endless",
        waits.len(),
        waits[waits.len() / 2],
        before,
        most,
        SENT.load(Ordering::Relaxed) >> 10
    );
    assert!(p99 < Duration::from_secs(2), "the healthy receiver was held up: {p99:?}");
    assert!(most < before + 50 * 1_024, "memory grew from {before} kB to {most} kB");

    // Every try ended within ten seconds and a half, and the one of 9.7 s was taken.
    let mut longest = 0;
    let (mut in_time, mut too_late) = (0, 0);
    for (n, (application, id)) in subscriptions.iter().enumerate() {
        let path = format!("/v1/webhook_subscriptions/{id}/deliveries?limit=100");
        let told = call(&service, application, "GET", &path, "");
        for attempt in told.as_array().unwrap().iter().flat_map(|one| one["attempts"].as_array().unwrap()) {
            longest = longest.max(attempt["duration_ms"].as_i64().unwrap());
            let status = attempt["response_status"].as_i64();
            match TRICKS[n % TRICKS.len()] {
                Trick::InTime => in_time += i64::from(status == Some(200)),
                Trick::TooLate => too_late += i64::from(status.is_some()),
                Trick::ManyHeaders | Trick::Silent | Trick::OneByteASecond => assert_eq!(status, None),
                _ => {}
            }
        }
    }
    println!("longest try {longest} ms; answered at 9.7 s: {in_time}, at 10.4 s: {too_late}");
    assert!((10_000..10_500).contains(&longest), "{longest} ms");
    assert!(in_time > 0 && too_late == 0, "{in_time}, {too_late}");
}
