//! Income tax withholding.
//!
//! Withholding depends on the employee's certificate, the tables of the year and the wages of a pay period.
//! Tables are data with sources in the project's `data` folder; functions take them as parameters, so that
//! deployments can use tables other than the built-in ones ([`federal::FederalTables::built_in`],
//! [`state::StateTables::built_in`]).
//!
//! | module | contents |
//! |---|---|
//! | [`federal`] | Form W-4 and federal income tax |
//! | [`state`] | state certificates, new hire reporting and state income tax |

pub mod federal;
pub mod state;
mod table;

pub use table::{TableError, csv_rows};
