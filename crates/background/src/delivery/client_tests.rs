use std::net::Ipv4Addr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;
use crate::delivery::astray;

/// A resolver that returns the given answers one after the other; the last one repeats.
struct Scripted(Mutex<Vec<Vec<IpAddr>>>);

impl Resolve for Scripted {
    fn resolve_host(&self, _: String) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>> {
        let mut answers = self.0.lock().unwrap();
        let answer = if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() };
        Box::pin(async move { Ok(answer) })
    }
}

const LOCAL: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
/// An address that these tests treat as public.
const OUTSIDE: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));

/// A client for which only [`OUTSIDE`] is public.
fn client(answers: Vec<Vec<IpAddr>>) -> Sender {
    let resolver = Arc::new(Scripted(Mutex::new(answers)));
    Sender::with_connector(Connector::new(resolver, Arc::new(|address| address == OUTSIDE)))
}

/// Listens on an address and counts connections. Every call gets `answer`.
async fn listen(address: (IpAddr, u16), answer: &'static str) -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind(address).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let seen = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&seen);
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            count.fetch_add(1, Ordering::SeqCst);
            tokio::spawn(async move {
                let mut head = [0; 4_096];
                let _read = stream.read(&mut head).await;
                stream.write_all(answer.as_bytes()).await.ok();
            });
        }
    });
    (port, seen)
}

const FINE: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok";

async fn post(sender: &Sender, url: &str) -> Result<Reply, String> {
    sender.post(url, &[], Bytes::from_static(b"{}"), Timestamp::UNIX_EPOCH).await
}

#[tokio::test]
async fn no_url_of_the_table_leads_to_a_connection() {
    let (port, seen) = listen((LOCAL, 0), FINE).await;
    let sixth = TcpListener::bind(("::1", port)).await.ok();
    let sender = Sender::new(&Policy::default());
    let urls = astray::forbidden_urls(port);
    assert!(urls.len() >= 150, "{}", urls.len());
    for url in &urls {
        assert!(post(&sender, url).await.is_err(), "{url}");
        // A subscription's URL is normalized first, so the normalized form is tried, too.
        if let Ok(usual) = url::Url::parse(url) {
            assert!(post(&sender, usual.as_str()).await.is_err(), "{usual} ({url})");
        }
    }
    assert_eq!(seen.load(Ordering::SeqCst), 0, "something connected");
    if let Some(sixth) = sixth {
        let came = tokio::time::timeout(Duration::from_millis(50), sixth.accept()).await;
        assert!(came.is_err(), "something connected to ::1");
    }
    // The listener does notice connections: under a policy that allows it, the same client connects.
    let open = Sender::new(&Policy { private: true, ports: vec![] });
    assert_eq!(post(&open, &format!("http://127.0.0.1:{port}/")).await.unwrap().status, 200);
    assert_eq!(seen.load(Ordering::SeqCst), 1);
}

#[test]
fn no_url_of_the_table_can_be_subscribed() {
    for url in astray::forbidden_urls(443) {
        let https = url.replacen("http:", "https:", 1);
        // Names are resolved at delivery too; literal addresses are refused at once.
        let named = https.contains("ocalhost") || https.contains("LOCALHOST");
        assert!(named || Policy::default().check_url("url", &https).is_err(), "{https}");
    }
}

#[tokio::test]
async fn a_name_that_resolves_to_another_address_later_leads_nowhere_else() {
    let (port, outside) = listen((OUTSIDE, 0), FINE).await;
    let (_, canary) = listen((LOCAL, port), FINE).await;
    let sender = client(vec![vec![OUTSIDE], vec![LOCAL]]);
    let url = format!("http://rebound.example:{port}/");
    assert_eq!(post(&sender, &url).await.unwrap().status, 200);
    for _ in 0..3 {
        assert!(post(&sender, &url).await.unwrap_err().contains("not public"));
    }
    assert_eq!((outside.load(Ordering::SeqCst), canary.load(Ordering::SeqCst)), (1, 0));
}

#[tokio::test]
async fn only_the_public_one_of_several_addresses_is_dialled() {
    let (port, outside) = listen((OUTSIDE, 0), FINE).await;
    let (_, canary) = listen((LOCAL, port), FINE).await;
    for answer in [vec![LOCAL, OUTSIDE], vec![OUTSIDE, LOCAL]] {
        let sender = client(vec![answer]);
        assert_eq!(post(&sender, &format!("http://two.example:{port}/")).await.unwrap().status, 200);
    }
    assert_eq!((outside.load(Ordering::SeqCst), canary.load(Ordering::SeqCst)), (2, 0));
    let sender = client(vec![vec![LOCAL]]);
    assert!(
        sender.is_forbidden_host("private.example").await
            && !client(vec![vec![]]).is_forbidden_host("none").await
    );
}

#[tokio::test]
async fn a_redirect_is_a_response_and_is_not_followed() {
    let (target, canary) = listen((LOCAL, 0), FINE).await;
    let answer =
        format!("HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:{target}/\r\ncontent-length: 0\r\n\r\n");
    let (port, _) = listen((OUTSIDE, 0), answer.leak()).await;
    let reply = post(&client(vec![vec![OUTSIDE]]), &format!("http://moved.example:{port}/")).await.unwrap();
    assert_eq!((reply.status, reply.is_acknowledged(), canary.load(Ordering::SeqCst)), (302, false, 0));
}

