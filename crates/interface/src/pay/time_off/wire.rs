//! Time off on the wire. Hours are decimal text with three decimal places.

use domain::access::tokens::Caller;
use domain::pay::payrolls::record::time_off::kind_of;
use domain::pay::time_off::enrolled::Enrolled;
use domain::pay::time_off::service::{PolicyDetails, TABLE};
use domain::pay::time_off::{balances, commands, ledger, rows};
use domain::records::version_text;
use rules::time_off::{AccrualMethod, SickLeaveMinimum, YearDay};
use rules::{Amount, Named};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::{Field, List};
use crate::input;
use crate::moment::format_moment;
use crate::named::Enum;
use crate::values::{
    AccrualMethodText, DecimalText, IdText, LineText, PolicyKind, TaxConfidence, TimeOffName, TimeOffReason,
    VersionText, YearDayText,
};

fn hours_text(hours: Amount) -> String {
    hours.to_text(3)
}

/// A policy of paid time off.
#[derive(Debug, Serialize, ToSchema)]
pub struct TimeOffPolicy {
    /// identifier
    pub uuid: Uuid,
    /// the company
    pub company_uuid: Uuid,
    /// its name
    pub name: String,
    /// vacation or sick
    pub policy_type: PolicyKind,
    /// accrual method
    pub accrual_method: AccrualMethodText,
    /// hours per accrual; null if time off is unlimited
    pub accrual_rate: Option<String>,
    /// hours worked or paid per accrual; null except with the hourly methods
    pub accrual_rate_unit: Option<String>,
    /// whether the balance is paid out at the end of employment
    pub paid_out_on_termination: bool,
    /// waiting period in days of employment before hours accrue
    pub accrual_waiting_period_days: i64,
    /// hours that are carried over into a new year; null if all are
    pub carryover_limit_hours: Option<String>,
    /// hours that can accrue in a year; null without a limit
    pub max_accrual_hours_per_year: Option<String>,
    /// maximum balance; null without a limit
    pub max_hours: Option<String>,
    /// MM-DD: the beginning of the policy year; null for January 1, or for the hire anniversary with
    /// per_anniversary_year
    pub policy_reset_date: Option<String>,
    /// whether the balance can become negative (an extension)
    pub allow_negative_balance: bool,
    /// whether it is set up: only then hours accrue and can be taken
    pub complete: bool,
    /// concurrency token, to be sent with an update; null once it is inactive
    pub version: Option<String>,
    /// false once it is deactivated
    pub is_active: bool,
    /// its employees
    pub employees: Vec<PolicyMember>,
    /// paid sick leave that the states of the company's locations require beyond the policy; always empty for vacation
    /// (an extension)
    pub statutory_minimums: Vec<StatutoryMinimum>,
}

/// An employee in a policy.
#[derive(Debug, Serialize, ToSchema)]
pub struct PolicyMember {
    /// the employee
    pub uuid: Uuid,
    /// available hours, negative if more was taken; omitted if time off is unlimited
    #[serde(skip_serializing_if = "Option::is_none")]
    pub balance: Option<String>,
}

/// A state's paid sick leave requirement.
#[derive(Debug, Serialize, ToSchema)]
pub struct StatutoryMinimum {
    /// two letters
    pub state: String,
    /// hours worked per accrued hour
    pub hours_worked_per_hour: String,
    /// the yearly accrual limit that the state permits; null if it permits none
    pub yearly_limit_hours: Option<String>,
    /// the statute
    pub source: String,
    /// how reliable it is: `memory` has not been checked against any text yet
    pub confidence: TaxConfidence,
    /// what the figures omit
    pub note: String,
}

impl From<&SickLeaveMinimum> for StatutoryMinimum {
    fn from(of: &SickLeaveMinimum) -> Self {
        Self {
            state: of.state.clone(),
            hours_worked_per_hour: hours_text(of.hours_worked),
            yearly_limit_hours: of.yearly_limit.map(hours_text),
            source: of.source.clone(),
            confidence: Enum(of.confidence),
            note: of.note.clone(),
        }
    }
}

