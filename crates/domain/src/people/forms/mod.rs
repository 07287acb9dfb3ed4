//! Forms that employees sign: the withholding certificate (W-4), the direct deposit authorization and, if the employer requests it, Form
//! I-9.
//!
//! `rows` has the records and statements, `commands` the inputs of the use cases. `content` builds the content of a form; `service` keeps
//! forms up to date and accepts signatures, which `signing` checks. `i9` stores the answers for Form I-9, and `i9_documents` the documents
//! that the employer examined for it. `pdf` renders a `document`.

pub mod commands;
pub mod content;
pub mod document;
#[cfg(test)]
mod document_tests;
pub mod i9;
pub mod i9_documents;
pub mod pdf;
pub mod rows;
pub mod service;
pub mod signature;
pub mod signing;
#[cfg(test)]
mod tests;
