//! Time off balances, read-only: they follow from the employer's policies and payrolls.

use askama::Template;
use store::Tx;

use super::frame::Frame;
use super::plain::render_template;
use super::review::Fact;
use crate::flows::texts::Texts;
use domain::Error;
use domain::language::fill_placeholders;
use domain::paging::Page;
use domain::pay::time_off::enrolled::{self, Enrolled};
use domain::pay::time_off::requests::service;
use domain::pay::time_off::requests::service::{RequestDetails, RequestFilter};
use domain::people::flows::session::Visitor;
use domain::records::IdRange;
use rules::Amount;
use rules::time_off::{PolicyType, RequestStatus};

#[derive(Template)]
#[template(path = "flow/time_off.html")]
struct TimeOffPage<'a> {
    frame: &'a Frame,
    t: &'static Texts,
    facts: Vec<Fact>,
    requests: Vec<Fact>,
}

/// Maximum of requests shown, the latest first.
const MOST_REQUESTS: i64 = 20;

/// The page.
pub fn render_time_off(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<String, Error> {
    let facts = balance_facts(tx, visitor, frame)?;
    let requests = request_facts(tx, visitor, frame)?;
    render_template(&TimeOffPage { frame, t: frame.texts, facts, requests })
}

/// The type of time off, in words.
pub fn policy_type_text(policy_type: PolicyType, t: &'static Texts) -> &'static str {
    match policy_type {
        PolicyType::Vacation => t.time_off_vacation,
        PolicyType::Sick => t.time_off_sick,
    }
}

/// The employee's requests.
fn request_facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let t = frame.texts;
    let own = RequestFilter {
        employees: Some(vec![visitor.person]),
        statuses: Vec::new(),
        from: None,
        until: None,
        within: false,
        ascending: false,
    };
    let page = Page::Part { page: 1, per: MOST_REQUESTS };
    let fact = |RequestDetails { request, days, .. }: RequestDetails| {
        let hours: i64 = days.iter().map(|day| day.hours.millionths()).sum();
        let hours = Amount::from_millionths(hours).to_text(2);
        let (first, last) = (request.start_date.to_string(), request.end_date.to_string());
        let name: [(&str, &str); 3] =
            [("kind", policy_type_text(request.policy_type, t)), ("first", &first), ("last", &last)];
        let says = match request.status {
            RequestStatus::Pending => t.time_off_pending,
            RequestStatus::Approved => t.time_off_approved,
            RequestStatus::Declined => t.time_off_declined,
            RequestStatus::Consumed => t.time_off_consumed,
        };
        Fact::new(
            fill_placeholders(t.time_off_days, &name),
            Some(fill_placeholders(says, &[("hours", &hours)])),
            t,
        )
    };
    Ok(service::list_requests(tx, &visitor.caller, &own, page)?.items.into_iter().map(fact).collect())
}

/// The balances in the active policies.
pub fn balance_facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let (t, caller) = (frame.texts, &visitor.caller);
    let found = enrolled::active_policies(tx, caller.company, IdRange::only(visitor.person))?;
    let fact = |one: &Enrolled| {
        let name = policy_type_text(one.policy.policy_type, t);
        let hours = one.enrollment.balance.to_text(2);
        let left = match one.policy.is_unlimited() {
            true => t.time_off_unlimited.to_owned(),
            false => fill_placeholders(t.time_off_hours, &[("hours", &hours)]),
        };
        Fact::new(name, Some(left), t)
    };
    Ok(found.get(&visitor.person).into_iter().flatten().map(fact).collect())
}
