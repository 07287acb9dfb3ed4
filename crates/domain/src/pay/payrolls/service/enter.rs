//! Preparing a payroll, and entering hours, amounts and other inputs for its employees.
//!
//! Each employee in a payroll has a separate version, so two clients that enter data for different employees do not conflict.

use jiff::civil::Date;
use rules::days::Days;
use rules::payroll::MINIMUM_WAGE_ADJUSTMENT;
use rules::{Amount, Category, Checks, Violation};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::company::locations;
use crate::error::{Error, Stale};
use crate::events;
use crate::paging::{Listed, Page, Paging, SortBy};
use crate::patch::{self, as_is};
use crate::pay::compensations::rows as pay;
use crate::pay::earning_types;
use crate::pay::earning_types::rows::EarningType;
use crate::pay::earning_types::service::same_name;
use crate::pay::payrolls::calendar::members;
use crate::pay::payrolls::calendar::members::{Member, MemberKey};
use crate::pay::payrolls::entry::entry_version::Reading;
use crate::pay::payrolls::entry::granted::Grants;
use crate::pay::payrolls::entry::known::Known;
use crate::pay::payrolls::entry::returned_values::ReturnedValues;
use crate::pay::payrolls::entry::{entry_version, salaried, time_off};
use crate::pay::payrolls::facts::sources;
use crate::pay::payrolls::record::commands::{HourlyLine, PreparePayroll, UpdateEmployee, UpdatePayroll};
use crate::pay::payrolls::record::inputs::Input;
use crate::pay::payrolls::record::kinds::TimeOffKind;
use crate::pay::payrolls::record::paycheck::Paid;
use crate::pay::payrolls::record::paycheck_inputs::GarnishmentInput;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::results::Outcome;
use crate::pay::payrolls::record::time_off::Granted;
use crate::pay::payrolls::record::{results, runs, workweek};
use crate::pay::payrolls::service::details::{
    AT_ONCE, PayrollDetails, check_employee_ids, check_frequency, find_guarded, payroll_details,
    refuse_submitted, refuse_unknown, store_payroll,
};
use crate::pay::payrolls::service::estimates;
use crate::pay::reimbursements;
use crate::people::employees::rows::DIRECT_DEPOSIT;
use crate::people::employment::Employment;
use crate::people::{employment, payment_methods};
use crate::platform::jobs;
use crate::records::{IdRange, id_of};
use crate::version::Change;

/// Prepares a payroll for data entry: discards an earlier calculation. Returns the payroll with a page of its employees, or with the
/// employees that the request names.
///
/// # Errors
/// "Not found"; 422 for one that was submitted, and for employees that are not in it; a store error.
pub fn prepare_payroll(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &PreparePayroll,
    sort: &[SortBy<MemberKey>],
    page: Page,
) -> Result<(PayrollDetails, Paging), Error> {
    let mut one = find_guarded(tx, caller, id)?;
    refuse_submitted(&one)?;
    let mut checks = Checks::new();
    let asked = input
        .employee_uuids
        .optional("employee_uuids", &mut checks, check_employee_ids)
        .filter(|ids| !ids.is_empty());
    let mut some = Vec::new();
    let mut unknown = Vec::new();
    for employee in asked.iter().flatten() {
        match members::find_member(tx, caller.company, &one, id_of(employee))? {
            Some(member) => some.push(member),
            None => unknown.push(employee.clone()),
        }
    }
    refuse_unknown(&unknown, &mut checks);
    checks.finish()?;
    if !one.prepared || one.request.is_some() {
        let calculated = one.request.is_some();
        one.prepared = true;
        one.forget_calculation();
        jobs::cancel_job(tx, caller.company, jobs::JobKind::PayrollCalculate, id)?;
        store_payroll(tx, caller, &mut one, "prepared")?;
        if calculated {
            events::emit_event(tx, caller.company, events::PAYROLL_UPDATED, id)?;
        }
    }
    let (members, paging) = match asked {
        Some(_) => {
            let named = some.len() as i64;
            (some, Some((1, named.max(1), named)))
        }
        None => {
            let members = members::list_members(tx, caller.company, &one, sort, page)?;
            let listed =
                Listed::new(page, Vec::<()>::new(), || members::count_members(tx, caller.company, &one))?;
            (members, listed.paging)
        }
    };
    Ok((payroll_details(tx, caller, one, members)?, paging))
}

