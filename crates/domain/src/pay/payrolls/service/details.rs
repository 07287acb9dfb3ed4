//! Payrolls with their employees, as callers read them, and what the operations on them share.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::ToSpan;
use jiff::civil::Date;
use rules::Named;
use rules::days::Days;
use rules::withholding::federal::PayFrequency;
use rules::{Amount, Category, Checks, Violation, check};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::paging::{Listed, Page, Paging, SortBy};
use crate::patch::{Patch, as_is};
use crate::pay::compensations::rows as pay;
use crate::pay::earning_types;
use crate::pay::earning_types::rows::EarningType;
use crate::pay::payrolls::calendar::members;
use crate::pay::payrolls::calendar::members::{Member, MemberKey};
use crate::pay::payrolls::calendar::periods;
use crate::pay::payrolls::entry::entry_version;
use crate::pay::payrolls::entry::granted::Grants;
use crate::pay::payrolls::entry::salaried;
use crate::pay::payrolls::facts::sources;
use crate::pay::payrolls::record::inputs;
use crate::pay::payrolls::record::inputs::Input;
use crate::pay::payrolls::record::kinds::TimeOffKind;
use crate::pay::payrolls::record::paycheck::Paid;
use crate::pay::payrolls::record::paycheck_inputs::{GarnishmentInput, RecurringInput};
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::payroll::TABLE;
use crate::pay::payrolls::record::results;
use crate::pay::payrolls::record::results::Outcome;
use crate::pay::payrolls::record::rows;
use crate::pay::payrolls::record::rows::PayrollFilter;
use crate::pay::payrolls::record::time_off::Granted;
use crate::pay::payrolls::record::workweek;
use crate::pay::payrolls::service::estimates;
use crate::platform::audit;
use crate::records::IdRange;

/// Maximum number of employees in one request.
pub(in crate::pay::payrolls) const AT_ONCE: usize = 100;
/// Number of months before today, or before an earlier last day, at which the list of payrolls starts if no first day is given.
const MONTHS_BACK: i64 = 6;

/// The pay frequencies that `withholding_pay_period` accepts.
pub const WITHHOLDING_PERIODS: [PayFrequency; 7] = [
    PayFrequency::EveryWeek,
    PayFrequency::EveryOtherWeek,
    PayFrequency::TwicePerMonth,
    PayFrequency::Monthly,
    PayFrequency::Quarterly,
    PayFrequency::Semiannually,
    PayFrequency::Annually,
];

/// Filters of the list of payrolls.
#[derive(Debug, Clone, Copy, Default)]
pub struct ListPayrolls {
    /// processed or unprocessed ones; `None` for both
    pub processed: Option<bool>,
    /// off-cycle or regular ones; `None` for both
    pub off_cycle: Option<bool>,
    /// whether payrolls run by this service are listed
    pub here: bool,
    /// whether another provider's payrolls are listed, which `external_payrolls::listed` adds
    pub external: bool,
    /// first day; six months before today, or before an earlier last day, when left out
    pub start: Option<Date>,
    /// last day; today when left out
    pub end: Option<Date>,
    /// whether the days are compared with the pay date
    pub by_check_date: bool,
    /// newest first
    pub descending: bool,
}

impl ListPayrolls {
    /// Returns the first and the last day of the list.
    ///
    /// # Errors
    /// 422 for days out of range.
    pub fn days_listed(&self, today: Date) -> Result<(Date, Date), Error> {
        let until = self.end.unwrap_or(today);
        let from = self.start.unwrap_or_else(|| until.min(today).saturating_sub(MONTHS_BACK.months()));
        let mut checks = Checks::new();
        let farthest = periods::last_requestable_day(today);
        let wrong = |message: String| Violation::new("end_date", Category::InvalidParameter, message);
        checks.require(until <= farthest, || wrong(format!("end_date must not be after {farthest}")));
        checks.require(from <= until, || wrong(format!("end_date must not be before start_date, {from}")));
        checks.require(until <= from.saturating_add(1.years()), || {
            wrong("end_date must not be more than one year after start_date".to_owned())
        });
        checks.finish()?;
        Ok((from, until))
    }
}

/// A payroll with some of its employees.
#[derive(Debug)]
pub struct PayrollDetails {
    /// the payroll
    pub payroll: Payroll,
    /// the employees, in the requested order
    pub employees: Vec<PayrollEmployee>,
    /// the company's own earning types that can be entered
    pub earning_types: Arc<[EarningType]>,
    /// the workweeks with days in the pay period; none for pay periods that are not of one or two weeks
    pub workweeks: Vec<Days>,
}

