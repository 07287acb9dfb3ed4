//! Pay that was changed for days which payrolls have paid already, such as a raise that is dated back: what was paid stays, so that
//! paychecks say what is owed for those days until a correction has paid it, and once what was paid above.

use std::collections::HashMap;

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use rules::Named;
use rules::compensation::PayTerms;
use store::record::{Cursor, JsonText};
use store::{Row, Tx, params};
use uuid::Uuid;

use super::entered::FixedKind;
use super::from_json;
use super::inputs::PaycheckInputs;
use super::missed::Submitted;
use super::paid;
use super::paid::Warning;
use crate::error::Error;
use crate::pay::compensations::rows::{Compensation, Pay};

store::statements! {
    CHANGED_SINCE = "SELECT DISTINCT employee_id FROM compensations WHERE company_id = $1 AND employee_id BETWEEN $2 AND $3 \
                     AND updated_at > $4 AND effective_date <= $5 ORDER BY employee_id";
    PAYCHECKS = "SELECT p.start_date, p.end_date, p.off_cycle, p.calculated_at, r.facts FROM payrolls p \
                 JOIN payroll_results r ON r.company_id = p.company_id AND r.run_id = p.run_id AND r.employee_id = $2 \
                 WHERE p.company_id = $1 AND p.submitted_at IS NOT NULL AND p.end_date >= $3 ORDER BY p.calculated_at, p.id";
    CHANGED_AT = "SELECT id, updated_at FROM compensations WHERE company_id = $1 AND employee_id = $2";
}

/// A paycheck of somebody whose pay may have been changed since.
struct Paycheck {
    days: (Date, Date),
    off_cycle: bool,
    at: Option<Timestamp>,
    inputs: PaycheckInputs,
}

/// What a job paid on days that were paid, and what it pays for them now.
struct Difference {
    title: Option<String>,
    days: (Date, Date),
    paid: PayTerms,
    owed: PayTerms,
    at: Option<Timestamp>,
}

/// Warnings for the employees between two (both included) whose pay for days of these payrolls was changed since.
///
/// # Errors
/// A store error.
pub(super) fn between(
    tx: &mut Tx<'_>,
    company: Uuid,
    before: &[Submitted],
    (bounds, jobs): ((Uuid, Uuid), &HashMap<Uuid, Pay>),
) -> Result<HashMap<Uuid, Vec<Warning>>, Error> {
    let mut found = HashMap::new();
    let paying = || before.iter().filter(|one| !one.skipped);
    let (Some(first), Some(from), Some(until)) = (
        paying().map(Submitted::calculated).min(),
        paying().map(|one| one.days.0).min(),
        paying().map(|one| one.days.1).max(),
    ) else {
        return Ok(found);
    };
    let parameters = params![company, bounds.0, bounds.1, first, until];
    for employee in tx.query(CHANGED_SINCE, parameters, |row| row.get::<Uuid>(0))? {
        let Some(pay) = jobs.get(&employee) else { continue };
        let paychecks = tx.try_query(PAYCHECKS, params![company, employee, from], paycheck)?;
        let paychecks: Vec<Paycheck> = paychecks.into_iter().flatten().collect();
        let read = |row: &Row<'_>| (row.get::<Uuid>(0), row.get::<Timestamp>(1));
        let changed: HashMap<Uuid, Timestamp> =
            tx.query(CHANGED_AT, params![company, employee], read)?.into_iter().collect();
        let warnings: Vec<Warning> = differences(&paychecks, pay, &changed)
            .iter()
            .filter(|one| is_open(&paychecks, one))
            .map(warning)
            .collect();
        if !warnings.is_empty() {
            found.insert(employee, warnings);
        }
    }
    Ok(found)
}

/// A paycheck; none whose inputs this version cannot read.
fn paycheck(row: &Row<'_>) -> Result<Option<Paycheck>, store::Error> {
    let mut next = Cursor::new(row, paid::TABLE, 0);
    let days = (next.plain("start_date")?, next.plain("end_date")?);
    let (off_cycle, at) = (next.plain("off_cycle")?, next.plain("calculated_at")?);
    let facts = next.stored::<JsonText, _>("facts")?;
    let inputs = from_json(paid::TABLE, "facts", &facts).ok();
    Ok(inputs.map(|inputs| Paycheck { days, off_cycle, at, inputs }))
}

/// The first and the last day of each job that regular payrolls paid by other terms than those of today.
fn differences(paychecks: &[Paycheck], pay: &Pay, changed: &HashMap<Uuid, Timestamp>) -> Vec<Difference> {
    let mut found: Vec<Option<Difference>> = pay.jobs.iter().map(|_| None).collect();
    for paycheck in paychecks.iter().filter(|one| !one.off_cycle) {
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
                let (title, at) = (job.title.clone(), changed.get(&now.id).copied());
                let open = found[place].get_or_insert_with(|| Difference {
                    title,
                    days: (day, day),
                    paid: before,
                    owed: Compensation::terms(now),
                    at,
                });
                open.days.1 = day;
            }
        }
    }
    found.into_iter().flatten().collect()
}

/// Whether it is still to be told: what is owed until a correction is paid, what was paid above in the first payroll after the change.
fn is_open(paychecks: &[Paycheck], one: &Difference) -> bool {
    let since = || paychecks.iter().filter(|paycheck| paycheck.at > one.at);
    let is_corrected =
        |paycheck: &Paycheck| paycheck.inputs.fixed.iter().any(|line| line.name == FixedKind::Correction);
    match is_lower(one) {
        true => !since().any(|paycheck| !paycheck.off_cycle),
        false => !since().any(is_corrected),
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
    let remedy = match is_lower(one) {
        true => {
            "more was paid for them than is owed now; what was paid stays, unless it is agreed with the employee how it is paid back"
        }
        false => "pay what is owed for them as a Correction Payment",
    };
    Warning {
        key: "pay_changed_for_paid_days".to_owned(),
        message: format!(
            "days from {from} to {until} were paid at {}, and the compensation{job} now says {}: {remedy}",
            terms(one.paid),
            terms(one.owed)
        ),
    }
}
