//! The subscriptions to a company's events, their status, and replaying a period.
//!
//! A subscription belongs to an application, which may subscribe to other companies, too. An administrator of one
//! company sees where its events go and the status of their deliveries, and can have its own events redelivered, but
//! sees neither the rest of the URL nor the responses of the application's server: those may concern others.

use askama::Template;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use axum::routing::{get, post};
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
use super::picture;
use super::show::{Dates, status_mood};
use domain::access::connections;
use domain::access::tokens::{Actor, Caller};
use domain::events::ALL_TYPES;
use domain::events::delivery::rows as deliveries;
use domain::events::delivery::rows::{Delivery, DeliveryState, Key};
use domain::events::delivery::tries::{self, TryOutcome};
use domain::events::webhooks::commands::{CreateSubscription, ReplayEvents, VerifySubscription};
use domain::events::webhooks::outbox;
use domain::events::webhooks::redelivery;
use domain::events::webhooks::rows;
use domain::events::webhooks::rows::Subscription;
use domain::events::webhooks::service::{self, MOST};
use domain::events::webhooks::types::{NAMES, SubscriptionStatus};
use domain::patch::Patch;
use domain::records::id_of;
use interface::access::oauth::params::Params;
use interface::app::App;
use interface::error::Error;
use interface::http::{Id, InCompany};
use interface::query::Query;

/// Maximum of a company's applications, and of subscriptions of all of them, that are examined.
const APPLICATIONS: i64 = 20;
const SUBSCRIPTIONS: usize = 20;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/console/companies/{company}/webhooks", get(show_webhooks).post(replay_events))
        .route("/console/companies/{company}/webhooks/subscribe", post(create_subscription))
        .route("/console/companies/{company}/webhooks/{subscription}/set", post(set_subscription_status))
        .route("/console/companies/{company}/webhooks/{subscription}/retry", post(retry))
}

/// A subscription to a company's events.
pub(super) struct CompanySubscription {
    /// name of its application
    pub application: String,
    /// the subscription
    pub subscription: Subscription,
}

impl CompanySubscription {
    /// The key of an event's delivery to it.
    pub fn delivery_key(&self, event: Uuid) -> Key {
        Key { application: self.subscription.application, subscription: self.subscription.id, event }
    }

    /// Whether the last attempt failed.
    pub fn is_failing(&self) -> bool {
        self.subscription.last_failure_at > self.subscription.last_success_at
    }

    /// Whether it receives deliveries.
    pub fn is_receiving(&self) -> bool {
        self.subscription.status == SubscriptionStatus::Verified
    }

    /// Its URL, as far as the visitor may see it.
    pub fn url_for(&self, visit: &PageContext) -> String {
        let url = &self.subscription.url;
        if visit.is_developer() {
            return url.clone();
        }
        url::Url::parse(url).map_or_else(|_| String::new(), |url| url.origin().ascii_serialization())
    }
}

