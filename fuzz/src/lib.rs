//! What fuzzing tries; `tests/fuzz` goes through the same functions with what is in `corpus`.

#![allow(clippy::unwrap_used, clippy::expect_used, dead_code, reason = "what is not expected is a finding")]

#[path = "../../tests/simulation/base.rs"]
mod base;
pub mod targets;
#[path = "../../tests/simulation/wire.rs"]
mod wire;
