//! A receiver of webhooks: listens on this machine, keeps what it gets, and answers what it is told to.

#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, reason = "each test crate uses a part of it")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

/// One call.
#[derive(Debug, Clone)]
pub struct Received {
    headers: Vec<(String, String)>,
    pub body: String,
}

impl Received {
    /// A header's value; empty where there is none.
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The token of a verification call.
    pub fn token(&self) -> Option<String> {
        self.json()["verification_token"].as_str().map(str::to_owned)
    }
}

type Answer = Box<dyn FnMut(&Received) -> String + Send>;

struct Inner {
    calls: Mutex<Vec<Received>>,
    answer: Mutex<Answer>,
}

/// A receiver that runs as long as the test.
pub struct Receiver {
    pub url: String,
    inner: Arc<Inner>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An answer without anything but its status.
pub fn status(code: u16) -> String {
    format!("HTTP/1.1 {code} x\r\ncontent-length: 0\r\n\r\n")
}

impl Receiver {
    /// Takes whatever comes.
    pub fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/hooks", listener.local_addr().unwrap());
        let answer: Answer = Box::new(|_| status(200));
        let inner = Arc::new(Inner { calls: Mutex::default(), answer: Mutex::new(answer) });
        let shared = Arc::clone(&inner);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let inner = Arc::clone(&shared);
                std::thread::spawn(move || serve(stream, &inner));
            }
        });
        Self { url, inner }
    }

    /// Answers events from now on like this; verification calls are always taken.
    pub fn answer(&self, mut answer: impl FnMut(&Received) -> String + Send + 'static) {
        let answer = move |call: &Received| if call.token().is_some() { status(200) } else { answer(call) };
        *locked(&self.inner.answer) = Box::new(answer);
    }

    /// All calls so far.
    pub fn calls(&self) -> Vec<Received> {
        locked(&self.inner.calls).clone()
    }

    /// The calls that brought events.
    pub fn events(&self) -> Vec<Received> {
        self.calls().into_iter().filter(|call| call.token().is_none()).collect()
    }

    /// The tokens that came, the newest last.
    pub fn tokens(&self) -> Vec<String> {
        self.calls().iter().filter_map(Received::token).collect()
    }
}

/// Answers one call after the other on a connection.
fn serve(mut stream: TcpStream, inner: &Inner) {
    stream.set_nodelay(true).ok();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    while let Some(call) = read(&mut reader) {
        // Kept before it is answered: what was acknowledged is there.
        locked(&inner.calls).push(call.clone());
        let answer = locked(&inner.answer)(&call);
        if stream.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<Received> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let mut headers = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let Some((name, value)) = line.trim().split_once(':') else { break };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, n)| n.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some(Received { headers, body: String::from_utf8(body).ok()? })
}
