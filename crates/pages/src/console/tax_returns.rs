//! The returns of a year: when each is due, its figures, closing it, and recording that it was filed.

use askama::Template;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use axum::routing::{get, post};
use jiff::civil::Date;
use returns::{Quarter, format_dollars};
use rules::Named as _;
use rules::check;
use uuid::Uuid;

use super::access;
use super::access::For;
use super::frame;
use super::frame::Frame;
use super::show::{Dates, plain_words};
use crate::money::dollars_of;
use domain::Error;
use domain::records::id_of;
use domain::returns::calendar::{self, DueReturn, YearReturns};
use domain::returns::checklist::{Check, ChecklistState};
use domain::returns::closing::{self, Filing, Period};
use domain::returns::forms::content::{FigureLine, Part, Value};
use domain::returns::forms::rows::{State as FormState, TaxForm};
use domain::returns::of_states::{StateReturn, StateReturnKind};
use domain::returns::other_taxes::TaxOfQuarter;
use interface::access::oauth::params::Params;
use interface::app::App;
use interface::http::Id;
use interface::query::Query;

/// Scope for seeing the page.
const SEE: &str = "company_forms:read";
/// Scope for closing a period, and for recording what was filed.
const CLOSE: &str = "company_forms:sign";
/// The years that can be asked for.
const YEARS: std::ops::RangeInclusive<i16> = 2000..=2199;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/console/companies/{company}/tax_returns", get(show_tax_returns))
        .route("/console/companies/{company}/tax_returns/close", post(close_period))
        .route("/console/companies/{company}/tax_returns/filed", post(record_filing))
        .route("/console/companies/{company}/tax_returns/void", post(void_form))
}

/// How a return stands.
struct Standing {
    text: String,
    /// class of the badge
    mood: &'static str,
}

/// A return of the year.
struct Listed {
    /// as the address of its close names it; empty for a form that the company fills in itself
    key: String,
    title: String,
    due: String,
    standing: Standing,
    /// the closed form that can be filed or taken back
    open: Option<Uuid>,
    may_close: bool,
    receipt: String,
    parts: Vec<ShownPart>,
    blockers: Vec<String>,
    /// number, title, before and now
    changed: Vec<(String, String, String, String)>,
    corrections: Vec<(Uuid, String)>,
    /// Forms W-2 to furnish on paper
    on_paper: usize,
    /// its amended returns
    amended: Vec<Amended>,
}

/// An amended return.
struct Amended {
    id: Uuid,
    title: String,
    is_open: bool,
}

/// A part of a return, such as Schedule B: its heading, and its lines with number, title and figure.
struct ShownPart {
    heading: String,
    lines: Vec<(String, String, String)>,
}

/// A tax of a state or a place in a quarter.
struct OtherTax {
    quarter: i8,
    name: String,
    code: String,
    payer: String,
    taxable: String,
    amount: String,
    lacks_wages: bool,
}

/// A point of the list of what is looked at first.
struct Point {
    title: &'static str,
    standing: Standing,
    figures: Vec<String>,
}

/// A return or a report to a state.
struct OfState {
    title: String,
    what: &'static str,
    due: String,
    taxable: String,
    amount: String,
    lacks_wages: bool,
    doubt: String,
    without_file: String,
}

#[derive(Template)]
#[template(path = "console/tax_returns.html")]
struct ReturnsPage<'a> {
    frame: &'a Frame,
    year: i16,
    returns: Vec<Listed>,
    of_states: Vec<OfState>,
    others: Vec<OtherTax>,
    /// what is missing for the close of the year
    missing: Vec<String>,
    checks: Vec<Point>,
    may_close: bool,
    today: String,
    /// what was just done
    done: &'static str,
}

async fn show_tax_returns(
    State(app): State<App>,
    Path(Id(company)): Path<Id>,
    query: Query,
    request: Request,
) -> Response {
    let asked: Option<i16> = query.text_value("year").and_then(|year| year.parse().ok());
    let done = match query.text_value("done") {
        Some("closed") => "The period is closed. File the form, then record the receipt here.",
        Some("filed") => "It is recorded.",
        Some("void") => "The close is taken back: the period can be closed again.",
        _ => "",
    };
    let shown = app.clone();
    access::show_page(&app, request, For::Company(company, SEE), move |tx, visit| {
        let (today, may_close) = (visit.caller.today(tx), visit.has_scope(CLOSE));
        let year = asked.filter(|year| YEARS.contains(year)).unwrap_or_else(|| year_of_work(today));
        let dates = visit.frame.dates;
        let listed = |one: DueReturn| due_return_line(one, dates, (today, may_close));
        let known = shown.years.known_year(tx, company, year)?;
        let found = calendar::of_known(tx, company, &known)?;
        let YearReturns { returns, of_states, other_taxes, missing, checks } = found;
        let checks = checks.into_iter().map(checklist_point).collect();
        let of_states = of_states.into_iter().map(|one| of_state(one, dates)).collect();
        let returns = returns.into_iter().map(listed).collect();
        let others = other_taxes.into_iter().map(other_tax).collect();
        let missing: Vec<String> = missing.into_iter().map(|one| one.why).collect();
        let (frame, today) = (&visit.frame, today.to_string());
        frame::render_page(&ReturnsPage {
            frame,
            year,
            returns,
            of_states,
            others,
            missing,
            checks,
            may_close,
            today,
            done,
        })
    })
    .await
}

