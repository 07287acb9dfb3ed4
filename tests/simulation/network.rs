//! The receivers of webhooks in a simulated world, and the network before them: calls are taken, refused, put off, lost
//! on the way there, or taken without anybody hearing of it. What becomes of a call depends on the seed, the event and
//! the number of the try alone.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::body::Bytes;
use axum::http::{Request, Response};
use background::delivery::client::Receive;
use background::delivery::sign;

use crate::dice::Dice;

/// One call that reached its receiver.
#[derive(Debug, Clone)]
pub struct Received {
    /// the address
    pub url: String,
    /// `webhook-id`: the event
    pub event: String,
    pub body: String,
}

/// The tries of an event at an address.
#[derive(Debug)]
struct Tries {
    count: u64,
    /// when the first was made and when the last, in seconds since 1970
    first: i64,
    last: i64,
}

impl Tries {
    fn took(&self) -> i64 {
        self.last - self.first
    }
}

#[derive(Debug, Default)]
struct State {
    /// calls that arrived, in order
    received: Vec<Received>,
    /// the secret that each address was told
    secrets: BTreeMap<String, String>,
    /// the body of each event as an address got it
    bodies: BTreeMap<(String, String), String>,
    tries: BTreeMap<(String, String), Tries>,
    calm: bool,
    /// what was wrong with calls
    wrong: Vec<String>,
    log: Vec<String>,
    made: u64,
    /// an address whose receiver takes calls and forgets them: for the proof that this is noticed
    forgets: bool,
    alters: bool,
}

/// All receivers of one world.
#[derive(Debug)]
pub struct Network {
    seed: u64,
    state: Mutex<State>,
}

fn header<'r>(call: &'r Request<Bytes>, name: &str) -> &'r str {
    call.headers().get(name).map_or("", |value| value.to_str().unwrap())
}

impl Network {
    pub fn new(seed: u64) -> Self {
        Self { seed, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on every call arrives and is taken.
    pub fn calm_down(&self) {
        self.state().calm = true;
    }

    /// From now on a receiver acknowledges what it forgets.
    pub fn forget(&self) {
        self.state().forgets = true;
    }

    /// From now on bodies arrive changed.
    pub fn alter(&self) {
        self.state().alters = true;
    }

    /// The secret that was posted to an address.
    pub fn secret(&self, url: &str) -> Option<String> {
        self.state().secrets.get(url).cloned()
    }

    /// The calls that arrived since so many of them, and what was done with all.
    pub fn since(&self, known: usize) -> Vec<Received> {
        self.state().received[known..].to_vec()
    }

    /// How many calls arrived, and how many were made.
    pub fn count(&self) -> (usize, u64) {
        let state = self.state();
        (state.received.len(), state.made)
    }

    /// What was wrong with calls: signatures, and bodies that changed between tries.
    pub fn wrong(&self) -> Vec<String> {
        self.state().wrong.clone()
    }

    /// Seconds from the first try of any event at an address to its last, at most.
    pub fn longest_tried(&self, url: &str) -> i64 {
        let state = self.state();
        let there = state.tries.iter().filter(|((at, _), _)| at == url);
        there.map(|(_, tries)| tries.took()).max().unwrap_or(0)
    }

    /// Seconds from the first try of an event at an address to the last.
    pub fn tried_for(&self, url: &str, event: &str) -> i64 {
        let state = self.state();
        state.tries.get(&(url.to_owned(), event.to_owned())).map_or(0, Tries::took)
    }

    /// What happened since this was asked last, for the trace.
    pub fn log(&self) -> Vec<String> {
        std::mem::take(&mut self.state().log)
    }
}

/// What becomes of a call.
#[derive(Debug, Clone, Copy)]
enum Fate {
    Taken(u16),
    Refused(u16),
    PutOff(i64),
    /// it never arrives
    Lost,
    /// it arrives, and its answer does not
    Unheard,
}

fn fate(dice: &mut Dice) -> Fate {
    match dice.weighted(&[60, 8, 8, 8, 8, 8]) {
        0 => Fate::Taken(*dice.of(&[200, 201, 204])),
        1 => Fate::Refused(*dice.of(&[400, 404, 410, 301])),
        2 => Fate::Refused(*dice.of(&[500, 502, 503])),
        3 => Fate::PutOff(dice.between(1, 7_200)),
        4 => Fate::Lost,
        _ => Fate::Unheard,
    }
}

impl State {
    /// Looks at a call as a receiver does, and keeps it.
    fn take(&mut self, url: &str, call: &Request<Bytes>) {
        let body = String::from_utf8(call.body().to_vec()).unwrap();
        let event = header(call, "webhook-id").to_owned();
        let told: serde_json::Value = serde_json::from_str(&body).unwrap();
        if let Some(token) = told["verification_token"].as_str() {
            self.secrets.insert(url.to_owned(), token.to_owned());
            return;
        }
        let body = if self.alters { body.replace(':', " :") } else { body };
        let secret = self.secrets.get(url).map_or("", String::as_str);
        let signed = sign::service_signature(secret, body.as_bytes());
        let time = header(call, "webhook-timestamp");
        let standard = sign::standard_signature(secret, &event, time, body.as_bytes());
        if header(call, "x-service-signature") != signed || header(call, "webhook-signature") != standard {
            self.wrong.push(format!("event {event} came to {url} with a wrong signature"));
        }
        if told["uuid"] != *event {
            self.wrong.push(format!("event {event} came to {url} as {}", told["uuid"]));
        }
        if self.forgets {
            return;
        }
        let known = self.bodies.entry((url.to_owned(), event.clone())).or_insert_with(|| body.clone());
        if *known != body {
            self.wrong.push(format!("event {event} came to {url} with two bodies"));
        }
        self.received.push(Received { url: url.to_owned(), event, body });
    }
}

impl Receive for Network {
    fn respond_to(&self, call: &Request<Bytes>) -> Result<Response<Bytes>, String> {
        let mut state = self.state();
        let (url, event) = (call.uri().to_string(), header(call, "webhook-id").to_owned());
        let now = header(call, "webhook-timestamp").parse().unwrap();
        let none = Tries { count: 0, first: now, last: now };
        let tries = state.tries.entry((url.clone(), event.clone())).or_insert(none);
        (tries.count, tries.last) = (tries.count + 1, now);
        let tried = tries.count;
        let mut dice = Dice::new(self.seed, &format!("{url} {event} {tried}"));
        let verifies = call.body().windows(20).any(|bytes| bytes == b"\"verification_token\"");
        let fate = match fate(&mut dice) {
            _ if state.calm => Fate::Taken(200),
            // Some receivers take no event, ever.
            _ if !verifies && Dice::new(self.seed, &url).percent(15) => Fate::Refused(500),
            fate => fate,
        };
        state.made += 1;
        if matches!(fate, Fate::Taken(_) | Fate::Unheard) {
            state.take(&url, call);
        }
        state.log.push(format!(
            "  call {url} {event} {} {fate:?} {}",
            header(call, "webhook-signature"),
            String::from_utf8_lossy(call.body())
        ));
        let answer = |status: u16| Response::builder().status(status);
        let answered = match fate {
            Fate::Taken(status) | Fate::Refused(status) => answer(status).body(Bytes::from_static(b"noted")),
            Fate::PutOff(seconds) => answer(429).header("retry-after", seconds).body(Bytes::new()),
            Fate::Lost => return Err("no connection: it is not there".to_owned()),
            Fate::Unheard => return Err("no answer within 10 s".to_owned()),
        };
        Ok(answered.unwrap())
    }
}
