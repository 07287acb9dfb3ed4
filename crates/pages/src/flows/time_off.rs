//! Vacation and sick leave that is left. The employer's policies and payrolls say it; this page shows it.

use askama::Template;
use store::Tx;

use super::frame::Frame;
use super::plain::render;
use super::review::Fact;
use crate::flows::texts::Texts;
use domain::Error;
use domain::language::fill;
use domain::pay::time_off::payroll;
use domain::people::flows::session::Visitor;
use rules::time_off::PolicyType;

#[derive(Template)]
#[template(path = "flow/time_off.html")]
struct TimeOffPage<'a> {
    frame: &'a Frame,
    t: &'static Texts,
    facts: Vec<Fact>,
}

/// The page.
pub fn view(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<String, Error> {
    let facts = facts(tx, visitor, frame)?;
    render(&TimeOffPage { frame, t: frame.texts, facts })
}

/// The balances in the policies that count.
pub fn facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let (t, caller) = (frame.texts, &visitor.caller);
    let today = caller.today(tx);
    let held = payroll::held(tx, caller.company, (visitor.employee, visitor.employee), today)?;
    let fact = |one: &payroll::Held| {
        let name = match one.policy.policy_type {
            PolicyType::Vacation => t.time_off_vacation,
            PolicyType::Sick => t.time_off_sick,
        };
        let hours = one.enrollment.balance.to_text(2);
        let left = match one.policy.is_unlimited() {
            true => t.time_off_unlimited.to_owned(),
            false => fill(t.time_off_hours, &[("hours", &hours)]),
        };
        Fact::new(name, Some(left), t)
    };
    Ok(held.get(&visitor.employee).into_iter().flatten().map(fact).collect())
}
