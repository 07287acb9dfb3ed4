//! Deductions from pay besides federal taxes: taxes of states and places, benefits and garnishments. The former follow from
//! addresses and answers, the employer enters the others; this page shows them.

use askama::Template;
use jiff::civil::Date;
use rules::payroll::garnishment::GarnishmentTerms;
use rules::taxes::Payer;
use rules::window::BASELINE;
use rules::withholding::federal::PayFrequency;
use store::Tx;

use super::frame::Frame;
use super::plain::render;
use super::review::Fact;
use crate::flows::texts::Texts;
use domain::Error;
use domain::benefits::rows::employee::EmployeeBenefit;
use domain::benefits::service::company as company_benefits;
use domain::benefits::service::company::Filter;
use domain::benefits::service::employee as employee_benefits;
use domain::language::fill;
use domain::paging::Page;
use domain::pay::payrolls::taxes;
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
    let mut groups = vec![
        (t.deductions_taxes, taxes_in_force(tx, visitor, frame)?),
        (t.deductions_benefits, benefits),
        (t.deductions_orders, orders),
    ];
    groups.retain(|(_, facts)| !facts.is_empty());
    render(&DeductionsPage { frame, t, groups })
}

/// Taxes of states and places that the employee's pay of today bears, by name.
fn taxes_in_force(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let t = frame.texts;
    let all = taxes::of_employee(tx, &visitor.caller, visitor.employee)?.into_iter();
    let own = all.filter(|tax| tax.payer == Payer::Employee && tax.worked_out);
    Ok(own.map(|tax| Fact::new(tax.name, Some(t.deduction_tax.to_owned()), t)).collect())
}

/// Active benefits and garnishments, each with its deduction.
pub fn facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<[Vec<Fact>; 2], Error> {
    let (t, caller) = (frame.texts, &visitor.caller);
    let today = caller.today(tx);
    let offered = company_benefits::list(tx, caller, &Filter::default())?;
    let held = employee_benefits::list(tx, caller, visitor.employee, false, Page::Whole)?.items;
    let mut benefits = Vec::new();
    for benefit in held.iter().filter(|benefit| is_in_force(benefit, today)) {
        let of = offered
            .iter()
            .map(|one| &one.benefit)
            .find(|one| one.id == benefit.company_benefit && one.active);
        benefits.extend(of.map(|of| Fact::new(&*of.description, Some(benefit_in_words(benefit, t)), t)));
    }
    let orders = garnishments::list(tx, caller, visitor.employee, Page::Whole)?.items;
    let orders = orders.iter().map(|order| &order.garnishment).filter(|order| order.terms.active);
    let orders = orders.map(|order| Fact::new(&*order.description, Some(order_in_words(&order.terms, t)), t));
    Ok([benefits, orders.collect()])
}

/// Whether a benefit is active and has not ended.
fn is_in_force(benefit: &EmployeeBenefit, today: Date) -> bool {
    benefit.active && benefit.window.expiration.is_none_or(|end| end >= today)
}

fn taken(t: &'static Texts, amount: &str, of_pay: bool) -> String {
    fill(if of_pay { t.deduction_percent } else { t.deduction_amount }, &[("amount", amount)])
}

fn benefit_in_words(benefit: &EmployeeBenefit, t: &'static Texts) -> String {
    let terms = &benefit.terms;
    let mut words = vec![taken(t, &terms.deduction.to_text(2), terms.deduct_as_percentage)];
    let most = terms.deduction_annual_maximum.map(|most| most.to_text(2));
    words.extend(most.map(|most| fill(t.deduction_most_year, &[("amount", &most)])));
    let begun = Some(benefit.window.effective).filter(|day| *day != BASELINE);
    words.extend(begun.map(|day| fill(t.deduction_from, &[("day", &day.to_string())])));
    let end = benefit.window.expiration;
    words.extend(end.map(|day| fill(t.deduction_until, &[("day", &day.to_string())])));
    words.join("; ")
}

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
