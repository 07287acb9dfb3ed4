//! The companies, and one of them with the steps of its onboarding.

use askama::Template;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use axum::routing::get;
use jiff::ToSpan;
use rules::Named as _;
use store::Tx;
use uuid::Uuid;

use super::access;
use super::access::{For, PageContext, Who};
use super::frame;
use super::frame::Frame;
use super::show::{Dates, Pages, mood};
use super::webhooks::heard_by;
use crate::money::dollars_of;
use domain::access::connections;
use domain::access::tokens::Caller;
use domain::access::users::rows as users;
use domain::company::{companies, setup as company_setup};
use domain::paging::{Listed, Page};
use domain::pay::payrolls::service as payrolls;
use domain::pay::payrolls::service::blockers::Blocker;
use domain::pay::payrolls::service::{ListPayrolls, blockers};
use domain::people::employees::counts;
use domain::people::employees::counts::Counts;
use interface::app::App;
use interface::company::setup::wire::OnboardingStep;
use interface::error::Error;
use interface::http::Id;
use interface::pay::payrolls::wire::{Include, Payroll};
use interface::query::Query;

/// Maximum of a company's applications shown.
const APPLICATIONS: i64 = 20;

pub(super) fn routes() -> Router<App> {
    Router::new().route("/console/companies/{company}", get(one))
}

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

pub(super) async fn list(State(app): State<App>, query: Query, request: Request) -> Response {
    let page = Pages::asked(&query);
    access::page(&app, request, For::Everybody, move |tx, visit| {
        let (found, total) = reachable(tx, visit, page)?;
        let mut lines = Vec::with_capacity(found.len());
        for (id, name, status, role) in found {
            let finished = company_setup::rows::onboarding(tx, id)?.finished_at.is_some();
            lines.push(Line { id, name, mood: mood(&status), status, finished, role });
        }
        frame::render(&ListPage { frame: &visit.frame, lines, pages: Pages::of(page, total, &[]) })
    })
    .await
}

type Found = (Uuid, String, String, &'static str);

/// The companies that the visitor can see, and their number.
fn reachable(tx: &mut Tx<'_>, visit: &PageContext, page: i64) -> Result<(Vec<Found>, i64), Error> {
    match &visit.who {
        Who::Developer => {
            let (found, total) = companies::rows::all(tx, Pages::rows(page))?;
            Ok((
                found.into_iter().map(|one| (one.id, one.name, one.status.as_str().to_owned(), "")).collect(),
                total,
            ))
        }
        Who::Admin(session) => {
            let all = users::companies_of(tx, session.user.id)?;
            let total = all.len() as i64;
            let found = Listed::slice(Pages::rows(page), all).items.into_iter();
            let rows = found.map(|one| (one.company, one.name, one.status, one.role.as_str()));
            Ok((rows.collect(), total))
        }
    }
}

#[derive(Template)]
#[template(path = "console/company.html")]
struct OnePage<'a> {
    frame: &'a Frame,
    company: companies::rows::Company,
    status: &'static str,
    mood: &'static str,
    employees: i64,
    onboarded: i64,
    finished: bool,
    steps: Vec<OnboardingStep>,
    done: usize,
    applications: Vec<connections::Connected>,
    /// `None` if the visitor may not see payrolls
    payroll: Option<NextPayroll>,
    /// failing subscriptions, and their number; `None` if the visitor may not see them
    webhooks: Option<(usize, usize)>,
}

/// The next payroll, what blocks it, and the latest ones.
struct NextPayroll {
    next: Option<Coming>,
    blockers: Vec<Blocker>,
    last: Vec<Past>,
}

struct Coming {
    id: Uuid,
    pay_date: String,
    period: String,
}

struct Past {
    id: Uuid,
    pay_date: String,
    net: String,
}

fn next_payroll(tx: &mut Tx<'_>, caller: &Caller, dates: Dates) -> Result<NextPayroll, Error> {
    let today = caller.today(tx);
    let list = |tx: &mut Tx<'_>, processed, start, end, descending| {
        let filter = ListPayrolls {
            processed: Some(processed),
            start: Some(start),
            end: Some(end),
            by_check_date: true,
            descending,
            ..ListPayrolls::default()
        };
        payrolls::list(tx, caller, &filter, Page::Part { page: 1, per: 3 })
    };
    let coming = list(tx, false, today, today.saturating_add(2.months()), false)?.items;
    let past = list(tx, true, today.saturating_sub(6.months()), today.saturating_add(1.month()), true)?.items;
    let include = Include { totals: true, ..Include::default() };
    let last = past.iter().map(|payroll| {
        let shown = Payroll::new(caller, payroll, include);
        let net = shown.totals.as_ref().and_then(|totals| totals.get("net_pay")?.as_str());
        Past {
            id: payroll.id,
            pay_date: dates.day(payroll.check_date),
            net: net.map(dollars_of).unwrap_or_default(),
        }
    });
    let last = last.collect();
    let next = coming.first().map(|payroll| Coming {
        id: payroll.id,
        pay_date: dates.day(payroll.check_date),
        period: format!("For {} to {}", dates.day(payroll.start), dates.day(payroll.end)),
    });
    Ok(NextPayroll { next, blockers: blockers::list(tx, caller)?, last })
}

async fn one(State(app): State<App>, Path(Id(company)): Path<Id>, request: Request) -> Response {
    access::page(&app, request, For::Company(company, "companies:read"), move |tx, visit| {
        let caller = &visit.caller;
        let company = companies::rows::find(tx, caller.company)?.ok_or(Error::NotFound)?;
        let onboarding = company_setup::service::get(tx, caller, false)?;
        let Counts { number, onboarded } = counts::kept(tx, caller.company)?;
        let steps: Vec<_> = onboarding.steps.into_iter().map(OnboardingStep::from).collect();
        let status = company.company_status.as_str();
        frame::render(&OnePage {
            frame: &visit.frame,
            status,
            mood: mood(status),
            employees: number,
            onboarded,
            finished: onboarding.finished,
            done: steps.iter().filter(|step| step.completed).count(),
            steps,
            applications: connections::of_company(tx, caller.company, APPLICATIONS)?,
            payroll: if visit.may("payrolls:read") {
                Some(next_payroll(tx, caller, visit.frame.dates)?)
            } else {
                None
            },
            webhooks: match visit.may("webhook_subscriptions:read") {
                true => {
                    let heard = heard_by(tx, caller.company)?;
                    Some((heard.iter().filter(|one| one.is_failing()).count(), heard.len()))
                }
                false => None,
            },
            company,
        })
    })
    .await
}
