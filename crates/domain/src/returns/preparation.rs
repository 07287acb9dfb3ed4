//! From November on a company is notified of what is missing for the close of the year, until nothing is. It is looked at again after each
//! payroll, after changes of employees, and every day, because tables and answers change, too.

use std::collections::BTreeSet;

use jiff::civil::{Date, date};
use jiff::{Timestamp, ToSpan};
use returns::Quarter;
use returns::deadlines::{Deadlines, Return};
use rules::Named as _;
use rules::dated::Dated;
use sha2::{Digest as _, Sha256};
use store::{Store, Tx};
use uuid::Uuid;

use super::figures;
use super::forms::preparations::{self, YearPreparation};
use super::forms::rows as forms;
use super::readiness::{self, Missing, season_start};
use crate::access::tokens::Caller;
use crate::company::companies;
use crate::error::Error;
use crate::events::{self, EventType};
use crate::platform::hooks::{EmployeeAspect, PayChange};
use crate::platform::{jobs, law};

/// Month of the new year until whose end the old one is prepared: its last return is due before.
const LAST_MONTH: i8 = 3;
/// Hours until a year is looked at again, as long as something is missing.
const LOOKED_AT_EVERY_HOURS: i64 = 24;

/// Whether the close of a year is prepared on a day.
fn is_season(year: i16, today: Date) -> bool {
    season_start(year) <= today && today <= last_day(year)
}

fn last_day(year: i16) -> Date {
    date(year.saturating_add(1), LAST_MONTH, 31)
}

/// What the job of a year is about.
fn entity_of(year: i64) -> Uuid {
    Uuid::from_u128(u128::from(year.unsigned_abs()))
}

fn year_of(entity: Uuid) -> Option<i16> {
    i16::try_from(entity.as_u128()).ok()
}

/// Follows a change of what was paid on a day: the year is looked at, in November at the earliest.
pub fn pay_changed(tx: &mut Tx<'_>, company: Uuid, change: PayChange) -> Result<(), Error> {
    let (zone, year) = (companies::time_zone(tx, company)?, change.day.year());
    let (today, begins) = (Caller::for_service(company, zone.clone()).today(tx), season_start(year));
    if today > last_day(year) {
        return Ok(());
    }
    let now = tx.now();
    let due = if today < begins { begins.to_zoned(zone).map_or(now, |start| start.timestamp()) } else { now };
    jobs::schedule_job(tx, company, jobs::JobKind::YearPreparation, entity_of(year.into()), due)
}

/// Follows changes of employees that may complete what is missing.
pub fn employee_changed(
    tx: &mut Tx<'_>,
    caller: &Caller,
    _employee: Uuid,
    aspect: EmployeeAspect,
) -> Result<(), Error> {
    let matters =
        matches!(aspect, EmployeeAspect::Person | EmployeeAspect::HomeAddress | EmployeeAspect::Compensation);
    let today = caller.today(tx);
    // In the other months nothing is open.
    if !matters || (today.month() > LAST_MONTH && today < season_start(today.year())) {
        return Ok(());
    }
    let now = tx.now();
    for one in preparations::open_preparations(tx, caller.company)? {
        jobs::schedule_job(tx, caller.company, jobs::JobKind::YearPreparation, entity_of(one.year), now)?;
    }
    Ok(())
}

/// Looks at what is missing for the close of a year, and notifies the company. Figures are read first, so that a long read holds up no writer.
pub async fn review_year(store: &Store, company: Uuid, entity: Uuid) -> Result<(), Error> {
    let Some(year) = year_of(entity) else { return Ok(()) };
    let missing = store.read(move |tx| find_missing(tx, company, year)).await?;
    store.write(move |tx| store_missing(tx, company, (year, &missing))).await
}