/// Enters hours, amounts and other inputs for employees, and returns those employees.
///
/// # Errors
/// "Not found"; 409 (422 before version 2026-02-01) for a stale version; every violation; a store error.
pub fn update_payroll(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &UpdatePayroll,
) -> Result<PayrollDetails, Error> {
    let mut one = find_guarded(tx, caller, id)?;
    refuse_submitted(&one)?;
    if !one.prepared {
        return Err(Error::from(Violation::invalid_operation("Prepare the payroll before entering data.")));
    }
    let mut checks = Checks::new();
    let before = (one.withholding_pay_period, one.skip_regular_deductions, one.fixed_withholding_rate);
    let (period, skip) = (&mut one.withholding_pay_period, &mut one.skip_regular_deductions);
    input.withholding_pay_period.update("withholding_pay_period", &mut checks, check_frequency, period);
    input.skip_regular_deductions.update("skip_regular_deductions", &mut checks, as_is, skip);
    let fixed_rate = &mut one.fixed_withholding_rate;
    input.fixed_withholding_rate.update("fixed_withholding_rate", &mut checks, as_is, fixed_rate);
    let short = |key: &str, lines: &Vec<UpdateEmployee>| {
        if lines.len() <= AT_ONCE {
            return Ok(());
        }
        Err(Violation::invalid(key, format!("{key} must have at most {AT_ONCE} items")))
    };
    let lines = input.employee_compensations.required("employee_compensations", &mut checks, short);
    let lines = if lines.is_some() { input.employee_compensations.value() } else { None };
    let mut changed = Vec::new();
    let mut members = Vec::new();
    for line in lines.into_iter().flatten() {
        match enter_employee(tx, caller, &one, line, &mut checks)? {
            Some((member, row)) if !members.iter().any(|known: &Member| known.id == member.id) => {
                members.push(member);
                changed.extend(row);
            }
            Some((member, _)) => {
                let message = format!("employee {} is listed twice", member.id);
                checks.push(Violation::invalid("employee_uuid", message));
            }
            None => {}
        }
    }
    checks.finish()?;
    for row in &changed {
        if row.version == 0 && Input::find(tx, caller.company, id, row.employee)?.is_none() {
            Input { version: 1, ..row.clone() }.insert(tx, caller.company)?;
        } else {
            assert!(row.update(tx, caller.company)?, "the row was read under the payroll's guard");
        }
    }
    let after = (one.withholding_pay_period, one.skip_regular_deductions, one.fixed_withholding_rate);
    if !changed.is_empty() || before != after {
        one.inputs += 1;
        one.forget_calculation();
        jobs::cancel_job(tx, caller.company, jobs::JobKind::PayrollCalculate, id)?;
        store_payroll(tx, caller, &mut one, "updated")?;
        events::emit_event(tx, caller.company, events::PAYROLL_UPDATED, id)?;
    }
    payroll_details(tx, caller, one, members)
}

/// Refuses a change from check to Direct Deposit for an employee without a bank account to be paid to. A Direct Deposit that responses
/// already returned is accepted, because clients send back what they read.
fn refuse_deposit(
    tx: &mut Tx<'_>,
    caller: &Caller,
    member: &Member,
    (before, after): (&Input, &Input),
    checks: &mut Checks,
) -> Result<(), Error> {
    let told = |input: &Input| {
        let method = input.entered.payment_method.as_deref().unwrap_or(&member.payment_method);
        method == DIRECT_DEPOSIT
    };
    if told(before) || !told(after) {
        return Ok(());
    }
    let plans = payment_methods::rows::plans_between(tx, caller.company, IdRange::only(member.id))?;
    checks.require(!plans.is_empty(), || {
        let message =
            "payment_method can be Direct Deposit only for employees whose payment method names a bank account";
        Violation::invalid("payment_method", message)
    });
    Ok(())
}

/// Returns the company's locations if a line of hours names one; otherwise none.
fn locations_for(tx: &mut Tx<'_>, caller: &Caller, line: &UpdateEmployee) -> Result<Vec<Uuid>, Error> {
    let names_one = |line: &HourlyLine| line.location_uuid.value().is_some();
    if !line.hourly_compensations.value().is_some_and(|lines| lines.iter().any(names_one)) {
        return Ok(Vec::new());
    }
    let locations = locations::rows::of_company(tx, caller.company)?;
    Ok(locations.into_iter().map(|place| place.id).collect())
}

/// The data that the lines of an update can refer to, and the values that responses return for the employee.
struct Facts {
    pay: pay::Pay,
    employment: Employment,
    garnishments: Vec<GarnishmentInput>,
    types: Vec<EarningType>,
    granted: Granted,
    recurring: Vec<Uuid>,
    locations: Vec<Uuid>,
    workweek: Option<Date>,
    policies: Vec<(Uuid, TimeOffKind)>,
    calculated: Option<(Outcome, Paid)>,
    unused: Option<Vec<(TimeOffKind, Amount)>>,
    salaried: Vec<(Uuid, Amount)>,
    make_ups: Vec<(Uuid, Amount)>,
}

