//! Starts and ends of employment that were recorded or moved only after the payroll for their days was calculated: days of work that no
//! payroll pays, such as those after a rehire that is entered late, and salary paid for days on which the employee was not employed.
//!
//! Amounts already paid stay, and are compared with the employment as recorded now. The salary of unpaid days is reported until it is paid,
//! hours of unpaid days, whose number is not known, until a payroll has paid something for them;
//! pay for days outside the employment, until a regular payroll was calculated after the change. Days whose final wages are paid
//! separately are left to the list of such payrolls (`schedule::dismissals`), and days before onboarding to `unpaid_days`.

use std::collections::HashMap;
use std::fmt::Display;

use jiff::Timestamp;
use jiff::civil::Date;
use rules::Amount;
use rules::days::Days;
use rules::employment::{Span, ranges_without};
use rules::payroll::owed::Debt;
use rules::payroll::{Compensation, Job, salary_of_days};
use store::record::{Cursor, JsonText};
use store::{Row, Tx, params};
use uuid::Uuid;

use crate::error::Error;
use crate::pay::compensations::rows as pay;
use crate::pay::compensations::rows::Pay;
use crate::pay::pay_schedules::schedule_spans;
use crate::pay::payrolls::calendar::submitted::Submitted;
use crate::pay::payrolls::record::inputs::Input;
use crate::pay::payrolls::record::payroll::{BONUS, DISMISSAL, Payroll, TRANSITION};
use crate::pay::payrolls::record::texts::{
    DAYS_PAID_OUTSIDE, HOURS_OF_DAYS_NOT_PAID, SALARY_OF_DAYS_NOT_PAID, SALARY_PAID_OUTSIDE, Text,
};
use crate::pay::payrolls::record::warning::Warning;
use crate::pay::payrolls::record::{results, rows};
use crate::pay::payrolls::warnings::findings::{Finding, Owed};
use crate::people::employment;
use crate::records::IdRange;

/// Employees read at once.
const MOST: i64 = 500;

store::statements! {
    // $4 the schedule, $5 and $6 the days of its payrolls, $7 when the first of them was calculated.
    CHANGED = "SELECT x.employee_id, max(x.created_at), max(x.updated_at), e.onboarded_at FROM (\
               SELECT t.employee_id, t.effective_date AS day, t.created_at, t.updated_at FROM terminations t \
               WHERE t.company_id = $1 AND t.employee_id BETWEEN $2 AND $3 AND t.updated_at >= $7 \
               UNION ALL SELECT r.employee_id, r.effective_date AS day, r.created_at, r.updated_at FROM rehires r \
               WHERE r.company_id = $1 AND r.employee_id BETWEEN $2 AND $3 AND r.updated_at >= $7 \
               UNION ALL SELECT j.employee_id, j.hire_date AS day, j.created_at, j.updated_at FROM employee_jobs j \
               WHERE j.company_id = $1 AND j.employee_id BETWEEN $2 AND $3 AND j.updated_at >= $7 AND j.hire_date >= $5) x \
               JOIN employees e ON e.company_id = $1 AND e.id = x.employee_id \
               JOIN payrolls p ON p.company_id = $1 AND p.pay_schedule_id = $4 AND p.off_cycle = false AND p.submitted_at IS NOT NULL \
               AND p.skipped = false AND p.end_date BETWEEN $5 AND $6 AND p.end_date >= x.day AND p.calculated_at <= x.updated_at \
               WHERE e.onboarded_at IS NOT NULL GROUP BY x.employee_id, e.onboarded_at ORDER BY x.employee_id LIMIT $8";
    PAYCHECKS = "SELECT p.id, p.start_date, p.end_date, p.off_cycle, p.off_cycle_reason, p.calculated_at, r.gross, r.facts FROM payrolls p \
                 JOIN payroll_results r ON r.company_id = p.company_id AND r.run_id = p.run_id AND r.employee_id = $2 \
                 WHERE p.company_id = $1 AND p.submitted_at IS NOT NULL AND p.end_date >= $3 AND p.start_date <= $4 \
                 ORDER BY p.start_date, p.id";
}

/// An employee whose employment was changed after the payroll for its days.
struct Changed {
    employee: Uuid,
    /// when the latest of the changed records was created
    made: Timestamp,
    /// when the latest of them was updated
    at: Timestamp,
    onboarded: Timestamp,
}

