//! Connections: accepting them, bounding them, and letting the last ones finish.
//!
//! HTTP/1.1 with limits on connections, in total and per client, on the size and number of headers, on the time in
//! which they must arrive, and on the time in which a response must be read, so that a slow or hostile client holds
//! nothing for long. A request that could be parsed in two ways is refused ([`framing`]). On SIGTERM or SIGINT no new
//! connections are accepted, running requests have eight seconds to finish, and the process exits successfully; if
//! something waits for a disk that does not answer, it exits after ten all the same.

mod framing;
mod partner;
mod places;
mod stream;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{StatusCode, Version, header};
use axum::response::{IntoResponse, Response};
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tower::Service;

use self::places::{Full, Places};
use self::stream::Stream;
use interface::config::Settings;
use interface::http::MalformedHead;
use interface::shares;

/// How long a client may take over its headers, and keep an idle connection.
const HEADER_TIME: Duration = Duration::from_secs(30);
/// Maximum bytes of a request's head.
const HEAD: usize = 32 << 10;
/// Maximum number of header lines.
const HEADERS: usize = 100;
/// How long running requests have to finish when the service stops.
const GRACE: Duration = Duration::from_secs(8);
/// When a process that was asked to stop ends, whatever still waits.
const END: Duration = Duration::from_millis(9_500);
/// The exit code of a process that ended without finishing, as after an I/O error.
const UNFINISHED: i32 = 74;
/// How long the last line of the log has to be written.
const LAST_LINE: Duration = Duration::from_millis(50);
/// How long a client that asks whether the service lives may take over its headers, on a connection beyond the limits.
const SPARE_TIME: Duration = Duration::from_secs(2);
/// Why a connection is closed without a response.
const NO_PLACE: &str = "all connections are taken";
/// What is answered on connections beyond the limits.
const ON_SPARE: [&str; 2] = ["/healthz", "/readyz"];

/// The limits of clients.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// concurrent connections
    pub connections: usize,
    /// concurrent connections per network address; 0 for no limit
    pub per_address: usize,
    /// how long a client may read nothing of a response
    pub answer_time: Duration,
    /// whether URLs of a partner's proxy are served, too
    pub as_partner: bool,
}

impl Terms {
    /// The limits according to the settings. Behind a proxy, and on a developer's machine, all connections come from
    /// one address.
    pub fn from_settings(settings: &Settings) -> Self {
        let shared = settings.behind_proxy || settings.dev;
        Self {
            connections: settings.connections,
            per_address: if shared { 0 } else { per_address(settings) },
            answer_time: Duration::from_secs(settings.answer_seconds),
            as_partner: settings.dev,
        }
    }
}

/// The limit on connections of one network address: at most a quarter of all, so that one client leaves room for others.
fn per_address(settings: &Settings) -> usize {
    settings.connections_per_address.min(shares::share_per_client(settings.connections))
}

/// Serves until `stop`, and then until the last request is finished or its time is up.
pub async fn serve_connections(
    listener: TcpListener,
    router: Router,
    terms: Terms,
    mut stop: watch::Receiver<bool>,
) {
    let graceful = GracefulShutdown::new();
    let (places, spare) = (Places::new(terms.connections, terms.per_address), places::spare_slots());
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEADER_TIME).max_buf_size(HEAD).max_headers(HEADERS);
    let mut spare_http = http.clone();
    spare_http.header_read_timeout(SPARE_TIME).keep_alive(false);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stop.changed() => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Most likely the process has run out of file descriptors: give other connections time to close.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        // A connection beyond the limit is closed at once, so that the client can retry instead of waiting, unless it may
        // be somebody who asks whether the service lives.
        let (place, is_spare) = match places.take_slot(peer.ip()) {
            Ok(place) => (place, false),
            Err(full) => {
                let reason = if full == Full::All { "all taken" } else { "address" };
                metrics::counter!("connections_cut_total", "reason" => reason).increment(1);
                let Ok(place) = spare.take_slot(peer.ip()) else { continue };
                (place, true)
            }
        };
        stream.set_nodelay(true).ok();
        let router = router.clone();
        let service = service_fn(move |request: Request<Incoming>| {
            let router = router.clone();
            async move {
                if is_spare && !ON_SPARE.contains(&request.uri().path()) {
                    return Err(NO_PLACE);
                }
                answer_request(router, request, peer, terms.as_partner).await
            }
        });
        let (http, patience) = if is_spare { (&spare_http, SPARE_TIME) } else { (&http, terms.answer_time) };
        let stream = TokioIo::new(Stream::new(stream, patience));
        let connection = graceful.watch(http.serve_connection(stream, service));
        tokio::spawn(async move {
            // A client that disconnects is not an error of the service.
            connection.await.ok();
            drop(place);
        });
    }
    drop(listener);
    if tokio::time::timeout(GRACE, graceful.shutdown()).await.is_err() {
        tracing::warn!("some requests did not finish within {} s", GRACE.as_secs());
    }
}

