//! Garnishments of employees, child support above all.
//!
//! How much may be taken, and why, is decided in `rules::payroll::garnishment`; here the orders are kept and told.
//! `rows` holds the records and what was taken so far, `service` what can be done with them (`terms` reads what a
//! request says of an order, `preview` asks what would be taken from a pay), `agencies` the agencies in force,
//! `remittances` what payrolls withheld for them, `view` how all this is told, `api` the operations.
//!
//! A payroll takes the garnishments of its employees with [`service::for_payroll`], and tells with
//! [`service::taken`] what it withheld once it is processed.

pub mod agencies;
pub mod api;
pub mod remittances;
pub mod rows;
pub mod service;
mod view;
