//! Terminations on the wire.

use domain::people::employment::commands;
use domain::people::employment::service::{Standing, TABLE};
use domain::records::version_text;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::Field;
use crate::input;
use crate::values::DateText;

/// The end of an employment.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Termination {
    /// identifier
    pub uuid: Uuid,
    /// concurrency token, to be sent with an update
    pub version: String,
    /// who leaves
    pub employee_uuid: Uuid,
    /// whether it has taken effect: from the day after `effective_date`
    pub active: bool,
    /// whether it can be cancelled: before `effective_date`, and without `run_termination_payroll`
    pub cancelable: bool,
    /// last day of work, YYYY-MM-DD
    #[schema(format = Date)]
    pub effective_date: String,
    /// whether the last wages are paid by an off-cycle payroll instead of the regular one
    pub run_termination_payroll: bool,
}

impl From<Standing> for Termination {
    fn from(Standing { termination, active, cancelable }: Standing) -> Self {
        Self {
            uuid: termination.id,
            version: version_text(TABLE, termination.id, termination.version),
            employee_uuid: termination.employee,
            active,
            cancelable,
            effective_date: termination.effective_date.to_string(),
            run_termination_payroll: termination.run_termination_payroll,
        }
    }
}

input! {
    /// The end of an employment.
    CreateTermination => commands::CreateTermination {
        /// last day of work, YYYY-MM-DD, not before the first day of the employment
        #[schema(required)]
        effective_date: DateText,
        /// true: the last wages are paid by an off-cycle payroll (`off_cycle_reason` `Dismissed employee`); false, as when left
        /// out: by the regular payroll of the pay period
        #[schema(nullable)]
        run_termination_payroll: bool,
    }

    /// What an update of a termination changes.
    UpdateTermination => commands::UpdateTermination {
        /// the version as last read
        #[schema(required)]
        version: String,
        /// last day of work, YYYY-MM-DD
        #[schema(required)]
        effective_date: DateText,
        /// how the last wages are paid; what is left out stays
        run_termination_payroll: bool,
    }
}
