//! Work that falls due: an employee who becomes overdue, a link that expires, old rows that are swept away.
//!
//! A piece of work is a row of `jobs`, named by its kind and the record that it is about: scheduling it again
//! moves it. Several nodes may look at the same rows. Work that only changes the database is taken, done and
//! closed in one unit of work, so that it happens once; the row's `attempt` decides between two nodes. Work of many units
//! is held under a lease meanwhile. What each kind does is `background::worker`'s.
//!
//! | module | what it holds |
//! |---|---|
//! | here | kinds, scheduling and taking back |
//! | `work` | what is due, leases, failures |
//! | `dead_letters` | work that was given up: listed, shown, begun again |

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
    Due, EARLIEST, Leased, due_until, end_leases_of_the_dead, lease, put_off, release, release_all, renew,
    take,
};

store::statements! {
    SCHEDULE = "INSERT INTO jobs (company_id, id, kind, entity_id, due, attempt, state, created_at) \
                VALUES ($1, $2, $3, $4, $5, 0, 'open', $6) ON CONFLICT (company_id, id) DO UPDATE \
                SET due = excluded.due, attempt = jobs.attempt + 1, state = 'open', finished_at = NULL, \
                lease_until = NULL, leased_by = NULL";
    // What is scheduled stays as it is; what was given up, or closed without its next, begins again.
    BEGIN = "INSERT INTO jobs (company_id, id, kind, entity_id, due, attempt, state, created_at) \
             VALUES ($1, $2, $3, $4, $5, 0, 'open', $6) ON CONFLICT (company_id, id) DO UPDATE \
             SET due = excluded.due, attempt = jobs.attempt + 1, state = 'open', finished_at = NULL, \
             lease_until = NULL, leased_by = NULL WHERE jobs.state <> 'open'";
    CANCEL = "UPDATE jobs SET state = 'cancelled', finished_at = $1 WHERE company_id = $2 AND id = $3 AND state = 'open'";
    IS_OPEN = "SELECT count(*) FROM jobs WHERE company_id = $1 AND id = $2 AND state = 'open'";
    LEFT = "SELECT count(*) FROM jobs WHERE company_id = $1 AND kind = $2 AND (state = 'open' OR state = 'failed')";
}

/// Kinds of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum Kind {
    /// an invited employee has not started by the start date
    #[strum(serialize = "employee.self_onboarding_overdue")]
    EmployeeOverdue,
    /// the last day of work of an employee who leaves is over
    #[strum(serialize = "employee.terminated_effective")]
    TerminationEffective,
    /// the first day back of an employee who was rehired has come
    #[strum(serialize = "employee.rehire_effective")]
    RehireEffective,
    /// a new year changes a balance of time off
    #[strum(serialize = "time_off.year")]
    TimeOffYear,
    /// a link to a hosted page has not been used for too long
    #[strum(serialize = "flow_link.expired")]
    FlowLinkExpired,
    /// a pay period of a schedule begins
    #[strum(serialize = "payroll.created")]
    PayrollBegins,
    /// a payroll is to be calculated
    #[strum(serialize = "payroll.calculated")]
    PayrollCalculate,
    /// a payroll is to be run without anybody's doing
    #[strum(serialize = "payroll.auto")]
    PayrollAuto,
    /// a payroll was submitted
    #[strum(serialize = "payroll.processed")]
    PayrollProcess,
    /// what a cancelled payroll took and gave is undone
    #[strum(serialize = "payroll.forgotten")]
    PayrollForget,
    /// a processed payroll can be cancelled no more, and its payments are made
    #[strum(serialize = "payroll.credits")]
    PayrollCredits,
    /// a deposit of taxes is made, to be in time
    #[strum(serialize = "tax_deposit.staged")]
    TaxDeposit,
    /// a year is over, and what reduced credits add to its unemployment tax is owed
    #[strum(serialize = "reduced_credit.accrued")]
    ReducedCredit,
    /// payments go into a file for the bank
    #[strum(serialize = "bank.file")]
    BankFile,
    /// the operator's command takes a file for the bank
    #[strum(serialize = "bank.pickup")]
    BankPickup,
    /// a debit that was presented again can come back no more
    #[strum(serialize = "redebit.settled")]
    RedebitSettled,
    /// the pay date of a processed payroll has come
    #[strum(serialize = "payroll.paid")]
    PayrollPaid,
    /// a report was asked for
    #[strum(serialize = "report.made")]
    ReportMade,
    /// hours of time sheets are to be put into a payroll
    #[strum(serialize = "payroll_sync.completed")]
    PayrollSync,
    /// external payrolls are to become opening balances
    #[strum(serialize = "external_payrolls.finished")]
    ExternalPayrollsFinish,
    /// what was written to the audit log is sealed
    #[strum(serialize = "audit.sealed")]
    AuditSeal,
    /// old rows are swept away
    #[strum(serialize = "retention")]
    Retention,
}

