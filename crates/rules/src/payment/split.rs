//! Splits of net pay among bank accounts.
//!
//! A paycheck is split by percentage or by amount, in order of priority. By amount, each account but the last
//! gets a fixed amount while pay lasts, and the last gets the rest. [`check_splits`] validates splits, and
//! [`divide_net_pay`] allocates net pay to the cent.
//!
//! The caller checks that accounts belong to the employee and are unique.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::amount::MAX_AMOUNT;
use crate::named::serde_by_name;
use crate::violation::{Checks, Violation};
use std::cmp::Reverse;

/// Maximum number of splits.
pub const MAX_SPLITS: usize = 20;

/// Unit of the amounts of splits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, VariantArray, IntoStaticStr, EnumString)]
pub enum SplitBy {
    /// Cents.
    #[strum(serialize = "Amount")]
    Amount,
    /// Whole percent of net pay.
    #[strum(serialize = "Percentage")]
    Percentage,
}

serde_by_name!(SplitBy);

/// A split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Split<T> {
    /// The account, as identified by the caller.
    pub account: T,
    /// 1-based priority.
    pub priority: i64,
    /// Cents or percent; `None` for the rest, only with [`SplitBy::Amount`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<i64>,
}

/// Returns all violations:
/// - the number of splits is 1 to [`MAX_SPLITS`] (`splits`);
/// - priorities are 1, 2, 3 and so on, unique, in any order (`priority`);
/// - percentages are whole numbers from 0 to 100 (`split_amount`) that add up to 100 (`splits`);
/// - amounts are whole cents from 0 to the largest amount (`split_amount`), and exactly one is null, that of
///   the last priority (`splits`).
pub fn check_splits<T>(by: SplitBy, splits: &[Split<T>]) -> Vec<Violation> {
    if !(1..=MAX_SPLITS).contains(&splits.len()) {
        return vec![Violation::invalid("splits", format!("splits must have 1 to {MAX_SPLITS} items"))];
    }
    let mut checks = Checks::new();
    let mut priorities: Vec<_> = splits.iter().map(|split| split.priority).collect();
    priorities.sort_unstable();
    checks.require((1..).zip(&priorities).all(|(place, priority)| place == *priority), || {
        let count = splits.len();
        Violation::invalid("priority", format!("the priorities must be 1 to {count}, each exactly once"))
    });
    match by {
        SplitBy::Amount => check_amounts(splits, &mut checks),
        SplitBy::Percentage => check_percentages(splits, &mut checks),
    }
    checks.finish().err().unwrap_or_default()
}

fn check_amounts<T>(splits: &[Split<T>], checks: &mut Checks) {
    for split in splits {
        let most = MAX_AMOUNT.cents_half_up();
        checks.require(split.amount.is_none_or(|cents| (0..=most).contains(&cents)), || {
            let priority = split.priority;
            let message = format!(
                "split_amount of the split with priority {priority} must be whole cents from 0 to {most}, or null \
                 for the rest"
            );
            Violation::invalid("split_amount", message)
        });
    }
    let rests = splits.iter().filter(|split| split.amount.is_none()).count();
    let last = splits.iter().max_by_key(|split| split.priority);
    checks.require(rests == 1 && last.is_some_and(|split| split.amount.is_none()), || {
        let message = "splits by Amount must have exactly one split_amount that is null, for the rest: that of the \
                       last priority";
        Violation::invalid("splits", message)
    });
}

fn check_percentages<T>(splits: &[Split<T>], checks: &mut Checks) {
    let (mut sum, mut well_formed) = (0, true);
    for split in splits {
        let percent = split.amount.filter(|percent| (0..=100).contains(percent));
        sum += percent.unwrap_or(0);
        well_formed &= percent.is_some();
        checks.require(percent.is_some(), || {
            let priority = split.priority;
            let message = format!(
                "split_amount of the split with priority {priority} must be a whole percentage from 0 to 100"
            );
            Violation::invalid("split_amount", message)
        });
    }
    // Invalid percentages are reported above; their sum would be a duplicate.
    checks.require(!well_formed || sum == 100, || {
        let message = format!("splits by Percentage must add up to exactly 100, not {sum}");
        Violation::invalid("splits", message)
    });
}

/// Allocates net pay, in cents and in the order of `splits`. The parts add up to net pay; negative net pay
/// counts as zero.
///
/// By percentage, each split gets the whole cents of its share, and remaining cents go to the largest
/// remainders, by priority if equal. By amount, each gets its amount in order of priority while pay lasts,
/// and the last one gets the rest.
///
/// The splits must have passed [`check_splits`].
pub fn divide_net_pay<T>(net_cents: i64, by: SplitBy, splits: &[Split<T>]) -> Vec<i64> {
    let net = net_cents.max(0);
    let mut order: Vec<usize> = (0..splits.len()).collect();
    order.sort_by_key(|index| splits[*index].priority);
    match by {
        SplitBy::Amount => divide_by_amount(net, splits, &order),
        SplitBy::Percentage => divide_by_percentage(net, splits, order),
    }
}

fn divide_by_amount<T>(net: i64, splits: &[Split<T>], order: &[usize]) -> Vec<i64> {
    let mut parts = vec![0; splits.len()];
    let mut left = net;
    for index in order {
        parts[*index] = splits[*index].amount.map_or(left, |cents| cents.min(left));
        left -= parts[*index];
    }
    parts
}

fn divide_by_percentage<T>(net: i64, splits: &[Split<T>], mut order: Vec<usize>) -> Vec<i64> {
    // Hundredths of a cent are exact.
    let shares: Vec<i128> =
        splits.iter().map(|split| i128::from(net) * i128::from(split.amount.unwrap_or(0))).collect();
    // A share is at most the net pay.
    let mut parts: Vec<i64> = shares.iter().map(|share| (share / 100) as i64).collect();
    let left = usize::try_from(net - parts.iter().sum::<i64>()).unwrap_or(0);
    // The sort is stable, so priority breaks ties.
    order.sort_by_key(|index| Reverse(shares[*index] % 100));
    for index in order.into_iter().take(left) {
        parts[index] += 1;
    }
    parts
}

#[cfg(test)]
#[path = "split_tests.rs"]
mod tests;
