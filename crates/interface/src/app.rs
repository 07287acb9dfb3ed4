//! The state shared by all handlers, and their access to the store.
//!
//! Handlers reach a unit of work only through the methods of [`App`]: [`App::write`] and its variants change records,
//! and look up and store idempotent answers; [`App::read`] and [`App::list`] with theirs only read; [`App::csv`] and
//! [`App::pdf`] answer with a file, all others with JSON. Each of them gets the caller by [`Call::admitted`], which hides a
//! company that is not the token's.

use std::ops::Deref;
use std::sync::Arc;

use axum::body::Body;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use serde::Serialize;
use store::{Store, Tx};
use tokio::sync::Semaphore;
use utoipa::openapi::OpenApi;

use crate::auth::Grants;
use crate::config::Settings;
use crate::directory::Directory;
use crate::error::Error;
use crate::figures::Figures;
use crate::held::Budget;
use crate::http::{Call, RequestIds, Requirements, disposition};
use crate::journal::Journal;
use crate::query::paging::{list_headers, paging_headers};
use crate::rate::Limiter;
use background::delivery::Courier;
use background::liveness::{self, Liveness};
use background::worker::{self, Worker};
use domain::access::idempotency::{self, Answer};
use domain::access::tokens::Caller;
use domain::paging::{Listed, Paging};
use domain::salary::reference::Reference;

/// Room for requests that are worked on at once: as many reads as writes, so that slow writes refuse no read.
pub struct Room {
    reads: Semaphore,
    writes: Semaphore,
}

impl Room {
    fn new(requests: usize) -> Self {
        Self { reads: Semaphore::new(requests), writes: Semaphore::new(requests) }
    }

