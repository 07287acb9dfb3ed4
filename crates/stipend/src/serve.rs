//! Connections: accepting them, bounding them, and letting the last ones finish.
//!
//! HTTP/1.1 with a bound on connections, on the size and number of headers, and on the time in which they must
//! arrive, so that a slow or hostile client holds nothing for long. On SIGTERM or SIGINT nothing new is accepted,
//! what is running has ten seconds to finish, and the process ends well.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{Semaphore, watch};
use tower::Service;

/// How long a client may take over its headers, and keep an idle connection.
const HEADER_TIME: Duration = Duration::from_secs(30);
/// Bytes of a request's head at the most.
const HEAD: usize = 32 << 10;
/// Header lines at the most.
const HEADERS: usize = 100;
/// How long running requests have to finish when the service stops.
const GRACE: Duration = Duration::from_secs(10);

/// Serves until `stop` says so, and then until the last request is finished or its time is up.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    connections: usize,
    mut stop: watch::Receiver<bool>,
) {
    let graceful = GracefulShutdown::new();
    let room = Arc::new(Semaphore::new(connections));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEADER_TIME).max_buf_size(HEAD).max_headers(HEADERS);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stop.changed() => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // No file descriptor left, most likely: give the others time to close.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        // A connection beyond the bound is closed at once: the client hears "try again", not silence.
        let Ok(place) = Arc::clone(&room).try_acquire_owned() else { continue };
        stream.set_nodelay(true).ok();
        let router = router.clone();
        let service = service_fn(move |request| answer(router.clone(), request, peer));
        let connection = graceful.watch(http.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async move {
            // A client that breaks off is its own affair.
            connection.await.ok();
            drop(place);
        });
    }
    drop(listener);
    if tokio::time::timeout(GRACE, graceful.shutdown()).await.is_err() {
        tracing::warn!("some requests did not finish within {} s", GRACE.as_secs());
    }
}

async fn answer(
    mut router: Router,
    mut request: Request<Incoming>,
    peer: SocketAddr,
) -> Result<axum::response::Response, Infallible> {
    request.extensions_mut().insert(ConnectInfo(peer));
    router.call(request.map(Body::new)).await
}

/// Becomes true when the process is asked to stop.
///
/// # Errors
/// When the signals cannot be listened to.
pub fn stop_signal() -> std::io::Result<watch::Receiver<bool>> {
    let (tell, told) = watch::channel(false);
    let (mut term, mut int) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    tokio::spawn(async move {
        tokio::select! {
            _ = term.recv() => {}
            _ = int.recv() => {}
        }
        tell.send(true).ok();
    });
    Ok(told)
}
