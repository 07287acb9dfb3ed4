//! A company's contractors, and one of them with the steps of onboarding and the documents.

use askama::Template;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use axum::routing::get;
use jiff::civil::Date;
use rules::Named;
use uuid::Uuid;

use super::access;
use super::access::For;
use super::employees::LONGEST;
use super::frame;
use super::frame::Frame;
use super::show::{Dates, Pages, plain_words, status_mood};
use domain::contractors::documents::rows as documents;
use domain::contractors::onboarding;
use domain::contractors::profiles::rows::{self, ContractorFilter, ContractorKey};
use domain::contractors::profiles::service as profiles;
use domain::contractors::records::Contractor;
use domain::paging::SortBy;
use interface::app::App;
use interface::contractors::onboarding::wire::ContractorOnboardingDetails;
use interface::http::{Id, InCompany};
use interface::query::Query;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/console/companies/{company}/contractors", get(list_contractors))
        .route("/console/companies/{company}/contractors/{contractor}", get(show_contractor))
}

struct Line {
    id: Uuid,
    name: String,
    kind: &'static str,
    status: String,
    mood: &'static str,
}

#[derive(Template)]
#[template(path = "console/contractors.html")]
struct ListPage<'a> {
    frame: &'a Frame,
    q: &'a str,
    lines: Vec<Line>,
    pages: Pages,
}

async fn list_contractors(
    State(app): State<App>,
    Path(Id(company)): Path<Id>,
    query: Query,
    request: Request,
) -> Response {
    let page = Pages::page_number(&query);
    let q: String = query.text_value("q").unwrap_or_default().trim().chars().take(LONGEST).collect();
    access::show_page(&app, request, For::Company(company, "contractors:read"), move |tx, visit| {
        let today = visit.caller.today(tx);
        let search_term = Some(q.clone()).filter(|q| !q.is_empty());
        let filter = ContractorFilter {
            search_term,
            sort: vec![SortBy::ascending(ContractorKey::Name)],
            ..ContractorFilter::default()
        };
        let found = rows::list_contractors(tx, company, &filter, Pages::rows_of_page(page), today)?;
        let total = rows::count_contractors(tx, company, &filter, today)?.rows;
        let lines = found.iter().map(|one| Line {
            id: one.id,
            name: one.name(),
            kind: one.kind.as_str(),
            status: plain_words(one.status.as_str()),
            mood: status_mood(one.status.as_str()),
        });
        let (lines, pages) = (lines.collect(), Pages::of_total(page, total, &[("q", &q)]));
        frame::render_page(&ListPage { frame: &visit.frame, q: &q, lines, pages })
    })
    .await
}

struct DocumentLine {
    title: &'static str,
    signed: Option<String>,
}

#[derive(Template)]
#[template(path = "console/contractor.html")]
struct OnePage<'a> {
    frame: &'a Frame,
    company: Uuid,
    one: Contractor,
    name: String,
    address: String,
    pay: String,
    number: &'static str,
    periods: Vec<String>,
    status: ContractorOnboardingDetails,
    stands: String,
    mood: &'static str,
    done: usize,
    documents: Vec<DocumentLine>,
}

/// Each period of work in words, in order.
fn work_periods(one: &Contractor, dates: Dates) -> Vec<String> {
    let words = |first: Date, last: Option<Date>| match last {
        Some(last) => format!("{} to {}", dates.format_day(first), dates.format_day(last)),
        None => format!("since {}", dates.format_day(first)),
    };
    let earlier = one.earlier.iter().map(|period| words(period.first, Some(period.last)));
    let present = std::iter::once(words(one.start_date, one.dismissal_date));
    earlier.chain(present).chain(one.rehire_date.map(|first| words(first, None))).collect()
}

async fn show_contractor(
    State(app): State<App>,
    Path(InCompany { company, id }): Path<InCompany>,
    request: Request,
) -> Response {
    access::show_page(&app, request, For::Company(company, "contractors:read"), move |tx, visit| {
        let profile = profiles::get_contractor(tx, &visit.caller, id, false)?;
        let status = ContractorOnboardingDetails::from(onboarding::onboarding_status(tx, &visit.caller, id)?);
        let dates = visit.frame.dates;
        let held = documents::of_contractor(tx, company, id)?;
        let documents = held.iter().map(|document| DocumentLine {
            title: document.kind.title(),
            signed: document.signed_at.map(|at| dates.format_moment(at)),
        });
        let address =
            profile.address.map(|one| format!("{}, {}, {} {}", one.street_1, one.city, one.state, one.zip));
        let one = profile.contractor;
        frame::render_page(&OnePage {
            frame: &visit.frame,
            company,
            name: one.name(),
            address: address.unwrap_or_else(|| "none".to_owned()),
            pay: match one.hourly_rate {
                Some(rate) => {
                    format!("{}, {} per hour", one.wage_type.as_str(), super::dollars_of(&rate.to_text(2)))
                }
                None => one.wage_type.as_str().to_owned(),
            },
            number: if one.has_tin() { "held, sealed" } else { "not held" },
            periods: work_periods(&one, dates),
            stands: plain_words(status.onboarding_status.0.as_str()),
            mood: status_mood(status.onboarding_status.0.as_str()),
            done: status.onboarding_steps.iter().filter(|step| step.completed).count(),
            documents: documents.collect(),
            status,
            one,
        })
    })
    .await
}
