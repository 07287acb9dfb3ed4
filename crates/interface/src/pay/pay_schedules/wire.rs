//! Pay schedules on the wire.

use domain::patch::Patch;
use domain::pay::pay_schedules::{commands, rows, service};
use domain::records::version_text;
use domain::version::{ApiVersion, Change};
use jiff::civil::Date;
use rules::payroll::schedule;
use rules::withholding::federal::PayFrequency;
use rules::{Checks, Named};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::Schema;
use uuid::Uuid;

use crate::field::Field;
use crate::named::Enum;
use crate::query::{Mandatory, Parameter, Query, RawText};
use crate::values::{DateText, FirstDay, FrequencyName, OptionalLineText, VersionText};
use crate::{input, named, query};

/// A pay schedule.
#[derive(Debug, Serialize, ToSchema)]
pub struct PaySchedule {
    /// identifier
    pub uuid: Uuid,
    /// concurrency token, to be sent with an update
    pub version: String,
    /// `Every week`, `Every other week`, `Twice per month`, `Monthly`, `Quarterly` or `Annually`
    #[schema(value_type = FrequencyName)]
    pub frequency: Enum<PayFrequency>,
    /// YYYY-MM-DD: the first check date
    #[schema(format = Date)]
    pub anchor_pay_date: String,
    /// YYYY-MM-DD: the last day of the pay period paid on the first check date
    #[schema(format = Date)]
    pub anchor_end_of_pay_period: String,
    /// a pay day of the month
    pub day_1: Option<i8>,
    /// the other pay day of the month, with `Twice per month`
    pub day_2: Option<i8>,
    /// its own name, or else its frequency
    pub name: String,
    /// its own name; omitted if it has none
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_name: Option<String>,
    /// whether payrolls run automatically; before version 2025-11-15
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_pilot: Option<bool>,
    /// whether payrolls run automatically; from version 2025-11-15
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_payroll: Option<bool>,
    /// the day on which workweeks begin, which determines overtime, with `Every week` and `Every other week`; null if it is
    /// that of the company's payroll settings, or the first day of pay periods
    #[schema(value_type = Option<FirstDay>)]
    pub workweek_start_day: Option<&'static str>,
    /// whether it is in use
    pub active: bool,
}

impl PaySchedule {
    /// The answer for a schedule in a version of the interface.
    pub fn new(version: ApiVersion, row: rows::Schedule) -> Self {
        let renamed = version.includes_change(Change::AutoPayroll);
        Self {
            uuid: row.id,
            version: version_text(service::TABLE, row.id, row.version),
            frequency: row.frequency.into(),
            anchor_pay_date: row.anchor_pay_date.to_string(),
            anchor_end_of_pay_period: row.anchor_end_of_pay_period.to_string(),
            day_1: row.day_1,
            day_2: row.day_2,
            name: row.custom_name.clone().unwrap_or_else(|| row.frequency.as_str().to_owned()),
            custom_name: row.custom_name,
            auto_pilot: (!renamed).then_some(row.auto_payroll),
            auto_payroll: renamed.then_some(row.auto_payroll),
            workweek_start_day: row.workweek_start_day.map(Named::as_str),
            active: row.active,
        }
    }
}

input! {
    /// A new pay schedule.
    CreatePaySchedule => commands::CreatePaySchedule {
        /// `Every week`, `Every other week`, `Twice per month`, `Monthly`, `Quarterly` or `Annually`
        #[schema(required)]
        frequency: FrequencyName,
        /// YYYY-MM-DD: the first check date
        #[schema(required)]
        anchor_pay_date: DateText,
        /// YYYY-MM-DD: the last day of the pay period paid on the first check date
        #[schema(required)]
        anchor_end_of_pay_period: DateText,
        /// a pay day of the month, 1 to 31, where 31 is the last day; with `Monthly` and `Twice per month`
        #[schema(nullable)]
        day_1: i64,
        /// the other pay day of the month; with `Twice per month`
        #[schema(nullable)]
        day_2: i64,
        /// its own name, at most 100 characters
        #[schema(nullable)]
        custom_name: OptionalLineText,
        /// the day on which workweeks begin, with `Every week` and `Every other week`
        #[schema(nullable)]
        workweek_start_day: FirstDay,
    }

    /// What an update changes; omitted fields keep their values.
    UpdatePaySchedule => commands::UpdatePaySchedule {
        /// the version as last read
        #[schema(required)]
        version: VersionText,
        /// `Every week`, `Every other week`, `Twice per month`, `Monthly`, `Quarterly` or `Annually`
        frequency: FrequencyName,
        /// YYYY-MM-DD: the first check date
        anchor_pay_date: DateText,
        /// YYYY-MM-DD: the last day of the pay period paid on the first check date
        anchor_end_of_pay_period: DateText,
        /// a pay day of the month; null clears it
        #[schema(nullable)]
        day_1: i64,
        /// the other pay day of the month; null clears it
        #[schema(nullable)]
        day_2: i64,
        /// its own name; empty or null clears it
        #[schema(nullable)]
        custom_name: OptionalLineText,
        /// the day on which workweeks begin, with `Every week` and `Every other week`; null: that of the company's payroll
        /// settings, or the first day of pay periods
        #[schema(nullable)]
        workweek_start_day: FirstDay,
        /// whether payrolls run automatically
        auto_payroll: bool,
        /// the older name of auto_payroll
        auto_pilot: bool,
        /// false retires the schedule, which nobody may follow, now or later (an extension)
        active: bool,
    }
}

