//! Jobs, which become due: an employee who becomes overdue, a link that expires, old rows to be deleted.
//!
//! A job is a row of `jobs`, identified by its kind and the record that it is about: scheduling it again reschedules
//! it. Several nodes may read the same rows. A job that only changes the database is taken, done and closed in one unit
//! of work, so that it runs once; the row's `attempt` decides between two nodes. A job of many units holds a lease.
//! What each kind does is in `background::worker`.
//!
//! | module | contents |
//! |---|---|
//! | here | kinds, scheduling and cancelling |
//! | `work` | due jobs, leases, failures |
//! | `dead_letters` | permanently failed jobs: list, details, retry |

pub mod dead_letters;
pub mod work;

use jiff::{Timestamp, ToSpan};
use rules::Named;
use sha2::{Digest, Sha256};
use store::{Store, Tx, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use crate::error::Error;

pub use work::{
    Due, EARLIEST, Leased, again, defer_job, due_until, end_leases_of_the_dead, lease_job, put_off,
    release_all, release_job, renew_lease, take_job,
};

store::statements! {
    SCHEDULE = "INSERT INTO jobs (company_id, id, kind, entity_id, due, attempt, state, created_at) \
                VALUES ($1, $2, $3, $4, $5, 0, 'open', $6) ON CONFLICT (company_id, id) DO UPDATE \
                SET due = excluded.due, attempt = jobs.attempt + 1, state = 'open', finished_at = NULL, \
                lease_until = NULL, leased_by = NULL";
    // A scheduled job stays as it is; one that failed permanently, or was closed without a successor, is scheduled
    // again.
    BEGIN = "INSERT INTO jobs (company_id, id, kind, entity_id, due, attempt, state, created_at) \
             VALUES ($1, $2, $3, $4, $5, 0, 'open', $6) ON CONFLICT (company_id, id) DO UPDATE \
             SET due = excluded.due, attempt = jobs.attempt + 1, state = 'open', finished_at = NULL, \
             lease_until = NULL, leased_by = NULL WHERE jobs.state <> 'open'";
    CANCEL = "UPDATE jobs SET state = 'cancelled', finished_at = $1 WHERE company_id = $2 AND id = $3 AND state = 'open'";
    IS_OPEN = "SELECT count(*) FROM jobs WHERE company_id = $1 AND id = $2 AND state = 'open'";
    LEFT = "SELECT count(*) FROM jobs WHERE company_id = $1 AND kind = $2 AND (state = 'open' OR state = 'failed')";
}

/// Kinds of jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum JobKind {
    /// rates of pay are compared with minimum wages
    #[strum(serialize = "minimum_wages.reviewed")]
    MinimumWages,
    /// what is missing for the close of a year is looked at
    #[strum(serialize = "year_end.reviewed")]
    YearPreparation,
    /// an invited employee has not started by the start date
    #[strum(serialize = "employee.self_onboarding_overdue")]
    EmployeeOverdue,
    /// the last day of work of a leaving employee has passed
    #[strum(serialize = "employee.terminated_effective")]
    TerminationEffective,
    /// the first day back of an employee who was rehired has come
    #[strum(serialize = "employee.rehire_effective")]
    RehireEffective,
    /// the last day of a dismissed contractor has passed
    #[strum(serialize = "contractor.deactivation_effective")]
    ContractorLeft,
    /// the first day back of a rehired contractor has come
    #[strum(serialize = "contractor.reactivation_effective")]
    ContractorReturned,
    /// a new year changes a time off balance
    #[strum(serialize = "time_off.year")]
    TimeOffYear,
    /// a link to a hosted page has been unused for too long
    #[strum(serialize = "flow_link.expired")]
    FlowLinkExpired,
    /// a pay period of a schedule begins
    #[strum(serialize = "payroll.created")]
    PayrollBegins,
    /// a payroll is to be calculated
    #[strum(serialize = "payroll.calculated")]
    PayrollCalculate,
    /// a payroll is to be run automatically
    #[strum(serialize = "payroll.auto")]
    PayrollAuto,
    /// the deadline of a regular payroll passes
    #[strum(serialize = "payroll.missed")]
    PayrollMissed,
    /// a payroll was submitted
    #[strum(serialize = "payroll.processed")]
    PayrollProcess,
    /// the effects of a cancelled payroll are undone
    #[strum(serialize = "payroll.forgotten")]
    PayrollForget,
    /// a processed payroll can no longer be cancelled, and its payments are made
    #[strum(serialize = "payroll.credits")]
    PayrollCredits,
    /// a group of contractor payments can no longer be cancelled, and its payments are made
    #[strum(serialize = "contractor.credits")]
    ContractorCredits,
    /// the check date of a group of contractor payments has come
    #[strum(serialize = "contractor.paid")]
    ContractorPaid,
    /// a tax deposit is made in time
    #[strum(serialize = "tax_deposit.staged")]
    TaxDeposit,
    /// a year is over, and its credit reductions add to the unemployment tax
    #[strum(serialize = "reduced_credit.accrued")]
    ReducedCredit,
    /// payments go into a file for the bank
    #[strum(serialize = "bank.file")]
    BankFile,
    /// the operator's command takes a file for the bank
    #[strum(serialize = "bank.pickup")]
    BankPickup,
    /// a re-presented debit can no longer be returned
    #[strum(serialize = "redebit.settled")]
    RedebitSettled,
    /// the check date of a processed payroll has come
    #[strum(serialize = "payroll.paid")]
    PayrollPaid,
    /// a report was requested
    #[strum(serialize = "report.made")]
    ReportMade,
    /// hours of time sheets are to be put into a payroll
    #[strum(serialize = "payroll_sync.completed")]
    PayrollSync,
    /// external payrolls become opening balances
    #[strum(serialize = "external_payrolls.finished")]
    ExternalPayrollsFinish,
    /// new audit entries are sealed
    #[strum(serialize = "audit.sealed")]
    AuditSeal,
    /// old rows are deleted
    #[strum(serialize = "retention")]
    Retention,
}

