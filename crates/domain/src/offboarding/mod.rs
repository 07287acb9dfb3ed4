//! How the operator removes applications and users: sign-in, secrets, tokens, consent, and finally the record itself.
//! Whatever is disabled can be enabled again; only disabled records can be deleted, so that a mistyped id deletes
//! nothing. Each action is recorded in the audit log.

pub mod applications;
pub mod people;
