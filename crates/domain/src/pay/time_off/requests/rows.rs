//! Rows of time off requests and their days.

use std::collections::HashMap;

use jiff::civil::Date;
use rules::days::Days;
use rules::time_off::{PolicyType, RequestStatus};
use rules::{Amount, Named};
use store::record::Cursor;
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;
use crate::records::{IdRange, Millionths};

/// A day before every request, within the range of both database engines.
pub(in crate::pay::time_off) const FIRST_DAY: Date = jiff::civil::date(1, 1, 1);

store::record! {
    /// A time off request.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct TimeOffRequest in "time_off_requests" {
        key {
            /// employee who takes the time off
            pub employee: Uuid = "employee_id",
            /// identifier
            pub id: Uuid,
        }
        fields {
            /// the requested policy
            pub policy: Uuid = "policy_id",
            /// its type
            pub policy_type: PolicyType as text,
            /// its status
            pub status: RequestStatus as text,
            /// note from the employee to the employer
            pub employee_note: Option<String>,
            /// note from the employer to the employee
            pub employer_note: Option<String>,
            /// first day
            pub start_date: Date,
            /// last day
            pub end_date: Date,
            /// person who made it: the employee or an administrator
            pub initiator: Option<Uuid> = "initiator_id",
            /// that person's name at the time
            pub initiator_name: Option<String>,
            /// administrator who decided
            pub approver: Option<Uuid> = "approver_id",
            /// that person's name at the time
            pub approver_name: Option<String>,
        }
        times { created_at, updated_at }
        version
    }
}

store::record! {
    /// A day of a request.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct RequestDay in "time_off_request_days" {
        key {
            /// employee who takes the time off
            pub employee: Uuid = "employee_id",
            /// the request
            pub request: Uuid = "request_id",
            /// the day
            pub day: Date,
        }
        fields {
            /// hours off
            pub hours: Amount as Millionths,
            /// calculation of the processed payroll that paid this day
            pub run: Option<Uuid> = "run_id",
        }
    }
}

/// Hours of a day of a pending request.
#[derive(Debug, Clone, Copy)]
pub struct Waiting {
    /// the employee
    pub employee: Uuid,
    /// the policy
    pub policy: Uuid,
    /// hours
    pub hours: Amount,
}

/// Hours of an approved request on a day that no payroll has paid.
#[derive(Debug, Clone, Copy)]
pub struct ApprovedDay {
    /// the employee
    pub employee: Uuid,
    /// the request
    pub request: Uuid,
    /// type of the policy
    pub policy_type: PolicyType,
    /// the day
    pub day: Date,
    /// hours
    pub hours: Amount,
}

store::statements! {
    records TimeOffRequest, RequestDay;
    WHO_ASKED = "SELECT employee_id FROM time_off_requests WHERE company_id = $1 AND id = $2";
    OVERLAPPING = store::text!(TimeOffRequest::SELECT, " AND start_date <= $2 AND end_date >= $3 ORDER BY start_date, id LIMIT $4");
    OF_EMPLOYEE = store::text!(TimeOffRequest::SELECT, " AND employee_id = $2 ORDER BY start_date, id");
    WAITED_FOR = "SELECT id FROM time_off_requests WHERE company_id = $1 AND policy_id = $2 AND status IN ('pending', 'approved') ORDER BY id LIMIT 1";
    WAITS = "SELECT id FROM time_off_requests WHERE company_id = $1 AND employee_id = $2 AND policy_type = $3 \
             AND status IN ('pending', 'approved') ORDER BY id LIMIT 1";
    DAYS_OF = store::text!(RequestDay::SELECT, " AND employee_id = $2 AND request_id = $3 ORDER BY day");
    DAYS_BETWEEN = store::text!(RequestDay::SELECT, " AND employee_id BETWEEN $2 AND $3 AND day BETWEEN $4 AND $5 ORDER BY employee_id, request_id, day");
    DAYS_OF_RUN = store::text!(RequestDay::SELECT, " AND employee_id = $2 AND run_id = $3 ORDER BY request_id, day");
    REST_OF_RUN = "SELECT employee_id FROM time_off_request_days WHERE company_id = $1 AND run_id = $2 ORDER BY employee_id LIMIT 1";
    PENDING = "SELECT r.employee_id, r.policy_id, d.hours FROM time_off_requests r CROSS JOIN time_off_request_days d \
               WHERE r.company_id = $1 AND r.employee_id BETWEEN $2 AND $3 AND r.status = 'pending' \
               AND d.company_id = r.company_id AND d.employee_id = r.employee_id AND d.request_id = r.id \
               ORDER BY r.employee_id, r.id, d.day";
    APPROVED = "SELECT d.employee_id, d.request_id, r.policy_type, d.day, d.hours FROM time_off_request_days d \
                CROSS JOIN time_off_requests r \
                WHERE d.company_id = $1 AND d.employee_id BETWEEN $2 AND $3 AND d.day BETWEEN $4 AND $5 AND d.run_id IS NULL \
                AND r.company_id = d.company_id AND r.employee_id = d.employee_id AND r.id = d.request_id AND r.status = 'approved' \
                ORDER BY d.employee_id, d.request_id, d.day";
    FORGET_REQUESTS = "DELETE FROM time_off_requests WHERE company_id = $1 AND employee_id = $2";
    FORGET_DAYS = "DELETE FROM time_off_request_days WHERE company_id = $1 AND employee_id = $2";
}

