//! The inputs of a payroll's employee: hours, amounts, time off, expenses, payment method.
//!
//! They are stored as JSON with the payroll, without empty fields: an employee without inputs has no row. A line is identified by its
//! name and job, hours also by their day or workweek and their location ([`crate::pay::payrolls::entry::hours`]); lines that an update does not name are
//! unchanged.

use std::borrow::Cow;
use std::collections::BTreeMap;

use rules::Amount;
use rules::payroll::DayOff;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::millionths;
use crate::pay::payrolls::record::earned::Earned;
use crate::pay::payrolls::record::hours::Hours;
use crate::pay::payrolls::record::kinds::{FixedKind, TimeOffKind};
use crate::pay::payrolls::record::time_off::Granted;

/// Everything that was entered for an employee.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Entered {
    /// `Direct Deposit` or `Check`, if it differs from the employee's own
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payment_method: Option<String>,
    /// a note on the paycheck
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memo: Option<String>,
    /// hours worked
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hourly: Vec<Hours>,
    /// amounts
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<Fixed>,
    /// amounts of the company's own earning types
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub custom: Vec<CustomFixed>,
    /// hours paid without work
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub time_off: Vec<TimeOff>,
    /// reimbursed expenses
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reimbursements: Vec<Reimbursement>,
    /// deductions with an amount other than their own
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deductions: Vec<Deduction>,
    /// state income tax of the work state, as supplied by the partner
    #[serde(with = "millionths", skip_serializing_if = "Option::is_none")]
    pub state_income_tax: Option<Amount>,
    /// other taxes that cannot be calculated, by code, as supplied by the partner
    #[serde(with = "millionths", skip_serializing_if = "BTreeMap::is_empty")]
    pub supplied_taxes: BTreeMap<String, Amount>,
}

/// An amount of a job, or the part of it that was earned in a workweek.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fixed {
    /// the job
    pub job: Uuid,
    /// which line
    pub kind: FixedKind,
    /// dollars
    #[serde(with = "millionths")]
    pub amount: Amount,
    /// whether and when it counts towards the regular rate
    #[serde(flatten)]
    pub earned: Earned,
}

/// An amount of a job, of one of the company's own earning types, or the part of it that was earned in a workweek.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CustomFixed {
    /// the job
    pub job: Uuid,
    /// the earning type
    pub earning_type: Uuid,
    /// its name when the amount was entered
    pub name: String,
    /// dollars
    #[serde(with = "millionths")]
    pub amount: Amount,
    /// whether and when it counts towards the regular rate
    #[serde(flatten)]
    pub earned: Earned,
}

/// Hours without work, of the primary job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeOff {
    /// which hours
    pub kind: TimeOffKind,
    /// taken; `None` if only approved hours count
    #[serde(with = "millionths", default, skip_serializing_if = "Option::is_none")]
    pub hours: Option<Amount>,
    /// paid out on termination, if entered
    #[serde(with = "millionths", default, skip_serializing_if = "Option::is_none")]
    pub paid_out: Option<Amount>,
    /// their days, if they were approved and not entered
    #[serde(skip)]
    pub days: Vec<DayOff>,
}

/// A reimbursed expense.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reimbursement {
    /// identifier
    pub id: Uuid,
    /// dollars
    #[serde(with = "millionths")]
    pub amount: Amount,
    /// what it was for
    pub description: Option<String>,
}

/// A different amount for a deduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deduction {
    /// the garnishment
    pub id: Uuid,
    /// dollars or percent
    #[serde(with = "millionths")]
    pub amount: Amount,
    /// whether it is a percentage
    pub percent: bool,
}

impl Entered {
    /// Returns the inputs with approved hours off added. Entered hours take precedence over approved ones, even if they are 0.
    pub fn with_granted(&self, granted: &Granted) -> Cow<'_, Self> {
        let line = |kind: TimeOffKind| self.time_off.iter().find(|line| line.kind == kind);
        let is_open = |kind: &TimeOffKind| match line(*kind) {
            Some(line) => line.hours.is_none(),
            None => granted.hours_of_kind(*kind) > Amount::ZERO,
        };
        let open: Vec<_> = TimeOffKind::ALL.iter().copied().filter(is_open).collect();
        if open.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut filled = self.clone();
        for kind in open {
            let paid_out = line(kind).and_then(|line| line.paid_out);
            let (hours, days) = (Some(granted.hours_of_kind(kind)), granted.days_of_kind(kind));
            let whole = TimeOff { kind, hours, paid_out, days };
            replace_lines(&mut filled.time_off, Some(whole), |old| old.kind == kind);
        }
        Cow::Owned(filled)
    }

    /// Whether hours or amounts were entered for a job.
    pub fn has_lines_of(&self, job: Uuid) -> bool {
        let hourly = self.hourly.iter().any(|line| line.job == job && line.hours > Amount::ZERO);
        hourly
            || self.fixed.iter().any(|line| line.job == job)
            || self.custom.iter().any(|line| line.job == job)
    }

    /// Returns the lines of a job and kind: one, or one for each workweek.
    pub fn fixed_of(&self, job: Uuid, kind: FixedKind) -> impl Iterator<Item = &Fixed> + Clone {
        self.fixed.iter().filter(move |line| line.job == job && line.kind == kind)
    }

    /// Returns the lines of a job and an earning type of the company: one, or one for each workweek.
    pub fn custom_of(&self, job: Uuid, earning_type: Uuid) -> impl Iterator<Item = &CustomFixed> + Clone {
        self.custom.iter().filter(move |line| line.job == job && line.earning_type == earning_type)
    }

    /// Returns the amount of a job in a line.
    pub fn fixed_amount(&self, job: Uuid, kind: FixedKind) -> Amount {
        self.fixed_of(job, kind).map(|line| line.amount).sum()
    }
}

impl TimeOff {
    /// Returns the hours taken, 0 if not entered.
    pub fn hours_taken(&self) -> Amount {
        self.hours.unwrap_or_default()
    }
}

/// Replaces the lines that match `replaced` with others, or removes them. The rest keep their order.
pub(in crate::pay::payrolls) fn replace_lines<T>(
    lines: &mut Vec<T>,
    new: impl IntoIterator<Item = T>,
    replaced: impl Fn(&T) -> bool,
) {
    let place = lines.iter().position(&replaced).unwrap_or(lines.len());
    lines.retain(|old| !replaced(old));
    lines.splice(place..place, new);
}
