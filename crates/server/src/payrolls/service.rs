//! What can be done with payrolls.

use jiff::ToSpan;
use jiff::civil::Date;
use rules::withholding::federal::PayFrequency;
use rules::{Category, Checks, Violation, check};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::entered::Entered;
use super::members::{self, Member, Order};
use super::rows::{self, Filter, InputRow, Payroll, Request};
use super::shapes::{
    self, Blocker, CreatePayroll, PreparePayroll, SubmitPayroll, UpdateEmployeeCompensation, UpdatePayroll,
};
use super::view::{self, Include, Told, input_version};
use super::{TABLE, deadline, earliest_check_date, entered, paid, regular, run, sources};
use crate::auth::Caller;
use crate::compensations::rows as pay;
use crate::error::{Error, Stale};
use crate::field::{Field, as_is};
use crate::paging::{Listed, Page, Paging};
use crate::pay_schedules::rows as schedules;
use crate::records::{Changes, id_of, room_for};
use crate::version::ApiVersion;
use crate::{audit, companies, events, jobs, locations};

/// Employees of one request at the most.
const AT_ONCE: usize = 100;
/// Payrolls of a company that are not submitted, at the most.
const MOST_OPEN: usize = 1_000;
/// Months before today from which payrolls are listed without a first day.
const MONTHS_BACK: i64 = 6;
/// Months after today until which they can be asked for.
const MONTHS_AHEAD: i64 = 3;
/// Days of a pay period at the most.
const LONGEST: i64 = 366;

/// The reasons for which a payroll can be made.
const REASONS: [&str; 5] =
    ["Bonus", "Correction", "Adhoc", "Dismissed employee", "Transition from old pay schedule"];
/// As how often wages can be said to be paid.
const PERIODS: [PayFrequency; 7] = [
    PayFrequency::EveryWeek,
    PayFrequency::EveryOtherWeek,
    PayFrequency::TwicePerMonth,
    PayFrequency::Monthly,
    PayFrequency::Quarterly,
    PayFrequency::Semiannually,
    PayFrequency::Annually,
];

/// What a list asks for.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// words of processing_statuses
    pub statuses: Vec<&'static str>,
    /// words of payroll_types
    pub types: Vec<&'static str>,
    /// first day
    pub start: Option<Date>,
    /// last day
    pub end: Option<Date>,
    /// whether the days are of the pay date
    pub by_check_date: bool,
    /// the newest first
    pub descending: bool,
}

/// A page of payrolls.
///
/// # Errors
/// 422 for days that cannot be; a store error.
pub fn list(
    tx: &mut Tx<'_>,
    caller: &Caller,
    asked: &Asked,
    include: Include,
    page: Page,
) -> Result<Listed<shapes::Payroll>, Error> {
    let today = caller.today(tx);
    let until = asked.end.unwrap_or(today);
    let from = asked.start.unwrap_or_else(|| until.min(today).saturating_sub(MONTHS_BACK.months()));
    let mut checks = Checks::new();
    let farthest = today.saturating_add(MONTHS_AHEAD.months());
    let wrong = |message: String| Violation::new("end_date", Category::InvalidParameter, message);
    checks.require(until <= farthest, || wrong(format!("end_date must not be after {farthest}")));
    checks.require(from <= until, || wrong(format!("end_date must not be before start_date, {from}")));
    checks.require(until <= from.saturating_add(1.years()), || {
        wrong("end_date must not be more than one year after start_date".to_owned())
    });
    checks.finish()?;
    let either = |words: &[&str], yes: &str, no: &str| match (words.contains(&yes), words.contains(&no)) {
        (true, true) => None,
        (one, _) => Some(one),
    };
    let statuses: &[&str] = if asked.statuses.is_empty() { &["processed"] } else { &asked.statuses };
    let types: &[&str] = if asked.types.is_empty() { &["regular"] } else { &asked.types };
    if types == ["external"] {
        return Ok(Listed::slice(page, Vec::new()));
    }
    let filter = Filter {
        from,
        until,
        by_check_date: asked.by_check_date,
        processed: either(statuses, "processed", "unprocessed"),
        off_cycle: either(types, "off_cycle", "regular"),
        descending: asked.descending,
    };
    let found = rows::list(tx, caller.company, &filter, page)?;
    let now = tx.now();
    let told = found.iter().map(|one| view::payroll(caller, now, one, include)).collect();
    Listed::new(page, told, || rows::count(tx, caller.company, &filter))
}

