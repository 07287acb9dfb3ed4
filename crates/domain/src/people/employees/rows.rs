//! Rows of employees.

use std::collections::HashMap;

use jiff::Timestamp;
use jiff::civil::Date;
use rules::Named;
use rules::onboarding::{Status, StepSet};
use store::{Place, Row, Tx, Value, params};
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::error::Error;
use crate::paging::Page;
use crate::people::addresses::rows::active_work_location as workplace;

/// The columns of an employee, in the order in which [`employee`] reads them.
macro_rules! columns {
    () => {
        "e.id, e.first_name, e.middle_initial, e.last_name, e.preferred_first_name, e.email, e.work_email, e.phone, \
         e.employee_code, e.ssn, e.date_of_birth, e.onboarding_status, e.marked_steps, e.payment_method, e.i9_document, \
         e.self_completed_at, e.onboarded_at, e.version, e.created_at"
    };
}

/// A list's conditions: $1 company, $2 part of the name, $3 onboarded, $4 location of the active work address,
/// $5 today. A condition whose parameter is NULL holds.
macro_rules! filtered {
    () => {
        " FROM employees e WHERE e.company_id = $1 AND (e.search_name LIKE $2 ESCAPE '!' OR $2 IS NULL) \
         AND ((e.onboarded_at IS NOT NULL) = $3 OR $3 IS NULL) \
         AND ((SELECT w.location_id FROM work_addresses w WHERE w.company_id = e.company_id AND w.employee_id = e.id \
         ORDER BY CASE WHEN w.effective_date <= $5 THEN 0 ELSE 1 END, \
         CASE WHEN w.effective_date <= $5 THEN w.effective_date END DESC, w.effective_date, w.id DESC LIMIT 1) = $4 OR $4 IS NULL)"
    };
}

store::statements! {
    FIND = concat!("SELECT ", columns!(), " FROM employees e WHERE e.company_id = $1 AND e.id = $2");
    BIRTHS = "SELECT id, date_of_birth FROM employees WHERE company_id = $1 AND id BETWEEN $2 AND $3 AND date_of_birth IS NOT NULL";
    INSERT = "INSERT INTO employees (company_id, id, first_name, middle_initial, last_name, preferred_first_name, search_name, \
              email, work_email, phone, employee_code, ssn, ssn_fingerprint, date_of_birth, onboarding_status, marked_steps, \
              payment_method, i9_document, version, created_at, updated_at) \
              VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 0, $16, false, 1, $17, $17)";
    UPDATE = "UPDATE employees SET first_name = $1, middle_initial = $2, last_name = $3, preferred_first_name = $4, search_name = $5, \
              email = $6, work_email = $7, phone = $8, ssn = $9, ssn_fingerprint = $10, date_of_birth = $11, \
              version = version + 1, updated_at = $12 WHERE company_id = $13 AND id = $14 AND version = $15";
    MOVE = "UPDATE employees SET onboarding_status = $1, marked_steps = $2, self_completed_at = $3, onboarded_at = $4, updated_at = $5 \
            WHERE company_id = $6 AND id = $7 AND onboarding_status = $8";
    DELETE = "DELETE FROM employees WHERE company_id = $1 AND id = $2";
    DELETE_HOME_ADDRESSES = "DELETE FROM home_addresses WHERE company_id = $1 AND employee_id = $2";
    DELETE_WORK_ADDRESSES = "DELETE FROM work_addresses WHERE company_id = $1 AND employee_id = $2";
    DELETE_COMPENSATIONS = "DELETE FROM compensations WHERE company_id = $1 AND employee_id = $2";
    DELETE_JOBS = "DELETE FROM employee_jobs WHERE company_id = $1 AND employee_id = $2";
    WITH_SSN = "SELECT count(*) FROM employees WHERE company_id = $1 AND ssn_fingerprint = $2 AND id <> $3";
    PAGE = concat!("SELECT ", columns!(), " FROM employees e WHERE e.company_id = $1 ORDER BY e.id LIMIT $2 OFFSET $3");
    COUNT_ALL = "SELECT count(*) FROM employees WHERE company_id = $1";
    COUNT = concat!("SELECT count(*)", filtered!());
    BY_AGE = concat!("SELECT ", columns!(), filtered!(), " ORDER BY e.id LIMIT $6 OFFSET $7");
    BY_AGE_DESC = concat!("SELECT ", columns!(), filtered!(), " ORDER BY e.id DESC LIMIT $6 OFFSET $7");
    BY_NAME = concat!("SELECT ", columns!(), filtered!(), " ORDER BY e.search_name, e.id LIMIT $6 OFFSET $7");
    BY_NAME_DESC = concat!("SELECT ", columns!(), filtered!(), " ORDER BY e.search_name DESC, e.id LIMIT $6 OFFSET $7");
    BY_STATUS = concat!("SELECT ", columns!(), filtered!(), " ORDER BY e.onboarding_status, e.id LIMIT $6 OFFSET $7");
    BY_STATUS_DESC = concat!("SELECT ", columns!(), filtered!(), " ORDER BY e.onboarding_status DESC, e.id LIMIT $6 OFFSET $7");
}

