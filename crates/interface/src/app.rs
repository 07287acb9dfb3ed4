//! The state shared by all handlers, and their access to the store.
//!
//! Handlers reach a unit of work only through the methods of [`App`]: [`App::write_json`] and its variants change records,
//! and look up and store idempotent responses; [`App::read_json`], [`App::list_json`] and their variants only read; [`App::read_csv`]
//! and [`App::read_pdf`] respond with a file, all others with JSON. Each of them obtains the caller from [`Call::admitted`],
//! which hides a company that is not the token's.

use std::cell::RefCell;
use std::ops::Deref;
use std::sync::Arc;

use axum::body::Body;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use serde::{Serialize, Serializer};
use store::{Store, Tx};
use utoipa::openapi::OpenApi;

use crate::auth::Grants;
use crate::config::Settings;
use crate::directory::Directory;
use crate::error::Error;
use crate::figures::Figures;
use crate::held::Budget;
use crate::http::{Call, RequestIds, Requirements, disposition};
use crate::journal::Journal;
use crate::operations::Readiness;
use crate::query::paging::{list_headers, paging_headers};
use crate::rate::Limiter;
use crate::shares::Slots;
use crate::years::Years;
use background::delivery::Courier;
use background::liveness::{self, Liveness};
use background::worker::{self, Worker};
use domain::access::idempotency::{self, Answer};
use domain::access::tokens::Caller;
use domain::paging::{Listed, Paging};
use domain::salary::reference::Reference;

/// Slots for requests in progress: as many for reads as for writes, so that slow writes do not block reads.
pub struct Room {
    reads: Arc<Slots>,
    writes: Arc<Slots>,
}

impl Room {
    fn new(requests: usize) -> Self {
        Self { reads: Slots::new(requests), writes: Slots::new(requests) }
    }

    /// The slots for requests of a method.
    pub fn slots_for(&self, method: &Method) -> &Arc<Slots> {
        if matches!(*method, Method::GET | Method::HEAD) { &self.reads } else { &self.writes }
    }
}

/// The running service; clones share it.
#[derive(Clone)]
pub struct App(Arc<Inner>);

/// See [`App`].
pub struct Inner {
    /// all data
    pub store: Store,
    /// how it was configured
    pub settings: Settings,
    /// the grants of tokens
    pub grants: Grants,
    /// figures of years that were shown lately
    pub years: Years,
    /// slots for requests in progress
    pub room: Room,
    /// memory budget for bodies and answers
    pub budget: Arc<Budget>,
    /// requests per application, and per application and company
    pub limiter: Option<Limiter>,
    /// requests without a valid token, per network address
    pub address_limiter: Option<Limiter>,
    /// requests to the token endpoint, per network address
    pub token_limiter: Option<Limiter>,
    /// the token and scope that each operation requires
    pub requirements: Requirements,
    /// the paths that exist
    pub directory: Directory,
    /// the public URL of the service
    pub public_url: String,
    /// request metrics by route
    pub figures: Figures,
    /// whether it could serve, a moment ago
    pub readiness: Readiness,
    /// generates request ids
    pub request_ids: RequestIds,
    /// which process may run due work now
    pub worker: Arc<Worker>,
    /// which workers of this process have ended
    pub liveness: Arc<Liveness>,
    /// reference tables that are imported from outside
    pub reference: Reference,
    /// delivers events
    pub courier: Arc<Courier>,
    /// wrong verification tokens per subscription
    pub guesses: Option<Limiter>,
    /// verification calls per host
    pub verifications: Option<Limiter>,
    /// returns the published description of the interface
    pub description: fn() -> String,
    /// the most recent requests, only under `stipend dev`
    pub journal: Option<Journal>,
}

