//! The HTTP client of webhooks. It is safe against any receiver: a call ends after ten seconds, at most 64 kB of a
//! response are read, redirects are not followed, nothing is decompressed, no proxy is used, and connections are made
//! only to addresses that [`Policy`] allows. The address that was checked is the one that is dialled, so a name that
//! resolves to another address a moment later leads nowhere else.

use std::fmt;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, RETRY_AFTER, USER_AGENT};
use hyper::http::response::Parts;
use hyper::{HeaderMap, Request, Response, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use tokio::net::TcpStream;
use tower::Service;

use domain::events::delivery::address::Policy;
use store::Clock;

/// Time limit of an attempt (specification, Limits).
pub const TRY_TIME: Duration = Duration::from_secs(10);
/// Bytes of a response that are read.
const READ: usize = 64 << 10;
/// Characters of a response that are kept.
const KEPT: usize = 500;
/// Idle connections kept per receiver, and for how long.
const IDLE: usize = 256;
const IDLE_TIME: Duration = Duration::from_secs(30);
/// Limits of a response's head: bytes and lines.
const HEAD: usize = 32 << 10;
const HEADERS: usize = 100;

/// Resolves names to addresses.
pub trait Resolve: Send + Sync {
    /// All addresses of `name`.
    fn resolve_host(&self, name: String) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;
}

/// The system's resolver.
#[derive(Debug)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve_host(&self, name: String) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// The addresses that may be dialled.
pub type Allowed = Arc<dyn Fn(IpAddr) -> bool + Send + Sync>;

/// Connects to allowed addresses only.
#[derive(Clone)]
pub struct Connector {
    resolver: Arc<dyn Resolve>,
    allowed: Allowed,
}

impl Connector {
    /// A connector with this resolver and policy.
    pub fn new(resolver: Arc<dyn Resolve>, allowed: Allowed) -> Self {
        Self { resolver, allowed }
    }

    /// The addresses of a host that may be dialled.
    ///
    /// # Errors
    /// If the name has no address, or none that is allowed.
    pub async fn allowed_addresses(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let all = match bare.parse::<IpAddr>() {
            Ok(literal) => vec![literal],
            Err(_) => self.resolver.resolve_host(host.to_owned()).await?,
        };
        if all.is_empty() {
            return Err(io::Error::new(io::ErrorKind::NotFound, "the name has no address"));
        }
        let allowed: Vec<_> = all.into_iter().filter(|address| (self.allowed)(*address)).collect();
        if allowed.is_empty() {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, NotAllowed));
        }
        Ok(allowed)
    }

    async fn connect(self, uri: Uri) -> io::Result<TokioIo<TcpStream>> {
        let host = uri.host().ok_or(io::ErrorKind::InvalidInput)?;
        let port = uri.port_u16().unwrap_or(if uri.scheme_str() == Some("http") { 80 } else { 443 });
        let mut failed = io::Error::from(io::ErrorKind::NotConnected);
        for address in self.allowed_addresses(host).await? {
            match TcpStream::connect(SocketAddr::new(address, port)).await {
                Ok(stream) => {
                    stream.set_nodelay(true)?;
                    return Ok(TokioIo::new(stream));
                }
                Err(error) => failed = error,
            }
        }
        Err(failed)
    }
}

impl Service<Uri> for Connector {
    type Response = TokioIo<TcpStream>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<TokioIo<TcpStream>>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        Box::pin(self.clone().connect(uri))
    }
}

/// The host has no allowed address.
#[derive(Debug)]
struct NotAllowed;

impl fmt::Display for NotAllowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the address is not public")
    }
}

impl std::error::Error for NotAllowed {}

/// A receiver's response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// its status
    pub status: u16,
    /// the beginning of its body, as text
    pub start: String,
    /// milliseconds of its `Retry-After`
    pub retry_after: i64,
}

