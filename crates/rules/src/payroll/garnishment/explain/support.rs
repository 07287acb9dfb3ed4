//! Explanations of child support.

use std::fmt::Display;

use super::requested::{requested_arrears, requested_current};
use super::{EARLIER, cents, deduction, earnings_of_period, percentage};
use crate::explain::{Operation, Step, Trace};
use crate::payroll::garnishment::divide::{Share, divide};
use crate::payroll::garnishment::limits::Allocation;
use crate::payroll::garnishment::support::Room;
use crate::payroll::garnishment::{Disposable, Line, Pay};

const CCPA: &str = "15 USC 1673(b)(2); the limits of the state of work";
const DIVISION: &str = "45 CFR 303.100(a)(5) and (f)";

/// Explains all support orders.
pub(in crate::payroll::garnishment) fn support<K: Display, T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    disposable: Disposable,
    room: &Room,
    lines: &[Line<'_, K>],
) {
    for (at, line) in lines.iter().enumerate() {
        trace.open();
        if room.is_enough() {
            requested_together(trace, lines, room);
            self::room(trace, pay, disposable, room);
        }
        explain_part(trace, pay, disposable, room, lines, at, Part::Current);
        let in_parts = line.requested.current_ordered.is_some();
        if in_parts {
            explain_part(trace, pay, disposable, room, lines, at, Part::Arrears);
        }
        trace.close(|| {
            let step = deduction(line).input("current_support", cents(line.current.part));
            let step = if in_parts { step.input("arrears", cents(line.arrears.part)) } else { step };
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
    fn of<K>(self, line: &Line<'_, K>) -> Share {
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

    pub fn requested(self) -> &'static str {
        match self {
            Self::Current => "own_current_support",
            Self::Arrears => "own_arrears",
        }
    }

    fn share(self) -> &'static str {
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
    let this = part.of(line);
    let divided = !room.is_enough() && this.counts();
    trace.open();
    if this.moved != 0 {
        trace.open();
    }
    if divided {
        share(trace, pay, disposable, room, lines, at, part);
    }
    match part {
        Part::Current => requested_current(trace, pay, disposable.now, line),
        Part::Arrears => requested_arrears(trace, pay, disposable.now, line),
    }
    let within = |figure: &'static str| {
        let step = Step::new(figure, Operation::Least, cents(this.part - this.moved));
        let step =
            if divided { step.input(part.share(), cents(share_of(room, lines, at, part))) } else { step };
        let step = step.input(part.requested(), cents(this.limit));
        if part == Part::Arrears && divided && this.part == 0 {
            return step
                .note("Current support comes first, and nothing is left for these arrears.")
                .source(DIVISION);
        }
        step
    };
    if this.moved == 0 {
        trace.close(|| within(part.figure()));
        return;
    }
    trace.close(|| within("before_a_cent_moves"));
    trace.close(|| {
        let (operation, moved) =
            if this.moved > 0 { (Operation::Sum, this.moved) } else { (Operation::Difference, -this.moved) };
        Step::new(part.figure(), operation, cents(this.part))
            .input("before_a_cent_moves", cents(this.part - this.moved))
            .input("moved", cents(moved))
            .source("45 CFR 303.100(a)(5)")
            .note(
                "A cent is moved from the largest share to each order that would get nothing: every order with \
                 current support is paid something.",
            )
    });
}

/// Explains the share of an order in an insufficient amount.
fn share<K: Display, T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    disposable: Disposable,
    room: &Room,
    lines: &[Line<'_, K>],
    at: usize,
    part: Part,
) {
    let this = part.of(&lines[at]);
    if !this.counts() {
        return;
    }
    trace.open();
    trace.open();
    self::room(trace, pay, disposable, room);
    trace.close(|| {
        let left = to_divide(room, lines, this.round, part);
        let mut step = Step::new(part.to_divide(), Operation::Remaining, cents(left))
            .input("support_room", cents(room.room));
        if part == Part::Arrears && room.premiums > 0 {
            step = step
                .input("health_insurance_premiums", cents(room.premiums))
                .source("45 CFR 303.32; 15 USC 1673(b)")
                .note("Premiums that National Medical Support Notices order come after current support.");
        }
        for line in lines {
            let id = &line.garnishment.id;
            if part == Part::Arrears {
                step = step.input(format!("current_support of {id}"), cents(line.current.part));
            }
            let other = part.of(line);
            if other.counts() && other.round < this.round {
                step = step.input(format!("{} of {id}, in full", part.requested()), cents(other.limit));
            }
        }
        step
    });
    trace.close(|| {
        let round = this.round;
        let step = Step::new(part.share(), Operation::Share, cents(share_of(room, lines, at, part)))
            .input(part.to_divide(), cents(to_divide(room, lines, round, part)));
        let open = lines.iter().filter(|line| takes_part(part.of(line), round));
        let step = open.fold(step, |step, line| {
            step.input(format!("weight of {}", line.garnishment.id), cents(part.of(line).weight))
        });
        let place = lines[..=at].iter().filter(|line| takes_part(part.of(line), round)).count();
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
    share.counts() && share.round >= round
}

/// Returns the amount allocated in a round.
fn to_divide<K>(room: &Room, lines: &[Line<'_, K>], round: u32, part: Part) -> i64 {
    let before = |line: &Line<'_, K>| {
        let share = part.of(line);
        let current = if part == Part::Arrears { line.current.part } else { 0 };
        current + if share.counts() && share.round < round { share.limit } else { 0 }
    };
    let premiums = if part == Part::Arrears { room.premiums } else { 0 };
    (room.room - premiums - lines.iter().map(before).sum::<i64>()).max(0)
}

/// Returns the share of an order in its last round, before its limit.
fn share_of<K>(room: &Room, lines: &[Line<'_, K>], at: usize, part: Part) -> i64 {
    let round = part.of(&lines[at]).round;
    let mut shares: Vec<_> = lines
        .iter()
        .map(|line| part.of(line))
        .map(|share| Share::new(if takes_part(share, round) { share.weight } else { 0 }, i64::MAX))
        .collect();
    divide(to_divide(room, lines, round, part), &mut shares, |share| share);
    shares[at].part
}

fn requested_together<K: Display, T: Trace>(trace: &mut T, lines: &[Line<'_, K>], room: &Room) {
    trace.leaf(|| {
        let step = Step::new("asked_together", Operation::Sum, cents(room.requested + room.premiums));
        let step = match room.premiums {
            0 => step,
            premiums => step.input("health_insurance_premiums", cents(premiums)),
        };
        lines.iter().fold(step, |step, line| {
            step.input(format!("own_amount of {}", line.garnishment.id), cents(line.requested.amount))
        })
    });
}

/// Explains the amount available for all orders.
fn room<T: Trace>(trace: &mut T, pay: &Pay<'_>, disposable: Disposable, room: &Room) {
    trace.open();
    trace.open();
    earnings_of_period(trace, disposable);
    trace.leaf(|| limit_percentage(pay, room));
    trace.close(|| {
        percentage(
            "support_limit",
            "disposable_earnings",
            disposable.period,
            "support_limit_percentage",
            room.percentage,
            room.limit,
        )
        .source(CCPA)
    });
    trace.close(|| {
        let step = Step::new("support_room", Operation::Remaining, cents(room.room))
            .input("support_limit", cents(room.limit))
            .input("older_federal_levies", cents(room.levies));
        let step = match room.earlier {
            0 => step,
            earlier => step.input(EARLIER, cents(earlier)),
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
