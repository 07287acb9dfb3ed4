//! Formatted amounts: with a dollar sign and thousands separators.

pub use rules::money::{dollars, dollars_of, money};
