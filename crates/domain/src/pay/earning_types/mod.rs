//! Earning types: by which names pay can be entered. Some are the same for every company; a company makes others, which
//! are wages like a bonus.

pub mod rows;
pub mod service;
