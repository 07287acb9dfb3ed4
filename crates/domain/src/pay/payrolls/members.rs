//! Who is in a payroll: everybody who has been onboarded and is employed on a day of the pay period, or whoever was
//! chosen for it. A payroll that was submitted keeps whom it pays.

use jiff::civil::Date;
use store::record::Cursor;
use store::{Row, Tx, Value, params};
use strum::{EnumString, IntoStaticStr, VariantArray};
use uuid::Uuid;

use super::rows::Payroll;
use crate::error::Error;
use crate::paging::{Page, SortBy};
use crate::people::employees;
use crate::people::employees::Employee;

/// The members of a payroll: $1 company, $2 payroll, $3 whether they were chosen, $4 and $5 first and last day of the pay
/// period, $6 whether it pays regular wages, so that those who are paid apart at the end are not in it, $7 its calculation
/// once it is submitted.
///
/// What belongs to an employee is counted, not asked for by EXISTS: a server answers that by reading all results, or all
/// jobs of the company, before the first employee of a page. It is looked up employee by employee in their order, up to the
/// end of the page.
macro_rules! members {
    () => {
        " FROM employees e WHERE e.company_id = $1 AND e.onboarded_at IS NOT NULL \
         AND ($3 = false OR (SELECT count(*) FROM payroll_inputs i WHERE i.company_id = $1 AND i.payroll_id = $2 AND i.employee_id = e.id) > 0) \
         AND (SELECT min(j.hire_date) FROM employee_jobs j WHERE j.company_id = $1 AND j.employee_id = e.id AND j.is_primary = true) <= $5 \
         AND ($3 = true OR (SELECT count(*) FROM payroll_results o WHERE o.company_id = $1 AND o.run_id = $7 AND o.employee_id = e.id) > 0 \
         OR (SELECT count(*) FROM terminations t WHERE t.company_id = $1 AND t.employee_id = e.id \
         AND (t.effective_date < $4 OR ($6 = true AND t.run_termination_payroll = true AND t.effective_date <= $5)) \
         AND (SELECT count(*) FROM rehires b WHERE b.company_id = $1 AND b.employee_id = e.id \
         AND b.effective_date > t.effective_date AND b.effective_date <= $5) = 0) = 0)"
    };
}

macro_rules! columns {
    () => {
        "e.id, e.first_name, e.preferred_first_name, e.last_name, e.payment_method"
    };
}

/// An order that a parameter names ([`SortBy::to_text`]).
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
    BY_AGE = concat!("SELECT ", columns!(), members!(), " ORDER BY e.id LIMIT $8 OFFSET $9");
    SORTED = concat!("SELECT ", columns!(), members!(), " ORDER BY ", by!("$8"), ", ", by!("$9"), ", e.id LIMIT $10 OFFSET $11");
    ONE = concat!("SELECT ", columns!(), members!(), " AND e.id = $8");
    AFTER = concat!("SELECT ", columns!(), members!(), " AND e.id > $8 ORDER BY e.id LIMIT $9");
    COUNT = concat!("SELECT count(*)", members!());
    COULD_BE = "SELECT e.id FROM employees e WHERE e.company_id = $1 AND e.id = $2 AND e.onboarded_at IS NOT NULL \
                AND EXISTS (SELECT 1 FROM employee_jobs j WHERE j.company_id = $1 AND j.employee_id = e.id AND j.is_primary = true AND j.hire_date <= $3)";
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
    /// An employee of whom only the id is known, paid by check: for pay that is worked out and shown to nobody by name.
    pub(super) fn nameless(id: Uuid) -> Self {
        Self {
            id,
            first_name: String::new(),
            preferred_first_name: None,
            last_name: String::new(),
            payment_method: employees::rows::CHECK.to_owned(),
        }
    }

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

/// What the members of a payroll can be put in order by.
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
    /// The other name, which decides where one is the same.
    const fn other(self) -> Self {
        match self {
            Self::FirstName => Self::LastName,
            Self::LastName => Self::FirstName,
        }
    }
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

/// The parameters of [`members!`].
fn conditions<'a>(company: Uuid, payroll: &Payroll) -> [Value<'a>; 7] {
    let kept = payroll.run.filter(|_| payroll.submitted_at.is_some());
    [
        company.into(),
        payroll.id.into(),
        payroll.chosen_employees.into(),
        payroll.start.into(),
        payroll.end.into(),
        payroll.pays_regular_wages().into(),
        kept.into(),
    ]
}

/// The members of a page, as they were entered or in an order.
///
/// # Errors
/// A store error.
pub fn page(
    tx: &mut Tx<'_>,
    company: Uuid,
    payroll: &Payroll,
    sort: &[SortBy<MemberKey>],
    page: Page,
) -> Result<Vec<Member>, Error> {
    let (limit, offset) = page.bounds();
    let [a, b, c, d, e, f, g] = conditions(company, payroll);
    let Some(first) = sort.first() else {
        return Ok(tx.try_query(BY_AGE, &[a, b, c, d, e, f, g, limit.into(), offset.into()], member)?);
    };
    let then = sort.iter().find(|one| one.key != first.key).copied();
    let then = then.unwrap_or(SortBy { key: first.key.other(), ..*first });
    let (first, then) = (first.to_text(), then.to_text());
    let parameters =
        [a, b, c, d, e, f, g, first.as_str().into(), then.as_str().into(), limit.into(), offset.into()];
    Ok(tx.try_query(SORTED, &parameters, member)?)
}

/// How many members the payroll has.
///
/// # Errors
/// A store error.
pub fn count(tx: &mut Tx<'_>, company: Uuid, payroll: &Payroll) -> Result<i64, Error> {
    Ok(tx.find(COUNT, &conditions(company, payroll), |row| row.get::<i64>(0))?.unwrap_or(0))
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
    let [a, b, c, d, e, f, g] = conditions(company, payroll);
    Ok(tx.try_find(ONE, &[a, b, c, d, e, f, g, employee.into()], member)?)
}

/// The employee, if somebody whom a payroll until that day could pay. Whoever has left can be paid something, too.
///
/// # Errors
/// A store error.
pub fn could_be(tx: &mut Tx<'_>, company: Uuid, end: Date, employee: Uuid) -> Result<bool, Error> {
    Ok(tx.find(COULD_BE, params![company, employee, end], |_| ())?.is_some())
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
    let [a, b, c, d, e, f, g] = conditions(company, payroll);
    Ok(tx.try_query(AFTER, &[a, b, c, d, e, f, g, last.into(), most.into()], member)?)
}

/// Whether the company has anybody who could be paid.
///
/// # Errors
/// A store error.
pub fn any(tx: &mut Tx<'_>, company: Uuid) -> Result<bool, Error> {
    Ok(tx.find(ANY, params![company], |_| ())?.is_some())
}