impl Deref for App {
    type Target = Inner;
    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl App {
    /// Assembles the service.
    pub fn new(
        store: Store,
        settings: Settings,
        courier: Courier,
        api: &OpenApi,
        description: fn() -> String,
    ) -> Self {
        let courier = Arc::new(courier);
        let terms = worker::Terms {
            overdue_after_days: settings.overdue_after_days,
            delivery_days: settings.delivery_days,
            bank_pickup: settings.bank_pickup.clone(),
        };
        let worker = Arc::new(Worker::new(&store, Arc::clone(&courier), terms));
        Self(Arc::new(Inner {
            grants: Grants::new(store.clone()),
            years: Years::default(),
            budget: Budget::new(settings.held_megabytes << 20),
            room: Room::new(settings.requests),
            limiter: Limiter::new(settings.rate_limit),
            address_limiter: Limiter::new(settings.address_rate_limit),
            verifications: Limiter::new(settings.webhook_verifications),
            token_limiter: Limiter::new(settings.token_rate_limit),
            figures: Figures::default(),
            readiness: Readiness::default(),
            request_ids: RequestIds::new(store.clock()),
            worker,
            liveness: Arc::default(),
            reference: Reference::new(&store),
            courier,
            description,
            guesses: Limiter::new(domain::events::webhooks::service::GUESSES),
            journal: settings.dev.then(Journal::default),
            store,
            public_url: settings.issuer(),
            settings,
            requirements: Requirements::from_description(api),
            directory: Directory::from_description(api),
        }))
    }

    /// Runs due work and delivers events until `stop`.
    pub async fn work_in_background(&self, stop: tokio::sync::watch::Receiver<bool>) {
        let (worker, courier) = (Arc::clone(&self.worker), Arc::clone(&self.courier));
        liveness::run_background_work(self.store.clone(), worker, courier, Arc::clone(&self.liveness), stop)
            .await;
    }

    /// Updates the store's metrics until `stop`, in a process that leaves background work to others.
    pub async fn watch_store(&self, stop: tokio::sync::watch::Receiver<bool>) {
        background::update_metrics(self.store.clone(), stop).await;
    }

    /// Runs a writing unit, once per idempotency key, and responds with `status` and its result as JSON.
    ///
    /// # Errors
    /// What the unit or the store gives.
    pub async fn write_json<T, F>(&self, call: Call, status: StatusCode, unit: F) -> Result<Response, Error>
    where
        T: Serialize,
        F: Fn(&mut Tx<'_>, &Caller) -> Result<T, domain::Error> + Send + 'static,
    {
        self.write_or(call, move |tx, caller| Ok((status, unit(tx, caller)?))).await
    }

    /// As [`App::write_json`], for an operation whose status depends on its result.
    ///
    /// # Errors
    /// What the unit or the store gives.
    pub async fn write_or<T, F>(&self, call: Call, unit: F) -> Result<Response, Error>
    where
        T: Serialize,
        F: Fn(&mut Tx<'_>, &Caller) -> Result<(StatusCode, T), domain::Error> + Send + 'static,
    {
        self.write_paged(call, move |tx, caller| {
            unit(tx, caller).map(|(status, value)| (status, value, None))
        })
        .await
    }

    /// As [`App::write_or`], for a response that is one page of a list.
    ///
    /// # Errors
    /// What the unit or the store gives.
    pub async fn write_paged<T, F>(&self, call: Call, unit: F) -> Result<Response, Error>
    where
        T: Serialize,
        F: Fn(&mut Tx<'_>, &Caller) -> Result<(StatusCode, T, Paging), domain::Error> + Send + 'static,
    {
        let (caller, idempotency) = call.into_caller_and_key()?;
        let written = self.store.write(move |tx| {
            let first = |tx: &mut Tx<'_>| {
                let (status, value, paging) = unit(tx, &caller)?;
                Ok(Answer { paging, ..json_answer(status, &value)? })
            };
            match &idempotency {
                None => first(tx),
                Some(key) => idempotency::answer_once(tx, &caller, key, first),
            }
        });
        build_response(written.await?)
    }

    /// Runs a writing unit, once per idempotency key, and responds 200 with the result of a second, reading unit: for
    /// responses that are too large to read while other writes wait. A repeated request gets what the second unit reads
    /// then.
    ///
    /// # Errors
    /// The error of either unit or of the store; after an error of the reading unit, the change remains committed.
    pub async fn write_and_read<T, W, R>(&self, call: Call, write: W, read: R) -> Result<Response, Error>
    where
        T: Serialize,
        W: Fn(&mut Tx<'_>, &Caller) -> Result<(), domain::Error> + Send + 'static,
        R: Fn(&mut Tx<'_>, &Caller) -> Result<T, domain::Error> + Send + 'static,
    {
        self.write_json(call.clone(), StatusCode::NO_CONTENT, write).await?;
        self.read_json(call, read).await
    }

    /// Runs a reading unit and responds 200 with its result as JSON.
    ///
    /// # Errors
    /// What the unit or the store gives.
    pub async fn read_json<T, F>(&self, call: Call, unit: F) -> Result<Response, Error>
    where
        T: Serialize,
        F: Fn(&mut Tx<'_>, &Caller) -> Result<T, domain::Error> + Send + 'static,
    {
        let (caller, _) = call.into_caller_and_key()?;
        // Serialized on the storage thread: moving bytes between threads is cheaper than moving records.
        let answered = self.store.read(move |tx| json_answer(StatusCode::OK, &unit(tx, &caller)?)).await?;
        build_response(answered)
    }

    /// As [`App::read_json`], for a result that may be absent: then 204 without a body.
    ///
    /// # Errors
    /// What the unit or the store gives.
    pub async fn read_or_none<T, F>(&self, call: Call, unit: F) -> Result<Response, Error>
    where
        T: Serialize,
        F: Fn(&mut Tx<'_>, &Caller) -> Result<Option<T>, domain::Error> + Send + 'static,
    {
        let (caller, _) = call.into_caller_and_key()?;
        let answered = self.store.read(move |tx| {
            let found = unit(tx, &caller)?;
            json_answer(if found.is_some() { StatusCode::OK } else { StatusCode::NO_CONTENT }, &found)
        });
        build_response(answered.await?)
    }

    /// As [`App::read_json`], for an unpaged list. Records written by a newer version are skipped.
    ///
    /// # Errors
    /// What the unit or the store gives.
    pub async fn read_all<T, F>(&self, call: Call, unit: F) -> Result<Response, Error>
    where
        T: Serialize,
        F: Fn(&mut Tx<'_>, &Caller) -> Result<Vec<T>, domain::Error> + Send + 'static,
    {
        self.read_json(call, move |tx, caller| {
            tx.leave_out_newer();
            unit(tx, caller)
        })
        .await
    }

    /// Runs a unit that reads a list and responds with it and the paging headers. Records written by a newer version
    /// are skipped.
    ///
    /// # Errors
    /// What the unit or the store gives.
    pub async fn list_json<T, F>(&self, call: Call, unit: F) -> Result<Response, Error>
    where
        T: Serialize,
        F: Fn(&mut Tx<'_>, &Caller) -> Result<Listed<T>, domain::Error> + Send + Sync + 'static,
    {
        self.list_as(call, unit, |_, item| item).await
    }

    /// As [`App::list_json`], for a long list of large records: each is converted by `show` when it is written, so that the
    /// list is not held a second time.
    ///
    /// # Errors
    /// What the unit or the store gives.
    pub async fn list_as<R, T, F, S>(&self, call: Call, unit: F, show: S) -> Result<Response, Error>
    where
        T: Serialize,
        F: Fn(&mut Tx<'_>, &Caller) -> Result<Listed<R>, domain::Error> + Send + Sync + 'static,
        S: Fn(&Caller, R) -> T + Send + Sync + 'static,
    {
        let (caller, _) = call.into_caller_and_key()?;
        let read = self.store.read_anywhere(move |tx| {
            tx.leave_out_newer();
            let Listed { items, paging, at_least, next } = unit(tx, &caller)?;
            let items = items.into_iter().map(|item| show(&caller, item));
            let body = json_bytes(|json| json.collect_seq(items))?;
            let answer = Answer { status: StatusCode::OK.as_u16(), body, paging: None };
            Ok::<_, domain::Error>((answer, list_headers(paging, at_least, next)))
        });
        let (answer, headers) = read.await?;
        let mut response = build_response(answer)?;
        response.headers_mut().extend(headers);
        Ok(response)
    }

    /// Runs a unit that reads a record with a page of a list in it, and responds with it and the paging headers.
    ///
    /// # Errors
    /// What the unit or the store gives.
    pub async fn read_paged<T, F>(&self, call: Call, unit: F) -> Result<Response, Error>
    where
        T: Serialize,
        F: Fn(&mut Tx<'_>, &Caller) -> Result<(T, Paging), domain::Error> + Send + 'static,
    {
        let (caller, _) = call.into_caller_and_key()?;
        let read = self.store.read(move |tx| {
            let (value, paging) = unit(tx, &caller)?;
            Ok::<_, domain::Error>(Answer { paging, ..json_answer(StatusCode::OK, &value)? })
        });
        build_response(read.await?)
    }

    /// Runs a unit that reads a list as CSV, and responds with it and the paging headers.
    ///
    /// # Errors
    /// What the unit or the store gives.
    pub async fn read_csv<F>(&self, call: Call, unit: F) -> Result<Response, Error>
    where
        F: Fn(&mut Tx<'_>, &Caller) -> Result<(Vec<u8>, Paging), domain::Error> + Send + 'static,
    {
        let (caller, _) = call.into_caller_and_key()?;
        let (text, paging) = self.store.read(move |tx| unit(tx, &caller)).await?;
        let mut response = Response::new(Body::from(text));
        let headers = response.headers_mut();
        headers.extend(paging_headers(paging));
        let kind = HeaderValue::from_static("text/csv; charset=utf-8; header=present");
        headers.insert(header::CONTENT_TYPE, kind);
        Ok(response)
    }

    /// Runs a unit that reads a PDF, and responds with it.
    ///
    /// # Errors
    /// What the unit or the store gives.
    pub async fn read_pdf<F>(&self, call: Call, name: &'static str, unit: F) -> Result<Response, Error>
    where
        F: Fn(&mut Tx<'_>, &Caller) -> Result<Vec<u8>, domain::Error> + Send + 'static,
    {
        let (caller, _) = call.into_caller_and_key()?;
        let body = self.store.read(move |tx| unit(tx, &caller)).await?;
        let mut response = Response::new(Body::from(body));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/pdf"));
        headers.insert(header::CONTENT_DISPOSITION, disposition::inline_header(&format!("{name}.pdf")));
        Ok(response)
    }
}

type Json<'b> = serde_json::Serializer<&'b mut Vec<u8>>;

thread_local! {
    /// Where a storage thread writes its responses, so that they need not grow step by step.
    static WRITTEN: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Bytes that are kept for the next response of a thread.
const WRITTEN_AT_MOST: usize = 256 << 10;

fn json_answer<T: Serialize>(status: StatusCode, value: &T) -> Result<Answer, domain::Error> {
    let bodyless = matches!(status, StatusCode::NO_CONTENT | StatusCode::ACCEPTED);
    let body = if bodyless { Vec::new() } else { json_bytes(|json| value.serialize(json))? };
    // An operation without a result responds without a body.
    let body = if body == b"null" { Vec::new() } else { body };
    Ok(Answer { status: status.as_u16(), body, paging: None })
}

/// What `write` writes as JSON, with no room to spare: a large response may wait long for a slow reader.
fn json_bytes(write: impl FnOnce(&mut Json<'_>) -> serde_json::Result<()>) -> Result<Vec<u8>, domain::Error> {
    WRITTEN.with_borrow_mut(|bytes| {
        bytes.clear();
        bytes.shrink_to(WRITTEN_AT_MOST);
        let written = write(&mut Json::new(&mut *bytes));
        written.map_err(domain::Error::failed_operation("an answer could not be written"))?;
        Ok(bytes.as_slice().to_vec())
    })
}

fn build_response(Answer { status, body, paging }: Answer) -> Result<Response, Error> {
    let json = !body.is_empty();
    let mut response = Response::new(Body::from(body));
    *response.status_mut() =
        StatusCode::from_u16(status).map_err(Error::failed_operation("an answer has no status of HTTP"))?;
    response.headers_mut().extend(paging_headers(paging));
    if json {
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    Ok(response)
}
