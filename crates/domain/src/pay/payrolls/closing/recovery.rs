//! Recovers payrolls whose background job failed permanently or disappeared, so that none waits forever.
//!
//! A payroll that is `calculating` or `submitting` has a job that continues it, written in the same unit of work. If that job is no longer
//! scheduled, the payroll becomes `processing_failed` with the reason, and can be calculated or submitted again. A schedule without a job
//! for its next pay period is resumed after its last payroll.

use serde_json::json;
use store::record::Cursor;
use store::{Store, Tx, params};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::company::companies;
use crate::error::Error;
use crate::pay::pay_schedules::rows as schedules;
use crate::pay::pay_schedules::service::guard_schedules;
use crate::pay::payrolls::calendar::regular;
use crate::pay::payrolls::record::payroll::TABLE;
use crate::pay::payrolls::record::payroll::{Payroll, Request};
use crate::pay::payrolls::record::rows;
use crate::pay::payrolls::run::calculation;
use crate::platform::jobs::{self, JobKind};

// These statements search all companies; what they find is handled company by company.
store::statements! {
    UNDER_WAY = "SELECT company_id, id FROM payrolls WHERE request_status IN ('calculating', 'submitting') \
                 AND (company_id > $1 OR (company_id = $1 AND id > $2)) ORDER BY company_id, id LIMIT $3";
    SCHEDULES = "SELECT s.company_id, s.id FROM pay_schedules s \
                 WHERE (s.company_id > $1 OR (s.company_id = $1 AND s.id > $2)) AND NOT EXISTS (SELECT 1 FROM jobs j \
                 WHERE j.company_id = s.company_id AND j.kind = 'payroll.created' AND j.entity_id = s.id AND j.state = 'open') \
                 ORDER BY s.company_id, s.id LIMIT $3";
}

/// Records read in one unit of work.
const AT_ONCE: i64 = 200;

/// Marks every payroll whose job is gone as failed; returns their number. A payroll that cannot be marked is logged and does not stop
/// the others.
///
/// # Errors
/// A store error of the search.
pub async fn fail_abandoned(store: &Store) -> Result<usize, Error> {
    act_on_each_record(store, UNDER_WAY, is_abandoned, fail_if_abandoned).await
}

/// Resumes every schedule that has no job for its next pay period; returns their number.
///
/// # Errors
/// A store error of the search.
pub async fn resume_schedules(store: &Store) -> Result<usize, Error> {
    act_on_each_record(store, SCHEDULES, is_left, resume_pay_schedule).await
}

/// A check, or a change, of a company's record.
type OfRecord = fn(&mut Tx<'_>, Uuid, Uuid) -> Result<bool, Error>;

/// Acts on each record that `statement` finds and that needs it, in a separate unit of work; returns the number of records changed.
/// Nothing is written if nothing is needed.
async fn act_on_each_record(
    store: &Store,
    statement: store::Sql,
    needed: OfRecord,
    act: OfRecord,
) -> Result<usize, Error> {
    let (mut last, mut done) = ((Uuid::nil(), Uuid::nil()), 0);
    loop {
        let (company, id) = last;
        let look = move |tx: &mut Tx<'_>| {
            let read = |row: &store::Row<'_>| {
                let mut next = Cursor::new(row, "payrolls", 0);
                Ok::<(Uuid, Uuid), Error>((next.read_plain("company_id")?, next.read_plain("id")?))
            };
            let mut found = tx.query_by_server(
                &["payrolls", "pay_schedules", "jobs"],
                statement,
                params![company, id, AT_ONCE],
                read,
            )?;
            // Each server of a cluster may have answered by itself.
            found.sort_unstable();
            found.truncate(usize::try_from(AT_ONCE).unwrap_or(usize::MAX));
            let end = found.last().copied();
            let mut left = Vec::new();
            for (company, id) in found {
                if needed(tx, company, id)? {
                    left.push((company, id));
                }
            }
            Ok::<_, Error>((end, left))
        };
        let (end, left) = store.read(look).await?;
        let Some(end) = end else { return Ok(done) };
        last = end;
        for (company, id) in left {
            match store.write(move |tx| act(tx, company, id)).await {
                Ok(acted) => done += usize::from(acted),
                Err(error) => {
                    tracing::error!(%company, %id, ?error, "a payroll or schedule could not be resumed")
                }
            }
        }
    }
}

/// Returns the payroll if it waits for a job that is no longer scheduled, with the advice to give.
fn find_abandoned_payroll(
    tx: &mut Tx<'_>,
    company: Uuid,
    id: Uuid,
) -> Result<Option<(Payroll, &'static str)>, Error> {
    let Some(payroll) = rows::find_payroll(tx, company, id)? else { return Ok(None) };
    let (kinds, advice): (&[JobKind], _) = match payroll.request {
        Some(Request::Calculating) => (
            &[JobKind::PayrollCalculate, JobKind::PayrollAuto],
            "the payroll could not be calculated; calculate it once more",
        ),
        Some(Request::Submitting) => {
            (&[JobKind::PayrollProcess], "the payroll could not be processed; submit it once more")
        }
        None | Some(Request::CalculateSuccess | Request::SubmitSuccess | Request::Failed) => return Ok(None),
    };
    for kind in kinds {
        if jobs::is_open(tx, company, *kind, id)? {
            return Ok(None);
        }
    }
    Ok(Some((payroll, advice)))
}

fn is_abandoned(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<bool, Error> {
    Ok(find_abandoned_payroll(tx, company, id)?.is_some())
}

/// Marks a payroll as failed if it waits for a job that is no longer scheduled; returns whether it did.
pub fn fail_if_abandoned(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<bool, Error> {
    tx.take_guard(company, TABLE, id)?;
    let Some((payroll, advice)) = find_abandoned_payroll(tx, company, id)? else { return Ok(false) };
    calculation::store_failure(tx, company, payroll, json!([calculation::error_item("base", advice)]))?;
    Ok(true)
}

/// Whether a company's payrolls follow a schedule that has no job for its next pay period.
fn is_left(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<bool, Error> {
    let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
    let followed = match schedules::Schedule::find(tx, company, id)? {
        Some(schedule) => regular::is_in_use(tx, &caller, &schedule)?,
        None => false,
    };
    Ok(followed && !jobs::is_open(tx, company, JobKind::PayrollBegins, id)?)
}

/// Schedules the next pay period of the schedule that a company's payrolls follow, if there is no job for it.
fn resume_pay_schedule(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<bool, Error> {
    guard_schedules(tx, company)?;
    if !is_left(tx, company, id)? {
        return Ok(false);
    }
    if rows::last_end_of_schedule(tx, company, id)?.is_none() {
        let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
        regular::create_first_payrolls(tx, &caller)?;
        return Ok(true);
    }
    let now = tx.now();
    jobs::schedule_job(tx, company, JobKind::PayrollBegins, id, now)?;
    Ok(true)
}
