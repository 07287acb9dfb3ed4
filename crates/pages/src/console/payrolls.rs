//! A company's payrolls, and one of them with its employees.

use askama::Template;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use axum::routing::get;
use jiff::ToSpan;
use jiff::civil::Date;
use rules::Amount;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::access;
use super::access::For;
use super::frame;
use super::frame::Frame;
use super::picture;
use super::picture::Part;
use super::reports;
use super::show::{Dates, Pages, plain_words, status_mood};
use crate::money::dollars_of;
use crate::month::{Mark, months};
use domain::language::Language;
use domain::money::views::expected;
use domain::paging::SortBy;
use domain::pay::payrolls::calendar::members::MemberKey;
use domain::pay::payrolls::service;
use domain::pay::payrolls::service::ListPayrolls;
use domain::pay::payrolls::views::outside;
use interface::app::App;
use interface::http::{Id, InCompany};
use interface::pay::payrolls::wire::{EmployeeCompensation, Include, Money, OtherWarning, Payroll};
use interface::query::Query;

/// Months ahead of today that a list includes.
const AHEAD: i64 = 3;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/console/companies/{company}/payrolls", get(list_payrolls))
        .route("/console/companies/{company}/payrolls/{payroll}", get(show_payroll))
}

struct Line {
    payroll: Payroll,
    period: String,
    pay_date: String,
    state: String,
    mood: &'static str,
    /// whether nobody submitted it by its deadline
    is_late: bool,
    gross: String,
    net: String,
}

#[derive(Template)]
#[template(path = "console/payrolls.html")]
struct ListPage<'a> {
    frame: &'a Frame,
    company: Uuid,
    /// the range of days shown, in words
    days: [String; 2],
    earlier: Date,
    later: Option<Date>,
    lines: Vec<Line>,
    /// the paydays that are next
    calendar: String,
    pages: Pages,
}

async fn list_payrolls(
    State(app): State<App>,
    Path(Id(company)): Path<Id>,
    query: Query,
    request: Request,
) -> Response {
    let page = Pages::page_number(&query);
    let asked = query.text_value("until").and_then(|text| text.parse::<Date>().ok());
    access::show_page(&app, request, For::Company(company, "payrolls:read"), move |tx, visit| {
        let farthest = visit.caller.today(tx).saturating_add(AHEAD.months());
        let until = asked.unwrap_or(farthest).min(farthest);
        let from = until.saturating_sub(1.year()).saturating_add(1.day());
        let filter =
            ListPayrolls { start: Some(from), end: Some(until), descending: true, ..ListPayrolls::default() };
        let include = Include { totals: true, ..Include::default() };
        let found = service::list_payrolls(tx, &visit.caller, &filter, Pages::rows_of_page(page))?;
        let (now, total) = (tx.now(), found.paging.map_or(0, |(.., total)| total));
        let lines = found.items.iter().map(|one| Line {
            is_late: one.is_missed(now),
            ..payroll_line(Payroll::new(&visit.caller, one, include), visit.frame.dates)
        });
        let kept = until.to_string();
        let today = visit.caller.today(tx);
        let coming = found.items.iter().filter(|one| one.check_date >= today && until == farthest);
        let marks = coming.flat_map(|one| {
            let deadline = one.deadline_of_first_pay_date().to_zoned(visit.caller.zone.clone()).date();
            [(one.check_date, Mark::Payday), (deadline, Mark::Deadline)]
        });
        let marks: Vec<_> = marks.filter(|(day, _)| *day >= today).collect();
        frame::render_page(&ListPage {
            calendar: months(Language::English, "Paydays", &marks, AHEAD as usize),
            frame: &visit.frame,
            company,
            days: [from, until].map(|day| visit.frame.dates.format_day(day)),
            earlier: from.saturating_sub(1.day()),
            later: (until < farthest).then(|| until.saturating_add(1.year()).min(farthest)),
            lines: lines.collect(),
            pages: Pages::of_total(page, total, &[("until", &kept)]),
        })
    })
    .await
}

