//! Who did what in a company, and how far the log is sealed.

use std::collections::HashMap;

use askama::Template;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use axum::routing::get;
use store::Tx;
use uuid::Uuid;

use super::ROWS;
use super::access;
use super::access::For;
use super::employees::full_name;
use super::frame;
use super::frame::Frame;
use super::show::{moment, older, pretty, words};
use domain::access::applications;
use domain::access::users::rows as users;
use domain::people::employees;
use domain::platform::audit;
use domain::platform::audit::seals;
use domain::records::parse_id;
use interface::app::App;
use interface::error::Error;
use interface::http::Id;
use interface::query::Query;

pub(super) fn routes() -> Router<App> {
    Router::new().route("/console/companies/{company}/audit", get(list))
}

struct Line {
    at: String,
    actor: String,
    action: String,
    entity_type: String,
    entity: Uuid,
    ip: String,
    request_id: String,
    /// empty where nothing is shown
    changes: String,
    sealed: bool,
}

/// The newest seal of the log.
struct Newest {
    number: i64,
    at: String,
    text: String,
}

#[derive(Template)]
#[template(path = "console/audit.html")]
struct AuditPage<'a> {
    frame: &'a Frame,
    seal: Option<Newest>,
    lines: Vec<Line>,
    older: Option<Uuid>,
    newest: bool,
}

async fn list(
    State(app): State<App>,
    Path(Id(company)): Path<Id>,
    query: Query,
    request: Request,
) -> Response {
    let before = query.text("before").and_then(parse_id);
    access::page(&app, request, For::Company(company, "company_admin:read"), move |tx, visit| {
        let mut found = audit::before(tx, company, before.unwrap_or(Uuid::max()), ROWS + 1)?;
        let older = older(&mut found, |entry| entry.id);
        let seal = seals::newest(tx, company)?;
        let through = seal.as_ref().map(|seal| seal.through);
        let mut names = HashMap::new();
        let mut lines = Vec::with_capacity(found.len());
        for entry in &found {
            let key = (entry.actor_kind.clone(), entry.actor);
            if !names.contains_key(&key) {
                let name = name_of(tx, company, &entry.actor_kind, entry.actor)?;
                names.insert(key.clone(), name);
            }
            lines.push(Line {
                at: moment(entry.created_at),
                actor: names.get(&key).cloned().unwrap_or_default(),
                action: words(&entry.action),
                entity_type: entry.entity_type.clone(),
                entity: entry.entity,
                ip: entry.ip.clone(),
                request_id: entry.request_id.clone(),
                sealed: through.is_some_and(|through| entry.id <= through),
                changes: if entry.changes.trim() == "{}" { String::new() } else { pretty(&entry.changes) },
            });
        }
        frame::render(&AuditPage {
            frame: &visit.frame,
            seal: seal.map(|seal| Newest {
                number: seal.number,
                at: moment(seal.at),
                text: hex::encode(&seal.seal),
            }),
            older,
            newest: before.is_none(),
            lines,
        })
    })
    .await
}

/// Who it was, for people; whoever is gone goes by kind and identifier.
fn name_of(tx: &mut Tx<'_>, company: Uuid, kind: &str, id: Uuid) -> Result<String, Error> {
    let named = match kind {
        "application" => applications::find(tx, &id.to_string())?.map(|found| found.name),
        "employee" => employees::Employee::find(tx, company, id)?.map(|found| full_name(&found)),
        "user" => users::find(tx, id)?.map(|found| found.email),
        "service" => return Ok("The service".to_owned()),
        "operator" => return Ok("The operator".to_owned()),
        _ => None,
    };
    Ok(match named {
        Some(name) => format!("{name} ({kind})"),
        None => format!("{kind} {id}"),
    })
}
