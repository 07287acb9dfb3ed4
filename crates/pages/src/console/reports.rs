//! Reports of a company: a chart, a table, and the same as CSV; and the checks of a payroll.

use askama::Template;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use axum::routing::{get, post};
use jiff::ToSpan;
use jiff::civil::Date;
use rules::days::Days;
use rules::{Amount, Named};
use store::Tx;

use super::access;
use super::access::{File, For, Given, PageContext};
use super::agencies;
use super::frame;
use super::frame::Frame;
use super::picture;
use super::show::{Dates, plain_words};
use crate::money::dollars_of;
use domain::error::Error;
use domain::paging::AskedDays;
use domain::patch::Patch;
use domain::pay::books::journal;
use domain::pay::reports::checks::{self, PrintChecks};
use domain::pay::reports::make;
use domain::pay::reports::table::{Cell, Table};
use domain::pay::reports::terms::{Custom, Grouping, Report};
use interface::app::App;
use interface::http::{Id, InCompany};
use interface::pay::books::wire;
use interface::query::Query;

/// Scope for seeing the page.
const SEE: &str = "company_reports:read";
/// Scope for printing checks.
const PRINT: &str = "generated_documents:write";
/// Maximum of table rows on a page; the CSV has all of them.
const MOST: usize = 200;
/// Bars of a chart.
const BARS: usize = 24;
/// Height of a bar with its label.
const STEP: usize = 42;
/// The journal of the books is no report of the API, and has its own key.
const JOURNAL: &str = "journal";

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/console/companies/{company}/reports", get(show_report))
        .route("/console/companies/{company}/reports/csv", get(download_csv))
        .route("/console/companies/{company}/payrolls/{payroll}/checks", post(print_checks))
        .route("/console/companies/{company}/payrolls/{payroll}/checks.pdf", get(show_check_pages))
}

/// The selected report, with its range of days.
#[derive(Clone, Copy)]
struct Asked {
    /// `None` for the journal of the books
    report: Option<Report>,
    from: Option<Date>,
    until: Option<Date>,
}

impl Asked {
    fn from_query(query: &Query) -> Self {
        let day = |key: &str| query.text_value(key).and_then(|text| text.parse::<Date>().ok());
        let word = query.text_value("report").unwrap_or(Report::CashRequirement.as_str());
        let report =
            if word == JOURNAL { None } else { Report::parse(word).or(Some(Report::CashRequirement)) };
        Self { report, from: day("start_date"), until: day("end_date") }
    }

    fn report_word(self) -> &'static str {
        self.report.map_or(JOURNAL, Named::as_str)
    }

    /// By default, a year up to the future days for which payrolls may be processed.
    fn report_days(self, visit: &PageContext, tx: &Tx<'_>) -> Days {
        let until = self.until.unwrap_or_else(|| visit.caller.today(tx).saturating_add(1.month()));
        let from = self.from.unwrap_or_else(|| until.saturating_sub(1.year()).saturating_add(1.day()));
        Days { first: from, last: until }
    }

    fn report_table(self, tx: &mut Tx<'_>, visit: &PageContext) -> Result<Table, Error> {
        let days = self.report_days(visit, tx);
        let Some(report) = self.report else {
            let days = AskedDays { from: Some(days.first), until: Some(days.last) };
            let lines = journal::list_journal_lines(tx, &visit.caller, days, domain::paging::Page::Whole)?;
            return Ok(wire::journal_table(lines.items));
        };
        let mut custom = Custom::for_days(report, days);
        if report == Report::PayrollJournal {
            custom.columns = JOURNAL_COLUMNS.map(str::to_owned).into();
            custom.groupings = vec![Grouping::Payroll, Grouping::Employee];
        }
        let mut table = make::payroll_table(tx, &visit.caller, &custom)?;
        table.add_totals();
        Ok(table)
    }
}

