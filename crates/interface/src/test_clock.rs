//! The test clock: reading it, and moving it forward.

use std::collections::BTreeMap;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use jiff::{Span, Timestamp, ToSpan};
use rules::{Category, Checks, Violation};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::app::App;
use crate::error::Error;
use crate::field::{self, Field};
use crate::http::is_json;
use crate::values::MomentText;
use background::worker::{self, FARTHEST_DAYS};
use domain::patch::as_is;
use domain::platform::moments;

/// Operations on the test clock.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(read_clock)).routes(routes!(advance_clock))
}

/// What the clock shows.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClockAnswer {
    /// the present moment of the service
    #[schema(value_type = String, format = DateTime)]
    pub now: Timestamp,
    /// whether it stands until it is moved
    pub stands: bool,
}

/// How far to move the clock: by `seconds`, or to a moment.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct Advance {
    /// whole seconds, forward, at most 400 days
    #[schema(nullable)]
    pub seconds: Field<i64>,
    /// a later moment, such as 2026-12-01T09:00:00Z
    #[schema(nullable)]
    pub to: Field<MomentText>,
    /// whether `fired` lists everything, and not only the first fifty
    #[schema(nullable)]
    pub details: Field<bool>,
}

/// How much of what fell due is listed unless all of it is asked for: a month of deliveries to a receiver that fails are thousands.
const LISTED: usize = 50;

/// What happened on the way.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Advanced {
    /// the present moment of the service
    #[schema(value_type = String, format = DateTime)]
    pub now: Timestamp,
    /// how much of each kind fell due
    pub kinds: BTreeMap<&'static str, u64>,
    /// what fell due, in the order of its due times: the first fifty, or with `details` all of it
    pub fired: Vec<Fired>,
}

/// Read the test clock
///
/// Only under `stipend dev`, without a token.
#[utoipa::path(get, path = "/v1/test_helpers/clock", tag = "Test clock",
    responses((status = 200, description = "What it shows", body = ClockAnswer)))]
async fn read_clock(State(app): State<App>) -> Json<ClockAnswer> {
    let clock = app.store.clock();
    Json(ClockAnswer { now: clock.now(), stands: clock.is_standing() })
}

/// Move the test clock forward
///
/// Everything that falls due on the way runs in the order of its due time. Only under `stipend dev`, without a token.
#[utoipa::path(post, path = "/v1/test_helpers/clock/advance", tag = "Test clock",
    request_body = Advance,
    responses((status = 200, description = "What happened on the way", body = Advanced),
              (status = 400, description = "The body cannot be read", body = crate::openapi::ErrorAnswer),
              (status = 415, description = "The body is not JSON", body = crate::openapi::ErrorAnswer),
              (status = 422, description = "Not forward, or too far", body = crate::openapi::ErrorAnswer)))]
async fn advance_clock(State(app): State<App>, headers: HeaderMap, body: Bytes) -> Result<Response, Error> {
    // The request needs no token, so requiring JSON keeps a form on another site's page from moving the clock.
    if !is_json(&headers) {
        return Err(Error::NotJson);
    }
    let input: Advance = field::read_body(&body)?;
    let mut done = advance_and_run(&app, &input).await?;
    if input.details.0.value() != Some(&true) {
        done.fired.truncate(LISTED);
    }
    Ok(Json(done).into_response())
}

/// Work that was done while the test clock was moved.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Fired {
    /// when it fell due
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// its kind
    pub kind: &'static str,
    /// its company, for the console
    #[serde(skip)]
    pub company: Uuid,
    /// the record concerned
    pub uuid: Uuid,
}

impl From<worker::Fired> for Fired {
    fn from(fired: worker::Fired) -> Self {
        Self { at: fired.at, kind: fired.kind, company: fired.company, uuid: fired.uuid }
    }
}

/// Moves the clock, and runs what falls due on the way.
///
/// # Errors
/// 422 for a move backwards or too far; a store error.
pub async fn advance_and_run(app: &App, input: &Advance) -> Result<Advanced, Error> {
    let to = target_moment(input, app.store.clock().now())?;
    let fired = app.worker.advance_clock(to).await?;
    let stands = app.store.clock().is_standing();
    app.store.write(move |tx| moments::note_test_clock(tx, stands)).await?;
    let mut kinds = BTreeMap::new();
    for one in &fired {
        *kinds.entry(one.kind).or_default() += 1;
    }
    let fired = fired.into_iter().map(Fired::from).collect();
    Ok(Advanced { now: app.store.clock().now(), kinds, fired })
}

fn target_moment(input: &Advance, now: Timestamp) -> Result<Timestamp, Error> {
    let mut checks = Checks::new();
    let seconds = input.seconds.0.optional("seconds", &mut checks, as_is);
    let _read = input.details.0.optional("details", &mut checks, as_is);
    let to = input.to.0.optional("to", &mut checks, |key, text| {
        text.parse::<Timestamp>().map_err(|_| {
            Violation::invalid(key, format!("{key} must be a moment such as 2026-12-01T09:00:00Z"))
        })
    });
    checks.finish()?;
    let (key, target) = match (seconds, to) {
        (Some(seconds), None) => {
            let span = Span::new().try_seconds(seconds).ok();
            ("seconds", span.and_then(|span| now.checked_add(span).ok()))
        }
        (None, Some(to)) => ("to", Some(to)),
        _ => {
            return Err(Error::from(Violation::new(
                "request",
                Category::MissingParameter,
                "Send either seconds or to.",
            )));
        }
    };
    let farthest = now + (FARTHEST_DAYS * 24).hours();
    match target.filter(|target| (now..=farthest).contains(target)) {
        Some(target) => Ok(target),
        None => Err(Error::from(Violation::invalid(
            key,
            format!("the clock moves forward only, and at most {} days at a time", FARTHEST_DAYS),
        ))),
    }
}
