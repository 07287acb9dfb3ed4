//! How a paycheck came about, calculated again from the inputs that were stored with it.

use rules::explain::{Node, Recorder};
use rules::payroll::paycheck;
use store::Tx;
use uuid::Uuid;

use super::paid;
use super::paid::{Outcome, Warning};
use super::rows::Payroll;
use super::{run, service};
use crate::access::tokens::Caller;
use crate::error::Error;

/// The explanation of a paycheck.
#[derive(Debug)]
pub struct Explanation {
    /// the payroll
    pub payroll: Payroll,
    /// the result of the calculation
    pub outcome: Outcome,
    /// each figure with those that it was calculated from
    pub figures: Vec<Node>,
    /// warnings
    pub warnings: Vec<Warning>,
}

/// The explanation of an employee's paycheck in a calculated payroll.
///
/// # Errors
/// "Not found", also before the payroll is calculated; a store error.
pub fn paycheck_of(tx: &mut Tx<'_>, caller: &Caller, id: Uuid, employee: Uuid) -> Result<Explanation, Error> {
    let (payroll, outcome) = calculated(tx, caller, id, employee)?;
    let terms =
        run::terms(&payroll).ok_or_else(|| Error::internal("tables of the payroll's year are missing"))?;
    let mut recorder = Recorder::default();
    let again = paycheck(&mut recorder, &terms, &outcome.inputs()?.employee(&terms))
        .ok_or_else(|| Error::internal("a paycheck cannot be worked out again"))?;
    if (again.gross, again.net, again.check_amount) != (outcome.gross, outcome.net, outcome.check_amount) {
        let why = format!(
            "payroll_results.facts of payroll {id}, employee {employee}, give another paycheck than is stored"
        );
        return Err(Error::internal(why));
    }
    Ok(Explanation { figures: recorder.finish(), warnings: outcome.paid()?.warnings, payroll, outcome })
}

/// The payroll and what its calculation came to for an employee.
///
/// # Errors
/// "Not found"; a store error.
pub fn calculated(
    tx: &mut Tx<'_>,
    caller: &Caller,
    id: Uuid,
    employee: Uuid,
) -> Result<(Payroll, Outcome), Error> {
    let payroll = service::find(tx, caller, id)?;
    let run = payroll.run.ok_or(Error::NotFound)?;
    let outcome = paid::find(tx, caller.company, run, employee)?.ok_or(Error::NotFound)?;
    Ok((payroll, outcome))
}