/// An employee's pay in a submitted payroll.
struct Paycheck {
    payroll: Uuid,
    days: Days,
    /// whether it pays the wages of its days, as regular payrolls, transitions and payrolls of final wages do
    of_days: bool,
    /// whether it is another off-cycle payroll that pays what is entered, except one for bonuses
    entered: bool,
    calculated: Option<Timestamp>,
    gross: i64,
    /// the jobs it paid; `None` if this version cannot read them
    jobs: Option<Vec<Job>>,
}

impl Paycheck {
    /// Returns the days for which it paid wages, each once.
    fn days_paid(&self) -> Vec<Days> {
        let Some(jobs) = &self.jobs else { return vec![self.days] };
        let mut found: Vec<Days> = Vec::new();
        for days in jobs.iter().flat_map(|job| job.days_held().days(self.days)) {
            found.extend(ranges_without(&[days], &found));
        }
        found.sort_unstable();
        found
    }

    /// Whether it paid wages for a day or for earlier ones.
    fn has_paid_until(&self, day: Date) -> bool {
        self.jobs.as_ref().is_none_or(|jobs| jobs.iter().any(|job| job.hired <= day))
    }
}

/// Returns what there is to tell of the employees between two (both included) about days of earlier regular payrolls of the payroll's
/// schedule.
pub(in crate::pay::payrolls) fn late_employment_findings(
    tx: &mut Tx<'_>,
    company: Uuid,
    (payroll, before): (&Payroll, &[Submitted]),
    bounds: IdRange,
) -> Result<HashMap<Uuid, Vec<Finding>>, Error> {
    let mut found = HashMap::new();
    let paying: Vec<Submitted> = before.iter().copied().filter(|one| !one.skipped).collect();
    let (Some(schedule), Some(from), Some(until), Some(calculated)) = (
        payroll.pay_schedule,
        paying.iter().map(|one| one.days.first).min(),
        paying.iter().map(|one| one.days.last).max(),
        paying.iter().map(Submitted::calculated_at).min(),
    ) else {
        return Ok(found);
    };
    let changed = changed_employments(tx, company, bounds, (schedule, from, until, calculated))?;
    if changed.is_empty() {
        return Ok(found);
    }
    let among_others = !schedule_spans::company_wide_spans(tx, company)?.is_empty();
    for one in changed {
        let mut of_schedule = Vec::with_capacity(paying.len());
        for paid in paying.iter().copied().filter(|paid| one.onboarded <= paid.submitted_at()) {
            if !among_others || follows_schedule(tx, company, (one.employee, schedule), paid.days)? {
                of_schedule.push(paid);
            }
        }
        let findings = of_employee(tx, company, &one, &of_schedule)?;
        if !findings.is_empty() {
            found.insert(one.employee, findings);
        }
    }
    Ok(found)
}

/// Returns the employees between two (both included) whose employment was changed after a payroll for its days.
fn changed_employments(
    tx: &mut Tx<'_>,
    company: Uuid,
    IdRange { mut first, last }: IdRange,
    (schedule, from, until, calculated): (Uuid, Date, Date, Timestamp),
) -> Result<Vec<Changed>, Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, "terminations", 0);
        Ok::<_, store::Error>(Changed {
            employee: next.read_plain("employee_id")?,
            made: next.read_plain("created_at")?,
            at: next.read_plain("updated_at")?,
            onboarded: next.read_plain("onboarded_at")?,
        })
    };
    let mut found = Vec::new();
    loop {
        let parameters = params![company, first, last, schedule, from, until, calculated, MOST];
        let page = tx.try_query(CHANGED, parameters, read)?;
        let Some(latest) = page.last() else { return Ok(found) };
        first = Uuid::from_u128(latest.employee.as_u128().saturating_add(1));
        found.extend(page);
    }
}

/// Whether an employee follows a schedule on all days of a pay period.
pub(super) fn follows_schedule(
    tx: &mut Tx<'_>,
    company: Uuid,
    (employee, schedule): (Uuid, Uuid),
    Days { first: start, last: end }: Days,
) -> Result<bool, Error> {
    let held = schedule_spans::of_employee(tx, company, employee, start)?;
    Ok(held.is_some_and(|one| one.schedule.id == schedule && one.until.is_none_or(|until| until >= end)))
}

