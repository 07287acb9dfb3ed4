//! Lists of employees.

use jiff::civil::Date;
use rules::Named;
use store::{Sql, Tx, Value, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use crate::error::Error;
use crate::folding::fold_text;
use crate::paging::{Page, SortBy, Total};
use crate::people::addresses::rows::active_work_location as workplace;
use crate::people::employees::Employee;
use crate::people::employees::counts;
use crate::people::employees::counts::Counts;
use crate::people::employment;
use crate::people::profiles::membership;
use crate::people::profiles::membership::Membership;
use crate::people::profiles::shown::{COLUMNS, ShownEmployee};

/// The termination of an employee's current employment, on day $16 (`Employment::termination`).
const TERMINATION: &str = "SELECT 1 FROM terminations t WHERE t.company_id = $1 AND t.employee_id = e.id \
     AND NOT EXISTS (SELECT 1 FROM rehires b WHERE b.company_id = $1 AND b.employee_id = e.id \
     AND b.effective_date > t.effective_date AND b.effective_date <= $16)";

/// The conditions of a list: $1 company, $2 payroll, up to $12 what determines its members ([`membership::ARE_MEMBERS`]), $13 part of the
/// name, $14 onboarded, $15 location of the active work address, $16 today, $17 with a termination, $18 with one that has taken effect,
/// $19 onboarded and not terminated. A condition whose parameter is NULL is met. The test for no payroll comes first, because it is
/// cheapest; it cannot be `$2 IS NULL`, because the first use of a parameter determines its type.
const FILTERED: &str = store::text!(
    " FROM employees e WHERE e.company_id = $1 AND (coalesce($2, $1) = $1 OR (",
    membership::ARE_MEMBERS,
    ")) AND (e.search_name LIKE $13 ESCAPE '!' OR $13 IS NULL) \
     AND ((e.onboarded_at IS NOT NULL) = $14 OR $14 IS NULL) \
     AND ((SELECT w.location_id FROM work_addresses w WHERE w.company_id = $1 AND w.employee_id = e.id \
     ORDER BY CASE WHEN w.effective_date <= $16 THEN 0 ELSE 1 END, \
     CASE WHEN w.effective_date <= $16 THEN w.effective_date END DESC, w.effective_date, w.id DESC LIMIT 1) = $15 OR $15 IS NULL) AND (EXISTS (",
    TERMINATION,
    ") = $17 OR $17 IS NULL) AND (EXISTS (",
    TERMINATION,
    " AND t.effective_date < $16) = $18 OR $18 IS NULL) AND ((e.onboarded_at IS NOT NULL AND NOT EXISTS (",
    TERMINATION,
    " AND t.effective_date < $16)) = $19 OR $19 IS NULL)"
);

/// Employees with a termination of their current employment, selected from the terminations: $1 company, $2 today.
const LEAVERS: &str = " FROM terminations t JOIN employees e ON e.company_id = $1 AND e.id = t.employee_id WHERE t.company_id = $1 \
     AND NOT EXISTS (SELECT 1 FROM rehires b WHERE b.company_id = $1 AND b.employee_id = t.employee_id \
     AND b.effective_date > t.effective_date AND b.effective_date <= $2)";

/// The sort order given by a parameter ([`SortBy::to_text`]).
macro_rules! by {
    ($sort:literal) => {
        concat!(
            "CASE WHEN ",
            $sort,
            " = 'name' THEN e.search_name END, CASE WHEN ",
            $sort,
            " = 'name:desc' THEN e.search_name END DESC, \
             CASE WHEN ",
            $sort,
            " = 'onboarding_status' THEN e.onboarding_status END, \
             CASE WHEN ",
            $sort,
            " = 'onboarding_status:desc' THEN e.onboarding_status END DESC, "
        )
    };
}

store::statements! {
    IS_ON_PAYROLL = store::text!("SELECT e.id FROM employees e WHERE e.company_id = $1 AND ", membership::ARE_MEMBERS, " AND e.id = $13");
    FIND = store::text!("SELECT ", COLUMNS, " FROM employees e WHERE e.company_id = $1 AND e.id = $2");
    PAGE = store::text!("SELECT ", COLUMNS, " FROM employees e WHERE e.company_id = $1 AND e.id > $2 ORDER BY e.id LIMIT $3 OFFSET $4");
    COUNT = store::text!("SELECT count(*) FROM (SELECT e.id", FILTERED, " LIMIT $20) AS counted");
    LEAVING = store::text!("SELECT count(DISTINCT t.employee_id)", LEAVERS);
    LEFT = store::text!("SELECT count(DISTINCT t.employee_id)", LEAVERS, " AND t.effective_date < $2");
    LEFT_ONBOARDED = store::text!("SELECT count(DISTINCT t.employee_id)", LEAVERS, " AND t.effective_date < $2 AND e.onboarded_at IS NOT NULL");
    BY_AGE = store::text!("SELECT ", COLUMNS, FILTERED, " AND e.id > $20 ORDER BY e.id LIMIT $21 OFFSET $22");
    BY_AGE_DESC = store::text!("SELECT ", COLUMNS, FILTERED, " AND e.id < $20 ORDER BY e.id DESC LIMIT $21 OFFSET $22");
    SORTED = store::text!("SELECT ", COLUMNS, FILTERED, " ORDER BY ", by!("$22"), by!("$23"), "CASE WHEN $24 = true THEN e.id END DESC, e.id LIMIT $20 OFFSET $21");
}

/// The filters of a list.
#[derive(Debug, Default, Clone)]
pub struct EmployeeFilter {
    /// a part of "first last", in any case and with or without accents
    pub search_term: Option<String>,
    /// only those whose onboarding is (not) finished
    pub onboarded: Option<bool>,
    /// only those with (without) a termination of their current employment, in effect or not
    pub leaving: Option<bool>,
    /// only those whose employment has (not) ended
    pub left: Option<bool>,
    /// only those who are (not) onboarded and employed
    pub active: Option<bool>,
    /// only those who work at this location
    pub location: Option<Uuid>,
    /// only those on this payroll
    pub payroll: Option<Membership>,
    /// only the employees with these ids
    pub ids: Option<Vec<Uuid>>,
    /// sort order, most significant first; oldest first by default
    pub sort: Vec<SortBy<EmployeeKey>>,
}

/// Sort keys of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum EmployeeKey {
    /// when the employee was created
    #[strum(serialize = "created_at")]
    Created,
    /// first name, then last name
    #[strum(serialize = "name")]
    Name,
    /// onboarding status, alphabetically
    #[strum(serialize = "onboarding_status")]
    Status,
}

