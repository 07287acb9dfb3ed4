//! Independent contractors: their record, address, payment method, onboarding, documents, dismissal and rehire, payments and tax forms.

pub mod accounts;
pub mod addresses;
pub mod documents;
pub mod employment;
pub mod forms;
pub mod onboarding;
pub mod payments;
pub mod records;