/// The columns of the payroll journal here; the API has all of them.
const JOURNAL_COLUMNS: [&str; 9] = [
    "check_date",
    "employee_last_name",
    "employee_first_name",
    "gross_earnings",
    "employee_taxes",
    "employee_deductions",
    "net_pay",
    "employer_taxes",
    "employer_cost",
];

struct Bar {
    label: String,
    amount: String,
    /// percent of the width
    width: i64,
    /// where its label and its bar begin
    text: usize,
    top: usize,
}

/// A bar for each subject of a report, the largest as wide as the chart.
fn report_bars(asked: Asked, table: &Table) -> Vec<Bar> {
    let (labels, amount): (&[&str], &str) = match asked.report {
        Some(Report::TaxLiability) => (&["agency", "tax"], "total"),
        Some(Report::CashRequirement) => (&["check_date"], "total"),
        Some(Report::DepartmentSummary) => (&["department"], "total_cost"),
        Some(Report::PayrollJournal) => (&["check_date"], "employer_cost"),
        None => return Vec::new(),
    };
    let place = |name: &str| table.columns.iter().position(|column| column == name);
    let Some(amount) = place(amount) else { return Vec::new() };
    let labels: Vec<usize> = labels.iter().filter_map(|label| place(label)).collect();
    let mut sums: Vec<(String, Amount)> = Vec::new();
    for row in &table.rows {
        let label: Vec<String> = labels.iter().map(|place| row[*place].display_text()).collect();
        let (label, Cell::Amount(sum)) = (label.join(" "), &row[amount]) else { continue };
        match sums.last_mut().filter(|(held, _)| *held == label) {
            Some((_, held)) => *held += *sum,
            None => sums.push((label, *sum)),
        }
    }
    // Of many days the last ones are shown.
    let first = sums.len().saturating_sub(BARS);
    let most = sums[first..].iter().map(|(_, sum)| sum.millionths()).max().unwrap_or(0).max(1);
    let bar = |(place, (label, sum)): (usize, &(String, Amount))| Bar {
        label: label.clone(),
        amount: dollars_of(&Cell::Amount(*sum).display_text()),
        width: (i128::from(sum.millionths().max(0)) * 100 / i128::from(most)).try_into().unwrap_or(0),
        text: place * STEP + 14,
        top: place * STEP + 20,
    };
    sums[first..].iter().enumerate().map(bar).collect()
}

/// A kind of amounts in the picture of a report: its name, the class of its color, and its columns.
type Kind = (&'static str, &'static str, &'static [&'static str]);

const OF_CASH: [Kind; 4] = [
    ("Net pay", "bar-one", &["direct_deposit", "partner", "checks"]),
    ("Taxes of employees", "bar-two", &["employee_taxes"]),
    ("Taxes of the employer", "bar-four", &["employer_taxes"]),
    ("Garnishments and benefits", "bar-three", &["garnishments", "benefits"]),
];
const OF_JOURNAL: [Kind; 4] = [
    ("Net pay", "bar-one", &["net_pay"]),
    ("Taxes of employees", "bar-two", &["employee_taxes"]),
    ("Taxes of the employer", "bar-four", &["employer_taxes"]),
    ("Deductions", "bar-three", &["employee_deductions"]),
];

