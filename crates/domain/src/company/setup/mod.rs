//! Onboarding of a company, up to its first payroll: its industry, the steps and when each was completed, the end of
//! the onboarding, and the approval.

pub mod commands;
pub mod industry;
pub mod rows;
pub mod service;
