//! The HTTP interface: the way of a request, wire shapes, versions, operations, and their OpenAPI description.

pub mod access;
pub mod app;
pub mod auth;
pub mod benefits;
pub mod company;
pub mod config;
pub mod demo;
pub mod directory;
pub mod error;
pub mod events;
pub mod examples;
pub mod http;
pub mod idempotency;
pub mod journal;
pub mod openapi;
pub mod operations;
pub mod pay;
pub mod people;
pub mod query;
pub mod rate;
pub mod routes;
pub mod salary;
pub mod test_clock;
pub mod values;
pub mod version;
pub mod withholding;