/// A picture of a report by pay date, stacked by kind; empty for any other report. Of many days the last ones are shown.
fn stacked_report_chart(asked: Asked, table: &Table) -> String {
    let kinds: &[Kind] = match asked.report {
        Some(Report::CashRequirement) => &OF_CASH,
        Some(Report::PayrollJournal) => &OF_JOURNAL,
        _ => return String::new(),
    };
    let places = |names: &[&str]| -> Vec<usize> {
        names.iter().filter_map(|name| table.columns.iter().position(|column| column == name)).collect()
    };
    let columns: Vec<Vec<usize>> = kinds.iter().map(|(.., names)| places(names)).collect();
    let day = places(&["check_date"]);
    let mut days: Vec<(String, Vec<Amount>)> = Vec::new();
    for row in &table.rows {
        let Some(label) = day.first().and_then(|at| row.get(*at)).map(Cell::display_text) else { continue };
        if days.last().is_none_or(|(held, _)| *held != label) {
            days.push((label, vec![Amount::ZERO; kinds.len()]));
        }
        let Some((_, sums)) = days.last_mut() else { continue };
        for (sum, places) in sums.iter_mut().zip(&columns) {
            let amounts = places.iter().filter_map(|at| row.get(*at));
            *sum += amounts
                .map(|cell| if let Cell::Amount(amount) = cell { *amount } else { Amount::ZERO })
                .sum();
        }
    }
    let days = days.split_off(days.len().saturating_sub(BARS));
    let kinds: Vec<_> = kinds.iter().map(|(name, class, _)| (*name, *class)).collect();
    picture::stacked_columns(&kinds, &days)
}

#[derive(Template)]
#[template(path = "console/reports.html")]
struct ReportPage<'a> {
    frame: &'a Frame,
    asked: &'static str,
    /// key, name, and whether it is selected
    reports: Vec<(&'static str, String, bool)>,
    from: Date,
    until: Date,
    /// the days in words
    days: (String, String),
    title: String,
    columns: Vec<(String, bool)>,
    rows: Vec<Vec<(String, bool)>>,
    totals: Option<Vec<(String, bool)>>,
    total: usize,
    /// a picture by pay date; with it there are no bars
    stack: String,
    bars: Vec<Bar>,
    height: usize,
}

/// A report as people read it: with days and agencies as pages write them, and without the identifiers, which the CSV has.
fn for_people(tx: &mut Tx<'_>, table: &mut Table, dates: Dates) -> Result<(), Error> {
    let columns = std::mem::take(&mut table.columns);
    let is_kept = |place: &usize| columns.get(*place).is_some_and(|column| !column.ends_with("_uuid"));
    for row in table.rows.iter_mut().chain(table.totals.as_mut()) {
        let cells = std::mem::take(row);
        let kept = cells.into_iter().enumerate().filter(|(place, _)| is_kept(place));
        for (place, cell) in kept {
            row.push(match cell {
                Cell::Text(text) if columns[place] == "agency" => {
                    Cell::Text(agencies::agency_name(tx, &text)?.unwrap_or(text))
                }
                Cell::Text(text) => Cell::Text(dates.day_text(&text)),
                cell => cell,
            });
        }
    }
    let kept = columns.iter().enumerate().filter(|(place, _)| is_kept(place));
    table.columns = kept.map(|(_, column)| column.clone()).collect();
    Ok(())
}

/// A value of a column: dollars, unless it is hours.
fn format_cell(column: &str, cell: &Cell) -> String {
    match cell {
        Cell::Amount(_) if !column.ends_with("hours") => dollars_of(&cell.display_text()),
        cell => cell.display_text(),
    }
}

