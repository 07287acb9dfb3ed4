//! Who follows which schedule from which day on, in a company that has assigned several.
//!
//! A span belongs to an employee or to the company itself; the company's apply to every employee without own ones. A company that
//! always had one schedule has no spans, and all its employees follow [`default_of`](super::rows::default_of).

use std::collections::{BTreeMap, BTreeSet};

use jiff::ToSpan;
use jiff::civil::Date;
use rules::Named;
use rules::days::Days;
use rules::payroll::assignment;
use rules::payroll::assignment::AssignmentType;
use rules::payroll::schedule::PayPeriod;
use store::record::Cursor;
use store::{Row, Tx, params};
use uuid::Uuid;

use super::rows::{Schedule, default_of, of_company};
use crate::error::Error;
use crate::records::rows_of;

/// A schedule that is followed from a day on.
pub type ScheduleSpan = assignment::ScheduleSpan<Uuid>;

const TABLE: &str = "pay_schedule_stretches";
const SETTINGS: &str = "pay_schedule_assignments";

/// The followers of the schedule $2 on a day or later, without those who have changed to another one by $4, and those who left before
/// $3 and do not return by $5.
macro_rules! followers {
    ($and:literal) => {
        concat!(
            "SELECT f.subject_id FROM pay_schedule_stretches f WHERE f.company_id = $1 AND f.pay_schedule_id = $2",
            $and,
            " AND NOT EXISTS (SELECT 1 FROM pay_schedule_stretches n WHERE n.company_id = $1 AND n.subject_id = f.subject_id \
             AND n.pay_schedule_id <> $2 AND n.first_day > f.first_day AND n.first_day <= $4) \
             AND NOT EXISTS (SELECT 1 FROM terminations t WHERE t.company_id = $1 AND t.employee_id = f.subject_id \
             AND t.effective_date < $3 AND NOT EXISTS (SELECT 1 FROM rehires b WHERE b.company_id = $1 \
             AND b.employee_id = f.subject_id AND b.effective_date > t.effective_date AND b.effective_date <= $5)) LIMIT 1"
        )
    };
}

store::statements! {
    FIND_SETTINGS = "SELECT assignment_type, pay_schedule_id, hourly_schedule_id, salaried_schedule_id FROM pay_schedule_assignments \
                     WHERE company_id = $1";
    SAVE_SETTINGS = "INSERT INTO pay_schedule_assignments (company_id, assignment_type, pay_schedule_id, hourly_schedule_id, \
                     salaried_schedule_id, updated_at) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (company_id) DO UPDATE \
                     SET assignment_type = excluded.assignment_type, pay_schedule_id = excluded.pay_schedule_id, \
                     hourly_schedule_id = excluded.hourly_schedule_id, salaried_schedule_id = excluded.salaried_schedule_id, \
                     updated_at = excluded.updated_at";
    CHOICES = "SELECT subject_id, pay_schedule_id FROM pay_schedule_choices WHERE company_id = $1 ORDER BY subject_id";
    CHOOSE = "INSERT INTO pay_schedule_choices (company_id, subject_id, pay_schedule_id, created_at) VALUES ($1, $2, $3, $4)";
    UNCHOOSE = "DELETE FROM pay_schedule_choices WHERE company_id = $1";
    FORGET_CHOICE = "DELETE FROM pay_schedule_choices WHERE company_id = $1 AND subject_id = $2";
    OF_COMPANY = "SELECT subject_id, first_day, pay_schedule_id, before_id, unpaid_from FROM pay_schedule_stretches \
                  WHERE company_id = $1 ORDER BY subject_id, first_day";
    OF_EITHER = "SELECT subject_id, first_day, pay_schedule_id, before_id, unpaid_from FROM pay_schedule_stretches \
                 WHERE company_id = $1 AND (subject_id = $1 OR subject_id = $2) ORDER BY subject_id, first_day";
    OF_THESE = "SELECT subject_id, first_day, pay_schedule_id, before_id, unpaid_from FROM pay_schedule_stretches \
                WHERE company_id = $1 AND subject_id IN ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) \
                ORDER BY subject_id, first_day";
    INSERT = "INSERT INTO pay_schedule_stretches (company_id, subject_id, first_day, pay_schedule_id, before_id, unpaid_from, created_at) \
              VALUES ($1, $2, $3, $4, $5, $6, $7)";
    DELETE = "DELETE FROM pay_schedule_stretches WHERE company_id = $1 AND subject_id = $2 AND first_day = $3";
    FORGET = "DELETE FROM pay_schedule_stretches WHERE company_id = $1 AND subject_id = $2";
    FOLLOWED_IN = followers!(" AND f.first_day <= $3");
    FOLLOWED_FROM = followers!("");
    FIRST_OF_SCHEDULE = "SELECT first_day FROM pay_schedule_stretches WHERE company_id = $1 AND pay_schedule_id = $2 \
                         ORDER BY first_day LIMIT 1";
    MOVES_SINCE = "SELECT first_day FROM pay_schedule_stretches WHERE company_id = $1 AND first_day > $3 \
                   AND ((pay_schedule_id = $2 AND subject_id <> $1) OR before_id = $2) ORDER BY first_day DESC LIMIT 1";
    GAPS = "SELECT DISTINCT first_day, before_id, unpaid_from, pay_schedule_id FROM pay_schedule_stretches WHERE company_id = $1 \
            AND first_day > $2 AND first_day <= $3 AND unpaid_from IS NOT NULL ORDER BY first_day, before_id, pay_schedule_id LIMIT 1000";
}

