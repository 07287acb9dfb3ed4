//! Reads a request, and checks it against employment, balance and other requests.

use std::collections::{BTreeMap, HashMap};

use jiff::civil::Date;
use rules::days::Days;
use rules::time_off::{PolicyType, RequestStatus, Reserve, days_of_request, range_of_request};
use rules::{Amount, Checks, Violation};
use store::Tx;
use uuid::Uuid;

use super::commands::RequestTimeOff;
use super::rows::TimeOffRequest;
use super::service::RequestingEmployee;
use super::{rows, service};
use crate::access::tokens::Caller;
use crate::error::Error;
use crate::patch::as_is;
use crate::pay::compensations;
use crate::pay::time_off::ledger::too_large;
use crate::pay::time_off::rows as policies;
use crate::pay::time_off::rows::{Enrollment, TimeOffPolicy};
use crate::people::employees::Employee;
use crate::people::employment;
use crate::records::{IdRange, id_of, parse_id, room_for};

/// Maximum number of requests of an employee.
const MOST: usize = 2_000;
/// Maximum hours per day in all requests of an employee.
const DAY: Amount = Amount::from_millionths(24_000_000);

/// A request after it is read and checked.
pub(super) struct NewRequest {
    pub(super) employee: Employee,
    pub(super) policy: TimeOffPolicy,
    range: Days,
    pub(super) days: BTreeMap<Date, Amount>,
    pub(super) reserve: Reserve,
}

impl NewRequest {
    /// Returns the record to store.
    pub(super) fn to_request(
        &self,
        tx: &mut Tx<'_>,
        status: RequestStatus,
        initiator: Option<RequestingEmployee>,
        approver: Option<RequestingEmployee>,
    ) -> TimeOffRequest {
        let (initiator, initiator_name) = initiator.map(|one| (one.id, one.name)).unzip();
        let (approver, approver_name) = approver.map(|one| (one.id, one.name)).unzip();
        TimeOffRequest {
            employee: self.employee.id,
            id: tx.new_id(),
            policy: self.policy.id,
            policy_type: self.policy.policy_type,
            status,
            employee_note: None,
            employer_note: None,
            start_date: self.range.first,
            end_date: self.range.last,
            initiator,
            initiator_name,
            approver,
            approver_name,
            version: 1,
        }
    }
}

/// Like [`read_request`], but takes the employee's guard, and checks that enough hours are left if the policy requires it.
pub(super) fn wanted_guarded(
    tx: &mut Tx<'_>,
    caller: &Caller,
    asked: &RequestTimeOff,
    checks: &mut Checks,
) -> Result<Option<NewRequest>, Error> {
    if let Some(employee) = asked.employee_uuid.value().and_then(|id| parse_id(id)) {
        tx.take_guard(caller.company, "employee", employee)?;
    }
    let found = read_request(tx, caller, asked, None, checks)?;
    if let Some(wanted) = &found {
        check_enough_hours(&wanted.policy, &wanted.reserve, checks);
    }
    Ok(found)
}

/// Reads a request; `None` if its employee, policy or days cannot be read. `instead` is the request that it would replace.
pub(super) fn read_request(
    tx: &mut Tx<'_>,
    caller: &Caller,
    asked: &RequestTimeOff,
    instead: Option<Uuid>,
    checks: &mut Checks,
) -> Result<Option<NewRequest>, Error> {
    let id = asked.employee_uuid.required("employee_uuid", checks, |_, id| Ok(id_of(id)));
    let policy = asked.policy_uuid.required("policy_uuid", checks, |_, id| Ok(id_of(id)));
    let start = asked.start_date.required("start_date", checks, as_is);
    let end = asked.end_date.required("end_date", checks, as_is);
    let range = range_of_request(start, end, checks);
    let read = |key: &str, days: &BTreeMap<String, Amount>| days_of_request(key, days, range);
    let days = asked.days.required("days", checks, read);
    let employee = match id {
        Some(id) => Employee::find(tx, caller.company, id)?,
        None => None,
    };
    checks.require(id.is_none() || employee.is_some(), || {
        Violation::invalid("employee_uuid", "employee_uuid must be the uuid of an employee of the company")
    });
    let (Some(employee), Some(policy)) = (employee, policy) else { return Ok(None) };
    let enrolled = policies::enrolled_between(tx, caller.company, IdRange::only(employee.id))?;
    let enrollment = enrolled.into_iter().find(|one| one.policy == policy);
    let policy = TimeOffPolicy::find(tx, caller.company, policy)?.filter(TimeOffPolicy::is_in_use);
    let (Some(policy), Some(enrollment)) = (policy, enrollment) else {
        let message = "policy_uuid must be the uuid of an active policy that the employee has";
        checks.push(Violation::invalid("policy_uuid", message));
        return Ok(None);
    };
    let (Some(days), Some(range)) = (days, range) else { return Ok(None) };
    refuse_unemployed_days(tx, caller, employee.id, &days, checks)?;
    let others = Others::read(tx, caller, (employee.id, instead), policy.policy_type)?;
    others.leave_room(&days, checks);
    let reserve = others.reserve_beside(&policy, &enrollment, &days)?;
    Ok(Some(NewRequest { employee, policy, range, days, reserve }))
}

