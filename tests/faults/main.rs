//! What must hold when things break: the process is killed or stopped, one of two nodes dies, answers are lost,
//! receivers are hostile. Run by tests/faults/run, not by a plain `cargo test`, because it takes minutes and the whole
//! machine.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where it fails")]

#[path = "../support/binary.rs"]
mod binary;
#[path = "../support/crowd.rs"]
mod crowd;
#[path = "../support/line.rs"]
mod line;
#[path = "../support/postgres.rs"]
mod postgres;
#[path = "../support/receiver.rs"]
mod receiver;
#[path = "../support/sent_back.rs"]
mod sent_back;

mod after_payday;
mod autofailover;
mod clock;
mod cluster;
mod contractors;
mod deposits;
mod disk;
mod hostile;
mod killed;
mod large;
mod money;
mod nodes;
mod outages;
mod payroll;
mod replica;
mod requests;
mod server_down;
mod servers;
mod shim;
mod soak;
mod wire;
mod world;

/// Whether there is time for long runs.
fn long() -> bool {
    std::env::var_os("STIPEND_LONG").is_some()
}
