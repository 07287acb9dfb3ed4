//! The time off policies, and a button that deactivates one.

use askama::Template;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use axum::routing::{get, post};
use rules::{Amount, Named};
use uuid::Uuid;

use super::access;
use super::access::For;
use super::frame;
use super::frame::Frame;
use super::show::plain_words;
use domain::pay::time_off::rows::TimeOffPolicy;
use domain::pay::time_off::service;
use domain::records::id_of;
use interface::app::App;
use interface::http::Id;
use interface::query::Query;

/// Scope for seeing policies.
const SEE: &str = "time_off_policies:read";
/// Scope for deactivating one.
const END: &str = "time_off_policies:write";

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/console/companies/{company}/time_off", get(list_policies))
        .route("/console/companies/{company}/time_off/end", post(end_policy))
}

struct Line {
    id: Uuid,
    name: String,
    kind: String,
    /// accrual method
    earned: String,
    people: usize,
    complete: bool,
    active: bool,
}

#[derive(Template)]
#[template(path = "console/time_off.html")]
struct ListPage<'a> {
    frame: &'a Frame,
    lines: Vec<Line>,
    /// whether policies can be ended
    may_end: bool,
    /// whether one was just ended
    done: bool,
}

async fn list_policies(
    State(app): State<App>,
    Path(Id(company)): Path<Id>,
    query: Query,
    request: Request,
) -> Response {
    let done = query.text_value("done") == Some("ended");
    access::show_page(&app, request, For::Company(company, SEE), move |tx, visit| {
        let mut lines: Vec<Line> = Vec::new();
        for one in service::list_policies(tx, &visit.caller)? {
            lines.push(Line {
                id: one.policy.id,
                kind: plain_words(one.policy.policy_type.as_str()),
                earned: accrual_method_text(&one.policy),
                people: one.members.len(),
                complete: one.policy.complete,
                active: one.policy.active,
                name: one.policy.name,
            });
        }
        lines.sort_by_key(|line| !line.active);
        frame::render_page(&ListPage { frame: &visit.frame, lines, may_end: visit.has_scope(END), done })
    })
    .await
}

/// The accrual method of a policy, in words.
fn accrual_method_text(policy: &TimeOffPolicy) -> String {
    let hours = |amount: Option<Amount>| amount.unwrap_or(Amount::ZERO).to_text(2);
    let method = plain_words(policy.accrual_method.as_str());
    if policy.is_unlimited() {
        return method;
    }
    let rate = hours(policy.accrual_rate);
    match policy.accrual_rate_unit {
        Some(unit) => format!("{rate} hours for each {} hours, {}", hours(Some(unit)), method.to_lowercase()),
        None => format!("{rate} hours {}", method.to_lowercase()),
    }
}

async fn end_policy(State(app): State<App>, Path(Id(company)): Path<Id>, request: Request) -> Response {
    access::submit_form(&app, request, For::Company(company, END), move |tx, visit, form| {
        service::deactivate_policy(tx, &visit.caller, id_of(form.get("policy").unwrap_or_default()))?;
        Ok(format!("/console/companies/{company}/time_off?done=ended"))
    })
    .await
}