/// How a company assigns schedules to its employees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// the type of assignment
    pub kind: AssignmentType,
    /// the schedule of everybody without another one
    pub default: Option<Uuid>,
    /// the schedule of hourly employees, for [`AssignmentType::HourlySalaried`]
    pub hourly: Option<Uuid>,
    /// the schedule of salaried employees, for [`AssignmentType::HourlySalaried`]
    pub salaried: Option<Uuid>,
}

/// Days that an employee who leaves a schedule has left in its pay period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// the schedule being left
    pub schedule: Uuid,
    /// the schedule that is followed next
    pub next: Uuid,
    /// first day
    pub start: Date,
    /// last day
    pub end: Date,
}

/// A schedule that an employee follows, and until when.
#[derive(Debug, Clone)]
pub struct Follows {
    /// the schedule
    pub schedule: Schedule,
    /// the first day; `None` if no earlier schedule is known
    pub from: Option<Date>,
    /// the last day; `None` if no other schedule is planned
    pub until: Option<Date>,
}

impl Follows {
    /// The pay period of a day: a part of the schedule's period if the employee leaves the schedule within it.
    pub fn period_of(&self, day: Date) -> Result<PayPeriod, Error> {
        let period = self.schedule.pay_periods()?.period_of(day);
        let end = self.until.map_or(period.end, |until| period.end.min(until));
        let start = self.from.map_or(period.start, |from| period.start.max(from));
        Ok(PayPeriod { start, end, ..period })
    }

    /// The days of the whole pay period of a day, if the employee's pay period is a part of it.
    pub fn whole_days(&self, day: Date) -> Result<Option<i64>, Error> {
        let (whole, own) = (self.schedule.pay_periods()?.period_of(day), self.period_of(day)?);
        Ok(Some(i64::from(whole.days())).filter(|_| own != whole))
    }
}

/// How the company assigns schedules to its employees.
pub fn assignment_settings(tx: &mut Tx<'_>, company: Uuid) -> Result<Settings, Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, SETTINGS, 0);
        let kind = next.text_or_null("assignment_type", AssignmentType::parse)?;
        Ok::<_, store::Error>(Settings {
            kind: kind.unwrap_or(AssignmentType::Single),
            default: next.read_plain("pay_schedule_id")?,
            hourly: next.read_plain("hourly_schedule_id")?,
            salaried: next.read_plain("salaried_schedule_id")?,
        })
    };
    let single = Settings { kind: AssignmentType::Single, default: None, hourly: None, salaried: None };
    Ok(tx.try_find(FIND_SETTINGS, params![company], read)?.unwrap_or(single))
}

/// Stores how they are assigned. The caller holds the guard of the company's schedules.
pub fn save_settings(tx: &mut Tx<'_>, company: Uuid, new: &Settings) -> Result<(), Error> {
    let now = tx.now();
    let values = params![company, new.kind.as_str(), new.default, new.hourly, new.salaried, now];
    assert!(tx.change_rows(SAVE_SETTINGS, values)?.is_one(), "an upsert changes one row");
    Ok(())
}

/// The schedules that were chosen, by employee or department.
pub fn chosen_schedules(tx: &mut Tx<'_>, company: Uuid) -> Result<BTreeMap<Uuid, Uuid>, Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, "pay_schedule_choices", 0);
        Ok::<_, store::Error>((next.read_plain("subject_id")?, next.read_plain("pay_schedule_id")?))
    };
    Ok(tx.try_query(CHOICES, params![company], read)?.into_iter().collect())
}