async fn answer_request(
    mut router: Router,
    mut request: Request<Incoming>,
    peer: SocketAddr,
    as_partner: bool,
) -> Result<Response, &'static str> {
    // The library keeps reading for a while beyond its configured limit.
    if size_of_head(&request) > HEAD {
        let close = [(header::CONNECTION, "close")];
        return Ok((StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, close).into_response());
    }
    if let Some(fault) = fault_of_host(&request) {
        request.extensions_mut().insert(MalformedHead(fault));
    }
    request.extensions_mut().insert(ConnectInfo(peer));
    if as_partner {
        request = partner::sent_on(request);
    }
    Ok(router.call(request.map(Body::new)).await.unwrap_or_else(|never: Infallible| match never {}))
}

/// The approximate size of a request's head.
fn size_of_head<B>(request: &Request<B>) -> usize {
    let target = request.uri().path_and_query().map_or(0, |target| target.as_str().len());
    let lines = request.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + 4);
    request.method().as_str().len() + target + lines.sum::<usize>()
}

/// What is wrong with the Host header. Given two, a proxy may have used the other one.
fn fault_of_host<B>(request: &Request<B>) -> Option<&'static str> {
    match request.headers().get_all(header::HOST).iter().count() {
        0 if request.version() == Version::HTTP_11 => Some("The request needs a Host header."),
        0 | 1 => None,
        _ => Some("The request carries more than one Host header."),
    }
}

/// Memory contains keys and decrypted fields: core files are disabled, and other processes of this user may not inspect
/// it.
pub fn keep_memory_to_itself() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) }).ok();
    #[cfg(target_os = "linux")]
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable).ok();
}

/// Memory is allocated in pages of 4 kB: with huge pages of 2 MB an idle process held twice as much as it used, without
/// being any faster.
pub fn take_memory_in_small_pages() {
    #[cfg(target_os = "linux")]
    rustix::thread::disable_transparent_huge_pages(true).ok();
}

/// Becomes true when the process is asked to stop.
///
/// # Errors
/// If the signal handlers cannot be installed.
pub fn stop_signal() -> std::io::Result<watch::Receiver<bool>> {
    let (tell, stopping) = watch::channel(false);
    let (mut term, mut int) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    // Closing the terminal also lets requests in progress finish.
    let mut hang_up = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        tokio::select! {
            _ = term.recv() => {}
            _ = int.recv() => {}
            _ = hang_up.recv() => {}
        }
        end_in_time();
        tell.send(true).ok();
    });
    Ok(stopping)
}

/// Ends the process when its time is up, on a thread that waits for nothing else: a thread in a call to a hung disk
/// cannot be interrupted, and the end of the process waits for it otherwise.
#[expect(
    clippy::exit,
    reason = "what still waits then may wait for ever; a killed process loses nothing that was acknowledged"
)]
fn end_in_time() {
    let ended = std::thread::Builder::new().name("end".to_owned()).spawn(|| {
        std::thread::sleep(END);
        tracing::error!("the process was asked to stop, and something still waits, perhaps for a disk that does not answer; it ends now");
        std::thread::sleep(LAST_LINE);
        std::process::exit(UNFINISHED)
    });
    if let Err(error) = ended {
        tracing::warn!(%error, "no thread could be started that ends the process in time");
    }
}

/// Lets a write beyond a limit on the size of files fail, as on a full disk, instead of ending the process.
///
/// # Errors
/// If the signal handler cannot be installed.
pub fn meet_file_size_limit() -> std::io::Result<()> {
    signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw())).map(drop)
}

/// Warns if the process may not let files grow as large as the disk has room for.
pub fn warn_of_file_size_limit() {
    use rustix::process::{Resource, getrlimit};
    if let Some(bytes) = getrlimit(Resource::Fsize).current {
        tracing::warn!(
            bytes,
            "a limit on the size of files applies to this process (ulimit -f): when the store or its log reaches it, changes are refused as on a full disk"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn nobody_else_looks_into_the_memory_of_the_process() {
        use rustix::process::{DumpableBehavior, dumpable_behavior};
        keep_memory_to_itself();
        assert_eq!(dumpable_behavior().unwrap(), DumpableBehavior::NotDumpable);
    }

    #[test]
    fn a_head_is_as_large_as_what_it_says() {
        let request = Request::get("/v1/events?page=2").header("host", "payroll.example").body(()).unwrap();
        assert_eq!(size_of_head(&request), "GET/v1/events?page=2host: payroll.example\r\n".len());
    }
}
