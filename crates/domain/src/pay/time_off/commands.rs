//! Commands of paid time off.

use rules::Amount;
use rules::time_off::{AccrualMethod, PolicyType};

use crate::patch::Patch;

/// The settable fields of a policy, as in [`TimeOffPolicy`](super::rows::TimeOffPolicy), with their names in the public API.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct PolicyFields {
    pub name: Patch<String>,
    pub policy_type: Patch<PolicyType>,
    pub accrual_method: Patch<AccrualMethod>,
    pub accrual_rate: Patch<Amount>,
    pub accrual_rate_unit: Patch<Amount>,
    pub paid_out_on_termination: Patch<bool>,
    pub accrual_waiting_period_days: Patch<i64>,
    pub carryover_limit_hours: Patch<Amount>,
    pub max_accrual_hours_per_year: Patch<Amount>,
    pub max_hours: Patch<Amount>,
    pub policy_reset_date: Patch<String>,
    pub allow_negative_balance: Patch<bool>,
    pub complete: Patch<bool>,
}

/// Updates the given fields of a policy and keeps the rest.
#[derive(Debug, Clone, Default)]
pub struct UpdatePolicy {
    /// the version as last read
    pub version: Patch<String>,
    /// the fields to set
    pub fields: PolicyFields,
}

/// The employees of a request.
#[derive(Debug, Clone, Default)]
pub struct Members {
    /// at least one employee, each once
    pub employees: Patch<Vec<MemberLine>>,
}

/// An employee, with the balance to set, if any.
#[derive(Debug, Clone, Default)]
pub struct MemberLine {
    /// the employee
    pub uuid: Patch<String>,
    /// balance in hours
    pub balance: Patch<Amount>,
}

/// The employees to remove from a policy.
#[derive(Debug, Clone, Default)]
pub struct Leaving {
    /// at least one employee, each once
    pub employees: Patch<Vec<LeavingLine>>,
}

/// An employee to remove from a policy.
#[derive(Debug, Clone, Default)]
pub struct LeavingLine {
    /// the employee
    pub uuid: Patch<String>,
}

impl Leaving {
    /// Converts to a list of members without balances.
    pub fn to_members(&self) -> Members {
        let line = |line: &LeavingLine| MemberLine { uuid: line.uuid.clone(), balance: Patch::Absent };
        let employees = match &self.employees {
            Patch::Value(lines) => Patch::Value(lines.iter().map(line).collect()),
            Patch::Absent => Patch::Absent,
            Patch::Null => Patch::Null,
            Patch::Invalid(expected) => Patch::Invalid(expected.clone()),
        };
        Members { employees }
    }
}

/// Hours of a paycheck, to preview the time off they would accrue.
#[derive(Debug, Clone, Default)]
pub struct HoursWorked {
    /// hours worked, excluding overtime
    pub regular_hours_worked: Patch<Amount>,
    /// overtime hours
    pub overtime_hours_worked: Patch<Amount>,
    /// double overtime hours
    pub double_overtime_hours_worked: Patch<Amount>,
    /// hours of vacation taken
    pub pto_hours_used: Patch<Amount>,
    /// hours of sick leave taken
    pub sick_hours_used: Patch<Amount>,
}
