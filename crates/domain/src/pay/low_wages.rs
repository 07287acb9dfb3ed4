//! People whose hourly rate is below the minimum wage of their workplace, today or in the next weeks: the company is notified of each, until the
//! rate is raised, or tips make up the rest (`adjust_for_minimum_wage`).
//!
//! Changes of an employee are followed at once. Tables change with time and by imports, and locations move within their state: everybody is
//! looked at again when a pay period begins.

use std::collections::{BTreeMap, BTreeSet};

use jiff::ToSpan;
use jiff::civil::Date;
use rules::compensation::PaymentUnit;
use rules::onboarding::Status;
use rules::{Amount, Violation, effective};
use store::record::Cursor;
use store::{Row, Store, Tx, params};
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::company::companies;
use crate::company::locations::rows::Location;
use crate::error::Error;
use crate::events;
use crate::pay::compensations::rows::{self as pay, Compensation, Pay};
use crate::pay::minimum_wages::service::table;
use crate::pay::minimum_wages::{Place, Table};
use crate::people::addresses::rows::{self as addresses, WorkAddress};
use crate::people::employees::Employee;
use crate::people::employment::rows::{self as employment, Employment};
use crate::platform::hooks::EmployeeAspect;
use crate::platform::jobs;
use crate::records::IdRange;

/// Days before a rate is too low from which on the company is notified.
pub const DAYS_AHEAD: i64 = 45;
/// Employees looked at in one unit.
const AT_ONCE: i64 = 100;
/// Name of the table, in errors.
const TABLE: &str = "low_wages";

store::statements! {
    OF_EMPLOYEE = "SELECT compensation_id, first_day, wage FROM low_wages WHERE company_id = $1 AND employee_id = $2";
    PUT = "INSERT INTO low_wages (company_id, employee_id, compensation_id, first_day, wage, since) VALUES ($1, $2, $3, $4, $5, $6) \
           ON CONFLICT (company_id, employee_id, compensation_id) DO UPDATE SET first_day = excluded.first_day, wage = excluded.wage";
    SETTLE = "DELETE FROM low_wages WHERE company_id = $1 AND employee_id = $2 AND compensation_id = $3";
    FORGET = "DELETE FROM low_wages WHERE company_id = $1 AND employee_id = $2";
    SOME = "SELECT employee_id, compensation_id, first_day, wage, since FROM low_wages WHERE company_id = $1 \
            ORDER BY employee_id, compensation_id LIMIT $2 OFFSET $3";
    FIND = "SELECT employee_id, compensation_id, first_day, wage, since FROM low_wages WHERE company_id = $1 AND employee_id = $2 \
            AND compensation_id = $3";
    COUNT = "SELECT count(*) FROM low_wages WHERE company_id = $1";
    HOURLY = "SELECT DISTINCT employee_id FROM compensations WHERE company_id = $1 AND employee_id > $2 AND payment_unit = 'Hour' \
              ORDER BY employee_id LIMIT $3";
}

/// When a rate is below the minimum wage, and what that is then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Floor {
    /// the first day, not before the day on which it was found
    pub day: Date,
    /// dollars an hour
    pub wage: Amount,
}

/// A rate below the minimum wage.
#[derive(Debug, Clone)]
pub struct LowWage {
    /// whose it is
    pub employee: Employee,
    /// the compensation
    pub compensation: Compensation,
    /// the minimum wage that it is below
    pub floor: Floor,
    /// when it was found
    pub since: jiff::Timestamp,
}

/// Follows changes that decide whether a rate is too low. The caller holds the employee's guard.
pub fn employee_changed(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    aspect: EmployeeAspect,
) -> Result<(), Error> {
    use EmployeeAspect::{
        Compensation, Documents, Employment, FederalTax, HomeAddress, Onboarded, PaymentMethod, Person,
        PlannedReturn, Signature, StartDate, StateTax, WorkAddress,
    };
    match aspect {
        Compensation | WorkAddress | Onboarded | Employment => update_low_wages(tx, caller, employee),
        Person | StartDate | HomeAddress | PaymentMethod | FederalTax | StateTax | Documents | Signature
        | PlannedReturn => Ok(()),
    }
}

