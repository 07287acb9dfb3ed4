//! What every area stands on: the audit log, due work, reference data, and what follows changes.

pub mod audit;
pub mod confirmations;
pub mod hooks;
pub mod jobs;
pub mod law;
pub mod moments;
pub mod reference;
