//! How a paycheck came about, worked out again from the facts that were stored with it.

use rules::explain::Recorder;
use rules::payroll::paycheck;
use serde::Serialize;
use serde_json::Value;
use store::Tx;
use utoipa::ToSchema;
use uuid::Uuid;

use super::facts::Facts;
use super::paid;
use super::paid::Outcome;
use super::rows::Payroll;
use super::shapes::Warning;
use super::{run, service};
use crate::access::tokens::Caller;
use crate::error::Error;

/// The explanation of a paycheck.
#[derive(Debug, Serialize, ToSchema)]
pub struct Explanation {
    /// the payroll
    pub payroll_uuid: Uuid,
    /// the employee
    pub employee_uuid: Uuid,
    /// decimal text, dollars
    pub gross_pay: String,
    /// decimal text, dollars
    pub net_pay: String,
    /// decimal text, dollars
    pub check_amount: String,
    /// each figure with those beneath it: its name, how it was worked out, from what, the result, and the source of the
    /// rule
    #[schema(value_type = Vec<Object>)]
    pub figures: Vec<Value>,
    /// what somebody has to look at
    pub warnings: Vec<Warning>,
}

/// The explanation of an employee's paycheck in a calculated payroll.
///
/// # Errors
/// "Not found", also before the payroll is calculated; a store error.
pub fn paycheck_of(tx: &mut Tx<'_>, caller: &Caller, id: Uuid, employee: Uuid) -> Result<Explanation, Error> {
    let (payroll, outcome) = calculated(tx, caller, id, employee)?;
    let facts: Facts = serde_json::from_str(&outcome.facts).map_err(|_| Error::Internal)?;
    let terms = run::terms(&payroll).ok_or(Error::Internal)?;
    let orders = facts.garnishment_terms();
    let of = facts.employee(&terms, &orders);
    let mut recorder = Recorder::default();
    let again = paycheck(&mut recorder, &terms, &of).ok_or(Error::Internal)?;
    assert!(
        (again.gross, again.net, again.check_amount) == (outcome.gross, outcome.net, outcome.check_amount),
        "the same facts give the same paycheck"
    );
    Ok(Explanation {
        payroll_uuid: id,
        employee_uuid: employee,
        gross_pay: outcome.gross.to_text(2),
        net_pay: outcome.net.to_text(2),
        check_amount: outcome.check_amount.to_text(2),
        figures: recorder.finish().iter().map(rules::explain::Node::to_json).collect(),
        warnings: outcome.paid().warnings,
    })
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
