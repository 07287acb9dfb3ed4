//! Companies that a partner manages: creating one, migrating an existing one, and ending the connection; the terms of
//! service that must be accepted first.
//!
//! `terms` records who accepted which edition, `migration` assesses and migrates a company, `admins` manages its administrators, `service`
//! creates and disconnects companies, `ending` ends what depends on a connection. `commands` has the inputs of all of them.

pub mod admins;
pub mod commands;
pub mod ending;
pub mod migration;
pub mod rows;
pub mod service;
pub mod terms;
