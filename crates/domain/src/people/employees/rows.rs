//! Rows of employees.

use std::collections::HashMap;

use jiff::Timestamp;
use jiff::civil::Date;
use rules::Named;
use rules::onboarding::{Status, StepSet};
use store::{Place, Row, Stored, Tx, Unread, Value, params};
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::error::Error;
use crate::paging::Page;
use crate::people::addresses::rows::active_work_location as workplace;

store::record! {
    /// An employee. SSN and date of birth are sealed.
    #[derive(Debug, Clone)]
    pub struct Employee in "employees" {
        key {
            /// identifier
            pub id: Uuid,
        }
        fields {
            /// first name
            pub first_name: String,
            /// one letter
            pub middle_initial: Option<String>,
            /// last name
            pub last_name: String,
            /// name that the person goes by
            pub preferred_first_name: Option<String>,
            /// personal e-mail address
            pub email: Option<String>,
            /// e-mail address at work
            pub work_email: Option<String>,
            /// ten digits
            pub phone: Option<String>,
            /// sealed
            pub ssn: Option<Vec<u8>> as secret,
            /// a digest of the SSN
            pub ssn_fingerprint: Option<Vec<u8>> as secret,
            /// sealed, as YYYY-MM-DD
            pub date_of_birth: Option<Vec<u8>> as secret,
            /// see [`search_name`]
            pub search_name: String,
        }
        // Each of these has a statement of its own if it changes; the version stays the same then.
        fixed {
            /// short code given by the service
            pub employee_code: String,
            /// status of onboarding
            pub status: Status as text = "onboarding_status",
            /// steps of onboarding that the partner marked
            pub marked: StepSet as StepBits = "marked_steps",
            /// `Direct Deposit` or `Check`
            pub payment_method: String,
            /// whether Form I-9 is asked for
            pub i9_document: bool,
            /// when the employee completed self-onboarding
            pub self_completed_at: Option<Timestamp>,
            /// when onboarding was finished
            pub onboarded_at: Option<Timestamp>,
        }
        times {
            /// when the record was created
            pub created_at: Timestamp,
            updated_at,
        }
        version
    }
}

/// Stores steps of onboarding as a number with a bit for each.
struct StepBits;

impl Stored<StepSet> for StepBits {
    fn value(steps: &StepSet) -> Value<'_> {
        i64::from(steps.bits()).into()
    }

    fn read(row: &Row<'_>, column: usize) -> Result<Option<StepSet>, Unread> {
        let Some(bits) = row.try_get::<Option<i64>>(column)? else { return Ok(None) };
        let bits = u16::try_from(bits).map_err(|_| Unread::new("holds more steps than there are"))?;
        Ok(Some(StepSet::from_bits(bits)))
    }
}

/// The columns of an employee in a list with conditions.
const COLUMNS: &str = store::columns!(Employee, "e.");

/// A list's conditions: $1 company, $2 part of the name, $3 onboarded, $4 location of the active work address,
/// $5 today. A condition whose parameter is NULL holds.
const FILTERED: &str = " FROM employees e WHERE e.company_id = $1 AND (e.search_name LIKE $2 ESCAPE '!' OR $2 IS NULL) \
     AND ((e.onboarded_at IS NOT NULL) = $3 OR $3 IS NULL) \
     AND ((SELECT w.location_id FROM work_addresses w WHERE w.company_id = e.company_id AND w.employee_id = e.id \
     ORDER BY CASE WHEN w.effective_date <= $5 THEN 0 ELSE 1 END, \
     CASE WHEN w.effective_date <= $5 THEN w.effective_date END DESC, w.effective_date, w.id DESC LIMIT 1) = $4 OR $4 IS NULL)";

store::statements! {
    records Employee;
    BIRTHS = "SELECT id, date_of_birth FROM employees WHERE company_id = $1 AND id BETWEEN $2 AND $3 AND date_of_birth IS NOT NULL";
    MOVE = "UPDATE employees SET onboarding_status = $1, marked_steps = $2, self_completed_at = $3, onboarded_at = $4, updated_at = $5 \
            WHERE company_id = $6 AND id = $7 AND onboarding_status = $8";
    DELETE_HOME_ADDRESSES = "DELETE FROM home_addresses WHERE company_id = $1 AND employee_id = $2";
    DELETE_WORK_ADDRESSES = "DELETE FROM work_addresses WHERE company_id = $1 AND employee_id = $2";
    DELETE_COMPENSATIONS = "DELETE FROM compensations WHERE company_id = $1 AND employee_id = $2";
    DELETE_JOBS = "DELETE FROM employee_jobs WHERE company_id = $1 AND employee_id = $2";
    WITH_SSN = "SELECT count(*) FROM employees WHERE company_id = $1 AND ssn_fingerprint = $2 AND id <> $3";
    PAGE = store::text!(Employee::SELECT, " ORDER BY id LIMIT $2 OFFSET $3");
    COUNT_ALL = "SELECT count(*) FROM employees WHERE company_id = $1";
    COUNT = store::text!("SELECT count(*)", FILTERED);
    BY_AGE = store::text!("SELECT ", COLUMNS, FILTERED, " ORDER BY e.id LIMIT $6 OFFSET $7");
    BY_AGE_DESC = store::text!("SELECT ", COLUMNS, FILTERED, " ORDER BY e.id DESC LIMIT $6 OFFSET $7");
    BY_NAME = store::text!("SELECT ", COLUMNS, FILTERED, " ORDER BY e.search_name, e.id LIMIT $6 OFFSET $7");
    BY_NAME_DESC = store::text!("SELECT ", COLUMNS, FILTERED, " ORDER BY e.search_name DESC, e.id LIMIT $6 OFFSET $7");
    BY_STATUS = store::text!("SELECT ", COLUMNS, FILTERED, " ORDER BY e.onboarding_status, e.id LIMIT $6 OFFSET $7");
    BY_STATUS_DESC = store::text!("SELECT ", COLUMNS, FILTERED, " ORDER BY e.onboarding_status DESC, e.id LIMIT $6 OFFSET $7");
}

