//! Explanations of garnishments: one self-contained figure for each.

mod others;
mod requested;
mod state;
mod support;

use std::fmt::Display;

pub(super) use others::other;
pub(super) use support::support;

use super::Line;
use crate::Named;
use crate::amount::{Amount, Rounding};
use crate::explain::{Operation, Step};

fn cents(cents: i64) -> Amount {
    Amount::from_cents(cents)
}

/// A percentage of an amount, rounded down.
fn percentage(
    figure: &'static str,
    of: &'static str,
    amount: i64,
    name: &'static str,
    percent: Amount,
    result: i64,
) -> Step {
    Step::new(figure, Operation::Product, cents(result))
        .input(of, cents(amount))
        .input(name, percent)
        .ratio("per_cent", 1, 100)
        .rounded("0.01", Rounding::Down)
}

/// The root figure of a garnishment.
fn deduction<K: Display>(line: &Line<'_, K>) -> Step {
    let terms = &line.garnishment.terms;
    let kind = terms.garnishment_type.map_or("plain deduction", super::GarnishmentType::as_str);
    Step::new(format!("deduction {}", line.garnishment.id), Operation::Least, cents(line.taken))
        .input("type", kind)
        .input("since", line.garnishment.since)
}
