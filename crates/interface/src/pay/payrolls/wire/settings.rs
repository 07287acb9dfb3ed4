//! A company's payroll settings, on the wire.

use domain::pay::payrolls::record::settings;
use serde::Serialize;
use utoipa::ToSchema;

use crate::field::Field;
use crate::input;
use crate::moment::format_moment;
use crate::values::FirstDay;

input! {
    /// The settings to change.
    UpdatePayrollSettings => settings::UpdatePayrollSettings {
        /// whether payrolls for which no tax tables are available use those of an earlier year, with a warning on each
        /// paycheck
        #[schema(nullable)]
        previous_year_tables: bool,
        /// the day on which workweeks begin, which determines overtime (29 CFR 778.105); null: the first day of pay
        /// periods of one or two weeks, else Sunday (extension)
        #[schema(nullable)]
        workweek_first_day: FirstDay,
        /// extension: whether a payroll cannot be submitted if a tax that is due could not be calculated
        #[schema(nullable)]
        block_unworked_taxes: bool,
        /// extension: whether paychecks recover premiums of insurance that earlier ones did not deduct, each up to as much again as
        /// the premium of its pay period
        #[schema(nullable)]
        recover_missed_premiums: bool,
    }
}

/// A company's payroll settings.
#[derive(Debug, Serialize, ToSchema)]
pub struct PayrollSettings {
    /// whether payrolls for which no tax tables are available use those of an earlier year, with a warning on each
    /// paycheck
    pub previous_year_tables: bool,
    /// the day on which workweeks begin; null: the first day of pay periods of one or two weeks, else Sunday
    /// (extension)
    pub workweek_first_day: Option<FirstDay>,
    /// extension: whether a payroll cannot be submitted if a tax that is due could not be calculated
    pub block_unworked_taxes: bool,
    /// extension: whether paychecks recover premiums of insurance that earlier ones did not deduct, each up to as much again as
    /// the premium of its pay period
    pub recover_missed_premiums: bool,
    /// when they were last changed; null if they are the defaults
    #[schema(format = DateTime)]
    pub updated_at: Option<String>,
}

impl From<settings::PayrollSettings> for PayrollSettings {
    fn from(found: settings::PayrollSettings) -> Self {
        Self {
            previous_year_tables: found.previous_year_tables,
            workweek_first_day: found.workweek_first_day.map(Into::into),
            block_unworked_taxes: found.block_unworked_taxes,
            recover_missed_premiums: found.recover_missed_premiums,
            updated_at: found.updated_at.map(format_moment),
        }
    }
}