fn payroll_line(payroll: Payroll, dates: Dates) -> Line {
    let state = payroll_status(&payroll);
    let total = |key: &str| {
        let text = payroll.totals.as_ref().and_then(|totals| totals.get(key)?.as_str());
        text.filter(|_| payroll.calculated_at.is_some() || payroll.processed)
            .map_or_else(String::new, dollars_of)
    };
    Line {
        period: pay_period(&payroll, dates),
        pay_date: dates.day_text(&payroll.check_date),
        gross: total("gross_pay"),
        net: total("net_pay"),
        mood: status_mood(state),
        state: plain_words(state),
        is_late: false,
        payroll,
    }
}

/// The pay period.
fn pay_period(payroll: &Payroll, dates: Dates) -> String {
    let period = &payroll.pay_period;
    format!("{} to {}", dates.day_text(&period.start_date), dates.day_text(&period.end_date))
}

/// The status of a payroll, in a word.
fn payroll_status(payroll: &Payroll) -> &'static str {
    let running = payroll.processing_request.as_ref().map(|request| request.status);
    match running {
        _ if payroll.processed => "processed",
        Some(status @ ("calculating" | "submitting" | "submit_success" | "processing_failed")) => status,
        _ if payroll.calculated_at.is_some() => "calculated",
        _ => "unprocessed",
    }
}

struct Member {
    pay: EmployeeCompensation,
    gross: String,
    net: String,
    paid: String,
}

#[derive(Template)]
#[template(path = "console/payroll.html")]
struct OnePage<'a> {
    frame: &'a Frame,
    company: Uuid,
    period: String,
    pay_date: String,
    state: String,
    mood: &'static str,
    /// whether nobody submitted it by its deadline
    is_late: bool,
    deadline: String,
    calculated: String,
    members: Vec<Member>,
    parts: Vec<Part>,
    totals: Vec<(String, String)>,
    taxes: Vec<(String, bool, String)>,
    payroll: Payroll,
    pages: Pages,
    /// whether checks can be printed
    checks: bool,
    /// the status of its payments
    payments: Option<String>,
}

async fn show_payroll(
    State(app): State<App>,
    Path(InCompany { company, id }): Path<InCompany>,
    query: Query,
    request: Request,
) -> Response {
    let page = Pages::page_number(&query);
    access::show_page(&app, request, For::Company(company, "payrolls:read"), move |tx, visit| {
        let include = Include { totals: true, payroll_taxes: true, status: true, ..Include::default() };
        let (rows, dates) = (Pages::rows_of_page(page), visit.frame.dates);
        let (details, paging) = service::payroll_with_members(
            tx,
            &visit.caller,
            id,
            &[SortBy::ascending(MemberKey::LastName)],
            rows,
        )?;
        let (record, ways) = (details.payroll.clone(), expected::payment_ways(tx, company)?);
        let others = outside::unpaid_people_with_warnings(tx, company, &record)?;
        let payroll = Payroll {
            warnings_of_others: others.into_iter().flat_map(OtherWarning::person_warnings).collect(),
            ..Payroll::with_employees(&visit.caller, details, include)
        };
        let mut payroll = payroll.with_payments(tx, &visit.caller, (&record, &ways), include)?;
        let payments = payment_note(&payroll, dates);
        let employees = payroll.employee_compensations.take().unwrap_or_default();
        let calculated = payroll.calculated_at.is_some() || payroll.processed;
        let state = payroll_status(&payroll);
        let by_check = payroll.totals.as_ref().and_then(|totals| totals.get("check_amount")?.as_str());
        let by_check = by_check.is_some_and(|text| text.bytes().any(|b| (b'1'..=b'9').contains(&b)));
        frame::render_page(&OnePage {
            frame: &visit.frame,
            company,
            mood: status_mood(state),
            state: plain_words(state),
            is_late: record.is_missed(tx.now()),
            period: pay_period(&payroll, dates),
            pay_date: dates.day_text(&payroll.check_date),
            deadline: dates.minute(record.deadline_of_first_pay_date()),
            calculated: payroll.calculated_at.as_deref().map(|at| dates.moment_text(at)).unwrap_or_default(),
            members: employees.into_iter().map(employee_line).collect(),
            payments,
            parts: if calculated { payroll_cost_bar(payroll.totals.as_ref()) } else { Vec::new() },
            totals: if calculated { nonzero_totals(payroll.totals.as_ref()) } else { Vec::new() },
            taxes: payroll_taxes(&payroll),
            checks: payroll.processed && by_check && reports::may_print(visit),
            payroll,
            pages: Pages::of_total(page, paging.map_or(0, |(.., total)| total), &[]),
        })
    })
    .await
}

