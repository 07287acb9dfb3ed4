//! Paydays that are missed: regular payrolls that nobody has submitted by the deadline of their first pay date. Each is a notification from
//! the deadline on, until it is submitted, skipped or deleted.

use jiff::{Timestamp, ToSpan};
use store::{Tx, params};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::events::{self, EventType};
use crate::pay::payrolls::record::deadlines::submission_deadline;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::rows;
use crate::platform::jobs;

/// Days before a pay date within which its deadline lies, whatever holidays there are.
const DAYS_OF_DEADLINES: i64 = 14;

store::statements! {
    // Across companies: for the metric. What has passed for a year is no longer news.
    LATE = "SELECT count(company_id) FROM payrolls WHERE submitted_at IS NULL AND off_cycle = false \
            AND initial_check_date >= $1 AND initial_check_date < $2";
}

/// Days in the past for which missed paydays are counted.
const DAYS: i64 = 366;

impl Payroll {
    /// Whether its payday is missed: nobody has submitted it, and the deadline of its first pay date has passed.
    pub fn is_missed(&self, now: Timestamp) -> bool {
        !self.off_cycle && self.submitted_at.is_none() && self.deadline_of_first_pay_date() < now
    }

    /// Returns the deadline of the pay date that it had before it was late.
    pub fn deadline_of_first_pay_date(&self) -> Timestamp {
        submission_deadline(self.initial_check_date)
    }
}

/// Schedules the notification of a regular payroll.
pub fn schedule_missed_notice(tx: &mut Tx<'_>, company: Uuid, payroll: &Payroll) -> Result<(), Error> {
    if payroll.off_cycle {
        return Ok(());
    }
    let due = (payroll.deadline_of_first_pay_date() + 1.second()).max(tx.now());
    jobs::schedule_job(tx, company, jobs::JobKind::PayrollMissed, payroll.id, due)
}

/// Tells that the payday of a payroll is missed, when its deadline has passed; no-op if it was submitted.
pub fn fell_due(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<(), Error> {
    let now = tx.now();
    match rows::find_payroll(tx, company, id)?.filter(|one| one.is_missed(now)) {
        Some(_) => events::emit_of_company(tx, company, events::NOTIFICATION_MISSED_PAYDAY_CREATED, id),
        None => Ok(()),
    }
}

/// Tells that a missed payday is no longer open: its payroll, as it was before, is submitted or deleted now.
pub fn resolve_missed_payday(tx: &mut Tx<'_>, company: Uuid, before: &Payroll) -> Result<(), Error> {
    jobs::cancel_job(tx, company, jobs::JobKind::PayrollMissed, before.id)?;
    let (now, event): (_, EventType) = (tx.now(), events::NOTIFICATION_MISSED_PAYDAY_RESOLVED);
    if before.is_missed(now) { events::emit_of_company(tx, company, event, before.id) } else { Ok(()) }
}

/// Returns the payrolls of a company whose payday is missed, oldest first.
pub fn of_company(tx: &mut Tx<'_>, caller: &Caller) -> Result<Vec<Payroll>, Error> {
    let now = tx.now();
    let until = caller.today(tx).saturating_add(DAYS_OF_DEADLINES.days());
    let mut found = rows::unsubmitted_payrolls(tx, caller.company)?;
    found.retain(|one| one.initial_check_date <= until && one.is_missed(now));
    found.sort_by_key(|one| (one.initial_check_date, one.id));
    Ok(found)
}

/// Returns the number of payrolls of all companies whose pay date has come without anybody submitting them.
pub fn count_missed_payrolls(tx: &mut Tx<'_>) -> Result<i64, Error> {
    let today = tx.now().to_zoned(jiff::tz::TimeZone::UTC).date();
    let days = params![today.saturating_sub(DAYS.days()), today];
    Ok(tx.find_row(LATE, days, |row| row.get::<i64>(0))?.unwrap_or(0))
}
