//! What salary is reasonable for an owner who works in the company: estimated from wage statistics, changed while it
//! is open, and accepted once and for ever.
//!
//! `input` checks what was sent and finds the wages for it; `service` holds what can be done; `rows` keeps estimates
//! with everything that they rest on; `view` tells them and `explain` tells how they come about, `report` as a page or
//! a PDF for the company's file; `api` has the operations.

pub mod explain;
pub mod input;
pub mod rows;
pub mod service;
pub mod shapes;
pub mod view;