/// Updates which rates of an employee are too low, and tells the company.
fn update_low_wages(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<(), Error> {
    let company = caller.company;
    let Some(employee) = Employee::find(tx, company, employee)? else { return Ok(()) };
    // Nobody else is paid, and whoever has been onboarded stays so.
    if employee.status != Status::OnboardingCompleted {
        return Ok(());
    }
    let known = stored_floors(tx, company, employee.id)?;
    let Judged { low, next } = judge_rates(tx, caller, &employee)?;
    for id in known.keys().filter(|id| !low.contains_key(id)) {
        let _it_was_there = tx.change_rows(SETTLE, params![company, employee.id, id])?.rows();
        events::emit_event(tx, company, events::NOTIFICATION_MINIMUM_WAGE_RESOLVED, *id)?;
    }
    let now = tx.now();
    for (id, floor) in low.iter().filter(|(id, floor)| known.get(id) != Some(floor)) {
        let row = params![company, employee.id, id, floor.day, floor.wage.millionths(), now];
        let _put = tx.change_rows(PUT, row)?.is_one();
        if !known.contains_key(id) {
            events::emit_event(tx, company, events::NOTIFICATION_MINIMUM_WAGE_CREATED, *id)?;
        }
    }
    match next.filter(|_| !low.is_empty()) {
        Some(day) => {
            let zone = companies::time_zone(tx, company)?;
            let due = day.to_zoned(zone).map_or(now, |start| start.timestamp());
            jobs::schedule_job(tx, company, jobs::JobKind::MinimumWages, employee.id, due)
        }
        None if known.is_empty() => Ok(()),
        None => jobs::cancel_job(tx, company, jobs::JobKind::MinimumWages, employee.id),
    }
}

/// Returns what is held of an employee, by compensation.
fn stored_floors(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<BTreeMap<Uuid, Floor>, Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, TABLE, 0);
        let id: Uuid = next.read_plain("compensation_id")?;
        Ok::<_, store::Error>((id, read_floor(&mut next)?))
    };
    Ok(tx.try_query(OF_EMPLOYEE, params![company, employee], read)?.into_iter().collect())
}

fn read_floor(next: &mut Cursor<'_, '_>) -> Result<Floor, store::Error> {
    let (day, wage): (Date, i64) = (next.read_plain("first_day")?, next.read_plain("wage")?);
    Ok(Floor { day, wage: Amount::from_millionths(wage) })
}

/// Rates of an employee that are too low.
struct Judged {
    /// by compensation
    low: BTreeMap<Uuid, Floor>,
    /// the next day on which another compensation or workplace decides
    next: Option<Date>,
}

fn judge_rates(tx: &mut Tx<'_>, caller: &Caller, employee: &Employee) -> Result<Judged, Error> {
    let none = Judged { low: BTreeMap::new(), next: None };
    let (company, id) = (caller.company, employee.id);
    if employee.status != Status::OnboardingCompleted {
        return Ok(none);
    }
    let pay = pay::of_employee(tx, company, id)?;
    if !pay.compensations.iter().any(can_be_too_low) {
        return Ok(none);
    }
    let employment = employment::of_employee(tx, company, id)?;
    let works = addresses::work_between(tx, company, IdRange::only(id))?;
    let mut places = BTreeMap::new();
    for location in works.iter().map(|work| work.location).collect::<BTreeSet<_>>() {
        if let Some(found) = Location::find(tx, company, location)? {
            places.insert(location, Place::of_location(&found));
        }
    }
    let facts = Facts { pay, employment, works, places, today: caller.today(tx) };
    let table = table(tx)?;
    Ok(Judged {
        low: facts.rates_too_low(&table),
        next: facts.days_of_change().into_iter().find(|day| *day > facts.today),
    })
}

/// Whether a rate can be too low at all: an hourly one that earns overtime, and that is not raised to the minimum wage. The empty compensation
/// of a new job has no rate yet.
fn can_be_too_low(one: &Compensation) -> bool {
    one.payment_unit == PaymentUnit::Hour
        && one.flsa_status.earns_overtime()
        && !one.adjust_for_minimum_wage
        && one.rate > Amount::ZERO
}

/// What is known of an employee.
struct Facts {
    pay: Pay,
    employment: Employment,
    works: Vec<WorkAddress>,
    places: BTreeMap<Uuid, Place>,
    today: Date,
}

impl Facts {
    /// Returns the days on which a compensation or a workplace begins, in order.
    fn days_of_change(&self) -> BTreeSet<Date> {
        let begun = self.pay.compensations.iter().map(|one| one.effective_date);
        begun.chain(self.works.iter().map(|work| work.effective_date)).collect()
    }

    /// Returns the rates that are too low, each with the first day.
    fn rates_too_low(&self, table: &Table) -> BTreeMap<Uuid, Floor> {
        let until = self.today.saturating_add(DAYS_AHEAD.days());
        let mut days = self.days_of_change();
        for place in self.places.values() {
            days.extend(table.days_of_change(place, self.today, until));
        }
        days.insert(self.today);
        let mut found = BTreeMap::new();
        for day in days.range(self.today..=until).copied() {
            let work = effective::active_record(&self.works, day, |work| work.effective_date);
            let Some(place) = work.and_then(|work| self.places.get(&work.location)) else { continue };
            if self.employment.was_away(day) {
                continue;
            }
            let wage = table.general_minimum_wage(place, day);
            let jobs = self.pay.jobs.iter().filter(|job| job.hire_date <= day && !job.has_ended_before(day));
            for one in jobs.filter_map(|job| self.pay.compensation_on(job.id, day)) {
                if can_be_too_low(one) && one.rate < wage {
                    found.entry(one.id).or_insert(Floor { day, wage });
                }
            }
        }
        found
    }
}

