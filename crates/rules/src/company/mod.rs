//! Companies: identity, setup, state requirements, bank verification and migration.
//!
//! [`identity`] validates legal form and identifiers, [`setup`] lists the steps to the first payroll,
//! [`state`] the requirements of each state, [`deposits`] verifies bank accounts, and [`migration`] finds
//! what prevents a company from moving to a partner.

pub mod deposits;
pub mod identity;
pub mod migration;
pub mod setup;
pub mod state;

pub use identity::{
    FilingForm, LegalForm, Status, TAX_PAYER_TYPES, filing_form, naics_code, parse_ein, sic_code,
    tax_payer_type,
};
