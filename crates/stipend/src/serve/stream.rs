//! A connection that waits only so long for a reader that does not take an answer, and says where a request cannot be read
//! in one way alone ([`Framing`]).

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use store::Clock;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

use super::framing::Framing;

/// How many times its patience an answer may take in all, while something of it is taken again and again.
const IN_ALL: u32 = 20;

/// See the module.
pub struct Stream {
    inner: TcpStream,
    framing: Framing,
    /// how long nothing of an answer may be taken
    patience: Duration,
    /// since when there is something to write, and when something of it was taken last
    writing: Option<(Duration, Duration)>,
    timer: Option<Pin<Box<Sleep>>>,
}

impl Stream {
    /// Something of an answer has to be taken within `patience`, and all of it within twenty times that.
    pub fn new(inner: TcpStream, patience: Duration) -> Self {
        Self { inner, framing: Framing::default(), patience, writing: None, timer: None }
    }

    /// What a write came to, or the end of the patience.
    fn taken(&mut self, cx: &mut Context<'_>, wrote: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
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
        // What the system still holds for this client goes with the connection.
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
        self.framing.watch(&mut buf.filled_mut()[before..]);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.inner).poll_write(cx, bytes);
        self.taken(cx, wrote)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.inner).poll_write_vectored(cx, parts);
        self.taken(cx, wrote)
    }

    // Without it a large answer would be copied beside itself before it is written.
    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.inner).poll_flush(cx))?;
        // All that was written is with the system: the next answer has its own time.
        (self.writing, self.timer) = (None, None);
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}
