//! Who is in a payroll: everybody who has been onboarded and begins work by the end of the pay period, or whoever was
//! chosen for it.

use jiff::civil::Date;
use store::record::Cursor;
use store::{Row, Tx, params};
use uuid::Uuid;

use super::rows::Payroll;
use crate::error::Error;
use crate::paging::Page;
use crate::people::employees::Employee;

/// The members of a payroll: $1 company, $2 payroll, $3 whether they were chosen, $4 last day of the pay period.
macro_rules! members {
    () => {
        " FROM employees e WHERE e.company_id = $1 AND e.onboarded_at IS NOT NULL \
         AND ($3 = false OR EXISTS (SELECT 1 FROM payroll_inputs i WHERE i.company_id = $1 AND i.payroll_id = $2 AND i.employee_id = e.id)) \
         AND EXISTS (SELECT 1 FROM employee_jobs j WHERE j.company_id = $1 AND j.employee_id = e.id AND j.is_primary = true AND j.hire_date <= $4)"
    };
}

macro_rules! columns {
    () => {
        "e.id, e.first_name, e.preferred_first_name, e.last_name, e.payment_method"
    };
}

store::statements! {
    BY_AGE = concat!("SELECT ", columns!(), members!(), " ORDER BY e.id LIMIT $5 OFFSET $6");
    BY_FIRST_NAME = concat!("SELECT ", columns!(), members!(), " ORDER BY e.first_name, e.last_name, e.id LIMIT $5 OFFSET $6");
    BY_FIRST_NAME_DESC = concat!("SELECT ", columns!(), members!(), " ORDER BY e.first_name DESC, e.last_name DESC, e.id DESC LIMIT $5 OFFSET $6");
    BY_LAST_NAME_DESC = concat!("SELECT ", columns!(), members!(), " ORDER BY e.last_name DESC, e.first_name DESC, e.id DESC LIMIT $5 OFFSET $6");
    BY_LAST_NAME = concat!("SELECT ", columns!(), members!(), " ORDER BY e.last_name, e.first_name, e.id LIMIT $5 OFFSET $6");
    ONE = concat!("SELECT ", columns!(), members!(), " AND e.id = $5");
    AFTER = concat!("SELECT ", columns!(), members!(), " AND e.id > $5 ORDER BY e.id LIMIT $6");
    COUNT = concat!("SELECT count(*)", members!());
    ANY = "SELECT id FROM employees WHERE company_id = $1 AND onboarded_at IS NOT NULL LIMIT 1";
}

/// An employee of a payroll.
#[derive(Debug, Clone)]
pub struct Member {
    /// the employee
    pub id: Uuid,
    /// first name
    pub first_name: String,
    /// name that the person goes by
    pub preferred_first_name: Option<String>,
    /// last name
    pub last_name: String,
    /// `Direct Deposit` or `Check`
    pub payment_method: String,
}

impl Member {
    /// An employee as a member, whether a payroll has them or not.
    pub fn of(employee: &Employee) -> Self {
        Self {
            id: employee.id,
            first_name: employee.first_name.clone(),
            preferred_first_name: employee.preferred_first_name.clone(),
            last_name: employee.last_name.clone(),
            payment_method: employee.payment_method.clone(),
        }
    }
}

/// The order in which members are returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// as they were entered
    #[default]
    Age,
    /// by first name
    FirstName,
    /// by first name, the other way round
    FirstNameDesc,
    /// by last name
    LastName,
    /// by last name, the other way round
    LastNameDesc,
}

fn member(row: &Row<'_>) -> Result<Member, store::Error> {
    let mut next = Cursor::new(row, "employees", 0);
    Ok(Member {
        id: next.plain("id")?,
        first_name: next.plain("first_name")?,
        preferred_first_name: next.plain("preferred_first_name")?,
        last_name: next.plain("last_name")?,
        payment_method: next.plain("payment_method")?,
    })
}

/// The members of a page.
///
/// # Errors
/// A store error.
pub fn page(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
    order: Order,
    page: Page,
) -> Result<Vec<Member>, Error> {
    let (limit, offset) = page.bounds();
    let statement = match order {
        Order::Age => BY_AGE,
        Order::FirstName => BY_FIRST_NAME,
        Order::FirstNameDesc => BY_FIRST_NAME_DESC,
        Order::LastName => BY_LAST_NAME,
        Order::LastNameDesc => BY_LAST_NAME_DESC,
    };
    let of = params![company, payroll.id, payroll.chosen_employees, payroll.end, limit, offset];
    Ok(tx.try_query(statement, of, member)?)
}

/// How many members the payroll has.
///
/// # Errors
/// A store error.
pub fn count(tx: &mut Tx<'_>, company: Uuid, payroll: &Payroll) -> Result<i64, Error> {
    let of = params![company, payroll.id, payroll.chosen_employees, payroll.end];
    Ok(tx.find(COUNT, of, |row| row.get::<i64>(0))?.unwrap_or(0))
}

/// The employee, if a member of the payroll.
///
/// # Errors
/// A store error.
pub fn find(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
    employee: Uuid,
) -> Result<Option<Member>, Error> {
    let of = params![company, payroll.id, payroll.chosen_employees, payroll.end, employee];
    Ok(tx.try_find(ONE, of, member)?)
}

/// The employee, if somebody whom a payroll until that day could pay.
///
/// # Errors
/// A store error.
pub fn could_be(tx: &mut Tx<'_>, company: Uuid, end: Date, employee: Uuid) -> Result<bool, Error> {
    let of = params![company, Uuid::nil(), false, end, employee];
    Ok(tx.find(ONE, of, |_| ())?.is_some())
}

/// The next members after one, in the order in which they were entered.
///
/// # Errors
/// A store error.
pub fn after(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
    last: Uuid,
    most: i64,
) -> Result<Vec<Member>, Error> {
    let of = params![company, payroll.id, payroll.chosen_employees, payroll.end, last, most];
    Ok(tx.try_query(AFTER, of, member)?)
}

/// Whether the company has anybody who could be paid.
///
/// # Errors
/// A store error.
pub fn any(tx: &mut Tx<'_>, company: Uuid) -> Result<bool, Error> {
    Ok(tx.find(ANY, params![company], |_| ())?.is_some())
}
