//! The frame around every page: the current place, navigation, and error pages.

use std::fmt::Display;

use askama::Template;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use uuid::Uuid;

use super::access::PageRequest;
use super::show::Dates;
use crate::hosted as pages;
use crate::hosted::Allowed;
use crate::refusals::Refusal;
use domain::access::scope::Scopes;
use domain::people::flows::session::form_token;
use interface::app::App;
use interface::error::{Cause, Error};

/// The frame of a page.
#[derive(Clone)]
pub struct Frame {
    /// who is signed in
    pub user: Option<String>,
    /// whether it is the developer at the machine
    pub developer: bool,
    /// sent back by each form
    pub form_token: String,
    /// date format
    pub dates: Dates,
    /// path and query of the page
    pub address: String,
    /// why the form of the page was refused
    pub refusal: Option<Refusal>,
    /// the page's company
    pub company: Option<Inside>,
}

store::hidden!(Frame);

/// The company that a page is about.
#[derive(Debug, Clone)]
pub struct Inside {
    /// the company
    pub id: Uuid,
    /// its legal name
    pub name: String,
    scopes: Scopes,
}

/// Places of a company that belong together.
#[derive(Debug)]
pub struct Group {
    /// its label; empty for the overview
    pub title: &'static str,
    /// the places that the visitor may see
    pub entries: Vec<Entry>,
}

/// A place to go.
#[derive(Debug)]
pub struct Entry {
    /// its address
    pub path: String,
    /// its label
    pub title: &'static str,
    /// whether the page belongs there
    pub current: bool,
}

/// A place of a company: its part of the address, its label, and the scope of who may see it.
type Place = (&'static str, &'static str, &'static str);

/// The places of a company by what they are about.
const GROUPS: [(&str, &[Place]); 5] = [
    (
        "People",
        &[
            ("employees", "Employees", "employees:read"),
            ("contractors", "Contractors", "contractors:read"),
            ("time_off", "Time off", "time_off_policies:read"),
        ],
    ),
    (
        "Payroll",
        &[
            ("payrolls", "Payrolls", "payrolls:read"),
            ("money", "Money", "ach_transactions:read"),
            ("owed", "Not paid", "company_reports:read"),
        ],
    ),
    (
        "Reports and taxes",
        &[
            ("reports", "Reports", "company_reports:read"),
            ("taxes", "Taxes", "payrolls:read"),
            ("tax_returns", "Tax returns", "company_forms:read"),
        ],
    ),
    (
        "Integration",
        &[
            ("events", "Events", "events:read"),
            ("webhooks", "Webhooks", "webhook_subscriptions:read"),
            ("applications", "Applications", "company_admin:read"),
        ],
    ),
    (
        "Records",
        &[("audit", "Audit log", "company_admin:read"), ("jobs", "Failed jobs", "company_admin:read")],
    ),
];

impl Frame {
    /// For a page without a company.
    pub fn new(user: Option<String>, form_token: String, address: &str, dates: Dates) -> Self {
        let address = address.to_owned();
        Self { user, developer: false, form_token, dates, address, refusal: None, company: None }
    }

    /// Sets the page's company.
    pub fn set_company(&mut self, id: Uuid, name: String, scopes: Scopes) {
        self.company = Some(Inside { id, name, scopes });
    }

    /// Whether the visitor is known.
    pub fn is_somebody(&self) -> bool {
        self.developer || self.user.is_some()
    }

    /// The page's own path.
    pub fn path(&self) -> &str {
        self.address.split('?').next().unwrap_or_default()
    }

    /// Whether the refused form is the one with this action below the page, about this record (empty if it names none).
    pub fn is_kept(&self, action: &str, record: impl Display) -> bool {
        let record = record.to_string();
        let is_about =
            |refusal: &Refusal| record.is_empty() || refusal.entries.values().any(|value| *value == record);
        let is_here = |refusal: &&Refusal| refusal.form.strip_prefix(self.path()) == Some(action);
        self.refusal.as_ref().filter(is_here).is_some_and(is_about)
    }

    /// What was entered in a field of that form when it was refused; otherwise what the page has for the field.
    pub fn kept_entry(
        &self,
        action: &str,
        record: impl Display,
        name: &str,
        otherwise: impl Display,
    ) -> String {
        let entries =
            self.refusal.as_ref().filter(|_| self.is_kept(action, record)).map(|refusal| &refusal.entries);
        entries.and_then(|entries| entries.get(name).cloned()).unwrap_or_else(|| otherwise.to_string())
    }

    fn menu_entry(&self, path: String, title: &'static str) -> Entry {
        let current = self.path() == path || self.path().starts_with(&format!("{path}/"));
        Entry { path, title, current }
    }

    /// The pages of the whole service.
    pub fn service_menu(&self) -> Vec<Entry> {
        let mut companies = self.menu_entry("/console/companies".to_owned(), "Companies");
        companies.current |= self.path() == "/console";
        "/console".clone_into(&mut companies.path);
        let mut places = vec![companies];
        places.push(self.menu_entry("/console/requests".to_owned(), "Requests"));
        if self.developer {
            places.push(self.menu_entry("/console/clock".to_owned(), "Test clock"));
        }
        places.push(self.menu_entry("/console/data".to_owned(), "Data"));
        places.push(self.menu_entry("/docs".to_owned(), "Docs"));
        places
    }

    /// The pages of the company that the visitor may see, in groups.
    pub fn company_menu(&self) -> Vec<Group> {
        let Some(company) = &self.company else { return Vec::new() };
        let base = format!("/console/companies/{}", company.id);
        let mut overview = self.menu_entry(base.clone(), "Overview");
        overview.current = self.path() == base;
        let group = |(title, pages): &(&'static str, &[Place])| {
            let seen = pages.iter().filter(|(.., scope)| company.scopes.contains(scope));
            let entries = seen.map(|(part, title, _)| self.menu_entry(format!("{base}/{part}"), title));
            Group { title, entries: entries.collect() }
        };
        let first = Group { title: "", entries: vec![overview] };
        let others = GROUPS.iter().map(group).filter(|group| !group.entries.is_empty());
        std::iter::once(first).chain(others).collect()
    }
}

/// Fills a template.
///
/// # Errors
/// "Internal" when it cannot be filled.
pub fn render_page(page: &impl Template) -> Result<String, Error> {
    page.render().map_err(Error::failed_operation("a page of the console could not be written"))
}

#[derive(Template)]
#[template(path = "console/message.html")]
struct MessagePage<'a> {
    frame: &'a Frame,
    title: &'a str,
    lines: Vec<String>,
}

