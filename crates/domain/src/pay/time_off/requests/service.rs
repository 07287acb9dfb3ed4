//! Use cases of time off requests: listing, requesting, deciding and deleting.

use std::collections::{BTreeMap, HashMap};

use jiff::civil::{Date, date};
use rules::days::Days;
use rules::time_off::{RequestStatus, Reserve, days_of_request};
use rules::{Amount, Category, Checks, Named as _, Violation, check};
use serde_json::json;
use store::Tx;
use uuid::Uuid;

use super::asked::{
    NewRequest, Others, check_enough_hours, find_active_policy, read_request, wanted_guarded,
};
use super::commands::{Approve, CreateApproved, CreateRequest, Decline, PreviewRequest};
use super::rows;
use super::rows::FIRST_DAY;
use super::rows::{RequestDay, TimeOffRequest};
use crate::access::tokens::Caller;
use crate::access::users::Role;
use crate::access::users::rows as admins;
use crate::error::Error;
use crate::events;
use crate::paging::{Listed, Page};
use crate::patch::Patch;
use crate::pay::time_off::turns;
use crate::people::employees::Employee;
use crate::platform::audit;
use crate::records::{IdRange, id_of};

/// Table of the record, in audit entries.
pub const TABLE: &str = TimeOffRequest::TABLE;
const LAST_DAY: Date = date(9999, 12, 31);
/// Maximum number of requests searched for a list.
const MOST_LISTED: usize = 50_000;
/// Maximum characters of a note.
const NOTE: usize = 1_000;

/// A request with its days and its employee.
#[derive(Debug, Clone)]
pub struct RequestDetails {
    /// the record
    pub request: TimeOffRequest,
    /// first and last name of the employee
    pub name: String,
    /// its days
    pub days: Vec<RequestDay>,
}

/// Filter of a list of requests.
#[derive(Debug, Clone)]
pub struct RequestFilter {
    /// only of these employees
    pub employees: Option<Vec<Uuid>>,
    /// only with one of these statuses; with any if empty
    pub statuses: Vec<RequestStatus>,
    /// first day of the range
    pub from: Option<Date>,
    /// last day of the range
    pub until: Option<Date>,
    /// whether a request must lie within these days; otherwise it only has to overlap them
    pub within: bool,
    /// whether the earliest request comes first
    pub ascending: bool,
}

/// The balance after a request.
#[derive(Debug, Clone, Copy)]
pub struct Preview {
    /// balance, and the hours of this and other requests
    pub reserve: Reserve,
    /// whether more hours can be requested than are available
    pub allow_negative_balance: bool,
}

/// Lists the requests of a company, ordered by first day, latest first unless `ascending`.
///
/// # Errors
/// 422 if there are too many requests to search; a store error.
pub fn list_requests(
    tx: &mut Tx<'_>,
    caller: &Caller,
    filter: &RequestFilter,
    page: Page,
) -> Result<Listed<RequestDetails>, Error> {
    let days = Days { first: filter.from.unwrap_or(FIRST_DAY), last: filter.until.unwrap_or(LAST_DAY) };
    let mut found = match filter.employees.as_deref() {
        Some([one]) => rows::of_employee(tx, caller.company, *one)?,
        _ => rows::overlapping_requests(tx, caller.company, days, MOST_LISTED as i64 + 1)?,
    };
    if found.len() > MOST_LISTED {
        let message = format!("start_date and end_date must select at most {MOST_LISTED} requests");
        return Err(Error::from(Violation::new("start_date", Category::InvalidParameter, message)));
    }
    found.retain(|one| {
        let lies_within = one.start_date >= days.first && one.end_date <= days.last;
        let overlaps = one.start_date <= days.last && one.end_date >= days.first;
        filter.employees.as_ref().is_none_or(|asked| asked.contains(&one.employee))
            && (filter.statuses.is_empty() || filter.statuses.contains(&one.status))
            && if filter.within { lies_within } else { overlaps }
    });
    if !filter.ascending {
        found.reverse();
    }
    let all = found.len();
    let listed = Listed::slice(page, found);
    let listed = Listed { paging: listed.paging, ..Listed::new(page, listed.items, || Ok(all as i64))? };
    let mut held = all_days(tx, caller.company, &listed.items)?;
    let mut names: HashMap<Uuid, String> = HashMap::new();
    let mut items = Vec::with_capacity(listed.items.len());
    for request in listed.items {
        let name = match names.get(&request.employee) {
            Some(name) => name.clone(),
            None => names.entry(request.employee).or_insert(name_of(tx, caller, request.employee)?).clone(),
        };
        let days = held.remove(&request.id).unwrap_or_default();
        items.push(RequestDetails { request, name, days });
    }
    Ok(Listed { items, paging: listed.paging, at_least: listed.at_least, next: None })
}