/// An employee of a payroll.
#[derive(Debug)]
pub struct PayrollEmployee {
    /// the employee
    pub member: Member,
    /// what was entered, if anything was
    pub input: Option<Input>,
    /// jobs and pay
    pub pay: pay::Pay,
    /// the result of the calculation
    pub outcome: Option<(Outcome, Paid)>,
    /// garnishments, before the calculation
    pub garnishments: Vec<GarnishmentInput>,
    /// the minimum wage adjustment of each job by the current inputs; present once the payroll was calculated, until it is calculated
    /// again
    pub make_ups: Vec<Amount>,
    /// unused hours off that will be paid out on termination by the current inputs, in millionths; empty once the payroll is calculated
    pub unused: Vec<(TimeOffKind, Amount)>,
    /// recurring reimbursements, paid by every regular payroll
    pub recurring: Vec<RecurringInput>,
    /// approved hours off, paid unless other hours are entered
    pub granted: Granted,
    /// the standard hours of salaries, by job
    pub salaried: Vec<(Uuid, Amount)>,
    /// the company's own earning types that can be entered
    pub earning_types: Arc<[EarningType]>,
}

/// Returns a page of payrolls.
///
/// # Errors
/// 422 for days out of range; a store error.
pub fn list_payrolls(
    tx: &mut Tx<'_>,
    caller: &Caller,
    query: &ListPayrolls,
    page: Page,
) -> Result<Listed<Payroll>, Error> {
    let (from, until) = query.days_listed(caller.today(tx))?;
    let ListPayrolls { processed, off_cycle, by_check_date, descending, .. } = *query;
    let filter = PayrollFilter { from, until, by_check_date, processed, off_cycle, descending };
    let found = rows::list_payrolls(tx, caller.company, &filter, page)?;
    Listed::new(page, found, || rows::count_payrolls(tx, caller.company, &filter))
}

/// Returns the payroll with a page of its employees; the paging is that of the employees.
///
/// # Errors
/// "Not found"; a store error.
pub fn payroll_with_members(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    sort: &[SortBy<MemberKey>],
    page: Page,
) -> Result<(PayrollDetails, Paging), Error> {
    let payroll = find_payroll(tx, caller, id)?;
    let members = members::list_members(tx, caller.company, &payroll, sort, page)?;
    let listed =
        Listed::new(page, Vec::<()>::new(), || members::count_members(tx, caller.company, &payroll))?;
    Ok((payroll_details(tx, caller, payroll, members)?, listed.paging))
}

/// Returns one of the payroll's employees; `None` if it does not pay them.
pub fn employee(
    tx: &mut Tx<'_>,
    caller: &Caller,
    payroll: &Payroll,
    id: Uuid,
) -> Result<Option<PayrollEmployee>, Error> {
    match members::find_member(tx, caller.company, payroll, id)? {
        Some(member) => Ok(payroll_details(tx, caller, payroll.clone(), vec![member])?.employees.pop()),
        None => Ok(None),
    }
}

