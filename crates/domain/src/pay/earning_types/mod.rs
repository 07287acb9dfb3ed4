//! Earning types: the names under which pay can be entered. Some exist in every company; a company can create others, which are wages
//! like a bonus.

pub mod rows;
pub mod service;
