//! Reports and printed checks, which are made in the background, and their downloads.
//!
//! A request is stored with its terms, and the worker makes the report as of the time it runs, with one read and one write. The result is
//! sealed, can be downloaded for ten minutes from a URL that needs no access token, and is deleted after some days.
//!
//! | module | contents |
//! |---|---|
//! | `service`, `links`, `make` | requesting a report, its download URL, and making it |
//! | `bulk` | reports of several companies in one request |
//! | `terms` | the terms of a request |
//! | `table` | a table as CSV, JSON and PDF |
//! | `paychecks`, `columns` | the payroll journal: paychecks by the requested columns and groups |
//! | `summaries` | postings by jurisdiction, by payroll and by department |
//! | `ledger`, `fica` | the general ledger of a payroll, and Social Security and Medicare wages |
//! | `checks`, `sheet` | numbering checks, and printing them |

pub mod bulk;
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
