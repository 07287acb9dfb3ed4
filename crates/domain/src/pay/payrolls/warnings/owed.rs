//! Warnings of owed pay: each names what is still owed, after the payments that were made since, and ends when that is paid.
//!
//! Corrections of any payroll count, and whatever a payroll outside the schedule, other than one for bonuses, pays for the days themselves
//! ([`rules::payroll::owed`]). All that an employee is owed is settled together, so that no payment counts twice.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use rules::Amount;
use rules::days::Days;
use rules::payroll::owed::{Debt, Payment, remaining_debts};
use store::record::{Cursor, JsonText};
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;
use crate::pay::compensations::rows::Pay;
use crate::pay::payrolls::facts::context::Context;
use crate::pay::payrolls::record::kinds::FixedKind;
use crate::pay::payrolls::record::payroll::{BONUS, DISMISSAL, TRANSITION};
use crate::pay::payrolls::record::results;
use crate::pay::payrolls::record::warning::Warning;
use crate::pay::payrolls::warnings::findings::{Finding, Owed};
use crate::pay::payrolls::warnings::{late_employment, unpaid_days};
use crate::people::employment::Employment;
use crate::records::IdRange;

store::statements! {
    PAID_SINCE = "SELECT r.employee_id, p.id, p.start_date, p.end_date, p.off_cycle, p.off_cycle_reason, p.calculated_at, r.gross, r.facts FROM payrolls p \
                  JOIN payroll_results r ON r.company_id = p.company_id AND r.run_id = p.run_id AND r.employee_id BETWEEN $2 AND $3 \
                  WHERE p.company_id = $1 AND p.submitted_at IS NOT NULL AND p.calculated_at >= $4 ORDER BY p.calculated_at, p.id";
}

/// What is known of the employees whose earlier pay is looked at.
pub(in crate::pay::payrolls) struct People<'a> {
    /// pay that was changed afterwards
    pub back_pay: HashMap<Uuid, Vec<Finding>>,
    /// jobs with their compensations
    pub jobs: &'a HashMap<Uuid, Pay>,
    /// times of employment
    pub employments: &'a HashMap<Uuid, Employment>,
}

/// Returns the warnings about earlier pay of the employees between two (both included): days that nobody paid, pay that was changed
/// afterwards.
pub(in crate::pay::payrolls) fn earlier_pay_warnings(
    tx: &mut Tx<'_>,
    context: &Context,
    bounds: IdRange,
    people: People<'_>,
) -> Result<HashMap<Uuid, Vec<Warning>>, Error> {
    let (company, payroll, before) = (context.company, &context.payroll, &context.before);
    let People { back_pay, jobs, employments } = people;
    let mut payrolls = HashMap::new();
    let mut found = late_employment::late_employment_findings(tx, company, (payroll, before), bounds)?;
    for (employee, missed) in
        unpaid_days::unpaid_payrolls(tx, company, (payroll.pay_schedule, before), bounds)?
    {
        let Some(pay) = jobs.get(&employee) else { continue };
        // The same days are told once.
        if let Entry::Vacant(open) = found.entry(employee) {
            let employment = employments.get(&employee);
            open.insert(unpaid_days::unpaid_day_findings(
                tx,
                company,
                &missed,
                (pay, employment),
                &mut payrolls,
            )?);
        }
    }
    for (employee, findings) in back_pay {
        found.entry(employee).or_default().extend(findings);
    }
    warnings_of_unsettled(tx, company, found)
}

/// From so many employees on, what was paid to them is read at once, with what was paid to those between them.
const STRETCH: usize = 8;