/// What is missing; nothing outside the season.
fn find_missing(tx: &mut Tx<'_>, company: Uuid, year: i16) -> Result<Vec<Missing>, Error> {
    let caller = Caller::for_service(company, companies::time_zone(tx, company)?);
    if !is_season(year, caller.today(tx)) {
        return Ok(Vec::new());
    }
    match figures::of_year(tx, company, year) {
        Ok(figures) => readiness::of_year(tx, &caller, &figures),
        // Rates of the year are not known: nobody was paid in it.
        Err(Error::Violations(_)) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Keeps what was found, and has the year looked at again on the next day as long as something is missing.
fn store_missing(tx: &mut Tx<'_>, company: Uuid, (year, missing): (i16, &[Missing])) -> Result<(), Error> {
    forms::lock_company_forms(tx, company)?;
    let now = tx.now();
    let held = preparations::of_year(tx, company, i64::from(year))?;
    let was_open = held.as_ref().is_some_and(|one| one.resolved_at.is_none());
    if missing.is_empty() {
        let Some(held) = held.filter(|_| was_open) else { return Ok(()) };
        let id = held.id;
        let after = YearPreparation { resolved_at: Some(now), ..held };
        assert!(after.update(tx, company)?, "the row was read under its guard");
        return emit_year_event(tx, company, (events::NOTIFICATION_YEAR_END_RESOLVED, year), id);
    }
    let subjects: BTreeSet<&str> = missing.iter().map(|one| one.subject.as_str()).collect();
    let subjects = subjects.into_iter().map(str::to_owned).collect();
    let missing = i64::try_from(missing.len()).unwrap_or(i64::MAX);
    let id = match held {
        Some(held) => {
            let after = YearPreparation { missing, subjects, resolved_at: None, ..held.clone() };
            if after != held {
                assert!(after.update(tx, company)?, "the row was read under its guard");
            }
            held.id
        }
        None => {
            let (id, due) = (derived_id(now, company, ("year_preparation", year)), furnished_by(tx, year)?);
            let (year, resolved_at) = (i64::from(year), None);
            let new = YearPreparation {
                id,
                year,
                missing,
                subjects,
                due,
                resolved_at,
                created_at: now,
                version: 1,
            };
            new.insert(tx, company)?;
            id
        }
    };
    if !was_open {
        emit_year_event(tx, company, (events::NOTIFICATION_YEAR_END_CREATED, year), id)?;
    }
    jobs::schedule_job(
        tx,
        company,
        jobs::JobKind::YearPreparation,
        entity_of(year.into()),
        now + LOOKED_AT_EVERY_HOURS.hours(),
    )
}

fn emit_year_event(
    tx: &mut Tx<'_>,
    company: Uuid,
    (event, year): (EventType, i16),
    entity: Uuid,
) -> Result<(), Error> {
    let id = derived_id(tx.now(), company, (event.name, year));
    events::emit_derived(tx, company, (event, id), entity)
}

/// Returns the id of what is noticed of a year at a moment. It draws no randomness, so that a seeded world is the same whatever is looked at in
/// the background; ids sort by their moments, as all do.
fn derived_id(at: Timestamp, company: Uuid, (name, year): (&str, i16)) -> Uuid {
    let mut hash = Sha256::new();
    hash.update(name);
    hash.update(company.as_bytes());
    hash.update(year.to_be_bytes());
    hash.update(at.as_microsecond().to_be_bytes());
    let mut rest = [0; 10];
    rest.copy_from_slice(&hash.finalize()[..10]);
    let millis = u64::try_from(at.as_millisecond()).unwrap_or_default();
    uuid::Builder::from_unix_timestamp_millis(millis, &rest).into_uuid()
}

/// The last day of furnishing Forms W-2 of a year.
fn furnished_by(tx: &mut Tx<'_>, year: i16) -> Result<Date, Error> {
    let fourth = Quarter::of_year(year)[3];
    let table = law::in_force::<Dated<Deadlines>>(tx)?;
    let due = table.edition_on(fourth.last_day()).return_deadline(Return::W2ToEmployee, fourth, false);
    due.map(|due| due.due).map_err(|why| Error::internal(why.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_year_is_prepared_from_november_to_the_end_of_march() {
        let days = [date(2026, 10, 31), date(2026, 11, 1), date(2027, 3, 31), date(2027, 4, 1)];
        assert_eq!(days.map(|day| is_season(2026, day)), [false, true, true, false]);
    }

    #[test]
    fn ids_of_what_is_noticed_sort_by_their_moments_and_are_those_of_one_company_year_and_kind() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let (first, later) = (at("2026-11-01T05:00:00Z"), at("2026-11-02T05:00:00Z"));
        let of = |at, company: u128, name, year| derived_id(at, Uuid::from_u128(company), (name, year));
        assert_eq!(of(first, 1, "created", 2026), of(first, 1, "created", 2026));
        assert!(of(first, 1, "created", 2026) < of(later, 1, "created", 2026));
        let others =
            [of(first, 2, "created", 2026), of(first, 1, "resolved", 2026), of(first, 1, "created", 2027)];
        assert!(others.iter().all(|other| *other != of(first, 1, "created", 2026)));
    }

    #[test]
    fn the_job_of_a_year_is_of_that_year() {
        assert_eq!([2026, 2027].map(|year| year_of(entity_of(year))), [Some(2026), Some(2027)]);
        assert_eq!(year_of(Uuid::max()), None);
    }
}
