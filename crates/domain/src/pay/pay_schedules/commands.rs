//! Commands of pay schedules. Fields are as in [`Schedule`](super::rows::Schedule).

use crate::patch::Patch;
use jiff::civil::Date;
use rules::wage_hour::FirstDay;

/// Creates a pay schedule.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct CreatePaySchedule {
    pub frequency: Patch<String>,
    pub anchor_pay_date: Patch<Date>,
    pub anchor_end_of_pay_period: Patch<Date>,
    pub day_1: Patch<i64>,
    pub day_2: Patch<i64>,
    pub custom_name: Patch<String>,
    pub workweek_start_day: Patch<FirstDay>,
}

/// Updates what is given and keeps the rest.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct UpdatePaySchedule {
    pub version: Patch<String>,
    pub frequency: Patch<String>,
    pub anchor_pay_date: Patch<Date>,
    pub anchor_end_of_pay_period: Patch<Date>,
    pub day_1: Patch<i64>,
    pub day_2: Patch<i64>,
    pub custom_name: Patch<String>,
    pub workweek_start_day: Patch<FirstDay>,
    pub auto_payroll: Patch<bool>,
    /// the older name of `auto_payroll`
    pub auto_pilot: Patch<bool>,
    /// whether it can be followed; false retires it
    pub active: Patch<bool>,
}

/// Previews the pay periods of a schedule without creating it.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "fields are those of the record")]
pub struct PreviewPaySchedule {
    pub frequency: Patch<String>,
    pub anchor_pay_date: Patch<Date>,
    pub anchor_end_of_pay_period: Patch<Date>,
    pub day_1: Patch<i64>,
    pub day_2: Patch<i64>,
    /// the last pay date of the preview
    pub end_date: Patch<Date>,
    /// an existing schedule, whose days of the month apply where none are given
    pub pay_schedule_uuid: Patch<String>,
}