/// Returns the warnings about employees' earlier pay, with what is left of each amount owed.
pub(in crate::pay::payrolls) fn warnings_of_unsettled(
    tx: &mut Tx<'_>,
    company: Uuid,
    found: HashMap<Uuid, Vec<Finding>>,
) -> Result<HashMap<Uuid, Vec<Warning>>, Error> {
    let since =
        |findings: &[Finding]| findings.iter().filter_map(debt_of_finding).map(|owed| owed.from).min();
    let owed: BTreeMap<Uuid, Timestamp> = found
        .iter()
        .filter_map(|(employee, findings)| since(findings).map(|first| (*employee, first)))
        .collect();
    let mut paid: HashMap<Uuid, Vec<Payment<Uuid>>> = HashMap::new();
    let spans: Vec<(Uuid, Uuid, Timestamp)> = match (owed.keys().next(), owed.keys().last()) {
        (Some(first), Some(last)) if owed.len() >= STRETCH => {
            owed.values().min().map(|earliest| (*first, *last, *earliest)).into_iter().collect()
        }
        _ => owed.iter().map(|(employee, first)| (*employee, *employee, *first)).collect(),
    };
    for (first, last, earliest) in spans {
        let wanted = |employee: Uuid, at: Timestamp| owed.get(&employee).is_some_and(|first| at >= *first);
        let read = |row: &Row<'_>| read_payment(row, wanted);
        let payments = tx.try_query(PAID_SINCE, params![company, first, last, earliest], read)?;
        for (employee, payment) in payments.into_iter().flatten() {
            paid.entry(employee).or_default().push(payment);
        }
    }
    let told = |(employee, findings)| {
        let payments = paid.get(&employee).map_or(&[] as &[_], Vec::as_slice);
        (employee, warnings_after_payments(findings, payments))
    };
    Ok(found.into_iter().map(told).collect())
}

/// Returns the warnings of what these payments leave.
fn warnings_after_payments(findings: Vec<Finding>, payments: &[Payment<Uuid>]) -> Vec<Warning> {
    let debts: Vec<Debt<Uuid>> =
        findings.iter().filter_map(debt_of_finding).map(|owed| owed.debt.clone()).collect();
    let mut left = remaining_debts(&debts, payments).into_iter();
    let warning = |finding: Finding| match finding {
        Finding::Told(warning) => Some(warning),
        Finding::Owed(owed) => {
            left.next().filter(|left| *left > Amount::ZERO).map(|left| owed.to_warning(left))
        }
    };
    findings.into_iter().filter_map(warning).collect()
}

fn debt_of_finding(finding: &Finding) -> Option<&Owed> {
    match finding {
        Finding::Owed(owed) => Some(owed),
        Finding::Told(_) => None,
    }
}

/// Reads a payment with its employee; `None` if it is not wanted.
fn read_payment(
    row: &Row<'_>,
    wanted: impl Fn(Uuid, Timestamp) -> bool,
) -> Result<Option<(Uuid, Payment<Uuid>)>, store::Error> {
    let mut next = Cursor::new(row, results::TABLE, 0);
    let employee: Uuid = next.read_plain("employee_id")?;
    let payroll: Uuid = next.read_plain("id")?;
    let days: Days = Days { first: next.read_plain("start_date")?, last: next.read_plain("end_date")? };
    let off_cycle: bool = next.read_plain("off_cycle")?;
    let reason: Option<String> = next.read_plain("off_cycle_reason")?;
    let (at, gross): (Timestamp, i64) = (next.read_plain("calculated_at")?, next.read_plain("gross")?);
    if !wanted(employee, at) {
        return Ok(None);
    }
    let facts: String = next.read_stored::<JsonText, _>("facts")?;
    let is_other = |why: &str| [BONUS, TRANSITION, DISMISSAL].contains(&why);
    let outside = off_cycle && !reason.as_deref().is_some_and(is_other);
    // Of a paycheck that this version cannot read, no correction is known.
    let corrections = results::readable_inputs(&facts, payroll, employee).map_or(Amount::ZERO, |inputs| {
        let lines = inputs.fixed.iter().filter(|line| line.name == FixedKind::Correction);
        Amount::from_millionths(lines.map(|line| line.pay.amount.millionths()).sum())
    });
    let for_its_days = if outside { Amount::from_millionths(gross) } else { Amount::ZERO };
    Ok(Some((employee, Payment { payroll, days, at, for_its_days, corrections })))
}
