//! Documents that a contractor signs: Form W-9, the request for the taxpayer identification number.
//!
//! `rows` has the records and statements, `content` what a form shows and what its signer answers, `service` keeps documents up to date and
//! accepts signatures. A signature is for a content; a sealed copy of the content, with the answers, is stored with it.

pub mod content;
pub mod rows;
pub mod service;

pub use rows::ContractorDocument;
