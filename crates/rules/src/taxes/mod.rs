//! Taxes of states, counties, cities and districts beside the federal ones and the states' income tax.
//!
//! Two steps, the first once for an employee's situation, the second for each paycheck:
//!
//! 1. **Which taxes are due.** [`insurance`] and [`unemployment`] choose rows of tables by the day, the
//!    employer's facts and the settings, and give [`Due`]s. What would be due but cannot be worked out is an
//!    [`Unworked`], which names what would help; nothing is left out in silence.
//! 2. **What they come to.** [`Situation::work`] turns each [`Due`] into a [`TaxLine`] with one engine: rates, schedules,
//!    amounts per hour, week, month, quarter or year, and shares of the state's tax, with wage bases and caps.
//!
//! A row of a table says where its figure comes from and how far it can be trusted ([`Confidence`]). Rows from memory or
//! unconfirmed count only when the operator has confirmed them.
//!
//! Money is exact to the cent; a tax is rounded once, by the rule of its row. Percentages are in percent.

mod bases;
mod choose;
mod due;
mod engine;
pub mod insurance;
mod read;
pub mod residence;
mod residence_tables;
mod source;
mod table;
mod to_date;
pub mod unemployment;

pub use bases::{Base, BaseTable, Item, Treatment, Wages};
pub use choose::{Facts, Setting};
pub use due::{Credit, Due, Share};
pub use engine::{Outcome, Pay, Situation, StateResult, TaxLine};
pub use read::Fault;
pub use residence_tables::{NonresidentTable, ReciprocityTable};
pub use source::{Confidence, Unworked, Why};
pub use table::{
    Applies, Bracket, Filing, Jurisdiction, Level, Limit, Method, Options, Payer, RoundingRule, Span, Tax,
    TaxTable,
};
pub use to_date::{Sums, ToDate};
pub use unemployment::UnemploymentTable;

#[cfg(test)]
mod golden_tests;
#[cfg(test)]
mod residence_tests;
