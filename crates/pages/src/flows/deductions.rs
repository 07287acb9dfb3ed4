//! What is taken from the pay beside taxes: benefits and garnishments. The employer enters them; here they are read.

use askama::Template;
use rules::payroll::garnishment::GarnishmentTerms;
use rules::withholding::federal::PayFrequency;
use store::Tx;

use super::frame::Frame;
use super::plain::render;
use super::review::Fact;
use crate::flows::texts::Texts;
use domain::Error;
use domain::benefits::service::company as company_benefits;
use domain::benefits::service::company::Filter;
use domain::benefits::service::employee as employee_benefits;
use domain::benefits::shapes::EmployeeBenefit;
use domain::language::fill;
use domain::paging::Page;
use domain::people::flows::session::Visitor;
use domain::withholding::garnishments::service as garnishments;

#[derive(Template)]
#[template(path = "flow/deductions.html")]
struct DeductionsPage<'a> {
    frame: &'a Frame,
    t: &'static Texts,
    groups: Vec<(&'static str, Vec<Fact>)>,
}

/// The page.
pub fn view(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<String, Error> {
    let t = frame.texts;
    let [benefits, orders] = facts(tx, visitor, frame)?;
    let mut groups = vec![(t.deductions_benefits, benefits), (t.deductions_orders, orders)];
    groups.retain(|(_, facts)| !facts.is_empty());
    render(&DeductionsPage { frame, t, groups })
}

/// Benefits, and garnishments, each with what is taken for it. What is not active is not shown.
pub fn facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<[Vec<Fact>; 2], Error> {
    let (t, caller) = (frame.texts, &visitor.caller);
    let today = caller.today(tx).to_string();
    let offered = company_benefits::list(tx, caller, &Filter::default())?;
    let held = employee_benefits::list(tx, caller, visitor.employee, false, Page::Whole)?.items;
    let mut benefits = Vec::new();
    for benefit in held.iter().filter(|benefit| is_in_force(benefit, &today)) {
        let of =
            offered.iter().find(|offered| offered.uuid == benefit.company_benefit_uuid && offered.active);
        benefits.extend(of.map(|of| Fact::new(&*of.description, Some(benefit_in_words(benefit, t)), t)));
    }
    let orders = garnishments::list(tx, caller, visitor.employee, Page::Whole)?.items;
    let orders = orders.iter().map(|order| &order.garnishment).filter(|order| order.terms.active);
    let orders = orders.map(|order| Fact::new(&*order.description, Some(order_in_words(&order.terms, t)), t));
    Ok([benefits, orders.collect()])
}

/// Whether a benefit is still to run out. Dates in this form sort like their days.
fn is_in_force(benefit: &EmployeeBenefit, today: &str) -> bool {
    let end = benefit.terms.expiration_date.as_ref().and_then(Option::as_deref);
    benefit.terms.active && end.is_none_or(|end| end >= today)
}

fn taken(t: &'static Texts, amount: &str, of_pay: bool) -> String {
    fill(if of_pay { t.deduction_percent } else { t.deduction_amount }, &[("amount", amount)])
}

fn benefit_in_words(benefit: &EmployeeBenefit, t: &'static Texts) -> String {
    let terms = &benefit.terms;
    let mut words = vec![taken(t, &terms.employee_deduction, terms.deduct_as_percentage)];
    let most = terms.employee_deduction_annual_maximum.as_deref();
    words.extend(most.map(|most| fill(t.deduction_most_year, &[("amount", most)])));
    let begun = Some(&*terms.effective_date).filter(|day| *day != ALWAYS);
    words.extend(begun.map(|day| fill(t.deduction_from, &[("day", day)])));
    let end = terms.expiration_date.as_ref().and_then(Option::as_deref);
    words.extend(end.map(|day| fill(t.deduction_until, &[("day", day)])));
    words.join("; ")
}

/// The first day of a benefit that has always been.
const ALWAYS: &str = "1970-01-01";

fn order_in_words(terms: &GarnishmentTerms, t: &'static Texts) -> String {
    let mut words = vec![taken(t, &terms.amount.to_text(2), terms.deduct_as_percentage)];
    if let Some(most) = terms.pay_period_maximum {
        let period = match terms.child_support.as_ref().map(|support| support.payment_period) {
            Some(PayFrequency::EveryWeek) => t.each_week,
            Some(PayFrequency::EveryOtherWeek) => t.each_other_week,
            Some(PayFrequency::TwicePerMonth) => t.each_half_month,
            Some(PayFrequency::Monthly) => t.each_month,
            // Other orders than support count by payday.
            _ => t.each_payday,
        };
        words.push(fill(t.deduction_most, &[("amount", &most.to_text(2)), ("period", period)]));
    }
    for (amount, text) in
        [(terms.annual_maximum, t.deduction_most_year), (terms.total_amount, t.deduction_most_total)]
    {
        words.extend(amount.map(|amount| fill(text, &[("amount", &amount.to_text(2))])));
    }
    words.join("; ")
}