fn employee_of(row: &Row<'_>) -> Result<Uuid, store::Error> {
    Cursor::new(row, TimeOffRequest::TABLE, 0).read_plain("employee_id")
}

fn read_id(row: &Row<'_>) -> Result<Uuid, store::Error> {
    Cursor::new(row, TimeOffRequest::TABLE, 0).read_plain("id")
}

/// Finds the employee of a request.
pub fn who_asked(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<Uuid>, Error> {
    Ok(tx.try_find(WHO_ASKED, params![company, id], employee_of)?)
}

/// Returns at most `most` requests that overlap the days between two (both included), ordered by first day.
pub fn overlapping_requests(
    tx: &mut Tx<'_>,
    company: Uuid,
    Days { first: from, last: until }: Days,
    most: i64,
) -> Result<Vec<TimeOffRequest>, Error> {
    Ok(tx.try_query(OVERLAPPING, params![company, until, from, most], TimeOffRequest::read)?)
}

/// Returns the requests of an employee, ordered by first day.
pub fn of_employee(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<Vec<TimeOffRequest>, Error> {
    Ok(tx.try_query(OF_EMPLOYEE, params![company, employee], TimeOffRequest::read)?)
}

/// Whether a request for hours of a policy is pending, or approved and not paid.
pub fn is_waited_for(tx: &mut Tx<'_>, company: Uuid, policy: Uuid) -> Result<bool, Error> {
    Ok(tx.try_find(WAITED_FOR, params![company, policy], read_id)?.is_some())
}

/// Whether a request of an employee for hours of a type is pending, or approved and not paid.
pub fn has_unpaid_request(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    policy_type: PolicyType,
) -> Result<bool, Error> {
    Ok(tx.try_find(WAITS, params![company, employee, policy_type.as_str()], read_id)?.is_some())
}

/// Returns the days of a request.
pub fn days_of(tx: &mut Tx<'_>, company: Uuid, of: &TimeOffRequest) -> Result<Vec<RequestDay>, Error> {
    Ok(tx.try_query(DAYS_OF, params![company, of.employee, of.id], RequestDay::read)?)
}

/// Returns the requested days from `from` to `until` of the employees from `first` to `last` (all included), by request.
pub fn days_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
    Days { first: from, last: until }: Days,
) -> Result<HashMap<Uuid, Vec<RequestDay>>, Error> {
    let mut found: HashMap<Uuid, Vec<RequestDay>> = HashMap::new();
    for day in tx.try_query(DAYS_BETWEEN, params![company, first, last, from, until], RequestDay::read)? {
        found.entry(day.request).or_default().push(day);
    }
    Ok(found)
}

/// Returns the days of an employee that a calculation paid.
pub fn days_of_run(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    run: Uuid,
) -> Result<Vec<RequestDay>, Error> {
    Ok(tx.try_query(DAYS_OF_RUN, params![company, employee, run], RequestDay::read)?)
}

/// Finds an employee with a day that a calculation paid.
pub fn rest_of_run(tx: &mut Tx<'_>, company: Uuid, run: Uuid) -> Result<Option<Uuid>, Error> {
    Ok(tx.try_find(REST_OF_RUN, params![company, run], employee_of)?)
}

/// Returns the hours of pending requests of the employees between two (both included), one row for each day.
pub fn pending_hours(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
) -> Result<Vec<Waiting>, Error> {
    Ok(tx.try_query(PENDING, params![company, first, last], |row| {
        let mut next = Cursor::new(row, TimeOffRequest::TABLE, 0);
        Ok::<_, store::Error>(Waiting {
            employee: next.read_plain("employee_id")?,
            policy: next.read_plain("policy_id")?,
            hours: Amount::from_millionths(next.read_plain("hours")?),
        })
    })?)
}

/// Returns the approved days from `from` to `until` that no payroll has paid, for the employees from `first` to `last` (all included).
pub fn approved_unpaid_days(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { first, last }: IdRange,
    Days { first: from, last: until }: Days,
) -> Result<Vec<ApprovedDay>, Error> {
    Ok(tx.try_query(APPROVED, params![company, first, last, from, until], |row| {
        let mut next = Cursor::new(row, RequestDay::TABLE, 0);
        Ok::<_, store::Error>(ApprovedDay {
            employee: next.read_plain("employee_id")?,
            request: next.read_plain("request_id")?,
            policy_type: next.read_text("policy_type", PolicyType::parse)?,
            day: next.read_plain("day")?,
            hours: Amount::from_millionths(next.read_plain("hours")?),
        })
    })?)
}

/// Deletes the requests of an employee who is being deleted.
pub fn delete_employee_requests(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<(), Error> {
    for statement in [FORGET_DAYS, FORGET_REQUESTS] {
        let _as_many_as_there_were = tx.change_rows(statement, params![company, employee])?.rows();
    }
    Ok(())
}
