//! What every area stands on: the audit log, due work, reference data.

pub mod audit;
pub mod jobs;
pub mod reference;