fn message_page(frame: &Frame, status: StatusCode, title: &str, lines: Vec<String>) -> Response {
    match render_page(&MessagePage { frame, title, lines }) {
        Ok(html) => (status, Html(html)).into_response(),
        Err(error) => error.into_response(),
    }
}

/// What a visitor is told about an error that a form can be mended after; `None` for any other.
pub fn mendable_error_lines(error: &Error) -> Option<Vec<String>> {
    match error {
        Error::Violations(violations) | Error::Malformed(violations) => {
            Some(violations.iter().map(|violation| violation.message.clone()).collect())
        }
        Error::Settled(violation) => Some(vec![violation.message.clone()]),
        Error::Stale(_) => Some(vec![
            "Meanwhile it was changed elsewhere, and is shown as it is now. Nothing of the form was saved."
                .to_owned(),
        ]),
        _ => None,
    }
}

/// An error page.
pub fn error_page(frame: &Frame, error: &Error) -> Response {
    let (title, lines) = match error {
        Error::NotFound => {
            ("There is no such page", vec!["There is nothing here that you may see.".to_owned()])
        }
        Error::MissingScope(_) => (
            "Not with your role",
            vec!["An administrator with full access to the company can see and do this.".to_owned()],
        ),
        error => match mendable_error_lines(error) {
            Some(lines) => ("That is not possible", lines),
            None => ("That did not work", vec!["Nothing was changed. Try again in a moment.".to_owned()]),
        },
    };
    let mut response = message_page(frame, error.status(), title, lines);
    Cause::attach_cause(&mut response, error);
    response
}

/// The page after a form that was sent from elsewhere, or from a page of a session that has ended.
pub fn foreign_form_page(asked: &PageRequest) -> Response {
    let frame = Frame::new(None, form_token(&asked.cookie), "/console", asked.dates);
    let line = "The form does not come from a page of this session; nothing was changed. Open the page anew.";
    message_page(&frame, StatusCode::FORBIDDEN, "Not taken", vec![line.to_owned()])
}

/// Adds the headers of every page; the console cannot be framed.
pub fn guard_response(app: &App, response: Response) -> Response {
    let https = pages::is_https(Some(&app.settings.issuer()));
    pages::guard_response(Allowed { forms_lead_to: "", framed_by: &[], https }, response)
}
