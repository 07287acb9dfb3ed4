//! The subscriptions that hear of a company, how they stand, and replaying a stretch of time.
//!
//! A subscription is an application's, which may hear of other companies, too. An administrator of one company sees
//! where its events go and what became of them, and has its own events delivered once more, but neither the rest of the
//! address nor what the application's server answered: those may concern others.

use askama::Template;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use axum::routing::get;
use jiff::Timestamp;
use rules::Named;
use store::Tx;
use uuid::Uuid;

use super::ROWS;
use super::access;
use super::access::{For, PageContext};
use super::events::AGAIN;
use super::frame;
use super::frame::Frame;
use super::show::{moment, mood};
use domain::access::connections;
use domain::events::ALL_TYPES;
use domain::events::delivery::rows as deliveries;
use domain::events::delivery::rows::{Delivery, Key};
use domain::events::webhooks::commands::ReplayEvents;
use domain::events::webhooks::outbox;
use domain::events::webhooks::redelivery;
use domain::events::webhooks::rows;
use domain::events::webhooks::rows::Subscription;
use domain::events::webhooks::service::MOST;
use domain::events::webhooks::types::Status;
use domain::patch::Patch;
use domain::records::id_of;
use interface::access::oauth::params::Params;
use interface::app::App;
use interface::error::Error;
use interface::http::Id;
use interface::query::Query;

/// Applications of a company, and subscriptions of all of them, that are looked at.
const APPLICATIONS: i64 = 20;
const SUBSCRIPTIONS: usize = 20;

pub(super) fn routes() -> Router<App> {
    Router::new().route("/console/companies/{company}/webhooks", get(show).post(replay))
}

/// A subscription that hears of a company.
pub(super) struct CompanySubscription {
    /// name of its application
    pub application: String,
    /// the subscription
    pub subscription: Subscription,
}

impl CompanySubscription {
    /// The identifiers of an event's delivery to it.
    pub fn key(&self, event: Uuid) -> Key {
        Key { application: self.subscription.application, subscription: self.subscription.id, event }
    }

    /// Whether the last try failed.
    pub fn is_failing(&self) -> bool {
        self.subscription.last_failure_at > self.subscription.last_success_at
    }

    /// Whether anything is delivered to it.
    pub fn receives(&self) -> bool {
        self.subscription.status == Status::Verified
    }

    /// Its address, as far as whoever is there may see it.
    pub fn url_for(&self, visit: &PageContext) -> String {
        let url = &self.subscription.url;
        if visit.is_developer() {
            return url.clone();
        }
        url::Url::parse(url).map_or_else(|_| String::new(), |url| url.origin().ascii_serialization())
    }
}

/// The subscriptions that hear of a company.
pub(super) fn heard_by(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<CompanySubscription>, Error> {
    let mut heard = Vec::new();
    for one in connections::of_company(tx, company, APPLICATIONS)? {
        for subscription in rows::list(tx, one.application, MOST)? {
            heard.push(CompanySubscription { application: one.name.clone(), subscription });
        }
    }
    heard.truncate(SUBSCRIPTIONS);
    Ok(heard)
}

/// A delivery that did not get through, or not yet.
struct Open {
    event: Uuid,
    event_type: String,
    state: &'static str,
    mood: &'static str,
    tries: i64,
    at: String,
}

impl Open {
    fn of(row: Delivery) -> Self {
        Self {
            event: row.key.event,
            event_type: row.event_type,
            mood: mood(row.state.as_str()),
            state: row.state.as_str(),
            tries: row.tries,
            at: moment(row.created_at),
        }
    }
}

struct Line {
    id: Uuid,
    open: Vec<Open>,
    application: String,
    url: String,
    status: &'static str,
    mood: &'static str,
    types: String,
    success: String,
    failure: String,
    receives: bool,
    failing: bool,
}

#[derive(Template)]
#[template(path = "console/webhooks.html")]
struct WebhooksPage<'a> {
    frame: &'a Frame,
    company: Uuid,
    lines: Vec<Line>,
    types: Vec<&'static str>,
    again: bool,
    /// the day before, as a form shows it
    since: String,
    /// how many events were just delivered once more
    replayed: Option<u32>,
    /// whether there are more than one replay takes
    more: bool,
}

async fn show(
    State(app): State<App>,
    Path(Id(company)): Path<Id>,
    query: Query,
    request: Request,
) -> Response {
    let replayed = query.text("replayed").and_then(|text| text.parse().ok());
    let more = query.text("more") == Some("true");
    let scope = "webhook_subscriptions:read";
    access::page(&app, request, For::Company(company, scope), move |tx, visit| {
        let mut lines = Vec::new();
        for one in heard_by(tx, company)? {
            let Subscription { application, id, .. } = one.subscription;
            let open = deliveries::not_delivered(tx, application, id, company, ROWS)?;
            lines.push(line(one, visit, open));
        }
        let yesterday = tx.now() - jiff::Span::new().hours(24);
        frame::render(&WebhooksPage {
            frame: &visit.frame,
            company,
            lines,
            types: ALL_TYPES.iter().map(|one| one.name).collect(),
            again: visit.may(AGAIN),
            since: yesterday.strftime("%Y-%m-%dT%H:%M").to_string(),
            replayed,
            more,
        })
    })
    .await
}

fn line(one: CompanySubscription, visit: &PageContext, open: Vec<Delivery>) -> Line {
    let Subscription { id, status, types, last_success_at, last_failure_at, .. } = &one.subscription;
    let last = |at: &Option<Timestamp>| at.map_or_else(|| "never".to_owned(), moment);
    Line {
        id: *id,
        open: open.into_iter().map(Open::of).collect(),
        url: one.url_for(visit),
        status: status.as_str(),
        mood: mood(status.as_str()),
        types: types.names().join(", "),
        success: last(last_success_at),
        failure: last(last_failure_at),
        receives: one.receives(),
        failing: one.is_failing(),
        application: one.application,
    }
}

async fn replay(State(app): State<App>, Path(Id(company)): Path<Id>, request: Request) -> Response {
    if let Err(error) = outbox::number_all(&app.store).await {
        tracing::warn!(?error, "events could not be numbered before a replay");
    }
    access::act(&app, request, For::Company(company, AGAIN), move |tx, visit, form| {
        let id = id_of(form.get("subscription").unwrap_or_default());
        let heard = heard_by(tx, company)?.into_iter().find(|one| one.subscription.id == id);
        let application = heard.ok_or(Error::NotFound)?.subscription.application;
        let done =
            redelivery::replay_to(tx, &visit.caller, (application, id), Some(company), &command(form))?;
        let more = done.continue_after.is_some();
        Ok(format!("/console/companies/{company}/webhooks?replayed={}&more={more}", done.events))
    })
    .await
}

/// The replay that a form describes. A date and time without a zone, as a browser sends them, are in UTC.
fn command(form: &Params) -> ReplayEvents {
    let text = |key| form.get(key).map_or(Patch::Absent, |text| Patch::Value(text.to_owned()));
    let moment = |key| match text(key) {
        Patch::Value(text) if !text.ends_with('Z') => Patch::Value(format!("{text}Z")),
        other => other,
    };
    ReplayEvents {
        from: moment("from"),
        to: moment("to"),
        event_type: text("event_type"),
        starting_after_uuid: Patch::Absent,
    }
}
