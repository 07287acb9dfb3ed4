//! Where and how employees are paid: their bank accounts, and how pay is divided among these.
//!
//! `rows` holds the records (routing and account numbers sealed), `plan` how pay is divided when accounts come and
//! go, `service` what can be done, `view` how it is told (an account number only ever masked), `api` the operations.
//!
//! A bank account that is added is one to be paid to: it switches the employee to direct deposit. See [`plan`] for
//! the share that it gets, and for what becomes of a deleted account's share.

pub mod plan;
pub mod rows;
pub mod service;
pub mod shapes;
mod view;
