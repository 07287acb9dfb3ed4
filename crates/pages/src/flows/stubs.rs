//! An employee's pay stubs for processed payrolls, with year-to-date totals, each as a page and as PDF.

use askama::Template;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use jiff::civil::Date;
use store::Tx;
use uuid::Uuid;

use super::frame::{Frame, Screen};
use super::plain::render;
use super::{Outcome, PageRequest, visit};
use crate::console::picture;
use crate::console::picture::Part;
use crate::flows::texts::Texts;
use crate::money::money;
use domain::Error;
use domain::language::fill;
use domain::paging::Page;
use domain::pay::payrolls::views::stub::{Stub, stub};
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
pub fn list(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<String, Error> {
    let t = frame.texts;
    let page = Page::Part { page: 1, per: MOST };
    let held = stubs::list(tx, &visitor.caller, visitor.person, page)?.items;
    // A payroll is processed before its payday, and can be cancelled until its deadline.
    let today = visitor.caller.today(tx);
    let year = match held.iter().find(|one| one.check_date <= today) {
        Some(newest) => {
            let of = (newest.check_date.year(), today);
            Some(year(t, stubs::paid_in_year(tx, &visitor.caller, visitor.person, of)?))
        }
        None => None,
    };
    let lines = held.into_iter().map(|one| Line {
        payroll: one.payroll,
        day: paid_on(t, one.check_date, today),
        net: money(one.net),
    });
    render(&ListPage { frame, t, year, lines: lines.collect() })
}

/// When the pay was paid, or will be.
fn paid_on(t: &Texts, payday: Date, today: Date) -> String {
    let words = if payday <= today { t.stub_of } else { t.stub_to_come };
    fill(words, &[("day", &t.day(payday))])
}

fn year(t: &Texts, paid: PaidInYear) -> Year {
    let (gross, net) = (money(paid.gross), money(paid.net));
    Year {
        title: fill(t.stubs_year, &[("year", &paid.year.to_string())]),
        text: fill(t.stubs_year_net, &[("net", &net), ("gross", &gross)]),
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

fn page(frame: &Frame, payroll: Uuid, held: Stub, today: Date) -> Result<String, Error> {
    let t = frame.texts;
    let days = [t.day(held.period.0), t.day(held.period.1)];
    let document = held.document;
    render(&StubPage {
        frame,
        t,
        payroll,
        title: paid_on(t, held.check_date, today),
        period: fill(t.stub_period, &[("from", &days[0]), ("until", &days[1])]),
        net: money(held.net),
        from: document.on_behalf_of.1,
        to: document.signed_by,
        // The period is shown above.
        sections: document.sections.into_iter().skip(1).collect(),
        parts: picture::bar(
            &document.shares.iter().map(|share| (share.name, share.amount)).collect::<Vec<_>>(),
        ),
    })
}

/// A stub of a processed payroll, if the visitor's link includes pay stubs.
fn find(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame, payroll: Uuid) -> Result<Option<Stub>, Error> {
    if frame.find(Screen::PayStubs.name()).is_none() {
        return Ok(None);
    }
    let page = Page::Part { page: 1, per: MOST };
    let held = stubs::list(tx, &visitor.caller, visitor.person, page)?.items;
    match held.iter().any(|one| one.payroll == payroll) {
        true => stub(tx, &visitor.caller, payroll, visitor.person, frame.language).map(Some),
        false => Ok(None),
    }
}

/// One pay stub.
pub async fn show(State(app): State<App>, Path(Id(payroll)): Path<Id>, request: Request) -> Response {
    visit(&app, PageRequest::of(&app, &request), move |tx, visitor, language| {
        let frame = Frame::load(tx, visitor, Some(language))?;
        let Some(held) = find(tx, visitor, &frame, payroll)? else {
            return Ok(Outcome::GoTo(frame.next_path()));
        };
        let frame = frame.at(Screen::PayStubs);
        let today = visitor.caller.today(tx);
        Ok(Outcome::Page(StatusCode::OK, page(&frame, payroll, held, today)?))
    })
    .await
}

/// One pay stub as PDF.
pub async fn pdf(State(app): State<App>, Path(Id(payroll)): Path<Id>, request: Request) -> Response {
    let asked = PageRequest::of(&app, &request);
    visit(&app, asked, move |tx, visitor, language| {
        let frame = Frame::load(tx, visitor, Some(language))?;
        Ok(match find(tx, visitor, &frame, payroll)? {
            Some(held) => Outcome::File(Kind::Pdf, layout::render(&held.document)),
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
pub fn file(kind: Kind, bytes: Vec<u8>) -> Response {
    let (content_type, told) = match kind {
        Kind::Pdf => ("application/pdf", disposition::inline("pay-stub.pdf")),
        Kind::Csv => (
            "text/csv; charset=utf-8; header=present",
            HeaderValue::from_static("attachment; filename=\"payroll.csv\""),
        ),
    };
    let headers =
        [(header::CONTENT_TYPE, HeaderValue::from_static(content_type)), (header::CONTENT_DISPOSITION, told)];
    (headers, bytes).into_response()
}
