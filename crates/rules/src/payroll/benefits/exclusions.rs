//! Pay that percentages of a benefit are not taken of.
//!
//! A retirement plan says which pay counts for deferrals and for the employer's contributions: "plan compensation", which may
//! leave out overtime, bonuses and other pay (26 CFR 1.414(s)-1). Percentages and the thresholds of tiers are of that pay;
//! amounts in dollars and the legal limits do not look at it.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::super::input::{FixedKind, FixedPay};
use super::super::output::JobPay;
use super::{plus, remaining};
use crate::amount::Amount;
use crate::explain::{Operation, Step, Trace};
use crate::named::{Named, serde_by_name};

/// Kinds of pay of jobs that a plan tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum PayKind {
    /// Salaries and regular hours, with what brings them up to the minimum wage.
    #[strum(serialize = "regular_pay")]
    Regular,
    /// Overtime and double overtime, with premiums of earlier workweeks.
    #[strum(serialize = "overtime_pay")]
    Overtime,
    /// Paid time off that is not within a salary.
    #[strum(serialize = "time_off_pay")]
    TimeOff,
}

serde_by_name!(PayKind);

/// Pay that percentages of a benefit are not taken of.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Exclusions {
    /// Kinds of pay of jobs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<PayKind>,
    /// Indices in [`Employee::fixed`](crate::payroll::Employee::fixed).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<usize>,
}

impl Exclusions {
    /// Whether all pay counts.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty() && self.lines.is_empty()
    }
}

/// Gross pay by what exclusions tell apart; empty where only the sum is known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PayParts {
    /// Pay of jobs, by kind.
    kinds: [Amount; 3],
    /// Fixed lines, as in [`Employee::fixed`](crate::payroll::Employee::fixed).
    lines: Vec<Amount>,
}

impl PayParts {
    /// The parts of the pay of jobs and of fixed lines.
    ///
    /// # Panics
    /// Panics on overflow, which parts of a gross pay that was added up never reach.
    pub fn of(jobs: &[JobPay], fixed: &[FixedPay]) -> Self {
        let sum = |amounts: &mut dyn Iterator<Item = Amount>| amounts.fold(Amount::ZERO, plus);
        let regular = jobs.iter().flat_map(|job| [job.salary, job.regular, job.make_up]);
        let overtime = jobs.iter().flat_map(|job| [job.overtime, job.double_overtime, job.recalculated]);
        let time_off = jobs.iter().flat_map(|job| job.time_off.iter().copied());
        let kinds = [sum(&mut { regular }), sum(&mut { overtime }), sum(&mut { time_off })];
        // An adjustment of an earlier calculation is not paid; the present one is a part of the job's pay.
        let paid = |line: &FixedPay| match line.kind {
            FixedKind::MinimumWageAdjustment => Amount::ZERO,
            _ => line.amount,
        };
        Self { kinds, lines: fixed.iter().map(paid).collect() }
    }

    fn excluded(&self, by: &Exclusions) -> Vec<(String, Amount)> {
        let of_jobs = PayKind::ALL.iter().zip(self.kinds).filter(|(kind, _)| by.kinds.contains(kind));
        let of_jobs = of_jobs.map(|(kind, pay)| (kind.as_str().to_owned(), pay));
        let fixed = by
            .lines
            .iter()
            .filter_map(|line| Some((format!("fixed_compensation_{}", line + 1), *self.lines.get(*line)?)));
        of_jobs.chain(fixed).filter(|(_, pay)| *pay != Amount::ZERO).collect()
    }
}

/// The pay that percentages of a benefit are taken of.
pub(super) struct Base {
    gross: Amount,
    excluded: Vec<(String, Amount)>,
    /// Dollars.
    pub(super) amount: Amount,
}

impl Base {
    pub(super) fn of(gross: Amount, parts: &PayParts, by: &Exclusions) -> Self {
        let excluded = if by.is_empty() { Vec::new() } else { parts.excluded(by) };
        let sum = excluded.iter().fold(Amount::ZERO, |sum, (_, pay)| plus(sum, *pay));
        let amount = if excluded.is_empty() { gross } else { remaining(gross, sum) };
        Self { gross, excluded, amount }
    }

    /// Its name in explanations.
    pub(super) fn name(&self) -> &'static str {
        if self.excluded.is_empty() { "gross_pay" } else { "pay_that_counts" }
    }

    /// Explains a figure that rests on it, with what it is made of where that is not all of gross pay.
    pub(super) fn explain<T: Trace>(&self, trace: &mut T, figure: impl FnOnce() -> Step) {
        if self.excluded.is_empty() {
            trace.leaf(figure);
            return;
        }
        trace.open();
        trace.leaf(|| {
            let step =
                Step::new(self.name(), Operation::Remaining, self.amount).input("gross_pay", self.gross);
            let step = self.excluded.iter().fold(step, |step, (name, pay)| step.input(name.clone(), *pay));
            step.note("The plan leaves this pay out.")
        });
        trace.close(figure);
    }
}
