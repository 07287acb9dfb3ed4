//! Independent contractors: individuals and businesses who are paid without withholding, and reported on Form 1099-NEC.

pub mod accounts;
pub mod addresses;
pub mod documents;
pub mod employment;
pub mod forms;
pub mod new_hires;
pub mod onboarding;
pub mod payments;
pub mod profiles;
pub mod records;