/// The year whose returns are worked on: until the end of January, and the Forms W-2, the last one.
fn year_of_work(today: Date) -> i16 {
    if today.month() == 1 { today.year() - 1 } else { today.year() }
}

fn due_return_line(one: DueReturn, dates: Dates, (today, may_close): (Date, bool)) -> Listed {
    let DueReturn {
        period,
        form_code,
        quarter,
        due,
        closed,
        parts,
        changed,
        amended,
        corrections,
        blockers,
        on_paper,
    } = one;
    let open = closed.as_ref().filter(|form| form.state == FormState::Final).map(|form| form.id);
    let over = period.is_none_or(|period| period.last_day() < today);
    let is_nothing = |line: &FigureLine| !matches!(line.value, Value::Cents(cents) if cents != 0);
    let nothing_paid = !parts.is_empty() && parts.iter().flat_map(|part| &part.lines).all(is_nothing);
    let standing = match &closed {
        Some(form) if form.state == FormState::Filed => {
            let on = form.filed_on.map(|day| format!(" on {}", dates.format_day(day))).unwrap_or_default();
            Standing { text: format!("filed{on}"), mood: "good" }
        }
        Some(_) if due < today => Standing { text: "closed, not filed, late".to_owned(), mood: "bad" },
        Some(_) => Standing { text: "closed, not filed".to_owned(), mood: "warn" },
        None if over && nothing_paid => Standing { text: "nothing was paid".to_owned(), mood: "" },
        None if due < today => Standing { text: "late".to_owned(), mood: "bad" },
        None if !over => Standing { text: "not over yet".to_owned(), mood: "" },
        None if blockers.is_empty() => Standing { text: "ready to close".to_owned(), mood: "warn" },
        None => Standing { text: "something is missing".to_owned(), mood: "bad" },
    };
    let nothing = || "nothing".to_owned();
    let changed = changed.into_iter().map(|line| {
        (line.number, line.title, line.before.unwrap_or_else(nothing), line.now.unwrap_or_else(nothing))
    });
    let correction = |one: &domain::returns::forms::rows::Correction| {
        (one.id, format!("{}, pay date {}", plain_words(one.cause.as_str()), dates.format_day(one.day)))
    };
    Listed {
        key: period.map(key_of).unwrap_or_default(),
        title: match quarter {
            Some(number) => format!("Form {form_code}, quarter {number}"),
            None => format!("Form {form_code}"),
        },
        due: dates.format_day(due),
        standing,
        open,
        may_close: may_close && closed.is_none() && over && blockers.is_empty() && period.is_some(),
        on_paper: on_paper.len(),
        amended: amended.into_iter().map(|form| amended_shown(&form, dates)).collect(),
        receipt: closed.and_then(|form| form.receipt).unwrap_or_default(),
        parts: parts.into_iter().filter(|part| !part.lines.is_empty()).map(shown_part).collect(),
        blockers,
        changed: changed.collect(),
        corrections: corrections.iter().map(correction).collect(),
    }
}

fn amended_shown(form: &TaxForm, dates: Dates) -> Amended {
    let code = form.kind.code();
    let title = match form.filed_on {
        Some(day) => format!("Form {code}, filed on {}", dates.format_day(day)),
        None => format!("Form {code}, not filed"),
    };
    Amended { id: form.id, title, is_open: form.state == FormState::Final }
}

fn shown_part(part: Part) -> ShownPart {
    let figure = |value: &Value| match value {
        Value::Cents(_) => dollars_of(&value.shown_text()),
        Value::Text(text) => text.clone(),
    };
    let line = |line: FigureLine| {
        let figure = figure(&line.value);
        (line.number, line.title, figure)
    };
    ShownPart { heading: part.heading, lines: part.lines.into_iter().map(line).collect() }
}

fn checklist_point(one: Check) -> Point {
    let (text, mood) = match one.state {
        ChecklistState::Agrees => ("agrees", "good"),
        ChecklistState::Compare => ("to compare", "warn"),
        ChecklistState::Missing => ("something is missing", "bad"),
    };
    Point { title: one.title, standing: Standing { text: text.to_owned(), mood }, figures: one.figures }
}

