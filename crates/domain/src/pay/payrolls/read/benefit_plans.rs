//! Plans of benefits, with what processed payrolls tell about the employee.

use jiff::civil::Date;
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::benefits::commands::PlanTimeline;
use crate::benefits::service::effect::History;
use crate::benefits::service::planning;
use crate::benefits::service::planning::TimelinePlan;
use crate::error::Error;
use crate::pay::payrolls::rows;

/// The changes that lead to a timeline of one benefit, and their effect on payrolls that are not processed yet.
///
/// # Errors
/// As [`planning::plan`].
pub fn plan(
    tx: &mut Tx<'_>,
    caller: &Caller,
    employee: Uuid,
    input: &PlanTimeline,
) -> Result<TimelinePlan, Error> {
    let history = history(tx, caller)?;
    planning::plan(tx, caller, employee, input, &history)
}

/// The pay periods that are paid already though they have not ended. What leavers of a schedule are paid for the part of a pay period
/// is a transition payroll, which ends with that part.
fn history(tx: &mut Tx<'_>, caller: &Caller) -> Result<History, Error> {
    let today = caller.today(tx);
    let mut payrolls = rows::regular_between(tx, caller.company, today, Date::MAX)?;
    payrolls.extend(rows::transitions_between(tx, caller.company, today, Date::MAX)?);
    let processed = payrolls.iter().filter(|payroll| payroll.is_processed());
    Ok(History { paid: processed.filter_map(|payroll| Some((payroll.pay_schedule?, payroll.end))).collect() })
}