/// Returns what there is to tell about the days of these payrolls.
fn of_employee(
    tx: &mut Tx<'_>,
    company: Uuid,
    one: &Changed,
    before: &[Submitted],
) -> Result<Vec<Finding>, Error> {
    let (Some(first), Some(last)) = (before.first(), before.last()) else { return Ok(Vec::new()) };
    let pay = pay::of_employee(tx, company, one.employee)?;
    let Some(hired) = pay.jobs.iter().map(|job| job.hire_date).min() else { return Ok(Vec::new()) };
    let spans = employment::rows::of_employee(tx, company, one.employee)?.employment_spans(hired);
    let parameters = params![company, one.employee, first.days.first, last.days.last];
    let paychecks = tx.try_query(PAYCHECKS, parameters, |row| read_paycheck(row, one.employee))?;
    let mut findings = Vec::new();
    for paid in before {
        // An overpayment is reported until a later regular payroll was calculated after the change, or, as its clock says, with it.
        let later = |other: &&Submitted| other.days.first > paid.days.last;
        let is_told = before.iter().filter(later).any(|other| other.calculated_at() >= one.at);
        let own = paychecks.iter().find(|check| check.payroll == paid.id);
        let unpaid = unpaid_days(tx, company, (one, &spans), (paid, own), &paychecks)?;
        let outside = match own {
            Some(own) if !is_told => ranges_without(&own.days_paid(), &days_of(&spans, paid.days)),
            _ => Vec::new(),
        };
        if unpaid.is_empty() && outside.is_empty() {
            continue;
        }
        let Some(payroll) = rows::find_payroll(tx, company, paid.id)? else { continue };
        for days in unpaid {
            let owed = owed_salary(&payroll, &pay, days)?;
            if owed > Amount::ZERO {
                let debt = Debt { days, amount: owed, since: one.made, short: vec![paid.id] };
                let values = values_of_days(&payroll, days);
                let owed = Owed { debt, from: paid.calculated_at(), text: SALARY_OF_DAYS_NOT_PAID, values };
                findings.push(Finding::Owed(owed));
            } else if !is_corrected(one, &paychecks, days) {
                findings.push(Finding::Told(of_days(HOURS_OF_DAYS_NOT_PAID, &payroll, days, owed)));
            }
        }
        if let Some(own) = own {
            findings.extend(paid_outside(&payroll, own, &outside)?.map(Finding::Told));
        }
    }
    Ok(findings)
}

/// Whether another off-cycle payroll has paid something for days since the change.
fn is_corrected(one: &Changed, paychecks: &[Paycheck], Days { first: from, last: until }: Days) -> bool {
    let since = |check: &&Paycheck| check.entered && check.calculated >= Some(one.made);
    let mut since = paychecks.iter().filter(since);
    since.any(|check| check.gross > 0 && check.days.first <= until && check.days.last >= from)
}

/// Returns the days of employment in a range.
pub(super) fn days_of(spans: &[Span], range: Days) -> Vec<Days> {
    spans.iter().filter_map(|span| span.clip_to_range(range)).collect()
}

/// Returns the days of a regular payroll on which the employee was employed and that no payroll has paid.
fn unpaid_days(
    tx: &mut Tx<'_>,
    company: Uuid,
    (one, spans): (&Changed, &[Span]),
    (payroll, own): (&Submitted, Option<&Paycheck>),
    paychecks: &[Paycheck],
) -> Result<Vec<Days>, Error> {
    let Days { first: start, last: end } = payroll.days;
    let ends_within = |span: &Span| span.end.filter(|one| (start..=end).contains(&one.last_day));
    // A separate payroll can be created unless the regular one has paid wages up to that day.
    let is_apart = |span: &Span| {
        ends_within(span)
            .is_some_and(|end| end.paid_apart && !own.is_some_and(|own| own.has_paid_until(end.last_day)))
    };
    let owed: Vec<Days> = spans
        .iter()
        .filter(|span| !is_apart(span))
        .filter_map(|span| span.clip_to_range(Days { first: start, last: end }))
        .collect();
    let paid: Vec<Days> =
        paychecks.iter().filter(|check| check.of_days).flat_map(Paycheck::days_paid).collect();
    let mut left = ranges_without(&owed, &paid);
    // An employee excluded from the payroll is reported only if the employment ends within its days.
    if own.is_none() && !left.is_empty() && !spans.iter().any(|span| ends_within(span).is_some()) {
        let input = Input::find(tx, company, payroll.id, one.employee)?;
        left.retain(|_| !input.as_ref().is_some_and(|input| input.excluded));
    }
    Ok(left)
}

