//! A tax that is due in an employee's situation, with everything that does not change from one paycheck to the next.

use std::sync::Arc;

use jiff::civil::Date;

use super::bases::{Base, Treatments};
use super::book::TaxId;
use super::table::{Method, Payer, Span, Tax};
use super::to_date::{Sums, ToDate};
use crate::amount::Amount;
use crate::days::Days;

/// A part of a whole, such as days of all days or hours of all hours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// The part.
    pub part: u32,
    /// The whole, above zero.
    pub of: u32,
}

impl Share {
    /// Everything.
    pub const ALL: Self = Self { part: 1, of: 1 };

    /// Returns a share; `None` if the whole is zero or smaller than the part.
    pub fn new(part: u32, of: u32) -> Option<Self> {
        (of > 0 && part <= of).then_some(Self { part, of })
    }

    /// Whether the share is everything.
    pub fn is_all(self) -> bool {
        self.part == self.of
    }

    /// Whether the share is nothing.
    pub fn is_none(self) -> bool {
        self.part == 0
    }
}

/// A credit for the tax of another place, on a part of the wages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credit {
    /// Percent of those wages.
    pub percent: Amount,
    /// Part of the taxable wages that the credit is for.
    pub share: Share,
    /// The place whose tax is credited.
    pub place: String,
    /// Source of the credit, if it has its own row.
    pub source: Option<String>,
}

/// A tax that is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    /// The row.
    pub tax: Arc<Tax>,
    /// Code of the line: the row's, or with `_BORNE` for the employee's share that the employer bears.
    pub code: String,
    /// Who pays this line.
    pub payer: Payer,
    /// How it is calculated, with the employer's own rate or the nonresident rate in place.
    pub method: Method,
    /// Part of the wages that the tax applies to.
    pub share: Share,
    /// Limit of taxable wages, in dollars.
    pub wage_base: Option<(Amount, Span)>,
    /// Annual wages that are not taxed: deduction and exemptions.
    pub off: Amount,
    /// Number of exemptions in `off`.
    pub exemptions: i64,
    /// Credits for the tax of other places.
    pub credits: Vec<Credit>,
    /// Percent of the tax that the employer bears; if the payer is the employer, this line is that part.
    pub borne: Option<Amount>,
    /// Base of wages.
    pub base: Base,
    pub(super) treatments: Treatments,
}

/// What is added to the code of a row for a further line of the same tax.
const OF_LINES: [&str; 3] = ["_BORNE", "_RESIDENCE", super::local::AT_WORK];

/// Whether a line with this code is one of a row of the tables.
pub fn is_line_of(code: &str, row: &str) -> bool {
    code.strip_prefix(row).is_some_and(|rest| rest.is_empty() || OF_LINES.contains(&rest))
}

impl Due {
    /// Adds a paycheck with this pay date and period to the amounts counted so far. Keeps months only for a tax that counts by month or
    /// quarter, and charged weeks only for a weekly amount. `None` on overflow.
    pub(crate) fn count(&self, counted: &mut ToDate, sums: Sums, day: Date, period: Days) -> Option<()> {
        let of_method = match self.method {
            Method::Amount(_, span) => Some(span),
            _ => None,
        };
        let limits = [self.wage_base, self.tax.cap].into_iter().flatten().map(|(_, span)| span);
        if !limits.chain(of_method).any(|span| matches!(span, Span::Month | Span::Quarter)) {
            counted.months.clear();
        }
        match of_method {
            Some(Span::Week) => counted.charge(period),
            _ => counted.charged.clear(),
        }
        counted.add(sums, day, period.last)
    }

    /// Returns the identity of the line.
    pub fn id(&self) -> TaxId {
        TaxId::new(self.code.clone(), self.payer)
    }

    /// Returns the line's name on pay stubs and in totals. Lines of one row have distinct names.
    pub fn name(&self) -> String {
        let name = &self.tax.name;
        match self.code.strip_prefix(self.tax.code.as_str()) {
            Some("_BORNE") => format!("{name} (borne)"),
            Some("_RESIDENCE") => format!("{name} (residence)"),
            Some(super::local::AT_WORK) => format!("{name} (work)"),
            _ => name.clone(),
        }
    }
}
