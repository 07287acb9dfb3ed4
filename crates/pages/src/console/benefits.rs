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
use super::show::{self, Dates, plain_words};
use crate::money::format_amount;
use domain::benefits::service::timeline;
use domain::benefits::service::timeline::{BenefitTimeline, DayRange, DayStatus, TimelineFilter};
use domain::people::employees::service;
use interface::app::App;
use interface::http::InCompany;
use interface::query::Query;
use rules::Amount;
use rules::days::Days;
use rules::payroll::benefits::{BenefitElection, Contribution};

/// Years that can be shown.
const YEARS: std::ops::RangeInclusive<i16> = 1990..=2100;
/// A position in the chart, in thousandths of a percent of its width.
const WHOLE: i64 = 100_000;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/console/companies/{company}/employees/{employee}/benefits", get(show_benefit_timeline))
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
    /// where there is room for the label: nowhere, on wide screens, or everywhere
    room: &'static str,
    /// distance from the top, and height, in proportion to the deduction
    y: i64,
    height: i64,
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
    /// omitted if there is little room
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
    /// position of today, if it is in the year
    today: Option<String>,
}

async fn show_benefit_timeline(
    State(app): State<App>,
    Path(InCompany { company, id }): Path<InCompany>,
    query: Query,
    request: Request,
) -> Response {
    let asked =
        query.text_value("year").and_then(|text| text.parse().ok()).filter(|year| YEARS.contains(year));
    access::show_page(&app, request, For::Company(company, "employee_benefits:read"), move |tx, visit| {
        let employee = service::find_employee(tx, &visit.caller, id)?;
        let today = visit.caller.today(tx);
        let year = asked.unwrap_or(today.year());
        let (first, last) = (date(year, 1, 1), date(year, 12, 31));
        let filter = TimelineFilter { benefit: None, start: Some(first), end: Some(last) };
        let found = timeline::employee_timelines(tx, &visit.caller, id, filter)?;
        frame::render_page(&BenefitsPage {
            frame: &visit.frame,
            company,
            employee: id,
            name: full_name(&employee.first_name, &employee.last_name),
            year,
            lanes: found
                .into_iter()
                .map(|one| benefit_lane(one, Days { first, last }, visit.frame.dates))
                .collect(),
            months: month_marks(first, last),
            today: (today.year() == year).then(|| day_position(today, first, last)),
        })
    })
    .await
}

fn format_percent(thousandths: i64) -> String {
    format!("{}.{:03}%", thousandths / 1_000, thousandths % 1_000)
}

fn days_between(from: Date, to: Date) -> i64 {
    i64::from((to - from).get_days())
}

/// The position of a day.
fn day_position(day: Date, first: Date, last: Date) -> String {
    format_percent(days_between(first, day) * WHOLE / (days_between(first, last) + 1))
}

fn month_marks(first: Date, last: Date) -> Vec<Month> {
    const NAMES: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let begins = |month: i8| day_position(date(first.year(), month, 1), first, last);
    let month = |(month, name): (i8, &'static str)| {
        let (letter, rest) = name.split_at(1);
        Month { x: begins(month), letter, rest }
    };
    (1..=12).zip(NAMES).map(month).collect()
}

/// Height of a benefit's chart, of its highest bar, and of its lowest: labels are above.
const LANE: i64 = 72;
const HIGHEST: i64 = 46;
const LOWEST: i64 = 10;

/// The highest deductions of a benefit: of those in dollars, and of those in percent.
fn highest_deductions(found: &BenefitTimeline) -> (Amount, Amount) {
    let terms = found.ranges.iter().filter_map(|range| range.benefit.as_ref()).map(|benefit| &benefit.terms);
    terms.fold((Amount::ZERO, Amount::ZERO), |(dollars, percent), terms| match terms.deduct_as_percentage {
        true => (dollars, percent.max(terms.deduction)),
        false => (dollars.max(terms.deduction), percent),
    })
}

/// The height of a bar, relative to the highest one.
fn bar_height(amount: Amount, highest: Amount) -> i64 {
    let part = i128::from(amount.millionths().max(0)) * i128::from(HIGHEST - LOWEST);
    let part = part / i128::from(highest.millionths().max(1));
    LOWEST + i64::try_from(part).unwrap_or_default().min(HIGHEST - LOWEST)
}

