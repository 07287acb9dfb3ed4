//! An employee of the demo world who has left, one who was rehired, and who is paid for days without work.

use jiff::ToSpan;
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::staff::{Person, hire_employee, onboarded_person};
use super::world::parse_input;
use domain::Error;
use domain::access::tokens::Caller;
use domain::pay::holiday_pay::service as holiday_pay;
use domain::pay::time_off::{members, service as policies};
use domain::people::employment::{rehires, service as employment};
use domain::platform::jobs;
use domain::platform::jobs::JobKind;
use interface::demo::Employee;
use interface::pay::holiday_pay::wire::{ChangeHolidayPayEmployees, CreateHolidayPayPolicy};
use interface::pay::time_off::wire::{AddEmployees, CreateTimeOffPolicy};
use interface::people::employment::wire::CreateTermination;
use interface::people::employment::wire_rehires::CreateRehire;

static LEFT: Person = onboarded_person(
    ("Owen", "Hartley"),
    ("1990-06-21", "412551009"),
    0,
    "Dishwasher",
    ("16.00", "Hour", "Nonexempt"),
);

static CAME_BACK: Person = onboarded_person(
    ("Priya", "Raman"),
    ("1994-12-02", "412551010"),
    1,
    "Baker",
    ("22.00", "Hour", "Nonexempt"),
);

/// Days before the present: the last day of the former employee, and the last day and first day back of the rehired
/// one.
const LAST_DAYS_AGO: [i64; 2] = [40, 150];
const BACK_DAYS_AGO: i64 = 80;

/// Both employees, with each event recorded as it would have been on its day.
pub(super) fn build_leavers(
    tx: &mut Tx<'_>,
    caller: &Caller,
    places: [Uuid; 2],
) -> Result<[Employee; 2], Error> {
    let left = hire_employee(tx, caller, &LEFT, places[0])?;
    terminate_employee(tx, caller, left.uuid, (LAST_DAYS_AGO[0], "quit_with_notice"))?;
    let back = hire_employee(tx, caller, &CAME_BACK, places[1])?;
    terminate_employee(tx, caller, back.uuid, (LAST_DAYS_AGO[1], "laid_off"))?;
    let day = caller.today(tx).saturating_sub(BACK_DAYS_AGO.days());
    let body = json!({ "effective_date": day.to_string(), "file_new_hire_report": true, "work_location_uuid": places[1],
                       "employment_status": "full_time" });
    let rehire =
        rehires::create_rehire(tx, caller, back.uuid, &parse_input::<CreateRehire>(&body)?.into())?.rehire;
    rehires::took_effect(tx, caller.company, rehire.id)?;
    jobs::cancel_job(tx, caller.company, JobKind::RehireEffective, rehire.id)?;
    Ok([left, back])
}

fn terminate_employee(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    (days_ago, separation): (i64, &str),
) -> Result<(), Error> {
    let day = caller.today(tx).saturating_sub(days_ago.days());
    let body = json!({ "effective_date": day.to_string(), "separation": separation });
    let made = employment::create_termination(
        tx,
        caller,
        employee,
        &parse_input::<CreateTermination>(&body)?.into(),
    )?;
    employment::took_effect(tx, caller.company, made.termination.id)?;
    jobs::cancel_job(tx, caller.company, JobKind::TerminationEffective, made.termination.id)
}

/// A vacation policy with two employees.
pub(super) fn add_vacation_policy(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employees: [Uuid; 2],
) -> Result<(), Error> {
    let body = json!({ "name": "Paid vacation", "policy_type": "vacation", "accrual_method": "per_hour_worked",
                       "accrual_rate": "1", "accrual_rate_unit": "26", "max_hours": "120", "complete": true });
    let policy =
        policies::create_policy(tx, caller, &parse_input::<CreateTimeOffPolicy>(&body)?.into())?.policy.id;
    let joins = json!({ "employees": [{ "uuid": employees[0], "balance": "37.5" },
                                       { "uuid": employees[1], "balance": "12" }] });
    members::add_members(tx, caller, policy, &parse_input::<AddEmployees>(&joins)?.into())?;
    Ok(())
}

/// Christmas, New Year's Day and Independence Day are paid to two employees.
pub(super) fn add_holiday_pay(tx: &mut Tx<'_>, caller: &Caller, employees: [Uuid; 2]) -> Result<(), Error> {
    let chosen = json!({ "selected": true });
    let body = json!({ "federal_holidays": { "christmas_day": chosen, "new_years_day": chosen, "independence_day": chosen } });
    let version =
        holiday_pay::create_policy(tx, caller, &parse_input::<CreateHolidayPayPolicy>(&body)?.into())?
            .version;
    let joins = json!({ "version": version, "employees": employees.map(|id| json!({ "uuid": id })) });
    holiday_pay::change_employees(tx, caller, &parse_input::<ChangeHolidayPayEmployees>(&joins)?.into(), true)
        .map(drop)
}