/// A note about payments that are not made by the service, or not on the check date.
fn payment_note(payroll: &Payroll, dates: Dates) -> Option<String> {
    let told = payroll.payroll_status_meta.as_ref()?;
    if payroll.partner_owned_disbursement == Some(true) {
        let text = "The partner makes the payments to employees' accounts, and the payroll is paid once the partner has reported the last of them.";
        return Some(text.to_owned());
    }
    if !told.payments_generated {
        let why = if payroll.is_check_only_payroll {
            "Everybody is paid by check"
        } else {
            "No bank is configured"
        };
        return Some(format!(
            "{why}: no payments are made, and the payroll counts as paid on its check date."
        ));
    }
    let day = dates.day_text(&told.expected_check_date);
    let waits_for = match told.credits_wait_for {
        "debit" => "the debit has settled",
        "wire" => "the wire for it has arrived",
        _ if told.expected_check_date == payroll.check_date => return None,
        _ => return Some(format!("Employees are expected to be paid on {day}.")),
    };
    Some(format!("Employees are paid once {waits_for}, which is expected for {day}."))
}

fn format_money(money: Option<Money>) -> String {
    money.map_or_else(String::new, |money| dollars_of(&money.amount.to_text(2)))
}

fn employee_line(pay: EmployeeCompensation) -> Member {
    let (gross, net, paid) =
        (format_money(pay.gross_pay), format_money(pay.net_pay), format_money(pay.check_amount));
    Member { pay, gross, net, paid }
}

/// Where the money of a payroll goes.
fn payroll_cost_bar(totals: Option<&Map<String, Value>>) -> Vec<Part> {
    let of = |keys: &[&str]| {
        let each = keys.iter().filter_map(|key| Amount::parse(totals?.get(*key)?.as_str()?).ok());
        Amount::from_millionths(each.map(Amount::millionths).sum())
    };
    picture::stacked_bar(&[
        ("Net pay", of(&["net_pay"])),
        ("Employee taxes", of(&["employee_taxes"])),
        ("Deductions", of(&["employee_benefits_deductions", "other_deductions"])),
        ("Employer cost on top", of(&["employer_taxes", "benefits"])),
    ])
}

/// The sums that are not zero.
fn nonzero_totals(totals: Option<&Map<String, Value>>) -> Vec<(String, String)> {
    let all = totals.into_iter().flatten();
    let named = all.filter_map(|(key, value)| Some((plain_words(key), value.as_str()?)));
    named
        .filter(|(_, text)| text.bytes().any(|b| (b'1'..=b'9').contains(&b)))
        .map(|(key, text)| (key, dollars_of(text)))
        .collect()
}

fn payroll_taxes(payroll: &Payroll) -> Vec<(String, bool, String)> {
    let all = payroll.payroll_taxes.iter().flatten();
    all.map(|tax| (tax.name.clone(), tax.employer, format_money(Some(tax.amount)))).collect()
}
