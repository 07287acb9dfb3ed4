//! The overview of a company: what is late and what comes next, what waits for somebody, and how its payrolls went.

use askama::Template;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use axum::routing::get;
use jiff::ToSpan;
use jiff::civil::Date;
use rules::Amount;
use rules::Named as _;
use rules::days::Days;
use store::Tx;
use uuid::Uuid;

use super::access;
use super::access::{For, PageContext};
use super::frame;
use super::frame::Frame;
use super::picture;
use super::show::{Dates, in_days, status_mood};
use super::webhooks::heard_by;
use crate::money::format_amount;
use domain::access::connections;
use domain::access::tokens::Caller;
use domain::company::{companies, setup as company_setup};
use domain::money::views::notices;
use domain::money::views::notices::Notice;
use domain::paging::Page;
use domain::pay::payrolls::calendar::missed;
use domain::pay::payrolls::record::payroll as record;
use domain::pay::payrolls::service as payrolls;
use domain::pay::payrolls::service::blockers::Blocker;
use domain::pay::payrolls::service::{ListPayrolls, blockers};
use domain::people::employees::counts;
use domain::people::employees::counts::Counts;
use interface::app::App;
use interface::company::notices::wire::Notification;
use interface::company::setup::wire::OnboardingStep;
use interface::error::Error;
use interface::http::Id;

/// Maximum of a company's applications shown.
const APPLICATIONS: i64 = 20;
/// Maximum of notifications shown.
const NOTICES: i64 = 20;
/// Payrolls in the picture of the past.
const PAST: i64 = 12;
/// Past payrolls that are listed.
const LISTED: usize = 3;

pub(super) fn routes() -> Router<App> {
    Router::new().route("/console/companies/{company}", get(show_overview))
}

#[derive(Template)]
#[template(path = "console/company.html")]
struct OverviewPage<'a> {
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
    payroll: Option<Payrolls>,
    /// what waits for somebody
    waiting: Vec<Waiting>,
    /// how many more wait
    more: i64,
    /// failing subscriptions, and their number; `None` if the visitor may not see them
    webhooks: Option<(usize, usize)>,
}

/// Late payrolls, the next one, what blocks it, and the latest ones.
struct Payrolls {
    late: Vec<Coming>,
    next: Option<Coming>,
    blockers: Vec<Blocker>,
    last: Vec<Past>,
    picture: String,
}

struct Coming {
    id: Uuid,
    pay_date: String,
    period: String,
    /// the moment until which it can be submitted
    deadline: String,
    /// how far away its pay date is, in words
    away: String,
}

struct Past {
    id: Uuid,
    pay_date: String,
    net: String,
}

