//! Terminations on the wire.

use domain::pay::payrolls::record::warning;
use domain::people::employment::commands;
use domain::people::employment::service::{self, Standing, TABLE};
use domain::records::version_text;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::Field;
use crate::input;
use crate::named::Enum;
use crate::pay::payrolls::wire::paycheck::Warning;
use crate::values::{DateText, EmployerText, Separation, TaxConfidence, UnusedVacation, VersionText};

/// The end of an employment.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Termination {
    /// identifier
    pub uuid: Uuid,
    /// concurrency token, to be sent with an update
    pub version: String,
    /// the employee
    pub employee_uuid: Uuid,
    /// whether it has taken effect: from the day after `effective_date`
    pub active: bool,
    /// whether it can be cancelled: before `effective_date`, and without `run_termination_payroll`
    pub cancelable: bool,
    /// last day of work, YYYY-MM-DD
    #[schema(format = Date)]
    pub effective_date: String,
    /// whether the final wages are paid by an off-cycle payroll instead of the regular one
    pub run_termination_payroll: bool,
    /// how the employment ended; null if unknown (an extension)
    pub separation: Option<Separation>,
    /// the current employer; null if unknown (an extension)
    pub new_employer: Option<String>,
    /// when the final wages are due under the law of the work state; omitted in employee records, and without a work
    /// address or a pay schedule (an extension)
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_wages: Option<FinalWages>,
    /// conditions to review, such as `last_wages_late`: wages earned by the last day of work are paid after the day that the law requires;
    /// omitted in employee records (an extension)
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<Warning>>,
}

/// When the final wages are due.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct FinalWages {
    /// two letters of the state whose law applies
    pub state: String,
    /// the last day for payment, YYYY-MM-DD; without `separation` the earliest for any reason
    #[schema(format = Date)]
    pub due_on: String,
    /// whether the law requires a payout of unused vacation, or leaves it to the employer's policy
    pub unused_vacation: UnusedVacation,
    /// the statute
    pub source: String,
    /// how reliable it is: `secondary` agrees with published lists, `memory` has not been checked against any text yet
    pub confidence: TaxConfidence,
    /// what the date does not take into account
    pub note: String,
}

impl From<service::FinalWages> for FinalWages {
    fn from(of: service::FinalWages) -> Self {
        Self {
            state: of.rule.state.clone(),
            due_on: of.due_on.to_string(),
            unused_vacation: of.rule.unused_vacation.into(),
            source: of.rule.source.clone(),
            confidence: Enum(of.rule.confidence),
            note: of.rule.note.clone(),
        }
    }
}

impl From<Standing> for Termination {
    fn from(Standing { termination, active, cancelable, final_wages }: Standing) -> Self {
        Self {
            uuid: termination.id,
            version: version_text(TABLE, termination.id, termination.version),
            employee_uuid: termination.employee,
            active,
            cancelable,
            effective_date: termination.effective_date.to_string(),
            run_termination_payroll: termination.run_termination_payroll,
            separation: termination.separation.map(Separation::from),
            new_employer: termination.new_employer,
            final_wages: final_wages.map(FinalWages::from),
            warnings: None,
        }
    }
}

impl From<(Standing, Vec<warning::Warning>)> for Termination {
    fn from((standing, warnings): (Standing, Vec<warning::Warning>)) -> Self {
        let warnings = Some(warnings.into_iter().map(Warning::from).collect());
        Self { warnings, ..Self::from(standing) }
    }
}

input! {
    /// A termination.
    CreateTermination => commands::CreateTermination {
        /// last day of work, YYYY-MM-DD, not before the first day of the employment; with the separation `death` the date of death
        #[schema(required)]
        effective_date: DateText,
        /// true: the final wages are paid by an off-cycle payroll (`off_cycle_reason` `Dismissed employee`); false, the
        /// default: by the regular payroll of the pay period
        #[schema(nullable)]
        run_termination_payroll: bool,
        /// how the employment ended, which determines when the final wages are due, and with `death` which taxes apply to them (an
        /// extension)
        #[schema(nullable)]
        separation: Separation,
        /// the next employer, at most 200 characters; reported to the agency of a child support order (an extension)
        #[schema(nullable)]
        new_employer: EmployerText,
    }

    /// What an update of a termination changes.
    UpdateTermination => commands::UpdateTermination {
        /// the version as last read
        #[schema(required)]
        version: VersionText,
        /// last day of work, YYYY-MM-DD
        #[schema(required)]
        effective_date: DateText,
        /// how the final wages are paid; omitted fields keep their values
        run_termination_payroll: bool,
        /// how the employment ended; can be changed afterwards (an extension)
        #[schema(nullable)]
        separation: Separation,
        /// the current employer; can be changed afterwards (an extension)
        #[schema(nullable)]
        new_employer: EmployerText,
    }
}
