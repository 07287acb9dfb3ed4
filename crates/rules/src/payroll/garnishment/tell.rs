//! The explanation of what is taken: one figure for each garnishment, with everything that it rests on, so that it can
//! be read and worked out again without the others.

use std::fmt::Display;

use super::divide::Share;
use super::limits::Allocation;
use super::others::{CREDITOR_PERCENT, LOAN_PERCENT, Law, Limits, PROTECTED_HOURS};
use super::support::Room;
use super::{Line, Pay, own};
use crate::amount::{Amount, Rounding};
use crate::explain::{Operation, Step, Trace};

const CCPA: &str = "15 USC 1673(b)(2); the limits of the state of work";
const DIVISION: &str = "45 CFR 303.100(a)(5) and (f)";

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

/// The figures of all support orders.
pub(super) fn support<K: Display, T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    disposable: i64,
    room: &Room,
    lines: &[Line<'_, K>],
) {
    for (at, line) in lines.iter().enumerate() {
        trace.open();
        if room.is_enough() {
            asked_together(trace, lines, room);
            self::room(trace, pay, disposable, room);
        }
        tell_part(trace, pay, disposable, room, lines, at, Part::Current);
        let in_parts = line.own.current_ordered.is_some();
        if in_parts {
            tell_part(trace, pay, disposable, room, lines, at, Part::Arrears);
        }
        trace.close(|| {
            let step = deduction(line).input("current_support", cents(line.current.part));
            let step = if in_parts { step.input("arrears", cents(line.arrears.part)) } else { step };
            let step = Step { operation: Operation::Sum, ..step };
            match line.own.ended {
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

fn deduction<K: Display>(line: &Line<'_, K>) -> Step {
    let terms = line.garnishment.terms;
    let kind = terms.garnishment_type.map_or("plain deduction", super::GarnishmentType::as_str);
    Step::new(format!("deduction {}", line.garnishment.id), Operation::Least, cents(line.taken))
        .input("type", kind)
        .input("since", line.garnishment.since)
}

/// Which part of an order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
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

    fn own(self) -> &'static str {
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

/// A part of an order: its own amount, or its share of what there is.
fn tell_part<K: Display, T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    disposable: i64,
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
        Part::Current => own_current(trace, pay, disposable, line),
        Part::Arrears => own_arrears(trace, pay, disposable, line),
    }
    let within = |figure: &'static str| {
        let step = Step::new(figure, Operation::Least, cents(this.part - this.moved));
        let step =
            if divided { step.input(part.share(), cents(share_of(room, lines, at, part))) } else { step };
        let step = step.input(part.own(), cents(this.limit));
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

/// The share of an order in what does not suffice for all.
fn share<K: Display, T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    disposable: i64,
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
        let mut step = Step::new(part.to_divide(), Operation::Difference, cents(left))
            .input("support_room", cents(room.room));
        for line in lines {
            let id = &line.garnishment.id;
            if part == Part::Arrears {
                step = step.input(format!("current_support of {id}"), cents(line.current.part));
            }
            let other = part.of(line);
            if other.counts() && other.round < this.round {
                step = step.input(format!("{} of {id}, in full", part.own()), cents(other.limit));
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

/// Whether a share is still divided in a round, having not reached its limit before.
fn takes_part(share: Share, round: u32) -> bool {
    share.counts() && share.round >= round
}

/// What is divided in a round.
fn to_divide<K>(room: &Room, lines: &[Line<'_, K>], round: u32, part: Part) -> i64 {
    let before = |line: &Line<'_, K>| {
        let share = part.of(line);
        let current = if part == Part::Arrears { line.current.part } else { 0 };
        current + if share.counts() && share.round < round { share.limit } else { 0 }
    };
    room.room - lines.iter().map(before).sum::<i64>()
}

/// An order's share in its last round, before its limit.
fn share_of<K>(room: &Room, lines: &[Line<'_, K>], at: usize, part: Part) -> i64 {
    let round = part.of(&lines[at]).round;
    let mut shares: Vec<_> = lines
        .iter()
        .map(|line| part.of(line))
        .map(|share| Share::new(if takes_part(share, round) { share.weight } else { 0 }, i64::MAX))
        .collect();
    super::divide::divide(to_divide(room, lines, round, part), &mut shares, |share| share);
    shares[at].part
}

fn asked_together<K: Display, T: Trace>(trace: &mut T, lines: &[Line<'_, K>], room: &Room) {
    trace.leaf(|| {
        let step = Step::new("asked_together", Operation::Sum, cents(room.asked));
        lines.iter().fold(step, |step, line| {
            step.input(format!("own_amount of {}", line.garnishment.id), cents(line.own.amount))
        })
    });
}

/// What all orders may take together.
fn room<T: Trace>(trace: &mut T, pay: &Pay<'_>, disposable: i64, room: &Room) {
    trace.open();
    trace.open();
    trace.leaf(|| limit_percentage(pay, room));
    trace.close(|| {
        percentage(
            "support_limit",
            "disposable_earnings",
            disposable,
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

fn own_current<K, T: Trace>(trace: &mut T, pay: &Pay<'_>, disposable: i64, line: &Line<'_, K>) {
    trace.open();
    own_amount(trace, pay, disposable, line);
    let own = &line.own;
    if own.current_ordered.is_some() {
        trace.leaf(|| current_ordered(pay, line));
    }
    trace.close(|| {
        let step = Step::new(Part::Current.own(), Operation::Least, cents(line.current.limit))
            .input("own_amount", cents(own.amount));
        match own.current_ordered {
            Some(current) => step.input("current_support_ordered", cents(current)),
            None => step.note("The order names no parts, so that all of it is current support."),
        }
    });
}

fn current_ordered<K>(pay: &Pay<'_>, line: &Line<'_, K>) -> Step {
    let terms = line.garnishment.terms;
    let support = terms.child_support.as_ref();
    let ordered =
        support.zip(terms.pay_period_maximum).and_then(|(support, most)| own::current_part(support, most));
    let from = support.map_or(1, |support| support.payment_period.periods_per_year());
    Step::new(
        "current_support_ordered",
        Operation::Product,
        cents(line.own.current_ordered.unwrap_or_default()),
    )
    .input("current_and_medical_support_per_payment_period", ordered.unwrap_or(Amount::ZERO))
    .ratio("payment_periods_per_pay_period", from, pay.frequency.periods_per_year())
    .rounded("0.01", Rounding::HalfUp)
}

fn own_arrears<K, T: Trace>(trace: &mut T, pay: &Pay<'_>, disposable: i64, line: &Line<'_, K>) {
    trace.open();
    own_current(trace, pay, disposable, line);
    trace.close(|| {
        Step::new(Part::Arrears.own(), Operation::Difference, cents(line.arrears.limit))
            .input("own_amount", cents(line.own.amount))
            .input(Part::Current.own(), cents(line.current.limit))
    });
}

/// What a garnishment asks for on its own.
fn own_amount<K, T: Trace>(trace: &mut T, pay: &Pay<'_>, disposable: i64, line: &Line<'_, K>) {
    let (own, terms) = (&line.own, line.garnishment.terms);
    if let Some(why) = own.ended {
        let so_far = line.garnishment.so_far.times;
        trace.leaf(|| {
            Step::new("own_amount", Operation::Given, Amount::ZERO).note(why).ratio(
                "taken_so_many_times",
                so_far,
                1,
            )
        });
        return;
    }
    trace.open();
    if terms.deduct_as_percentage {
        trace.leaf(|| {
            percentage(
                "percentage_of_pay",
                "disposable_earnings",
                disposable,
                "percentage",
                terms.amount,
                own.basic,
            )
        });
    }
    dollar_cap(trace, pay, line);
    let left = |figure: &'static str, of: &'static str, most: Amount, taken: Amount, left: i64| {
        Step::new(figure, Operation::Remaining, cents(left)).input(of, most).input("taken_before", taken)
    };
    let so_far = &line.garnishment.so_far;
    if let Some((most, rest)) = terms.annual_maximum.zip(own.left_of_year) {
        trace.leaf(|| left("left_of_annual_maximum", "annual_maximum", most, so_far.year, rest));
    }
    if let Some((most, rest)) = terms.total_amount.zip(own.left_of_total) {
        trace.leaf(|| left("left_of_total_amount", "total_amount", most, so_far.total, rest));
    }
    trace.close(|| {
        let basic = if terms.deduct_as_percentage { "percentage_of_pay" } else { "amount" };
        let mut step =
            Step::new("own_amount", Operation::Least, cents(own.amount)).input(basic, cents(own.basic));
        let caps = [
            ("dollar_cap", own.cap),
            ("left_of_annual_maximum", own.left_of_year),
            ("left_of_total_amount", own.left_of_total),
        ];
        for (name, cap) in caps {
            if let Some(cap) = cap {
                step = step.input(name, cents(cap));
            }
        }
        step
    });
}

/// The dollar cap of an order, in dollars of the pay period.
fn dollar_cap<K, T: Trace>(trace: &mut T, pay: &Pay<'_>, line: &Line<'_, K>) {
    let terms = line.garnishment.terms;
    let (Some(most), Some(cap)) = (terms.pay_period_maximum, line.own.cap) else { return };
    let Some(support) = terms.child_support.as_ref().filter(|_| terms.is_child_support()) else { return };
    trace.leaf(|| {
        let from = support.payment_period;
        Step::new("dollar_cap", Operation::Product, cents(cap))
            .input("pay_period_maximum", most)
            .input("payment_period", from.as_str())
            .input("pay_schedule", pay.frequency.as_str())
            .ratio(
                "payment_periods_per_pay_period",
                from.periods_per_year(),
                pay.frequency.periods_per_year(),
            )
            .rounded("0.01", Rounding::HalfUp)
            .note(
                "The order's cap is for its own payment period: it is annualised and divided by the pay periods of \
                 a year.",
            )
    });
}

/// The figure of a garnishment that is no child support.
pub(super) fn other<K: Display, T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    disposable: i64,
    limits: &Limits,
    before: i64,
    line: &Line<'_, K>,
) {
    let law = Law::of(line.garnishment.terms.garnishment_type);
    trace.open();
    own_amount(trace, pay, disposable, line);
    match law {
        Law::None => {}
        Law::Creditor => creditor_room(trace, pay, disposable, limits, before),
        Law::Loan => loan_room(trace, pay, disposable, limits, before),
    }
    trace.leaf(|| {
        Step::new("left_of_pay", Operation::Remaining, cents((disposable - before).max(0)))
            .input("disposable_earnings", cents(disposable))
            .input("taken_before", cents(before))
    });
    trace.close(|| {
        let step = deduction(line).input("own_amount", cents(line.own.amount));
        let step = match law {
            Law::None => step,
            Law::Creditor => {
                let most = limits.creditor_share.min(limits.above_protected);
                step.input("creditor_room", cents((most - before).max(0)))
            }
            Law::Loan => step
                .input("loan_limit", cents(limits.loan_share))
                .input("above_protected_earnings", cents(limits.above_protected))
                .input("left_of_a_quarter", cents((limits.creditor_share - before).max(0))),
        };
        let step = step.input("left_of_pay", cents((disposable - before).max(0)));
        match line.own.ended {
            Some(why) => step.note(why),
            None => step,
        }
    });
}

fn creditor_room<T: Trace>(trace: &mut T, pay: &Pay<'_>, disposable: i64, limits: &Limits, before: i64) {
    let most = limits.creditor_share.min(limits.above_protected);
    trace.open();
    trace.open();
    quarter(trace, disposable, limits);
    above_protected(trace, pay, disposable, limits);
    trace.close(|| {
        Step::new("creditor_limit", Operation::Least, cents(most))
            .input("quarter_of_disposable_earnings", cents(limits.creditor_share))
            .input("above_protected_earnings", cents(limits.above_protected))
            .source("15 USC 1673(a)")
            .note("Federal law; a state may leave creditors less.")
    });
    trace.close(|| {
        Step::new("creditor_room", Operation::Remaining, cents((most - before).max(0)))
            .input("creditor_limit", cents(most))
            .input("taken_before", cents(before))
            .source("29 CFR 870.11")
    });
}

fn loan_room<T: Trace>(trace: &mut T, pay: &Pay<'_>, disposable: i64, limits: &Limits, before: i64) {
    trace.leaf(|| {
        percentage(
            "loan_limit",
            "disposable_earnings",
            disposable,
            "loan_percentage",
            LOAN_PERCENT,
            limits.loan_share,
        )
        .source("20 USC 1095a(a)(1); 31 USC 3720D(b)(1)")
    });
    above_protected(trace, pay, disposable, limits);
    trace.open();
    quarter(trace, disposable, limits);
    trace.close(|| {
        Step::new("left_of_a_quarter", Operation::Remaining, cents((limits.creditor_share - before).max(0)))
            .input("quarter_of_disposable_earnings", cents(limits.creditor_share))
            .input("taken_before", cents(before))
    });
}

fn quarter<T: Trace>(trace: &mut T, disposable: i64, limits: &Limits) {
    trace.leaf(|| {
        percentage(
            "quarter_of_disposable_earnings",
            "disposable_earnings",
            disposable,
            "creditor_percentage",
            CREDITOR_PERCENT,
            limits.creditor_share,
        )
    });
}

fn above_protected<T: Trace>(trace: &mut T, pay: &Pay<'_>, disposable: i64, limits: &Limits) {
    trace.open();
    trace.leaf(|| {
        Step::new("protected_earnings", Operation::Product, cents(limits.protected))
            .ratio("hours_a_week", PROTECTED_HOURS, 1)
            .input("federal_minimum_wage", pay.federal_minimum_wage)
            .ratio("weeks", 52, pay.frequency.periods_per_year())
            .rounded("0.01", Rounding::HalfUp)
            .source("29 CFR 870.10")
    });
    trace.close(|| {
        Step::new("above_protected_earnings", Operation::Remaining, cents(limits.above_protected))
            .input("disposable_earnings", cents(disposable))
            .input("protected_earnings", cents(limits.protected))
    });
}