impl TimeOffPolicy {
    /// The response for `caller`.
    pub fn new(caller: &Caller, PolicyDetails { policy, members, less_than }: PolicyDetails) -> Self {
        let unlimited = policy.is_unlimited();
        let member = |one: rows::Enrollment| PolicyMember {
            uuid: one.employee,
            balance: (!unlimited).then(|| hours_text(one.balance)),
        };
        Self {
            uuid: policy.id,
            company_uuid: caller.company,
            policy_type: policy.policy_type.into(),
            accrual_method: policy.accrual_method.into(),
            accrual_rate: policy.accrual_rate.map(hours_text),
            accrual_rate_unit: policy.accrual_rate_unit.map(hours_text),
            paid_out_on_termination: policy.paid_out_on_termination,
            accrual_waiting_period_days: policy.accrual_waiting_period_days,
            carryover_limit_hours: policy.carryover_limit_hours.map(hours_text),
            max_accrual_hours_per_year: policy.max_accrual_hours_per_year.map(hours_text),
            max_hours: policy.max_hours.map(hours_text),
            policy_reset_date: policy
                .policy_reset_date
                .and_then(YearDay::of_number)
                .map(|day| day.to_string()),
            allow_negative_balance: policy.allow_negative_balance,
            complete: policy.complete,
            version: policy.active.then(|| version_text(TABLE, policy.id, policy.version)),
            is_active: policy.active,
            employees: members.into_iter().map(member).collect(),
            statutory_minimums: less_than.iter().map(StatutoryMinimum::from).collect(),
            name: policy.name,
        }
    }
}

/// A change of a balance.
#[derive(Debug, Serialize, ToSchema)]
pub struct Activity {
    /// the policy
    pub policy_uuid: Uuid,
    /// its type
    pub time_off_type: PolicyKind,
    /// its name; null if it no longer exists
    pub policy_name: Option<String>,
    /// why the balance changed
    pub event_type: TimeOffReason,
    /// the reason as a sentence
    pub event_description: &'static str,
    /// when it was recorded
    #[schema(format = DateTime)]
    pub effective_time: String,
    /// its effective date, YYYY-MM-DD (an extension)
    #[schema(format = Date)]
    pub effective_date: String,
    /// the balance after it; null if hours were taken without a limit
    pub balance: Option<String>,
    /// hours added, or, if negative, removed or taken without a limit
    pub balance_change: String,
    /// the payroll that paid or accrued the hours; null for other changes (an extension)
    pub payroll_uuid: Option<Uuid>,
}

impl From<ledger::Activity> for Activity {
    fn from(ledger::Activity { change, balance, policy_name }: ledger::Activity) -> Self {
        Self {
            policy_uuid: change.policy,
            time_off_type: change.policy_type.into(),
            policy_name,
            event_type: change.reason.into(),
            event_description: reason_description(change.reason),
            effective_time: format_moment(change.created_at),
            effective_date: change.day.to_string(),
            balance: balance.map(hours_text),
            balance_change: hours_text(change.hours),
            payroll_uuid: change.payroll,
        }
    }
}

fn reason_description(reason: rules::time_off::Reason) -> &'static str {
    use rules::time_off::Reason;
    match reason {
        Reason::Start => "Brought along when the employee joined the policy.",
        Reason::Accrual => "Earned.",
        Reason::Use => "Taken and paid.",
        Reason::UnlimitedUse => "Taken and paid, without a limit.",
        Reason::Payout => "Not taken, and paid out at the end of the employment.",
        Reason::Adjustment => "Set by the employer, or moved with a payroll that was cancelled.",
        Reason::CarryOver => "Above what is carried over into a new year, and lost.",
        Reason::Removal => "Went out when the employee left the policy.",
    }
}

/// An employee's time off of one type.
#[derive(Debug, Serialize, ToSchema)]
pub struct EligiblePaidTimeOff {
    /// such as `Vacation Hours`, the name in payrolls' lines
    #[schema(value_type = TimeOffName)]
    pub name: &'static str,
    /// name of the policy
    pub policy_name: String,
    /// the policy
    pub policy_uuid: Uuid,
    /// always Hour
    pub accrual_unit: &'static str,
    /// hours per accrual; null if time off is unlimited
    pub accrual_rate: Option<String>,
    /// accrual method
    pub accrual_method: &'static str,
    /// the unit of accrual: Hour, Pay Period or Year; null if time off is unlimited
    pub accrual_period: Option<&'static str>,
    /// available hours; null if time off is unlimited
    pub accrual_balance: Option<String>,
    /// maximum balance; null without a limit
    pub maximum_accrual_balance: Option<String>,
    /// whether the policy pays out the balance at the end of employment
    pub paid_at_termination: bool,
}

