//! Events of a company, and every attempt to deliver them.

use askama::Template;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use axum::routing::{get, post};
use rules::Named;
use store::Tx;
use uuid::Uuid;

use super::ROWS;
use super::access;
use super::access::{For, PageContext};
use super::audit::{name_of_record, parse_changes};
use super::frame;
use super::frame::Frame;
use super::show;
use super::show::{Dates, status_mood, truncate_to_page};
use super::webhooks::{CompanySubscription, heard_by};
use domain::events::ALL_TYPES;
use domain::events::delivery::rows as deliveries;
use domain::events::delivery::rows::Key;
use domain::events::delivery::tries;
use domain::events::list::like_pattern;
use domain::events::webhooks::outbox;
use domain::events::webhooks::redelivery;
use domain::events::webhooks::redelivery::DeliveryLog;
use domain::events::{feed, list};
use domain::pay::payrolls;
use domain::people::employees;
use domain::platform::audit;
use domain::records::{id_of, parse_id};
use interface::app::App;
use interface::error::Error;
use interface::http::{Id, InCompany};
use interface::query::Query;

/// Scope for seeing deliveries.
const DELIVERIES: &str = "webhook_subscriptions:read";
/// Scope for seeing changes.
const CHANGES: &str = "company_admin:read";
/// Scope for redelivering.
pub(super) const AGAIN: &str = "webhook_subscriptions:write";

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/console/companies/{company}/events", get(list_events))
        .route("/console/companies/{company}/events/{event}", get(show_event))
        .route("/console/companies/{company}/events/{event}/redeliver", post(redeliver_event))
}

/// A delivery in a list.
struct Brief {
    state: &'static str,
    mood: &'static str,
    tries: i64,
}

struct Line {
    id: Uuid,
    /// status in words
    about: String,
    at: String,
    event_type: String,
    /// changes: field, before, after
    differences: Vec<(String, String, String)>,
    deliveries: Vec<Brief>,
}

#[derive(Template)]
#[template(path = "console/events.html")]
struct ListPage<'a> {
    frame: &'a Frame,
    company: Uuid,
    wanted: &'a str,
    types: Vec<&'static str>,
    lines: Vec<Line>,
    /// whether deliveries are shown
    delivered: bool,
    /// whether anybody subscribes to the company's events
    heard: bool,
    older: Option<Uuid>,
    newest: bool,
}

