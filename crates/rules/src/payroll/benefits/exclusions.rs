//! Pay excluded from the percentages of a benefit.
//!
//! A retirement plan defines which pay counts for deferrals and for the employer's contributions: "plan compensation", which may
//! exclude overtime, bonuses and other pay (26 CFR 1.414(s)-1). Percentages and tier thresholds are based on that pay; dollar
//! amounts and deferral limits do not depend on it. For company contributions, a plan counts annual pay only up to the limit of
//! 26 U.S.C. 401(a)(17); excluded pay does not count toward that limit (26 CFR 1.401(a)(17)-1(b)(1)).

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::super::input::{FixedKind, FixedPay};
use super::super::output::JobPay;
use super::limits::Limit;
use super::{add_amounts, remaining_amount};
use crate::amount::Amount;
use crate::explain::{Operation, Step, Trace};
use crate::named::{Named, serde_by_name};

/// Kinds of job pay that a plan distinguishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum PayKind {
    /// Salaries and regular hours, including minimum wage adjustments.
    #[strum(serialize = "regular_pay")]
    Regular,
    /// Overtime and double overtime, including premiums for earlier workweeks.
    #[strum(serialize = "overtime_pay")]
    Overtime,
    /// Paid time off that is not included in a salary.
    #[strum(serialize = "time_off_pay")]
    TimeOff,
}

serde_by_name!(PayKind);

/// Pay excluded from the percentages of a benefit.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Exclusions {
    /// Kinds of job pay.
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

/// Gross pay by the kinds that exclusions distinguish; empty if only the sum is known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PayParts {
    /// Job pay, by kind.
    kinds: [Amount; 3],
    /// Fixed lines, as in [`Employee::fixed`](crate::payroll::Employee::fixed).
    lines: Vec<Amount>,
}

impl PayParts {
    /// Returns the parts of the pay of jobs and fixed lines.
    ///
    /// # Panics
    /// Panics on overflow, which the parts of an already summed gross pay never reach.
    pub fn from_pay_lines(jobs: &[JobPay], fixed: &[FixedPay]) -> Self {
        let sum = |amounts: &mut dyn Iterator<Item = Amount>| amounts.fold(Amount::ZERO, add_amounts);
        let regular = jobs.iter().flat_map(|job| [job.salary, job.regular, job.make_up]);
        let overtime = jobs.iter().flat_map(|job| [job.overtime, job.double_overtime, job.recalculated]);
        let time_off = jobs.iter().flat_map(|job| job.time_off.iter().copied());
        let kinds = [sum(&mut { regular }), sum(&mut { overtime }), sum(&mut { time_off })];
        // A minimum wage adjustment of an earlier calculation is not paid; the current one is part of the job's pay.
        let paid = |line: &FixedPay| match line.kind {
            FixedKind::MinimumWageAdjustment => Amount::ZERO,
            _ => line.amount,
        };
        Self { kinds, lines: fixed.iter().map(paid).collect() }
    }

    fn excluded_parts(&self, by: &Exclusions) -> Vec<(String, Amount)> {
        let of_jobs = PayKind::ALL.iter().zip(self.kinds).filter(|(kind, _)| by.kinds.contains(kind));
        let of_jobs = of_jobs.map(|(kind, pay)| (kind.as_str().to_owned(), pay));
        let fixed = by
            .lines
            .iter()
            .filter_map(|line| Some((format!("fixed_compensation_{}", line + 1), *self.lines.get(*line)?)));
        of_jobs.chain(fixed).filter(|(_, pay)| *pay != Amount::ZERO).collect()
    }
}

/// The pay to which the percentages of a benefit apply.
pub(super) struct Base<'l> {
    gross: Amount,
    excluded: Vec<(String, Amount)>,
    /// The annual limit, if it leaves less than the pay.
    limited: Option<Limited<'l>>,
    /// Dollars.
    pub(super) amount: Amount,
}

/// An annual limit that reduces the pay.
struct Limited<'l> {
    limit: &'l Limit,
    paid: Amount,
    left: Amount,
    /// The pay without the limit.
    all: Amount,
}

impl<'l> Base<'l> {
    pub(super) fn after_exclusions(gross: Amount, parts: &PayParts, by: &Exclusions) -> Self {
        let excluded = if by.is_empty() { Vec::new() } else { parts.excluded_parts(by) };
        let sum = excluded.iter().fold(Amount::ZERO, |sum, (_, pay)| add_amounts(sum, *pay));
        let amount = if excluded.is_empty() { gross } else { remaining_amount(gross, sum) };
        Self { gross, excluded, limited: None, amount }
    }

    /// Returns the pay that the plan excludes.
    pub(super) fn left_out(&self) -> Amount {
        remaining_amount(self.gross, self.amount)
    }

    /// Reduces the pay to what an annual limit leaves after the pay already paid in the year.
    pub(super) fn within_limit(self, limit: &'l Limit, paid: Amount) -> Self {
        let left = remaining_amount(limit.limit, paid);
        if self.amount <= left {
            return self;
        }
        Self { limited: Some(Limited { limit, paid, left, all: self.amount }), amount: left, ..self }
    }

    /// Returns its name in explanations.
    pub(super) fn name(&self) -> &'static str {
        if self.limited.is_some() { "pay_within_the_limit" } else { self.name_without_limit() }
    }

    fn name_without_limit(&self) -> &'static str {
        if self.excluded.is_empty() { "gross_pay" } else { "pay_that_counts" }
    }

    /// Explains a figure based on it, including its composition if it is not all of gross pay.
    pub(super) fn explain_base<T: Trace>(&self, trace: &mut T, figure: impl FnOnce() -> Step) {
        let Some(limited) = &self.limited else {
            trace.open_figure();
            self.explain_excluded(trace, self.amount);
            trace.close_figure(figure);
            return;
        };
        trace.open_figure();
        trace.open_figure();
        self.explain_excluded(trace, limited.all);
        trace.add_leaf(|| {
            Step::new("left_of_the_limit_of_pay", Operation::Remaining, limited.left)
                .input("limit_of_pay", limited.limit.limit)
                .input("paid_before_in_the_year", limited.paid)
                .note(format!("the limit of {}", limited.limit.year))
                .source(limited.limit.source.clone())
        });
        trace.close_figure(|| {
            Step::new(self.name(), Operation::Least, self.amount)
                .input(self.name_without_limit(), limited.all)
                .input("left_of_the_limit_of_pay", limited.left)
        });
        trace.close_figure(figure);
    }

    fn explain_excluded<T: Trace>(&self, trace: &mut T, counts: Amount) {
        if self.excluded.is_empty() {
            return;
        }
        trace.add_leaf(|| {
            let step = Step::new(self.name_without_limit(), Operation::Remaining, counts)
                .input("gross_pay", self.gross);
            let step = self.excluded.iter().fold(step, |step, (name, pay)| step.input(name.clone(), *pay));
            step.note("The plan leaves this pay out.")
        });
    }
}
