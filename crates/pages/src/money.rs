//! Formatted amounts: with a dollar sign and thousands separators.

pub use rules::money::{dollars_of, format_amount, format_cents};
