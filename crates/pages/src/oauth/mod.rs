//! Pages of the authorization server: signing in, selecting a company, consenting.

pub mod authorize;
pub mod consent;
pub mod pages;
mod screens;
pub mod sign_in;
pub mod texts;