impl Facts {
    fn read(
        tx: &mut Tx<'_>,
        caller: &Caller,
        one: &Payroll,
        (member, version): (&Member, i64),
        line: &UpdateEmployee,
    ) -> Result<Self, Error> {
        let (company, bounds) = (caller.company, IdRange::only(member.id));
        let pay = pay::of_employee(tx, company, member.id)?;
        let garnishments = sources::active_garnishments(tx, company, bounds)?.remove(&member.id);
        let types = earning_types::rows::of_company(tx, company)?;
        let mut grants = Grants::of_payroll(tx, company, one)?;
        grants.read_employees(tx, company, bounds)?;
        let recurring = reimbursements::rows::of_employee(tx, company, member.id)?;
        let calculated = calculated_result(tx, company, one, (member.id, version))?;
        let make_ups = match says_make_up(line) {
            true => make_ups(tx, caller, one, (member, &pay), calculated.as_ref())?,
            false => Vec::new(),
        };
        let outcome = calculated.as_ref().map(|(outcome, _)| outcome).filter(|_| one.run.is_some());
        Ok(Self {
            make_ups,
            granted: grants.grants_of(member.id, &pay),
            salaried: salaried::standard_hours_by_job(tx, company, one, (member.id, &pay), outcome)?,
            pay,
            employment: employment::rows::of_employee(tx, company, member.id)?,
            garnishments: garnishments.unwrap_or_default(),
            types,
            recurring: recurring.iter().map(|one| one.id).collect(),
            locations: locations_for(tx, caller, line)?,
            workweek: match is_divided(line) {
                true => Some(workweek::first_day(tx, company, one)?),
                false => None,
            },
            policies: time_off::lines_of(tx, company, member.id)?,
            calculated,
            unused: match says_paid_out(line) {
                true => estimates::unused_time_off(tx, caller, one, member)?,
                false => None,
            },
        })
    }

    /// Returns the hours off in the lines of an update, in millionths. Violations of a line are reported when it is entered.
    fn hours_off(&self, line: &UpdateEmployee) -> Vec<(TimeOffKind, Amount)> {
        let mut told_later = Checks::new();
        let lines = line.paid_time_off.value().into_iter().flatten();
        let said = lines.filter_map(|line| {
            let hours = *line.hours.value()?;
            Some((time_off::read_time_off_kind(line, &self.policies, &mut told_later)?, hours))
        });
        said.collect()
    }

    /// Returns the data that lines are checked against; `as_read`: whether the update sends hours off back unchanged, although the current
    /// ones differ.
    fn known_data<'k>(&'k self, one: &'k Payroll, member: &'k Member, as_read: bool) -> Known<'k> {
        Known {
            period: Days { first: one.start, last: one.end },
            pay: &self.pay,
            employment: &self.employment,
            types: &self.types,
            locations: &self.locations,
            workweek: self.workweek,
            policies: &self.policies,
            told: ReturnedValues {
                payroll: one,
                payment_method: &member.payment_method,
                garnishments: &self.garnishments,
                granted: &self.granted,
                recurring: &self.recurring,
                calculated: self.calculated.as_ref(),
                unused: self.unused.as_deref(),
                salaried: &self.salaried,
                as_read,
                make_ups: &self.make_ups,
            },
        }
    }
}

/// Whether an update divides hours or an amount by workweek.
fn is_divided(line: &UpdateEmployee) -> bool {
    let mut hourly = line.hourly_compensations.value().into_iter().flatten();
    let mut fixed = line.fixed_compensations.value().into_iter().flatten();
    hourly.any(|line| line.breakdowns.value().is_some())
        || fixed.any(|line| line.breakdowns.value().is_some())
}

/// Whether an update gives the number of unused hours to pay out.
fn says_paid_out(line: &UpdateEmployee) -> bool {
    let mut lines = line.paid_time_off.value().into_iter().flatten();
    lines.any(|line| line.final_payout_unused_hours_input.value().is_some())
}

/// Whether an update has an amount for the minimum wage adjustment.
fn says_make_up(line: &UpdateEmployee) -> bool {
    let mut lines = line.fixed_compensations.value().into_iter().flatten();
    lines.any(|line| line.name.value().is_some_and(|name| same_name(name, MINIMUM_WAGE_ADJUSTMENT)))
}

