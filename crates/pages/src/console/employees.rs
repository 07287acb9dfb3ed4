//! A company's employees, and one of them with the steps of onboarding.

use askama::Template;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use axum::routing::get;
use uuid::Uuid;

use super::access;
use super::access::For;
use super::frame;
use super::frame::Frame;
use super::picture;
use super::places;
use super::places::PlaceLine;
use super::show::{Dates, Pages, plain_words, status_mood};
use crate::money::format_amount;
use domain::access::tokens::Caller;
use domain::paging::{Page, SortBy};
use domain::pay::compensations::rows as pay;
use domain::pay::payrolls::record::time_off::kind_of;
use domain::pay::payrolls::views::stubs;
use domain::pay::payrolls::views::taxes;
use domain::pay::payrolls::views::taxes::EmployeeTax;
use domain::pay::time_off;
use domain::people::employees::{Employee, service};
use domain::people::employment;
use domain::people::onboarding;
use domain::people::profiles;
use domain::people::profiles::rows::{EmployeeFilter, EmployeeKey};
use domain::records::IdRange;
use interface::app::App;
use interface::http::{Id, InCompany};
use interface::pay::compensations::wire::Job;
use interface::people::onboarding::wire::OnboardingStatus;
use interface::query::Query;
use rules::Named;
use rules::taxes::Payer;
use store::Tx;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/console/companies/{company}/employees", get(list_employees))
        .route("/console/companies/{company}/employees/{employee}", get(show_employee))
}

struct Line {
    id: Uuid,
    name: String,
    title: String,
    status: String,
    mood: &'static str,
}

#[derive(Template)]
#[template(path = "console/employees.html")]
struct ListPage<'a> {
    frame: &'a Frame,
    q: &'a str,
    lines: Vec<Line>,
    pages: Pages,
}

/// Maximum characters of a search.
pub(super) const LONGEST: usize = 100;

async fn list_employees(
    State(app): State<App>,
    Path(Id(company)): Path<Id>,
    query: Query,
    request: Request,
) -> Response {
    let page = Pages::page_number(&query);
    let q: String = query.text_value("q").unwrap_or_default().trim().chars().take(LONGEST).collect();
    access::show_page(&app, request, For::Company(company, "employees:read"), move |tx, visit| {
        let today = visit.caller.today(tx);
        let search_term = Some(q.clone()).filter(|q| !q.is_empty());
        let filter = EmployeeFilter {
            search_term,
            sort: vec![SortBy::ascending(EmployeeKey::Name)],
            ..EmployeeFilter::default()
        };
        let found = profiles::rows::list_employees(tx, company, &filter, Pages::rows_of_page(page), today)?;
        let total =
            profiles::rows::count_employees(tx, company, &filter, today, Pages::rows_of_page(page))?.rows;
        let jobs = pay::of_employees(tx, company, found.iter().map(|employee| employee.id))?;
        let title =
            |id: &Uuid| jobs.get(id).and_then(|pay| pay.primary_job()?.title.clone()).unwrap_or_default();
        let lines = found.iter().map(|employee| Line {
            id: employee.id,
            name: full_name(&employee.first_name, &employee.last_name),
            title: title(&employee.id),
            status: plain_words(employee.status.as_str()),
            mood: status_mood(employee.status.as_str()),
        });
        let (lines, pages) = (lines.collect(), Pages::of_total(page, total, &[("q", &q)]));
        frame::render_page(&ListPage { frame: &visit.frame, q: &q, lines, pages })
    })
    .await
}

/// First and last name.
pub(super) fn full_name(first_name: &str, last_name: &str) -> String {
    format!("{first_name} {last_name}")
}

/// Each period of employment in words, in order.
fn employment_line(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    jobs: &pay::Pay,
    dates: Dates,
) -> Result<Vec<String>, domain::Error> {
    let Some(hired) = pay::start_date(jobs) else { return Ok(Vec::new()) };
    let spans = employment::rows::of_employee(tx, company, employee)?.employment_spans(hired);
    let words = spans.iter().map(|span| match span.end {
        Some(end) => format!("{} to {}", dates.format_day(span.first), dates.format_day(end.last_day)),
        None => format!("since {}", dates.format_day(span.first)),
    });
    Ok(words.collect())
}

/// A paycheck in the history of pay.
struct PaycheckLine {
    payroll: Uuid,
    check_date: String,
    gross: String,
    net: String,
}

/// Paychecks in the history of pay.
const PAYCHECKS: i64 = 12;

