//! Time sheets and payroll syncs on the wire.

use std::collections::BTreeMap;

use domain::pay::time_sheets::rows::{self, Classification};
use domain::pay::time_sheets::service::TABLE;
use domain::pay::time_sheets::{service, syncs};
use domain::records::version_text;
use rules::Amount;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::field::{Field, List, Pairs};
use crate::moment::format_moment;
use crate::named::Enum;
use crate::values::{DateText, Decimal, IdText, LineText, MomentText, VersionText};
use crate::{input, words};

/// The status of a time sheet.
pub type TimeSheetStatus = Enum<rows::TimeSheetStatus>;
/// The pay classification of hours.
pub type PayClassification = Enum<Classification>;
/// The status of a sync.
pub type PayrollSyncStatus = Enum<rows::SyncStatus>;

/// The pay classification of hours, in a request.
pub type PayClassificationName = Enum<Classification>;

words! {
    /// The kind of worker.
    TimeSheetEntity = service::ENTITY_TYPES;
    /// The kind of payrolls into which hours are synced.
    PayrollSyncKind = syncs::KINDS;
}

/// A shift of an employee.
#[derive(Debug, Serialize, ToSchema)]
pub struct TimeSheet {
    /// identifier
    pub uuid: Uuid,
    /// the company
    pub company_uuid: Uuid,
    /// its status
    pub status: TimeSheetStatus,
    /// time zone of the work
    pub time_zone: String,
    /// `Employee`
    #[schema(value_type = TimeSheetEntity)]
    pub entity_type: &'static str,
    /// the employee
    pub entity_uuid: Uuid,
    /// concurrency token, to be sent with an update
    pub version: String,
    /// the job; null for the primary one
    pub job_uuid: Option<Uuid>,
    /// when the shift began
    #[schema(format = DateTime)]
    pub shift_started_at: String,
    /// when it ended; null while it runs
    #[schema(format = DateTime)]
    pub shift_ended_at: Option<String>,
    /// when it was created
    #[schema(format = DateTime)]
    pub created_at: String,
    /// when it was last changed
    #[schema(format = DateTime)]
    pub updated_at: String,
    /// when its hours were synced into a payroll; null before
    #[schema(format = DateTime)]
    pub synced_to_payroll_at: Option<String>,
    /// the application's metadata
    pub metadata: BTreeMap<String, String>,
    /// its hours
    pub entries: Vec<TimeSheetEntry>,
}

/// Hours of a shift with one pay classification.
#[derive(Debug, Serialize, ToSchema)]
pub struct TimeSheetEntry {
    /// identifier
    pub uuid: Uuid,
    /// decimal text with three decimal places
    pub hours_worked: String,
    /// pay classification
    pub pay_classification: PayClassification,
}

impl TimeSheet {
    /// The answer.
    pub fn new(company: Uuid, sheet: rows::TimeSheet) -> Self {
        let entry = |entry: &rows::Entry| TimeSheetEntry {
            uuid: entry.id,
            hours_worked: entry.hours().to_text(3),
            pay_classification: Enum(entry.classification),
        };
        Self {
            uuid: sheet.id,
            company_uuid: company,
            status: Enum(sheet.status),
            entity_type: service::ENTITY_TYPES[0],
            entity_uuid: sheet.employee,
            version: version_text(TABLE, sheet.id, sheet.version),
            job_uuid: sheet.job,
            shift_started_at: format_moment(sheet.started_at),
            shift_ended_at: sheet.ended_at.map(format_moment),
            created_at: format_moment(sheet.created_at),
            updated_at: format_moment(sheet.updated_at),
            synced_to_payroll_at: sheet.synced_at.map(format_moment),
            entries: sheet.entries.iter().map(entry).collect(),
            time_zone: sheet.time_zone,
            metadata: sheet.metadata,
        }
    }
}

/// A sync of a pay period's approved hours into its payroll.
#[derive(Debug, Serialize, ToSchema)]
pub struct PayrollSync {
    /// identifier
    pub uuid: Uuid,
    /// the company
    pub company_uuid: Uuid,
    /// its status
    pub status: PayrollSyncStatus,
    /// `regular`
    #[schema(value_type = PayrollSyncKind)]
    pub kind: &'static str,
    /// the pay schedule
    pub pay_schedule_uuid: Uuid,
    /// first day of the pay period
    #[schema(format = Date)]
    pub pay_period_start_date: String,
    /// its last day
    #[schema(format = Date)]
    pub pay_period_end_date: String,
    /// the payroll (extension)
    pub payroll_uuid: Uuid,
    /// when it was requested
    #[schema(format = DateTime)]
    pub submitted_at: String,
    /// when it finished; null before
    #[schema(format = DateTime)]
    pub completed_at: Option<String>,
    /// the errors, as in the `errors` of a response; metadata names the employee
    pub errors: Vec<Value>,
    /// what was skipped, in words
    pub warnings: Vec<String>,
}

