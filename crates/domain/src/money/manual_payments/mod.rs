//! What the employer pays itself: net pay that is held, and taxes that no deposit pays.

pub mod held_pay;
pub mod manual_taxes;
