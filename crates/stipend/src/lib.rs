//! The `stipend` binary: command line, demo world, developer tools, and the assembled service.

pub mod cli;
pub mod devworld;
pub mod held;
pub mod serve;
pub mod telemetry;
pub mod tools;