#[tokio::test]
async fn the_kept_part_of_a_response_is_short_and_printable() {
    let body = "x\u{1b}[2J\0".to_owned() + &"y".repeat(2_000);
    let answer =
        format!("HTTP/1.1 503 Busy\r\nretry-after: 120\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    let (port, _) = listen((OUTSIDE, 0), answer.leak()).await;
    let reply = post(&client(vec![vec![OUTSIDE]]), &format!("http://busy.example:{port}/")).await.unwrap();
    assert_eq!((reply.status, reply.retry_after, reply.start.len()), (503, 120_000, 500));
    assert!(reply.start.starts_with("x[2Jyyy"), "{}", reply.start);
}

/// Answers each call on a connection with `head` and `sent` bytes of a body, and then waits for the client. Returns the
/// numbers of calls, of connections, and of connections that the client closed.
async fn feed(head: String, sent: usize) -> (u16, [Arc<AtomicUsize>; 3]) {
    let listener = TcpListener::bind((OUTSIDE, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let counts = [(); 3].map(|()| Arc::new(AtomicUsize::new(0)));
    let returned = counts.clone();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let ([calls, connections, given_up], head) = (counts.clone(), head.clone());
            connections.fetch_add(1, Ordering::SeqCst);
            tokio::spawn(async move {
                let mut request = [0; 4_096];
                while matches!(stream.read(&mut request).await, Ok(read) if read > 0) {
                    calls.fetch_add(1, Ordering::SeqCst);
                    let answer = [head.as_bytes(), &vec![b'x'; sent]].concat();
                    if stream.write_all(&answer).await.is_err() {
                        break;
                    }
                }
                given_up.fetch_add(1, Ordering::SeqCst);
            });
        }
    });
    (port, returned)
}

#[tokio::test]
async fn a_response_of_64_kb_is_read_and_its_connection_reused() {
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {READ}\r\n\r\n");
    let (port, [calls, connections, given_up]) = feed(head, READ).await;
    let sender = client(vec![vec![OUTSIDE]]);
    for _ in 0..3 {
        let reply = post(&sender, &format!("http://whole.example:{port}/")).await.unwrap();
        assert_eq!((reply.status, reply.start.len()), (200, KEPT));
    }
    let counted = [calls, connections, given_up].map(|count| count.load(Ordering::SeqCst));
    assert_eq!(counted, [3, 1, 0]);
}

#[tokio::test]
async fn at_most_64_kb_of_a_longer_response_are_awaited_and_its_status_counts() {
    for (status, acknowledged) in [(200, true), (503, false)] {
        // Ten gigabytes are announced, but only one byte beyond the limit is sent: a client that wanted more would wait
        // until the attempt times out.
        let head = format!("HTTP/1.1 {status} x\r\ncontent-length: 10000000000\r\n\r\n");
        let (port, [calls, connections, given_up]) = feed(head, READ + 1).await;
        let mut sender = client(vec![vec![OUTSIDE]]);
        sender.limit = Duration::from_secs(3_600);
        for count in 1..=2 {
            let reply = post(&sender, &format!("http://endless.example:{port}/")).await.unwrap();
            assert_eq!((reply.status, reply.is_acknowledged()), (status, acknowledged));
            while given_up.load(Ordering::SeqCst) < count {
                tokio::task::yield_now().await; // the connection is closed, not reused
            }
        }
        let counted = [calls, connections].map(|count| count.load(Ordering::SeqCst));
        assert_eq!(counted, [2, 2]);
    }
}

#[tokio::test]
async fn an_incomplete_response_is_awaited_no_longer_than_the_attempt_lasts() {
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n".to_owned();
    let (port, [.., given_up]) = feed(head, 50).await;
    let mut sender = client(vec![vec![OUTSIDE]]);
    sender.limit = Duration::from_millis(100);
    let reply = post(&sender, &format!("http://stuck.example:{port}/")).await.unwrap();
    assert_eq!((reply.status, reply.start.len()), (200, 50));
    while given_up.load(Ordering::SeqCst) < 1 {
        tokio::task::yield_now().await;
    }
}

#[test]
fn retry_after_may_be_a_date_and_nonsense_is_ignored() {
    let now: Timestamp = "2026-11-21T09:00:00Z".parse().unwrap();
    let after =
        |value: &str| retry_after(&HeaderMap::from_iter([(RETRY_AFTER, value.parse().unwrap())]), now);
    // The three forms of a date (RFC 9110, section 5.6.7).
    assert_eq!(after("Sat, 21 Nov 2026 09:01:00 GMT"), 60_000);
    assert_eq!(after("Saturday, 21-Nov-26 09:01:00 GMT"), 60_000);
    assert_eq!(after("Sat Nov 21 09:01:00 2026"), 60_000);
    assert_eq!(after("Thu Dec  3 09:00:00 2026"), 12 * 24 * 3_600_000);
    assert_eq!(after("Saturday, 21-Nov-87 09:01:00 GMT"), 0, "of the last century");
    let most = i64::from(u32::MAX) * 1_000;
    for (value, wait) in [
        ("7", 7_000),
        ("Sat, 21 Nov 2026 08:00:00 GMT", 0),
        ("Saturday, 21-Nov-26 08:00:00 GMT", 0),
        ("soon", 0),
        ("-7", 0),
        ("", 0),
        ("99999999999", most),
        ("999999999999999999999999999999", most),
    ] {
        assert_eq!(after(value), wait, "{value}");
    }
}
