//! Forms that a company's signatory signs: the authorization to file and pay its payroll taxes, and the one to take
//! payroll from its bank account.
//!
//! As for employees, a form requires signing exactly when what it shows today is not what the last signature was for.
//! `content` says what each form shows; records are brought up to date by every change of it (`service::refresh`);
//! documents are laid out and given out by the parts of `forms`.

pub mod content;
pub mod rows;
pub mod service;
pub mod shapes;
