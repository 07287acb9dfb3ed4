//! Hours worked, as entered: for the whole pay period, by workweek or by day, and by location.
//!
//! A line is identified by its job, name, days and location. Hours of the same job and name are entered in one way only: hours by day
//! replace those by workweek and those of the whole pay period, and vice versa.

use jiff::ToSpan;
use jiff::civil::Date;
use rules::days::Days;
use rules::{Amount, Checks, Violation};
use uuid::Uuid;

use crate::patch;
use crate::patch::Patch;
use crate::pay::payrolls::entry::by_workweek;
use crate::pay::payrolls::entry::by_workweek::OfWorkweek;
use crate::pay::payrolls::entry::known::{Known, MOST_LINES, check_payable_hours, job_of};
use crate::pay::payrolls::record::commands::HourlyLine;
use crate::pay::payrolls::record::entered::{Entered, TimeOff, replace_lines};
use crate::pay::payrolls::record::hours::{HOURS_OF_A_DAY, Hours, hours_of_days};
use crate::pay::payrolls::record::kinds::HourlyKind;
use crate::records::id_of;

/// Maximum number of an employee's lines of hours in one payroll.
const MOST_HELD: usize = 500;

impl Entered {
    pub(in crate::pay::payrolls) fn merge_hourly(
        &mut self,
        known: &Known<'_>,
        before: &Self,
        lines: &Patch<Vec<HourlyLine>>,
        checks: &mut Checks,
    ) {
        let items = patch::check_items("hourly_compensations", lines, MOST_LINES, checks);
        let mut lines: Vec<Hours> = Vec::new();
        // Lines that are sent with no parts: their division by workweek ends.
        let mut undivided: Vec<(Uuid, HourlyKind)> = Vec::new();
        for line in items {
            let Some(whole) = check_hourly_line(line, known, checks) else { continue };
            match by_workweek::hours_of(&line.breakdowns, known, checks) {
                None => {
                    let says_none = !matches!(line.breakdowns, Patch::Absent);
                    if says_none && before.is_divided(whole.job, whole.kind) {
                        undivided.push((whole.job, whole.kind));
                    }
                    lines.push(whole);
                }
                Some(parts) if before.is_told_divided(known, &whole, &parts) => lines.push(whole),
                Some(parts) => {
                    check_divided(&whole, &parts, checks);
                    self.hourly.retain(|old| !old.is_of(whole.job, whole.kind));
                    let of_week =
                        |one: &OfWorkweek| Hours { week: Some(one.start), hours: one.part, ..whole };
                    lines.extend(parts.iter().map(of_week));
                }
            }
        }
        // If regular hours by day are sent back with the overtime calculated from them, nothing was changed. Otherwise, the client changed
        // them.
        let as_sorted = |job: Uuid| {
            let mut of_job = lines.iter().filter(|line| line.job == job);
            of_job.all(|line| before.classified_hours(known, line) == Some(line.hours))
        };
        let mut sent: Vec<Hours> = Vec::new();
        for line in lines.iter().copied() {
            let is_told = before.is_sum(&line) || as_sorted(line.job) || before.is_of_salary(known, &line);
            if is_told && !undivided.contains(&(line.job, line.kind)) {
                continue;
            }
            if line.hours > Amount::ZERO {
                let mixed = sent
                    .iter()
                    .any(|one| one.is_of(line.job, line.kind) && one.entered_by() != line.entered_by());
                checks.require(!mixed, || {
                    let message = "give date for all lines of the same job and name or for none; the same applies to \
                                   workweek_start";
                    Violation::invalid("date", message)
                });
                // Hours entered before the employment was changed may be sent back; paychecks warn about them.
                if !before.hourly.contains(&line) {
                    check_employed(&line, known, checks);
                }
                sent.push(line);
            }
            replace_lines(&mut self.hourly, Some(line).filter(|line| line.hours > Amount::ZERO), |old| {
                line.replaces_line(old)
            });
        }
        if sent.is_empty() {
            return;
        }
        self.check_hours(checks);
    }

