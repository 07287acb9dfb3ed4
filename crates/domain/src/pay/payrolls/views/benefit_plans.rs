//! Benefit plans, with data about the employee from processed payrolls.

use jiff::civil::Date;
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::benefits::commands::PlanTimeline;
use crate::benefits::service::effect::History;
use crate::benefits::service::planning;
use crate::benefits::service::planning::TimelinePlan;
use crate::error::Error;
use crate::pay::payrolls::facts::year_to_date;
use crate::pay::payrolls::record::rows;

/// Returns the changes that lead to a timeline of one benefit, and their effect on payrolls that are not processed yet.
///
/// # Errors
/// The errors of [`planning::plan_timeline`].
pub fn plan_timeline(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    input: &PlanTimeline,
) -> Result<TimelinePlan, Error> {
    let history = processed_history(tx, caller, employee)?;
    planning::plan_timeline(tx, caller, employee, input, &history)
}

/// Returns the data from processed payrolls: the Social Security wages of each year, including opening balances, and the pay periods that
/// are paid but have not ended. A transition payroll pays employees who leave a schedule for their part of a period, and ends with it.
fn processed_history(tx: &mut Tx<'_>, caller: &Caller, employee: Uuid) -> Result<History, Error> {
    let (company, today) = (caller.company, caller.today(tx));
    let mut payrolls = rows::regular_between(tx, company, today, Date::MAX)?;
    payrolls.extend(rows::transitions_between(tx, company, today, Date::MAX)?);
    let processed = payrolls.iter().filter(|payroll| payroll.is_processed());
    let paid = processed.filter_map(|payroll| Some((payroll.pay_schedule?, payroll.end))).collect();
    let mut sums = year_to_date::of_employees(tx, company, &[employee], Date::MAX.year())?;
    let years = sums.remove(&employee).unwrap_or_default().years;
    let wages = years.iter().map(|(year, of)| (*year, of.social_security_wages()));
    Ok(History { paid, social_security_wages: wages.collect() })
}
