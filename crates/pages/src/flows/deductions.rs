//! Deductions from pay besides federal taxes: state and local taxes, benefits and garnishments. The taxes follow from
//! addresses and answers, and the employer enters the others; this page shows them.

use askama::Template;
use jiff::civil::Date;
use rules::Amount;
use rules::payroll::garnishment::{GarnishmentTerms, WithheldToDate};
use rules::taxes::Payer;
use rules::window::BASELINE;
use rules::withholding::federal::PayFrequency;
use store::Tx;

use super::frame::Frame;
use super::plain::render_template;
use super::review::Fact;
use crate::flows::texts::Texts;
use crate::money::format_amount;
use domain::Error;
use domain::benefits::rows::employee::EmployeeBenefit;
use domain::benefits::service::company as company_benefits;
use domain::benefits::service::company::CompanyBenefitFilter;
use domain::benefits::service::employee as employee_benefits;
use domain::language::fill_placeholders;
use domain::paging::Page;
use domain::pay::payrolls::facts::year_to_date::withheld_to_date;
use domain::pay::payrolls::views::taxes;
use domain::people::flows::session::Visitor;
use domain::withholding::garnishments::service as garnishments;

#[derive(Template)]
#[template(path = "flow/deductions.html")]
struct DeductionsPage<'a> {
    frame: &'a Frame,
    t: &'static Texts,
    taxes: Vec<Fact>,
    groups: Vec<Group>,
}

/// Deductions of one kind. An empty column is omitted: a phone has no room for it.
struct Group {
    title: &'static str,
    deductions: Vec<Deduction>,
    has_limits: bool,
    has_when: bool,
}

impl Group {
    fn new(title: &'static str, deductions: Vec<Deduction>) -> Self {
        let has_limits = deductions.iter().any(|one| !one.limits.is_empty());
        let has_when = deductions.iter().any(|one| !one.when.is_empty());
        Self { title, deductions, has_limits, has_when }
    }
}

/// A deduction: its name, and in words its amount, maximum and frequency.
pub struct Deduction {
    name: String,
    each: String,
    limits: String,
    when: String,
}

impl Deduction {
    /// For the review, in one line.
    fn into_fact(self, t: &Texts) -> Fact {
        let words = [self.each, self.limits, self.when].map(|part| (!part.is_empty()).then_some(part));
        Fact::new(self.name, Some(words.into_iter().flatten().collect::<Vec<_>>().join("; ")), t)
    }
}