    /// Whether a line is the sum of lines by day, workweek or location, as responses return it. Those lines are kept.
    fn is_sum(&self, line: &Hours) -> bool {
        let of_line = || self.of_line(line.job, line.kind);
        let is_divided = of_line().any(|old| !old.is_whole());
        line.is_whole() && is_divided && of_line().map(|old| old.hours).sum::<Amount>() == line.hours
    }

    /// Whether a line that is divided by workweek is sent back as responses return it: with the parts that are known, and with their sum or
    /// the hours as a calculation classified them.
    fn is_told_divided(&self, known: &Known<'_>, line: &Hours, parts: &[OfWorkweek]) -> bool {
        let held: Vec<_> = self.hours_by_workweek(line.job, line.kind, known.workweek);
        let is_same = held.iter().copied().eq(parts.iter().map(|one| (one.start, one.part)));
        is_same && (self.is_sum(line) || self.classified_hours(known, line) == Some(line.hours))
    }

    /// Whether a line has the standard hours of a salary, as responses return them if none are entered.
    fn is_of_salary(&self, known: &Known<'_>, line: &Hours) -> bool {
        let is_open = self.of_line(line.job, line.kind).next().is_none();
        let is_regular = line.is_whole() && line.kind == HourlyKind::Regular;
        is_open && is_regular && known.told.stands_for(line.job, line.hours)
    }

    /// Returns the hours for the job and kind of a line as the calculation classified them, if it did.
    fn classified_hours(&self, known: &Known<'_>, line: &Hours) -> Option<Amount> {
        let (_, paid) = known.told.calculated.filter(|_| line.is_whole())?;
        let mut jobs = known.pay.jobs.iter().filter(|job| job.hire_date <= known.period.last);
        let paid = paid.jobs.get(jobs.position(|job| job.id == line.job)?)?;
        (paid.hours != [Amount::ZERO; 3]).then(|| self.hours_paid(line.job, line.kind, paid))
    }

    /// Refuses changes that give an employee more hours, worked and off, than the days of the payroll have. A payroll that does not pay the
    /// wages of its days may pay for others: a correction or final settlement is dated on the day it is made.
    pub(in crate::pay::payrolls) fn check_all_hours(
        &self,
        known: &Known<'_>,
        before: &Self,
        checks: &mut Checks,
    ) {
        let unchanged = self.hourly == before.hourly && self.time_off == before.time_off;
        if unchanged || !known.told.payroll.pays_wages_of_its_days() {
            return;
        }
        let Days { first: start, last: end } = known.period;
        let worked: Amount = self.hourly.iter().map(|line| line.hours).sum();
        let off: Amount = self.time_off.iter().map(TimeOff::hours_taken).sum();
        let (all, most) = (worked + off, hours_of_days(known.period));
        checks.require(all <= most, || {
            let message = format!(
                "hours of all jobs and time off must total at most {} (24 a day from {start} to {end}), not {}",
                most.to_text(3),
                all.to_text(3)
            );
            Violation::invalid("hours", message)
        });
    }

    fn check_hours(&self, checks: &mut Checks) {
        let on_same_day = self.hourly.iter().all(|line| {
            let others = self.hourly.iter().filter(|other| other.job == line.job);
            let weekday = |line: &Hours| line.week.map(Date::weekday);
            others.filter_map(weekday).all(|other| weekday(line).is_none_or(|own| own == other))
        });
        checks.require(on_same_day, || {
            let message = "workweek_start must be the same day of the week in all workweeks of a job";
            Violation::invalid("workweek_start", message)
        });
        let mut days: Vec<Date> = self.hourly.iter().filter_map(|line| line.date).collect();
        days.sort_unstable();
        days.dedup();
        for day in days {
            let of_day = self.hourly.iter().filter(|line| line.date == Some(day));
            checks.require(of_day.map(|line| line.hours).sum::<Amount>() <= HOURS_OF_A_DAY, || {
                Violation::invalid("hours", format!("hours of {day} must be at most 24 in all jobs together"))
            });
        }
        checks.require(self.hourly.len() <= MOST_HELD, || {
            let message = format!("an employee has at most {MOST_HELD} lines of hours in a payroll");
            Violation::invalid("hourly_compensations", message)
        });
    }
}

