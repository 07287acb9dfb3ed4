//! What happened to a company, and every try of telling those who subscribed.

use askama::Template;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use axum::routing::{get, post};
use store::Tx;
use uuid::Uuid;

use super::ROWS;
use super::access;
use super::access::{For, Visit};
use super::frame;
use super::frame::Frame;
use super::show;
use super::show::{moment, mood, older};
use super::webhooks::{Heard, heard_by};
use domain::events::ALL_TYPES;
use domain::events::delivery::outbox;
use domain::events::delivery::rows as deliveries;
use domain::events::delivery::rows::Key;
use domain::events::list;
use domain::events::list::like;
use domain::events::webhooks::again;
use domain::events::webhooks::log::Attempt;
use domain::records::{id_of, parse_id};
use interface::app::App;
use interface::error::Error;
use interface::http::Id;
use interface::query::Query;

/// Scope for what became of events.
const DELIVERIES: &str = "webhook_subscriptions:read";
/// Scope for delivering once more.
pub(super) const AGAIN: &str = "webhook_subscriptions:write";

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/console/companies/{company}/events", get(list))
        .route("/console/companies/{company}/events/{event}", get(one))
        .route("/console/companies/{company}/events/{event}/redeliver", post(redeliver))
}

/// How one delivery stands, in a list.
struct Stand {
    state: String,
    mood: &'static str,
    tries: i64,
}

struct Line {
    id: Uuid,
    at: String,
    event_type: String,
    stands: Vec<Stand>,
}

#[derive(Template)]
#[template(path = "console/events.html")]
struct ListPage<'a> {
    frame: &'a Frame,
    company: Uuid,
    wanted: &'a str,
    types: Vec<&'static str>,
    lines: Vec<Line>,
    /// whether deliveries are told
    delivered: bool,
    /// whether anybody hears of the company
    heard: bool,
    older: Option<Uuid>,
    newest: bool,
}

async fn list(
    State(app): State<App>,
    Path(Id(company)): Path<Id>,
    query: Query,
    request: Request,
) -> Response {
    let wanted = query.text("type").unwrap_or_default().to_owned();
    let before = query.text("before").and_then(parse_id);
    // Events are listed by their numbers. Should giving them fail, the page shows those that have one.
    outbox::number_all(&app.store).await.ok();
    access::page(&app, request, For::Company(company, "events:read"), move |tx, visit| {
        let known = ALL_TYPES.iter().any(|one| one.name == wanted);
        let pattern = if known { like("type", &wanted)? } else { "%".to_owned() };
        let mut found = list::before(tx, company, before, &pattern, ROWS + 1)?;
        let older = older(&mut found, |event| event.id);
        let delivered = visit.may(DELIVERIES);
        let heard = if delivered { heard_by(tx, company)? } else { Vec::new() };
        let mut lines = Vec::with_capacity(found.len());
        for event in &found {
            lines.push(Line {
                id: event.id,
                at: moment(event.created_at),
                event_type: event.event_type.clone(),
                stands: stands(tx, &heard, event.id)?,
            });
        }
        frame::render(&ListPage {
            frame: &visit.frame,
            company,
            wanted: if known { &wanted } else { "" },
            types: ALL_TYPES.iter().map(|one| one.name).collect(),
            older,
            newest: before.is_none(),
            heard: !heard.is_empty(),
            delivered,
            lines,
        })
    })
    .await
}

/// The deliveries of an event, without their tries.
fn stands(tx: &mut Tx<'_>, heard: &[Heard], event: Uuid) -> Result<Vec<Stand>, Error> {
    let mut stands = Vec::new();
    for one in heard {
        let key = one.key(event);
        if let Some((row, _)) = deliveries::find(tx, key)? {
            stands.push(Stand { mood: mood(&row.state), state: row.state, tries: row.tries });
        }
    }
    Ok(stands)
}

/// One try.
struct Try {
    number: i64,
    at: String,
    /// the status, or why there is none
    answer: String,
    /// how the answer began, for the developer alone
    start: String,
    took: String,
    next: String,
}

impl Try {
    fn of(attempt: Attempt, visit: &Visit) -> Self {
        let status = attempt.response_status.map(|status| status.to_string());
        Self {
            number: attempt.number,
            at: moment(attempt.at),
            answer: status.or(attempt.failure).unwrap_or_default(),
            start: if visit.is_developer() { attempt.response_start } else { String::new() },
            took: format!("{} ms", attempt.duration_ms),
            next: attempt.next_try_at.map(moment).unwrap_or_default(),
        }
    }
}

struct Told {
    subscription: Uuid,
    state: String,
    mood: &'static str,
    tries: Vec<Try>,
    application: String,
    url: String,
    /// whether it can be delivered once more
    again: bool,
}

#[derive(Template)]
#[template(path = "console/event.html")]
struct OnePage<'a> {
    frame: &'a Frame,
    company: Uuid,
    event: &'a list::Event,
    at: String,
    payload: String,
    told: Vec<Told>,
    delivered: bool,
    /// whether it was just delivered once more
    done: bool,
}

async fn one(
    State(app): State<App>,
    Path((Id(company), Id(id))): Path<(Id, Id)>,
    query: Query,
    request: Request,
) -> Response {
    let done = query.text("done") == Some("redelivered");
    access::page(&app, request, For::Company(company, "events:read"), move |tx, visit| {
        let event = list::find(tx, company, id)?.ok_or(Error::NotFound)?;
        let delivered = visit.may(DELIVERIES);
        frame::render(&OnePage {
            frame: &visit.frame,
            company,
            at: moment(event.created_at),
            payload: show::pretty(&event.payload),
            told: if delivered { told(tx, visit, company, id)? } else { Vec::new() },
            delivered,
            done,
            event: &event,
        })
    })
    .await
}

/// The deliveries of an event with every try.
fn told(tx: &mut Tx<'_>, visit: &Visit, company: Uuid, event: Uuid) -> Result<Vec<Told>, Error> {
    let mut told = Vec::new();
    for one in heard_by(tx, company)? {
        let key = one.key(event);
        let Some((row, _)) = deliveries::find(tx, key)? else { continue };
        let delivery = again::view(tx, row)?;
        told.push(Told {
            subscription: delivery.webhook_subscription_uuid,
            mood: mood(&delivery.status),
            state: delivery.status,
            tries: delivery.attempts.into_iter().map(|attempt| Try::of(attempt, visit)).collect(),
            url: one.url_for(visit),
            again: one.receives() && visit.may(AGAIN),
            application: one.application,
        });
    }
    Ok(told)
}

async fn redeliver(
    State(app): State<App>,
    Path((Id(company), Id(event))): Path<(Id, Id)>,
    request: Request,
) -> Response {
    access::act(&app, request, For::Company(company, AGAIN), move |tx, visit, form| {
        let subscription = id_of(form.get("subscription").unwrap_or_default());
        let heard = heard_by(tx, company)?.into_iter().find(|one| one.subscription.id == subscription);
        let Key { application, .. } = heard.ok_or(Error::NotFound)?.key(event);
        let key = Key { application, subscription, event };
        again::redeliver_to(tx, &visit.caller, key, Some(company))?;
        Ok(format!("/console/companies/{company}/events/{event}?done=redelivered"))
    })
    .await
}