/// Returns the days of some requests, by request.
pub(super) fn all_days(
    tx: &mut Tx<'_>,
    company: Uuid,
    requests: &[TimeOffRequest],
) -> Result<HashMap<Uuid, Vec<RequestDay>>, Error> {
    let people = requests.iter().map(|one| one.employee);
    let Some(people) = IdRange::spanning(people) else { return Ok(HashMap::new()) };
    let from = requests.iter().map(|one| one.start_date).min().unwrap_or(FIRST_DAY);
    let until = requests.iter().map(|one| one.end_date).max().unwrap_or(LAST_DAY);
    rows::days_between(tx, company, people, Days { first: from, last: until })
}

/// Returns a request.
///
/// # Errors
/// "Not found"; a store error.
pub fn request_details(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<RequestDetails, Error> {
    let employee = rows::who_asked(tx, caller.company, id)?.ok_or(Error::NotFound)?;
    let request = TimeOffRequest::find(tx, caller.company, employee, id)?.ok_or(Error::NotFound)?;
    let days = rows::days_of(tx, caller.company, &request)?;
    Ok(RequestDetails { name: name_of(tx, caller, employee)?, request, days })
}

/// Creates a pending request of an employee.
///
/// # Errors
/// Every violation of the input; a store error.
pub fn create_request(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &CreateRequest,
) -> Result<RequestDetails, Error> {
    let mut checks = Checks::new();
    let wanted = wanted_guarded(tx, caller, &input.asked, &mut checks)?;
    let employee_note = read_note("employee_note", &input.employee_note, &mut checks);
    checks.finish()?;
    let Some(wanted) = wanted else { unreachable!("a request with missing fields is refused") };
    let by = RequestingEmployee { id: wanted.employee.id, name: full_name(&wanted.employee) };
    let new =
        TimeOffRequest { employee_note, ..wanted.to_request(tx, RequestStatus::Pending, Some(by), None) };
    save_new(tx, caller, &wanted, new)
}

/// Grants time off: creates a request that is approved at once.
///
/// # Errors
/// Every violation of the input; a store error.
pub fn create_approved(
    tx: &mut Tx<'_>,
    caller: &Caller,
    input: &CreateApproved,
) -> Result<RequestDetails, Error> {
    let mut checks = Checks::new();
    let wanted = wanted_guarded(tx, caller, &input.asked, &mut checks)?;
    let employer_note = read_note("employer_note", &input.employer_note, &mut checks);
    let approver = find_approver(tx, caller, &input.approver_uuid, &mut checks)?;
    checks.finish()?;
    let Some(wanted) = wanted else { unreachable!("a request with missing fields is refused") };
    let new = wanted.to_request(tx, RequestStatus::Approved, approver.clone(), approver);
    save_new(tx, caller, &wanted, TimeOffRequest { employer_note, ..new })
}

/// Previews the balance after a request. Stores nothing.
///
/// # Errors
/// Every violation of the input; a store error.
pub fn preview_request(tx: &mut Tx<'_>, caller: &Caller, input: &PreviewRequest) -> Result<Preview, Error> {
    let mut checks = Checks::new();
    let known = |id: Uuid, tx: &mut Tx<'_>| rows::who_asked(tx, caller.company, id);
    let id = input.request_uuid.optional("request_uuid", &mut checks, |_, id| Ok(id_of(id)));
    if let Some(id) = id {
        let exists = known(id, tx)?.is_some();
        checks.require(exists, || {
            Violation::invalid("request_uuid", "request_uuid must be the uuid of a request of the company")
        });
    }
    let wanted = read_request(tx, caller, &input.asked, id, &mut checks)?;
    checks.finish()?;
    let Some(wanted) = wanted else { unreachable!("a request with missing fields is refused") };
    Ok(Preview { reserve: wanted.reserve, allow_negative_balance: wanted.policy.allow_negative_balance })
}

/// Approves a pending request, with other hours if given.
///
/// # Errors
/// "Not found"; 422 for a request that is not pending, and for every violation of the input; a store error.
pub fn approve_request(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &Approve,
) -> Result<RequestDetails, Error> {
    let RequestDetails { request: before, days, .. } = find_guarded(tx, caller, id)?;
    if before.status != RequestStatus::Pending {
        return Err(wrong_status(&before, "approved", "pending"));
    }
    let mut checks = Checks::new();
    let approver = find_approver(tx, caller, &input.approver_uuid, &mut checks)?;
    let employer_note = read_note("employer_note", &input.employer_note, &mut checks);
    let range = Some(Days { first: before.start_date, last: before.end_date });
    let read = |key: &str, days: &BTreeMap<String, Amount>| days_of_request(key, days, range);
    let other = input.days.optional("days", &mut checks, read);
    let asked = || days.iter().map(|day| (day.day, day.hours)).collect();
    let granted: BTreeMap<Date, Amount> = other.clone().unwrap_or_else(asked);
    let held = find_active_policy(tx, caller, &before)?;
    match &held {
        Some((policy, enrollment)) => {
            let of = (before.employee, Some(before.id));
            let others = Others::read(tx, caller, of, policy.policy_type)?;
            let reserve = others.reserve_beside(policy, enrollment, &granted)?;
            check_enough_hours(policy, &reserve, &mut checks);
            others.leave_room(&granted, &mut checks);
        }
        None => checks.push(Violation::invalid_operation("The employee has no active policy of this type.")),
    }
    checks.finish()?;
    let mut after = TimeOffRequest { status: RequestStatus::Approved, ..before.clone() };
    after.employer_note = employer_note.or(after.employer_note);
    (after.approver, after.approver_name) = approver.map(|one| (one.id, one.name)).unzip();
    if other.is_some() {
        put_days(tx, caller, (&days, &granted), &after)?;
    }
    save_request(tx, caller, (&before, &after), "approved")
}

/// Declines a pending or approved request. Paid days stay paid.
///
/// # Errors
/// "Not found"; 422 for a request with another status, and for every violation of the input; a store error.
pub fn decline_request(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    input: &Decline,
) -> Result<RequestDetails, Error> {
    let before = find_guarded(tx, caller, id)?.request;
    if !matches!(before.status, RequestStatus::Pending | RequestStatus::Approved) {
        return Err(wrong_status(&before, "declined", "pending or approved"));
    }
    let mut checks = Checks::new();
    let text = |key: &str, text: &String| check::validate_text(key, text, NOTE);
    let employer_note = input.employer_note.required("employer_note", &mut checks, text);
    let approver = find_approver(tx, caller, &input.approver_uuid, &mut checks)?;
    checks.finish()?;
    let mut after = TimeOffRequest { status: RequestStatus::Declined, employer_note, ..before.clone() };
    (after.approver, after.approver_name) = approver.map(|one| (one.id, one.name)).unzip();
    save_request(tx, caller, (&before, &after), "declined")
}

/// Deletes a request without paid days.
///
/// # Errors
/// "Not found"; 422 for a request with paid days; a store error.
pub fn delete_request(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<(), Error> {
    let RequestDetails { request, days, .. } = find_guarded(tx, caller, id)?;
    if days.iter().any(|day| day.run.is_some()) {
        let message = "A payroll has paid days of the request; it cannot be deleted.";
        return Err(Error::from(Violation::invalid_operation(message)));
    }
    for day in days {
        assert!(day.delete(tx, caller.company)?, "the row was read under the employee's guard");
    }
    assert!(request.delete(tx, caller.company)?, "the row was read under the employee's guard");
    audit::record_audit_entry(tx, caller, "deleted", (TABLE, id), &json!({}))?;
    turns::settle_policy_year(tx, caller.company, request.employee, request.start_date)?;
    let of = (events::TIME_OFF_REQUEST_DELETED, id, request.employee);
    events::emit_of_employee(tx, caller.company, of.0, of.1, of.2)
}

/// Finds the named administrator or, by default, the primary one, if any.
fn find_approver(
    tx: &mut Tx<'_>,
    caller: &Caller,
    named: &Patch<String>,
    checks: &mut Checks,
) -> Result<Option<RequestingEmployee>, Error> {
    let id = named.optional("approver_uuid", checks, |_, id| Ok(id_of(id)));
    let admins = admins::list_admins(tx, caller.company)?;
    let found = admins.into_iter().find(|one| match id {
        Some(id) => one.user == id,
        None => one.role == Role::Primary,
    });
    checks.require(id.is_none() || found.is_some(), || {
        Violation::invalid(
            "approver_uuid",
            "approver_uuid must be the uuid of an administrator of the company",
        )
    });
    Ok(found.map(|one| RequestingEmployee {
        id: one.user,
        name: format!("{} {}", one.first_name, one.last_name),
    }))
}

/// A person who makes or decides a request.
#[derive(Debug, Clone)]
pub(super) struct RequestingEmployee {
    /// identifier
    pub(super) id: Uuid,
    /// first and last name
    pub(super) name: String,
}

fn read_note(key: &str, text: &Patch<String>, checks: &mut Checks) -> Option<String> {
    text.optional(key, checks, |key, text| check::optional_text(key, Some(text), NOTE)).flatten()
}

fn full_name(employee: &Employee) -> String {
    format!("{} {}", employee.first_name, employee.last_name)
}

fn name_of(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<String, Error> {
    let employee = Employee::find(tx, caller.company, employee)?.ok_or(Error::NotFound)?;
    Ok(full_name(&employee))
}

fn wrong_status(request: &TimeOffRequest, what: &str, from: &str) -> Error {
    let is = request.status.as_str();
    Error::from(Violation::invalid_operation(format!(
        "The request is {is}; only one that is {from} can be {what}."
    )))
}

/// Returns a request, under the guard of its employee.
fn find_guarded(tx: &mut Tx<'_>, caller: &Caller, id: Uuid) -> Result<RequestDetails, Error> {
    let employee = rows::who_asked(tx, caller.company, id)?.ok_or(Error::NotFound)?;
    tx.take_guard(caller.company, "employee", employee)?;
    request_details(tx, caller, id)
}

fn save_new(
    tx: &mut Tx<'_>,
    caller: &Caller,
    wanted: &NewRequest,
    new: TimeOffRequest,
) -> Result<RequestDetails, Error> {
    new.insert(tx, caller.company)?;
    put_days(tx, caller, (&[], &wanted.days), &new)?;
    let changes = json!({ "status": [null, new.status.as_str()] });
    audit::record_audit_entry(tx, caller, "created", (TABLE, new.id), &changes)?;
    turns::settle_policy_year(tx, caller.company, new.employee, new.start_date)?;
    events::emit_of_employee(tx, caller.company, events::TIME_OFF_REQUEST_CREATED, new.id, new.employee)?;
    request_details(tx, caller, new.id)
}

/// Replaces the days of a request.
fn put_days(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (before, after): (&[RequestDay], &BTreeMap<Date, Amount>),
    request: &TimeOffRequest,
) -> Result<(), Error> {
    for day in before {
        assert!(day.delete(tx, caller.company)?, "the row was read under the employee's guard");
    }
    for (day, hours) in after {
        let (employee, request) = (request.employee, request.id);
        RequestDay { employee, request, day: *day, hours: *hours, run: None }.insert(tx, caller.company)?;
    }
    Ok(())
}

fn save_request(
    tx: &mut Tx<'_>,
    caller: &Caller,
    (before, after): (&TimeOffRequest, &TimeOffRequest),
    what: &'static str,
) -> Result<RequestDetails, Error> {
    assert!(after.update(tx, caller.company)?, "the row was read under the employee's guard");
    let changes = json!({ "status": [before.status.as_str(), after.status.as_str()] });
    audit::record_audit_entry(tx, caller, what, (TABLE, after.id), &changes)?;
    turns::settle_policy_year(tx, caller.company, after.employee, after.start_date)?;
    let of = (after.id, after.employee);
    events::emit_of_employee(tx, caller.company, events::TIME_OFF_REQUEST_UPDATED, of.0, of.1)?;
    request_details(tx, caller, after.id)
}
