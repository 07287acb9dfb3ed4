//! Pay that was changed for days that payrolls have already paid, such as a retroactive raise. Amounts already paid stay. Paychecks warn
//! of back pay owed for those days until a correction has paid it, and warn once of an overpayment.

use std::collections::HashMap;

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use rules::Named;
use rules::compensation::PayTerms;
use store::record::{Cursor, JsonText};
use store::{Row, Tx, params};
use uuid::Uuid;

use super::unpaid_days::Submitted;
use crate::error::Error;
use crate::pay::compensations::rows::Pay;
use crate::pay::payrolls::calculation::inputs::PaycheckInputs;
use crate::pay::payrolls::entry::entered::FixedKind;
use crate::pay::payrolls::paid;
use crate::pay::payrolls::paid::Warning;
use crate::pay::payrolls::warnings::texts::{PAY_LOWERED, PAY_RAISED};

store::statements! {
    // Few compensations are changed after a payroll, so they come first in the join.
    CHANGED = "SELECT c.employee_id, c.id, c.updated_at, p.id, p.start_date, p.end_date, p.off_cycle, r.facts \
               FROM compensations c CROSS JOIN payrolls p CROSS JOIN payroll_results r \
               WHERE c.company_id = $1 AND c.employee_id BETWEEN $2 AND $3 AND c.updated_at > $4 \
               AND p.company_id = c.company_id AND p.end_date BETWEEN $5 AND $6 AND p.off_cycle = false AND p.submitted_at IS NOT NULL \
               AND c.updated_at > p.calculated_at AND c.effective_date <= p.end_date \
               AND r.company_id = c.company_id AND r.run_id = p.run_id AND r.employee_id = c.employee_id \
               ORDER BY c.employee_id, p.start_date, p.id, c.id";
    SINCE = "SELECT p.id, p.start_date, p.end_date, p.off_cycle, r.facts FROM payrolls p \
             JOIN payroll_results r ON r.company_id = p.company_id AND r.run_id = p.run_id AND r.employee_id = $2 \
             WHERE p.company_id = $1 AND p.submitted_at IS NOT NULL AND p.calculated_at > $3 ORDER BY p.calculated_at, p.id";
}

/// A paycheck of an employee whose pay may have changed since.
struct Paycheck {
    days: (Date, Date),
    off_cycle: bool,
    inputs: PaycheckInputs,
}

/// The terms at which a job was paid for some days, and its current terms for them.
struct Difference {
    title: Option<String>,
    days: (Date, Date),
    paid: PayTerms,
    owed: PayTerms,
    /// when the terms were changed
    at: Timestamp,
}

/// Returns the parameters of [`CHANGED`]; `None` if there are no payrolls.
fn parameters<'p>(
    company: Uuid,
    before: &[Submitted],
    bounds: (Uuid, Uuid),
) -> Option<[store::Value<'p>; 6]> {
    let paying = || before.iter().filter(|one| !one.skipped);
    let first = paying().map(Submitted::calculated).min()?;
    let (from, until) = (paying().map(|one| one.days.1).min()?, paying().map(|one| one.days.1).max()?);
    Some([company.into(), bounds.0.into(), bounds.1.into(), first.into(), from.into(), until.into()])
}

/// Prefetches what [`between`] will read.
///
/// # Errors
/// A store error.
pub(in crate::pay::payrolls) fn announce(
    tx: &mut Tx<'_>,
    company: Uuid,
    before: &[Submitted],
    bounds: (Uuid, Uuid),
) -> Result<(), Error> {
    match parameters(company, before, bounds) {
        Some(parameters) => Ok(tx.announce(CHANGED, &parameters)?),
        None => Ok(()),
    }
}

