//! Hours entered for days on which the employee was not employed, or more hours than the days of employment have. Hours with a date
//! outside the employment are refused on entry; these were entered before the employment was changed, or without a date.

use rules::Amount;
use rules::days::Days;

use crate::pay::payrolls::calendar::employed_days::days_held;
use crate::pay::payrolls::facts::member::MemberFacts;
use crate::pay::payrolls::record::hours::{Hours, hours_of_days};
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::texts::{HOURS_BEYOND_DAYS, HOURS_OUTSIDE};
use crate::pay::payrolls::record::warning::Warning;

/// Returns warnings about such hours.
pub(in crate::pay::payrolls) fn outside_hours_warnings(
    payroll: &Payroll,
    member: &MemberFacts<'_>,
) -> Vec<Warning> {
    let MemberFacts { pay, employment, entered, .. } = *member;
    let period = payroll.days();
    let lines = || entered.hourly.iter().filter(|line| line.hours > Amount::ZERO);
    let is_outside = |line: &&Hours| {
        let job = pay.find_job(line.job).filter(|job| job.hire_date <= payroll.end);
        job.is_some_and(|job| {
            days_held(payroll, job.employment_dates(), employment).days(line.days_worked(period)).is_empty()
        })
    };
    let outside: Vec<&Hours> = lines().filter(is_outside).collect();
    if let Some(warning) = outside_hours_warning(&outside, period) {
        return vec![warning];
    }
    let hired = pay.jobs.iter().map(|job| job.hire_date).min().unwrap_or(payroll.start);
    let held = days_held(payroll, (hired, None), employment).days(period);
    let most: Amount = held.iter().map(|days| hours_of_days(*days)).sum();
    let all: Amount = lines().map(|line| line.hours).sum();
    let beyond = payroll.pays_wages_of_its_days() && most > Amount::ZERO && all > most;
    beyond.then(|| of_too_many(all, &held)).into_iter().collect()
}

fn outside_hours_warning(outside: &[&Hours], period: Days) -> Option<Warning> {
    let days = || outside.iter().map(|line| line.days_worked(period));
    let (from, until) = (days().map(|days| days.first).min()?, days().map(|days| days.last).max()?);
    let hours = outside.iter().map(|line| line.hours).sum::<Amount>().to_text(3);
    Some(HOURS_OUTSIDE.to_warning(&[("hours", &hours), ("from", &from), ("until", &until)]))
}

fn of_too_many(all: Amount, held: &[Days]) -> Warning {
    let hours = all.to_text(3);
    let days: Vec<String> =
        held.iter().map(|Days { first: from, last: until }| format!("{from} – {until}")).collect();
    HOURS_BEYOND_DAYS.to_warning(&[("hours", &hours), ("days", &days.join(", "))])
}