/// The last paychecks of an employee, as a picture and as lines; void ones are left out.
fn paycheck_history(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    dates: Dates,
) -> Result<(String, Vec<PaycheckLine>), domain::Error> {
    let mut found =
        stubs::list_pay_stubs(tx, caller, employee, Page::Part { page: 1, per: PAYCHECKS })?.items;
    found.retain(|stub| stub.voided_at.is_none());
    let oldest_first =
        found.iter().rev().map(|stub| (dates.format_day(stub.check_date), stub.gross, stub.net));
    let picture = picture::paycheck_columns(&oldest_first.collect::<Vec<_>>());
    let line = |stub: stubs::PayStub| PaycheckLine {
        payroll: stub.payroll,
        check_date: dates.format_day(stub.check_date),
        gross: format_amount(stub.gross),
        net: format_amount(stub.net),
    };
    Ok((picture, found.into_iter().map(line).collect()))
}

/// A balance of time off.
struct Balance {
    name: &'static str,
    balance: String,
}

/// The balances of an employee in the active policies.
fn time_off_balances(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Vec<Balance>, domain::Error> {
    let found = time_off::enrolled::active_policies(tx, company, IdRange::only(employee))?;
    let line = |one: &time_off::enrolled::Enrolled| Balance {
        name: kind_of(one.policy.policy_type).as_str(),
        balance: match one.policy.is_unlimited() {
            true => format!("unlimited ({})", one.policy.name),
            false => format!("{} hours ({})", one.enrollment.balance.to_text(0), one.policy.name),
        },
    };
    Ok(found.get(&employee).into_iter().flatten().map(line).collect())
}

#[derive(Template)]
#[template(path = "console/employee.html")]
struct OnePage<'a> {
    frame: &'a Frame,
    company: Uuid,
    employee: Employee,
    name: String,
    status: OnboardingStatus,
    stands: String,
    mood: &'static str,
    done: usize,
    /// title of the primary job
    title: String,
    /// the newest first
    paychecks: Vec<PaycheckLine>,
    picture: String,
    jobs: Vec<Job>,
    employment: Vec<String>,
    time_off: Vec<Balance>,
    places: Vec<PlaceLine>,
    may_correct: bool,
    taxes: Vec<EmployeeTax>,
    benefits: bool,
    garnishments: bool,
    salary: bool,
}

async fn show_employee(
    State(app): State<App>,
    Path(InCompany { company, id }): Path<InCompany>,
    request: Request,
) -> Response {
    access::show_page(&app, request, For::Company(company, "employees:read"), move |tx, visit| {
        let caller = &visit.caller;
        let employee = service::find_employee(tx, caller, id)?;
        let status = OnboardingStatus::from(onboarding::service::onboarding_status(tx, caller, id)?);
        let today = caller.today(tx);
        let pay = pay::of_employee(tx, company, id)?;
        let employment = employment_line(tx, company, id, &pay, visit.frame.dates)?;
        let time_off = match visit.has_scope("time_off_policies:read") {
            true => time_off_balances(tx, company, id)?,
            false => Vec::new(),
        };
        let may_correct = visit.has_scope(places::CORRECT);
        let places = places::of_employee(tx, caller, id)?;
        let taxes = match visit.has_scope("payrolls:read") {
            true => taxes::of_employee(tx, caller, id)?,
            false => Vec::new(),
        };
        let (picture, paychecks) = match visit.has_scope("payrolls:read") {
            true => paycheck_history(tx, caller, id, visit.frame.dates)?,
            false => (String::new(), Vec::new()),
        };
        let jobs = pay.jobs.iter().map(|job| Job::new(caller, job, &pay, today, false)).collect();
        frame::render_page(&OnePage {
            frame: &visit.frame,
            company,
            name: full_name(&employee.first_name, &employee.last_name),
            stands: plain_words(status.onboarding_status.0.as_str()),
            mood: status_mood(status.onboarding_status.0.as_str()),
            done: status.onboarding_steps.iter().filter(|step| step.completed).count(),
            employee,
            status,
            title: pay.primary_job().and_then(|job| job.title.clone()).unwrap_or_default(),
            paychecks,
            picture,
            jobs,
            employment,
            time_off,
            places,
            may_correct,
            taxes,
            benefits: visit.has_scope("employee_benefits:read"),
            garnishments: visit.has_scope("garnishments:read"),
            salary: visit.has_scope("salary_estimates:read"),
        })
    })
    .await
}
