//! Whether an amount of pay counts towards the regular rate of overtime, and when it was earned.

use jiff::ToSpan;
use jiff::civil::Date;
use rules::days::Days;
use rules::{Checks, Violation};
use serde::{Deserialize, Serialize};

use crate::patch::{Patch, as_is, some};
use crate::pay::payrolls::record::commands::FixedLine;

/// Whether an amount counts towards the regular rate (29 USC 207(e)), and in which workweeks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Earned {
    /// whether the employer alone decided whether and how much to pay (29 CFR 778.211): if so, it does not count
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub discretionary: bool,
    /// first day of the period in which it was earned; `None` for the workweeks of the payroll
    #[serde(rename = "earned_from", skip_serializing_if = "Option::is_none")]
    pub from: Option<Date>,
    /// last day of that period
    #[serde(rename = "earned_to", skip_serializing_if = "Option::is_none")]
    pub to: Option<Date>,
    /// whether that period is a workweek by which the line is divided
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_part: bool,
}

impl Earned {
    /// Returns the first and last day of the period in which it was earned, if given.
    pub fn earning_period(&self) -> Option<Days> {
        self.from.zip(self.to).map(|(first, last)| Days { first, last })
    }

    /// Returns the same for the part of a line that was earned in the workweek from `start`. `last` is the last day of the payroll.
    pub(in crate::pay::payrolls) fn in_workweek(self, start: Date, last: Date) -> Self {
        let end = start.saturating_add(6.days()).min(last);
        Self { from: Some(start), to: Some(end), is_part: true, ..self }
    }

    /// Returns the same for a line that is not divided by workweek.
    fn without_division(self) -> Self {
        if self.is_part { Self { discretionary: self.discretionary, ..Self::default() } } else { self }
    }

    /// Merges the fields of a line into the stored ones. `last` is the last day of the payroll.
    pub(in crate::pay::payrolls) fn merge_line(
        held: Option<Self>,
        line: &FixedLine,
        last: Date,
        checks: &mut Checks,
    ) -> Self {
        let mut earned = held.unwrap_or_default().without_division();
        line.discretionary.update("discretionary", checks, as_is, &mut earned.discretionary);
        line.earned_from.update_or_clear("earned_from", checks, some, &mut earned.from);
        line.earned_to.update_or_clear("earned_to", checks, some, &mut earned.to);
        let wrong = |field: &Patch<Date>| matches!(field, Patch::Invalid(_));
        if wrong(&line.earned_from) || wrong(&line.earned_to) {
            return earned;
        }
        checks.require(earned.from.is_some() == earned.to.is_some(), || {
            Violation::invalid("earned_to", "earned_from and earned_to must be given together")
        });
        if let Some(Days { first: from, last: to }) = earned.earning_period() {
            checks.require(from <= to, || {
                Violation::invalid("earned_to", "earned_to must not be before earned_from")
            });
            checks.require(to <= last, || {
                Violation::invalid(
                    "earned_to",
                    format!("earned_to must not be after the pay period ends, on {last}"),
                )
            });
            let first = to.saturating_sub(1.year());
            checks.require(from >= first, || {
                Violation::invalid(
                    "earned_from",
                    format!("earned_from must be at most a year before earned_to, from {first} on"),
                )
            });
        }
        earned
    }
}
