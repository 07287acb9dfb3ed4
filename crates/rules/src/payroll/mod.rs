//! From gross to net: what a pay period pays, what is taken from it, and why.
//!
//! Each part is a pure function that takes a [`crate::explain::Trace`], so that the figure on a pay stub and its
//! explanation come from the same lines.