/// Returns the payroll.
///
/// # Errors
/// "Not found"; a store error.
pub fn find_payroll(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Payroll, Error> {
    rows::find_payroll(tx, caller.company, id)?.ok_or(Error::NotFound)
}

pub(in crate::pay::payrolls) fn find_guarded(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
) -> Result<Payroll, Error> {
    tx.take_guard(caller.company, TABLE, id)?;
    find_payroll(tx, caller, id)
}

/// Returns the payroll with some of its members, in the given order.
pub(in crate::pay::payrolls) fn payroll_details(
    tx: &mut Tx<'_>,
    caller: &Caller,
    payroll: Payroll,
    members: Vec<Member>,
) -> Result<PayrollDetails, Error> {
    let mut types = earning_types::rows::of_company(tx, caller.company)?;
    types.retain(|one| one.active);
    let earning_types: Arc<[EarningType]> = types.into();
    let mut employees = payroll_employees(tx, caller, &payroll, members, &earning_types)?;
    estimates::add_estimates(tx, caller, &payroll, &mut employees)?;
    let workweeks = workweek::of_payroll(tx, caller.company, &payroll)?;
    Ok(PayrollDetails { payroll, employees, earning_types, workweeks })
}

pub(in crate::pay::payrolls) fn payroll_employees(
    tx: &mut Tx<'_>,
    caller: &Caller,
    payroll: &Payroll,
    members: Vec<Member>,
    earning_types: &Arc<[EarningType]>,
) -> Result<Vec<PayrollEmployee>, Error> {
    let mut pay = pay::of_employees(tx, caller.company, members.iter().map(|member| member.id))?;
    let mut grants = Grants::of_payroll(tx, caller.company, payroll)?;
    let ids: Vec<Uuid> = members.iter().map(|member| member.id).collect();
    let inputs = inputs::inputs_of(tx, caller.company, payroll.id, &ids)?;
    let mut inputs: HashMap<Uuid, Input> = inputs.into_iter().map(|one| (one.employee, one)).collect();
    let outcomes = match payroll.run {
        Some(run) => results::of_employees(tx, caller.company, run, &ids)?,
        None => Vec::new(),
    };
    let mut outcomes: HashMap<Uuid, Outcome> = outcomes.into_iter().map(|one| (one.employee, one)).collect();
    let mut employees = Vec::with_capacity(members.len());
    for member in members {
        let id = member.id;
        let (input, outcome) = (inputs.remove(&id), outcomes.remove(&id));
        let garnishments = match &outcome {
            Some(_) => Vec::new(),
            None => sources::active_garnishments(tx, caller.company, IdRange::only(id))?
                .remove(&id)
                .unwrap_or_default(),
        };
        let recurring = match &outcome {
            Some(_) => Vec::new(),
            None => sources::recurring_reimbursements(tx, caller.company, payroll, IdRange::only(id))?
                .remove(&id)
                .unwrap_or_default(),
        };
        let pay = pay.remove(&id).unwrap_or_default();
        let salaried =
            salaried::standard_hours_by_job(tx, caller.company, payroll, (id, &pay), outcome.as_ref())?;
        let outcome =
            outcome.map(|outcome| outcome.read_paycheck().map(|paid| (outcome, paid))).transpose()?;
        let recurring = outcome.as_ref().map_or(recurring, |(_, paid)| paid.recurring.clone());
        let granted = match &outcome {
            Some((_, paid)) => paid.granted_hours_off(),
            None => {
                grants.read_employees(tx, caller.company, IdRange::only(id))?;
                grants.grants_of(id, &pay)
            }
        };
        let earning_types = Arc::clone(earning_types);
        employees.push(PayrollEmployee {
            member,
            input,
            pay,
            outcome,
            garnishments,
            recurring,
            granted,
            salaried,
            earning_types,
            make_ups: Vec::new(),
            unused: Vec::new(),
        });
    }
    Ok(employees)
}

impl PayrollEmployee {
    /// Returns the version of the employee in responses.
    pub fn employee_version(&self, payroll: Uuid) -> String {
        match &self.input {
            Some(input) => entry_version::employee_version(input, &self.granted),
            None => entry_version::employee_version(&Input::new(payroll, self.member.id), &self.granted),
        }
    }
}

/// Returns the current version of an employee in a payroll.
pub fn current_version(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
    employee: Uuid,
) -> Result<String, Error> {
    let input = Input::find(tx, company, payroll.id, employee)?;
    let pay = pay::of_employee(tx, company, employee)?;
    let mut grants = Grants::of_payroll(tx, company, payroll)?;
    grants.read_employees(tx, company, IdRange::only(employee))?;
    let input = input.unwrap_or_else(|| Input::new(payroll.id, employee));
    Ok(entry_version::employee_version(&input, &grants.grants_of(employee, &pay)))
}

/// Returns the employees in order, each once; refuses more than [`AT_ONCE`].
#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
pub(in crate::pay::payrolls) fn check_employee_ids(
    key: &str,
    ids: &Vec<String>,
) -> Result<Vec<String>, Violation> {
    let mut once = ids.clone();
    once.sort_unstable();
    once.dedup();
    if once.len() > AT_ONCE {
        return Err(Violation::invalid(key, format!("{key} must name at most {AT_ONCE} employees")));
    }
    Ok(once)
}

pub(in crate::pay::payrolls) fn refuse_unknown(unknown: &[String], checks: &mut Checks) {
    if unknown.is_empty() {
        return;
    }
    let entities: Vec<_> =
        unknown.iter().map(|id| json!({ "entity_type": "Employee", "entity_uuid": id })).collect();
    let message =
        "employee_uuids must name employees who have been onboarded and work by the end of the pay period";
    let violation = Violation::invalid("employee_uuids", message);
    checks.push(violation.with_metadata(json!({ "entities": entities })));
}

pub(in crate::pay::payrolls) fn read_flag(field: &Patch<bool>, key: &str, checks: &mut Checks) -> bool {
    field.optional(key, checks, as_is).unwrap_or(false)
}

#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
pub(in crate::pay::payrolls) fn check_frequency(
    key: &str,
    value: &String,
) -> Result<PayFrequency, Violation> {
    let known =
        |text: &str| PayFrequency::parse(text).filter(|frequency| WITHHOLDING_PERIODS.contains(frequency));
    check::parse_named(key, value, &WITHHOLDING_PERIODS.map(PayFrequency::as_str), known)
}

/// Refuses a change to a payroll that was submitted.
pub(in crate::pay::payrolls) fn refuse_submitted(one: &Payroll) -> Result<(), Error> {
    let message = match one {
        one if one.is_processed() => {
            "The payroll is processed and can no longer be changed; cancel it first."
        }
        one if one.is_stuck() => "The payroll was submitted and could not be processed; submit it once more.",
        one if one.submitted_at.is_some() => "The payroll was submitted and is being processed.",
        _ => return Ok(()),
    };
    Err(Error::from(Violation::invalid_operation(message)))
}

/// Stores a payroll that was read under its guard, with an audit entry.
pub(in crate::pay::payrolls) fn store_payroll(
    tx: &mut Tx<'_>,
    caller: &Caller,
    one: &mut Payroll,
    action: &'static str,
) -> Result<(), Error> {
    assert!(rows::update_payroll(tx, caller.company, one)?, "the row was read under its guard");
    one.version += 1;
    audit::record_audit_entry(tx, caller, action, (TABLE, one.id), &json!({}))
}
