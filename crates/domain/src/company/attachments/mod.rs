//! Files that a company uploads, such as a notice from an agency: stored sealed, and downloaded by a link
//! ([`document_links`](crate::company::document_links)).
//!
//! The service does not read the file. It is returned unchanged, for download only, with the media type of its
//! extension.

pub mod name;
pub mod rows;
pub mod service;
