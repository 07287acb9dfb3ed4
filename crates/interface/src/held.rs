//! The memory budget shared by request bodies being received and responses being sent.
//!
//! A client decides how fast it sends and reads, so without a bound many slow clients would decide how much memory the
//! service needs. Bytes are counted as they arrive, not as they are announced, and until they are dropped: a response
//! until its last byte has been handed to the operating system. Each client has its share ([`shares`](crate::shares)).

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::{Method, header};
use axum::response::{IntoResponse, Response};
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt;

use crate::error::Error;
use crate::http::is_json;
use crate::shares::{Client, Shares};

/// Maximum bytes of a JSON body.
const LARGEST: usize = 1 << 20;
/// How long a JSON body may take to arrive.
const BODY_TIME: Duration = Duration::from_secs(10);
/// A body's initial reservation in bytes; it doubles from there.
const FIRST: usize = 1 << 10;

/// The memory budget.
#[derive(Debug)]
pub struct Budget {
    most: usize,
    held: AtomicUsize,
    shares: Shares,
}

/// A reservation, which is released when it is dropped.
#[derive(Debug)]
pub struct Held {
    budget: Arc<Budget>,
    client: Client,
    bytes: usize,
}

impl Budget {
    /// A budget of this many bytes.
    pub fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, held: AtomicUsize::new(0), shares: Shares::with_total(most) })
    }

    /// Reserved bytes.
    pub fn reserved_bytes(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    /// Reserves this many bytes for a client, if there is room or the reservation is mandatory.
    ///
    /// # Errors
    /// 503 if the budget or the client's share of it is exhausted.
    pub fn reserve_bytes(
        self: &Arc<Self>,
        client: &Client,
        bytes: usize,
        anyway: bool,
    ) -> Result<Held, Error> {
        let mut held = Held { budget: Arc::clone(self), client: *client, bytes: 0 };
        held.grow_reservation(bytes, anyway).map(|()| held)
    }
}

impl Held {
    fn grow_reservation(&mut self, more: usize, anyway: bool) -> Result<(), Error> {
        if more == 0 {
            return Ok(());
        }
        let before = self.budget.held.fetch_add(more, Ordering::Relaxed);
        let fits = anyway || before.saturating_add(more) <= self.budget.most;
        if !fits || !self.budget.shares.take_share(&self.client, self.bytes, more, anyway) {
            self.budget.held.fetch_sub(more, Ordering::Relaxed);
            metrics::counter!("held_refused_total").increment(1);
            return Err(Error::NoRoom);
        }
        self.bytes += more;
        Ok(())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.bytes > 0 {
            self.budget.held.fetch_sub(self.bytes, Ordering::Relaxed);
            self.budget.shares.give_back(&self.client, self.bytes);
        }
    }
}

/// Bytes with their reservation.
struct Kept<T> {
    bytes: T,
    _held: Held,
}

impl<T: AsRef<[u8]>> AsRef<[u8]> for Kept<T> {
    fn as_ref(&self) -> &[u8] {
        self.bytes.as_ref()
    }
}

/// The JSON body of a request; nothing for a request that only reads, unless its operation takes a body.
///
/// # Errors
/// 413, 415, 400, 408 if it did not arrive in time, 503 if there is no memory for it.
pub async fn read_json_body(
    budget: &Arc<Budget>,
    client: &Client,
    request: &mut Request,
    takes_a_body: bool,
) -> Result<Bytes, Error> {
    if matches!(*request.method(), Method::GET | Method::HEAD) && !takes_a_body {
        return Ok(Bytes::new());
    }
    let body = receive_body((budget, client), request, LARGEST, BODY_TIME).await?;
    if is_json(request.headers()) || body.is_empty() { Ok(body) } else { Err(Error::NotJson) }
}

/// The body of a request, of at most this many bytes, which must arrive within this time.
///
/// # Errors
/// 413, 400, 408 if it did not arrive in time, 503 if there is no memory for it.
pub async fn receive_body(
    (budget, client): (&Arc<Budget>, &Client),
    request: &mut Request,
    largest: usize,
    time: Duration,
) -> Result<Bytes, Error> {
    let declared =
        request.headers().get(header::CONTENT_LENGTH).and_then(|v| v.to_str().ok()?.parse::<u64>().ok());
    if declared.is_some_and(|length| length > largest as u64) {
        return Err(Error::TooLarge(largest));
    }
    let body = std::mem::replace(request.body_mut(), Body::empty());
    let collected =
        tokio::time::timeout(time, collect_body(budget.reserve_bytes(client, 0, false)?, body, largest))
            .await;
    collected.unwrap_or(Err(Error::TooSlow))
}