impl Reply {
    /// Whether the call was acknowledged.
    pub fn is_acknowledged(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// Answers calls in place of the network, in simulations, where chance decides the outcome of a call.
pub trait Receive: Send + Sync {
    /// The response to a call.
    ///
    /// # Errors
    /// One phrase, if there is no response.
    fn respond_to(&self, call: &Request<Bytes>) -> Result<Response<Bytes>, String>;
}

/// Posts webhooks.
#[derive(Clone)]
pub struct Sender {
    http: Client<HttpsConnector<Connector>, Full<Bytes>>,
    connector: Connector,
    limit: Duration,
    receiver: Option<Arc<dyn Receive>>,
}

impl Sender {
    /// A client that uses the system's resolver.
    pub fn new(policy: &Policy) -> Self {
        let policy = policy.clone();
        let allowed: Allowed = Arc::new(move |address| policy.is_allowed(address));
        Self::with_connector(Connector::new(Arc::new(SystemResolver), allowed))
    }

    /// A client with the given connector.
    pub fn with_connector(connector: Connector) -> Self {
        let https = HttpsConnectorBuilder::new().with_webpki_roots().https_or_http().enable_http1();
        let mut client = Client::builder(TokioExecutor::new());
        client.pool_timer(TokioTimer::new()).pool_max_idle_per_host(IDLE).pool_idle_timeout(IDLE_TIME);
        client.http1_max_buf_size(HEAD).http1_max_headers(HEADERS);
        Self {
            http: client.build(https.wrap_connector(connector.clone())),
            connector,
            limit: TRY_TIME,
            receiver: None,
        }
    }

    /// The same client, with all calls answered in place of the network.
    pub fn answered_by(self, receiver: Arc<dyn Receive>) -> Self {
        Self { receiver: Some(receiver), ..self }
    }

    /// The time by which receivers tell whether a call is fresh, and name dates: the machine's, also while the test clock stands.
    /// Whoever takes the network's place goes by the test clock, `at`.
    pub fn receiver_time(&self, at: Timestamp) -> Timestamp {
        if self.receiver.is_some() { at } else { Clock::wall_time() }
    }

    /// The underlying client.
    pub fn http_client(&self) -> &Client<HttpsConnector<Connector>, Full<Bytes>> {
        &self.http
    }

    /// Whether a host is known to lead to no allowed address. A name that cannot be resolved now may be resolvable
    /// later.
    pub async fn is_forbidden_host(&self, host: &str) -> bool {
        let looked = tokio::time::timeout(self.limit, self.connector.allowed_addresses(host)).await;
        matches!(looked, Ok(Err(error)) if error.kind() == io::ErrorKind::PermissionDenied)
    }

    /// Posts `body` to `url`; `now` is for a `Retry-After` that names a date.
    ///
    /// # Errors
    /// One phrase, if there is no response in time.
    pub async fn post(
        &self,
        url: &str,
        headers: &[(&'static str, String)],
        body: Bytes,
        now: Timestamp,
    ) -> Result<Reply, String> {
        let mut request = Request::post(url)
            .header(CONTENT_TYPE, "application/json")
            .header(USER_AGENT, concat!("stipend/", env!("CARGO_PKG_VERSION")));
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let request = request.body(body).map_err(|error| format!("the request cannot be built: {error}"))?;
        let (head, start) = match &self.receiver {
            Some(receiver) => receiver.respond_to(&request)?.into_parts(),
            None => self.send_request(request).await?,
        };
        let text = String::from_utf8_lossy(&start);
        Ok(Reply {
            status: head.status.as_u16(),
            start: text.chars().filter(|c| *c == '\n' || !c.is_control()).take(KEPT).collect(),
            retry_after: if head.status.is_success() { 0 } else { retry_after(&head.headers, now) },
        })
    }

    /// Makes the call; returns the head of the response and the beginning of its body.
    async fn send_request(&self, request: Request<Bytes>) -> Result<(Parts, Bytes), String> {
        let end = tokio::time::Instant::now() + self.limit;
        let late = || format!("no answer within {} s", self.limit.as_secs());
        let answered = tokio::time::timeout_at(end, self.http.request(request.map(Full::new)));
        let (head, body) =
            answered.await.map_err(|_| late())?.map_err(|error| innermost_cause(&error))?.into_parts();
        let mut start = Vec::new();
        // The status is what counts; a body that does not end in time changes nothing.
        tokio::time::timeout_at(end, read_start(body, &mut start)).await.ok();
        Ok((head, start.into()))
    }
}

/// Reads the body, so that the connection can be reused, and keeps its beginning.
async fn read_start(mut body: Incoming, start: &mut Vec<u8>) {
    let mut read = 0;
    while let Some(Ok(frame)) = body.frame().await {
        let Some(data) = frame.data_ref() else { continue };
        read += data.len();
        let room = (KEPT * 4).saturating_sub(start.len());
        start.extend_from_slice(&data[..data.len().min(room)]);
        if read > READ {
            return; // the rest is not read: the connection is closed
        }
    }
}

/// Seconds, or an HTTP date; in milliseconds, of which [`rules::retry`] takes no more than it may wait.
fn retry_after(headers: &HeaderMap, now: Timestamp) -> i64 {
    let Some(text) = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()) else { return 0 };
    let text = text.trim();
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        return i64::from(text.parse::<u32>().unwrap_or(u32::MAX)) * 1_000;
    }
    http_date(text, now).map_or(0, |until| (until.as_millisecond() - now.as_millisecond()).max(0))
}

/// The moment of a date in one of the three forms that a recipient must read (RFC 9110, section 5.6.7).
fn http_date(text: &str, now: Timestamp) -> Option<Timestamp> {
    if let Ok(until) = jiff::fmt::rfc2822::parse(text) {
        return Some(until.timestamp());
    }
    // asctime: a day of one digit stands behind a blank.
    let asctime = jiff::fmt::strtime::parse("%a %b %e %H:%M:%S %Y", text).and_then(|read| read.to_datetime());
    if let Ok(until) = asctime {
        return until.to_zoned(TimeZone::UTC).ok().map(|until| until.timestamp());
    }
    // RFC 850: the year has two digits, and lies no more than fifty years ahead.
    let until = jiff::fmt::strtime::parse("%A, %d-%b-%y %H:%M:%S GMT", text)
        .and_then(|read| read.to_datetime())
        .ok()?;
    let years = now.to_zoned(TimeZone::UTC).year();
    let year = years - years.rem_euclid(100) + until.year().rem_euclid(100);
    let year = if year > years + 50 { year - 100 } else { year };
    let until = until.with().year(year).build().ok()?;
    until.to_zoned(TimeZone::UTC).ok().map(|until| until.timestamp())
}

/// The innermost cause in one phrase, which is shown to the application's developer.
fn innermost_cause(error: &hyper_util::client::legacy::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    let what = if error.is_connect() { "no connection" } else { "no answer" };
    format!("{what}: {cause}").chars().filter(|c| !c.is_control()).take(KEPT).collect()
}

#[cfg(test)]
#[path = "client_tests.rs"]
mod tests;