impl JobKind {
    /// The same job always has the same id, however often it is scheduled.
    fn job_id(self, company: Uuid, entity: Uuid) -> Uuid {
        let mut hash = Sha256::new();
        hash.update(self.as_str());
        hash.update(company.as_bytes());
        hash.update(entity.as_bytes());
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash.finalize()[..16]);
        uuid::Builder::from_custom_bytes(bytes).into_uuid()
    }

    /// Whether payments depend on it: it is retried as long as it fails.
    pub fn is_owed(self) -> bool {
        matches!(
            self,
            Self::PayrollCredits
                | Self::ContractorCredits
                | Self::TaxDeposit
                | Self::BankFile
                | Self::BankPickup
        )
    }

    /// Whether it takes more than one unit of work, and so holds a lease.
    pub fn is_long(self) -> bool {
        match self {
            Self::MinimumWages
            | Self::YearPreparation
            | Self::PayrollCalculate
            | Self::PayrollAuto
            | Self::PayrollProcess
            | Self::PayrollForget
            | Self::PayrollCredits
            | Self::ContractorCredits
            | Self::ReducedCredit
            | Self::BankFile
            | Self::BankPickup
            | Self::ReportMade
            | Self::PayrollSync
            | Self::ExternalPayrollsFinish
            | Self::AuditSeal
            | Self::Retention => true,
            Self::EmployeeOverdue
            | Self::TerminationEffective
            | Self::RehireEffective
            | Self::ContractorLeft
            | Self::ContractorReturned
            | Self::TimeOffYear
            | Self::FlowLinkExpired
            | Self::PayrollBegins
            | Self::PayrollMissed
            | Self::TaxDeposit
            | Self::RedebitSettled
            | Self::ContractorPaid
            | Self::PayrollPaid => false,
        }
    }
}

/// Schedules a job about a record, or reschedules it.
pub fn schedule_job(
    tx: &mut Tx<'_>,
    company: Uuid,
    kind: JobKind,
    entity: Uuid,
    due: Timestamp,
) -> Result<(), Error> {
    let (id, now) = (kind.job_id(company, entity), tx.now());
    tx.insert_row(SCHEDULE, params![company, id, kind.as_str(), entity, due, now])?;
    tx.wake_workers();
    Ok(())
}

/// Cancels a scheduled job; no-op if nothing is scheduled.
pub fn cancel_job(tx: &mut Tx<'_>, company: Uuid, kind: JobKind, entity: Uuid) -> Result<(), Error> {
    let now = tx.now();
    let _was_scheduled = tx.change_rows(CANCEL, params![now, company, kind.job_id(company, entity)])?.rows();
    Ok(())
}

/// Whether a job about a record is scheduled or running.
pub fn is_open(tx: &mut Tx<'_>, company: Uuid, kind: JobKind, entity: Uuid) -> Result<bool, Error> {
    let found =
        tx.find_row(IS_OPEN, params![company, kind.job_id(company, entity)], |row| row.get::<i64>(0))?;
    Ok(found.is_some_and(|open| open > 0))
}

/// Number of a company's unfinished jobs of a kind, including permanently failed ones.
pub fn count_left(tx: &mut Tx<'_>, company: Uuid, kind: JobKind) -> Result<i64, Error> {
    Ok(tx.find_row(LEFT, params![company, kind.as_str()], |row| row.get::<i64>(0))?.unwrap_or(0))
}

/// Schedules recurring jobs that are not scheduled: in a new store, and after they failed permanently.
pub async fn begin_housekeeping(store: &Store) -> Result<(), Error> {
    let nobody = Uuid::nil();
    let once = move |tx: &mut Tx<'_>| {
        let now = tx.now();
        // Sealing starts with an hour of entries or more: some are written before the first start of a worker.
        for (kind, due) in [(JobKind::Retention, now + 24.hours()), (JobKind::AuditSeal, now)] {
            let row = params![nobody, kind.job_id(nobody, nobody), kind.as_str(), nobody, due, now];
            let _is_new = tx.change_rows(BEGIN, row)?.rows();
        }
        Ok(())
    };
    store.write(once).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_include_every_kind_of_job() {
        for kind in JobKind::VARIANTS {
            assert!(work::KNOWN.contains(&format!("'{}'", kind.as_str())), "{kind:?} would never run");
        }
    }

    #[test]
    fn the_same_job_about_the_same_record_is_scheduled_once() {
        let (company, employee) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let id = |kind: JobKind| kind.job_id(company, employee);
        assert_eq!(id(JobKind::EmployeeOverdue), id(JobKind::EmployeeOverdue));
        assert_ne!(id(JobKind::EmployeeOverdue), id(JobKind::FlowLinkExpired));
    }
}
