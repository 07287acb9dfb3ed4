//! The connection to a server: a blocking socket, plain or with TLS.
//!
//! The driver performs the handshake (TLS, authentication, parameters), which is complex and rare and must be right. It
//! does not return its socket, so it gets a shared one; afterwards the driver is dropped, and the session uses the
//! socket alone. A session is a thread that waits for each answer: a blocking socket costs it one system call to send
//! and one to receive, where an async runtime would add readiness polling and timers.

use std::future::Future;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::config::Host;
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_postgres::{Config, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::Clock;

/// The port of a server whose address has none.
const PORT: u16 = 5432;
/// How long a connection may be idle before the system sends keepalive probes.
const REST: Duration = Duration::from_secs(10);

enum Kind {
    Tcp(TcpStream),
    Unix(UnixStream),
}

/// A connected socket.
struct Socket(Kind);

impl Socket {
    /// Connects to one host; tries each of its addresses for half of `patience`.
    fn connect(config: &Config, patience: Duration, vanished: Duration) -> io::Result<Self> {
        let port = config.get_ports().first().copied().unwrap_or(PORT);
        let addresses: Vec<SocketAddr> = match (config.get_hostaddrs().first(), config.get_hosts().first()) {
            (Some(address), _) => vec![SocketAddr::new(*address, port)],
            (None, Some(Host::Tcp(name))) => (name.as_str(), port).to_socket_addrs()?.collect(),
            (None, Some(Host::Unix(folder))) => {
                return UnixStream::connect(folder.join(format!(".s.PGSQL.{port}")))
                    .map(Kind::Unix)
                    .map(Self);
            }
            (None, None) => Vec::new(),
        };
        let mut failed = io::Error::new(ErrorKind::NotFound, "the name of the host has no address");
        // Half of the time each, so that a second address of the name can be tried.
        for address in addresses {
            match TcpStream::connect_timeout(&address, patience / 2) {
                Ok(stream) => {
                    stream.set_nodelay(true)?;
                    if config.get_keepalives() {
                        use rustix::net::sockopt;
                        sockopt::set_socket_keepalive(&stream, true)?;
                        sockopt::set_tcp_keepidle(&stream, REST)?;
                        // A server that vanishes without closing is noticed after about twice a unit's time limit.
                        #[cfg(target_os = "linux")]
                        sockopt::set_tcp_user_timeout(
                            &stream,
                            u32::try_from(vanished.as_millis()).unwrap_or(u32::MAX),
                        )?;
                    }
                    return Ok(Self(Kind::Tcp(stream)));
                }
                Err(error) => failed = error,
            }
        }
        Err(failed)
    }

    fn limit_silence(&self, limit: Option<Duration>) -> io::Result<()> {
        match &self.0 {
            Kind::Tcp(stream) => {
                stream.set_read_timeout(limit).and_then(|()| stream.set_write_timeout(limit))
            }
            Kind::Unix(stream) => {
                stream.set_read_timeout(limit).and_then(|()| stream.set_write_timeout(limit))
            }
        }
    }

    fn read_bytes(&self, into: &mut [u8]) -> io::Result<usize> {
        retry_interrupted(|| match &self.0 {
            Kind::Tcp(stream) => (&mut &*stream).read(into),
            Kind::Unix(stream) => (&mut &*stream).read(into),
        })
    }

    fn write_bytes(&self, bytes: &[u8]) -> io::Result<usize> {
        retry_interrupted(|| match &self.0 {
            Kind::Tcp(stream) => (&mut &*stream).write(bytes),
            Kind::Unix(stream) => (&mut &*stream).write(bytes),
        })
    }
}

/// Repeats a system call that was interrupted, and reports a timeout as such.
fn retry_interrupted(mut call: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match call() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            // The caller would interpret this error as "not ready yet".
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                return Err(io::Error::new(ErrorKind::TimedOut, "the server stopped responding"));
            }
            done => return done,
        }
    }
}

/// A socket as the driver and TLS expect it. It reports "pending" once before each read: TLS keeps reading until nothing
/// more is available, even after it has what it needs, and would block forever.
struct Yielding {
    socket: Arc<Socket>,
    gave_way: bool,
}

