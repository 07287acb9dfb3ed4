//! Requests adding the hours of a pay period to its payroll.

use jiff::civil::Date;
use rules::{Checks, Violation, check};
use serde_json::json;
use store::Tx;

use super::rows::{PayrollSync, SyncStatus};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::patch::{Patch, as_is};
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::rows as payrolls;
use crate::platform::{audit, jobs};
use crate::records::id_of;
use uuid::Uuid;

/// Types of payrolls that hours can be added to.
pub const KINDS: [&str; 1] = ["regular"];

/// Requests a sync.
#[derive(Debug, Clone, Default)]
pub struct CreateSync {
    /// one of [`KINDS`]
    pub kind: Patch<String>,
    /// the pay schedule
    pub pay_schedule_uuid: Patch<String>,
    /// first day of the pay period
    pub pay_period_start_date: Patch<Date>,
    /// its last day
    pub pay_period_end_date: Patch<Date>,
}

/// Requests a sync, which the worker runs.
///
/// # Errors
/// Every violation of the input; 422 if no unsubmitted regular payroll has these days; a store error.
pub fn request_sync(tx: &mut Tx<'_>, caller: &Caller, input: &CreateSync) -> Result<PayrollSync, Error> {
    let payroll = find_sync_payroll(tx, caller, input)?;
    let now = tx.now();
    let new = PayrollSync {
        id: tx.new_id(),
        payroll: payroll.id,
        pay_schedule: payroll.pay_schedule.unwrap_or_default(),
        start_date: payroll.start,
        end_date: payroll.end,
        status: SyncStatus::Pending,
        errors: Vec::new(),
        warnings: Vec::new(),
        completed_at: None,
        created_at: now,
        version: 1,
    };
    new.insert(tx, caller.company)?;
    audit::record_audit_entry(tx, caller, "created", (PayrollSync::TABLE, new.id), &json!({}))?;
    jobs::schedule_job(tx, caller.company, jobs::JobKind::PayrollSync, new.id, now)?;
    Ok(new)
}

/// The status of a sync.
///
/// # Errors
/// "Not found"; a store error.
pub fn get_sync(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<PayrollSync, Error> {
    PayrollSync::find(tx, caller.company, id)?.ok_or(Error::NotFound)
}

/// The named payroll.
fn find_sync_payroll(tx: &mut Tx<'_>, caller: &Caller, input: &CreateSync) -> Result<Payroll, Error> {
    let mut checks = Checks::new();
    input.kind.required("kind", &mut checks, |key, kind| check::one_of(key, kind, &KINDS).map(drop));
    let schedule = input.pay_schedule_uuid.required("pay_schedule_uuid", &mut checks, |_, id| Ok(id_of(id)));
    let start: Option<Date> =
        input.pay_period_start_date.required("pay_period_start_date", &mut checks, as_is);
    let end: Option<Date> = input.pay_period_end_date.required("pay_period_end_date", &mut checks, as_is);
    if let (Some(start), Some(end)) = (start, end) {
        checks.require(start <= end, || {
            let why = "pay_period_end_date must not be before pay_period_start_date";
            Violation::invalid("pay_period_end_date", why)
        });
    }
    checks.finish()?;
    let (Some(schedule), Some(start), Some(end)) = (schedule, start, end) else {
        return Err(Error::internal("a field is missing that was checked"));
    };
    let found = payrolls::regular_between(tx, caller.company, start, end)?.into_iter();
    let mut fitting =
        found.filter(|one| (one.pay_schedule, one.start, one.end) == (Some(schedule), start, end));
    let payroll = fitting.next().ok_or_else(|| {
        let why = "pay_period_start_date, with pay_period_end_date and pay_schedule_uuid, must name a regular payroll; \
                   GET /v1/companies/{company_id}/pay_periods lists them";
        Error::from(Violation::invalid("pay_period_start_date", why))
    })?;
    if payroll.submitted_at.is_some() {
        return Err(Error::from(Violation::invalid_operation(
            "The payroll was submitted; cancel it to change its hours.",
        )));
    }
    Ok(payroll)
}
