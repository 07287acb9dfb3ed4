//! A connection that waits only for a limited time for a reader that does not read a response, and detects requests
//! that can be parsed in more than one way ([`Framing`]).

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use store::Clock;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

use super::framing::Framing;

/// Within how many times the client's patience all of a response must be read, even if some of it is read again and
/// again.
const IN_ALL: u32 = 20;

/// See the module.
pub struct Stream {
    inner: TcpStream,
    framing: Framing,
    /// how long a response may go unread
    patience: Duration,
    /// since when there is something to write, and when some of it was last read
    writing: Option<(Duration, Duration)>,
    timer: Option<Pin<Box<Sleep>>>,
}

impl Stream {
    /// Some of a response must be read within `patience`, and all of it within twenty times that.
    pub fn new(inner: TcpStream, patience: Duration) -> Self {
        Self { inner, framing: Framing::default(), patience, writing: None, timer: None }
    }

    /// The result of a write, or a timeout.
    fn check_write_progress(
        &mut self,
        cx: &mut Context<'_>,
        wrote: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let now = Clock::monotonic();
        let (since, last) = self.writing.get_or_insert((now, now));
        if let Poll::Ready(wrote) = wrote {
            *last = now;
            self.timer = None;
            return Poll::Ready(wrote);
        }
        let left = (*last + self.patience).min(*since + IN_ALL * self.patience).saturating_sub(now);
        let timer = self.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep(left)));
        ready!(timer.as_mut().poll(cx));
        metrics::counter!("connections_cut_total", "reason" => "slow reader").increment(1);
        // What the system still buffers for this client is discarded with the connection.
        self.inner.set_zero_linger().ok();
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(cx, buf))?;
        self.framing.check_bytes(&mut buf.filled_mut()[before..]);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.inner).poll_write(cx, bytes);
        self.check_write_progress(cx, wrote)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.inner).poll_write_vectored(cx, parts);
        self.check_write_progress(cx, wrote)
    }

    // Without vectored writes a large response would be copied before it is written.
    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.inner).poll_flush(cx))?;
        // Everything written was handed to the system: the next response gets its own time limit.
        (self.writing, self.timer) = (None, None);
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}