/// The page.
pub fn render_deductions(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<String, Error> {
    let t = frame.texts;
    let [benefits, orders] = active_deductions(tx, visitor, frame)?;
    let mut groups =
        vec![Group::new(t.deductions_benefits, benefits), Group::new(t.deductions_orders, orders)];
    groups.retain(|group| !group.deductions.is_empty());
    render_template(&DeductionsPage { frame, t, taxes: taxes_in_force(tx, visitor, frame)?, groups })
}

/// The state and local taxes that apply to the employee's pay today, by name.
fn taxes_in_force(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let t = frame.texts;
    let all = taxes::of_employee(tx, &visitor.caller, visitor.person)?.into_iter();
    let own = all.filter(|tax| tax.payer == Payer::Employee && tax.worked_out);
    Ok(own.map(|tax| Fact::new(tax.name, Some(t.deduction_tax.to_owned()), t)).collect())
}

/// The deductions, for the review.
pub fn deduction_facts(tx: &mut Tx<'_>, visitor: &Visitor, frame: &Frame) -> Result<Vec<Fact>, Error> {
    let all = active_deductions(tx, visitor, frame)?.into_iter().flatten();
    Ok(all.map(|deduction| deduction.into_fact(frame.texts)).collect())
}

/// Active benefits and garnishments, each with its deduction.
fn active_deductions(
    tx: &mut Tx<'_>,
    visitor: &Visitor,
    frame: &Frame,
) -> Result<[Vec<Deduction>; 2], Error> {
    let (t, caller) = (frame.texts, &visitor.caller);
    let today = caller.today(tx);
    let offered = company_benefits::list_company_benefits(tx, caller, &CompanyBenefitFilter::default())?;
    let held =
        employee_benefits::list_employee_benefits(tx, caller, visitor.person, false, Page::Whole)?.items;
    let mut benefits = Vec::new();
    for benefit in held.iter().filter(|benefit| is_in_force(benefit, today)) {
        let of = offered
            .iter()
            .map(|one| &one.benefit)
            .find(|one| one.id == benefit.company_benefit && one.active);
        benefits.extend(of.map(|of| benefit_in_words(&of.description, benefit, t)));
    }
    let mut orders = Vec::new();
    for order in garnishments::list_garnishments(tx, caller, visitor.person, Page::Whole)?.items {
        let garnishment = order.garnishment;
        let of = (visitor.person, garnishment.id);
        let withheld = withheld_to_date(tx, caller.company, of, today.year())?;
        if !garnishment.terms.is_over(&withheld, today) {
            orders.push(order_in_words(&garnishment.description, &garnishment.terms, (&withheld, today), t));
        }
    }
    Ok([benefits, orders])
}

/// Whether a benefit is active and has not ended.
fn is_in_force(benefit: &EmployeeBenefit, today: Date) -> bool {
    benefit.active && benefit.window.expiration.is_none_or(|end| end >= today)
}

fn amount_per_paycheck(t: &'static Texts, amount: Amount, of_pay: bool) -> String {
    match of_pay {
        true => fill_placeholders(t.deduction_percent, &[("amount", &amount.to_text(0))]),
        false => fill_placeholders(t.deduction_amount, &[("amount", &format_amount(amount))]),
    }
}

fn benefit_in_words(name: &str, benefit: &EmployeeBenefit, t: &'static Texts) -> Deduction {
    let terms = &benefit.terms;
    let most = terms.deduction_annual_maximum.map(format_amount);
    let begun = Some(benefit.window.effective).filter(|day| *day != BASELINE);
    let mut when = Vec::new();
    when.extend(begun.map(|day| fill_placeholders(t.deduction_from, &[("day", &t.format_day(day))])));
    when.extend(
        benefit
            .window
            .expiration
            .map(|day| fill_placeholders(t.deduction_until, &[("day", &t.format_day(day))])),
    );
    Deduction {
        name: name.to_owned(),
        each: amount_per_paycheck(t, terms.deduction, terms.deduct_as_percentage),
        limits: most
            .map(|most| fill_placeholders(t.deduction_most_year, &[("amount", &most)]))
            .unwrap_or_default(),
        when: when.join(" "),
    }
}

fn order_in_words(
    name: &str,
    terms: &GarnishmentTerms,
    (withheld, today): (&WithheldToDate, Date),
    t: &'static Texts,
) -> Deduction {
    let mut limits = Vec::new();
    if let Some(most) = terms.pay_period_maximum {
        let period = match terms.child_support.as_ref().map(|support| support.payment_period) {
            Some(PayFrequency::EveryWeek) => t.each_week,
            Some(PayFrequency::EveryOtherWeek) => t.each_other_week,
            Some(PayFrequency::TwicePerMonth) => t.each_half_month,
            Some(PayFrequency::Monthly) => t.each_month,
            // Orders other than support are per payday.
            _ => t.each_payday,
        };
        limits.push(fill_placeholders(
            t.deduction_most,
            &[("amount", &format_amount(most)), ("period", period)],
        ));
    }
    limits.extend(
        terms
            .annual_maximum
            .map(|most| fill_placeholders(t.deduction_most_year, &[("amount", &format_amount(most))])),
    );
    limits.extend(terms.total_amount.map(|most| {
        let words = [("amount", &*format_amount(most)), ("taken", &*format_amount(withheld.total))];
        fill_placeholders(
            if withheld.total > Amount::ZERO { t.deduction_total_left } else { t.deduction_most_total },
            &words,
        )
    }));
    let each = match terms.takes_all() {
        true => t.deduction_all.to_owned(),
        false => amount_per_paycheck(t, terms.amount, terms.deduct_as_percentage),
    };
    let when = order_when(terms, (withheld, today), t);
    Deduction { name: name.to_owned(), each, limits: limits.join("; "), when }
}

/// From when, until when, and how often an order is still withheld; empty if it continues.
fn order_when(
    terms: &GarnishmentTerms,
    (withheld, today): (&WithheldToDate, Date),
    t: &'static Texts,
) -> String {
    let begins = terms.begins_on().map(|(_, day)| day).filter(|day| *day > today);
    let mut when = Vec::new();
    when.extend(begins.map(|day| fill_placeholders(t.deduction_from, &[("day", &t.format_day(day))])));
    when.extend(
        terms.ends_on.map(|day| fill_placeholders(t.deduction_until, &[("day", &t.format_day(day))])),
    );
    when.extend(terms.most_times().map(|times| match times - withheld.times {
        1 => t.deduction_once.to_owned(),
        left => fill_placeholders(t.deduction_times, &[("count", &left.to_string())]),
    }));
    when.join(" ")
}
