//! Taxes of states, counties, cities and districts other than federal taxes and state income tax.
//!
//! Calculation takes three steps, the first two once for an employee's situation, the third for each paycheck:
//!
//! 1. **Who may tax the pay.** From the states of work and home, [`residence`] decides which states' income tax is withheld and
//!    on which part of the wages; the formula itself is [`crate::withholding::state::formula`].
//! 2. **Which taxes are due.** [`insurance`], [`unemployment`] and [`local`] choose table rows by pay date, employer facts
//!    and settings, and return [`Due`]s. A tax that is due but cannot be calculated is an [`Unworked`], which names the
//!    missing information; nothing is left out silently.
//! 3. **How much is due.** [`Situation::work`] turns each [`Due`] into a [`DueLine`] with one engine: rates, schedules,
//!    amounts per hour, week, month, quarter or year, and shares of the state's tax, with wage bases and caps.
//!
//! [`Circumstances`] holds all of this as stored with a paycheck, and yields its [`Situation`].
//!
//! Each table row names the source of its figure and how far it can be trusted ([`Confidence`]). Rows that are from memory or
//! unconfirmed count only once the operator has confirmed them.
//!
//! Money is exact to the cent; a tax is rounded once, by its row's rule. Percentages are in percent.

mod bases;
pub mod book;
mod catalog;
mod choose;
mod circumstances;
mod county;
mod credits;
mod doubtful;
mod due;
mod editions;
mod engine;
mod income;
pub mod insurance;
pub mod local;
mod ohio;
mod pennsylvania;
mod pennsylvania_codes;
mod pennsylvania_register;
mod places;
mod read;
pub mod residence;
mod residence_tables;
mod source;
mod supplemental;
mod table;
mod table_read;
mod to_date;
pub mod unemployment;
mod visited;
mod working;

pub use bases::{Base, BaseTable, Item, Treatment, Treatments, Wages, wages_key};
pub use book::{BookEntry, TaxBook, TaxId};
pub use catalog::{CatalogEntry, catalog_of, catalog_of_register, tax_catalog};
pub use choose::{Facts, Found, Setting};
pub use circumstances::{
    Circumstances, LivedAt, LivedIn, LivesAt, OnFirstOfJanuary, PsdCodes, TaxTables, WorkedAt,
};
pub use county::{county_within_state_tax, is_of_unknown_county};
pub use credits::CityCredits;
pub use doubtful::{Doubtful, DoubtfulTables, Doubts, doubtful_figures, residence_key};
pub use due::{Credit, Due, Share, is_line_of};
pub use editions::{LocalTaxes, StatePrograms};
pub use engine::{DueLine, Outcome, Pay, Situation, StateResult};
pub use income::{StateCredit, StateIncome, StateIncomes};
pub use ohio::{OhioCredit, OhioCreditRow, OhioCreditTable, ToldCredit, credit_key};
pub use pennsylvania::{PennsylvaniaPlace, PennsylvaniaTable};
pub use pennsylvania_register::from_state as pennsylvania_register_from_state;
pub use places::{Address, PlaceTable};
pub use read::Fault;
pub use residence_tables::{
    Convenience, NonresidentTable, Reciprocity, ReciprocityKind, ReciprocityTable, ResidentRule, StateRule,
};
pub use source::{Confidence, EnteredBy, Unworked, Why};
pub use supplemental::{
    SupplementalMethod, SupplementalPay, SupplementalRate, SupplementalRates, SupplementalTable,
    supplemental_key,
};
pub(crate) use table::named;
pub use table::{
    Accrual, Applies, Bracket, Filing, Jurisdiction, Level, Limit, Method, Options, Payer, RoundingRule,
    Span, Tax, TaxTable,
};
pub use to_date::{Opened, Sums, ToDate};
pub use unemployment::UnemploymentTable;
pub use visited::Visited;

#[cfg(test)]
mod docs_tests;
#[cfg(test)]
mod golden_tests;
#[cfg(test)]
mod local_tests;
#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod residence_tests;
#[cfg(test)]
mod worked_tests;