/// Has everybody's rate looked at again, because a pay period begins; no-op for a company that pays nobody by the hour.
pub fn period_begins(tx: &mut Tx<'_>, company: Uuid) -> Result<(), Error> {
    let first = tx.find_row(HOURLY, params![company, Uuid::nil(), 1_i64], |row| row.get::<Uuid>(0))?;
    let now = tx.now();
    match first {
        Some(_) => jobs::schedule_job(tx, company, jobs::JobKind::MinimumWages, company, now),
        None => Ok(()),
    }
}

/// Looks at rates again: those of an employee, or of everybody in the company whose own identifier it is.
pub async fn review_rates(store: &Store, company: Uuid, whose: Uuid) -> Result<(), Error> {
    if whose != company {
        return review_employee(store, company, whose).await;
    }
    let mut after = Uuid::nil();
    loop {
        let Some(some) = store.read(move |tx| changed_employees(tx, company, after)).await? else {
            return Ok(());
        };
        for employee in some.changed {
            review_employee(store, company, employee).await?;
        }
        after = some.last;
    }
}

async fn review_employee(store: &Store, company: Uuid, employee: Uuid) -> Result<(), Error> {
    let act = move |tx: &mut Tx<'_>| {
        tx.take_guard(company, "employee", employee)?;
        let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
        update_low_wages(tx, &caller, employee)
    };
    store.write(act).await
}

/// Some employees that were looked at.
struct Looked {
    /// those whose rates are judged otherwise than before
    changed: Vec<Uuid>,
    last: Uuid,
}

fn changed_employees(tx: &mut Tx<'_>, company: Uuid, after: Uuid) -> Result<Option<Looked>, Error> {
    let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
    let some = tx.query_rows(HOURLY, params![company, after, AT_ONCE], |row| row.get::<Uuid>(0))?;
    let Some(last) = some.last().copied() else { return Ok(None) };
    let mut changed = Vec::new();
    for id in some {
        let Some(employee) = Employee::find(tx, company, id)? else { continue };
        let (known, judged) = (stored_floors(tx, company, id)?, judge_rates(tx, &caller, &employee)?);
        if known != judged.low {
            changed.push(id);
        }
    }
    Ok(Some(Looked { changed, last }))
}

/// Returns rates that are too low, at most `most` after skipping `from`.
pub fn list_low_wages(tx: &mut Tx<'_>, company: Uuid, most: i64, from: i64) -> Result<Vec<LowWage>, Error> {
    let held = tx.try_query(SOME, params![company, most, from], read_low_wage)?;
    held.into_iter().map(|held| complete_low_wage(tx, company, held)).collect()
}

/// Returns the number of rates that are too low.
pub fn count_low_wages(tx: &mut Tx<'_>, company: Uuid) -> Result<i64, Error> {
    Ok(tx.find_row(COUNT, params![company], |row| row.get::<i64>(0))?.unwrap_or(0))
}

/// Returns the rate of a notification; `None` if there is no compensation with this identifier.
///
/// # Errors
/// A violation if it is not too low any more; a store error.
pub fn find_low_wage(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<LowWage>, Error> {
    let Some(employee) = pay::employee_of_compensation(tx, company, id)? else { return Ok(None) };
    let held = tx.try_find(FIND, params![company, employee, id], read_low_wage)?.ok_or_else(|| {
        Error::from(Violation::invalid_operation(
            "The rate is not below the minimum wage, so there is nothing left to do about this notification.",
        ))
    })?;
    complete_low_wage(tx, company, held).map(Some)
}

/// A row of the table.
struct StoredLowWage {
    employee: Uuid,
    compensation: Uuid,
    floor: Floor,
    since: jiff::Timestamp,
}

fn read_low_wage(row: &Row<'_>) -> Result<StoredLowWage, store::Error> {
    let mut next = Cursor::new(row, TABLE, 0);
    Ok(StoredLowWage {
        employee: next.read_plain("employee_id")?,
        compensation: next.read_plain("compensation_id")?,
        floor: read_floor(&mut next)?,
        since: next.read_plain("since")?,
    })
}

fn complete_low_wage(tx: &mut Tx<'_>, company: Uuid, held: StoredLowWage) -> Result<LowWage, Error> {
    let employee = Employee::find(tx, company, held.employee)?.ok_or(Error::NotFound)?;
    let pay = pay::of_employee(tx, company, held.employee)?;
    let compensation = pay.compensations.into_iter().find(|one| one.id == held.compensation);
    let compensation = compensation.ok_or(Error::NotFound)?;
    Ok(LowWage { employee, compensation, floor: held.floor, since: held.since })
}

/// Deletes what is held of an employee who is being deleted.
pub fn delete_employee_low_wages(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<(), Error> {
    let _there_may_be_none = tx.change_rows(FORGET, params![caller.company, employee])?.rows();
    jobs::cancel_job(tx, caller.company, jobs::JobKind::MinimumWages, employee)
}
