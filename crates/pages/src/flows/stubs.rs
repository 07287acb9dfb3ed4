//! An employee's pay stubs for processed payrolls, with year-to-date totals, each as a page and as PDF.

use askama::Template;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use jiff::civil::Date;
use store::Tx;
use uuid::Uuid;

use super::frame::{Frame, Screen};
use super::plain::render_template;
use super::{Outcome, PageRequest, visit_reading};
use crate::console::picture;
use crate::console::picture::Part;
use crate::flows::texts::Texts;
use crate::money::format_amount;
use domain::Error;
use domain::language::fill_placeholders;
use domain::paging::Page;
use domain::pay::payrolls::views::stub::{Stub, pay_stub};
use domain::pay::payrolls::views::stubs;
use domain::pay::payrolls::views::stubs::PaidInYear;
use domain::people::flows::session::Visitor;
use domain::people::forms::document::Section;
use domain::people::forms::pdf as layout;
use interface::app::App;
use interface::http::{Id, disposition};

/// Pay stubs on the page: two years of weekly pay.
const MOST: i64 = 104;

struct Line {
    payroll: Uuid,
    day: String,
    net: String,
}

/// What was paid in the year of the last payday.
struct Year {
    title: String,
    net: String,
    text: String,
}

#[derive(Template)]
#[template(path = "flow/pay_stubs.html")]
struct ListPage<'a> {
    frame: &'a Frame,
    t: &'static Texts,
    year: Option<Year>,
    lines: Vec<Line>,
}

/// The page of all pay stubs.
pub fn render_stub_list(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<String, Error> {
    let t = frame.texts;
    let page = Page::Part { page: 1, per: MOST };
    let held = stubs::list_pay_stubs(tx, &visitor.caller, visitor.person, page)?.items;
    // A payroll is processed before its payday, and can be cancelled until its deadline.
    let today = visitor.caller.today(tx);
    let year = match held.iter().find(|one| one.check_date <= today) {
        Some(newest) => {
            let of = (newest.check_date.year(), today);
            Some(year_summary(t, stubs::paid_in_year(tx, &visitor.caller, visitor.person, of)?))
        }
        None => None,
    };
    let lines = held.into_iter().map(|one| Line {
        payroll: one.payroll,
        day: paid_on(t, one.check_date, today),
        net: format_amount(one.net),
    });
    render_template(&ListPage { frame, t, year, lines: lines.collect() })
}

/// When the pay was paid, or will be.
fn paid_on(t: &Texts, payday: Date, today: Date) -> String {
    let words = if payday <= today { t.stub_of } else { t.stub_to_come };
    fill_placeholders(words, &[("day", &t.format_day(payday))])
}

fn year_summary(t: &Texts, paid: PaidInYear) -> Year {
    let (gross, net) = (format_amount(paid.gross), format_amount(paid.net));
    Year {
        title: fill_placeholders(t.stubs_year, &[("year", &paid.year.to_string())]),
        text: fill_placeholders(t.stubs_year_net, &[("net", &net), ("gross", &gross)]),
        net,
    }
}

#[derive(Template)]
#[template(path = "flow/pay_stub.html")]
struct StubPage<'a> {
    frame: &'a Frame,
    t: &'static Texts,
    payroll: Uuid,
    title: String,
    period: String,
    net: String,
    from: Vec<String>,
    to: Vec<String>,
    sections: Vec<Section>,
    /// where each dollar of gross pay went
    parts: Vec<Part>,
}

fn render_stub(frame: &Frame, payroll: Uuid, held: Stub, today: Date) -> Result<String, Error> {
    let t = frame.texts;
    let days = [t.format_day(held.period.first), t.format_day(held.period.last)];
    let document = held.document;
    render_template(&StubPage {
        frame,
        t,
        payroll,
        title: paid_on(t, held.check_date, today),
        period: fill_placeholders(t.stub_period, &[("from", &days[0]), ("until", &days[1])]),
        net: format_amount(held.net),
        from: document.on_behalf_of.1,
        to: document.signed_by,
        // The period is shown above.
        sections: document.sections.into_iter().skip(1).collect(),
        parts: picture::stacked_bar(
            &document.shares.iter().map(|share| (share.name, share.amount)).collect::<Vec<_>>(),
        ),
    })
}

/// A stub of a processed payroll, if the visitor's link includes pay stubs.
fn find_stub(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
    payroll: Uuid,
) -> Result<Option<Stub>, Error> {
    if frame.find_screen(Screen::PayStubs.name()).is_none() {
        return Ok(None);
    }
    let page = Page::Part { page: 1, per: MOST };
    let held = stubs::list_pay_stubs(tx, &visitor.caller, visitor.person, page)?.items;
    match held.iter().any(|one| one.payroll == payroll) {
        true => pay_stub(tx, &visitor.caller, payroll, visitor.person, frame.language).map(Some),
        false => Ok(None),
    }
}

/// One pay stub.
pub async fn show_stub(State(app): State<App>, Path(Id(payroll)): Path<Id>, request: Request) -> Response {
    visit_reading(&app, PageRequest::from_request(&app, &request), move |tx, visitor, language| {
        let frame = Frame::load(tx, visitor, Some(language))?;
        let Some(held) = find_stub(tx, visitor, &frame, payroll)? else {
            return Ok(Outcome::GoTo(frame.next_path()));
        };
        let frame = frame.at_screen(Screen::PayStubs);
        let today = visitor.caller.today(tx);
        Ok(Outcome::Page(StatusCode::OK, render_stub(&frame, payroll, held, today)?))
    })
    .await
}

/// One pay stub as PDF.
pub async fn show_stub_pdf(
    State(app): State<App>,
    Path(Id(payroll)): Path<Id>,
    request: Request,
) -> Response {
    let asked = PageRequest::from_request(&app, &request);
    visit_reading(&app, asked, move |tx, visitor, language| {
        let frame = Frame::load(tx, visitor, Some(language))?;
        Ok(match find_stub(tx, visitor, &frame, payroll)? {
            Some(held) => Outcome::File(Kind::Pdf, layout::render_pdf(&held.document)),
            None => Outcome::GoTo(frame.next_path()),
        })
    })
    .await
}

/// What kind of file a page gives.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// a document, which the browser shows
    Pdf,
    /// a table for a spreadsheet, which the browser stores
    Csv,
}

/// The response with a file.
pub fn pdf_response(kind: Kind, bytes: Vec<u8>) -> Response {
    let (content_type, told) = match kind {
        Kind::Pdf => ("application/pdf", disposition::inline_header("pay-stub.pdf")),
        Kind::Csv => (
            "text/csv; charset=utf-8; header=present",
            HeaderValue::from_static("attachment; filename=\"payroll.csv\""),
        ),
    };
    let headers =
        [(header::CONTENT_TYPE, HeaderValue::from_static(content_type)), (header::CONTENT_DISPOSITION, told)];
    (headers, bytes).into_response()
}
