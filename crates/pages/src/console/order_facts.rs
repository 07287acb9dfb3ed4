//! What a garnishment has taken so far, and its part of the last paycheck beside what the law allows.

use askama::Template;
use rules::explain::{Node, Value};
use rules::payroll::garnishment::WithheldToDate;
use rules::{Amount, Named};
use store::Tx;
use uuid::Uuid;

use super::picture;
use super::show::{Dates, plain_words};
use crate::money::format_amount;
use domain::Error;
use domain::access::tokens::Caller;
use domain::paging::Page;
use domain::pay::payrolls::record::sums::Sums;
use domain::pay::payrolls::views::{explain, stubs};
use domain::withholding::garnishments::agencies;
use domain::withholding::garnishments::rows::Garnishment;

/// Figures that are the legal limit of an order, the most particular last.
const LIMITS: [&str; 4] = ["limit_of_the_state", "creditor_limit", "loan_limit", "support_limit"];
/// The figure that the law's limits are parts of.
const DISPOSABLE: &str = "disposable_earnings";
/// Pay stubs among which the last one is looked for that is not void.
const LOOKED_AT: i64 = 10;

/// The last paycheck of an employee, as far as garnishments are concerned.
pub(super) struct LastPaycheck {
    pub(super) payroll: Uuid,
    pub(super) check_date: String,
    sums: Sums,
    year: i16,
    figures: Vec<Node>,
}

impl LastPaycheck {
    /// Reads it; `None` before the first one.
    pub(super) fn read_latest(
        tx: &mut Tx<'_>,
        caller: &Caller,
        employee: Uuid,
        dates: Dates,
    ) -> Result<Option<Self>, Error> {
        let stubs =
            stubs::list_pay_stubs(tx, caller, employee, Page::Part { page: 1, per: LOOKED_AT })?.items;
        let Some(last) = stubs.into_iter().find(|stub| stub.voided_at.is_none()) else { return Ok(None) };
        let explained = explain::paycheck_of(tx, caller, last.payroll, employee)?;
        Ok(Some(Self {
            payroll: last.payroll,
            check_date: dates.format_day(last.check_date),
            sums: Sums::read_from_outcome(&explained.outcome)?,
            year: last.check_date.year(),
            figures: explained.figures,
        }))
    }

    /// What an order has taken until then.
    pub(super) fn withheld_by_order(&self, order: Uuid) -> WithheldToDate {
        self.sums.garnishment_to_date(order, self.year)
    }

    /// An order's part of the paycheck.
    pub(super) fn order_part(&self, order: Uuid) -> Option<Part> {
        let figure = find_figure(&self.figures, &format!("deduction {order}"))?;
        let taken = figure_amount(figure)?;
        // Where nothing was paid before in the pay period, they are a figure of the paycheck, not of the order.
        let disposable =
            find_figure(&figure.because, DISPOSABLE).or_else(|| find_figure(&self.figures, DISPOSABLE));
        let disposable = figure_amount(disposable?)?;
        let limit = LIMITS.iter().rev().find_map(|name| figure_amount(find_figure(&figure.because, name)?));
        Some(Part { taken, disposable, limit })
    }
}

/// An order's part of a paycheck.
pub(super) struct Part {
    pub(super) taken: Amount,
    pub(super) disposable: Amount,
    /// what the law allows for orders of its kind together; `None` where it protects an amount instead
    pub(super) limit: Option<Amount>,
}

#[derive(Template)]
#[template(path = "console/limit.html")]
struct LimitPicture {
    told: String,
    taken: i64,
    /// position of the limit
    at: Option<i64>,
    amounts: [(&'static str, &'static str, String); 3],
}

impl Part {
    /// A bar of the disposable earnings, with what was taken of them and the legal limit.
    pub(super) fn limit_picture(&self) -> String {
        let scaled =
            |amount: Amount| picture::scaled_length(amount.millionths().max(0), self.disposable.millionths());
        let limit = self.limit.map_or_else(|| "an amount that is protected".to_owned(), format_amount);
        let amounts = [
            ("Disposable earnings", "bar-rest", format_amount(self.disposable)),
            ("Legal limit of all such orders", "bar-four", limit),
            ("Taken", "bar-three", format_amount(self.taken)),
        ];
        let told: Vec<_> = amounts.iter().map(|(name, _, amount)| format!("{name} {amount}")).collect();
        let picture = LimitPicture {
            told: told.join(", "),
            taken: scaled(self.taken),
            at: self.limit.map(|limit| scaled(limit).min(picture::WIDTH)),
            amounts,
        };
        // The template is checked at compile time, and writing into a string cannot fail.
        picture.render().unwrap_or_default()
    }
}

/// The first figure of a name, with those that it follows from.
fn find_figure<'n>(nodes: &'n [Node], name: &str) -> Option<&'n Node> {
    nodes
        .iter()
        .find_map(|node| if node.step.figure == name { Some(node) } else { find_figure(&node.because, name) })
}

fn figure_amount(node: &Node) -> Option<Amount> {
    if let Value::Amount(amount) = node.step.result { Some(amount) } else { None }
}

/// The facts by which an order is known: label and value.
pub(super) fn of_order(
    tx: &mut Tx<'_>,
    record: &Garnishment,
    dates: Dates,
) -> Result<Vec<(&'static str, String)>, Error> {
    let mut facts = Vec::new();
    if let Some(payee) = &record.payee {
        let agencies = agencies::as_paid(tx)?;
        let agency = agencies
            .agency_of_state(&payee.state)
            .map_or_else(|| payee.state.clone(), |agency| agency.name.clone());
        let numbers = [
            ("Agency", Some(agency)),
            ("FIPS code", Some(payee.fips_code.clone())),
            ("Case", payee.case_number.clone()),
            ("Order", payee.order_number.clone()),
            ("Remittance identifier", payee.remittance_number.clone()),
        ];
        let told = numbers.into_iter().filter_map(|(label, value)| Some((label, value?)));
        facts.extend(told.filter(|(_, value)| !value.is_empty()));
    }
    let terms = &record.terms;
    let days = [("Served on", terms.served_on), ("Ends on", terms.ends_on)];
    facts.extend(days.into_iter().filter_map(|(label, day)| Some((label, dates.format_day(day?)))));
    let limits = [
        ("At most in a pay period", terms.pay_period_maximum),
        ("At most in a year", terms.annual_maximum),
        ("At most in all", terms.total_amount),
    ];
    // The fields of a child support order have the first of them already.
    let limits = limits.into_iter().skip(usize::from(terms.is_child_support()));
    facts.extend(limits.filter_map(|(label, amount)| Some((label, format_amount(amount?)))));
    if let Some(levy) = &terms.tax_levy {
        facts.push(("Filing status of the levy", plain_words(levy.filing_status.as_str())));
    }
    Ok(facts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_tells_in_words_what_it_shows() {
        let dollars = |whole: i64| Amount::from_cents(whole * 100);
        let part = Part { taken: dollars(200), disposable: dollars(1_000), limit: Some(dollars(500)) };
        let shown = part.limit_picture();
        assert!(
            shown.contains(
                "Disposable earnings $1,000.00, Legal limit of all such orders $500.00, Taken $200.00"
            ),
            "{shown}"
        );
        assert!(shown.contains("width=\"200\"") && shown.contains("x=\"500\""), "{shown}");
        let levy = Part { limit: None, ..part };
        assert!(levy.limit_picture().contains("Legal limit of all such orders an amount that is protected"));
    }
}