impl Kind {
    /// The same piece of work has the same id, however often it is scheduled.
    fn id(self, company: Uuid, entity: Uuid) -> Uuid {
        let mut hash = Sha256::new();
        hash.update(self.as_str());
        hash.update(company.as_bytes());
        hash.update(entity.as_bytes());
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash.finalize()[..16]);
        uuid::Builder::from_custom_bytes(bytes).into_uuid()
    }

    /// Whether people's money waits for it: it is tried again as long as it fails, however long that is.
    pub fn is_owed(self) -> bool {
        matches!(self, Self::PayrollCredits | Self::TaxDeposit | Self::BankFile | Self::BankPickup)
    }

    /// Whether it takes more than one unit of work, and so is held under a lease while it is done.
    pub fn is_long(self) -> bool {
        match self {
            Self::PayrollCalculate
            | Self::PayrollAuto
            | Self::PayrollProcess
            | Self::PayrollForget
            | Self::PayrollCredits
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
            | Self::TimeOffYear
            | Self::FlowLinkExpired
            | Self::PayrollBegins
            | Self::TaxDeposit
            | Self::RedebitSettled
            | Self::PayrollPaid => false,
        }
    }
}

/// Schedules work on a record, or moves it when it was scheduled before.
///
/// # Errors
/// A store error.
pub fn schedule(
    tx: &mut Tx<'_>,
    company: Uuid,
    kind: Kind,
    entity: Uuid,
    due: Timestamp,
) -> Result<(), Error> {
    let (id, now) = (kind.id(company, entity), tx.now());
    tx.insert(SCHEDULE, params![company, id, kind.as_str(), entity, due, now])?;
    tx.wake();
    Ok(())
}

/// Takes back what was scheduled; work that is not scheduled is none.
///
/// # Errors
/// A store error.
pub fn cancel(tx: &mut Tx<'_>, company: Uuid, kind: Kind, entity: Uuid) -> Result<(), Error> {
    let now = tx.now();
    let _was_scheduled = tx.change(CANCEL, params![now, company, kind.id(company, entity)])?.rows();
    Ok(())
}

/// Whether work on a record is scheduled, or under way.
///
/// # Errors
/// A store error.
pub fn is_open(tx: &mut Tx<'_>, company: Uuid, kind: Kind, entity: Uuid) -> Result<bool, Error> {
    let found = tx.find(IS_OPEN, params![company, kind.id(company, entity)], |row| row.get::<i64>(0))?;
    Ok(found.is_some_and(|open| open > 0))
}

/// How many pieces of work of a kind are left to be done for a company; those that were given up are.
///
/// # Errors
/// A store error.
pub fn count_left(tx: &mut Tx<'_>, company: Uuid, kind: Kind) -> Result<i64, Error> {
    Ok(tx.find(LEFT, params![company, kind.as_str()], |row| row.get::<i64>(0))?.unwrap_or(0))
}

/// Schedules what is done again and again, where it is not scheduled: in a new store, and where it was given up.
///
/// # Errors
/// A store error.
pub async fn begin_housekeeping(store: &Store) -> Result<(), Error> {
    let nobody = Uuid::nil();
    let once = move |tx: &mut Tx<'_>| {
        let now = tx.now();
        // The sealing has an hour's work, or more, behind it: entries are written before the first start of a worker.
        for (kind, due) in [(Kind::Retention, now + 24.hours()), (Kind::AuditSeal, now)] {
            let row = params![nobody, kind.id(nobody, nobody), kind.as_str(), nobody, due, now];
            let _is_new = tx.change(BEGIN, row)?.rows();
        }
        Ok(())
    };
    store.write(once).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_work_is_among_those_that_statements_look_for() {
        for kind in Kind::VARIANTS {
            assert!(work::KNOWN.contains(&format!("'{}'", kind.as_str())), "{kind:?} would never be done");
        }
    }

    #[test]
    fn the_same_work_on_the_same_record_is_scheduled_once() {
        let (company, employee) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let id = |kind: Kind| kind.id(company, employee);
        assert_eq!(id(Kind::EmployeeOverdue), id(Kind::EmployeeOverdue));
        assert_ne!(id(Kind::EmployeeOverdue), id(Kind::FlowLinkExpired));
    }
}
