//! Time off in paychecks: hours that were granted without an entry, and effects on balances.

use jiff::civil::Date;
use rules::Amount;
use rules::payroll::DayOff;
use rules::time_off::{Effect, PolicyType, Taken};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::millionths;
use crate::pay::payrolls::record::kinds::TimeOffKind;
use crate::pay::time_off::requests::rows::ApprovedDay;

/// Hours off granted to an employee.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Granted {
    /// holidays that the company's policy pays
    pub holiday_hours: Amount,
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
    /// how many
    #[serde(with = "millionths")]
    pub hours: Amount,
    /// its days; empty in calculations made before days were stored
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub days: Vec<Date>,
}

impl Granted {
    /// Returns the hours of a kind.
    pub fn hours_of_kind(&self, kind: TimeOffKind) -> Amount {
        let of_requests = self.requested.iter().filter(|one| one.kind == kind).map(|one| one.hours).sum();
        if kind == TimeOffKind::Holiday { self.holiday_hours } else { of_requests }
    }

    /// Returns the days of a kind.
    pub fn days_of_kind(&self, kind: TimeOffKind) -> Vec<DayOff> {
        self.days.iter().filter(|(of, _)| *of == kind).map(|(_, day)| *day).collect()
    }

    pub(in crate::pay::payrolls) fn add_approved_day(&mut self, approved: &ApprovedDay) {
        let (kind, ApprovedDay { request, day, hours, .. }) = (kind_of(approved.policy_type), *approved);
        self.days.push((kind, DayOff { day, hours }));
        // The days of a request are consecutive.
        match self.requested.last_mut().filter(|last| last.request == request) {
            Some(last) => {
                last.hours += hours;
                last.days.push(day);
            }
            None => {
                self.requested.push(Requested { request, kind, hours, days: vec![day] });
            }
        }
    }
}

/// A paycheck's effect on a balance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaveInput {
    /// which hours
    pub kind: TimeOffKind,
    /// used
    #[serde(with = "millionths", default, skip_serializing_if = "Amount::is_zero")]
    pub used: Amount,
    /// accrued
    #[serde(with = "millionths", default, skip_serializing_if = "Amount::is_zero")]
    pub earned: Amount,
    /// unused and paid out
    #[serde(with = "millionths", default, skip_serializing_if = "Amount::is_zero")]
    pub paid_out: Amount,
    /// the balance after the paycheck, as of the calculation; `None` if time off is unlimited
    #[serde(with = "millionths", default, skip_serializing_if = "Option::is_none")]
    pub balance: Option<Amount>,
}

impl LeaveInput {
    /// Returns its effect on the balance of a policy, and the policy's type; `None` for hours without a policy.
    pub fn balance_effect(&self) -> Option<(PolicyType, Effect)> {
        let taken = Taken { used: self.used, paid_out: self.paid_out };
        let policy_type = match self.kind {
            TimeOffKind::Vacation => PolicyType::Vacation,
            TimeOffKind::Sick => PolicyType::Sick,
            TimeOffKind::Holiday | TimeOffKind::Unpaid => return None,
        };
        Some((policy_type, Effect { taken, earned: self.earned }))
    }
}

/// Returns the line in which hours of a policy are entered.
pub const fn kind_of(policy_type: PolicyType) -> TimeOffKind {
    match policy_type {
        PolicyType::Vacation => TimeOffKind::Vacation,
        PolicyType::Sick => TimeOffKind::Sick,
    }
}