query! {
    /// The schedule to preview. Creating one validates the same values in the same place, so they are passed on as
    /// sent.
    PreviewPaySchedule {
        /// Every week, Every other week, Twice per month, Monthly, Quarterly or Annually
        frequency: Frequency,
        /// YYYY-MM-DD: the first check date
        anchor_pay_date: Mandatory<RawText<Date>>,
        /// YYYY-MM-DD: the last day of the pay period paid on the first check date
        anchor_end_of_pay_period: Mandatory<RawText<Date>>,
        /// A pay day of the month
        day_1: Patch<i64>,
        /// The other pay day of the month, with Twice per month
        day_2: Patch<i64>,
        /// YYYY-MM-DD: the last check date shown; defaults to 18 months after the first
        end_date: RawText<Date>,
        /// One of the company's pay schedules: its days of the month apply where none are given and the frequency is the same
        pay_schedule_uuid: RawText<Uuid>,
    }
}

impl From<PreviewPaySchedule> for commands::PreviewPaySchedule {
    fn from(query: PreviewPaySchedule) -> Self {
        Self {
            frequency: query.frequency.0,
            anchor_pay_date: query.anchor_pay_date.0.text.date(),
            anchor_end_of_pay_period: query.anchor_end_of_pay_period.0.text.date(),
            day_1: query.day_1,
            day_2: query.day_2,
            end_date: query.end_date.text.date(),
            pay_schedule_uuid: query.pay_schedule_uuid.text,
        }
    }
}

/// One of the frequencies of pay schedules.
#[derive(Debug, Clone)]
pub struct Frequency(Patch<String>);

impl Parameter for Frequency {
    const REQUIRED: bool = true;
    fn read_parameter(query: &Query, key: &str, _: &mut Checks) -> Self {
        Self(query.unchecked_text(key))
    }
    fn schema() -> Schema {
        named::schema_of_some(&schedule::FREQUENCIES)
    }
}

/// The pay periods of a schedule.
#[derive(Debug, Serialize, ToSchema)]
pub struct Preview {
    /// the periods in order
    pub pay_periods: Vec<PreviewPeriod>,
    /// YYYY-MM-DD: the bank holidays in that range
    pub holidays: Vec<String>,
}

/// A pay period of a preview.
#[derive(Debug, Serialize, ToSchema)]
pub struct PreviewPeriod {
    /// YYYY-MM-DD: first day
    #[schema(format = Date)]
    pub start_date: String,
    /// YYYY-MM-DD: last day
    #[schema(format = Date)]
    pub end_date: String,
    /// YYYY-MM-DD: the check date, moved before weekends and bank holidays
    #[schema(format = Date)]
    pub check_date: String,
    /// YYYY-MM-DD: the last day on which the payroll can be submitted
    #[schema(format = Date)]
    pub run_payroll_by: String,
}

impl From<schedule::Preview> for Preview {
    fn from(preview: schedule::Preview) -> Self {
        Self {
            pay_periods: preview.periods.iter().map(PreviewPeriod::from).collect(),
            holidays: preview.holidays.iter().map(ToString::to_string).collect(),
        }
    }
}

impl From<&schedule::PayPeriod> for PreviewPeriod {
    fn from(period: &schedule::PayPeriod) -> Self {
        Self {
            start_date: period.start.to_string(),
            end_date: period.end.to_string(),
            check_date: period.check_date.to_string(),
            run_payroll_by: service::run_payroll_by(period).to_string(),
        }
    }
}
