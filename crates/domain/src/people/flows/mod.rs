//! Links to hosted pages.
//!
//! A partner creates a link for one employee and passes it on; whoever opens it acts for that employee only. A link has a
//! random token, of which only the hash is stored. It expires an hour after its last use and a day after its creation,
//! whichever is first; a partner can create a new one at any time.

pub mod commands;
pub mod drafts;
pub mod rows;
pub mod service;
pub mod session;
