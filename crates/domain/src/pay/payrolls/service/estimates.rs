//! Results of the next calculation that a client needs in advance: minimum wage adjustments, and unused time off that is paid out on
//! termination.

use std::collections::BTreeSet;

use rules::Amount;
use rules::payroll::job_pay;
use store::Tx;
use uuid::Uuid;

use crate::access::tokens::Caller;
use crate::error::Error;
use crate::pay::compensations::rows::Pay;
use crate::pay::payrolls::calendar::members::Member;
use crate::pay::payrolls::facts::context::Context;
use crate::pay::payrolls::facts::tables::PayrollTables;
use crate::pay::payrolls::record::kinds::TimeOffKind;
use crate::pay::payrolls::record::paycheck_inputs::PaycheckInputs;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::run::snapshot;
use crate::pay::payrolls::run::snapshot::Snapshot;
use crate::pay::payrolls::service::details::PayrollEmployee;
use crate::people::employment;

/// Adds these results while the payroll is not calculated. Minimum wage adjustments are added only if the payroll was calculated before,
/// and only for employees whose compensation is adjusted. Nothing is added if tax tables are missing, which blocks the payroll anyway.
pub(super) fn add_estimates(
    tx: &mut Tx<'_>,
    caller: &Caller,
    payroll: &Payroll,
    employees: &mut [PayrollEmployee],
) -> Result<(), Error> {
    if payroll.run.is_some() {
        return Ok(());
    }
    let ids: Vec<Uuid> = employees.iter().map(|one| one.member.id).collect();
    let leave = who_leaves(tx, caller, payroll, &ids)?;
    let is_adjusted = |one: &PayrollEmployee| payroll.was_calculated && one.pay.adjusts_for_minimum_wage();
    let is_concerned = |one: &&mut PayrollEmployee| is_adjusted(one) || leave.contains(&one.member.id);
    let mut concerned: Vec<&mut PayrollEmployee> = employees.iter_mut().filter(is_concerned).collect();
    if concerned.is_empty() {
        return Ok(());
    }
    let Some(context) = estimate_context(tx, caller, payroll)? else { return Ok(()) };
    // One by one: `snapshot::inputs` reads ranges of ids, and the employees of a page may be far apart.
    for one in &mut concerned {
        let member = std::slice::from_ref(&one.member);
        // Excluded employees have no inputs.
        let Some(Snapshot { inputs, .. }) = snapshot::read_paycheck_inputs(tx, &context, member)?.pop()
        else {
            continue;
        };
        one.unused = unused_of(&inputs);
        if is_adjusted(one) {
            one.make_ups = make_ups_of(&context, &inputs)?;
        }
    }
    Ok(())
}

/// Returns the minimum wage adjustment of each of an employee's jobs by the current inputs; empty if responses do not return it.
pub(super) fn make_ups(
    tx: &mut Tx<'_>,
    caller: &Caller,
    payroll: &Payroll,
    (member, pay): (&Member, &Pay),
) -> Result<Vec<Amount>, Error> {
    if payroll.run.is_some() || !payroll.was_calculated || !pay.adjusts_for_minimum_wage() {
        return Ok(Vec::new());
    }
    let Some(context) = estimate_context(tx, caller, payroll)? else { return Ok(Vec::new()) };
    match snapshot::read_paycheck_inputs(tx, &context, std::slice::from_ref(member))?.pop() {
        Some(Snapshot { inputs, .. }) => make_ups_of(&context, &inputs),
        None => Ok(Vec::new()),
    }
}

fn make_ups_of(context: &Context, inputs: &PaycheckInputs) -> Result<Vec<Amount>, Error> {
    let terms = context.tables.terms_of(&context.payroll);
    let of_jobs = job_pay(&terms, &inputs.to_rules_employee(&terms, &context.tables));
    let of_jobs = of_jobs.ok_or_else(|| Error::internal("the pay of a job exceeds the largest amount"))?;
    Ok(of_jobs.iter().map(|job| job.make_up).collect())
}

/// Returns the unused time off that the payroll will pay out to an employee on termination; `None` without tax
/// tables and for excluded employees.
pub(super) fn unused_time_off(
    tx: &mut Tx<'_>,
    caller: &Caller,
    payroll: &Payroll,
    member: &Member,
) -> Result<Option<Vec<(TimeOffKind, Amount)>>, Error> {
    if who_leaves(tx, caller, payroll, &[member.id])?.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let Some(context) = estimate_context(tx, caller, payroll)? else { return Ok(None) };
    let found = snapshot::read_paycheck_inputs(tx, &context, std::slice::from_ref(member))?.pop();
    Ok(found.map(|found| unused_of(&found.inputs)))
}

fn unused_of(inputs: &PaycheckInputs) -> Vec<(TimeOffKind, Amount)> {
    inputs.leave.iter().map(|one| (one.kind, one.paid_out)).collect()
}

/// Returns those of the given employees whose last day is within the pay period, if the payroll pays its wages.
fn who_leaves(
    tx: &mut Tx<'_>,
    caller: &Caller,
    payroll: &Payroll,
    ids: &[Uuid],
) -> Result<BTreeSet<Uuid>, Error> {
    if !payroll.pays_regular_wages() && !payroll.is_dismissal() {
        return Ok(BTreeSet::new());
    }
    employment::rows::leave_between(tx, caller.company, payroll.days(), ids)
}

fn estimate_context(tx: &mut Tx<'_>, caller: &Caller, payroll: &Payroll) -> Result<Option<Context>, Error> {
    let Ok(tables) = PayrollTables::read_for_check_date(tx, payroll.check_date, true)? else {
        return Ok(None);
    };
    Context::read(tx, caller.company, payroll.clone(), tables).map(Some)
}
