//! What every area uses: the audit log, jobs, reference data, and hooks on changes.

pub mod audit;
pub mod confirmations;
pub mod hooks;
pub mod jobs;
pub mod law;
pub mod moments;
pub mod reference;
