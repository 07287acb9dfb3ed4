//! The load: so many connections at once, each of which sends its next request as soon as it has the answer to the
//! last one. Every answer is read whole and its status looked at.

use std::cell::{Cell, RefCell};
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use store::Clock;
use tokio::net::TcpStream;
use tokio::task::LocalSet;

use crate::Outcome;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// Writes the n-th request.
pub type Make = Rc<dyn Fn(u64, &mut Vec<u8>)>;

/// One round of one workload on one server.
#[derive(Debug, Clone, Copy)]
pub struct Round {
    /// how many were answered
    pub requests: u64,
    /// in which time
    pub took: Duration,
    /// half of the answers took no longer
    pub p50: Duration,
    /// 99 of 100 answers took no longer
    pub p99: Duration,
    /// bytes of a body, on average
    pub body: u64,
}

/// What the connections of a round share.
struct Shared {
    make: Make,
    next: Cell<u64>,
    until: Duration,
    status: u16,
    took: RefCell<Vec<Duration>>,
    bytes: Cell<u64>,
}

/// Sends requests from number `first` on for `time`; any answer without `status` is an error.
pub async fn round(
    address: SocketAddr,
    make: &Make,
    first: u64,
    connections: usize,
    status: u16,
    time: Duration,
) -> Outcome<Round> {
    let mut open = Vec::new();
    for _ in 0..connections {
        open.push(Connection::open(address).await?);
    }
    let started = Clock::monotonic();
    let shared = Rc::new(Shared {
        make: Rc::clone(make),
        next: Cell::new(first),
        until: started + time,
        status,
        took: RefCell::default(),
        bytes: Cell::new(0),
    });
    let local = LocalSet::new();
    let tasks: Vec<_> =
        open.into_iter().map(|connection| local.spawn_local(drive(connection, Rc::clone(&shared)))).collect();
    local.await;
    let took = Clock::monotonic() - started;
    for task in tasks {
        task.await.map_err(|error| error.to_string())??;
    }
    let mut times = shared.took.borrow_mut();
    times.sort_unstable();
    let at = |hundredth: usize| times.get(times.len() * hundredth / 100).copied().unwrap_or_default();
    let requests = times.len() as u64;
    Ok(Round { requests, took, p50: at(50), p99: at(99), body: shared.bytes.get() / requests.max(1) })
}

async fn drive(mut connection: Connection, shared: Rc<Shared>) -> Outcome<()> {
    let mut request = Vec::with_capacity(2_048);
    loop {
        let began = Clock::monotonic();
        if began >= shared.until {
            return Ok(());
        }
        let number = shared.next.get();
        shared.next.set(number + 1);
        request.clear();
        (shared.make)(number, &mut request);
        let (status, body) = connection.exchange(&request).await?;
        if status != shared.status {
            let said = String::from_utf8_lossy(&body[..body.len().min(400)]);
            return Err(format!("an answer was {status} instead of {}: {said}", shared.status));
        }
        shared.bytes.set(shared.bytes.get() + body.len() as u64);
        shared.took.borrow_mut().push(Clock::monotonic() - began);
    }
}

/// What came of requests that were due at times of their own, whether those before were answered or not.
#[derive(Debug, Clone, Default)]
pub struct Paced {
    /// answered well, with how long after they were due
    pub good: Vec<Duration>,
    /// the same answers, with how long after they were sent
    pub answered: Vec<Duration>,
    /// told to come again (429 or 503), with how long after they were sent
    pub refused: Vec<Duration>,
    /// from the first to the last
    pub took: Duration,
}

impl Paced {
    /// Good answers a second.
    pub fn goodput(&self) -> f64 {
        self.good.len() as f64 / self.took.as_secs_f64()
    }

    /// Of sorted times, the one that so many of a thousand do not exceed, in milliseconds.
    pub fn at(times: &[Duration], thousandth: usize) -> f64 {
        times.get(times.len() * thousandth / 1_000).map_or(0.0, |time| time.as_secs_f64() * 1e3)
    }
}

