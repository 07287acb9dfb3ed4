//! An employee's garnishments, and what each field of an income withholding order means, in English and in Spanish.

use askama::Template;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use axum::routing::get;
use uuid::Uuid;

use super::access;
use super::access::For;
use super::employees::full_name;
use super::frame;
use super::frame::Frame;
use super::order_facts;
use super::order_facts::LastPaycheck;
use super::order_help;
use super::order_help::OrderHelp;
use super::show::{Dates, format_percent, plain_words};
use crate::money::format_amount;
use domain::language::Language;
use domain::paging::Page;
use domain::people::employees;
use domain::withholding::garnishments::rows::Garnishment;
use domain::withholding::garnishments::service;
use interface::app::App;
use interface::http::InCompany;
use interface::query::Query;
use rules::{Amount, Named};

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/console/companies/{company}/employees/{employee}/garnishments", get(show_garnishments))
}

/// A field of an order with its explanation.
struct Field {
    label: &'static str,
    value: String,
    help: &'static str,
}

struct Order {
    name: String,
    kind: String,
    state: &'static str,
    mood: &'static str,
    takes: String,
    /// by which it is known, and what it has taken
    facts: Vec<(&'static str, String)>,
    /// its part of the last paycheck
    part: Option<OnPaycheck>,
    /// of an income withholding order
    fields: Vec<Field>,
}

/// What an order took of a paycheck, as a picture.
struct OnPaycheck {
    payroll: Uuid,
    check_date: String,
    picture: String,
}

#[derive(Template)]
#[template(path = "console/garnishments.html")]
struct GarnishmentsPage<'a> {
    frame: &'a Frame,
    company: Uuid,
    employee: Uuid,
    name: String,
    /// of the help texts
    language: &'static str,
    help: &'static OrderHelp,
    orders: Vec<Order>,
}

async fn show_garnishments(
    State(app): State<App>,
    Path(InCompany { company, id }): Path<InCompany>,
    query: Query,
    request: Request,
) -> Response {
    let chosen = query.text_value("language").and_then(Language::parse);
    let language = chosen.unwrap_or_else(|| crate::language::preferred_language(request.headers()));
    access::show_page(&app, request, For::Company(company, "garnishments:read"), move |tx, visit| {
        let employee = employees::service::find_employee(tx, &visit.caller, id)?;
        let help = order_help::help_in_language(language);
        let found = service::list_garnishments(tx, &visit.caller, id, Page::Whole)?.items;
        let last = match found.is_empty() {
            true => None,
            false => LastPaycheck::read_latest(tx, &visit.caller, id, visit.frame.dates)?,
        };
        let mut orders = Vec::new();
        for one in &found {
            let facts = order_facts::of_order(tx, &one.garnishment, visit.frame.dates)?;
            orders.push(garnishment_order(&one.garnishment, help, visit.frame.dates).with_order_facts(
                &one.garnishment,
                facts,
                last.as_ref(),
            ));
        }
        frame::render_page(&GarnishmentsPage {
            frame: &visit.frame,
            company,
            employee: id,
            name: full_name(&employee.first_name, &employee.last_name),
            language: language.code(),
            help,
            orders,
        })
    })
    .await
}

fn garnishment_order(record: &Garnishment, help: &'static OrderHelp, dates: Dates) -> Order {
    let terms = &record.terms;
    Order {
        name: record.description.clone(),
        kind: terms
            .garnishment_type
            .map_or_else(|| "Deduction".to_owned(), |kind| plain_words(kind.as_str())),
        state: if terms.active { "active" } else { "not active" },
        mood: if terms.active { "good" } else { "plain" },
        takes: if terms.deduct_as_percentage {
            format_percent(terms.amount)
        } else {
            format_amount(terms.amount)
        },
        facts: Vec::new(),
        part: None,
        fields: if terms.is_child_support() { child_support_fields(record, help, dates) } else { Vec::new() },
    }
}

impl Order {
    /// With the facts of the order, what it has taken so far, and its part of the last paycheck.
    fn with_order_facts(
        mut self,
        record: &Garnishment,
        facts: Vec<(&'static str, String)>,
        last: Option<&LastPaycheck>,
    ) -> Self {
        self.facts = facts;
        let Some(last) = last else { return self };
        let taken = last.withheld_by_order(record.id);
        let times = if taken.times == 1 { "once".to_owned() } else { format!("{} times", taken.times) };
        self.facts.push(("Taken so far", format!("{}, {times}", format_amount(taken.total))));
        self.facts.push(("Taken this year", format_amount(taken.year)));
        let part = last.order_part(record.id);
        self.part = part.map(|part| OnPaycheck {
            payroll: last.payroll,
            check_date: last.check_date.clone(),
            picture: part.limit_picture(),
        });
        self
    }
}

fn child_support_fields(record: &Garnishment, help: &'static OrderHelp, dates: Dates) -> Vec<Field> {
    let terms = &record.terms;
    let dollars = |amount: Option<Amount>| amount.map(format_amount);
    let flag = |flag: Option<bool>| flag.map(|yes| if yes { help.yes } else { help.no }.to_owned());
    let order = record.order_details();
    let order = order.as_ref();
    let payment_period =
        terms.child_support.as_ref().map(|support| support.payment_period.as_str().to_owned());
    let day = order.and_then(|order| order.received_on).map(|day| dates.format_day(day));
    let all = [
        (&help.payment_period, payment_period),
        (&help.pay_period_maximum, dollars(terms.pay_period_maximum)),
        (&help.current_support, dollars(order.and_then(|order| order.current_support))),
        (&help.arrears, dollars(order.and_then(|order| order.arrears))),
        (&help.medical_support, dollars(order.and_then(|order| order.medical_support))),
        (&help.health_insurance_premium, dollars(order.and_then(|order| order.health_insurance_premium))),
        (&help.arrears_over_12_weeks, flag(order.and_then(|order| order.arrears_over_12_weeks))),
        (&help.supports_other_family, flag(order.and_then(|order| order.supports_other_family))),
        (&help.received_on, day),
    ];
    let all = all.into_iter().map(|((label, help_text), value)| Field {
        label,
        value: value.unwrap_or_else(|| help.not_told.to_owned()),
        help: help_text,
    });
    all.collect()
}
