//! Forms that employees sign: the withholding certificate (W-4), the direct deposit authorization and, if the employer
//! asks for it, section 1 of Form I-9.
//!
//! `rows` holds records and statements, `commands` the inputs of use cases. `content` builds what a form shows, `service`
//! keeps forms up to date and takes signatures, which `signing` checks, and `i9` stores the answers for Form I-9. `pdf`
//! renders a `document`.

pub mod commands;
pub mod content;
pub mod document;
pub mod i9;
pub mod pdf;
pub mod rows;
pub mod service;
pub mod signing;
#[cfg(test)]
mod tests;
