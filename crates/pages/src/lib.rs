//! HTML pages: hosted onboarding, authorization, console and documentation.

pub mod assets;
mod compression;
mod console;
pub mod docs;
pub mod documents;
pub mod flows;
pub mod hosted;
pub mod language;
mod money;
mod month;
pub mod oauth;
mod refusals;
pub mod routes;
pub mod salary_report;
mod stub;
