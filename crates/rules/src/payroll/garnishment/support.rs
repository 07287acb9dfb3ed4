//! Child support within the legal limit.

use super::divide::{Share, a_cent_each, divide_pot};
use super::limits::{Allocation, Facts};
use super::{Disposable, Line, Pay, Taken, explain, fees, requested};
use crate::amount::Amount;
use crate::explain::Trace;

/// The amount available for all support orders, in cents.
pub(super) struct Room {
    pub facts: Facts,
    pub percentage: Amount,
    /// The legal limit.
    pub limit: i64,
    /// Older federal levies, which reduce it.
    pub levies: i64,
    /// Support and fees of earlier paychecks of the pay period, which also reduce it.
    pub earlier: i64,
    /// Remaining for support.
    pub room: i64,
    /// Requested by all orders.
    pub requested: i64,
    /// Health insurance premiums ordered by National Medical Support Notices, which rank after current support.
    pub premiums: i64,
}

impl Room {
    /// Whether all requests are covered.
    pub fn is_enough(&self) -> bool {
        self.requested + self.premiums <= self.room
    }
}

/// Withholds the support of every order and the employer fees; returns their totals.
pub(super) fn withhold_orders<K: Copy + Ord + std::fmt::Display, T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    disposable: Disposable,
    levies: Taken,
    lines: &mut [Line<'_, K>],
    fees: &mut i64,
) -> Taken {
    let earlier_fees = requested::whole_cents(pay.earlier.fees);
    if lines.is_empty() {
        return Taken { earlier: earlier_fees, ..Taken::default() };
    }
    // An order that has ended does not affect the limit.
    let asking =
        lines.iter().filter(|line| line.requested.ended.is_none()).map(|line| &line.garnishment.terms);
    let facts = Facts::combine_orders(asking);
    let percentage = pay.limits.limit_percentage(&facts);
    let limit = requested::percent_of(disposable.period, percentage);
    let earlier_support: i64 = lines.iter().map(Line::withheld_earlier).sum();
    let earlier = earlier_support + earlier_fees;
    let room = Room {
        room: (limit - levies.total_taken() - earlier).max(0),
        requested: lines.iter().map(|line| line.requested.amount).sum(),
        premiums: lines.iter().filter_map(|line| line.requested.premium).sum(),
        facts,
        percentage,
        limit,
        levies: levies.total_taken(),
        earlier,
    };
    for line in &mut *lines {
        let requested = &line.requested;
        let current = requested.amount.min(requested.left_of_current);
        let (current_weight, arrears_weight) = match pay.limits.allocation {
            Allocation::ProRata => {
                (requested.current_dollars(), requested.dollars() - requested.current_dollars())
            }
            Allocation::Equal => (1, 1),
        };
        line.current = Share::new(current_weight, current).allocate_maximum();
        line.arrears = Share::new(arrears_weight, requested.amount - current).allocate_maximum();
    }
    if !room.is_enough() {
        divide_pot(room.room, lines, |line| &mut line.current);
        a_cent_each(lines, |line| &mut line.current);
        let current: i64 = lines.iter().map(|line| line.current.part).sum();
        divide_pot((room.room - current - room.premiums).max(0), lines, |line| &mut line.arrears);
    }
    for line in &mut *lines {
        line.taken = line.current.part + line.arrears.part;
    }
    explain::explain_support(trace, pay, disposable, &room, lines);
    let support: i64 = lines.iter().map(|line| line.taken).sum();
    for line in &mut *lines {
        let left = [
            ("support_limit", room.limit),
            ("older_levies", room.levies),
            ("support_of_all_orders", support + earlier_support),
            ("health_insurance_premiums", room.premiums),
            ("fees_of_older_orders", *fees + earlier_fees),
        ];
        fees::take_fee(trace, pay, line, &left, fees);
    }
    Taken { now: support + *fees, earlier, support: support + earlier_support }
}
