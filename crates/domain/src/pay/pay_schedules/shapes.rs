//! Operations on pay schedules, and their shapes.

use rules::Named;
use rules::payroll::schedule as rules_of_schedules;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{rows, service};
use crate::access::tokens::Caller;
use crate::field::Field;
use crate::records::version_text;
use crate::version::Change;

/// How often a company pays.
#[derive(Debug, Serialize, ToSchema)]
pub struct PaySchedule {
    /// identifier
    pub uuid: Uuid,
    /// concurrency token, to be sent with an update
    pub version: String,
    /// `Every week`, `Every other week`, `Twice per month`, `Monthly`, `Quarterly` or `Annually`
    pub frequency: &'static str,
    /// YYYY-MM-DD: the first pay date
    pub anchor_pay_date: String,
    /// YYYY-MM-DD: the last day of the pay period that is paid then
    pub anchor_end_of_pay_period: String,
    /// a pay day of the month
    pub day_1: Option<i8>,
    /// the other pay day of the month, with `Twice per month`
    pub day_2: Option<i8>,
    /// its own name, or else its frequency
    pub name: String,
    /// its own name; left out without one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_name: Option<String>,
    /// whether payrolls are to be run without anybody's doing; before version 2025-11-15
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_pilot: Option<bool>,
    /// whether payrolls are to be run without anybody's doing; from version 2025-11-15
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_payroll: Option<bool>,
    /// whether it is in use
    pub active: bool,
}

impl PaySchedule {
    /// The answer for a schedule.
    pub fn new(caller: &Caller, row: &rows::Schedule) -> Self {
        let renamed = caller.version.has(Change::AutoPayroll);
        let frequency = row.terms.frequency.as_str();
        Self {
            uuid: row.id,
            version: version_text(service::TABLE, row.id, row.version),
            frequency,
            anchor_pay_date: row.terms.anchor_pay_date.to_string(),
            anchor_end_of_pay_period: row.terms.anchor_end_of_pay_period.to_string(),
            day_1: row.terms.day_1,
            day_2: row.terms.day_2,
            name: row.custom_name.clone().unwrap_or_else(|| frequency.to_owned()),
            custom_name: row.custom_name.clone(),
            auto_pilot: (!renamed).then_some(row.auto_payroll),
            auto_payroll: renamed.then_some(row.auto_payroll),
            active: row.active,
        }
    }
}

/// A new pay schedule.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct CreatePaySchedule {
    /// `Every week`, `Every other week`, `Twice per month`, `Monthly`, `Quarterly` or `Annually`
    #[schema(required)]
    pub frequency: Field<String>,
    /// YYYY-MM-DD: the first pay date
    #[schema(required)]
    pub anchor_pay_date: Field<String>,
    /// YYYY-MM-DD: the last day of the pay period that is paid then
    #[schema(required)]
    pub anchor_end_of_pay_period: Field<String>,
    /// a pay day of the month, 1 to 31, where 31 is the last; with `Monthly` and `Twice per month`
    pub day_1: Field<i64>,
    /// the other pay day of the month; with `Twice per month`
    pub day_2: Field<i64>,
    /// its own name, at most 100 characters
    pub custom_name: Field<String>,
}

/// What an update changes; what is left out stays.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct UpdatePaySchedule {
    /// the version as last read
    #[schema(required)]
    pub version: Field<String>,
    /// `Every week`, `Every other week`, `Twice per month`, `Monthly`, `Quarterly` or `Annually`
    pub frequency: Field<String>,
    /// YYYY-MM-DD: the first pay date
    pub anchor_pay_date: Field<String>,
    /// YYYY-MM-DD: the last day of the pay period that is paid then
    pub anchor_end_of_pay_period: Field<String>,
    /// a pay day of the month; null clears it
    pub day_1: Field<i64>,
    /// the other pay day of the month; null clears it
    pub day_2: Field<i64>,
    /// its own name; empty or null clears it
    pub custom_name: Field<String>,
    /// whether payrolls are to be run without anybody's doing
    pub auto_payroll: Field<bool>,
    /// the older name of auto_payroll
    pub auto_pilot: Field<bool>,
}

/// What a preview asks for, as it was sent.
#[derive(Debug, Clone)]
pub struct PreviewAsked {
    /// frequency
    pub frequency: Option<String>,
    /// first pay date
    pub anchor_pay_date: Option<String>,
    /// last day of the first pay period
    pub anchor_end_of_pay_period: Option<String>,
    /// pay day
    pub day_1: Option<String>,
    /// other pay day
    pub day_2: Option<String>,
    /// last pay date that is told
    pub end_date: Option<String>,
}

/// The pay periods that a schedule would bring.
#[derive(Debug, Serialize, ToSchema)]
pub struct Preview {
    /// the periods in order
    pub pay_periods: Vec<PreviewPeriod>,
    /// YYYY-MM-DD: the bank holidays in that time
    pub holidays: Vec<String>,
}

/// A pay period of a preview.
#[derive(Debug, Serialize, ToSchema)]
pub struct PreviewPeriod {
    /// YYYY-MM-DD: first day
    pub start_date: String,
    /// YYYY-MM-DD: last day
    pub end_date: String,
    /// YYYY-MM-DD: when employees have their money; moved before weekends and bank holidays
    pub check_date: String,
    /// YYYY-MM-DD: the last day on which the payroll can be submitted
    pub run_payroll_by: String,
}

impl Preview {
    /// The answer for what the rules say.
    pub fn new(preview: &rules_of_schedules::Preview) -> Self {
        let told = |period: &rules_of_schedules::PayPeriod| PreviewPeriod {
            start_date: period.start.to_string(),
            end_date: period.end.to_string(),
            check_date: period.check_date.to_string(),
            run_payroll_by: service::run_payroll_by(period).to_string(),
        };
        Self {
            pay_periods: preview.periods.iter().map(told).collect(),
            holidays: preview.holidays.iter().map(ToString::to_string).collect(),
        }
    }
}
