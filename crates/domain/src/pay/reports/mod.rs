//! Reports and checks that are made in the background, and what can be fetched of them.
//!
//! A request is stored with its terms and made by the worker from the moment at which it is done: one read, one write. What comes out
//! is sealed, is fetched at an address that works for ten minutes without a token, and is swept after some days.
//!
//! | module | what it holds |
//! |---|---|
//! | `service`, `links`, `make` | asking for a report, its address, and making it |
//! | `terms` | what was asked for |
//! | `table` | a table as CSV, JSON and PDF |
//! | `paychecks`, `columns` | the payroll journal: paychecks by the columns and groups that were asked for |
//! | `summaries` | what was posted, by jurisdiction, payroll and department |
//! | `ledger`, `fica` | the general ledger of a payroll, and wages that counted for Social Security and Medicare |
//! | `checks`, `sheet` | giving checks their numbers, and printing them |

pub mod checks;
mod columns;
mod fica;
pub mod ledger;
pub mod links;
pub mod make;
mod paychecks;
pub mod rows;
pub mod service;
mod sheet;
pub mod summaries;
pub mod table;
pub mod terms;

pub use columns::COLUMNS;
