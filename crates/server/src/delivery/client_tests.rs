use std::net::Ipv4Addr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;
use crate::delivery::astray;

/// A name server whose answers are given one after the other; the last one stays.
struct Scripted(Mutex<Vec<Vec<IpAddr>>>);

impl Resolve for Scripted {
    fn resolve(&self, _: String) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>> {
        let mut answers = self.0.lock().unwrap();
        let answer = if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() };
        Box::pin(async move { Ok(answer) })
    }
}

const LOCAL: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
/// An address that these tests take for a public one.
const OUTSIDE: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));

/// A client for which only [`OUTSIDE`] is public.
fn client(answers: Vec<Vec<IpAddr>>) -> Sender {
    let resolver = Arc::new(Scripted(Mutex::new(answers)));
    Sender::with(Connector::new(resolver, Arc::new(|address| address == OUTSIDE)))
}

/// Listens on an address and counts who comes. Every call gets `answer`.
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
    let urls = astray::urls(port);
    assert!(urls.len() >= 150, "{}", urls.len());
    for url in &urls {
        assert!(post(&sender, url).await.is_err(), "{url}");
        // As a subscription's URL goes through the usual form first, that one is tried, too.
        if let Ok(usual) = url::Url::parse(url) {
            assert!(post(&sender, usual.as_str()).await.is_err(), "{usual} ({url})");
        }
    }
    assert_eq!(seen.load(Ordering::SeqCst), 0, "somebody came");
    if let Some(sixth) = sixth {
        let came = tokio::time::timeout(Duration::from_millis(50), sixth.accept()).await;
        assert!(came.is_err(), "somebody came to ::1");
    }
    // The listener would have noticed: under a policy that allows it, the same client comes.
    let open = Sender::new(&Policy { private: true, ports: vec![] });
    assert_eq!(post(&open, &format!("http://127.0.0.1:{port}/")).await.unwrap().status, 200);
    assert_eq!(seen.load(Ordering::SeqCst), 1);
}

#[test]
fn no_url_of_the_table_can_be_subscribed() {
    for url in astray::urls(443) {
        let https = url.replacen("http:", "https:", 1);
        // Names are looked up besides; whatever is an address is known at once.
        let named = https.contains("ocalhost") || https.contains("LOCALHOST");
        assert!(named || Policy::default().check_url("url", &https).is_err(), "{https}");
    }
}

#[tokio::test]
async fn a_name_that_stands_for_another_address_a_moment_later_leads_nowhere_else() {
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
async fn of_a_public_and_a_private_address_only_the_public_one_is_dialled() {
    let (port, outside) = listen((OUTSIDE, 0), FINE).await;
    let (_, canary) = listen((LOCAL, port), FINE).await;
    for answer in [vec![LOCAL, OUTSIDE], vec![OUTSIDE, LOCAL]] {
        let sender = client(vec![answer]);
        assert_eq!(post(&sender, &format!("http://two.example:{port}/")).await.unwrap().status, 200);
    }
    assert_eq!((outside.load(Ordering::SeqCst), canary.load(Ordering::SeqCst)), (2, 0));
    let sender = client(vec![vec![LOCAL]]);
    assert!(sender.leads_astray("private.example").await && !client(vec![vec![]]).leads_astray("none").await);
}

#[tokio::test]
async fn a_redirect_is_an_answer_and_not_followed() {
    let (target, canary) = listen((LOCAL, 0), FINE).await;
    let answer =
        format!("HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:{target}/\r\ncontent-length: 0\r\n\r\n");
    let (port, _) = listen((OUTSIDE, 0), answer.leak()).await;
    let reply = post(&client(vec![vec![OUTSIDE]]), &format!("http://moved.example:{port}/")).await.unwrap();
    assert_eq!((reply.status, reply.acknowledges(), canary.load(Ordering::SeqCst)), (302, false, 0));
}

#[tokio::test]
async fn what_is_kept_of_an_answer_is_short_and_can_be_shown() {
    let body = "x\u{1b}[2J\0".to_owned() + &"y".repeat(2_000);
    let answer =
        format!("HTTP/1.1 503 Busy\r\nretry-after: 120\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    let (port, _) = listen((OUTSIDE, 0), answer.leak()).await;
    let reply = post(&client(vec![vec![OUTSIDE]]), &format!("http://busy.example:{port}/")).await.unwrap();
    assert_eq!((reply.status, reply.retry_after, reply.start.len()), (503, 120_000, 500));
    assert!(reply.start.starts_with("x[2Jyyy"), "{}", reply.start);
}

#[test]
fn a_date_tells_how_long_to_wait_and_nonsense_tells_nothing() {
    let now: Timestamp = "2026-11-21T09:00:00Z".parse().unwrap();
    let after =
        |value: &str| retry_after(&HeaderMap::from_iter([(RETRY_AFTER, value.parse().unwrap())]), now);
    assert_eq!(after("Sat, 21 Nov 2026 09:01:00 GMT"), 60_000);
    for (value, wait) in
        [("7", 7_000), ("Sat, 21 Nov 2026 08:00:00 GMT", 0), ("soon", 0), ("-7", 0), ("99999999999", 0)]
    {
        assert_eq!(after(value), wait, "{value}");
    }
}
