//! What the operator takes back from applications and people who leave: sign-in, secrets, tokens, consent, and in the
//! end the record itself. Whatever is disabled can be enabled again; only what is disabled can be deleted, so that a
//! mistyped identifier deletes nothing. Each act is an entry in the audit log.

pub mod applications;
pub mod people;
