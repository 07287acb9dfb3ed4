//! Files that a company hands in, such as a notice from an agency: kept sealed, and fetched by a link
//! ([`document_links`](crate::company::document_links)).
//!
//! Nothing looks into a file. It goes out as it came in, for download alone, under the type that its ending says.

pub mod name;
pub mod rows;
pub mod service;
