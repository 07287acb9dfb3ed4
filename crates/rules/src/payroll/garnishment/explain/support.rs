//! Explanations of child support.

use std::fmt::Display;

use super::requested::{requested_arrears, requested_current};
use super::{EARLIER, cents_amount, deduction_step, earnings_of_period, percentage_step};
use crate::explain::{Operation, Step, Trace};
use crate::payroll::garnishment::divide::{Share, divide_pot};
use crate::payroll::garnishment::limits::Allocation;
use crate::payroll::garnishment::support::Room;
use crate::payroll::garnishment::{Disposable, Line, Pay};

const CCPA: &str = "15 USC 1673(b)(2); the limits of the state of work";
const DIVISION: &str = "45 CFR 303.100(a)(5) and (f)";

/// Explains all support orders.
pub(in crate::payroll::garnishment) fn explain_support<K: Display, T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    disposable: Disposable,
    room: &Room,
    lines: &[Line<'_, K>],
) {
    for (at, line) in lines.iter().enumerate() {
        trace.open_figure();
        if room.is_enough() {
            requested_together(trace, lines, room);
            self::explain_room(trace, pay, disposable, room);
        }
        explain_part(trace, pay, disposable, room, lines, at, Part::Current);
        let in_parts = line.requested.current_ordered.is_some();
        if in_parts {
            explain_part(trace, pay, disposable, room, lines, at, Part::Arrears);
        }
        trace.close_figure(|| {
            let step = deduction_step(line).input("current_support", cents_amount(line.current.part));
            let step = if in_parts { step.input("arrears", cents_amount(line.arrears.part)) } else { step };
            let step = Step { operation: Operation::Sum, ..step };
            match line.requested.ended {
                Some(why) => step.note(why),
                None if room.is_enough() => {
                    step.note("All orders together stay within the limit, so each gets its own amount.")
                }
                None => step.note(
                    "The orders together ask for more than the limit leaves: current and medical support \
                     comes first, arrears get what is left.",
                ),
            }
        });
    }
}

/// A part of an order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Current,
    Arrears,
}

impl Part {
    fn share_for_line<K>(self, line: &Line<'_, K>) -> Share {
        match self {
            Self::Current => line.current,
            Self::Arrears => line.arrears,
        }
    }

    fn figure(self) -> &'static str {
        match self {
            Self::Current => "current_support",
            Self::Arrears => "arrears",
        }
    }

    pub fn requested_name(self) -> &'static str {
        match self {
            Self::Current => "own_current_support",
            Self::Arrears => "own_arrears",
        }
    }

    fn share_name(self) -> &'static str {
        match self {
            Self::Current => "share_of_current_support",
            Self::Arrears => "share_of_arrears",
        }
    }

    fn to_divide(self) -> &'static str {
        match self {
            Self::Current => "left_for_current_support",
            Self::Arrears => "left_for_arrears",
        }
    }
}

/// Explains a part of an order: the requested amount, or its share of the available amount.
fn explain_part<K: Display, T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    disposable: Disposable,
    room: &Room,
    lines: &[Line<'_, K>],
    at: usize,
    part: Part,
) {
    let line = &lines[at];
    let this = part.share_for_line(line);
    let divided = !room.is_enough() && this.has_weight();
    trace.open_figure();
    if this.moved != 0 {
        trace.open_figure();
    }
    if divided {
        explain_share(trace, pay, disposable, room, lines, at, part);
    }
    match part {
        Part::Current => requested_current(trace, pay, disposable.now, line),
        Part::Arrears => requested_arrears(trace, pay, disposable.now, line),
    }
    let within = |figure: &'static str| {
        let step = Step::new(figure, Operation::Least, cents_amount(this.part - this.moved));
        let step = if divided {
            step.input(part.share_name(), cents_amount(share_of(room, lines, at, part)))
        } else {
            step
        };
        let step = step.input(part.requested_name(), cents_amount(this.limit));
        if part == Part::Arrears && divided && this.part == 0 {
            return step
                .note("Current support comes first, and nothing is left for these arrears.")
                .source(DIVISION);
        }
        step
    };
    if this.moved == 0 {
        trace.close_figure(|| within(part.figure()));
        return;
    }
    trace.close_figure(|| within("before_a_cent_moves"));
    trace.close_figure(|| {
        let (operation, moved) =
            if this.moved > 0 { (Operation::Sum, this.moved) } else { (Operation::Difference, -this.moved) };
        Step::new(part.figure(), operation, cents_amount(this.part))
            .input("before_a_cent_moves", cents_amount(this.part - this.moved))
            .input("moved", cents_amount(moved))
            .source("45 CFR 303.100(a)(5)")
            .note(
                "A cent is moved from the largest share to each order that would get nothing: every order with \
                 current support is paid something.",
            )
    });
}