/// Refuses a line whose hours are not those of its workweeks, or that also says otherwise when they were worked.
fn check_divided(line: &Hours, parts: &[OfWorkweek], checks: &mut Checks) {
    let sum = by_workweek::sum_of_parts(parts);
    checks.require(line.hours == sum, || {
        let message =
            format!("hours must be the sum of breakdowns, {}, not {}", sum.to_text(3), line.hours.to_text(3));
        Violation::invalid("hours", message)
    });
    checks.require(line.is_whole(), || {
        let message =
            "omit workweek_start, date and location_uuid where breakdowns divide the hours by workweek";
        Violation::invalid("breakdowns", message)
    });
}

/// Returns the line that was sent, unless it is invalid.
fn check_hourly_line(line: &HourlyLine, known: &Known<'_>, checks: &mut Checks) -> Option<Hours> {
    let kind = line.name.required("name", checks, |key, name| HourlyKind::check(key, name));
    let hours = line.hours.required("hours", checks, check_payable_hours);
    let job = job_of(known.pay, &line.job_uuid, checks);
    let meets = |key: &str, day: &Date| check_workweek(key, *day, known.period);
    let week = line.workweek_start.optional("workweek_start", checks, meets);
    let within = |key: &str, day: &Date| check_day_between(key, *day, known.period);
    let date = line.date.optional("date", checks, within);
    checks.require(week.is_none() || date.is_none(), || {
        Violation::invalid(
            "workweek_start",
            "omit workweek_start where date is given: the date determines the workweek",
        )
    });
    let place = |key: &str, id: &String| check_location(key, id, known.locations);
    let location = line.location_uuid.optional("location_uuid", checks, place);
    let wrong = matches!(line.workweek_start, Patch::Value(_) | Patch::Invalid(_)) && week.is_none()
        || matches!(line.date, Patch::Value(_) | Patch::Invalid(_)) && date.is_none()
        || matches!(line.location_uuid, Patch::Value(_) | Patch::Invalid(_)) && location.is_none();
    match (kind, hours, job) {
        (Some(kind), Some(hours), Some(job)) if !wrong => {
            Some(Hours { job, kind, week, date, location, hours })
        }
        _ => None,
    }
}

/// Refuses hours of a job that has not begun, or on days for which the payroll pays no employment. Hours without a day or workweek are
/// accepted for former employees, because final wages and corrections are often dated after the end of employment.
fn check_employed(line: &Hours, known: &Known<'_>, checks: &mut Checks) {
    known.check_begun(line.job, checks);
    let key = if line.date.is_some() { "date" } else { "workweek_start" };
    let Some(job) =
        known.pay.find_job(line.job).filter(|job| line.of_workweek() && job.hire_date <= known.period.last)
    else {
        return;
    };
    let (held, Days { first: from, last: until }) = (known.days_held(job), line.days_worked(known.period));
    checks.require(held.iter().any(|Days { first, last }| *first <= until && from <= *last), || {
        let days: Vec<String> =
            held.iter().map(|Days { first: from, last: until }| format!("{from} to {until}")).collect();
        let message = match days.as_slice() {
            [] => format!("omit {key}: the employee was not employed on any day of the payroll"),
            days => format!(
                "{key} must have days of the employment that this payroll pays: {}",
                days.join(", and ")
            ),
        };
        Violation::invalid(key, message)
    });
}

/// Checks the first day of a workweek that has days in the pay period.
fn check_workweek(key: &str, day: Date, Days { first: start, last: end }: Days) -> Result<Date, Violation> {
    check_day_between(key, day, Days { first: start.saturating_sub(6.days()), last: end })
}

fn check_day_between(key: &str, day: Date, Days { first, last }: Days) -> Result<Date, Violation> {
    if (first..=last).contains(&day) {
        return Ok(day);
    }
    Err(Violation::invalid(key, format!("{key} must lie between {first} and {last}")))
}

/// Parses the id of one of the company's locations.
fn check_location(key: &str, id: &str, known: &[Uuid]) -> Result<Uuid, Violation> {
    let found = Some(id_of(id)).filter(|id| known.contains(id));
    found.ok_or_else(|| Violation::invalid(key, format!("{key} must be one of the company's locations")))
}
