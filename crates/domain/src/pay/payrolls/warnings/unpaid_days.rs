//! Days of work that no payroll pays, because the employee was onboarded after the regular payroll for these days was submitted. Later
//! payrolls cover other days, so their paychecks warn until off-cycle payrolls have paid the salary of the missed days, or, if hours are owed,
//! whose number is not known, something for them.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use jiff::civil::Date;
use rules::Amount;
use rules::days::Days;
use rules::employment::Span;
use rules::payroll::owed::Debt;
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;
use crate::pay::compensations::rows::Pay;
use crate::pay::pay_schedules::schedule_spans;
use crate::pay::payrolls::calendar::submitted::Submitted;
use crate::pay::payrolls::record::payroll::{DISMISSAL, Payroll, TRANSITION};
use crate::pay::payrolls::record::rows;
use crate::pay::payrolls::record::texts::{DAYS_NOT_PAID, SALARY_BEFORE_ONBOARDING};
use crate::pay::payrolls::warnings::findings::{Finding, Owed};
use crate::pay::payrolls::warnings::late_employment::{days_of, follows_schedule, owed_salary};
use crate::people::employment::Employment;
use crate::records::IdRange;

store::statements! {
    ONBOARDED_SINCE = "SELECT id, onboarded_at FROM employees WHERE company_id = $1 AND id BETWEEN $2 AND $3 AND onboarded_at >= $4 ORDER BY id";
    LEFT_OUT = "SELECT employee_id FROM payroll_inputs WHERE company_id = $1 AND payroll_id = $2 AND employee_id BETWEEN $3 AND $4 \
                AND excluded = true";
    PAID = "SELECT r.employee_id, p.start_date, p.end_date, p.off_cycle, p.off_cycle_reason FROM payrolls p \
            JOIN payroll_results r ON r.company_id = p.company_id AND r.run_id = p.run_id \
            WHERE p.company_id = $1 AND r.employee_id BETWEEN $2 AND $3 AND p.submitted_at IS NOT NULL \
            AND p.end_date >= $4 AND p.start_date <= $5";
}

/// A regular payroll for which an employee was onboarded too late, and which no other has paid for.
pub(in crate::pay::payrolls) struct Missed {
    payroll: Submitted,
    onboarded: Timestamp,
    /// whether an off-cycle payroll has paid something for its days
    touched: bool,
}

/// The days of a payroll that paid an employee.
struct Paid {
    from: Date,
    until: Date,
    /// whether it paid the wages of its days, and not only what was entered
    wages: bool,
}

/// Returns the payrolls of the schedule for which employees between two (both included) were onboarded too late, and for whose days no
/// payroll has paid them wages. A payroll that was submitted at the very moment of the onboarding counts as submitted before it, because
/// a clock may stand still.
pub(in crate::pay::payrolls) fn unpaid_payrolls(
    tx: &mut Tx<'_>,
    company: Uuid,
    (schedule, before): (Option<Uuid>, &[Submitted]),
    bounds: IdRange,
) -> Result<HashMap<Uuid, Vec<Missed>>, Error> {
    let mut found: HashMap<Uuid, Vec<Missed>> = HashMap::new();
    let paying = || before.iter().filter(|one| !one.skipped);
    let (Some(schedule), Some(first), Some(from), Some(until)) = (
        schedule,
        paying().map(|one| one.at).min(),
        paying().map(|one| one.days.first).min(),
        paying().map(|one| one.days.last).max(),
    ) else {
        return Ok(found);
    };
    let read = |row: &Row<'_>| (row.get::<Uuid>(0), row.get::<Timestamp>(1));
    let late = tx.query_rows(ONBOARDED_SINCE, params![company, bounds.first, bounds.last, first], read)?;
    if late.is_empty() {
        return Ok(found);
    }
    let among_others = !schedule_spans::company_wide_spans(tx, company)?.is_empty();
    let mut paid: HashMap<Uuid, Vec<Paid>> = HashMap::new();
    let read = |row: &Row<'_>| {
        let reason: Option<String> = row.get(4);
        let of_days = reason.as_deref().is_some_and(|why| [TRANSITION, DISMISSAL].contains(&why));
        let paid = Paid { from: row.get(1), until: row.get(2), wages: of_days || !row.get::<bool>(3) };
        (row.get::<Uuid>(0), paid)
    };
    for (employee, days) in
        tx.query_rows(PAID, params![company, bounds.first, bounds.last, from, until], read)?
    {
        paid.entry(employee).or_default().push(days);
    }
    let mut left_out: HashMap<Uuid, HashSet<Uuid>> = HashMap::new();
    for payroll in paying().filter(|one| late.iter().any(|(_, onboarded)| one.at == *onboarded)) {
        let found =
            tx.query_rows(LEFT_OUT, params![company, payroll.id, bounds.first, bounds.last], |row| {
                row.get(0)
            })?;
        left_out.insert(payroll.id, found.into_iter().collect());
    }
    for (employee, onboarded) in late {
        let paid = paid.get(&employee).map_or(&[] as &[_], Vec::as_slice);
        for payroll in paying().filter(|one| one.at <= onboarded) {
            let Days { first: start, last: end } = payroll.days;
            let mut of_days = paid.iter().filter(|paid| paid.until >= start && paid.from <= end);
            let touched = of_days.clone().next().is_some();
            if of_days.any(|paid| paid.wages)
                || (payroll.at == onboarded
                    && left_out.get(&payroll.id).is_some_and(|out| out.contains(&employee)))
                || (among_others && !follows_schedule(tx, company, (employee, schedule), payroll.days)?)
            {
                continue;
            }
            found.entry(employee).or_default().push(Missed { payroll: *payroll, onboarded, touched });
        }
    }
    Ok(found)
}

