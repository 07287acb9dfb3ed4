//! Links to hosted pages.
//!
//! A partner asks for a link for one employee and hands it over; whoever opens it acts for that employee and
//! nobody else. The link is a random token, of which only the hash is stored. It dies an hour after it was last
//! used and a day after it was made, whichever is first; a new one can be asked for at any time.

pub mod drafts;
pub mod rows;
pub mod service;
pub mod session;
pub mod shapes;