/// Replaces the schedules that were chosen. The caller holds the guard of the company's schedules.
pub fn save_choices(tx: &mut Tx<'_>, company: Uuid, new: &BTreeMap<Uuid, Uuid>) -> Result<(), Error> {
    let now = tx.now();
    let _as_many_as_there_were = tx.change_rows(UNCHOOSE, params![company])?.rows();
    for (subject, schedule) in new {
        tx.insert_row(CHOOSE, params![company, subject, schedule, now])?;
    }
    Ok(())
}

/// Deletes the schedule chosen for an employee or a department, and the employee's spans. The caller holds the guard of the
/// company's schedules.
pub fn delete_chosen_schedule(tx: &mut Tx<'_>, company: Uuid, subject: Uuid) -> Result<(), Error> {
    let _if_one_was_chosen = tx.change_rows(FORGET_CHOICE, params![company, subject])?.rows();
    let _as_many_as_there_were = tx.change_rows(FORGET, params![company, subject])?.rows();
    Ok(())
}

fn read_schedule_span(row: &Row<'_>) -> Result<(Uuid, ScheduleSpan), store::Error> {
    let mut next = Cursor::new(row, TABLE, 0);
    let subject = next.read_plain("subject_id")?;
    let first_day = next.read_plain("first_day")?;
    let schedule = next.read_plain("pay_schedule_id")?;
    let before = next.read_plain("before_id")?;
    Ok((subject, ScheduleSpan { schedule, first_day, before, unpaid_from: next.read_plain("unpaid_from")? }))
}

fn group_by_subject(rows: Vec<(Uuid, ScheduleSpan)>) -> BTreeMap<Uuid, Vec<ScheduleSpan>> {
    let mut found: BTreeMap<Uuid, Vec<ScheduleSpan>> = BTreeMap::new();
    for (subject, one) in rows {
        found.entry(subject).or_default().push(one);
    }
    found
}

/// Every span of the company, by employee; the company-wide ones under the company itself.
pub fn spans_by_employee(tx: &mut Tx<'_>, company: Uuid) -> Result<BTreeMap<Uuid, Vec<ScheduleSpan>>, Error> {
    Ok(group_by_subject(tx.try_query(OF_COMPANY, params![company], read_schedule_span)?))
}

/// The spans of the company itself and those of an employee.
pub fn company_and_own_spans(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
) -> Result<(Vec<ScheduleSpan>, Vec<ScheduleSpan>), Error> {
    let mut found =
        group_by_subject(tx.try_query(OF_EITHER, params![company, employee], read_schedule_span)?);
    let base = found.remove(&company).unwrap_or_default();
    Ok((base, found.remove(&employee).unwrap_or_default()))
}

/// The company-wide spans; empty in a company that always had one schedule.
pub fn company_wide_spans(tx: &mut Tx<'_>, company: Uuid) -> Result<Vec<ScheduleSpan>, Error> {
    Ok(company_and_own_spans(tx, company, company)?.0)
}

/// All spans of an employee: the own ones, preceded by the company-wide ones.
pub fn effective_spans(base: &[ScheduleSpan], own: &[ScheduleSpan]) -> Vec<ScheduleSpan> {
    let first = own.first().map_or(Date::MAX, |one| one.first_day);
    let mut found: Vec<ScheduleSpan> = base.iter().filter(|one| one.first_day < first).copied().collect();
    found.extend_from_slice(own);
    found
}

/// Replaces spans of an employee, or of the company itself. The caller holds the guard of the company's schedules.
pub fn replace_spans(
    tx: &mut Tx<'_>,
    company: Uuid,
    subject: Uuid,
    (before, after): (&[ScheduleSpan], &[ScheduleSpan]),
) -> Result<(), Error> {
    let now = tx.now();
    for one in before.iter().filter(|one| !after.contains(one)) {
        assert!(
            tx.change_rows(DELETE, params![company, subject, one.first_day])?.is_one(),
            "read under the guard"
        );
    }
    for one in after.iter().filter(|one| !before.contains(one)) {
        let ScheduleSpan { schedule, first_day, before, unpaid_from } = *one;
        tx.insert_row(INSERT, params![company, subject, first_day, schedule, before, unpaid_from, now])?;
    }
    Ok(())
}

/// The index of the span that contains a day; `None` before the first.
fn place_on(held: &[ScheduleSpan], day: Date) -> Option<usize> {
    held.iter().rposition(|one| one.first_day <= day)
}

