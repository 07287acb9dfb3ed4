//! What a company has decided about its payrolls, on the wire.

use domain::pay::payrolls::settings;
use serde::Serialize;
use utoipa::ToSchema;

use crate::field::Field;
use crate::input;
use crate::moment::moment;
use crate::values::{FirstDay, FirstDayName};

input! {
    /// What an update of the settings can say.
    UpdatePayrollSettings => settings::UpdatePayrollSettings {
        /// whether payrolls whose tax tables are not held go on with those of an earlier year, with a warning on each paycheck
        #[schema(nullable)]
        previous_year_tables: bool,
        /// on which day workweeks begin, by which overtime is counted (29 CFR 778.105); null: on the first day of pay periods that
        /// are one or two weeks, else on Sunday (extension)
        #[schema(nullable)]
        workweek_first_day: FirstDayName,
        /// extension: whether payrolls cannot be submitted while a tax that is due could not be calculated
        #[schema(nullable)]
        block_unworked_taxes: bool,
    }
}

/// The settings of a company's payrolls.
#[derive(Debug, Serialize, ToSchema)]
pub struct PayrollSettings {
    /// whether payrolls whose tax tables are not held go on with those of an earlier year, with a warning on each paycheck
    pub previous_year_tables: bool,
    /// on which day workweeks begin; null: on the first day of pay periods that are one or two weeks, else on Sunday (extension)
    pub workweek_first_day: Option<FirstDay>,
    /// extension: whether payrolls cannot be submitted while a tax that is due could not be calculated
    pub block_unworked_taxes: bool,
    /// when they were last changed; null where they are those that a company begins with
    #[schema(format = DateTime)]
    pub updated_at: Option<String>,
}

impl From<settings::PayrollSettings> for PayrollSettings {
    fn from(found: settings::PayrollSettings) -> Self {
        Self {
            previous_year_tables: found.previous_year_tables,
            workweek_first_day: found.workweek_first_day.map(Into::into),
            block_unworked_taxes: found.block_unworked_taxes,
            updated_at: found.updated_at.map(moment),
        }
    }
}