/// Where a label of this length fits above a bar: a letter takes about 7 pixels, the chart about 330 on a phone and
/// 1,000 elsewhere.
/// elsewhere.
fn label_fit(letters: usize, length: i64) -> &'static str {
    let needed = 7 * i64::try_from(letters).unwrap_or(i64::MAX / 8) + 8;
    match (needed * WHOLE <= length * 330, needed * WHOLE <= length * 1_000) {
        (true, _) => "everywhere",
        (false, true) => "wide",
        (false, false) => "nowhere",
    }
}

fn benefit_lane(found: BenefitTimeline, shown: Days, dates: Dates) -> Lane {
    let highest = highest_deductions(&found);
    let bars = found.ranges.into_iter().map(|range| timeline_bar(range, highest, shown, dates));
    Lane { name: found.description, bars: bars.collect() }
}

fn timeline_bar(
    span: DayRange,
    (most_dollars, most_percent): (Amount, Amount),
    Days { first, last }: Days,
    dates: Dates,
) -> Bar {
    let (from, to) = (span.first, span.last);
    let length = (days_between(from, to) + 1) * WHOLE / (days_between(first, last) + 1);
    let terms = span.benefit.as_ref().map(|benefit| &benefit.terms);
    let (takes, gives) = (
        terms.map(employee_deduction).unwrap_or_default(),
        terms.map(company_contribution).unwrap_or_default(),
    );
    let class = match (span.status, terms) {
        (DayStatus::Applies, _) => "applies",
        (_, Some(_)) => "rests",
        (_, None) => "gap",
    };
    let high = terms.map_or(LOWEST, |terms| {
        bar_height(terms.deduction, if terms.deduct_as_percentage { most_percent } else { most_dollars })
    });
    let label = if terms.is_some() { format!("{takes} + {gives}") } else { String::new() };
    Bar {
        x: day_position(from, first, last),
        width: format_percent(length),
        class,
        room: label_fit(label.chars().count(), length),
        label,
        y: LANE - 4 - high,
        height: high,
        why: plain_words(span.status.as_str()),
        from: dates.format_day(from),
        to: dates.format_day(to),
        reason: dates.within_text(&span.reason),
        takes,
        gives,
    }
}

/// The employee's deduction.
fn employee_deduction(terms: &BenefitElection) -> String {
    amount_or_percent(terms.deduction, terms.deduct_as_percentage)
}

/// The company's contribution.
fn company_contribution(terms: &BenefitElection) -> String {
    match terms.contribution {
        Contribution::Amount(value) => amount_or_percent(value, false),
        Contribution::Percentage(value) => amount_or_percent(value, true),
        Contribution::Tiered(_) => "in tiers".to_owned(),
    }
}

fn amount_or_percent(amount: Amount, percent: bool) -> String {
    if percent { show::format_percent(amount) } else { format_amount(amount) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_deduction_has_the_highest_bar_and_none_has_a_low_one() {
        let (half, whole) = (Amount::from_cents(300), Amount::from_cents(600));
        assert_eq!(bar_height(whole, whole), HIGHEST);
        assert_eq!(bar_height(half, whole), (HIGHEST + LOWEST) / 2);
        assert_eq!(
            (bar_height(Amount::ZERO, whole), bar_height(Amount::ZERO, Amount::ZERO)),
            (LOWEST, LOWEST)
        );
    }

    #[test]
    fn a_label_is_left_out_where_it_does_not_fit() {
        assert_eq!(label_fit(13, WHOLE), "everywhere");
        assert_eq!(label_fit(13, WHOLE / 5), "wide");
        assert_eq!(label_fit(13, WHOLE / 12), "nowhere");
    }

    #[test]
    fn a_year_is_divided_by_its_days() {
        let (first, last) = (date(2026, 1, 1), date(2026, 12, 31));
        assert_eq!(day_position(first, first, last), "0.000%");
        assert_eq!(day_position(date(2026, 7, 2), first, last), "49.863%");
        assert_eq!(month_marks(first, last).len(), 12);
        let leap = date(2028, 12, 31);
        assert_eq!(day_position(date(2028, 7, 1), date(2028, 1, 1), leap), "49.726%");
    }
}
