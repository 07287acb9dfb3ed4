//! Pay that was changed for days that payrolls have already paid, such as a retroactive raise. Amounts already paid stay. Paychecks warn
//! of back pay owed for those days until corrections have paid it, and warn once of an overpayment.
//!
//! Back pay is what the paychecks of those days would have come to at the new terms, less what they came to. Times are compared so that
//! a change at the very moment of a calculation counts as made after it: a clock may stand still, and terms that a payroll has already
//! paid make no difference.

use std::collections::HashMap;
use std::fmt::Display;

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use rules::compensation::PayTerms;
use rules::days::Days;
use rules::payroll::owed::Debt;
use rules::payroll::{Compensation, Job};
use rules::{Amount, Named};
use store::record::{Cursor, JsonText};
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;
use crate::pay::compensations::rows::Pay;
use crate::pay::payrolls::calendar::submitted::Submitted;
use crate::pay::payrolls::facts::tables::PayrollTables;
use crate::pay::payrolls::record::kinds::FixedKind;
use crate::pay::payrolls::record::paycheck_inputs::PaycheckInputs;
use crate::pay::payrolls::record::texts::{BACK_PAY_OWED, OVERPAID, PAY_LOWERED, PAY_RAISED};
use crate::pay::payrolls::record::warning::Warning;
use crate::pay::payrolls::record::{results, rows};
use crate::pay::payrolls::warnings::findings::{Finding, Owed};
use crate::records::IdRange;

store::statements! {
    // Few compensations are changed after a payroll, so they come first in the join.
    CHANGED = "SELECT c.employee_id, c.id, c.updated_at, p.id, p.start_date, p.end_date, p.off_cycle, p.calculated_at, r.facts \
               FROM compensations c CROSS JOIN payrolls p CROSS JOIN payroll_results r \
               WHERE c.company_id = $1 AND c.employee_id BETWEEN $2 AND $3 AND c.updated_at >= $4 \
               AND p.company_id = c.company_id AND p.end_date BETWEEN $5 AND $6 AND p.off_cycle = false AND p.submitted_at IS NOT NULL \
               AND c.updated_at >= p.calculated_at AND c.effective_date <= p.end_date \
               AND r.company_id = c.company_id AND r.run_id = p.run_id AND r.employee_id = c.employee_id \
               ORDER BY c.employee_id, p.start_date, p.id, c.id";
    SINCE = "SELECT p.id, p.start_date, p.end_date, p.off_cycle, p.calculated_at, r.facts FROM payrolls p \
             JOIN payroll_results r ON r.company_id = p.company_id AND r.run_id = p.run_id AND r.employee_id = $2 \
             WHERE p.company_id = $1 AND p.submitted_at IS NOT NULL AND p.calculated_at >= $3 ORDER BY p.calculated_at, p.id";
}

/// A paycheck of an employee whose pay may have changed since.
struct Paycheck {
    payroll: Uuid,
    days: Days,
    off_cycle: bool,
    calculated: Timestamp,
    inputs: PaycheckInputs,
}

/// The terms at which a job was paid for some days, and its current terms for them.
struct Difference {
    job: Uuid,
    title: Option<String>,
    days: Days,
    /// the paychecks of these days, each with the place of the job in it
    paychecks: Vec<(usize, usize)>,
    paid: PayTerms,
    owed: PayTerms,
    /// when the terms were changed
    at: Timestamp,
}

/// Returns the parameters of [`CHANGED`]; `None` if there are no payrolls.
fn change_parameters<'p>(
    company: Uuid,
    before: &[Submitted],
    bounds: IdRange,
) -> Option<[store::Value<'p>; 6]> {
    let paying = || before.iter().filter(|one| !one.skipped);
    let first = paying().map(Submitted::calculated_at).min()?;
    let (from, until) = (paying().map(|one| one.days.last).min()?, paying().map(|one| one.days.last).max()?);
    Some([company.into(), bounds.first.into(), bounds.last.into(), first.into(), from.into(), until.into()])
}

/// Prefetches what [`back_pay_owed`] will read.
pub(in crate::pay::payrolls) fn announce_back_pay_query(
    tx: &mut Tx<'_>,
    company: Uuid,
    before: &[Submitted],
    bounds: IdRange,
) -> Result<(), Error> {
    match change_parameters(company, before, bounds) {
        Some(parameters) => Ok(tx.announce_query(CHANGED, &parameters)?),
        None => Ok(()),
    }
}

