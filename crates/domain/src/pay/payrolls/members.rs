//! Who is in a payroll: everybody who has been onboarded, is employed on a day of the pay period and follows its schedule, or whoever
//! was chosen for it. A payroll that was submitted keeps whom it pays.

use jiff::ToSpan;
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

/// That an employee `e` is a member of a payroll: $1 company, $2 payroll, $3 whether its members were chosen, $4 and $5 first and
/// last day of the pay period, $6 whether it pays regular wages, so that those who are paid apart at the end are not in it, $7 its
/// calculation once it is submitted, $8 the schedule that they follow, $9 and $10 from when and until when, $11 the day after,
/// $12 whether they leave the schedule on that day. Without a schedule everybody is in it, and so in a company that never had several.
///
/// What belongs to an employee is counted, not asked for by EXISTS: a server answers that by reading all results, or all
/// jobs of the company, before the first employee of a page. It is looked up employee by employee in their order, up to the
/// end of the page.
pub const ARE_MEMBERS: &str = "e.onboarded_at IS NOT NULL \
     AND ($3 = false OR (SELECT count(*) FROM payroll_inputs i WHERE i.company_id = $1 AND i.payroll_id = $2 AND i.employee_id = e.id) > 0) \
     AND (SELECT min(j.hire_date) FROM employee_jobs j WHERE j.company_id = $1 AND j.employee_id = e.id AND j.is_primary = true) <= $5 \
     AND ($3 = true OR (SELECT count(*) FROM payroll_results o WHERE o.company_id = $1 AND o.run_id = $7 AND o.employee_id = e.id) > 0 \
     OR (SELECT count(*) FROM terminations t WHERE t.company_id = $1 AND t.employee_id = e.id \
     AND (t.effective_date < $4 OR ($6 = true AND t.run_termination_payroll = true AND t.effective_date <= $5)) \
     AND (SELECT count(*) FROM rehires b WHERE b.company_id = $1 AND b.employee_id = e.id \
     AND b.effective_date > t.effective_date AND b.effective_date <= $5) = 0) = 0) \
     AND (NOT EXISTS (SELECT 1 FROM pay_schedule_stretches c WHERE c.company_id = $1 AND c.subject_id = $1) \
     OR (SELECT count(*) FROM payroll_results k WHERE k.company_id = $1 AND k.run_id = $7 AND k.employee_id = e.id) > 0 \
     OR ((SELECT count(*) FROM pay_schedule_stretches n WHERE n.company_id = $1 AND n.subject_id = e.id \
     AND n.first_day > $9 AND n.first_day <= $10 AND n.pay_schedule_id <> $8) = 0 \
     AND coalesce((SELECT f.pay_schedule_id FROM pay_schedule_stretches f WHERE f.company_id = $1 AND f.subject_id = e.id \
     AND f.first_day <= $9 ORDER BY f.first_day DESC LIMIT 1), \
     CASE WHEN EXISTS (SELECT 1 FROM pay_schedule_stretches n WHERE n.company_id = $1 AND n.subject_id = $1 \
     AND n.first_day > $9 AND n.first_day <= $10 AND n.pay_schedule_id <> $8) THEN $1 END, \
     (SELECT f.pay_schedule_id FROM pay_schedule_stretches f WHERE f.company_id = $1 AND f.subject_id = $1 \
     AND f.first_day <= $9 ORDER BY f.first_day DESC LIMIT 1), $8) = $8 \
     AND ($12 = false OR (SELECT count(*) FROM pay_schedule_stretches x WHERE x.company_id = $1 AND x.subject_id = e.id \
     AND x.first_day = $11 AND x.pay_schedule_id <> $8) > 0 \
     OR ((SELECT count(*) FROM pay_schedule_stretches x WHERE x.company_id = $1 AND x.subject_id = e.id AND x.first_day <= $11) = 0 \
     AND EXISTS (SELECT 1 FROM pay_schedule_stretches x WHERE x.company_id = $1 AND x.subject_id = $1 \
     AND x.first_day = $11 AND x.pay_schedule_id <> $8)))) \
     OR $8 IS NULL)";

/// All members.
const FROM: &str = store::text!(" FROM employees e WHERE e.company_id = $1 AND ", ARE_MEMBERS);

const COLUMNS: &str = "e.id, e.first_name, e.preferred_first_name, e.last_name, e.payment_method";

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
    BY_AGE = store::text!("SELECT ", COLUMNS, FROM, " ORDER BY e.id LIMIT $13 OFFSET $14");
    SORTED = store::text!("SELECT ", COLUMNS, FROM, " ORDER BY ", by!("$13"), ", ", by!("$14"), ", e.id LIMIT $15 OFFSET $16");
    ONE = store::text!("SELECT ", COLUMNS, FROM, " AND e.id = $13");
    AFTER = store::text!("SELECT ", COLUMNS, FROM, " AND e.id > $13 ORDER BY e.id LIMIT $14");
    COUNT = store::text!("SELECT count(*)", FROM);
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

/// How many parameters [`ARE_MEMBERS`] has.
pub const CONDITIONS: usize = 12;

/// The parameters of [`ARE_MEMBERS`].
pub fn conditions<'a>(company: Uuid, payroll: &Payroll) -> [Value<'a>; CONDITIONS] {
    let kept = payroll.run.filter(|_| payroll.submitted_at.is_some());
    let followed = payroll.followed();
    let (from, until) = followed.map_or((payroll.start, payroll.end), |(_, from, until)| (from, until));
    [
        company.into(),
        payroll.id.into(),
        payroll.chosen_employees.into(),
        payroll.start.into(),
        payroll.end.into(),
        payroll.pays_regular_wages().into(),
        kept.into(),
        followed.map(|(schedule, _, _)| schedule).into(),
        from.into(),
        until.into(),
        until.saturating_add(1.day()).into(),
        payroll.is_of_leavers().into(),
    ]
}

/// The parameters of [`ARE_MEMBERS`], and then some more.
fn with<'a>(company: Uuid, payroll: &Payroll, more: &[Value<'a>]) -> Vec<Value<'a>> {
    let mut parameters = Vec::with_capacity(CONDITIONS + more.len());
    parameters.extend(conditions(company, payroll));
    parameters.extend_from_slice(more);
    parameters
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
    let Some(first) = sort.first() else {
        let parameters = with(company, payroll, &[limit.into(), offset.into()]);
        return Ok(tx.try_query(BY_AGE, &parameters, member)?);
    };
    let then = sort.iter().find(|one| one.key != first.key).copied();
    let then = then.unwrap_or(SortBy { key: first.key.other(), ..*first });
    let (first, then) = (first.to_text(), then.to_text());
    let more = [first.as_str().into(), then.as_str().into(), limit.into(), offset.into()];
    let parameters = with(company, payroll, &more);
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
    Ok(tx.try_find(ONE, &with(company, payroll, &[employee.into()]), member)?)
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
    Ok(tx.try_query(AFTER, &with(company, payroll, &[last.into(), most.into()]), member)?)
}

/// Whether the company has anybody who could be paid.
///
/// # Errors
/// A store error.
pub fn any(tx: &mut Tx<'_>, company: Uuid) -> Result<bool, Error> {
    Ok(tx.find(ANY, params![company], |_| ())?.is_some())
}
