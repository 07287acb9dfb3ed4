//! Payments as they are shown: lists, expected dates, notifications, and what the operator has to act on.

pub mod expected;
pub mod list;
pub mod notices;
pub mod open_items;