/// Returns what the employees between two (both included) are owed, or were overpaid, whose pay for days of these payrolls was changed since.
pub(in crate::pay::payrolls) fn back_pay_owed(
    tx: &mut Tx<'_>,
    company: Uuid,
    (before, tables): (&[Submitted], &PayrollTables),
    bounds: IdRange,
    jobs: &HashMap<Uuid, Pay>,
) -> Result<HashMap<Uuid, Vec<Finding>>, Error> {
    let mut found = HashMap::new();
    let Some(parameters) = change_parameters(company, before, bounds) else { return Ok(found) };
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, "compensations", 0);
        let (employee, id) = (next.read_plain::<Uuid>("employee_id")?, next.read_plain::<Uuid>("id")?);
        let at = next.read_plain::<Timestamp>("updated_at")?;
        Ok::<_, store::Error>((employee, (id, at), read_paycheck(&mut next, employee)?))
    };
    let rows = tx.try_query(CHANGED, &parameters, read)?;
    let tables = tables.for_other_check_dates();
    for of_one in rows.chunk_by(|one, next| one.0 == next.0) {
        let employee = of_one[0].0;
        let Some(pay) = jobs.get(&employee) else { continue };
        let changed: HashMap<Uuid, Timestamp> = of_one.iter().map(|(_, changed, _)| *changed).collect();
        let paychecks: Vec<&Paycheck> =
            of_one.iter().filter_map(|(.., paycheck)| paycheck.as_ref()).collect();
        let mut findings = Vec::new();
        for one in pay_differences(&paychecks, pay, &changed) {
            let owed = amount_owed(tx, company, &tables, (&one, &paychecks, pay))?;
            if owed == Some(Amount::ZERO) {
                continue;
            }
            if let Some(owed) = owed.filter(|owed| *owed > Amount::ZERO) {
                findings.push(Finding::Owed(back_pay(&one, &paychecks, owed)));
                continue;
            }
            let lowered = owed.is_some() || is_lower(&one);
            let read = |row: &Row<'_>| read_paycheck(&mut Cursor::new(row, results::TABLE, 0), employee);
            let since = tx.try_query(SINCE, params![company, employee, one.at], read)?;
            let since = since.into_iter().flatten().filter(|paid| !one.is_short(paid.payroll, &paychecks));
            if is_open(&since.collect::<Vec<_>>(), lowered) {
                findings.push(Finding::Told(difference_warning(&one, lowered, owed)));
            }
        }
        if !findings.is_empty() {
            found.insert(employee, findings);
        }
    }
    Ok(found)
}

impl Difference {
    /// Whether a payroll paid at the earlier terms.
    fn is_short(&self, payroll: Uuid, paychecks: &[&Paycheck]) -> bool {
        self.paychecks.iter().any(|(place, _)| paychecks[*place].payroll == payroll)
    }
}

/// Returns what the paychecks would come to at the current terms, less what they came to; `None` if that is not known.
fn amount_owed(
    tx: &mut Tx<'_>,
    company: Uuid,
    tables: &PayrollTables,
    (one, paychecks, pay): (&Difference, &[&Paycheck], &Pay),
) -> Result<Option<Amount>, Error> {
    let mut sum = Some(Amount::ZERO);
    for (place, job) in &one.paychecks {
        let paycheck = paychecks[*place];
        let Some(payroll) = rows::find_payroll(tx, company, paycheck.payroll)? else { return Ok(None) };
        let terms = tables.terms_of(&payroll);
        let gross = |inputs: &PaycheckInputs| {
            rules::payroll::calculate_gross(&terms, &inputs.to_rules_employee(&terms, tables))
        };
        let mut now = paycheck.inputs.clone();
        now.jobs[*job].compensations = at_current_terms(pay, one.job, &now.jobs[*job], payroll.end);
        let difference =
            gross(&now).zip(gross(&paycheck.inputs)).and_then(|(now, before)| now.checked_sub(before));
        sum = sum.zip(difference).and_then(|(sum, more)| sum.checked_add(more));
    }
    Ok(sum)
}

/// Returns the current compensations of a job up to a day, with the minimum wages that its paycheck compared them with.
fn at_current_terms(pay: &Pay, id: Uuid, job: &Job, until: Date) -> Vec<Compensation> {
    let mut held: Vec<_> = pay.of_job(id).iter().filter(|one| one.effective_date <= until).collect();
    held.sort_by_key(|one| one.effective_date);
    let floors = |day: Date| {
        let before = rules::effective::active_record(&job.compensations, day, |one| one.effective);
        before.or(job.compensations.first()).map(|one| one.floors.clone()).unwrap_or_default()
    };
    let made = held.iter().map(|one| Compensation {
        effective: one.effective_date,
        terms: one.pay_terms(),
        floors: floors(one.effective_date),
    });
    let made: Vec<Compensation> = made.collect();
    if made.is_empty() { job.compensations.clone() } else { made }
}