/// The payroll with a page of its employees; the paging is that of the employees.
///
/// # Errors
/// "Not found"; a store error.
pub fn get(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    include: Include,
    order: Order,
    page: Page,
) -> Result<(shapes::Payroll, Paging), Error> {
    let one = find(tx, caller, id)?;
    let now = tx.now();
    let mut told = view::payroll(caller, now, &one, include);
    let members = members::page(tx, caller.company, &one, order, page)?;
    told.employee_compensations = Some(employees(tx, caller, &one, &members, include)?);
    let listed = Listed::new(page, Vec::<()>::new(), || members::count(tx, caller.company, &one))?;
    Ok((told, listed.paging))
}

/// The payroll, or "not found".
///
/// # Errors
/// "Not found"; a store error.
pub fn find(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Payroll, Error> {
    rows::find(tx, caller.company, id)?.ok_or(Error::NotFound)
}

fn find_guarded(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<Payroll, Error> {
    tx.guard(caller.company, TABLE, id)?;
    find(tx, caller, id)
}

/// What the payroll has for some members, in their order.
fn employees(
    tx: &mut Tx<'_>,
    caller: &Caller,
    one: &Payroll,
    members: &[Member],
    include: Include,
) -> Result<Vec<shapes::EmployeeCompensation>, Error> {
    let jobs = pay::of_employees(tx, caller.company, members.iter().map(|member| member.id))?;
    let nothing = pay::Pay::default();
    let mut told = Vec::with_capacity(members.len());
    for member in members {
        let input = rows::find_input(tx, caller.company, one.id, member.id)?;
        let outcome = match one.run {
            Some(run) => paid::find(tx, caller.company, run, member.id)?,
            None => None,
        };
        let bounds = (member.id, member.id);
        let garnishments = match &outcome {
            Some(_) => Vec::new(),
            None => sources::garnishments(tx, caller.company, bounds)?.remove(&member.id).unwrap_or_default(),
        };
        let one = Told {
            payroll: one,
            member,
            input: input.as_ref(),
            pay: jobs.get(&member.id).unwrap_or(&nothing),
            outcome: outcome.as_ref(),
            garnishments: &garnishments,
        };
        told.push(one.tell(caller, include));
    }
    Ok(told)
}

/// Creates a payroll outside the schedule.
///
/// # Errors
/// Every violation of the input; a store error.
pub fn create(tx: &mut Tx<'_>, caller: &Caller, input: &CreatePayroll) -> Result<shapes::Payroll, Error> {
    let today = caller.today(tx);
    let now = tx.now();
    let mut checks = Checks::new();
    if let Some(false) = input.off_cycle.required("off_cycle", &mut checks, as_is) {
        let message = "off_cycle must be true: regular payrolls follow from the pay schedule";
        checks.push(Violation::invalid("off_cycle", message));
    }
    let reason = |key: &str, value: &String| check::one_of(key, value, &REASONS);
    let reason = input.off_cycle_reason.required("off_cycle_reason", &mut checks, reason);
    let date = |key: &str, value: &String| check::date(key, value);
    let start = input.start_date.required("start_date", &mut checks, date);
    let end = input.end_date.required("end_date", &mut checks, date);
    if let (Some(start), Some(end)) = (start, end) {
        let fits = start <= end && end <= start.saturating_add(LONGEST.days());
        checks.require(fits, || {
            let message =
                format!("end_date must not be before start_date, {start}, nor more than a year after it");
            Violation::invalid("end_date", message)
        });
    }
    let check_only = flag(&input.is_check_only_payroll, "is_check_only_payroll", &mut checks);
    let check_date = pay_date(tx, caller, input, check_only, &mut checks);
    let period = input.withholding_pay_period.optional("withholding_pay_period", &mut checks, frequency);
    let skip = flag(&input.skip_regular_deductions, "skip_regular_deductions", &mut checks);
    let fixed_rate = flag(&input.fixed_withholding_rate, "fixed_withholding_rate", &mut checks);
    let own = schedules::of_employees(tx, caller.company)?;
    let schedule = schedule_left(tx, caller, &input.pay_schedule_uuid, &mut checks)?;
    let chosen = chosen(tx, caller, &input.employee_uuids, end, &mut checks)?;
    checks.finish()?;
    let open = rows::count_unsubmitted(tx, caller.company)?;
    room_for("payrolls that are not submitted", usize::try_from(open).unwrap_or(usize::MAX), MOST_OPEN)?;

    let frequency = own.map_or(period.unwrap_or(PayFrequency::EveryOtherWeek), |own| own.terms.frequency);
    let new = Payroll {
        id: tx.new_id(),
        pay_schedule: schedule,
        start: start.unwrap_or(today),
        end: end.unwrap_or(today),
        check_date,
        initial_check_date: check_date,
        off_cycle: true,
        off_cycle_reason: reason.map(str::to_owned),
        chosen_employees: chosen.is_some(),
        frequency,
        withholding_pay_period: period.unwrap_or(frequency),
        skip_regular_deductions: skip,
        fixed_withholding_rate: fixed_rate,
        check_only,
        prepared: false,
        inputs: 0,
        request: None,
        request_errors: "[]".to_owned(),
        run: None,
        base: None,
        calculated_at: None,
        submitted_at: None,
        processed_at: None,
        run_number: None,
        paid_at: None,
        totals: "{}".to_owned(),
        version: 1,
        created_at: now,
    };
    store_new(tx, caller, &new, chosen)
}

fn store_new(
    tx: &mut Tx<'_>,
    caller: &Caller,
    new: &Payroll,
    chosen: Option<Vec<Uuid>>,
) -> Result<shapes::Payroll, Error> {
    rows::insert(tx, caller.company, new)?;
    for employee in chosen.iter().flatten() {
        let row = InputRow { employee: *employee, excluded: false, inputs: "{}".to_owned(), version: 0 };
        rows::insert_input(tx, caller.company, new.id, &row)?;
    }
    audit::record(tx, caller, "created", (TABLE, new.id), &json!({}))?;
    events::emit(tx, caller.company, events::PAYROLL_CREATED, new.id)?;
    let mut told = get(tx, caller, new.id, Include::default(), Order::Age, forced(Page::Whole))?.0;
    told.fixed_compensation_types = Some(fixed_compensation_types(caller));
    Ok(told)
}

/// The schedule that a new payroll names.
fn schedule_left(
    tx: &mut Tx<'_>,
    caller: &Caller,
    field: &Field<String>,
    checks: &mut Checks,
) -> Result<Option<Uuid>, Error> {
    let Some(id) = field.optional("pay_schedule_uuid", checks, |_, id| Ok(id_of(id))) else {
        return Ok(None);
    };
    if schedules::find(tx, caller.company, id)?.is_none() {
        let message = "pay_schedule_uuid must be that of a pay schedule of the company";
        checks.push(Violation::invalid("pay_schedule_uuid", message));
    }
    Ok(Some(id))
}

/// When a new payroll pays: as it says, or as soon as can be.
fn pay_date(
    tx: &Tx<'_>,
    caller: &Caller,
    input: &CreatePayroll,
    check_only: bool,
    checks: &mut Checks,
) -> Date {
    let today = caller.today(tx);
    let earliest = if check_only { today } else { earliest_check_date(tx.now(), today) };
    let fits = |key: &str, value: &String| {
        let day = check::date(key, value)?;
        if day >= earliest && day <= today.saturating_add(1.years()) {
            return Ok(day);
        }
        let message = format!("{key} must not be before {earliest}, nor more than a year ahead");
        Err(Violation::invalid(key, message))
    };
    input.check_date.optional("check_date", checks, fits).unwrap_or(earliest)
}

/// Whom a new payroll is for; `None` for everybody.
fn chosen(
    tx: &mut Tx<'_>,
    caller: &Caller,
    field: &Field<shapes::Ids>,
    end: Option<Date>,
    checks: &mut Checks,
) -> Result<Option<Vec<Uuid>>, Error> {
    let ids = field.optional("employee_uuids", checks, few).filter(|ids| !ids.is_empty());
    let Some(ids) = ids else {
        checks.require(caller.version < ApiVersion::V2026_06_15 || matches!(field, Field::Wrong), || {
            Violation::invalid("employee_uuids", "employee_uuids must name at least one employee")
        });
        return Ok(None);
    };
    let mut unknown = Vec::new();
    for id in &ids {
        if !members::could_be(tx, caller.company, end.unwrap_or(Date::MAX), id_of(id))? {
            unknown.push(id.clone());
        }
    }
    refuse_unknown(&unknown, checks);
    let mut ids: Vec<Uuid> = ids.iter().map(|id| id_of(id)).collect();
    ids.sort_unstable();
    ids.dedup();
    Ok(Some(ids))
}

/// A list of at most [`AT_ONCE`] employees, each once.
fn few(key: &str, ids: &shapes::Ids) -> Result<Vec<String>, Violation> {
    let mut once = ids.0.clone();
    once.sort_unstable();
    once.dedup();
    if once.len() > AT_ONCE {
        return Err(Violation::invalid(key, format!("{key} must name at most {AT_ONCE} employees")));
    }
    Ok(once)
}

fn refuse_unknown(unknown: &[String], checks: &mut Checks) {
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

fn flag(field: &Field<bool>, key: &str, checks: &mut Checks) -> bool {
    field.optional(key, checks, as_is).unwrap_or(false)
}

#[expect(clippy::ptr_arg, reason = "has the shape of every other check")]
fn frequency(key: &str, value: &String) -> Result<PayFrequency, Violation> {
    let known = |text: &str| PayFrequency::parse(text).filter(|frequency| PERIODS.contains(frequency));
    check::named(key, value, &PERIODS.map(PayFrequency::as_str), known)
}

/// Employees of a payroll always come in pages.
pub fn forced(page: Page) -> Page {
    if page == Page::Whole { Page::Part { page: 1, per: 25 } } else { page }
}

/// The names that lines of pay can have.
fn fixed_compensation_types(caller: &Caller) -> Vec<shapes::FixedCompensationType> {
    let older = caller.version < ApiVersion::V2025_11_15;
    let names = entered::FIXED.into_iter().chain(older.then_some(entered::REIMBURSEMENT));
    names.map(|name| shapes::FixedCompensationType { name }).collect()
}

/// Makes a payroll ready to be entered into: what was calculated is forgotten.
///
/// # Errors
/// "Not found"; 422 for one that was submitted, and for employees that are not in it; a store error.
pub fn prepare(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &PreparePayroll,
    order: Order,
    page: Page,
) -> Result<shapes::Payroll, Error> {
    let mut one = find_guarded(tx, caller, id)?;
    refuse_submitted(&one)?;
    let mut checks = Checks::new();
    let asked =
        input.employee_uuids.optional("employee_uuids", &mut checks, few).filter(|ids| !ids.is_empty());
    let mut some = Vec::new();
    let mut unknown = Vec::new();
    for employee in asked.iter().flatten() {
        match members::find(tx, caller.company, &one, id_of(employee))? {
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
        jobs::cancel(tx, caller.company, jobs::Kind::PayrollCalculate, id)?;
        store(tx, caller, &mut one, "prepared")?;
        if calculated {
            events::emit(tx, caller.company, events::PAYROLL_UPDATED, id)?;
        }
    }
    let now = tx.now();
    let mut told = view::payroll(caller, now, &one, Include::default());
    told.fixed_compensation_types = Some(fixed_compensation_types(caller));
    let members = match asked {
        Some(_) => some,
        None => members::page(tx, caller.company, &one, order, page)?,
    };
    told.employee_compensations = Some(employees(tx, caller, &one, &members, Include::default())?);
    Ok(told)
}

/// Refuses a change of a payroll that was submitted.
fn refuse_submitted(one: &Payroll) -> Result<(), Error> {
    let message = match one {
        one if one.is_processed() => {
            "The payroll was processed and cannot be changed any more; cancel it first."
        }
        one if one.submitted_at.is_some() => "The payroll was submitted and is being processed.",
        _ => return Ok(()),
    };
    Err(Error::from(Violation::operation(message)))
}

/// Stores a payroll that was read under its guard, with an audit entry.
fn store(tx: &mut Tx<'_>, caller: &Caller, one: &mut Payroll, action: &'static str) -> Result<(), Error> {
    assert!(rows::update(tx, caller.company, one)?, "the row was read under its guard");
    one.version += 1;
    audit::record(tx, caller, action, (TABLE, one.id), &json!({}))
}

/// Enters hours, amounts and whatever else for employees; only those that were sent are told.
///
/// # Errors
/// "Not found"; 409 (422 before version 2026-02-01) for a stale version; every violation; a store error.
pub fn update(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &UpdatePayroll,
) -> Result<shapes::Payroll, Error> {
    let mut one = find_guarded(tx, caller, id)?;
    refuse_submitted(&one)?;
    if !one.prepared {
        return Err(Error::from(Violation::operation(
            "Prepare the payroll before anything is entered into it.",
        )));
    }
    let mut checks = Checks::new();
    let before = (one.withholding_pay_period, one.skip_regular_deductions, one.fixed_withholding_rate);
    let (period, skip) = (&mut one.withholding_pay_period, &mut one.skip_regular_deductions);
    input.withholding_pay_period.update("withholding_pay_period", &mut checks, frequency, period);
    input.skip_regular_deductions.update("skip_regular_deductions", &mut checks, as_is, skip);
    let fixed_rate = &mut one.fixed_withholding_rate;
    input.fixed_withholding_rate.update("fixed_withholding_rate", &mut checks, as_is, fixed_rate);
    let short = |key: &str, lines: &Vec<UpdateEmployeeCompensation>| {
        if lines.len() <= AT_ONCE {
            return Ok(());
        }
        Err(Violation::invalid(key, format!("{key} must have at most {AT_ONCE} items")))
    };
    let lines = input.employee_compensations.required("employee_compensations", &mut checks, short);
    let lines = if lines.is_some() { input.employee_compensations.given() } else { None };
    let mut changed = Vec::new();
    let mut members = Vec::new();
    for line in lines.into_iter().flatten() {
        match enter(tx, caller, &one, line, &mut checks)? {
            Some((member, row)) if !members.iter().any(|known: &Member| known.id == member.id) => {
                members.push(member);
                changed.extend(row);
            }
            Some((member, _)) => {
                let message = format!("employee {} stands in the list twice", member.id);
                checks.push(Violation::invalid("employee_uuid", message));
            }
            None => {}
        }
    }
    checks.finish()?;
    for row in &changed {
        if row.version == 0 && rows::find_input(tx, caller.company, id, row.employee)?.is_none() {
            rows::insert_input(tx, caller.company, id, &InputRow { version: 1, ..row.clone() })?;
        } else {
            assert!(
                rows::update_input(tx, caller.company, id, row)?,
                "the row was read under the payroll's guard"
            );
        }
    }
    let after = (one.withholding_pay_period, one.skip_regular_deductions, one.fixed_withholding_rate);
    if !changed.is_empty() || before != after {
        one.inputs += 1;
        one.forget_calculation();
        jobs::cancel(tx, caller.company, jobs::Kind::PayrollCalculate, id)?;
        store(tx, caller, &mut one, "updated")?;
        events::emit(tx, caller.company, events::PAYROLL_UPDATED, id)?;
    }
    let now = tx.now();
    let mut told = view::payroll(caller, now, &one, Include::default());
    told.fixed_compensation_types = Some(fixed_compensation_types(caller));
    told.employee_compensations = Some(employees(tx, caller, &one, &members, Include::default())?);
    Ok(told)
}

/// What is to be stored for an employee, if anything changes; violations go into `checks` under the employee.
///
/// # Errors
/// 409 for a stale version from version 2026-02-01 on; a store error.
fn enter(
    tx: &mut Tx<'_>,
    caller: &Caller,
    one: &Payroll,
    line: &UpdateEmployeeCompensation,
    checks: &mut Checks,
) -> Result<Option<(Member, Option<InputRow>)>, Error> {
    let outer =
        if caller.version >= ApiVersion::V2025_11_15 { "employee_compensations" } else { "payroll_items" };
    let mut own = Checks::new();
    let id = line.employee_uuid.required("employee_uuid", &mut own, |_, id| Ok(id_of(id)));
    let version = crate::field::version(&line.version, &mut own);
    let member = match id {
        Some(id) => members::find(tx, caller.company, one, id)?,
        None => None,
    };
    own.require(id.is_none() || member.is_some(), || {
        Violation::invalid("employee_uuid", "employee_uuid must be that of an employee of the payroll")
    });
    let nested = |violations: Vec<Violation>| {
        let named = line.employee_uuid.given().map(String::as_str).unwrap_or_default();
        let metadata = json!({ "entity_type": "Employee", "entity_uuid": named });
        Violation::nested(outer, violations).with_metadata(metadata)
    };
    let Some(member) = member else {
        checks.extend(own.finish().err().map(nested));
        return Ok(None);
    };
    let held = rows::find_input(tx, caller.company, one.id, member.id)?;
    let before = held.unwrap_or_else(|| InputRow {
        employee: member.id,
        excluded: false,
        inputs: "{}".to_owned(),
        version: 0,
    });
    let mut after = before.clone();
    line.excluded.update("excluded", &mut own, as_is, &mut after.excluded);
    let jobs = pay::of_employee(tx, caller.company, member.id)?;
    let bounds = (member.id, member.id);
    let orders = sources::garnishments(tx, caller.company, bounds)?.remove(&member.id).unwrap_or_default();
    let orders: Vec<Uuid> =
        orders.iter().filter(|order| !order.is_child_support()).map(|order| order.id).collect();
    let mut entered = Entered::read(&before.inputs);
    entered.merge(tx, caller.version, (&jobs, &orders), line, &mut own);
    after.inputs = entered.to_text();
    let current = input_version(one.id, member.id, before.version);
    if let Some(version) = version
        && version != current
    {
        if caller.version >= ApiVersion::V2026_02_01 {
            let mut changes = Changes::new();
            changes.note("excluded", &before.excluded, &after.excluded);
            changes.note("inputs", &before.inputs, &after.inputs);
            let differing = if changes.is_empty() { Vec::new() } else { vec!["employee_compensations"] };
            return Err(Error::Stale(Stale { current, differing }));
        }
        let message =
            "What was entered for the employee was changed since you read it. Prepare the payroll again.";
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

/// Asks for a calculation, which is done in the background.
///
/// # Errors
/// "Not found"; 422 for one that was submitted, and with every blocker; a store error.
pub fn calculate(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    let mut one = find_guarded(tx, caller, id)?;
    refuse_submitted(&one)?;
    refuse_blocked(tx, caller)?;
    if one.request == Some(Request::Calculating) {
        return Ok(());
    }
    run::request(tx, caller, &mut one)?;
    store(tx, caller, &mut one, "calculation_requested")
}

/// Submits a payroll that was calculated; it is processed in the background.
///
/// # Errors
/// "Not found"; 422 for one that is not calculated, is too late, or was overtaken by another; a store error.
pub fn submit(tx: &mut Tx<'_>, caller: &Caller, id: Uuid, input: &SubmitPayroll) -> Result<(), Error> {
    tx.guard(caller.company, TABLE, caller.company)?;
    let mut one = find_guarded(tx, caller, id)?;
    if one.request == Some(Request::Submitting) {
        return Ok(());
    }
    refuse_submitted(&one)?;
    refuse_blocked(tx, caller)?;
    let mut checks = Checks::new();
    let none = |key: &str, list: &Vec<shapes::SubmissionBlocker>| {
        if list.is_empty() {
            return Ok(());
        }
        Err(Violation::invalid(key, format!("{key} must be empty: nothing blocks the submission")))
    };
    input.submission_blockers.optional("submission_blockers", &mut checks, none);
    checks.require(one.request == Some(Request::CalculateSuccess) && one.run.is_some(), || {
        Violation::operation("Calculate the payroll before it is submitted.")
    });
    let now = tx.now();
    checks.require(one.check_only || now <= deadline(one.check_date), || {
        let day = one.check_date;
        Violation::operation(format!(
            "The deadline for payment on {day} has passed. Calculate the payroll again: it is then paid on a later day."
        ))
    });
    let overtaken = one.run.is_some() && rows::is_overtaken(tx, caller.company, &one)?;
    checks.require(!overtaken, || {
        Violation::operation(
            "Another payroll was submitted or cancelled since this one was calculated, and the sums of the year changed. \
             Calculate it again.",
        )
    });
    checks.finish()?;
    one.request = Some(Request::Submitting);
    one.submitted_at = Some(now);
    store(tx, caller, &mut one, "submitted")?;
    events::emit(tx, caller.company, events::PAYROLL_SUBMITTED, id)?;
    jobs::schedule(tx, caller.company, jobs::Kind::PayrollProcess, id, now)
}

/// Takes a processed payroll back.
///
/// # Errors
/// "Not found"; 422 for one that is not processed, after its deadline, and where later payrolls rest on it; a store
/// error.
pub fn cancel(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<shapes::Payroll, Error> {
    tx.guard(caller.company, TABLE, caller.company)?;
    let mut one = find_guarded(tx, caller, id)?;
    let now = tx.now();
    if !view::is_cancellable(now, &one) {
        let message = if one.is_processed() {
            "The payroll can be cancelled until 4 pm Pacific time on the day of its deadline, and that has passed."
        } else {
            "Only a payroll that was processed can be cancelled."
        };
        return Err(Error::from(Violation::operation(message)));
    }
    if rows::is_rested_on(tx, caller.company, &one)? {
        let message = "A later payroll rests on the figures of this one; cancel that first.";
        return Err(Error::from(Violation::operation(message)));
    }
    if let Some(run) = one.run {
        jobs::schedule(tx, caller.company, jobs::Kind::PayrollForget, run, now)?;
    }
    one.forget_calculation();
    (one.submitted_at, one.processed_at, one.run_number) = (None, None, None);
    jobs::cancel(tx, caller.company, jobs::Kind::PayrollPaid, id)?;
    store(tx, caller, &mut one, "cancelled")?;
    events::emit(tx, caller.company, events::PAYROLL_CANCELLED, id)?;
    Ok(view::payroll(caller, now, &one, Include::default()))
}

/// Deletes a payroll outside the schedule that was not submitted.
///
/// # Errors
/// "Not found"; 422 for any other; a store error.
pub fn delete(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    let one = find_guarded(tx, caller, id)?;
    refuse_submitted(&one)?;
    if !one.off_cycle {
        let message = "A regular payroll follows from the pay schedule and cannot be deleted; exclude its employees instead.";
        return Err(Error::from(Violation::operation(message)));
    }
    jobs::cancel(tx, caller.company, jobs::Kind::PayrollCalculate, id)?;
    regular::delete(tx, caller, &one)
}

/// What stands in the way of running payroll.
///
/// # Errors
/// "Not found"; a store error.
pub fn blockers(tx: &mut Tx<'_>, caller: &Caller) -> Result<Vec<Blocker>, Error> {
    let company = companies::rows::find(tx, caller.company)?.ok_or(Error::NotFound)?;
    let places = locations::rows::of_company(tx, caller.company)?;
    let has_schedule = schedules::of_employees(tx, caller.company)?.is_some();
    let has_people = members::any(tx, caller.company)?;
    let all = [
        (
            "contractor_only_company",
            company.contractor_only,
            "The company has contractors only; they are not paid by payrolls.",
        ),
        ("suspended", company.company_status == "Suspended", "The company is suspended."),
        ("needs_approval", company.company_status == "Not Approved", "The company has to be approved."),
        (
            "missing_addresses",
            !places.iter().any(|place| place.filing_address),
            "Add the location from which the company files.",
        ),
        ("missing_employee_setup", !has_people, "Onboard at least one employee."),
        ("missing_pay_schedule", !has_schedule, "Create a pay schedule."),
    ];
    Ok(all
        .into_iter()
        .filter(|(_, blocks, _)| *blocks)
        .map(|(key, _, message)| Blocker { key, message })
        .collect())
}

fn refuse_blocked(tx: &mut Tx<'_>, caller: &Caller) -> Result<(), Error> {
    let blockers = blockers(tx, caller)?;
    if blockers.is_empty() {
        return Ok(());
    }
    let told = blockers.iter().map(|blocker| {
        let violation = Violation::new("base", Category::PayrollBlocker, blocker.message);
        violation.with_metadata(json!({ "key": blocker.key }))
    });
    Err(Error::Violations(told.collect()))
}
