//! Independent contractors: their record, address, payment method, onboarding, documents, dismissal and rehire.

pub mod accounts;
pub mod addresses;
pub mod documents;
pub mod employment;
pub mod onboarding;
pub mod records;