/// Sends `rate` requests a second for `time`, as far as `connections` are free; without a rate each connection sends
/// its next one as soon as it can.
pub async fn paced(
    address: SocketAddr,
    make: &Make,
    first: u64,
    connections: usize,
    rate: Option<f64>,
    time: Duration,
) -> Outcome<Paced> {
    let mut open = Vec::new();
    for _ in 0..connections {
        open.push(Connection::open(address).await?);
    }
    let (started, next) = (Clock::monotonic(), Rc::new(Cell::new(0_u64)));
    let told = Rc::new(RefCell::new(Paced::default()));
    let local = LocalSet::new();
    let tasks: Vec<_> = open
        .into_iter()
        .map(|mut connection| {
            let (make, next, told) = (Rc::clone(make), Rc::clone(&next), Rc::clone(&told));
            local.spawn_local(async move {
                let mut request = Vec::with_capacity(2_048);
                loop {
                    let number = next.get();
                    next.set(number + 1);
                    let due = match rate {
                        Some(rate) => started + Duration::from_secs_f64(number as f64 / rate),
                        None => Clock::monotonic(),
                    };
                    if due >= started + time || Clock::monotonic() >= started + time {
                        return Ok::<_, String>(());
                    }
                    if let Some(wait) = due.checked_sub(Clock::monotonic()) {
                        tokio::time::sleep(wait).await;
                    }
                    request.clear();
                    make(first + number, &mut request);
                    let sent = Clock::monotonic();
                    let (status, body) = connection.exchange(&request).await?;
                    let now = Clock::monotonic();
                    match status {
                        200..300 => {
                            told.borrow_mut().good.push(now.saturating_sub(due));
                            told.borrow_mut().answered.push(now.saturating_sub(sent));
                        }
                        429 | 503 => told.borrow_mut().refused.push(now.saturating_sub(sent)),
                        other => {
                            let said = String::from_utf8_lossy(&body[..body.len().min(400)]);
                            return Err(format!("an answer was {other}: {said}"));
                        }
                    }
                }
            })
        })
        .collect();
    local.await;
    let took = Clock::monotonic() - started;
    for task in tasks {
        task.await.map_err(|error| error.to_string())??;
    }
    let mut told = told.take();
    told.good.sort_unstable();
    told.refused.sort_unstable();
    told.answered.sort_unstable();
    Ok(Paced { took, ..told })
}

/// A connection that is kept.
pub struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    /// A new one.
    pub async fn open(address: SocketAddr) -> Outcome<Self> {
        let stream = TcpStream::connect(address).await.map_err(|error| format!("{address}: {error}"))?;
        stream.set_nodelay(true).map_err(|error| error.to_string())?;
        Ok(Self { stream, buffer: vec![0; 256 << 10] })
    }

    /// Sends a request and reads its answer: the status and the body.
    pub async fn exchange(&mut self, request: &[u8]) -> Outcome<(u16, &[u8])> {
        let patience = tokio::time::timeout(PATIENCE, self.exchange_unbounded(request));
        let (status, from, to) = patience.await.map_err(|_| "an answer took too long".to_owned())??;
        Ok((status, &self.buffer[from..to]))
    }

    async fn exchange_unbounded(&mut self, mut request: &[u8]) -> Outcome<(u16, usize, usize)> {
        let failed = |error: std::io::Error| format!("a connection broke: {error}");
        while !request.is_empty() {
            match self.stream.try_write(request) {
                Ok(written) => request = &request[written..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.stream.writable().await.map_err(failed)?;
                }
                Err(error) => return Err(failed(error)),
            }
        }
        let (mut filled, mut head) = (0, None);
        loop {
            self.stream.readable().await.map_err(failed)?;
            match self.stream.try_read(&mut self.buffer[filled..]) {
                Ok(0) => return Err("a connection was closed, or an answer is too large".to_owned()),
                Ok(read) => filled += read,
                Err(error) if error.kind() == ErrorKind::WouldBlock => continue,
                Err(error) => return Err(failed(error)),
            }
            if head.is_none() {
                head = parse_head(&self.buffer[..filled])?;
            }
            if let Some((status, from, length)) = head
                && filled >= from + length
            {
                return Ok((status, from, from + length));
            }
        }
    }
}

/// Status, length of the head and length of the body, once the head is whole.
fn parse_head(text: &[u8]) -> Outcome<Option<(u16, usize, usize)>> {
    const LENGTH: &[u8] = b"content-length:";
    let Some(end) = text.windows(4).position(|four| four == b"\r\n\r\n") else { return Ok(None) };
    let number =
        |digits: &[u8]| std::str::from_utf8(digits).ok().and_then(|d| d.trim().parse::<usize>().ok());
    let status = text.get(9..12).and_then(number).and_then(|status| u16::try_from(status).ok());
    let lines = text[..end].split(|byte| *byte == b'\n');
    let length = lines
        .filter(|line| line.len() > LENGTH.len() && line[..LENGTH.len()].eq_ignore_ascii_case(LENGTH))
        .find_map(|line| number(&line[LENGTH.len()..]));
    match (status, length) {
        (Some(status), Some(length)) => Ok(Some((status, end + 4, length))),
        _ => Err("an answer without status or length".to_owned()),
    }
}
