//! An employee's Forms W-2 and W-2c, each on the page and as PDF, and whether they come electronically or on paper.

use askama::Template;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use jiff::Timestamp;
use returns::w2::MoneyBox;
use returns::{W2, W2c, format_dollars};
use rules::Named as _;
use store::Tx;
use uuid::Uuid;

use super::dispatch::Saved;
use super::form::Form;
use super::frame::{Frame, Screen};
use super::plain::render_template;
use super::{Outcome, PageRequest, visit_reading};
use crate::flows::texts::Texts;
use crate::money::dollars_of;
use domain::Error;
use domain::language::fill_placeholders;
use domain::people::flows::session::Visitor;
use domain::people::forms::pdf as layout;
use domain::returns::forms::consents::{self, Consent, Contact, Said};
use domain::returns::forms::content::Figures;
use domain::returns::forms::rows::{self, TaxForm};
use domain::returns::forms::service;
use interface::app::App;
use interface::http::Id;

/// A form with its boxes.
struct Shown {
    id: Uuid,
    title: String,
    lines: Vec<Line>,
}

/// A box; `before` is what was reported, on a Form W-2c.
struct Line {
    number: String,
    title: String,
    before: Option<String>,
    value: String,
}

#[derive(Template)]
#[template(path = "flow/tax_forms.html")]
struct FormsPage<'a> {
    frame: &'a Frame,
    t: &'static Texts,
    forms: Vec<Shown>,
    /// how forms come to the employee
    delivery: String,
    is_electronic: bool,
    /// what whoever consents has to know; empty while nobody can consent
    terms: Vec<String>,
}

