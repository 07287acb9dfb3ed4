//! Forms that a company's signatory signs: the authorization to file and pay its payroll taxes, and the one to debit
//! payroll from its bank account.
//!
//! As for employees, a form requires signing if and only if its content is not the content that was last signed.
//! `content` builds what each form shows, and `service::refresh` updates forms after every change of it. Documents are
//! rendered and linked to by `people::forms`.

pub mod content;
pub mod rows;
pub mod service;