/// Converts a sort order to parameters: the keys before the time of creation, and whether the newest come first. No two employees were
/// created at the same time, so keys after that one have no effect.
fn sort_parameters(sort: &[SortBy<EmployeeKey>]) -> ([Option<String>; 2], bool) {
    let by_age = sort.iter().position(|one| one.key == EmployeeKey::Created);
    let newest_first = by_age.is_some_and(|place| sort[place].descending);
    let mut before = sort[..by_age.unwrap_or(sort.len())].to_vec();
    before.dedup_by_key(|one| one.key);
    let mut texts = before.into_iter().map(SortBy::to_text);
    ([texts.next(), texts.next()], newest_first)
}

impl EmployeeFilter {
    /// Whether the list is in order of ids, so that a page can begin after a cursor.
    pub fn is_by_age(&self) -> bool {
        self.ids.is_none() && self.sort.first().is_none_or(|first| first.key == EmployeeKey::Created)
    }

    fn is_empty(&self) -> bool {
        self.search_term.is_none()
            && self.onboarded.is_none()
            && self.leaving.is_none()
            && self.left.is_none()
            && self.active.is_none()
            && self.location.is_none()
            && self.payroll.is_none()
            && self.ids.is_none()
    }
}

/// Returns an employee.
///
/// # Errors
/// "Not found"; a store error.
pub fn find_employee(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<ShownEmployee, Error> {
    tx.try_find(FIND, params![company, id], ShownEmployee::read)?.ok_or(Error::NotFound)
}

/// Announces the query of [`find_employee`] (see [`Tx::announce_employee`]).
pub fn announce_employee(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<(), Error> {
    Ok(tx.announce_query(FIND, params![company, id])?)
}

/// Returns the employees of a page.
pub fn list_employees(
    tx: &mut Tx<'_>,
    company: Uuid,
    filter: &EmployeeFilter,
    page: Page,
    today: Date,
) -> Result<Vec<ShownEmployee>, Error> {
    let (limit, offset) = page.limit_and_offset();
    if let Some(ids) = &filter.ids {
        return employees_with_ids(tx, company, ids, filter, today);
    }
    if filter.is_empty() && filter.sort.is_empty() {
        let last = page.last_seen_row().unwrap_or_default();
        return Ok(tx.try_query(PAGE, params![company, last, limit, offset], ShownEmployee::read)?);
    }
    let pattern = filter.search_term.as_deref().map(like_pattern);
    let ([first, then], newest_first) = sort_parameters(&filter.sort);
    let mut parameters = filter_conditions(company, &pattern, filter, today);
    if first.is_none() {
        let (statement, beyond) =
            if newest_first { (BY_AGE_DESC, Uuid::max()) } else { (BY_AGE, Uuid::nil()) };
        let beyond = page.last_seen_row().unwrap_or(beyond);
        parameters.extend_from_slice(&[beyond.into(), limit.into(), offset.into()]);
        return Ok(tx.try_query(statement, &parameters, ShownEmployee::read)?);
    }
    let (first, then) = (first.as_deref().into(), then.as_deref().into());
    parameters.extend_from_slice(&[limit.into(), offset.into(), first, then, newest_first.into()]);
    Ok(tx.try_query(SORTED, &parameters, ShownEmployee::read)?)
}

/// Returns the employees with these ids that match the other filters, without duplicates, in the order of the list.
fn employees_with_ids(
    tx: &mut Tx<'_>,
    company: Uuid,
    ids: &[Uuid],
    filter: &EmployeeFilter,
    today: Date,
) -> Result<Vec<ShownEmployee>, Error> {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids.dedup();
    let term = filter.search_term.as_deref().map(fold_text);
    let mut found = Vec::new();
    for id in ids {
        let Some(employee) = Employee::find(tx, company, id)? else { continue };
        let fits = term.as_ref().is_none_or(|term| employee.search_name.contains(term))
            && filter.onboarded.is_none_or(|wanted| wanted == employee.onboarded_at.is_some());
        if fits
            && (filter.location.is_none() || filter.location == workplace(tx, company, id, today)?)
            && is_on(tx, company, filter.payroll, id)?
            && fits_employment(tx, company, filter, &employee, today)?
        {
            found.push(employee);
        }
    }
    // They are oldest first, which a stable sort keeps for equal keys.
    for one in filter.sort.iter().rev() {
        found.sort_by(|a, b| {
            let order = match one.key {
                EmployeeKey::Created => a.id.cmp(&b.id),
                EmployeeKey::Name => a.search_name.cmp(&b.search_name),
                EmployeeKey::Status => a.status.as_str().cmp(b.status.as_str()),
            };
            if one.descending { order.reverse() } else { order }
        });
    }
    Ok(found.into_iter().map(ShownEmployee::from).collect())
}

/// Whether an employee's employment matches the filters.
fn fits_employment(
    tx: &mut Tx<'_>,
    company: Uuid,
    filter: &EmployeeFilter,
    employee: &Employee,
    today: Date,
) -> Result<bool, Error> {
    let held = employment::rows::of_employee(tx, company, employee.id)?;
    let left = held.is_terminated(today);
    let active = employee.onboarded_at.is_some() && !left;
    Ok(filter.leaving.is_none_or(|wanted| wanted == held.current_termination(today).is_some())
        && filter.left.is_none_or(|wanted| wanted == left)
        && filter.active.is_none_or(|wanted| wanted == active))
}

/// Whether an employee is on the payroll of the filters, if any.
fn is_on(tx: &mut Tx<'_>, company: Uuid, payroll: Option<Membership>, employee: Uuid) -> Result<bool, Error> {
    let Some(payroll) = payroll else { return Ok(true) };
    let mut parameters = payroll.query_parameters(company).to_vec();
    parameters.push(employee.into());
    Ok(tx.find_row(IS_ON_PAYROLL, &parameters, |_| ())?.is_some())
}

/// How the employees of a list are counted.
enum Counting {
    /// from the stored counts
    Kept(fn(Counts) -> i64),
    /// among those with a termination, who are fewer
    Leavers(Sql),
    /// onboarded employees minus those who have left
    Active,
    /// one by one, up to a limit
    OneByOne,
}

impl Counting {
    fn for_filter(filter: &EmployeeFilter) -> Self {
        let EmployeeFilter { search_term, onboarded, leaving, left, active, location, payroll, ids, sort: _ } =
            filter;
        if search_term.is_some() || location.is_some() || payroll.is_some() || ids.is_some() {
            return Self::OneByOne;
        }
        match (*onboarded, *leaving, *left, *active) {
            (None, None, None, None) => Self::Kept(|counts| counts.number),
            (Some(true), None, None, None) => Self::Kept(|counts| counts.onboarded),
            (Some(false), None, None, None) => Self::Kept(|counts| counts.number - counts.onboarded),
            (None, Some(true), None, None) => Self::Leavers(LEAVING),
            (None, None | Some(true), Some(true), None) => Self::Leavers(LEFT),
            (None | Some(true), None, None, Some(true)) => Self::Active,
            _ => Self::OneByOne,
        }
    }
}

/// Returns the number of employees in a list: exact without filters, for `onboarded` alone, and for `leaving`, `left` or `active` if true
/// and alone or with a filter that it implies; otherwise up to the limit of [`Page::counted`].
pub fn count_employees(
    tx: &mut Tx<'_>,
    company: Uuid,
    filter: &EmployeeFilter,
    today: Date,
    page: Page,
) -> Result<Total, Error> {
    let number = |found: Option<i64>| found.unwrap_or(0);
    Ok(match Counting::for_filter(filter) {
        Counting::Kept(which) => which(counts::stored_counts(tx, company)?).into(),
        Counting::Leavers(statement) => {
            number(tx.find_row(statement, params![company, today], |row| row.get(0))?).into()
        }
        Counting::Active => {
            let onboarded = counts::stored_counts(tx, company)?.onboarded;
            let left = number(tx.find_row(LEFT_ONBOARDED, params![company, today], |row| row.get(0))?);
            (onboarded - left).into()
        }
        Counting::OneByOne => {
            let pattern = filter.search_term.as_deref().map(like_pattern);
            let mut parameters = filter_conditions(company, &pattern, filter, today);
            let most = page.count_limit();
            parameters.push((most + 1).into());
            Total::up_to(most, number(tx.find_row(COUNT, &parameters, |row| row.get(0))?))
        }
    })
}

/// Announces the query of [`count_employees`] (see [`Tx::announce_employee`]).
pub fn announce_count(
    tx: &mut Tx<'_>,
    company: Uuid,
    filter: &EmployeeFilter,
    today: Date,
    page: Page,
) -> Result<(), Error> {
    match Counting::for_filter(filter) {
        Counting::Kept(_) => counts::announce_counts(tx, company),
        Counting::Leavers(statement) => Ok(tx.announce_query(statement, params![company, today])?),
        Counting::Active => {
            counts::announce_counts(tx, company)?;
            Ok(tx.announce_query(LEFT_ONBOARDED, params![company, today])?)
        }
        Counting::OneByOne => {
            let pattern = filter.search_term.as_deref().map(like_pattern);
            let mut parameters = filter_conditions(company, &pattern, filter, today);
            parameters.push((page.count_limit() + 1).into());
            Ok(tx.announce_query(COUNT, &parameters)?)
        }
    }
}

/// Returns the parameters of [`FILTERED`].
fn filter_conditions<'a>(
    company: Uuid,
    pattern: &'a Option<String>,
    filter: &EmployeeFilter,
    today: Date,
) -> Vec<Value<'a>> {
    let EmployeeFilter { payroll, onboarded, location, leaving, left, active, .. } = *filter;
    let mut parameters = vec![Value::Null; membership::CONDITIONS];
    parameters[0] = company.into();
    if let Some(payroll) = payroll {
        parameters.copy_from_slice(&payroll.query_parameters(company));
    }
    parameters.extend_from_slice(&[
        pattern.into(),
        onboarded.into(),
        location.into(),
        today.into(),
        leaving.into(),
        left.into(),
        active.into(),
    ]);
    parameters
}

/// Returns a pattern that matches `term` anywhere, with its wildcards escaped.
pub fn like_pattern(term: &str) -> String {
    let escaped = fold_text(term).replace('!', "!!").replace('%', "!%").replace('_', "!_");
    format!("%{escaped}%")
}

#[cfg(test)]
mod tests {
    #[test]
    fn wildcards_in_a_search_term_are_escaped() {
        assert_eq!(super::like_pattern("50%_Off!"), "%50!%!_off!!%");
        assert_eq!(super::like_pattern("Núñez％"), "%nunez!%%", "also those that folding makes");
    }
}
