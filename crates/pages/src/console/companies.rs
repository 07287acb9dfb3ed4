//! The companies.

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use rules::Named as _;
use store::Tx;
use uuid::Uuid;

use super::access;
use super::access::{For, PageContext, Who};
use super::frame;
use super::frame::Frame;
use super::show::{Pages, status_mood};
use domain::access::users::rows as users;
use domain::company::{companies, setup as company_setup};
use domain::paging::Listed;
use interface::app::App;
use interface::error::Error;
use interface::query::Query;

struct Line {
    id: Uuid,
    name: String,
    status: String,
    mood: &'static str,
    finished: bool,
    role: &'static str,
}

#[derive(Template)]
#[template(path = "console/companies.html")]
struct ListPage<'a> {
    frame: &'a Frame,
    lines: Vec<Line>,
    pages: Pages,
}

pub(super) async fn list_companies(State(app): State<App>, query: Query, request: Request) -> Response {
    let page = Pages::page_number(&query);
    access::show_page(&app, request, For::Everybody, move |tx, visit| {
        let (found, total) = find_visible_companies(tx, visit, page)?;
        let mut lines = Vec::with_capacity(found.len());
        for (id, name, status, role) in found {
            let finished = company_setup::rows::company_onboarding(tx, id)?.finished_at.is_some();
            lines.push(Line { id, name, mood: status_mood(&status), status, finished, role });
        }
        frame::render_page(&ListPage { frame: &visit.frame, lines, pages: Pages::of_total(page, total, &[]) })
    })
    .await
}

type Found = (Uuid, String, String, &'static str);

/// The companies that the visitor can see, and their number.
fn find_visible_companies(
    tx: &mut Tx<'_>,
    visit: &PageContext,
    page: i64,
) -> Result<(Vec<Found>, i64), Error> {
    match &visit.who {
        Who::Developer => {
            let (found, total) = companies::rows::list_all_companies(tx, Pages::rows_of_page(page))?;
            Ok((
                found.into_iter().map(|one| (one.id, one.name, one.status.as_str().to_owned(), "")).collect(),
                total,
            ))
        }
        Who::Admin(session) => {
            let all = users::companies_of(tx, session.user.id)?;
            let total = all.len() as i64;
            let found = Listed::slice(Pages::rows_of_page(page), all).items.into_iter();
            let rows = found.map(|one| (one.company, one.name, one.status, one.role.as_str()));
            Ok((rows.collect(), total))
        }
    }
}