/// Returns the minimum wage adjustments of jobs as responses return them: from the last calculation, and by the current inputs.
fn make_ups(
    tx: &mut Tx<'_>,
    caller: &Caller,
    one: &Payroll,
    (member, pay): (&Member, &pay::Pay),
    calculated: Option<&(Outcome, Paid)>,
) -> Result<Vec<(Uuid, Amount)>, Error> {
    let foreseen = estimates::make_ups(tx, caller, one, (member, pay))?;
    let of_run = calculated.iter().flat_map(|(_, paid)| &paid.jobs);
    let of_run: Vec<Amount> = of_run.map(|job| job.make_up).collect();
    let jobs = || pay.jobs.iter().filter(|job| job.hire_date <= one.end).map(|job| job.id);
    Ok(jobs().zip(of_run).chain(jobs().zip(foreseen)).collect())
}

/// Returns the last calculation's result for the employee, even if discarded, if it used the current inputs, whose version is `version`:
/// responses returned it until it was discarded.
fn calculated_result(
    tx: &mut Tx<'_>,
    company: Uuid,
    one: &Payroll,
    (employee, version): (Uuid, i64),
) -> Result<Option<(Outcome, Paid)>, Error> {
    let run = match one.run {
        None if one.was_calculated => runs::last_run(tx, company, one.id)?,
        run => run,
    };
    let Some(run) = run else { return Ok(None) };
    let Some(outcome) = results::find_outcome(tx, company, run, employee)? else { return Ok(None) };
    let paid = outcome.read_paycheck()?;
    Ok((paid.entry == version).then_some((outcome, paid)))
}

/// Returns the employee, and the record to store if anything changes; adds violations to `checks` under the employee.
///
/// # Errors
/// 409 for a stale version from version 2026-02-01 on; a store error.
fn enter_employee(
    tx: &mut Tx<'_>,
    caller: &Caller,
    one: &Payroll,
    line: &UpdateEmployee,
    checks: &mut Checks,
) -> Result<Option<(Member, Option<Input>)>, Error> {
    let renamed = caller.version.includes_change(Change::FaultsUnderTheirField);
    let outer = if renamed { "employee_compensations" } else { "payroll_items" };
    let mut own = Checks::new();
    let id = line.employee_uuid.required("employee_uuid", &mut own, |_, id| Ok(id_of(id)));
    let version = patch::check_version(&line.version, &mut own);
    let member = match id {
        Some(id) => members::find_member(tx, caller.company, one, id)?,
        None => None,
    };
    own.require(id.is_none() || member.is_some(), || {
        Violation::invalid("employee_uuid", "employee_uuid must be the uuid of an employee of the payroll")
    });
    let nested = |violations: Vec<Violation>| {
        let named = line.employee_uuid.value().map(String::as_str).unwrap_or_default();
        let metadata = json!({ "entity_type": "Employee", "entity_uuid": named });
        Violation::nested(outer, violations).with_metadata(metadata)
    };
    let Some(member) = member else {
        checks.extend(own.finish().err().map(nested));
        return Ok(None);
    };
    let held = Input::find(tx, caller.company, one.id, member.id)?;
    let before = held.unwrap_or_else(|| Input::new(one.id, member.id));
    let mut after = before.clone();
    line.excluded.update("excluded", &mut own, as_is, &mut after.excluded);
    let facts = Facts::read(tx, caller, one, (&member, before.version), line)?;
    let told = (&before, &facts.granted);
    let reading = version
        .as_deref()
        .map(|version| entry_version::compare_version(version, told, &facts.hours_off(line)));
    let as_read = reading == Some(Reading::OfOtherHours);
    after.entered.merge_update(tx, caller.version, &facts.known_data(one, &member, as_read), line, &mut own);
    refuse_deposit(tx, caller, &member, (&before, &after), &mut own)?;
    if reading == Some(Reading::Stale) {
        let current = entry_version::employee_version(&before, &facts.granted);
        if caller.version.includes_change(Change::StaleEntriesConflict) {
            let differing = if before == after { Vec::new() } else { vec!["employee_compensations"] };
            return Err(Error::Stale(Stale { current, differing }));
        }
        let message = "What was entered for the employee, or the time off that is paid, has changed since you read it. Prepare the \
                       payroll again.";
        let stale = Violation::new("base", Category::InvalidResourceVersion, message);
        own.push(stale.with_metadata(json!({ "current_version": current })));
    }
    let changed = before != after;
    match own.finish() {
        Ok(()) => Ok(Some((member, changed.then_some(after)))),
        Err(violations) => {
            checks.push(nested(violations));
            Ok(None)
        }
    }
}