fn back_pay(one: &Difference, paychecks: &[&Paycheck], owed: Amount) -> Owed {
    let short = || one.paychecks.iter().map(|(place, _)| paychecks[*place]);
    let debt = Debt {
        days: one.days,
        amount: owed,
        since: one.at,
        short: short().map(|paycheck| paycheck.payroll).collect(),
    };
    let from = short().map(|paycheck| paycheck.calculated).min().unwrap_or(one.at);
    Owed { debt, from, text: BACK_PAY_OWED, values: warning_values(one) }
}

/// Reads a paycheck of an employee; `None`, with a log line, if this version cannot read its inputs.
fn read_paycheck(next: &mut Cursor<'_, '_>, employee: Uuid) -> Result<Option<Paycheck>, store::Error> {
    let payroll = next.read_plain("id")?;
    let days = Days { first: next.read_plain("start_date")?, last: next.read_plain("end_date")? };
    let (off_cycle, calculated) = (next.read_plain("off_cycle")?, next.read_plain("calculated_at")?);
    let facts: String = next.read_stored::<JsonText, _>("facts")?;
    let inputs = results::readable_inputs(&facts, payroll, employee);
    Ok(inputs.map(|inputs| Paycheck { payroll, days, off_cycle, calculated, inputs }))
}

/// Returns, for each job, the first and the last day that regular payrolls paid at terms other than the current ones.
fn pay_differences(
    paychecks: &[&Paycheck],
    pay: &Pay,
    changed: &HashMap<Uuid, Timestamp>,
) -> Vec<Difference> {
    let mut found: Vec<Option<Difference>> = pay.jobs.iter().map(|_| None).collect();
    for (number, paycheck) in paychecks.iter().enumerate() {
        let Days { first: start, last: end } = paycheck.days;
        let begun = || pay.jobs.iter().enumerate().filter(|(_, job)| job.hire_date <= end);
        if begun().count() != paycheck.inputs.jobs.len() {
            continue;
        }
        for (of_paycheck, ((place, job), paid)) in begun().zip(&paycheck.inputs.jobs).enumerate() {
            let held = pay.of_job(job.id);
            for day in start.max(paid.hired).series(1.day()).take_while(|day| *day <= end) {
                let before = rules::effective::active_record(&paid.compensations, day, |one| one.effective);
                let Some(before) = before.or(paid.compensations.first()).map(|one| one.terms) else {
                    continue;
                };
                let now = rules::effective::active_record(held, day, |one| one.effective_date);
                let Some(now) = now.filter(|now| now.pay_terms() != before) else { continue };
                let Some(at) = changed.get(&now.id).copied() else { continue };
                let open = found[place].get_or_insert_with(|| Difference {
                    job: job.id,
                    title: job.title.clone(),
                    days: Days { first: day, last: day },
                    paychecks: Vec::new(),
                    paid: before,
                    owed: now.pay_terms(),
                    at,
                });
                open.days.last = day;
                if open.paychecks.last() != Some(&(number, of_paycheck)) {
                    open.paychecks.push((number, of_paycheck));
                }
            }
        }
    }
    found.into_iter().flatten().collect()
}

/// Whether to report a difference of unknown amount after these paychecks: back pay until a correction is paid, an overpayment until a
/// regular payroll was calculated after the change.
fn is_open(since: &[Paycheck], lowered: bool) -> bool {
    let corrects =
        |paycheck: &Paycheck| paycheck.inputs.fixed.iter().any(|line| line.name == FixedKind::Correction);
    match lowered {
        true => since.iter().all(|paycheck| paycheck.off_cycle),
        false => !since.iter().any(corrects),
    }
}

fn is_lower(one: &Difference) -> bool {
    one.owed.unit == one.paid.unit && one.owed.rate < one.paid.rate
}

/// Warns of a difference; `owed` is below zero for a known overpayment.
fn difference_warning(one: &Difference, lowered: bool, owed: Option<Amount>) -> Warning {
    let overpaid = owed.map(|owed| Amount::from_millionths(-owed.millionths()).to_text(2));
    let values = warning_values(one);
    let mut values: Vec<(&str, &dyn Display)> =
        values.iter().map(|(name, value)| (*name, value as &dyn Display)).collect();
    match &overpaid {
        Some(amount) => {
            values.push(("amount", amount));
            OVERPAID.to_warning(&values)
        }
        None if lowered => PAY_LOWERED.to_warning(&values),
        None => PAY_RAISED.to_warning(&values),
    }
}

fn warning_values(one: &Difference) -> Vec<(&'static str, String)> {
    let terms =
        |terms: PayTerms| format!("{} per {}", terms.rate.to_text(2), terms.unit.as_str().to_lowercase());
    let job = one.title.as_deref().map(|title| format!(" ({title})")).unwrap_or_default();
    let [from, until] = [one.days.first, one.days.last].map(|day| day.to_string());
    let (paid, owed) = (terms(one.paid), terms(one.owed));
    vec![("from", from), ("until", until), ("paid", paid), ("job", job), ("owed", owed)]
}
