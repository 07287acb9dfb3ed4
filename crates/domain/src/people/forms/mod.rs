//! Forms that an employee signs: the withholding certificate (W-4), the direct deposit authorization and, where the
//! employer asks for it, section 1 of Form I-9.
//!
//! `content` says what each form shows, `service` keeps the records of forms in step with the data and takes
//! signatures, `signing` reads them, `i9` holds what is said for Form I-9, `pdf` lays a `document` out, `links` gives
//! it out under an address that needs no token, `rows` holds records and statements, `api` the operations.

pub mod content;
pub mod document;
pub mod i9;
pub mod links;
pub mod pdf;
pub mod rows;
pub mod service;
pub mod shapes;
pub mod signing;
#[cfg(test)]
mod tests;