/// Which schedule an employee follows on a day; `None` while the company has none.
pub fn of_employee(
    tx: &mut Tx<'_>,
    company: Uuid,
    employee: Uuid,
    day: Date,
) -> Result<Option<Follows>, Error> {
    let (base, own) = company_and_own_spans(tx, company, employee)?;
    let held = effective_spans(&base, &own);
    let place = place_on(&held, day);
    let (now, later) = match place {
        Some(place) => (Some(held[place]), &held[place + 1..]),
        None => (held.first().copied(), held.get(1..).unwrap_or_default()),
    };
    let Some(now) = now else {
        let everybodys = default_of(tx, company)?;
        return Ok(everybodys.map(|schedule| Follows { schedule, from: None, until: None }));
    };
    let other = later.iter().find(|one| one.schedule != now.schedule);
    let until = other.map(|one| one.first_day.saturating_sub(1.day()));
    let from = place.filter(|place| *place > 0).map(|_| now.first_day);
    let schedule = Schedule::find(tx, company, now.schedule)?;
    Ok(schedule.map(|schedule| Follows { schedule, from, until }))
}

/// The schedules that some employees follow on a day, oldest first, in a company with these company-wide spans.
pub fn of_employees(
    tx: &mut Tx<'_>,
    company: Uuid,
    (base, employees): (&[ScheduleSpan], &[Uuid]),
    day: Date,
) -> Result<Vec<Schedule>, Error> {
    let own = group_by_subject(rows_of(tx, OF_THESE, params![company], employees, read_schedule_span)?);
    let follows = |employee: &Uuid| {
        let held = effective_spans(base, own.get(employee).map_or(&[], Vec::as_slice));
        held.get(place_on(&held, day).unwrap_or(0)).map(|one| one.schedule)
    };
    let followed: BTreeSet<Uuid> = employees.iter().filter_map(follows).collect();
    let mut found = of_company(tx, company)?;
    found.retain(|schedule| followed.contains(&schedule.id));
    Ok(found)
}

/// The schedules that somebody follows on a day, or will follow, oldest first.
pub fn in_use(tx: &mut Tx<'_>, company: Uuid, day: Date) -> Result<Vec<Schedule>, Error> {
    if company_wide_spans(tx, company)?.is_empty() {
        return Ok(default_of(tx, company)?.into_iter().collect());
    }
    let mut found = Vec::new();
    for schedule in of_company(tx, company)? {
        if is_followed_from(tx, company, schedule.id, day)? {
            found.push(schedule);
        }
    }
    Ok(found)
}

/// Whether somebody follows a schedule throughout a pay period.
pub fn is_followed_in(
    tx: &mut Tx<'_>,
    company: Uuid,
    schedule: Uuid,
    Days { first: start, last: end }: Days,
) -> Result<bool, Error> {
    Ok(tx.find_row(FOLLOWED_IN, params![company, schedule, start, end, end], |_| ())?.is_some())
}

/// Whether somebody follows a schedule on a day, or will later.
pub fn is_followed_from(tx: &mut Tx<'_>, company: Uuid, schedule: Uuid, day: Date) -> Result<bool, Error> {
    Ok(tx.find_row(FOLLOWED_FROM, params![company, schedule, day, day, Date::MAX], |_| ())?.is_some())
}

/// The first day on which anybody ever followed a schedule.
pub fn first_day(tx: &mut Tx<'_>, company: Uuid, schedule: Uuid) -> Result<Option<Date>, Error> {
    Ok(tx.find_row(FIRST_OF_SCHEDULE, params![company, schedule], |row| row.get::<Date>(0))?)
}

/// The last day after a given one on which somebody joins a schedule, or has left it.
pub fn last_move(tx: &mut Tx<'_>, company: Uuid, schedule: Uuid, after: Date) -> Result<Option<Date>, Error> {
    Ok(tx.find_row(MOVES_SINCE, params![company, schedule, after], |row| row.get::<Date>(0))?)
}

/// The days that employees who leave a schedule have left in it, for moves after a day and until another.
pub fn gaps_between_schedules(
    tx: &mut Tx<'_>,
    company: Uuid,
    after: Date,
    until: Date,
) -> Result<Vec<Gap>, Error> {
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, TABLE, 0);
        let first_day: Date = next.read_plain("first_day")?;
        let schedule = next.read_plain("before_id")?;
        let start = next.read_plain("unpaid_from")?;
        let next = next.read_plain("pay_schedule_id")?;
        Ok::<_, store::Error>(Gap { schedule, next, start, end: first_day.saturating_sub(1.day()) })
    };
    Ok(tx.try_query(GAPS, params![company, after, until], read)?)
}