impl From<Enrolled> for EligiblePaidTimeOff {
    fn from(Enrolled { policy, enrollment }: Enrolled) -> Self {
        let method = policy.accrual_method;
        Self {
            name: kind_of(policy.policy_type).as_str(),
            policy_uuid: policy.id,
            accrual_unit: "Hour",
            accrual_rate: policy.accrual_rate.map(hours_text),
            accrual_method: method.as_str(),
            accrual_period: match method {
                AccrualMethod::Unlimited => None,
                AccrualMethod::PerPayPeriod => Some("Pay Period"),
                yearly if yearly.is_yearly() => Some("Year"),
                _ => Some("Hour"),
            },
            accrual_balance: (!policy.is_unlimited()).then(|| hours_text(enrollment.balance)),
            maximum_accrual_balance: policy.max_hours.map(hours_text),
            paid_at_termination: policy.paid_out_on_termination,
            policy_name: policy.name,
        }
    }
}

/// The balances of an employee.
#[derive(Debug, Serialize, ToSchema)]
pub struct EmployeeBalances {
    /// the employee
    pub employee_uuid: Uuid,
    /// one for each active policy
    pub balances: Vec<PolicyBalance>,
}

/// The balance in a policy.
#[derive(Debug, Serialize, ToSchema)]
pub struct PolicyBalance {
    /// the policy
    pub policy_uuid: Uuid,
    /// available hours; omitted if time off is unlimited
    #[serde(skip_serializing_if = "Option::is_none")]
    pub balance_hours: Option<String>,
    /// hours accrued in the calendar year
    pub accrued_hours: String,
    /// hours used in the calendar year
    pub used_hours: String,
    /// hours of pending requests
    pub pending_hours: String,
}

impl From<balances::EmployeeBalances> for EmployeeBalances {
    fn from(of: balances::EmployeeBalances) -> Self {
        let line = |one: balances::Balance| PolicyBalance {
            policy_uuid: one.policy,
            balance_hours: one.hours.map(hours_text),
            accrued_hours: hours_text(one.accrued),
            used_hours: hours_text(one.used),
            pending_hours: hours_text(one.pending),
        };
        Self { employee_uuid: of.employee, balances: of.balances.into_iter().map(line).collect() }
    }
}

/// What hours would accrue.
#[derive(Debug, Serialize, ToSchema)]
pub struct HoursEarned {
    /// by policy
    pub hours_earned: Vec<EarnedInPolicy>,
}

/// Hours of a policy.
#[derive(Debug, Serialize, ToSchema)]
pub struct EarnedInPolicy {
    /// the policy
    pub time_off_policy_uuid: Uuid,
    /// hours
    pub hours: String,
}

impl From<Vec<(Uuid, Amount)>> for HoursEarned {
    fn from(found: Vec<(Uuid, Amount)>) -> Self {
        let line =
            |(policy, hours)| EarnedInPolicy { time_off_policy_uuid: policy, hours: hours_text(hours) };
        Self { hours_earned: found.into_iter().map(line).collect() }
    }
}