/// The name that `search_term` is compared with.
pub fn search_name(first_name: &str, last_name: &str) -> String {
    format!("{first_name} {last_name}").to_lowercase()
}

/// The place of a sealed field of an employee.
pub fn place(company: Uuid, employee: Uuid, column: &'static str) -> Place {
    Place { owner: company, table: "employees", row: employee, column }
}

/// The date of birth, opened.
///
/// # Errors
/// A store error.
pub fn birth_date(tx: &mut Tx<'_>, company: Uuid, employee: &Employee) -> Result<Option<Date>, Error> {
    let Some(sealed) = &employee.date_of_birth else { return Ok(None) };
    open_date(tx, company, employee.id, sealed).map(Some)
}

fn open_date(tx: &mut Tx<'_>, company: Uuid, employee: Uuid, sealed: &[u8]) -> Result<Date, Error> {
    let plain = tx.unseal(place(company, employee, "date_of_birth"), sealed)?;
    let date = std::str::from_utf8(&plain).ok().and_then(|text| text.parse().ok());
    let no_date =
        || Unread::new("is read as a date, but holds something else").of(Employee::TABLE, "date_of_birth");
    Ok(date.ok_or_else(no_date)?)
}

/// The dates of birth of those employees between two (both included) of whom they are wanted.
///
/// # Errors
/// A store error.
pub fn birth_dates_between(
    tx: &mut Tx<'_>,
    company: Uuid,
    (first, last): (Uuid, Uuid),
    wanted: impl Fn(Uuid) -> bool,
) -> Result<HashMap<Uuid, Date>, Error> {
    let sealed = tx.query(BIRTHS, params![company, first, last], |row| {
        let id = row.get::<Uuid>(0);
        if wanted(id) { Some((id, row.get::<Vec<u8>>(1))) } else { None }
    })?;
    let mut births = HashMap::with_capacity(sealed.len());
    for (id, sealed) in sealed.into_iter().flatten() {
        births.insert(id, open_date(tx, company, id, &sealed)?);
    }
    Ok(births)
}

/// The SSN, opened.
///
/// # Errors
/// A store error.
pub fn ssn(tx: &mut Tx<'_>, company: Uuid, employee: &Employee) -> Result<Option<Zeroizing<String>>, Error> {
    let Some(sealed) = &employee.ssn else { return Ok(None) };
    Ok(Some(tx.unseal_text(place(company, employee.id, "ssn"), sealed)?))
}

/// A digest by which equal SSNs of one company are found.
///
/// # Errors
/// A store error.
pub fn ssn_fingerprint(tx: &mut Tx<'_>, company: Uuid, ssn: &str) -> Result<Vec<u8>, Error> {
    Ok(tx.fingerprint(company, "employees.ssn", ssn.as_bytes())?.to_vec())
}

/// Whether another employee of the company holds the same SSN.
///
/// # Errors
/// A store error.
pub fn ssn_is_shared(tx: &mut Tx<'_>, company: Uuid, employee: &Employee) -> Result<bool, Error> {
    let Some(ssn) = ssn(tx, company, employee)? else { return Ok(false) };
    let fingerprint = ssn_fingerprint(tx, company, &ssn)?;
    let others = tx.find(WITH_SSN, params![company, &fingerprint, employee.id], |row| row.get::<i64>(0))?;
    Ok(others.unwrap_or(0) > 0)
}

/// Stores the status of onboarding if it was `from` until now; else nothing. The record's version stays the same.
///
/// # Errors
/// A store error.
pub fn move_to(tx: &mut Tx<'_>, company: Uuid, moved: &Employee, from: Status) -> Result<bool, Error> {
    let now = tx.now();
    let marked = i64::from(moved.marked.bits());
    let parameters = params![
        moved.status.as_str(),
        marked,
        moved.self_completed_at,
        moved.onboarded_at,
        now,
        company,
        moved.id,
        from.as_str()
    ];
    Ok(tx.change(MOVE, parameters)?.one())
}

