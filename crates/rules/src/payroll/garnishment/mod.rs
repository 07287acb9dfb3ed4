//! Garnishments: what courts, agencies and creditors have taken from a pay, and how much of it they may take.
//!
//! [`deduct`] takes the garnishments of one employee together, because they share one pay: the law limits what all
//! support orders take, and what creditors take after them. In the order of taking:
//!
//! 1. a federal tax levy that is older than every support order (26 USC 6334(a)(8));
//! 2. child support: each order's own amount (`requested`), all together at most the legal limit ([`SupportLimits`]);
//!    where that is not enough, current and medical support before arrears, divided as the state of work says;
//! 3. other levies, federal and student loans, creditors, other orders, plain deductions: the older first among
//!    equals, each at most what its law leaves.
//!
//! | file | question |
//! |---|---|
//! | `terms` | what does a garnishment say? |
//! | `check` | which terms may stand together? |
//! | `requested` | what does one garnishment ask of this pay? |
//! | `limits` | how much may all support orders take, and how is it divided? |
//! | `divide` | how is too little divided to the cent? |
//! | `support`, `others` | steps 2 and 3 |
//! | `explain` | the explanation of all this |
//! | `agency` | whom is support paid to, and which identifiers does the agency need? |
//! | `remittance` | who pays the agency, and what goes with the payment? |
//!
//! Decisions where the law leaves room: the dollar cap of an order is written for its own payment period and is
//! annualised to the pay schedule (times 52, 26, 24 or 12, divided by the pay periods of the schedule); limits and
//! percentages are rounded down to the cent, conversions half up. Not held: states' own limits for creditors, which
//! can be lower than the federal one, and the table of earnings that are exempt from a federal levy, whose amount is
//! taken as it stands in the garnishment.

mod agency;
mod check;
mod divide;
mod explain;
mod limits;
mod others;
mod remittance;
mod requested;
mod support;
mod terms;

pub use agency::{Agencies, Agency, FipsCode, Identifier, Payee, RemitWithin};
pub use check::check;
pub use limits::{Allocation, Facts, StateLimit, SupportLimits};
pub use remittance::{Addendum, ManualReason, MedicalSupport, Remittance, addendum, remittance};
pub use terms::{
    ChildSupport, GarnishmentTerms, GarnishmentType, IncomeWithholdingOrder, PAYMENT_PERIODS, WithheldToDate,
};

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::amount::Amount;
use crate::explain::{Operation, Step, Trace};
use crate::withholding::federal::PayFrequency;
use requested::Requested;

/// One garnishment of an employee, as far as a pay period is concerned. `K` identifies it; where two are equally
/// old, the smaller goes first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Garnishment<K> {
    /// which one
    pub id: K,
    /// when the order was received, or the garnishment was made: the older go first
    pub since: Date,
    /// what it says
    pub terms: GarnishmentTerms,
    /// what was taken for it before this pay
    pub withheld: WithheldToDate,
}

/// The pay that garnishments are taken from.
#[derive(Debug, Clone)]
pub struct Pay<'a> {
    /// gross pay less every tax that law requires to be withheld ([`disposable_earnings`])
    pub disposable_earnings: Amount,
    /// how often the pay schedule pays
    pub frequency: PayFrequency,
    /// the limits of the state of work ([`SupportLimits::of`])
    pub limits: &'a StateLimit,
    /// the federal minimum wage on the pay date, dollars an hour
    pub federal_minimum_wage: Amount,
}

/// What is taken for one garnishment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deduction<K> {
    /// for which one
    pub id: K,
    /// dollars, whole cents; never negative
    pub amount: Amount,
    /// what it asked for on its own, before limits and other garnishments
    pub requested: Amount,
    /// of the amount: current and medical support; nothing where it is no child support
    pub current_support: Amount,
    /// of the amount: support that is past due
    pub arrears: Amount,
}

/// Gross pay less the taxes that law requires to be withheld (15 USC 1672(b)); nothing where they are more.
///
/// `gross` is without reimbursements and without tips that were paid out in cash. Benefits, retirement plans and
/// whatever else an employee chose are not subtracted. Taxes are named for the explanation.
pub fn disposable_earnings<T: Trace>(
    trace: &mut T,
    gross: Amount,
    taxes: &[(impl AsRef<str>, Amount)],
) -> Amount {
    let left = taxes.iter().try_fold(gross, |left, (_, tax)| left.checked_sub(*tax));
    let left = left.unwrap_or(Amount::ZERO).max(Amount::ZERO);
    trace.leaf(|| {
        let step = Step::new("disposable_earnings", Operation::Remaining, left).input("gross_pay", gross);
        let step = taxes.iter().fold(step, |step, (name, tax)| step.input(name.as_ref().to_owned(), *tax));
        step.source("15 USC 1672(b); 29 CFR 870.10")
    });
    left
}

/// One garnishment at work.
struct Line<'a, K> {
    garnishment: &'a Garnishment<K>,
    /// where it stood among those given
    place: usize,
    requested: Requested,
    current: divide::Share,
    arrears: divide::Share,
    /// cents taken
    taken: i64,
}

/// What is taken from a pay for each of the garnishments, in the order in which they were given.
///
/// The order given does not matter for the amounts. The explanation has one figure for each garnishment, named
/// `deduction` and its id.
pub fn deduct<K: Copy + Ord + std::fmt::Display, T: Trace>(
    trace: &mut T,
    pay: &Pay<'_>,
    garnishments: &[Garnishment<K>],
) -> Vec<Deduction<K>> {
    let disposable = requested::whole_cents(pay.disposable_earnings).max(0);
    let mut lines: Vec<_> = garnishments
        .iter()
        .enumerate()
        .map(|(place, garnishment)| Line {
            requested: Requested::of(&garnishment.terms, &garnishment.withheld, disposable, pay.frequency),
            current: divide::Share::default(),
            arrears: divide::Share::default(),
            taken: 0,
            garnishment,
            place,
        })
        .collect();
    // Support, then the others by rank; the older first.
    lines.sort_unstable_by_key(|line| {
        (line.garnishment.terms.rank(), line.garnishment.since, line.garnishment.id)
    });
    let orders = lines.iter().take_while(|line| line.garnishment.terms.is_child_support()).count();
    let (support, rest) = lines.split_at_mut(orders);

    let first = others::take_older_levies(trace, pay, disposable, support, rest);
    let taken = support::take(trace, pay, disposable, first.taken, support);
    others::take(trace, pay, disposable, first, taken, rest);

    let nothing = |garnishment: &Garnishment<K>| Deduction {
        id: garnishment.id,
        amount: Amount::ZERO,
        requested: Amount::ZERO,
        current_support: Amount::ZERO,
        arrears: Amount::ZERO,
    };
    let mut deductions: Vec<_> = garnishments.iter().map(nothing).collect();
    for line in &lines {
        deductions[line.place] = Deduction {
            id: line.garnishment.id,
            amount: Amount::from_cents(line.taken),
            requested: Amount::from_cents(line.requested.amount),
            current_support: Amount::from_cents(line.current.part),
            arrears: Amount::from_cents(line.arrears.part),
        };
    }
    deductions
}

#[cfg(test)]
mod golden_tests;
#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod tests_support;
