//! Employees: their record, addresses, payment methods, onboarding, forms and links to hosted pages.

pub mod addresses;
pub mod batches;
pub mod departments;
pub mod employees;
pub mod employment;
pub mod flows;
pub mod forms;
pub mod historical;
pub mod new_hires;
pub mod onboarding;
pub mod payment_methods;
pub mod profiles;
