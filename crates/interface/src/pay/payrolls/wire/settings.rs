//! What a company has decided about its payrolls, on the wire.

use domain::pay::payrolls::settings;
use serde::Serialize;
use utoipa::ToSchema;

use crate::field::Field;
use crate::input;
use crate::moment::moment;

input! {
    /// What an update of the settings can say.
    UpdatePayrollSettings => settings::UpdatePayrollSettings {
        /// whether payrolls whose tax tables are not held go on with those of an earlier year, with a warning on each paycheck
        #[schema(nullable)]
        previous_year_tables: bool,
    }
}

/// The settings of a company's payrolls.
#[derive(Debug, Serialize, ToSchema)]
pub struct PayrollSettings {
    /// whether payrolls whose tax tables are not held go on with those of an earlier year, with a warning on each paycheck
    pub previous_year_tables: bool,
    /// when they were last changed; null where they are those that a company begins with
    #[schema(format = DateTime)]
    pub updated_at: Option<String>,
}

impl From<settings::PayrollSettings> for PayrollSettings {
    fn from(found: settings::PayrollSettings) -> Self {
        Self { previous_year_tables: found.previous_year_tables, updated_at: found.updated_at.map(moment) }
    }
}
