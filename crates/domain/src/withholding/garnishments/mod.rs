//! Garnishments of employees, child support above all.
//!
//! How much may be taken, and why, is decided in `rules::payroll::garnishment`; here the orders are kept and told.
//! `rows` holds the records, `service` what can be done with them (`terms` reads what a request says of an order,
//! `preview` asks what would be taken from a pay), `agencies` the agencies in force, `withheld` what payrolls took,
//! `remittances` what of it is due to agencies, `view` how all this is told, `shapes` in which shapes, `api` the
//! operations.
//!
//! A payroll takes the active garnishments of its employees ([`rows::active_between`]), keeps with the sums of the year
//! how often and how much it took for each, and tells what it took once it is processed ([`withheld::note`],
//! [`withheld::forget`]).

pub mod agencies;
pub mod remittances;
pub mod rows;
pub mod service;
pub mod shapes;
pub mod view;
pub mod withheld;