/// Returns what there is to tell of such payrolls in whose days the employee worked. `payrolls` keeps those that were read.
///
/// # Errors
/// A store error; an amount is too large.
pub(super) fn unpaid_day_findings(
    tx: &mut Tx<'_>,
    company: Uuid,
    missed: &[Missed],
    (pay, employment): (&Pay, Option<&Employment>),
    payrolls: &mut HashMap<Uuid, Payroll>,
) -> Result<Vec<Finding>, Error> {
    let Some(hired) = pay.jobs.iter().map(|job| job.hire_date).min() else { return Ok(Vec::new()) };
    let spans = employment.map(|recorded| recorded.employment_spans(hired));
    let mut found = Vec::new();
    for Missed { payroll: submitted, onboarded, touched } in missed {
        let Days { first: start, last: end } = submitted.days;
        let ends_within = |span: &Span| span.end.is_some_and(|end| end.last_day <= submitted.days.last);
        // The wages of whoever was onboarded at the moment of the payroll and has left are those of the last pay.
        if submitted.at == *onboarded && spans.iter().flatten().any(ends_within) {
            continue;
        }
        let days = match &spans {
            Some(spans) => days_of(spans, submitted.days),
            None => Vec::from_iter((hired <= end).then_some(Days { first: hired.max(start), last: end })),
        };
        let Some(Days { first, .. }) = days.first() else { continue };
        let payroll = match payrolls.entry(submitted.id) {
            Entry::Occupied(read) => read.into_mut(),
            Entry::Vacant(unread) => match rows::find_payroll(tx, company, submitted.id)? {
                Some(payroll) => unread.insert(payroll),
                None => continue,
            },
        };
        let mut owed = Amount::ZERO;
        for days in &days {
            let of_days = owed_salary(payroll, pay, *days)?;
            owed = owed.checked_add(of_days).ok_or_else(|| Error::internal("a salary is too large"))?;
        }
        let values = [("start", start), ("end", end), ("first", *first)];
        let values = values.map(|(name, day)| (name, day.to_string())).to_vec();
        if owed > Amount::ZERO {
            let debt = Debt {
                days: Days { first: *first, last: end },
                amount: owed,
                since: *onboarded,
                short: vec![submitted.id],
            };
            let text = SALARY_BEFORE_ONBOARDING;
            found.push(Finding::Owed(Owed { debt, from: submitted.at, text, values }));
        } else if !touched {
            let warning = DAYS_NOT_PAID.to_warning(&[("start", &start), ("end", &end), ("first", first)]);
            found.push(Finding::Told(warning));
        }
    }
    Ok(found)
}
