//! The members of a payroll: all employees who have been onboarded, are employed on a day of the pay period and follow its schedule, or
//! those who were chosen for it. A submitted payroll keeps its members.

use std::collections::BTreeSet;

use jiff::civil::Date;
use rules::days::Days;
use store::record::Cursor;
use store::{Row, Tx, Value, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use crate::error::Error;
use crate::paging::{Page, SortBy};
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::rows;
use crate::people::employees;
use crate::people::employees::Employee;
use crate::people::profiles::membership::{ARE_MEMBERS, Membership};
use crate::records::rows_of;

/// All members.
const FROM: &str = store::text!(" FROM employees e WHERE e.company_id = $1 AND ", ARE_MEMBERS);

const COLUMNS: &str = "e.id, e.first_name, e.preferred_first_name, e.last_name, e.payment_method";

/// An order given by a parameter ([`SortBy::to_text`]).
macro_rules! by {
    ($sort:literal) => {
        concat!(
            "CASE WHEN ",
            $sort,
            " = 'first_name' THEN e.first_name END, CASE WHEN ",
            $sort,
            " = 'first_name:desc' THEN e.first_name END DESC, \
             CASE WHEN ",
            $sort,
            " = 'last_name' THEN e.last_name END, CASE WHEN ",
            $sort,
            " = 'last_name:desc' THEN e.last_name END DESC"
        )
    };
}

store::statements! {
    BY_AGE = store::text!("SELECT ", COLUMNS, FROM, " ORDER BY e.id LIMIT $13 OFFSET $14");
    SORTED = store::text!("SELECT ", COLUMNS, FROM, " ORDER BY ", by!("$13"), ", ", by!("$14"), ", e.id LIMIT $15 OFFSET $16");
    ONE = store::text!("SELECT ", COLUMNS, FROM, " AND e.id = $13");
    AFTER = store::text!("SELECT ", COLUMNS, FROM, " AND e.id > $13 ORDER BY e.id LIMIT $14");
    COUNT = store::text!("SELECT count(*)", FROM);
    COULD_BE = "SELECT e.id FROM employees e WHERE e.company_id = $1 AND e.onboarded_at IS NOT NULL \
                AND EXISTS (SELECT 1 FROM employee_jobs j WHERE j.company_id = $1 AND j.employee_id = e.id AND j.is_primary = true AND j.hire_date <= $2) \
                AND e.id IN ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)";
    ANY = "SELECT id FROM employees WHERE company_id = $1 AND onboarded_at IS NOT NULL LIMIT 1";
}

/// An employee of a payroll.
#[derive(Debug, Clone)]
pub struct Member {
    /// the employee
    pub id: Uuid,
    /// first name
    pub first_name: String,
    /// preferred first name
    pub preferred_first_name: Option<String>,
    /// last name
    pub last_name: String,
    /// `Direct Deposit` or `Check`
    pub payment_method: String,
}

impl Member {
    /// Returns a member with only an id, paid by check, for pay that is calculated but not shown by name.
    pub(in crate::pay::payrolls) fn without_name(id: Uuid) -> Self {
        Self {
            id,
            first_name: String::new(),
            preferred_first_name: None,
            last_name: String::new(),
            payment_method: employees::rows::CHECK.to_owned(),
        }
    }

    /// Returns an employee as a member, whether or not they are in a payroll.
    pub fn from_employee(employee: &Employee) -> Self {
        Self {
            id: employee.id,
            first_name: employee.first_name.clone(),
            preferred_first_name: employee.preferred_first_name.clone(),
            last_name: employee.last_name.clone(),
            payment_method: employee.payment_method.clone(),
        }
    }
}

/// The sort keys of a payroll's members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum MemberKey {
    /// first name
    #[strum(serialize = "first_name")]
    FirstName,
    /// last name
    #[strum(serialize = "last_name")]
    LastName,
}

impl MemberKey {
    /// Returns the other name, which breaks ties.
    const fn other_name(self) -> Self {
        match self {
            Self::FirstName => Self::LastName,
            Self::LastName => Self::FirstName,
        }
    }
}

fn read_member(row: &Row<'_>) -> Result<Member, store::Error> {
    let mut next = Cursor::new(row, "employees", 0);
    Ok(Member {
        id: next.read_plain("id")?,
        first_name: next.read_plain("first_name")?,
        preferred_first_name: next.read_plain("preferred_first_name")?,
        last_name: next.read_plain("last_name")?,
        payment_method: next.read_plain("payment_method")?,
    })
}

