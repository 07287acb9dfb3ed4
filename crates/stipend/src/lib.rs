//! The program: command line, demo world, developer tools, and the service put together.

pub mod cli;
pub mod devworld;
pub mod held;
pub mod serve;
pub mod telemetry;
pub mod tools;