async fn show_report(
    State(app): State<App>,
    Path(Id(company)): Path<Id>,
    query: Query,
    request: Request,
) -> Response {
    let asked = Asked::from_query(&query);
    access::show_page(&app, request, For::Company(company, SEE), move |tx, visit| {
        let Days { first: from, last: until } = asked.report_days(visit, tx);
        let mut table = asked.report_table(tx, visit)?;
        let dates = visit.frame.dates;
        for_people(tx, &mut table, dates)?;
        let stack = stacked_report_chart(asked, &table);
        let bars = if stack.is_empty() { report_bars(asked, &table) } else { Vec::new() };
        let is_number = |cell: &Cell| matches!(cell, Cell::Amount(_) | Cell::Count(_));
        let cells = |row: &Vec<Cell>| -> Vec<(String, bool)> {
            let named = table.columns.iter().zip(row);
            named.map(|(column, cell)| (format_cell(column, cell), is_number(cell))).collect()
        };
        let first = table.rows.first();
        let columns = table.columns.iter().enumerate().map(|(place, column)| {
            (plain_words(column), first.and_then(|row| row.get(place)).is_some_and(is_number))
        });
        let named = Report::ALL.iter().map(|one| (one.as_str(), plain_words(one.as_str())));
        let named = named.chain([(JOURNAL, "Journal of the books".to_owned())]);
        let reports = named.map(|(word, name)| (word, name, word == asked.report_word())).collect();
        frame::render_page(&ReportPage {
            frame: &visit.frame,
            asked: asked.report_word(),
            reports,
            from,
            until,
            days: (dates.format_day(from), dates.format_day(until)),
            columns: columns.collect(),
            rows: table.rows.iter().take(MOST).map(cells).collect(),
            totals: table.totals.as_ref().map(cells),
            total: table.rows.len(),
            height: bars.len() * STEP,
            title: table.title,
            stack,
            bars,
        })
    })
    .await
}

async fn download_csv(
    State(app): State<App>,
    Path(Id(company)): Path<Id>,
    query: Query,
    request: Request,
) -> Response {
    let asked = Asked::from_query(&query);
    access::show_page_or_file(&app, request, For::Company(company, SEE), move |tx, visit| {
        let name = format!("{}.csv", asked.report_word());
        let bytes = asked.report_table(tx, visit)?.to_csv()?;
        Ok(Given::File(File { kind: "text/csv; charset=utf-8; header=present", name, bytes }))
    })
    .await
}

/// Assigns check numbers to those who are paid by check, and shows the pages.
async fn print_checks(
    State(app): State<App>,
    Path(InCompany { company, id: payroll }): Path<InCompany>,
    request: Request,
) -> Response {
    access::submit_form(&app, request, For::Company(company, PRINT), move |tx, visit, _| {
        let top =
            PrintChecks { printing_format: Patch::Value(checks::Format::Top), ..PrintChecks::default() };
        checks::create_printed_checks(tx, &visit.caller, payroll, &top)?;
        Ok(format!("/console/companies/{company}/payrolls/{payroll}/checks.pdf"))
    })
    .await
}

async fn show_check_pages(
    State(app): State<App>,
    Path(InCompany { company, id: payroll }): Path<InCompany>,
    request: Request,
) -> Response {
    access::show_page_or_file(&app, request, For::Company(company, PRINT), move |tx, visit| {
        let bytes = checks::check_pages(tx, &visit.caller, payroll)?;
        Ok(Given::File(File { kind: "application/pdf", name: format!("checks-{payroll}.pdf"), bytes }))
    })
    .await
}

/// Whether there is a page for printing the checks of a payroll.
pub(super) fn may_print(visit: &PageContext) -> bool {
    visit.has_scope(PRINT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_dollars_and_hours_are_hours() {
        assert_eq!(format_cell("net_pay", &Cell::from_cents(123_456)), "$1,234.56");
        assert_eq!(format_cell("regular_hours", &Cell::from_cents(4_050)), "40.50");
        assert_eq!(format_cell("employee_last_name", &Cell::from_text("Kim")), "Kim");
    }

    #[test]
    fn rows_of_one_label_are_one_bar_and_the_largest_is_as_wide_as_the_picture() {
        let mut table = Table::new("Cash", &["check_date", "total"]);
        for (day, cents) in [("2026-06-05", 1_000), ("2026-06-19", 3_000), ("2026-06-19", 1_000)] {
            table.rows.push(vec![Cell::from_text(day), Cell::from_cents(cents)]);
        }
        let asked = Asked { report: Some(Report::CashRequirement), from: None, until: None };
        let bars = report_bars(asked, &table);
        let told: Vec<_> = bars.iter().map(|bar| (bar.label.as_str(), bar.width)).collect();
        assert_eq!(told, [("2026-06-05", 25), ("2026-06-19", 100)]);
    }
}