fn of_state(one: StateReturn, dates: Dates) -> OfState {
    OfState {
        title: match one.quarter {
            Some(number) => format!("{} {}, quarter {number}", one.state, one.form),
            None => format!("{} {}", one.state, one.form),
        },
        what: match one.kind {
            StateReturnKind::WithheldIncomeTax => "income tax withheld",
            StateReturnKind::UnemploymentWages => "unemployment insurance",
            StateReturnKind::WageStatements => "Forms W-2",
        },
        due: dates.format_day(one.due),
        taxable: dollars_of(&format_dollars(one.taxable)),
        amount: dollars_of(&format_dollars(one.amount)),
        lacks_wages: one.lacks_wages,
        doubt: one.doubt_text().unwrap_or_default(),
        without_file: one.without_file.unwrap_or_default(),
    }
}

fn other_tax(one: TaxOfQuarter) -> OtherTax {
    OtherTax {
        quarter: one.quarter.number(),
        payer: plain_words(one.id.payer.as_str()),
        name: one.label,
        code: one.id.code,
        taxable: dollars_of(&format_dollars(one.taxable)),
        amount: dollars_of(&format_dollars(one.amount)),
        lacks_wages: one.lacks_wages,
    }
}

/// What is closed, as a form names it: `941-2026-3`, `w-2-2026`.
fn key_of(period: Period) -> String {
    match period {
        Period::Quarter(quarter) => format!("941-{}-{}", quarter.year(), quarter.number()),
        Period::Withheld(year) => format!("944-{year}"),
        Period::Unemployment(year) => format!("940-{year}"),
        Period::Statements(year) => format!("w-2-{year}"),
        Period::Contractors(year) => format!("1099-nec-{year}"),
    }
}

fn period_of(key: &str) -> Option<Period> {
    let years = |text: &str| text.parse().ok().filter(|year| YEARS.contains(year));
    let of_year = |prefix: &str| key.strip_prefix(prefix).and_then(years);
    if let Some(rest) = key.strip_prefix("941-") {
        let (year, number) = rest.split_once('-')?;
        return Quarter::new(years(year)?, number.parse().ok()?).map(Period::Quarter);
    }
    of_year("944-")
        .map(Period::Withheld)
        .or_else(|| of_year("940-").map(Period::Unemployment))
        .or_else(|| of_year("w-2-").map(Period::Statements))
        .or_else(|| of_year("1099-nec-").map(Period::Contractors))
}

fn returns_address(company: Uuid, form: &Params, done: &str) -> String {
    let year = form.get("year").and_then(|year| year.parse::<i16>().ok()).unwrap_or_default();
    format!("/console/companies/{company}/tax_returns?year={year}&done={done}")
}

async fn close_period(State(app): State<App>, Path(Id(company)): Path<Id>, request: Request) -> Response {
    access::act_in_steps(&app, request, For::Company(company, CLOSE), async |visit, form| {
        let period = period_of(form.get("period").unwrap_or_default()).ok_or(Error::NotFound)?;
        closing::close_period(&app.store, &visit.caller, period).await?;
        Ok(returns_address(company, form, "closed"))
    })
    .await
}

async fn record_filing(State(app): State<App>, Path(Id(company)): Path<Id>, request: Request) -> Response {
    access::submit_form(&app, request, For::Company(company, CLOSE), move |tx, visit, form| {
        let on = check::parse_date("on", form.get("on").unwrap_or_default()).map_err(Error::from)?;
        let receipt = form.get("receipt").unwrap_or_default().trim().to_owned();
        let id = id_of(form.get("form").unwrap_or_default());
        closing::record_filing(tx, &visit.caller, id, &Filing { on, receipt })?;
        Ok(returns_address(company, form, "filed"))
    })
    .await
}

async fn void_form(State(app): State<App>, Path(Id(company)): Path<Id>, request: Request) -> Response {
    access::act_in_steps(&app, request, For::Company(company, CLOSE), async |visit, form| {
        let id = id_of(form.get("form").unwrap_or_default());
        let reason = form.get("reason").unwrap_or_default().trim();
        closing::take_back(&app.store, &visit.caller, id, reason).await?;
        Ok(returns_address(company, form, "void"))
    })
    .await
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn a_period_is_found_by_the_name_that_its_form_sends() {
        let quarter = Quarter::new(2026, 3).unwrap();
        let all = [
            Period::Quarter(quarter),
            Period::Withheld(2026),
            Period::Unemployment(2026),
            Period::Statements(2026),
            Period::Contractors(2026),
        ];
        for period in all {
            assert_eq!(period_of(&key_of(period)), Some(period));
        }
        for wrong in ["", "941-2026", "941-2026-5", "940-", "940-1", "w-2-20260", "941-2026-3-1"] {
            assert_eq!(period_of(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn in_january_the_year_before_is_worked_on() {
        assert_eq!([date(2027, 1, 31), date(2027, 2, 1)].map(year_of_work), [2026, 2027]);
    }
}