/// The page of all forms.
pub fn render_tax_forms(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<String, Error> {
    let (t, company) = (frame.texts, visitor.caller.company);
    let consent = consents::consent_of_employee(tx, company, visitor.person)?;
    let mut forms = Vec::new();
    for form in of_visitor(tx, visitor)? {
        let (words, lines) = match form.read_content(tx, company)?.figures {
            Figures::Statement(form) => (t.tax_form_w2, of_statement(t, &form)),
            Figures::Corrected(form) => (t.tax_form_w2c, of_corrected(t, &form)),
            _ => continue,
        };
        let title = fill_placeholders(words, &[("year", &form.year.to_string())]);
        forms.push(Shown { id: form.id, title, lines });
    }
    forms.reverse();
    let is_electronic = consent.as_ref().is_some_and(Consent::is_given);
    let delivery = delivery_text(t, visitor, consent.as_ref());
    let terms =
        consents::company_contact(tx, company)?.map(|contact| consent_terms(t, &contact)).unwrap_or_default();
    render_template(&FormsPage { frame, t, forms, delivery, is_electronic, terms })
}

/// What 26 CFR 31.6051-1(j)(3) asks to disclose before the consent.
fn consent_terms(t: &'static Texts, contact: &Contact) -> Vec<String> {
    let Contact { name, company, address, phone, email } = contact;
    let parts = [
        ("name", name.as_str()),
        ("company", company),
        ("address", address),
        ("phone", phone),
        ("email", email),
    ];
    t.tax_forms_terms.iter().map(|words| fill_placeholders(words, &parts)).collect()
}

/// The closed forms of the visitor, oldest first: drafts can still change.
fn of_visitor(tx: &mut Tx<'_>, visitor: &Visitor) -> Result<Vec<TaxForm>, Error> {
    let mut forms = rows::of_employee(tx, visitor.caller.company, visitor.person)?;
    forms.retain(TaxForm::is_closed);
    Ok(forms)
}

fn delivery_text(t: &'static Texts, visitor: &Visitor, consent: Option<&Consent>) -> String {
    let day = |at: Timestamp| t.format_day(at.to_zoned(visitor.caller.zone.clone()).date());
    let text = |words: &str, at| fill_placeholders(words, &[("day", &day(at))]);
    let mut said = match consent {
        Some(Consent { given_at: Some(at), withdrawn_at: None, .. }) => text(t.tax_forms_electronic, *at),
        Some(Consent { withdrawn_at: Some(at), .. }) => text(t.tax_forms_withdrawn, *at),
        _ => t.tax_forms_paper.to_owned(),
    };
    if let Some(at) = consent.and_then(|one| one.paper_at) {
        said = format!("{said} {}", text(t.tax_forms_paper_asked, at));
    }
    said
}

fn format_cents(cents: i64) -> String {
    dollars_of(&format_dollars(cents))
}

/// The title of a box in the language of the page; what is not translated has that of the form.
fn box_title(t: &'static Texts, number: &str, of_form: &str) -> String {
    let found = t.w2_boxes.iter().find(|one| one.number == number);
    found.map_or_else(|| of_form.to_owned(), |one| one.title.to_owned())
}

fn of_statement(t: &'static Texts, form: &W2) -> Vec<Line> {
    let line = |number: String, title: String, cents| Line {
        number,
        title,
        before: None,
        value: format_cents(cents),
    };
    let boxes = MoneyBox::ALL
        .iter()
        .filter(|of| form.amount(**of) != 0)
        .map(|of| line(of.number().to_owned(), box_title(t, of.number(), of.title()), form.amount(*of)));
    let codes =
        form.box_12.iter().map(|(code, cents)| line(format!("12 {code}"), box_title(t, "12", ""), *cents));
    let other = form.other.iter().map(|(text, cents)| line("14a".to_owned(), text.clone(), *cents));
    let states = form.states.iter().flat_map(|one| {
        [
            line(format!("16 {}", one.state), box_title(t, "16", ""), one.taxed.wages),
            line(format!("17 {}", one.state), box_title(t, "17", ""), one.taxed.tax),
        ]
    });
    let localities = form.localities.iter().flat_map(|one| {
        [
            line(format!("18 {}", one.locality), box_title(t, "18", ""), one.taxed.wages),
            line(format!("19 {}", one.locality), box_title(t, "19", ""), one.taxed.tax),
        ]
    });
    boxes.chain(codes).chain(other).chain(states).chain(localities).collect()
}

fn of_corrected(t: &'static Texts, form: &W2c) -> Vec<Line> {
    let line = |change: returns::w2c::Change| {
        let number = change.number.split(' ').next().unwrap_or_default();
        Line {
            title: box_title(t, number, &change.title),
            before: Some(format_cents(change.reported)),
            value: format_cents(change.corrected),
            number: change.number,
        }
    };
    form.changes().into_iter().map(line).collect()
}

/// Records what the visitor says about electronic forms.
pub fn save_consent(tx: &mut Tx<'_>, visitor: &Visitor, form: &Form) -> Result<Saved, Error> {
    let said = match form.get("action") {
        Some("agree") if consents::company_contact(tx, visitor.caller.company)?.is_some() => Said::Given,
        Some("withdraw") => Said::Withdrawn,
        Some("paper") => Said::Paper,
        _ => return Ok(Saved::Done),
    };
    consents::record_consent(tx, &visitor.caller, visitor.person, said)?;
    Ok(Saved::Stay)
}

/// One form as PDF.
pub async fn show_form_pdf(State(app): State<App>, Path(Id(id)): Path<Id>, request: Request) -> Response {
    let asked = PageRequest::from_request(&app, &request);
    visit_reading(&app, asked, move |tx, visitor, language| {
        let frame = Frame::load(tx, visitor, Some(language))?;
        if frame.find_screen(Screen::TaxForms.name()).is_none() {
            return Ok(Outcome::GoTo(frame.next_path()));
        }
        let found = of_visitor(tx, visitor)?.into_iter().find(|form| form.id == id);
        Ok(match found {
            Some(form) => Outcome::File(
                super::stubs::Kind::Pdf,
                layout::render_pdf(&service::form_document(tx, visitor.caller.company, &form)?),
            ),
            None => Outcome::GoTo(frame.next_path()),
        })
    })
    .await
}