async fn list_events(
    State(app): State<App>,
    Path(Id(company)): Path<Id>,
    query: Query,
    request: Request,
) -> Response {
    let wanted = query.text_value("type").unwrap_or_default().to_owned();
    let before = query.text_value("before").and_then(parse_id);
    // Events are listed by number. If numbering fails, the page shows the numbered ones.
    outbox::number_all(&app.store).await.ok();
    access::show_page(&app, request, For::Company(company, "events:read"), move |tx, visit| {
        let known = ALL_TYPES.iter().any(|one| one.name == wanted);
        let pattern = if known { like_pattern("type", &wanted)? } else { "%".to_owned() };
        let mut found = list::events_before(tx, company, before, &pattern, ROWS + 1)?;
        let older = truncate_to_page(&mut found, |event| event.id);
        let delivered = visit.has_scope(DELIVERIES);
        let heard = if delivered { heard_by(tx, company)? } else { Vec::new() };
        let entries =
            if visit.has_scope(CHANGES) { entries_until(tx, company, found.first())? } else { Vec::new() };
        let mut lines = Vec::with_capacity(found.len());
        for (place, event) in found.iter().enumerate() {
            let before = found[place + 1..].iter().find(|other| other.entity == event.entity);
            lines.push(Line {
                id: event.id,
                about: describe_event(tx, company, event, visit.frame.dates)?,
                at: visit.frame.dates.format_moment(event.created_at),
                event_type: event.event_type.clone(),
                differences: event_changes(&entries, event, before),
                deliveries: in_brief(tx, &heard, event.id)?,
            });
        }
        frame::render_page(&ListPage {
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

/// The display name of an event's record, if it has one.
fn name_of(
    tx: &mut Tx<'_>,
    company: Uuid,
    event: &feed::Event,
    dates: Dates,
) -> Result<Option<String>, Error> {
    let table = match event.entity_type.as_str() {
        "Employee" => employees::service::TABLE,
        "Payroll" => payrolls::record::payroll::TABLE,
        "Company" => "companies",
        _ => "",
    };
    let name = name_of_record(tx, company, table, event.entity, dates)?;
    Ok(name.map(
        |name| if table == payrolls::record::payroll::TABLE { format!("The payroll {name}") } else { name },
    ))
}

/// The event as a sentence.
fn describe_event(
    tx: &mut Tx<'_>,
    company: Uuid,
    event: &feed::Event,
    dates: Dates,
) -> Result<String, Error> {
    let name = name_of(tx, company, event, dates)?;
    Ok(event_sentence(name.as_deref(), &event.event_type))
}

/// `employee.created` of Grace Kim as `Grace Kim was added`. For `employee.work_address.created` the address is the
/// subject.
fn event_sentence(name: Option<&str>, event_type: &str) -> String {
    let (subject, what) = event_type.rsplit_once('.').unwrap_or((event_type, ""));
    let subject = subject.rsplit('.').next().unwrap_or(subject);
    let subject = name.map_or_else(|| format!("The {}", subject.replace('_', " ")), str::to_owned);
    let what = what.replace('_', " ");
    match what.as_str() {
        "created" => format!("{subject} was added"),
        "updated" => format!("{subject} was changed"),
        done if done.ends_with("ed") || done == "paid" => format!("{subject} was {done}"),
        other => format!("{subject}: {other}"),
    }
}

/// Entries of the audit log up to an event, enough for a page of events.
fn entries_until(
    tx: &mut Tx<'_>,
    company: Uuid,
    newest: Option<&feed::Event>,
) -> Result<Vec<audit::Entry>, Error> {
    let Some(newest) = newest else { return Ok(Vec::new()) };
    Ok(audit::entries_before(tx, company, newest.id, 4 * ROWS)?)
}

/// The changes to the record that an event reports: the last audit entry about it before the event, at the same moment,
/// that no earlier event reports.
fn event_changes(
    entries: &[audit::Entry],
    event: &feed::Event,
    before: Option<&feed::Event>,
) -> Vec<(String, String, String)> {
    let entry = entries.iter().find(|entry| entry.entity == event.entity && entry.id < event.id);
    let entry = entry.filter(|entry| entry.created_at == event.created_at);
    let told_before = before.map(|before| before.id);
    entry
        .filter(|entry| told_before < Some(entry.id))
        .map(|entry| parse_changes(&entry.changes).0)
        .unwrap_or_default()
}

/// The deliveries of an event, without their attempts.
fn in_brief(tx: &mut Tx<'_>, heard: &[CompanySubscription], event: Uuid) -> Result<Vec<Brief>, Error> {
    let mut found = Vec::new();
    for one in heard {
        let key = one.delivery_key(event);
        if let Some((row, _)) = deliveries::find_delivery(tx, key)? {
            found.push(Brief {
                mood: status_mood(row.state.as_str()),
                state: row.state.as_str(),
                tries: row.tries,
            });
        }
    }
    Ok(found)
}

/// One attempt.
struct Try {
    number: i64,
    at: String,
    /// the status, or why there was no response
    answer: String,
    /// the beginning of the response, for the developer alone
    start: String,
    took: String,
    next: String,
}

impl Try {
    fn from_attempt(attempt: tries::Try, visit: &PageContext) -> Self {
        let dates = visit.frame.dates;
        let status = attempt.status.map(|status| status.to_string());
        Self {
            number: attempt.number,
            at: dates.format_moment(attempt.at),
            answer: status.or(attempt.failure).unwrap_or_default(),
            start: if visit.is_developer() { attempt.response_start } else { String::new() },
            took: format!("{} ms", attempt.micros / 1_000),
            next: attempt.next_try_at.map(|at| dates.format_moment(at)).unwrap_or_default(),
        }
    }
}

/// A delivery with its attempts.
struct Attempted {
    subscription: Uuid,
    state: &'static str,
    mood: &'static str,
    tries: Vec<Try>,
    application: String,
    url: String,
    /// whether it can be redelivered
    again: bool,
}

#[derive(Template)]
#[template(path = "console/event.html")]
struct OnePage<'a> {
    frame: &'a Frame,
    company: Uuid,
    event: &'a feed::Event,
    /// in words
    about: String,
    /// of its record
    name: Option<String>,
    at: String,
    payload: String,
    deliveries: Vec<Attempted>,
    delivered: bool,
    /// whether it was just redelivered
    done: bool,
}

async fn show_event(
    State(app): State<App>,
    Path(InCompany { company, id }): Path<InCompany>,
    query: Query,
    request: Request,
) -> Response {
    let done = query.text_value("done") == Some("redelivered");
    access::show_page(&app, request, For::Company(company, "events:read"), move |tx, visit| {
        let event = list::find_event(tx, company, id)?.ok_or(Error::NotFound)?;
        let delivered = visit.has_scope(DELIVERIES);
        frame::render_page(&OnePage {
            frame: &visit.frame,
            company,
            at: visit.frame.dates.format_moment(event.created_at),
            payload: show::pretty_json(&event.payload),
            deliveries: if delivered { event_deliveries(tx, visit, company, id)? } else { Vec::new() },
            delivered,
            done,
            about: describe_event(tx, company, &event, visit.frame.dates)?,
            name: name_of(tx, company, &event, visit.frame.dates)?,
            event: &event,
        })
    })
    .await
}

/// The deliveries of an event with every attempt.
fn event_deliveries(
    tx: &mut Tx<'_>,
    visit: &PageContext,
    company: Uuid,
    event: Uuid,
) -> Result<Vec<Attempted>, Error> {
    let mut found = Vec::new();
    for one in heard_by(tx, company)? {
        let key = one.delivery_key(event);
        let Some((row, _)) = deliveries::find_delivery(tx, key)? else { continue };
        let DeliveryLog { delivery, tries } = redelivery::with_tries(tx, row)?;
        found.push(Attempted {
            subscription: key.subscription,
            mood: status_mood(delivery.state.as_str()),
            state: delivery.state.as_str(),
            tries: tries.into_iter().map(|attempt| Try::from_attempt(attempt, visit)).collect(),
            url: one.url_for(visit),
            again: one.is_receiving() && visit.has_scope(AGAIN),
            application: one.application,
        });
    }
    Ok(found)
}

async fn redeliver_event(
    State(app): State<App>,
    Path(InCompany { company, id: event }): Path<InCompany>,
    request: Request,
) -> Response {
    access::submit_form(&app, request, For::Company(company, AGAIN), move |tx, visit, form| {
        let subscription = id_of(form.get("subscription").unwrap_or_default());
        let heard = heard_by(tx, company)?.into_iter().find(|one| one.subscription.id == subscription);
        let Key { application, .. } = heard.ok_or(Error::NotFound)?.delivery_key(event);
        let key = Key { application, subscription, event };
        redelivery::redeliver_to(tx, &visit.caller, key, Some(company))?;
        Ok(format!("/console/companies/{company}/events/{event}?done=redelivered"))
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_a_sentence_about_what_has_a_name() {
        assert_eq!(event_sentence(Some("Grace Kim"), "employee.created"), "Grace Kim was added");
        assert_eq!(
            event_sentence(Some("The payroll of Nov 13, 2026"), "payroll.paid"),
            "The payroll of Nov 13, 2026 was paid"
        );
        assert_eq!(event_sentence(None, "company_benefit.updated"), "The company benefit was changed");
        assert_eq!(event_sentence(None, "employee.work_address.created"), "The work address was added");
        assert_eq!(
            event_sentence(Some("Ava Nguyen"), "employee.self_onboarding_overdue"),
            "Ava Nguyen: self onboarding overdue"
        );
    }
}