/// Something that waits for somebody, and where it is settled.
struct Waiting {
    title: String,
    text: String,
    link: Option<(String, &'static str)>,
}

fn coming_payroll(one: &record::Payroll, dates: Dates, today: Date) -> Coming {
    let pay_date = one.initial_check_date;
    Coming {
        id: one.id,
        pay_date: dates.format_day(pay_date),
        period: format!("For {} to {}", dates.format_day(one.start), dates.format_day(one.end)),
        deadline: dates.minute(one.deadline_of_first_pay_date()),
        away: in_days(today, pay_date),
    }
}

fn list_payrolls(
    tx: &mut Tx<'_>,
    caller: &Caller,
    processed: bool,
    Days { first: start, last: end }: Days,
) -> Result<Vec<record::Payroll>, Error> {
    let filter = ListPayrolls {
        processed: Some(processed),
        start: Some(start),
        end: Some(end),
        by_check_date: true,
        descending: processed,
        ..ListPayrolls::default()
    };
    Ok(payrolls::list_payrolls(tx, caller, &filter, Page::Part { page: 1, per: PAST })?.items)
}

fn of_payrolls(tx: &mut Tx<'_>, caller: &Caller, dates: Dates) -> Result<Payrolls, Error> {
    let today = caller.today(tx);
    let late = missed::of_company(tx, caller)?;
    let next =
        list_payrolls(tx, caller, false, Days { first: today, last: today.saturating_add(2.months()) })?
            .into_iter()
            .find(|one| !late.iter().any(|missed| missed.id == one.id));
    let past = list_payrolls(
        tx,
        caller,
        true,
        Days { first: today.saturating_sub(11.months()), last: today.saturating_add(1.month()) },
    )?;
    let sum = |one: &record::Payroll, key: &str| {
        Amount::parse(one.totals.totals.as_ref()?.get(key)?.as_str()?).ok()
    };
    let paid: Vec<_> = past.iter().filter(|one| !one.skipped).collect();
    let gross =
        paid.iter().rev().filter_map(|one| Some((dates.format_day(one.check_date), sum(one, "gross_pay")?)));
    let last = paid.iter().take(LISTED).map(|one| Past {
        id: one.id,
        pay_date: dates.format_day(one.check_date),
        net: sum(one, "net_pay").map(format_amount).unwrap_or_default(),
    });
    Ok(Payrolls {
        late: late.iter().map(|one| coming_payroll(one, dates, today)).collect(),
        next: next.map(|one| coming_payroll(&one, dates, today)),
        blockers: blockers::list_blockers(tx, caller)?,
        last: last.collect(),
        picture: picture::amount_columns("Gross pay", &gross.collect::<Vec<_>>()),
    })
}

/// Where a notification is settled, if the visitor may go there.
fn settled_at(visit: &PageContext, company: Uuid, notice: &Notice) -> Option<(String, &'static str)> {
    let (path, title, scope) = match notice {
        Notice::Recovery(_) | Notice::Unfunded(_) | Notice::Unverified(_) => {
            ("money".to_owned(), "Money", "ach_transactions:read")
        }
        Notice::SupportReturned { .. } => ("owed".to_owned(), "Not paid", "company_reports:read"),
        Notice::Returned { employee, .. } | Notice::Review(employee) => {
            (format!("employees/{}", employee.id), "The employee", "employees:read")
        }
        Notice::LowWage(low) => (format!("employees/{}", low.employee.id), "The employee", "employees:read"),
        Notice::Missed(payroll) | Notice::Transition(payroll) => {
            (format!("payrolls/{}", payroll.id), "The payroll", "payrolls:read")
        }
        Notice::LastWages(_) => ("payrolls".to_owned(), "Payrolls", "payrolls:read"),
        Notice::Correction { .. } | Notice::YearEnd(_) => {
            ("tax_returns".to_owned(), "Tax returns", "company_forms:read")
        }
        Notice::HomeQuestions(_) => ("employees".to_owned(), "Employees", "employees:read"),
        Notice::Unsigned(_) => return None,
    };
    visit.has_scope(scope).then(|| (format!("/console/companies/{company}/{path}"), title))
}

/// What waits for somebody, without the late payrolls, and how many more there are.
fn waiting_notices(
    tx: &mut Tx<'_>,
    visit: &PageContext,
    company: Uuid,
) -> Result<(Vec<Waiting>, i64), Error> {
    let found = notices::list_notices(tx, &visit.caller, Page::Part { page: 1, per: NOTICES })?;
    let total = found.paging.map_or(0, |(.., total)| total);
    let more = total - i64::try_from(found.items.len()).unwrap_or_default();
    let is_other = |notice: &&Notice| !matches!(notice, Notice::Missed(_));
    let waiting = found.items.iter().filter(is_other).map(|notice| {
        let told = Notification::new(company, notice);
        Waiting {
            title: visit.frame.dates.within_text(&told.title),
            text: visit.frame.dates.within_text(&told.message),
            link: settled_at(visit, company, notice),
        }
    });
    Ok((waiting.collect(), more))
}

async fn show_overview(State(app): State<App>, Path(Id(company)): Path<Id>, request: Request) -> Response {
    access::show_page(&app, request, For::Company(company, "companies:read"), move |tx, visit| {
        let caller = &visit.caller;
        let company = companies::rows::find_company(tx, caller.company)?.ok_or(Error::NotFound)?;
        let onboarding = company_setup::service::onboarding_status(tx, caller, false)?;
        let Counts { number, onboarded } = counts::stored_counts(tx, caller.company)?;
        let steps: Vec<_> = onboarding.steps.into_iter().map(OnboardingStep::from).collect();
        let status = company.company_status.as_str();
        let (waiting, more) = match visit.has_scope("notifications:read") {
            true => waiting_notices(tx, visit, caller.company)?,
            false => (Vec::new(), 0),
        };
        let payroll = match visit.has_scope("payrolls:read") {
            true => Some(of_payrolls(tx, caller, visit.frame.dates)?),
            false => None,
        };
        let webhooks = match visit.has_scope("webhook_subscriptions:read") {
            true => {
                let heard = heard_by(tx, caller.company)?;
                Some((heard.iter().filter(|one| one.is_failing()).count(), heard.len()))
            }
            false => None,
        };
        frame::render_page(&OverviewPage {
            frame: &visit.frame,
            status,
            mood: status_mood(status),
            employees: number,
            onboarded,
            finished: onboarding.finished,
            done: steps.iter().filter(|step| step.completed).count(),
            steps,
            applications: connections::of_company(tx, caller.company, APPLICATIONS)?,
            payroll,
            waiting,
            more,
            webhooks,
            company,
        })
    })
    .await
}