/// Deletes the employee and what belongs to it.
///
/// # Errors
/// A store error.
pub fn delete(tx: &mut Tx<'_>, company: Uuid, employee: &Employee) -> Result<bool, Error> {
    for statement in [DELETE_COMPENSATIONS, DELETE_JOBS, DELETE_WORK_ADDRESSES, DELETE_HOME_ADDRESSES] {
        let _there_may_be_none = tx.change(statement, params![company, employee.id])?.rows();
    }
    Ok(employee.delete(tx, company)?)
}

/// Which employees a list asks for.
#[derive(Debug, Default, Clone)]
pub struct Filter {
    /// a part of "first last", in any case
    pub search_term: Option<String>,
    /// only those whose onboarding is (not) finished
    pub onboarded: Option<bool>,
    /// only those who work at this location
    pub location: Option<Uuid>,
    /// only these
    pub ids: Option<Vec<Uuid>>,
    /// order of the list
    pub sort: Sort,
}

/// Orders of a list.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// oldest first
    #[default]
    Created,
    /// newest first
    CreatedDesc,
    /// first name, then last name
    Name,
    /// the other way round
    NameDesc,
    /// onboarding status by its text
    Status,
    /// the other way round
    StatusDesc,
}

impl Filter {
    fn is_empty(&self) -> bool {
        self.search_term.is_none()
            && self.onboarded.is_none()
            && self.location.is_none()
            && self.ids.is_none()
    }
}

/// The employees of a page.
///
/// # Errors
/// A store error.
pub fn list(
    tx: &mut Tx<'_>,
    company: Uuid,
    filter: &Filter,
    page: Page,
    today: Date,
) -> Result<Vec<Employee>, Error> {
    let (limit, offset) = page.bounds();
    if let Some(ids) = &filter.ids {
        return named(tx, company, ids, filter, today);
    }
    if filter.is_empty() && filter.sort == Sort::Created {
        return Ok(tx.try_query(PAGE, params![company, limit, offset], Employee::read)?);
    }
    let statement = match filter.sort {
        Sort::Created => BY_AGE,
        Sort::CreatedDesc => BY_AGE_DESC,
        Sort::Name => BY_NAME,
        Sort::NameDesc => BY_NAME_DESC,
        Sort::Status => BY_STATUS,
        Sort::StatusDesc => BY_STATUS_DESC,
    };
    let pattern = filter.search_term.as_deref().map(like_pattern);
    let [a, b, c, d, e] = conditions(company, &pattern, filter, today);
    Ok(tx.try_query(statement, &[a, b, c, d, e, limit.into(), offset.into()], Employee::read)?)
}

/// Those of the named employees whom the other conditions let through, each once, in the order of the list.
fn named(
    tx: &mut Tx<'_>,
    company: Uuid,
    ids: &[Uuid],
    filter: &Filter,
    today: Date,
) -> Result<Vec<Employee>, Error> {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids.dedup();
    let term = filter.search_term.as_deref().map(str::to_lowercase);
    let mut found = Vec::new();
    for id in ids {
        let Some(employee) = Employee::find(tx, company, id)? else { continue };
        let fits = term.as_ref().is_none_or(|term| employee.search_name.contains(term))
            && filter.onboarded.is_none_or(|wanted| wanted == employee.onboarded_at.is_some());
        if fits && (filter.location.is_none() || filter.location == workplace(tx, company, id, today)?) {
            found.push(employee);
        }
    }
    match filter.sort {
        Sort::Created => {}
        Sort::CreatedDesc => found.reverse(),
        Sort::Name => found.sort_by(|a, b| a.search_name.cmp(&b.search_name)),
        Sort::NameDesc => found.sort_by(|a, b| b.search_name.cmp(&a.search_name)),
        Sort::Status => found.sort_by_key(|employee| employee.status.as_str()),
        Sort::StatusDesc => found.sort_by_key(|employee| std::cmp::Reverse(employee.status.as_str())),
    }
    Ok(found)
}

/// How many employees a list has in all.
///
/// # Errors
/// A store error.
pub fn count(tx: &mut Tx<'_>, company: Uuid, filter: &Filter, today: Date) -> Result<i64, Error> {
    let count = if filter.is_empty() {
        tx.find(COUNT_ALL, params![company], |row| row.get::<i64>(0))?
    } else {
        let pattern = filter.search_term.as_deref().map(like_pattern);
        tx.find(COUNT, &conditions(company, &pattern, filter, today), |row| row.get::<i64>(0))?
    };
    Ok(count.unwrap_or(0))
}

fn conditions<'a>(
    company: Uuid,
    pattern: &'a Option<String>,
    filter: &Filter,
    today: Date,
) -> [Value<'a>; 5] {
    [company.into(), pattern.into(), filter.onboarded.into(), filter.location.into(), today.into()]
}

/// A pattern that finds `term` anywhere, with its own wildcards as plain characters.
fn like_pattern(term: &str) -> String {
    let escaped = term.to_lowercase().replace('!', "!!").replace('%', "!%").replace('_', "!_");
    format!("%{escaped}%")
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_search_term_is_looked_for_letter_by_letter() {
        assert_eq!(super::like_pattern("50%_Off!"), "%50!%!_off!!%");
    }
}
