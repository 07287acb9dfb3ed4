//! The stipend service.
//!
//! One folder per area, each with `api` (wire types, routes, short handlers), `service` (use cases), `rows`
//! (records and statements) and, where there are pages, `pages`. Beside them lie the parts that every request
//! passes: [`http`] (the way of a request), [`auth`] (who calls), [`version`], [`field`] (bodies), [`paging`],
//! [`idempotency`], [`error`]; and those that run beside requests: [`jobs`], [`events`], [`audit`].
//!
//! A request goes `http::front` → handler → `App::write` or `App::read` → service → rules and rows → COMMIT →
//! answer. A service never knows HTTP, and `rules` knows neither HTTP nor the store.

pub mod addresses;
pub mod app;
pub mod applications;
pub mod audit;
pub mod auth;
pub mod benefits;
pub mod cli;
pub mod companies;
pub mod company_banks;
pub mod company_forms;
pub mod company_setup;
pub mod company_taxes;
pub mod compensations;
pub mod config;
pub mod connections;
pub mod console;
pub mod delivery;
pub mod devworld;
mod digest;
pub mod directory;
pub mod docs;
pub mod employees;
pub mod error;
pub mod events;
pub mod field;
pub mod flows;
pub mod forms;
pub mod garnishments;
pub mod http;
pub mod idempotency;
pub mod jobs;
pub mod language;
pub mod locations;
pub mod minimum_wages;
pub mod oauth;
pub mod occupations;
pub mod onboarding;
pub mod openapi;
pub mod operations;
pub mod pages;
pub mod paging;
pub mod partner_companies;
pub mod pay_schedules;
pub mod payment_methods;
pub mod payrolls;
pub mod rate;
pub mod records;
pub mod reference;
pub mod routes;
pub mod salary_estimates;
pub mod scope;
pub mod serve;
pub mod signatories;
pub mod taxes;
pub mod telemetry;
pub mod tools;
pub mod users;
pub mod version;
pub mod wages;
pub mod webhooks;

/// Names the files of the migrations folder.
macro_rules! migrations {
    ($($name:literal),+ $(,)?) => {
        &[$(store::Migration {
            name: $name,
            text: include_str!(concat!("../../../migrations/", $name, ".sql")),
        }),+]
    };
}

/// Every migration, oldest first.
pub const MIGRATIONS: &[store::Migration] = migrations![
    "0001_store",
    "0002_foundation",
    "0003_payment_methods",
    "0004_taxes",
    "0005_forms",
    "0006_flow_sessions",
    "0007_webhooks",
    "0008_oauth",
    "0009_company",
    "0010_garnishments",
    "0011_reference_data",
    "0012_salary_estimates",
    "0013_benefits",
    "0014_pay_schedules",
    "0015_payrolls",
    "0017_flow_drafts",
    "0018_audit_seals",
];