/// The whole body in one piece: many small pieces would take a multiple of its size.
async fn collect_body(mut held: Held, mut body: Body, largest: usize) -> Result<Bytes, Error> {
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Error::Unreadable("The body could not be read.".to_owned()))?;
        let Ok(piece) = frame.into_data() else { continue };
        let length = bytes.len() + piece.len();
        if length > largest {
            return Err(Error::TooLarge(largest));
        }
        if length > held.bytes {
            let room = length.next_power_of_two().max(FIRST);
            held.grow_reservation(room - held.bytes, false)?;
            bytes.reserve_exact(room - bytes.len());
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(if bytes.is_empty() { Bytes::new() } else { Bytes::from_owner(Kept { bytes, _held: held }) })
}

/// A response whose bytes are counted until the last of them is sent. If the budget is exhausted and the request can be
/// repeated (`again`), a refusal takes its place.
pub fn track_response(budget: &Arc<Budget>, client: &Client, response: Response, again: bool) -> Response {
    let length = response.body().size_hint().lower();
    if length == 0 {
        return response;
    }
    let held = match budget.reserve_bytes(client, usize::try_from(length).unwrap_or(usize::MAX), !again) {
        Ok(held) => held,
        Err(error) => return error.into_response(),
    };
    response.map(|body| Body::new(Counted { body, held: Some(held) }))
}

/// The body of a response, in one piece, with its reservation, which is released when the connection has written it.
struct Counted {
    body: Body,
    held: Option<Held>,
}

impl HttpBody for Counted {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        Poll::Ready(frame.map(|frame| {
            frame.map(|frame| {
                frame.map_data(|bytes| match self.held.take() {
                    Some(held) => Bytes::from_owner(Kept { bytes, _held: held }),
                    None => bytes,
                })
            })
        }))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;

    use super::*;

    fn client(last: u8) -> Client {
        Client::at_address([192, 0, 2, last].into())
    }

    fn post(body: Body) -> Request {
        let request = Request::post("/").header(header::CONTENT_TYPE, "application/json");
        request.body(body).unwrap()
    }

    #[tokio::test]
    async fn a_body_counts_while_it_is_held_and_not_longer() {
        let budget = Budget::new(5_000);
        let body = read_json_body(&budget, &client(1), &mut post(Body::from(vec![b' '; 3_000])), false)
            .await
            .unwrap();
        assert_eq!((body.len(), budget.reserved_bytes()), (3_000, 4_096));
        let more = read_json_body(&budget, &client(2), &mut post(Body::from(vec![b' '; 1_000])), false).await;
        assert!(matches!(more, Err(Error::NoRoom)));
        drop(body);
        assert_eq!(budget.reserved_bytes(), 0);
    }

    #[tokio::test]
    async fn an_answer_counts_until_its_bytes_are_gone() {
        let budget = Budget::new(1_000);
        let answer = |length: usize| Response::new(Body::from(vec![b'x'; length]));
        let first = track_response(&budget, &client(1), answer(800), true);
        assert_eq!(
            track_response(&budget, &client(2), answer(300), true).status(),
            StatusCode::SERVICE_UNAVAILABLE
        );
        assert_eq!(
            track_response(&budget, &client(2), answer(300), false).status(),
            StatusCode::OK,
            "a change is told"
        );
        let bytes = first.into_body().collect().await.unwrap().to_bytes();
        assert_eq!((bytes.len(), budget.reserved_bytes()), (800, 800));
        drop(bytes);
        assert_eq!(budget.reserved_bytes(), 0);
    }

    #[tokio::test]
    async fn bodies_of_one_client_leave_room_for_those_of_others() {
        let budget = Budget::new(4 << 20);
        let mut kept = Vec::new();
        let body = || post(Body::from(vec![b' '; 100_000]));
        while let Ok(more) = read_json_body(&budget, &client(1), &mut body(), false).await {
            kept.push(more);
        }
        assert_eq!((kept.len(), budget.reserved_bytes()), (8, 1 << 20), "a quarter");
        assert!(read_json_body(&budget, &client(2), &mut body(), false).await.is_ok());
    }
}