impl PayrollSync {
    /// The answer.
    pub fn new(company: Uuid, sync: rows::PayrollSync) -> Self {
        Self {
            uuid: sync.id,
            company_uuid: company,
            status: Enum(sync.status),
            kind: syncs::KINDS[0],
            pay_schedule_uuid: sync.pay_schedule,
            pay_period_start_date: sync.start_date.to_string(),
            pay_period_end_date: sync.end_date.to_string(),
            payroll_uuid: sync.payroll,
            submitted_at: format_moment(sync.created_at),
            completed_at: sync.completed_at.map(format_moment),
            errors: sync.errors,
            warnings: sync.warnings,
        }
    }
}

/// The body of an operation on a time sheet: the common fields, to which an update adds a version.
macro_rules! time_sheet {
    ($(#[$about:meta])* $name:ident { #[$needed:meta] } $($(#[$version_about:meta])* $version:ident: $version_type:ty)?) => {
        $(#[$about])*
        #[derive(Debug, Default, Clone, serde::Deserialize, ToSchema)]
        #[serde(default)]
        pub struct $name {
            $($(#[$version_about])* pub $version: Field<$version_type>,)?
            /// the employee; cannot be changed by an update
            #[$needed]
            pub entity_uuid: Field<IdText>,
            /// `Employee`: the hours of contractors are entered with their payments
            #[$needed]
            pub entity_type: Field<TimeSheetEntity>,
            /// the job; defaults to the primary one
            #[schema(nullable)]
            pub job_uuid: Field<IdText>,
            /// time zone of the work, such as America/Los_Angeles
            #[$needed]
            pub time_zone: Field<LineText>,
            /// when the shift began
            #[$needed]
            pub shift_started_at: Field<MomentText>,
            /// when it ended, at most 24 hours later; omitted while it is running
            #[schema(nullable)]
            pub shift_ended_at: Field<MomentText>,
            /// at most 50 pairs of text, with values of at most 500 characters
            #[schema(nullable)]
            pub metadata: Field<Pairs>,
            /// at most 20, with at most 24 hours in total
            #[schema(nullable)]
            pub entries: Field<List<TimeSheetEntryInput>>,
        }

        #[allow(clippy::needless_update, reason = "only an update has a version")]
        impl From<$name> for service::TimeSheetFields {
            fn from(body: $name) -> Self {
                Self {
                    $($version: body.$version.into(),)?
                    entity_uuid: body.entity_uuid.into(),
                    entity_type: body.entity_type.into(),
                    job_uuid: body.job_uuid.into(),
                    time_zone: body.time_zone.into(),
                    shift_started_at: body.shift_started_at.into(),
                    shift_ended_at: body.shift_ended_at.into(),
                    metadata: body.metadata.into(),
                    entries: body.entries.into(),
                    ..Self::default()
                }
            }
        }
    };
}

time_sheet! {
    /// A shift.
    CreateTimeSheet { #[schema(required)] }
}

time_sheet! {
    /// A corrected shift.
    UpdateTimeSheet { #[schema(nullable)] }
    /// the version as last read
    #[schema(required)]
    version: VersionText
}

input! {
    /// Hours of a shift.
    TimeSheetEntryInput => service::EntryFields {
        /// the entry to change; omitted for a new one
        #[schema(nullable)]
        uuid: IdText,
        /// hours with at most three decimal places, at least 0.001
        #[schema(required, value_type = Decimal)]
        hours_worked: Amount,
        /// pay classification; defaults to `Regular`
        #[schema(nullable)]
        pay_classification: PayClassificationName,
    }

    /// A decision about a time sheet.
    DecideTimeSheet => service::Decision {
        /// the version as last read
        #[schema(required)]
        version: VersionText,
    }

    /// The hours to sync, and their payroll.
    CreatePayrollSync => syncs::CreateSync {
        /// the kind of payroll
        #[schema(required)]
        kind: PayrollSyncKind,
        /// the pay schedule
        #[schema(required)]
        pay_schedule_uuid: IdText,
        /// YYYY-MM-DD: first day of the pay period
        #[schema(required)]
        pay_period_start_date: DateText,
        /// YYYY-MM-DD: its last day
        #[schema(required)]
        pay_period_end_date: DateText,
    }
}