fn read_paycheck(row: &Row<'_>, employee: Uuid) -> Result<Paycheck, store::Error> {
    let mut next = Cursor::new(row, results::TABLE, 0);
    let payroll = next.read_plain("id")?;
    let days = Days { first: next.read_plain("start_date")?, last: next.read_plain("end_date")? };
    let off_cycle: bool = next.read_plain("off_cycle")?;
    let reason: Option<String> = next.read_plain("off_cycle_reason")?;
    let of_days = !off_cycle || reason.as_deref().is_some_and(|why| [TRANSITION, DISMISSAL].contains(&why));
    let entered = !of_days && reason.as_deref() != Some(BONUS);
    let (calculated, gross) = (next.read_plain("calculated_at")?, next.read_plain("gross")?);
    let facts: String = next.read_stored::<JsonText, _>("facts")?;
    let jobs = results::readable_inputs(&facts, payroll, employee).map(|inputs| inputs.jobs);
    Ok(Paycheck { payroll, days, of_days, entered, calculated, gross, jobs })
}

/// Returns the salary of these jobs for some days of a payroll.
fn salary_for_days(payroll: &Payroll, jobs: &[Job], days: &[Days]) -> Result<Amount, Error> {
    let by = (payroll.frequency, payroll.salary_proration());
    let of_days = |(job, Days { first: from, last: until }): (&Job, &Days)| {
        let on_these = Job {
            hired: job.hired.max(*from),
            left: Some(job.left.map_or(*until, |left| left.min(*until))),
            ..job.clone()
        };
        salary_of_days(payroll.days(), by, &on_these)
    };
    let mut each = days.iter().flat_map(|days| jobs.iter().map(move |job| (job, days))).map(of_days);
    let sum = each.try_fold(Amount::ZERO, |sum, one| sum.checked_add(one?));
    sum.ok_or_else(|| Error::internal("the salary of some days exceeds the largest amount"))
}

/// Returns the salary of all jobs for some days of a payroll.
///
/// # Errors
/// An amount is too large.
pub(super) fn owed_salary(payroll: &Payroll, pay: &Pay, days: Days) -> Result<Amount, Error> {
    let jobs: Vec<Job> = pay.jobs.iter().filter_map(|job| to_rules_job(pay, job)).collect();
    salary_for_days(payroll, &jobs, &[days])
}

/// Returns a warning about the salary for some days of a payroll.
fn of_days(text: Text, payroll: &Payroll, days: Days, salary: Amount) -> Warning {
    let (values, amount) = (values_of_days(payroll, days), salary.to_text(2));
    let mut values: Vec<(&str, &dyn Display)> =
        values.iter().map(|(name, value)| (*name, value as &dyn Display)).collect();
    values.push(("amount", &amount));
    text.to_warning(&values)
}

fn values_of_days(payroll: &Payroll, Days { first: from, last: until }: Days) -> Vec<(&'static str, String)> {
    let days = [("start", payroll.start), ("end", payroll.end), ("from", from), ("until", until)];
    days.map(|(name, day)| (name, day.to_string())).into()
}

/// Returns the job as an input of the rules, without hours; `None` without pay terms.
fn to_rules_job(pay: &Pay, job: &pay::Job) -> Option<Job> {
    let mut compensations: Vec<Compensation> = pay
        .of_job(job.id)
        .iter()
        .map(|one| Compensation { effective: one.effective_date, terms: one.pay_terms(), floors: Vec::new() })
        .collect();
    compensations.sort_by_key(|one| one.effective);
    (!compensations.is_empty()).then(|| Job {
        hired: job.hire_date,
        left: None,
        away: None,
        away_again: Vec::new(),
        compensations,
        later: Vec::new(),
        worked: Vec::new(),
        by_week: Vec::new(),
        paid_before: Vec::new(),
        agreed_overtime_rate: false,
        fluctuating_workweek: false,
        time_off: Vec::new(),
    })
}

/// Returns a warning about pay for days outside the employment. Hours are known to be outside it only if all days of the payroll are.
fn paid_outside(payroll: &Payroll, own: &Paycheck, outside: &[Days]) -> Result<Option<Warning>, Error> {
    let (Some(Days { first: from, last: _ }), Some(Days { first: _, last: until })) =
        (outside.first(), outside.last())
    else {
        return Ok(None);
    };
    let jobs = own.jobs.as_deref().unwrap_or(&[]);
    let paid = salary_for_days(payroll, jobs, outside)?;
    let (start, end) = (payroll.start, payroll.end);
    if paid == Amount::ZERO {
        let all = own.gross > 0 && ranges_without(&[Days { first: start, last: end }], outside).is_empty();
        let amount = Amount::from_millionths(own.gross).to_text(2);
        let warning =
            || DAYS_PAID_OUTSIDE.to_warning(&[("start", &start), ("end", &end), ("amount", &amount)]);
        return Ok(all.then(warning));
    }
    Ok(Some(of_days(SALARY_PAID_OUTSIDE, payroll, Days { first: *from, last: *until }, paid)))
}