/// Returns warnings for the employees between two (both included) whose pay for days of these payrolls was changed since.
///
/// # Errors
/// A store error.
pub(in crate::pay::payrolls) fn between(
    tx: &mut Tx<'_>,
    company: Uuid,
    before: &[Submitted],
    (bounds, jobs): ((Uuid, Uuid), &HashMap<Uuid, Pay>),
) -> Result<HashMap<Uuid, Vec<Warning>>, Error> {
    let mut found = HashMap::new();
    let Some(parameters) = parameters(company, before, bounds) else { return Ok(found) };
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, "compensations", 0);
        let (employee, id) = (next.plain::<Uuid>("employee_id")?, next.plain::<Uuid>("id")?);
        let at = next.plain::<Timestamp>("updated_at")?;
        Ok::<_, store::Error>((employee, (id, at), paycheck(&mut next, employee)?))
    };
    let rows = tx.try_query(CHANGED, &parameters, read)?;
    for of_one in rows.chunk_by(|one, next| one.0 == next.0) {
        let employee = of_one[0].0;
        let Some(pay) = jobs.get(&employee) else { continue };
        let changed: HashMap<Uuid, Timestamp> = of_one.iter().map(|(_, changed, _)| *changed).collect();
        let paychecks: Vec<&Paycheck> =
            of_one.iter().filter_map(|(.., paycheck)| paycheck.as_ref()).collect();
        let mut warnings = Vec::new();
        for one in differences(&paychecks, pay, &changed) {
            let read = |row: &Row<'_>| paycheck(&mut Cursor::new(row, paid::TABLE, 0), employee);
            let since = tx.try_query(SINCE, params![company, employee, one.at], read)?;
            if is_open(&since.into_iter().flatten().collect::<Vec<_>>(), &one) {
                warnings.push(warning(&one));
            }
        }
        if !warnings.is_empty() {
            found.insert(employee, warnings);
        }
    }
    Ok(found)
}

/// Reads a paycheck of an employee; `None`, with a log line, if this version cannot read its inputs.
fn paycheck(next: &mut Cursor<'_, '_>, employee: Uuid) -> Result<Option<Paycheck>, store::Error> {
    let payroll = next.plain("id")?;
    let days = (next.plain("start_date")?, next.plain("end_date")?);
    let off_cycle = next.plain("off_cycle")?;
    let facts: String = next.stored::<JsonText, _>("facts")?;
    let inputs = paid::readable_inputs(&facts, payroll, employee);
    Ok(inputs.map(|inputs| Paycheck { days, off_cycle, inputs }))
}

/// Returns, for each job, the first and the last day that regular payrolls paid at terms other than the current ones.
fn differences(paychecks: &[&Paycheck], pay: &Pay, changed: &HashMap<Uuid, Timestamp>) -> Vec<Difference> {
    let mut found: Vec<Option<Difference>> = pay.jobs.iter().map(|_| None).collect();
    for paycheck in paychecks {
        let (start, end) = paycheck.days;
        let begun = || pay.jobs.iter().enumerate().filter(|(_, job)| job.hire_date <= end);
        if begun().count() != paycheck.inputs.jobs.len() {
            continue;
        }
        for ((place, job), paid) in begun().zip(&paycheck.inputs.jobs) {
            let held = pay.of_job(job.id);
            for day in start.max(paid.hired).series(1.day()).take_while(|day| *day <= end) {
                let before = rules::effective::active(&paid.compensations, day, |one| one.effective);
                let Some(before) = before.or(paid.compensations.first()).map(|one| one.terms) else {
                    continue;
                };
                let now = rules::effective::active(held, day, |one| one.effective_date);
                let Some(now) = now.filter(|now| now.terms() != before) else { continue };
                let Some(at) = changed.get(&now.id).copied() else { continue };
                let open = found[place].get_or_insert_with(|| Difference {
                    title: job.title.clone(),
                    days: (day, day),
                    paid: before,
                    owed: now.terms(),
                    at,
                });
                open.days.1 = day;
            }
        }
    }
    found.into_iter().flatten().collect()
}

/// Whether to report the difference after these paychecks: back pay until a correction is paid, an overpayment until a regular payroll
/// was calculated after the change.
fn is_open(since: &[Paycheck], one: &Difference) -> bool {
    let corrects =
        |paycheck: &Paycheck| paycheck.inputs.fixed.iter().any(|line| line.name == FixedKind::Correction);
    match is_lower(one) {
        true => since.iter().all(|paycheck| paycheck.off_cycle),
        false => !since.iter().any(corrects),
    }
}

fn is_lower(one: &Difference) -> bool {
    one.owed.unit == one.paid.unit && one.owed.rate < one.paid.rate
}

fn warning(one: &Difference) -> Warning {
    let terms =
        |terms: PayTerms| format!("{} per {}", terms.rate.to_text(2), terms.unit.as_str().to_lowercase());
    let job = one.title.as_deref().map(|title| format!(" ({title})")).unwrap_or_default();
    let [from, until] = [one.days.0, one.days.1];
    let text = if is_lower(one) { PAY_LOWERED } else { PAY_RAISED };
    let (paid, owed) = (terms(one.paid), terms(one.owed));
    text.warning(&[("from", &from), ("until", &until), ("paid", &paid), ("job", &job), ("owed", &owed)])
}