/// Explains the share of an order in an insufficient amount.
fn explain_share<K: Display, T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    disposable: Disposable,
    room: &Room,
    lines: &[Line<'_, K>],
    at: usize,
    part: Part,
) {
    let this = part.share_for_line(&lines[at]);
    if !this.has_weight() {
        return;
    }
    trace.open_figure();
    trace.open_figure();
    self::explain_room(trace, pay, disposable, room);
    trace.close_figure(|| {
        let left = to_divide(room, lines, this.round, part);
        let mut step = Step::new(part.to_divide(), Operation::Remaining, cents_amount(left))
            .input("support_room", cents_amount(room.room));
        if part == Part::Arrears && room.premiums > 0 {
            step = step
                .input("health_insurance_premiums", cents_amount(room.premiums))
                .source("45 CFR 303.32; 15 USC 1673(b)")
                .note("Premiums that National Medical Support Notices order come after current support.");
        }
        for line in lines {
            let id = &line.garnishment.id;
            if part == Part::Arrears {
                step = step.input(format!("current_support of {id}"), cents_amount(line.current.part));
            }
            let other = part.share_for_line(line);
            if other.has_weight() && other.round < this.round {
                step = step
                    .input(format!("{} of {id}, in full", part.requested_name()), cents_amount(other.limit));
            }
        }
        step
    });
    trace.close_figure(|| {
        let round = this.round;
        let step = Step::new(part.share_name(), Operation::Share, cents_amount(share_of(room, lines, at, part)))
            .input(part.to_divide(), cents_amount(to_divide(room, lines, round, part)));
        let open = lines.iter().filter(|line| takes_part(part.share_for_line(line), round));
        let step = open.fold(step, |step, line| {
            step.input(format!("weight of {}", line.garnishment.id), cents_amount(part.share_for_line(line).weight))
        });
        let place = lines[..=at].iter().filter(|line| takes_part(part.share_for_line(line), round)).count();
        let how = match pay.limits.allocation {
            Allocation::ProRata => "In proportion to the dollars that the orders ask for in this pay period",
            Allocation::Equal => "In equal parts",
        };
        step.ratio("place", place as i64, 1).source(DIVISION).note(format!(
            "{how}; an order that reaches its own amount gets no more, and the rest is divided among the others."
        ))
    });
}

/// Whether a share was still open in a round.
fn takes_part(share: Share, round: u32) -> bool {
    share.has_weight() && share.round >= round
}

/// Returns the amount allocated in a round.
fn to_divide<K>(room: &Room, lines: &[Line<'_, K>], round: u32, part: Part) -> i64 {
    let before = |line: &Line<'_, K>| {
        let share = part.share_for_line(line);
        let current = if part == Part::Arrears { line.current.part } else { 0 };
        current + if share.has_weight() && share.round < round { share.limit } else { 0 }
    };
    let premiums = if part == Part::Arrears { room.premiums } else { 0 };
    (room.room - premiums - lines.iter().map(before).sum::<i64>()).max(0)
}

/// Returns the share of an order in its last round, before its limit.
fn share_of<K>(room: &Room, lines: &[Line<'_, K>], at: usize, part: Part) -> i64 {
    let round = part.share_for_line(&lines[at]).round;
    let mut shares: Vec<_> = lines
        .iter()
        .map(|line| part.share_for_line(line))
        .map(|share| Share::new(if takes_part(share, round) { share.weight } else { 0 }, i64::MAX))
        .collect();
    divide_pot(to_divide(room, lines, round, part), &mut shares, |share| share);
    shares[at].part
}

fn requested_together<K: Display, T: Trace>(trace: &mut T, lines: &[Line<'_, K>], room: &Room) {
    trace.add_leaf(|| {
        let step = Step::new("asked_together", Operation::Sum, cents_amount(room.requested + room.premiums));
        let step = match room.premiums {
            0 => step,
            premiums => step.input("health_insurance_premiums", cents_amount(premiums)),
        };
        lines.iter().fold(step, |step, line| {
            step.input(format!("own_amount of {}", line.garnishment.id), cents_amount(line.requested.amount))
        })
    });
}

/// Explains the amount available for all orders.
fn explain_room<T: Trace>(trace: &mut T, pay: &Pay<'_>, disposable: Disposable, room: &Room) {
    trace.open_figure();
    trace.open_figure();
    earnings_of_period(trace, disposable);
    trace.add_leaf(|| limit_percentage(pay, room));
    trace.close_figure(|| {
        percentage_step(
            "support_limit",
            "disposable_earnings",
            disposable.period,
            "support_limit_percentage",
            room.percentage,
            room.limit,
        )
        .source(CCPA)
    });
    trace.close_figure(|| {
        let step = Step::new("support_room", Operation::Remaining, cents_amount(room.room))
            .input("support_limit", cents_amount(room.limit))
            .input("older_federal_levies", cents_amount(room.levies));
        let step = match room.earlier {
            0 => step,
            earlier => step.input(EARLIER, cents_amount(earlier)),
        };
        if room.levies > 0 { step.source("26 USC 6334(a)(8)") } else { step }
    });
}

fn limit_percentage(pay: &Pay<'_>, room: &Room) -> Step {
    let facts = &room.facts;
    let said = |fact: Option<bool>| match fact {
        Some(true) => "yes",
        Some(false) => "no",
        None => "not known",
    };
    let step = Step::new("support_limit_percentage", Operation::Least, room.percentage)
        .input("limits_of", pay.limits.state.clone())
        .input("supports_other_family", said(facts.supports_other_family))
        .input("arrears_over_12_weeks", said(facts.arrears_over_12_weeks))
        .input("highest_limit_that_may_hold", pay.limits.at_most(facts))
        .source(CCPA);
    if facts.are_known() {
        return step;
    }
    let missing = match (facts.supports_other_family, facts.arrears_over_12_weeks) {
        (None, None) => {
            "whether the employee supports another family, and whether arrears are older than twelve weeks"
        }
        (None, Some(_)) => "whether the employee supports another family",
        _ => "whether arrears are older than twelve weeks",
    };
    step.input("highest_percentage_of_an_order", facts.highest_percentage).note(format!(
        "No order says {missing}. So the percentages that stand in the orders count as what the orders say, up to the \
         highest limit that may hold."
    ))
}
