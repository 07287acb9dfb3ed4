//! Links to hosted pages.
//!
//! A partner creates a link for one employee, or for the employer, and passes it on; anyone who opens it acts only for that employee or
//! company. A link has a random token, of which only the hash is stored. It expires an hour after its last use, a day after its creation or
//! when it has been opened too often, whichever comes first, or when the partner revokes it; a partner can create a new one at any time.
//! Before pay can be redirected, the holder must [confirm](confirmation) their identity.

pub mod commands;
pub mod confirmation;
pub mod drafts;
pub mod portal;
pub mod rows;
pub mod service;
pub mod session;
pub mod types;
