//! Tax forms: what a close has made of the figures of a quarter or a year, and drafts of it.
//!
//! A form is a snapshot with its digest. A final one never changes: what is paid later for a closed period is kept as a correction beside
//! it. Nobody signs tax forms; the forms that are signed are those of `people::forms` and `company::forms`. The figures are made above, in
//! `returns`; here they are stored, listed and shown.
//!
//! | module | contents |
//! |---|---|
//! | [`content`] | what a form says, and its document |
//! | [`preparations`] | records of what is missing for the close of a year |
//! | [`rows`] | records of forms and corrections |
//! | [`service`] | finding and listing forms, with those that are signed |

pub mod consents;
pub mod content;
pub mod preparations;
pub mod rows;
pub mod service;
