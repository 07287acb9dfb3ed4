//! Deductions and contributions of an employee's benefits on each day of a year, as a chart and as a table.

use askama::Template;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use axum::routing::get;
use jiff::civil::{Date, date};
use rules::Named;
use uuid::Uuid;

use super::access;
use super::access::For;
use super::employees::full_name;
use super::frame;
use super::frame::Frame;
use super::show::words;
use crate::salary_report::dollars_of;
use domain::benefits::service::timeline;
use domain::benefits::service::timeline::{BenefitTimeline, DayRange, DayStatus, Filter};
use domain::people::employees::service;
use interface::app::App;
use interface::http::Id;
use interface::query::Query;
use rules::Amount;
use rules::payroll::benefits::{BenefitElection, Contribution};

/// Years that can be shown.
const YEARS: std::ops::RangeInclusive<i16> = 1990..=2100;
/// A place in the chart is given in thousandths of a percent of its width.
const WHOLE: i64 = 100_000;

pub(super) fn routes() -> Router<App> {
    Router::new().route("/console/companies/{company}/employees/{employee}/benefits", get(show))
}

/// One benefit in the chart and in the table.
struct Lane {
    name: String,
    bars: Vec<Bar>,
}

struct Bar {
    /// percent of the width
    x: String,
    width: String,
    class: &'static str,
    label: String,
    from: String,
    to: String,
    why: String,
    reason: String,
    takes: String,
    gives: String,
}

struct Month {
    x: String,
    letter: &'static str,
    /// left out where there is little room
    rest: &'static str,
}

#[derive(Template)]
#[template(path = "console/benefits.html")]
struct BenefitsPage<'a> {
    frame: &'a Frame,
    company: Uuid,
    employee: Uuid,
    name: String,
    year: i16,
    lanes: Vec<Lane>,
    months: Vec<Month>,
    /// place of today, if it is in the year
    today: Option<String>,
}

async fn show(
    State(app): State<App>,
    Path((Id(company), Id(id))): Path<(Id, Id)>,
    query: Query,
    request: Request,
) -> Response {
    let asked = query.text("year").and_then(|text| text.parse().ok()).filter(|year| YEARS.contains(year));
    access::page(&app, request, For::Company(company, "employee_benefits:read"), move |tx, visit| {
        let employee = service::find(tx, &visit.caller, id)?;
        let today = visit.caller.today(tx);
        let year = asked.unwrap_or(today.year());
        let (first, last) = (date(year, 1, 1), date(year, 12, 31));
        let filter = Filter { benefit: None, start: Some(first), end: Some(last) };
        let found = timeline::get(tx, &visit.caller, id, filter)?;
        frame::render(&BenefitsPage {
            frame: &visit.frame,
            company,
            employee: id,
            name: full_name(&employee),
            year,
            lanes: found.into_iter().map(|one| lane(one, first, last)).collect(),
            months: months(first, last),
            today: (today.year() == year).then(|| place(today, first, last)),
        })
    })
    .await
}

fn percent(thousandths: i64) -> String {
    format!("{}.{:03}%", thousandths / 1_000, thousandths % 1_000)
}

fn days(from: Date, to: Date) -> i64 {
    i64::from((to - from).get_days())
}

/// Where a day begins.
fn place(day: Date, first: Date, last: Date) -> String {
    percent(days(first, day) * WHOLE / (days(first, last) + 1))
}

fn months(first: Date, last: Date) -> Vec<Month> {
    const NAMES: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let begins = |month: i8| place(date(first.year(), month, 1), first, last);
    let month = |(month, name): (i8, &'static str)| {
        let (letter, rest) = name.split_at(1);
        Month { x: begins(month), letter, rest }
    };
    (1..=12).zip(NAMES).map(month).collect()
}

fn lane(found: BenefitTimeline, first: Date, last: Date) -> Lane {
    let bars = found.ranges.into_iter().map(|range| bar(range, first, last));
    Lane { name: found.description, bars: bars.collect() }
}

fn bar(stretch: DayRange, first: Date, last: Date) -> Bar {
    let (from, to) = (stretch.first, stretch.last);
    let length = (days(from, to) + 1) * WHOLE / (days(first, last) + 1);
    let terms = stretch.benefit.as_ref().map(|benefit| &benefit.terms);
    let (takes, gives) = (terms.map(takes).unwrap_or_default(), terms.map(gives).unwrap_or_default());
    let class = match (stretch.status, terms) {
        (DayStatus::Applies, _) => "applies",
        (_, Some(_)) => "rests",
        (_, None) => "gap",
    };
    Bar {
        x: place(from, first, last),
        width: percent(length),
        class,
        label: if terms.is_some() { format!("{takes} + {gives}") } else { String::new() },
        why: words(stretch.status.as_str()),
        from: from.to_string(),
        to: to.to_string(),
        reason: stretch.reason,
        takes,
        gives,
    }
}

/// The employee's deduction.
fn takes(terms: &BenefitElection) -> String {
    amount(terms.deduction, terms.deduct_as_percentage)
}

/// The company's contribution.
fn gives(terms: &BenefitElection) -> String {
    match terms.contribution {
        Contribution::Amount(value) => amount(value, false),
        Contribution::Percentage(value) => amount(value, true),
        Contribution::Tiered(_) => "in tiers".to_owned(),
    }
}

fn amount(amount: Amount, percent: bool) -> String {
    let text = amount.to_text(2);
    if percent { format!("{text}%") } else { dollars_of(&text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_year_is_divided_by_its_days() {
        let (first, last) = (date(2026, 1, 1), date(2026, 12, 31));
        assert_eq!(place(first, first, last), "0.000%");
        assert_eq!(place(date(2026, 7, 2), first, last), "49.863%");
        assert_eq!(months(first, last).len(), 12);
        let leap = date(2028, 12, 31);
        assert_eq!(place(date(2028, 7, 1), date(2028, 1, 1), leap), "49.726%");
    }
}