impl AsyncRead for Yielding {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.gave_way = !self.gave_way;
        if self.gave_way {
            return Poll::Pending;
        }
        let read = self.socket.read_bytes(into.initialize_unfilled())?;
        into.advance(read);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Yielding {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(self.socket.write_bytes(bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// A stream that is lent to the driver.
struct Lent<S>(Arc<Mutex<S>>);

impl<S> Lent<S> {
    fn new(stream: S) -> Self {
        Self(Arc::new(Mutex::new(stream)))
    }

    fn lock_stream(&self) -> MutexGuard<'_, S> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S> Clone for Lent<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Lent<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.lock_stream()).poll_read(cx, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Lent<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.lock_stream()).poll_write(cx, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.lock_stream()).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.lock_stream()).poll_shutdown(cx)
    }
}

impl<S: TlsStream + Unpin> TlsStream for Lent<S> {
    fn channel_binding(&self) -> ChannelBinding {
        self.lock_stream().channel_binding()
    }
}

type Raw = Lent<Yielding>;
type Connector = <MakeRustlsConnect as MakeTlsConnect<Raw>>::TlsConnect;
type Secured = <MakeRustlsConnect as MakeTlsConnect<Raw>>::Stream;
type Refused = <Connector as TlsConnect<Raw>>::Error;

/// Performs the TLS handshake as the connector does, and keeps the resulting connection.
struct Keeping {
    connector: Connector,
    kept: Arc<Mutex<Option<Lent<Secured>>>>,
}

impl TlsConnect<Raw> for Keeping {
    type Stream = Lent<Secured>;
    type Error = Refused;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Stream, Self::Error>> + Send>>;

    fn connect(self, stream: Raw) -> Self::Future {
        let Self { connector, kept } = self;
        let secured = connector.connect(stream);
        Box::pin(async move {
            let secured = Lent::new(secured.await?);
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(secured.clone());
            Ok(secured)
        })
    }
}

/// A connection on which a server has accepted a session.
pub(super) struct Line {
    socket: Arc<Socket>,
    /// `None` if the connection is not encrypted
    secured: Option<Lent<Secured>>,
}

impl Read for Line {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.receive_bytes(into)
    }
}

impl Line {
    /// Connects to a host and performs the handshake, within `patience` each; afterwards the server may be silent for
    /// `limit`.
    pub fn open_line(
        config: &Config,
        tls: Option<&MakeRustlsConnect>,
        patience: Duration,
        limit: Duration,
    ) -> Result<Self, String> {
        let socket =
            Socket::connect(config, patience, limit * 2).map_err(|e| format!("cannot connect: {e}"))?;
        socket.limit_silence(Some(patience)).map_err(|e| e.to_string())?;
        let socket = Arc::new(socket);
        let raw = Lent::new(Yielding { socket: Arc::clone(&socket), gave_way: false });
        let kept = Arc::new(Mutex::new(None));
        let met = match tls {
            None => at_once(config.connect_raw(raw, NoTls), patience).map(|met| met.map(drop)),
            Some(tls) => {
                let name = match config.get_hosts().first() {
                    Some(Host::Tcp(name)) => name.clone(),
                    _ => config.get_hostaddrs().first().map(ToString::to_string).unwrap_or_default(),
                };
                let connector = MakeTlsConnect::<Raw>::make_tls_connect(&mut tls.clone(), &name);
                let connector = connector.map_err(|e| format!("TLS cannot begin: {e}"))?;
                let keeping = Keeping { connector, kept: Arc::clone(&kept) };
                at_once(config.connect_raw(raw, keeping), patience).map(|met| met.map(drop))
            }
        };
        match met {
            Some(met) => met.map_err(|e| super::error_chain(&e))?,
            None => return Err("the server did not answer in time".to_owned()),
        }
        let secured = kept.lock().unwrap_or_else(PoisonError::into_inner).take();
        let line = Self { socket, secured };
        line.limit_silence(Some(limit)).map_err(|e| e.to_string())?;
        Ok(line)
    }

    /// Limits how long the server may be silent; `None` for no limit.
    pub fn limit_silence(&self, limit: Option<Duration>) -> io::Result<()> {
        self.socket.limit_silence(limit)
    }

    /// Receives some bytes; returns 0 once the server has closed the connection.
    fn receive_bytes(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let Some(secured) = &self.secured else { return self.socket.read_bytes(into) };
        let mut secured = secured.lock_stream();
        let mut into = ReadBuf::new(into);
        let mut cx = Context::from_waker(Waker::noop());
        loop {
            if let Poll::Ready(read) = Pin::new(&mut *secured).poll_read(&mut cx, &mut into) {
                return read.map(|()| into.filled().len());
            }
        }
    }

    /// Sends all bytes.
    pub fn send_bytes(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        let mut cx = Context::from_waker(Waker::noop());
        while !bytes.is_empty() {
            let sent = match &self.secured {
                None => self.socket.write_bytes(bytes)?,
                Some(secured) => match Pin::new(&mut *secured.lock_stream()).poll_write(&mut cx, bytes) {
                    Poll::Ready(sent) => sent?,
                    Poll::Pending => 0,
                },
            };
            bytes = &bytes[sent..];
        }
        let Some(secured) = &self.secured else { return Ok(()) };
        let mut secured = secured.lock_stream();
        loop {
            if let Poll::Ready(flushed) = Pin::new(&mut *secured).poll_flush(&mut cx) {
                return flushed;
            }
        }
    }
}

/// Polls a future that waits only on blocking sockets; `None` if it takes longer than `patience`.
fn at_once<T>(
    future: impl Future<Output = Result<T, tokio_postgres::Error>>,
    patience: Duration,
) -> Option<Result<T, tokio_postgres::Error>> {
    let begun = Clock::monotonic();
    let mut future = std::pin::pin!(future);
    let mut cx = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(done) = future.as_mut().poll(&mut cx) {
            return Some(done);
        }
        if Clock::monotonic() - begun > patience {
            return None;
        }
    }
}
