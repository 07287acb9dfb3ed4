//! What a company is: its legal form, its numbers, and what it has to settle before it runs payroll.
//!
//! [`identity`] checks the numbers and words by which authorities know a company, [`setup`] says which steps lead to
//! its first payroll, [`state`] what each state asks of an employer, [`deposits`] how a bank account proves itself,
//! and [`migration`] what stands in the way of a company that moves to a partner's product.

pub mod deposits;
pub mod identity;
pub mod migration;
pub mod setup;
pub mod state;

pub use identity::{FilingForm, TAX_PAYER_TYPES, ein, filing_form, naics_code, sic_code, tax_payer_type};