/// Rejects days on which the employee is not employed.
fn refuse_unemployed_days(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    days: &BTreeMap<Date, Amount>,
    checks: &mut Checks,
) -> Result<(), Error> {
    let pay = compensations::rows::of_employee(tx, caller.company, employee)?;
    let hired = compensations::rows::start_date(&pay);
    let held = employment::rows::of_employee(tx, caller.company, employee)?;
    let works = |day: &Date| hired.is_some_and(|hired| hired <= *day) && !held.was_away(*day);
    checks.require(days.keys().all(works), || Violation::invalid("days", "days must be days of employment"));
    Ok(())
}

/// Hours of the employee's other requests, except declined ones.
pub(super) struct Others {
    /// hours by day, of every type, paid or not
    by_day: HashMap<Date, Amount>,
    /// hours of one type that no payroll has paid
    of_type: Amount,
}

impl Others {
    /// Reads the requests of an employee, except `without`.
    pub(super) fn read(
        tx: &mut Tx<'_>,
        caller: &Caller,
        (employee, without): (Uuid, Option<Uuid>),
        policy_type: PolicyType,
    ) -> Result<Self, Error> {
        let mut found = Self { by_day: HashMap::new(), of_type: Amount::ZERO };
        let requests = rows::of_employee(tx, caller.company, employee)?;
        room_for("time off requests of an employee", requests.len(), MOST)?;
        let mut days = service::all_days(tx, caller.company, &requests)?;
        for request in requests {
            if request.status == RequestStatus::Declined || Some(request.id) == without {
                continue;
            }
            for day in days.remove(&request.id).unwrap_or_default() {
                let of_day = found.by_day.entry(day.day).or_default();
                *of_day = of_day.checked_add(day.hours).ok_or_else(too_large)?;
                if request.policy_type == policy_type && day.run.is_none() {
                    found.of_type = found.of_type.checked_add(day.hours).ok_or_else(too_large)?;
                }
            }
        }
        Ok(found)
    }

    /// Checks that no day has more than 24 hours, including the other requests.
    pub(super) fn leave_room(&self, days: &BTreeMap<Date, Amount>, checks: &mut Checks) {
        let fits = |(day, hours): (&Date, &Amount)| {
            let others = self.by_day.get(day).copied().unwrap_or_default();
            others.checked_add(*hours).is_some_and(|sum| sum <= DAY)
        };
        checks.require(days.iter().all(fits), || {
            let message = "days must have at most 24.000 hours each, including the employee's other requests";
            Violation::invalid("days", message)
        });
    }

    /// Returns the balance of a policy, with the hours of these requests and of a request for `days`.
    pub(super) fn reserve_beside(
        &self,
        policy: &TimeOffPolicy,
        enrollment: &Enrollment,
        days: &BTreeMap<Date, Amount>,
    ) -> Result<Reserve, Error> {
        let this = days.values().try_fold(Amount::ZERO, |sum, hours| sum.checked_add(*hours));
        Ok(Reserve {
            balance: (!policy.is_unlimited()).then_some(enrollment.balance),
            this: this.ok_or_else(too_large)?,
            others: self.of_type,
        })
    }
}

/// Rejects more hours than are left, unless the policy allows a negative balance.
pub(super) fn check_enough_hours(policy: &TimeOffPolicy, reserve: &Reserve, checks: &mut Checks) {
    let left = reserve.remaining_balance();
    let too_many = !policy.allow_negative_balance && left.is_some_and(|left| left < Amount::ZERO);
    checks.require(!too_many, || {
        let balance = reserve.balance.unwrap_or_default().to_text(3);
        let message = format!(
            "days must not have more hours than are left: the balance is {balance}, and other requests take {}",
            reserve.others.to_text(3)
        );
        Violation::invalid("days", message)
    });
}

/// Returns the employee's policy of the request's type, if it is active.
pub(super) fn find_active_policy(
    tx: &mut Tx<'_>,
    caller: &Caller,
    request: &TimeOffRequest,
) -> Result<Option<(TimeOffPolicy, Enrollment)>, Error> {
    let enrolled = policies::enrolled_between(tx, caller.company, IdRange::only(request.employee))?;
    let Some(enrollment) = enrolled.into_iter().find(|one| one.policy_type == request.policy_type) else {
        return Ok(None);
    };
    let policy = TimeOffPolicy::find(tx, caller.company, enrollment.policy)?;
    Ok(policy.filter(TimeOffPolicy::is_in_use).map(|policy| (policy, enrollment)))
}