/// Declares the bodies that create and update a policy, which have the same fields: an update requires only the
/// version.
macro_rules! policy_bodies {
    ($($(#[$needed_about:meta])* $needed:ident: $needed_type:ty,)+ ; $($(#[$about:meta])* $field:ident: $type:ty,)+) => {
        input! {
            /// A new policy of paid time off.
            CreateTimeOffPolicy => commands::PolicyFields {
                $($(#[$needed_about])* #[schema(required)] $needed: $needed_type,)+
                $($(#[$about])* $field: $type,)+
            }

            /// What an update of a policy changes; omitted fields keep their values, null clears. The type cannot be changed, and
            /// an active policy remains complete.
            UpdateTimeOffPolicy => commands::UpdatePolicy {
                /// the version as last read
                #[schema(required)]
                version: VersionText,
            } + fields: commands::PolicyFields {
                $($(#[$needed_about])* $needed: $needed_type,)+
                $($(#[$about])* $field: $type,)+
            }
        }
    };
}

policy_bodies! {
    /// its name, at most 100 characters
    name: LineText,
    /// vacation or sick
    policy_type: PolicyKind,
    /// accrual method
    accrual_method: AccrualMethodText,
    ;
    /// hours per accrual with at most three decimal places: per `accrual_rate_unit`, regular payroll or year. With an
    /// unlimited method it and all following fields except `complete` are ignored in a new policy, and refused (422) in
    /// an update
    #[schema(nullable, value_type = DecimalText)]
    accrual_rate: Amount,
    /// hours worked or paid per accrual; only with the hourly methods
    #[schema(nullable, value_type = DecimalText)]
    accrual_rate_unit: Amount,
    /// whether the balance is paid out at the end of employment; false by default
    #[schema(nullable)]
    paid_out_on_termination: bool,
    /// waiting period in days of employment before hours accrue; 0 or null with the yearly methods
    #[schema(nullable)]
    accrual_waiting_period_days: i64,
    /// hours that are carried over into a new policy year; null for all
    #[schema(nullable, value_type = DecimalText)]
    carryover_limit_hours: Amount,
    /// hours that can accrue in a year; null with the yearly methods
    #[schema(nullable, value_type = DecimalText)]
    max_accrual_hours_per_year: Amount,
    /// maximum balance
    #[schema(nullable, value_type = DecimalText)]
    max_hours: Amount,
    /// MM-DD: the beginning of the policy year
    #[schema(nullable)]
    policy_reset_date: YearDayText,
    /// whether the balance can become negative; true by default (an extension)
    #[schema(nullable)]
    allow_negative_balance: bool,
    /// whether it is set up; true by default. Once true it takes effect, and remains true
    #[schema(nullable)]
    complete: bool,
}

input! {
    /// Employees to add to a policy.
    AddEmployees => commands::Members {
        /// between 1 and 1,000 employees with a job, each once
        #[schema(required)]
        employees: List<JoiningEmployee>,
    }

    /// An employee to add to a policy.
    JoiningEmployee => commands::MemberLine {
        /// the employee
        #[schema(required)]
        uuid: IdText,
        /// initial balance, at most `max_hours`; defaults to the balance in the previous policy, or 0
        #[schema(nullable, value_type = DecimalText)]
        balance: Amount,
    }

    /// Employees to remove from a policy.
    RemoveEmployees => commands::Leaving {
        /// between 1 and 1,000 employees, each once
        #[schema(required)]
        employees: List<LeavingEmployee>,
    }

    /// An employee to remove from a policy.
    LeavingEmployee => commands::LeavingLine {
        /// the employee
        #[schema(required)]
        uuid: IdText,
    }

    /// Balances of employees in a policy.
    SetBalances => commands::Members {
        /// between 1 and 1,000 employees in the policy, each once
        #[schema(required)]
        employees: List<EmployeeBalance>,
    }

    /// The balance of an employee.
    EmployeeBalance => commands::MemberLine {
        /// the employee
        #[schema(required)]
        uuid: IdText,
        /// hours, at most `max_hours`
        #[schema(required, value_type = DecimalText)]
        balance: Amount,
    }

    /// Hours of a paycheck, each with at most three decimal places.
    HoursWorked => commands::HoursWorked {
        /// worked, without overtime
        #[schema(nullable, value_type = DecimalText)]
        regular_hours_worked: Amount,
        /// overtime
        #[schema(nullable, value_type = DecimalText)]
        overtime_hours_worked: Amount,
        /// double overtime
        #[schema(nullable, value_type = DecimalText)]
        double_overtime_hours_worked: Amount,
        /// vacation taken
        #[schema(nullable, value_type = DecimalText)]
        pto_hours_used: Amount,
        /// sick leave taken
        #[schema(nullable, value_type = DecimalText)]
        sick_hours_used: Amount,
    }
}
