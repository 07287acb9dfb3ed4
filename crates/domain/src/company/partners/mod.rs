//! Companies that a partner manages: creating one, moving one that exists, and letting it go; the terms of service that
//! come before, and what stands in the way.
//!
//! `terms` keeps who accepted which edition, `migration` looks at the company's records and moves it, `admins` says who
//! administers it, `service` creates and releases.

pub mod admins;
pub mod migration;
pub mod rows;
pub mod service;
pub mod shapes;
pub mod terms;
