//! Time off in paychecks: hours that were granted without an entry, and effects on balances.

use jiff::civil::Date;
use rules::Amount;
use rules::payroll::DayOff;
use rules::time_off::{Effect, PolicyType, Taken};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::pay::payrolls::record::json::is_zero;
use crate::pay::payrolls::record::kinds::TimeOffKind;
use crate::pay::time_off::requests::rows::ApprovedDay;

/// Hours off granted to an employee.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Granted {
    /// millionths of an hour: holidays that the company's policy pays
    pub holiday_hours: i64,
    /// approved requests
    pub requested: Vec<Requested>,
    /// the days of all these hours, if known
    pub days: Vec<(TimeOffKind, DayOff)>,
}

/// Hours of an approved request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requested {
    /// the request
    pub request: Uuid,
    /// which hours
    pub kind: TimeOffKind,
    /// millionths of an hour
    pub hours: i64,
    /// its days; empty in calculations made before days were stored
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub days: Vec<Date>,
}

impl Granted {
    /// Returns millionths of an hour of a kind.
    pub fn hours(&self, kind: TimeOffKind) -> i64 {
        let of_requests = self.requested.iter().filter(|one| one.kind == kind).map(|one| one.hours).sum();
        if kind == TimeOffKind::Holiday { self.holiday_hours } else { of_requests }
    }

    /// Returns the days of a kind.
    pub fn days(&self, kind: TimeOffKind) -> Vec<DayOff> {
        self.days.iter().filter(|(of, _)| *of == kind).map(|(_, day)| *day).collect()
    }

    pub(in crate::pay::payrolls) fn add(&mut self, approved: &ApprovedDay) {
        let (kind, ApprovedDay { request, day, hours, .. }) = (kind_of(approved.policy_type), *approved);
        self.days.push((kind, DayOff { day, hours }));
        // The days of a request are consecutive.
        match self.requested.last_mut().filter(|last| last.request == request) {
            Some(last) => {
                last.hours += hours.millionths();
                last.days.push(day);
            }
            None => {
                let hours = hours.millionths();
                self.requested.push(Requested { request, kind, hours, days: vec![day] });
            }
        }
    }
}

/// A paycheck's effect on a balance. Hours are in millionths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaveInput {
    /// which hours
    pub kind: TimeOffKind,
    /// used
    #[serde(default, skip_serializing_if = "is_zero")]
    pub used: i64,
    /// accrued
    #[serde(default, skip_serializing_if = "is_zero")]
    pub earned: i64,
    /// unused and paid out
    #[serde(default, skip_serializing_if = "is_zero")]
    pub paid_out: i64,
    /// the balance after the paycheck, as of the calculation; `None` if time off is unlimited
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balance: Option<i64>,
}

impl LeaveInput {
    /// Returns its effect on the balance of a policy, and the policy's type; `None` for hours without a policy.
    pub fn effect(&self) -> Option<(PolicyType, Effect)> {
        let hours = Amount::from_millionths;
        let taken = Taken { used: hours(self.used), paid_out: hours(self.paid_out) };
        let policy_type = match self.kind {
            TimeOffKind::Vacation => PolicyType::Vacation,
            TimeOffKind::Sick => PolicyType::Sick,
            TimeOffKind::Holiday | TimeOffKind::Unpaid => return None,
        };
        Some((policy_type, Effect { taken, earned: hours(self.earned) }))
    }
}

/// Returns the line in which hours of a policy are entered.
pub const fn kind_of(policy_type: PolicyType) -> TimeOffKind {
    match policy_type {
        PolicyType::Vacation => TimeOffKind::Vacation,
        PolicyType::Sick => TimeOffKind::Sick,
    }
}