/// Returns the criteria for the members of a payroll.
fn membership_criteria(payroll: &Payroll) -> Membership {
    let followed = payroll.schedule_of_members();
    let (from, until) = followed.map_or((payroll.start, payroll.end), |(_, from, until)| (from, until));
    Membership {
        payroll: payroll.id,
        chosen: payroll.chosen_employees,
        period: payroll.days(),
        regular: payroll.pays_regular_wages(),
        run: payroll.run.filter(|_| payroll.submitted_at.is_some()),
        schedule: followed.map(|(schedule, _, _)| schedule),
        followed: Days { first: from, last: until },
        leave: payroll.is_of_leavers(),
    }
}

/// Returns the criteria for the members of a payroll, for a list of employees. They match nobody if the company has no such payroll.
pub fn of_payroll(tx: &mut Tx<'_>, company: Uuid, id: Uuid) -> Result<Membership, Error> {
    let payroll = rows::find_payroll(tx, company, id)?;
    Ok(payroll.as_ref().map_or(Membership::NOBODY, membership_criteria))
}

/// Returns the parameters of [`ARE_MEMBERS`] for a payroll, followed by `more`.
pub(in crate::pay::payrolls) fn member_parameters<'a>(
    company: Uuid,
    payroll: &Payroll,
    more: &[Value<'a>],
) -> Vec<Value<'a>> {
    let mut parameters = membership_criteria(payroll).query_parameters(company).to_vec();
    parameters.extend_from_slice(more);
    parameters
}

/// Returns a page of members, in order of creation or as sorted.
pub fn list_members(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
    sort: &[SortBy<MemberKey>],
    page: Page,
) -> Result<Vec<Member>, Error> {
    let (limit, offset) = page.limit_and_offset();
    let Some(first) = sort.first() else {
        let parameters = member_parameters(company, payroll, &[limit.into(), offset.into()]);
        return Ok(tx.try_query(BY_AGE, &parameters, read_member)?);
    };
    let then = sort.iter().find(|one| one.key != first.key).copied();
    let then = then.unwrap_or(SortBy { key: first.key.other_name(), ..*first });
    let (first, then) = (first.to_text(), then.to_text());
    let more = [first.as_str().into(), then.as_str().into(), limit.into(), offset.into()];
    let parameters = member_parameters(company, payroll, &more);
    Ok(tx.try_query(SORTED, &parameters, read_member)?)
}

/// Returns the number of members of the payroll.
pub fn count_members(tx: &mut Tx<'_>, company: Uuid, payroll: &Payroll) -> Result<i64, Error> {
    Ok(tx.find_row(COUNT, &member_parameters(company, payroll, &[]), |row| row.get::<i64>(0))?.unwrap_or(0))
}

/// Returns the employee, if a member of the payroll.
pub fn find_member(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
    employee: Uuid,
) -> Result<Option<Member>, Error> {
    Ok(tx.try_find(ONE, &member_parameters(company, payroll, &[employee.into()]), read_member)?)
}

/// Returns those of some employees whom a payroll ending on a day could pay. Former employees can be paid, too.
pub fn who_could_be(
    tx: &mut Tx<'_>,
    company: Uuid,
    end: Date,
    employees: &[Uuid],
) -> Result<BTreeSet<Uuid>, Error> {
    let id = |row: &Row<'_>| Cursor::new(row, "employees", 0).read_plain("id");
    Ok(rows_of(tx, COULD_BE, params![company, end], employees, id)?.into_iter().collect())
}

/// Whether the employee has been onboarded and has a job, so that payrolls may pay them.
pub fn could_ever_be(tx: &mut Tx<'_>, company: Uuid, employee: Uuid) -> Result<bool, Error> {
    Ok(who_could_be(tx, company, Date::MAX, &[employee])?.contains(&employee))
}

/// Returns the next members after `last`, in order of creation.
pub fn members_after(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
    last: Uuid,
    most: i64,
) -> Result<Vec<Member>, Error> {
    Ok(tx.try_query(AFTER, &member_parameters(company, payroll, &[last.into(), most.into()]), read_member)?)
}

/// Whether the company has any employee who could be paid.
pub fn has_payable_employees(tx: &mut Tx<'_>, company: Uuid) -> Result<bool, Error> {
    Ok(tx.find_row(ANY, params![company], |_| ())?.is_some())
}