    /// The places for requests of a method.
    pub fn of(&self, method: &Method) -> &Semaphore {
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
    /// what tokens grant
    pub grants: Grants,
    /// room for requests that are worked on at once
    pub room: Room,
    /// room for bodies and answers that are held
    pub budget: Arc<Budget>,
    /// requests of an application, and of it for each company
    pub limiter: Option<Limiter>,
    /// requests without a good token, per place in the network
    pub address_limiter: Option<Limiter>,
    /// requests to the token endpoint, per place in the network
    pub token_limiter: Option<Limiter>,
    /// what each operation needs
    pub requirements: Requirements,
    /// the paths that there are
    pub directory: Directory,
    /// the address under which clients reach the service
    pub public_url: String,
    /// requests by route
    pub figures: Figures,
    /// names of requests
    pub request_ids: RequestIds,
    /// who may run due work at the moment
    pub worker: Arc<Worker>,
    /// which workers of this process are gone
    pub liveness: Arc<Liveness>,
    /// tables that come from outside
    pub reference: Reference,
    /// delivers events
    pub courier: Arc<Courier>,
    /// wrong verification tokens, per subscription
    pub guesses: Option<Limiter>,
    /// calls for verification, per host
    pub verifications: Option<Limiter>,
    /// writes the published description of the interface
    pub description: fn() -> String,
    /// the last requests, under `stipend dev` alone
    pub journal: Option<Journal>,
}

impl Deref for App {
    type Target = Inner;
    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl App {
    /// Puts the parts together.
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
            budget: Budget::new(settings.held_megabytes << 20),
            room: Room::new(settings.requests),
            limiter: Limiter::new(settings.rate_limit),
            address_limiter: Limiter::new(settings.address_rate_limit),
            verifications: Limiter::new(settings.webhook_verifications),
            token_limiter: Limiter::new(settings.token_rate_limit),
            figures: Figures::default(),
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
            requirements: Requirements::of(api),
            directory: Directory::of(api),
        }))
    }

    /// Does due work and delivers events until `stop` says so.
    pub async fn work_in_background(&self, stop: tokio::sync::watch::Receiver<bool>) {
        let (worker, courier) = (Arc::clone(&self.worker), Arc::clone(&self.courier));
        liveness::work(self.store.clone(), worker, courier, Arc::clone(&self.liveness), stop).await;
    }

    /// Keeps the figures of the store, where the work in the background is left to another process, until `stop` says so.
    pub async fn watch_store(&self, stop: tokio::sync::watch::Receiver<bool>) {
        background::watch(self.store.clone(), stop).await;
    }

    /// Runs a unit that writes, once per idempotency key, and answers with `status` and its result as JSON.
    ///
    /// # Errors
    /// What the unit or the store gives.
    pub async fn write<T, F>(&self, call: Call, status: StatusCode, unit: F) -> Result<Response, Error>
    where
        T: Serialize,
        F: Fn(&mut Tx<'_>, &Caller) -> Result<T, domain::Error> + Send + 'static,
    {
        self.write_or(call, move |tx, caller| Ok((status, unit(tx, caller)?))).await
    }

    /// As [`App::write`], for an operation whose status depends on what it found.
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

    /// As [`App::write_or`], for an answer that is a page.
    ///
    /// # Errors
    /// What the unit or the store gives.
    pub async fn write_paged<T, F>(&self, call: Call, unit: F) -> Result<Response, Error>
    where
        T: Serialize,
        F: Fn(&mut Tx<'_>, &Caller) -> Result<(StatusCode, T, Paging), domain::Error> + Send + 'static,
    {
        let (caller, idempotency) = call.admitted()?;
        let written = self.store.write(move |tx| {
            let first = |tx: &mut Tx<'_>| {
                let (status, value, paging) = unit(tx, &caller)?;
                Ok(Answer { paging, ..answer(status, &value)? })
            };
            match &idempotency {
                None => first(tx),
                Some(key) => idempotency::once(tx, &caller, key, first),
            }
        });
        respond(written.await?)
    }

    /// Runs a unit that writes, once per idempotency key, and answers 200 with what another one reads after it: for an answer that is
    /// too much to be read while others wait to write. A repetition is answered with what is there then.
    ///
    /// # Errors
    /// What either unit or the store gives; after an error of the one that reads, the change is kept.
    pub async fn write_and_read<T, W, R>(&self, call: Call, write: W, read: R) -> Result<Response, Error>
    where
        T: Serialize,
        W: Fn(&mut Tx<'_>, &Caller) -> Result<(), domain::Error> + Send + 'static,
        R: Fn(&mut Tx<'_>, &Caller) -> Result<T, domain::Error> + Send + 'static,
    {
        self.write(call.clone(), StatusCode::NO_CONTENT, write).await?;
        self.read(call, read).await
    }

    /// Runs a unit that reads and answers 200 with its result as JSON.
    ///
    /// # Errors
    /// What the unit or the store gives.
    pub async fn read<T, F>(&self, call: Call, unit: F) -> Result<Response, Error>
    where
        T: Serialize,
        F: Fn(&mut Tx<'_>, &Caller) -> Result<T, domain::Error> + Send + 'static,
    {
        let (caller, _) = call.admitted()?;
        // The answer is written on the storage thread: bytes move between threads more cheaply than records.
        let answered = self.store.read(move |tx| answer(StatusCode::OK, &unit(tx, &caller)?)).await?;
        respond(answered)
    }

    /// As [`App::read`], for what may not be there: then 204 without a body.
    ///
    /// # Errors
    /// What the unit or the store gives.
    pub async fn read_or_none<T, F>(&self, call: Call, unit: F) -> Result<Response, Error>
    where
        T: Serialize,
        F: Fn(&mut Tx<'_>, &Caller) -> Result<Option<T>, domain::Error> + Send + 'static,
    {
        let (caller, _) = call.admitted()?;
        let answered = self.store.read(move |tx| {
            let found = unit(tx, &caller)?;
            answer(if found.is_some() { StatusCode::OK } else { StatusCode::NO_CONTENT }, &found)
        });
        respond(answered.await?)
    }

    /// As [`App::read`], for a list that is given whole. Records that a newer version has written are left out.
    ///
    /// # Errors
    /// What the unit or the store gives.
    pub async fn read_all<T, F>(&self, call: Call, unit: F) -> Result<Response, Error>
    where
        T: Serialize,
        F: Fn(&mut Tx<'_>, &Caller) -> Result<Vec<T>, domain::Error> + Send + 'static,
    {
        self.read(call, move |tx, caller| {
            tx.leave_out_newer();
            unit(tx, caller)
        })
        .await
    }

    /// Runs a unit that reads a list and answers with it and the paging headers. Records that a newer version has
    /// written are left out.
    ///
    /// # Errors
    /// What the unit or the store gives.
    pub async fn list<T, F>(&self, call: Call, unit: F) -> Result<Response, Error>
    where
        T: Serialize,
        F: Fn(&mut Tx<'_>, &Caller) -> Result<Listed<T>, domain::Error> + Send + Sync + 'static,
    {
        let (caller, _) = call.admitted()?;
        let read = self.store.read_anywhere(move |tx| {
            tx.leave_out_newer();
            let Listed { items, paging, at_least, next } = unit(tx, &caller)?;
            Ok::<_, domain::Error>((answer(StatusCode::OK, &items)?, list_headers(paging, at_least, next)))
        });
        let (answer, headers) = read.await?;
        let mut response = respond(answer)?;
        response.headers_mut().extend(headers);
        Ok(response)
    }

    /// Runs a unit that reads a record with a part of a list in it, and answers with it and the paging headers.
    ///
    /// # Errors
    /// What the unit or the store gives.
    pub async fn read_paged<T, F>(&self, call: Call, unit: F) -> Result<Response, Error>
    where
        T: Serialize,
        F: Fn(&mut Tx<'_>, &Caller) -> Result<(T, Paging), domain::Error> + Send + 'static,
    {
        let (caller, _) = call.admitted()?;
        let read = self.store.read(move |tx| {
            let (value, paging) = unit(tx, &caller)?;
            Ok::<_, domain::Error>(Answer { paging, ..answer(StatusCode::OK, &value)? })
        });
        respond(read.await?)
    }

    /// Runs a unit that reads a list and gives it as CSV, and answers with it and the paging headers.
    ///
    /// # Errors
    /// What the unit or the store gives.
    pub async fn csv<F>(&self, call: Call, unit: F) -> Result<Response, Error>
    where
        F: Fn(&mut Tx<'_>, &Caller) -> Result<(Vec<u8>, Paging), domain::Error> + Send + 'static,
    {
        let (caller, _) = call.admitted()?;
        let (text, paging) = self.store.read(move |tx| unit(tx, &caller)).await?;
        let mut response = Response::new(Body::from(text));
        let headers = response.headers_mut();
        headers.extend(paging_headers(paging));
        let kind = HeaderValue::from_static("text/csv; charset=utf-8; header=present");
        headers.insert(header::CONTENT_TYPE, kind);
        Ok(response)
    }

    /// Runs a unit that reads and gives a PDF, and answers with it.
    ///
    /// # Errors
    /// What the unit or the store gives.
    pub async fn pdf<F>(&self, call: Call, name: &'static str, unit: F) -> Result<Response, Error>
    where
        F: Fn(&mut Tx<'_>, &Caller) -> Result<Vec<u8>, domain::Error> + Send + 'static,
    {
        let (caller, _) = call.admitted()?;
        let body = self.store.read(move |tx| unit(tx, &caller)).await?;
        let mut response = Response::new(Body::from(body));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/pdf"));
        headers.insert(header::CONTENT_DISPOSITION, disposition::inline(&format!("{name}.pdf")));
        Ok(response)
    }
}

fn answer<T: Serialize>(status: StatusCode, value: &T) -> Result<Answer, domain::Error> {
    let bodyless = matches!(status, StatusCode::NO_CONTENT | StatusCode::ACCEPTED);
    let mut body = if bodyless {
        Vec::new()
    } else {
        serde_json::to_vec(value).map_err(domain::Error::failed("an answer could not be written"))?
    };
    // An operation that has nothing to say answers without a body.
    if body == b"null" {
        body.clear();
    }
    // A large answer may wait long for a slow reader; what it took beyond its length while it grew does not.
    body.shrink_to_fit();
    Ok(Answer { status: status.as_u16(), body, paging: None })
}

fn respond(Answer { status, body, paging }: Answer) -> Result<Response, Error> {
    let json = !body.is_empty();
    let mut response = Response::new(Body::from(body));
    *response.status_mut() =
        StatusCode::from_u16(status).map_err(Error::failed("an answer has no status of HTTP"))?;
    response.headers_mut().extend(paging_headers(paging));
    if json {
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    Ok(response)
}