/// An employee. SSN and date of birth stay sealed until somebody asks for them.
#[derive(Debug, Clone)]
pub struct Employee {
    /// identifier
    pub id: Uuid,
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
    /// short code given by the service
    pub employee_code: String,
    /// sealed
    pub ssn: Option<Vec<u8>>,
    /// sealed, as YYYY-MM-DD
    pub date_of_birth: Option<Vec<u8>>,
    /// where onboarding stands
    pub status: Status,
    /// steps that the partner marked
    pub marked: StepSet,
    /// `Direct Deposit` or `Check`
    pub payment_method: String,
    /// whether Form I-9 is asked for
    pub i9_document: bool,
    /// when the employee was reported done
    pub self_completed_at: Option<Timestamp>,
    /// when onboarding was finished
    pub onboarded_at: Option<Timestamp>,
    /// counter of updates
    pub version: i64,
    /// when the record was created
    pub created_at: Timestamp,
}

fn employee(row: &Row<'_>) -> Employee {
    let status = row.get::<&str>(11);
    Employee {
        id: row.get(0),
        first_name: row.get(1),
        middle_initial: row.get(2),
        last_name: row.get(3),
        preferred_first_name: row.get(4),
        email: row.get(5),
        work_email: row.get(6),
        phone: row.get(7),
        employee_code: row.get(8),
        ssn: row.get(9),
        date_of_birth: row.get(10),
        status: Status::parse(status).unwrap_or_else(|| panic!("{status} is no onboarding status")),
        marked: StepSet::from_bits(u16::try_from(row.get::<i64>(12)).unwrap_or(0)),
        payment_method: row.get(13),
        i9_document: row.get(14),
        self_completed_at: row.get(15),
        onboarded_at: row.get(16),
        version: row.get(17),
        created_at: row.get(18),
    }
}

impl Employee {
    /// What `search_term` is compared with.
    fn search_name(&self) -> String {
        format!("{} {}", self.first_name, self.last_name).to_lowercase()
    }
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
    let plain = tx.unseal(place(company, employee.id, "date_of_birth"), sealed)?;
    Ok(std::str::from_utf8(&plain).ok().and_then(|text| text.parse().ok()))
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
        let plain = tx.unseal(place(company, id, "date_of_birth"), &sealed)?;
        let day = std::str::from_utf8(&plain).ok().and_then(|text| text.parse().ok());
        births.extend(day.map(|day| (id, day)));
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

/// The employee, if it is one of the company's.
///
/// # Errors
/// A store error.
pub fn find(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Option<Employee>, Error> {
    Ok(tx.find(FIND, params![company, id], employee)?)
}

/// Stores a new employee.
///
/// # Errors
/// A store error.
pub fn insert(
    tx: &mut Tx<'_>,
    company: Uuid,
    new: &Employee,
    ssn_fingerprint: &Option<Vec<u8>>,
) -> Result<(), Error> {
    let search_name = new.search_name();
    let parameters = params![
        company,
        new.id,
        &new.first_name,
        &new.middle_initial,
        &new.last_name,
        &new.preferred_first_name,
        &search_name,
        &new.email,
        &new.work_email,
        &new.phone,
        &new.employee_code,
        &new.ssn,
        ssn_fingerprint,
        &new.date_of_birth,
        new.status.as_str(),
        &new.payment_method,
        new.created_at
    ];
    Ok(tx.insert(INSERT, parameters)?)
}

/// Stores what the person's record says, if its version is still that of `changed`; else nothing.
///
/// # Errors
/// A store error.
pub fn update(
    tx: &mut Tx<'_>,
    company: Uuid,
    changed: &Employee,
    ssn_fingerprint: &Option<Vec<u8>>,
) -> Result<bool, Error> {
    let (now, search_name) = (tx.now(), changed.search_name());
    let parameters = params![
        &changed.first_name,
        &changed.middle_initial,
        &changed.last_name,
        &changed.preferred_first_name,
        &search_name,
        &changed.email,
        &changed.work_email,
        &changed.phone,
        &changed.ssn,
        ssn_fingerprint,
        &changed.date_of_birth,
        now,
        company,
        changed.id,
        changed.version
    ];
    Ok(tx.change(UPDATE, parameters)?.one())
}

/// Stores where onboarding stands, if it stood at `from` until now; else nothing. The record's version stays:
/// a status is no part of what the person's record says.
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
pub fn delete(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<bool, Error> {
    for statement in [DELETE_COMPENSATIONS, DELETE_JOBS, DELETE_WORK_ADDRESSES, DELETE_HOME_ADDRESSES] {
        let _there_may_be_none = tx.change(statement, params![company, id])?.rows();
    }
    Ok(tx.change(DELETE, params![company, id])?.one())
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
        return Ok(tx.query(PAGE, params![company, limit, offset], employee)?);
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
    Ok(tx.query(statement, &[a, b, c, d, e, limit.into(), offset.into()], employee)?)
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
        let Some(employee) = find(tx, company, id)? else { continue };
        let fits = term.as_ref().is_none_or(|term| employee.search_name().contains(term))
            && filter.onboarded.is_none_or(|wanted| wanted == employee.onboarded_at.is_some());
        if fits && (filter.location.is_none() || filter.location == workplace(tx, company, id, today)?) {
            found.push(employee);
        }
    }
    match filter.sort {
        Sort::Created => {}
        Sort::CreatedDesc => found.reverse(),
        Sort::Name => found.sort_by_key(Employee::search_name),
        Sort::NameDesc => found.sort_by_key(|employee| std::cmp::Reverse(employee.search_name())),
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