/// The subscriptions to the company's events.
pub(super) fn heard_by(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<CompanySubscription>, Error> {
    let mut heard = Vec::new();
    for one in connections::of_company(tx, company, APPLICATIONS)? {
        for subscription in rows::list_subscriptions(tx, one.application, MOST)? {
            heard.push(CompanySubscription { application: one.name.clone(), subscription });
        }
    }
    heard.truncate(SUBSCRIPTIONS);
    Ok(heard)
}

/// A delivery that failed, or is not successful yet.
struct Open {
    event: Uuid,
    event_type: String,
    state: &'static str,
    mood: &'static str,
    tries: i64,
    at: String,
}

impl Open {
    fn from_delivery(row: Delivery, dates: Dates) -> Self {
        Self {
            event: row.key.event,
            event_type: row.event_type,
            mood: status_mood(row.state.as_str()),
            state: row.state.as_str(),
            tries: row.tries,
            at: dates.format_moment(row.created_at),
        }
    }
}

/// Maximum of attempts on a time axis.
const TRIES: i64 = 60;

struct Line {
    id: Uuid,
    /// the latest attempts on a time axis
    attempts: String,
    /// when the next attempt is due; empty if none is
    next: String,
    /// how many deliveries were given up and can be retried at once
    given_up: usize,
    /// what the developer can do: enter the token, pause deliveries, or resume them
    set: &'static str,
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
    /// applications for which the developer can subscribe; other visitors cannot
    applications: Vec<(Uuid, String)>,
    names: [&'static str; NAMES.len()],
    /// the previous day, in the format of a form field
    since: String,
    /// what was just done
    done: &'static str,
    /// how many events were just redelivered
    replayed: Option<u32>,
    /// whether there are more than one replay covers
    more: bool,
}

async fn show_webhooks(
    State(app): State<App>,
    Path(Id(company)): Path<Id>,
    query: Query,
    request: Request,
) -> Response {
    let replayed = query.text_value("replayed").and_then(|text| text.parse().ok());
    let more = query.text_value("more") == Some("true");
    let done = match query.text_value("done") {
        Some("subscribed") => {
            "The token was posted to the address. Enter it below; then events are delivered."
        }
        Some("verify") => "The subscription is verified: events are delivered from now on.",
        Some("retried") => "These deliveries are open again; their retry schedule starts over.",
        Some("pause") => "Nothing is delivered any more. What happens meanwhile can be replayed afterwards.",
        Some("resume") => {
            "Events are delivered again. Replay what happened during the pause, if it is wanted."
        }
        _ => "",
    };
    let scope = "webhook_subscriptions:read";
    access::show_page(&app, request, For::Company(company, scope), move |tx, visit| {
        let mut lines = Vec::new();
        for one in heard_by(tx, company)? {
            let Subscription { application, id, .. } = one.subscription;
            let open = deliveries::not_delivered(tx, application, id, company, ROWS)?;
            let mut tries = tries::newest_attempts(tx, application, id, company, TRIES)?;
            tries.reverse();
            lines.push(subscription_line(one, visit, open, &tries));
        }
        let applications = match visit.is_developer() {
            true => connections::of_company(tx, company, APPLICATIONS)?,
            false => Vec::new(),
        };
        let applications = applications.into_iter().filter(|one| one.ended_at.is_none());
        let yesterday = tx.now() - jiff::Span::new().hours(24);
        frame::render_page(&WebhooksPage {
            frame: &visit.frame,
            company,
            lines,
            types: ALL_TYPES.iter().map(|one| one.name).collect(),
            again: visit.has_scope(AGAIN),
            applications: applications.map(|one| (one.application, one.name)).collect(),
            names: NAMES,
            since: yesterday.strftime("%Y-%m-%dT%H:%M").to_string(),
            done,
            replayed,
            more,
        })
    })
    .await
}

fn subscription_line(
    one: CompanySubscription,
    visit: &PageContext,
    open: Vec<Delivery>,
    tries: &[TryOutcome],
) -> Line {
    let dates = visit.frame.dates;
    let told =
        |one: &TryOutcome| one.status.map_or_else(|| "no response".to_owned(), |status| status.to_string());
    let tries: Vec<_> = tries.iter().map(|one| (one.at, one.is_success(), told(one))).collect();
    let waiting = open.iter().filter(|row| row.state == DeliveryState::Open && one.is_receiving());
    let next = waiting.map(|row| row.due).min();
    let Subscription { id, status, types, last_success_at, last_failure_at, .. } = &one.subscription;
    let last = |at: &Option<Timestamp>| at.map_or_else(|| "never".to_owned(), |at| dates.format_moment(at));
    Line {
        id: *id,
        attempts: picture::attempts(&tries, next, |at| dates.format_moment(at)),
        next: next.map(|at| dates.format_moment(at)).unwrap_or_default(),
        given_up: open.iter().filter(|row| is_given_up(row)).count(),
        set: match status {
            _ if !visit.is_developer() => "",
            SubscriptionStatus::Pending | SubscriptionStatus::Unreachable => "verify",
            SubscriptionStatus::Verified => "pause",
            SubscriptionStatus::Paused => "resume",
            SubscriptionStatus::Removed => "",
        },
        open: open.into_iter().map(|row| Open::from_delivery(row, dates)).collect(),
        url: one.url_for(visit),
        status: status.as_str(),
        mood: status_mood(status.as_str()),
        types: types.names().join(", "),
        success: last(last_success_at),
        failure: last(last_failure_at),
        receives: one.is_receiving(),
        failing: one.is_failing(),
        application: one.application,
    }
}

async fn replay_events(State(app): State<App>, Path(Id(company)): Path<Id>, request: Request) -> Response {
    if let Err(error) = outbox::number_all(&app.store).await {
        tracing::warn!(?error, "events could not be numbered before a replay");
    }
    access::submit_form(&app, request, For::Company(company, AGAIN), move |tx, visit, form| {
        let id = id_of(form.get("subscription").unwrap_or_default());
        let heard = heard_by(tx, company)?.into_iter().find(|one| one.subscription.id == id);
        let application = heard.ok_or(Error::NotFound)?.subscription.application;
        let done = redelivery::replay_to(
            tx,
            &visit.caller,
            (application, id),
            Some(company),
            &replay_command(form),
        )?;
        let more = done.continue_after.is_some();
        Ok(format!("/console/companies/{company}/webhooks?replayed={}&more={more}", done.events))
    })
    .await
}

/// Subscriptions belong to applications, so only the developer, who owns all applications under `stipend dev`, changes
/// them here.
fn as_application(visit: &PageContext, application: Uuid) -> Result<Caller, Error> {
    if !visit.is_developer() {
        return Err(Error::NotFound);
    }
    Ok(Caller { actor: Actor::Application(application), company: Uuid::nil(), ..visit.caller.clone() })
}

async fn create_subscription(
    State(app): State<App>,
    Path(Id(company)): Path<Id>,
    request: Request,
) -> Response {
    let policy = app.settings.webhook_policy();
    access::submit_form(&app, request, For::Company(company, AGAIN), move |tx, visit, form| {
        let application = id_of(form.get("application").unwrap_or_default());
        let caller = as_application(visit, application)?;
        if !connections::was_ever_connected(tx, company, application)? {
            return Err(Error::NotFound);
        }
        let types = NAMES.iter().filter(|name| form.get(name).is_some()).map(|name| (*name).to_owned());
        let command = CreateSubscription {
            url: Patch::Value(form.get("url").unwrap_or_default().to_owned()),
            subscription_types: Patch::Value(types.collect()),
        };
        service::create_subscription(tx, &caller, &policy, false, &command)?;
        Ok(format!("/console/companies/{company}/webhooks?done=subscribed"))
    })
    .await
}

/// Whether no further attempt is made of itself: the retries are over, or the subscription was unreachable or paused
/// meanwhile.
fn is_given_up(row: &Delivery) -> bool {
    matches!(row.state, DeliveryState::Failed | DeliveryState::Abandoned)
}

/// Redelivers all deliveries of the company that were given up, as far as the page lists them.
async fn retry(
    State(app): State<App>,
    Path(InCompany { company, id }): Path<InCompany>,
    request: Request,
) -> Response {
    access::submit_form(&app, request, For::Company(company, AGAIN), move |tx, visit, _| {
        let heard = heard_by(tx, company)?.into_iter().find(|one| one.subscription.id == id);
        let application = heard.ok_or(Error::NotFound)?.subscription.application;
        let open = deliveries::not_delivered(tx, application, id, company, ROWS)?;
        for row in open.iter().filter(|row| is_given_up(row)) {
            match redelivery::redeliver_to(tx, &visit.caller, row.key, Some(company)) {
                // An event that is no longer kept cannot be delivered; the others are.
                Ok(_) | Err(domain::Error::Violations(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(format!("/console/companies/{company}/webhooks?done=retried"))
    })
    .await
}

/// Verifies, pauses or resumes a subscription.
async fn set_subscription_status(
    State(app): State<App>,
    Path(InCompany { company, id }): Path<InCompany>,
    request: Request,
) -> Response {
    access::submit_form(&app, request, For::Company(company, AGAIN), move |tx, visit, form| {
        let heard = heard_by(tx, company)?.into_iter().find(|one| one.subscription.id == id);
        let application = heard.ok_or(Error::NotFound)?.subscription.application;
        let caller = as_application(visit, application)?;
        let to = form.get("to").unwrap_or_default();
        match to {
            "verify" => {
                let token = form.get("verification_token").unwrap_or_default().trim().to_owned();
                let command = VerifySubscription { verification_token: Patch::Value(token) };
                drop(service::verify_subscription(tx, &caller, id, &command)?);
            }
            "pause" | "resume" => service::set_paused(tx, &caller, (application, id), to == "pause")?,
            _ => return Err(Error::NotFound),
        }
        Ok(format!("/console/companies/{company}/webhooks?done={to}"))
    })
    .await
}

/// The replay requested by a form. A date and time without a zone, as a browser sends it, is in UTC.
fn replay_command(form: &Params) -> ReplayEvents {
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
