//! Hours paid without an entry: salaried days, and time off. If lines of hours name a location, the pay is divided between locations
//! by hours instead of days, so these hours count, too: at the work address.

use rules::Amount;
use std::borrow::Cow;

use jiff::ToSpan;
use jiff::civil::Date;
use rules::days::Days;
use rules::payroll::holidays::is_weekend;
use uuid::Uuid;

use crate::pay::compensations::rows::{Job, Pay};
use crate::pay::payrolls::facts::member::MemberFacts;
use crate::pay::payrolls::record::entered::{Entered, TimeOff};
use crate::pay::payrolls::record::hours::Hours;
use crate::pay::payrolls::record::kinds::{HourlyKind, TimeOffKind};

/// Hours of a salaried working day, in millionths.
const WORKING_DAY: Amount = Amount::from_cents(800);

/// Returns the hours of all jobs by which pay is divided between locations: the entered hours and, if any of them name a location,
/// those paid without an entry on days of employment. `salaries` is whether the payroll pays salaries.
pub(in crate::pay::payrolls) fn with_unentered<'e>(
    member: &MemberFacts<'e>,
    salaries: bool,
) -> Cow<'e, [Hours]> {
    let (entered, jobs, employed) = (member.entered, member.pay, &member.employed);
    if entered.hourly.iter().all(|line| line.location.is_none()) {
        return Cow::Borrowed(&entered.hourly);
    }
    let mut hours = entered.hourly.clone();
    for job in jobs.jobs.iter().filter(|_| salaries) {
        hours.extend(of_salary(entered, jobs, job, employed));
    }
    if let Some(job) = jobs.primary_job() {
        let last = employed.last().map_or(job.hire_date, |days| days.last);
        // A salary continues during time off.
        if !(salaries && is_salaried(jobs, job.id, last)) {
            hours.extend(hours_off_of_job(entered, job.id));
        }
    }
    Cow::Owned(hours)
}

fn is_salaried(jobs: &Pay, job: Uuid, day: Date) -> bool {
    jobs.compensation_on(job, day).is_some_and(|one| one.pay_terms().is_salary())
}

/// Returns the hours that a salary pays for: eight hours a day from Monday to Friday, less the regular hours that were entered.
fn of_salary(entered: &Entered, jobs: &Pay, job: &Job, employed: &[Days]) -> Vec<Hours> {
    let regular =
        || entered.hourly.iter().filter(|line| line.job == job.id && line.kind == HourlyKind::Regular);
    let on =
        |day: Date| regular().filter(|line| line.date == Some(day)).map(|line| line.hours).sum::<Amount>();
    let days = employed.iter().flat_map(|Days { first: from, last: until }| {
        from.series(1.day()).take_while(move |day| day <= until)
    });
    let is_held = |day: Date| day >= job.hire_date && !job.has_ended_before(day);
    let days = days.filter(|day| !is_weekend(*day) && is_held(*day) && is_salaried(jobs, job.id, *day));
    let left: Vec<(Date, Amount)> =
        days.map(|day| (day, (WORKING_DAY - on(day)).max(Amount::ZERO))).collect();
    let all: Amount = left.iter().map(|(_, hours)| *hours).sum();
    let undated: Amount = regular().filter(|line| line.date.is_none()).map(|line| line.hours).sum();
    let unpaid = entered.time_off.iter().filter(|line| line.kind == TimeOffKind::Unpaid);
    let unpaid: Amount = match jobs.primary_job().is_some_and(|primary| primary.id == job.id) {
        true => unpaid.map(TimeOff::hours_taken).sum(),
        false => Amount::ZERO,
    };
    let rest = (all - undated - unpaid).max(Amount::ZERO);
    let share = |hours: Amount| {
        Amount::from_millionths(hours.millionths() * rest.millionths() / all.millionths().max(1))
    };
    let line = |(day, hours): (Date, Amount)| Hours {
        job: job.id,
        kind: HourlyKind::Regular,
        week: None,
        date: Some(day),
        location: None,
        hours: share(hours),
    };
    left.into_iter().map(line).filter(|line| line.hours > Amount::ZERO).collect()
}

/// Returns the hours off of a job, on their days if these are known.
fn hours_off_of_job(entered: &Entered, job: Uuid) -> Vec<Hours> {
    let line =
        |date, hours| Hours { job, kind: HourlyKind::Regular, week: None, date, location: None, hours };
    let mut found = Vec::new();
    for off in entered.time_off.iter().filter(|off| off.kind != TimeOffKind::Unpaid) {
        let dated: Amount = off.days.iter().map(|day| day.hours).sum();
        found.extend(off.days.iter().map(|day| line(Some(day.day), day.hours)));
        found.push(line(
            None,
            (off.hours_taken() + off.paid_out.unwrap_or(Amount::ZERO) - dated).max(Amount::ZERO),
        ));
    }
    found.retain(|line| line.hours > Amount::ZERO);
    found
}
