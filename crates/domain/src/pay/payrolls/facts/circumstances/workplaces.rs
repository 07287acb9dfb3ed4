//! Where an employee worked in a pay period, and where they lived at the time. Work is at the locations of the work addresses, by days
//! or, if lines of hours name a location, by hours. Days without employment are not days of work.

use rules::Amount;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::ToSpan;
use jiff::civil::Date;
use rules::days::Days;
use rules::effective;
use rules::places::{AddressPlace, Certificate, Found, NO_DISTRICT, Side, is_within_state_tax, psd_of};
use rules::taxes::{LivedIn, WorkedAt};
use uuid::Uuid;

use crate::pay::minimum_wages::Place;
use crate::pay::payrolls::record::hours::Hours;
use crate::people::addresses::jurisdictions::{self, About, ByHand, Postal};
use crate::people::addresses::rows::{HomeAddress, WorkAddress};

/// Maximum total of a period's hours, in thousandths, that is recorded exactly; more are recorded with less precision.
const MOST: i64 = 9_000_000;

/// Where an employee lives and works, and the hours that were entered.
pub struct Whereabouts<'a> {
    /// the company's locations
    pub locations: &'a HashMap<Uuid, Place>,
    /// the employee's work addresses
    pub works: &'a [WorkAddress],
    /// the employee's homes
    pub homes: &'a [HomeAddress],
    /// the pay period
    pub period: Days,
    /// the days of the pay period on which the employee was employed, in order
    pub employed: &'a [Days],
    /// lines of hours of all jobs
    pub hours: &'a [Hours],
}

/// The localities of an address, sorted by how they apply.
pub struct Sorted {
    /// keys of the localities that the address is in
    pub places: Vec<String>,
    /// PSD code, in Pennsylvania
    pub psd: Option<String>,
    /// keys of the localities that the address may be in
    pub open: Vec<String>,
    /// key of the county whose tax is part of the state's income tax; `None` if there is none, or the address does not tell which
    pub county_within_state_tax: Option<String>,
}

impl Sorted {
    /// Sorts localities by how they apply.
    pub fn sort_localities(found: Vec<AddressPlace>) -> Self {
        let mut sorted =
            Self { places: Vec::new(), psd: None, open: Vec::new(), county_within_state_tax: None };
        for at in found {
            match psd_of(&at.place) {
                Some(psd) if at.taxed => sorted.psd = Some(psd.to_owned()),
                // The county tax is part of the state income tax.
                None if is_within_state_tax(&at.place) => {
                    if at.taxed {
                        sorted.county_within_state_tax = Some(at.place);
                    }
                }
                // A district that takes no tax.
                None if at.place == NO_DISTRICT => {}
                None if at.taxed => sorted.places.push(at.place),
                _ => sorted.open.push(at.place),
            }
        }
        sorted
    }
}

/// A location where work is done.
#[derive(Clone)]
pub struct Worked<'a> {
    /// the location
    pub place: Place,
    /// state of the office, for work done at home for the employee's own convenience
    pub office: Option<String>,
    by_hand: Option<&'a ByHand>,
}

impl<'a> Worked<'a> {
    /// Returns the location of work for a work address, by an employee with this home.
    pub fn at_work_address(work: &'a WorkAddress, place: &Place, home: Option<&'a HomeAddress>) -> Self {
        match home.filter(|_| work.remote_for_own_convenience) {
            Some(home) => Self {
                place: Place::of_home(home),
                office: Some(place.state.clone()),
                by_hand: home.jurisdiction_codes.as_ref(),
            },
            None => Self::at_location(place, work.jurisdiction_codes.as_ref()),
        }
    }

    /// Returns the location of work for a company location.
    pub fn at_location(place: &Place, by_hand: Option<&'a ByHand>) -> Self {
        Self { place: place.clone(), office: None, by_hand }
    }

    /// Returns the localities of the address.
    pub fn address_localities(&self, certificate: &Certificate) -> Vec<AddressPlace> {
        self.find_localities(certificate).places
    }

    /// Returns the localities of the address, and the questions about it.
    pub fn find_localities(&self, certificate: &Certificate) -> Found {
        let Place { state, city, zip, answers, .. } = &self.place;
        let about = About { by_hand: self.by_hand, answers: answers.as_ref(), ..About::default() };
        jurisdictions::find_localities(Side::Work, Postal { state, city, zip }, about, certificate)
    }
}

/// Returns the localities of a home.
pub fn home_places(home: &HomeAddress, certificate: &Certificate) -> Vec<AddressPlace> {
    home.home_localities(certificate).places
}

/// Days with one work address and one home.
#[derive(Clone, Copy)]
pub struct WorkSpan<'a> {
    /// the work address
    pub work: &'a WorkAddress,
    /// the home, if there is any
    pub home: Option<&'a HomeAddress>,
    /// the days
    pub days: Days,
}

/// Divides a range of days where the work address or the home changes. Empty without a work address.
pub fn address_spans<'a>(
    (works, homes): (&'a [WorkAddress], &'a [HomeAddress]),
    range: Days,
) -> Vec<WorkSpan<'a>> {
    let mut found = Vec::new();
    for (work, within) in spans_in_force(works, range, |work| work.effective_date) {
        if homes.is_empty() {
            found.push(WorkSpan { work, home: None, days: within });
        }
        let lived = spans_in_force(homes, within, |home| home.effective_date).into_iter();
        found.extend(lived.map(|(home, days)| WorkSpan { work, home: Some(home), days }));
    }
    found
}

/// A work location in a period, from one home.
struct Part<'a> {
    location: Uuid,
    /// whether the work is done at home
    remote: bool,
    home: Option<&'a HomeAddress>,
    worked: Worked<'a>,
    days: u32,
    /// millionths
    hours: i64,
}

impl Part<'_> {
    fn lived_since(&self) -> Option<Date> {
        self.home.map(|home| home.effective_date)
    }
}

/// Returns the work locations of a period for taxes. The last one is that of the last day; locations named only by lines of hours
/// come first. Empty without a work address.
pub fn of_period(of: &Whereabouts<'_>, certificate: &Certificate) -> Vec<(WorkedAt, Sorted)> {
    let mut parts = by_address(of);
    if !parts.is_empty() && of.hours.iter().any(|line| line.location.is_some()) {
        add_hours(of, &mut parts);
    }
    let all: i64 = parts.iter().map(|part| part.hours / 1_000).sum();
    let coarse = all / MOST + 1;
    let lived = lived_in(&parts, certificate);
    let mut made: Vec<(WorkedAt, Sorted)> = Vec::with_capacity(parts.len());
    for (part, lived) in parts.into_iter().zip(lived) {
        let mut sorted = Sorted::sort_localities(part.worked.address_localities(certificate));
        let at = WorkedAt {
            state: part.worked.place.state,
            places: std::mem::take(&mut sorted.places),
            days: part.days,
            hours: u32::try_from(part.hours / 1_000 / coarse).unwrap_or(u32::MAX),
            psd: sorted.psd.clone(),
            office: part.worked.office,
            lived,
        };
        match made.last_mut() {
            // The move is irrelevant to taxes.
            Some((last, _)) if *last == (WorkedAt { days: last.days, hours: last.hours, ..at.clone() }) => {
                last.days += at.days;
                last.hours = last.hours.saturating_add(at.hours);
            }
            _ => made.push((at, sorted)),
        }
    }
    made
}

/// Returns the home from which each part is worked; `None` for all if there is one home, or no difference relevant to taxes.
fn lived_in(parts: &[Part<'_>], certificate: &Certificate) -> Vec<Option<LivedIn>> {
    let nothing = vec![None; parts.len()];
    if parts.windows(2).all(|pair| pair[0].lived_since() == pair[1].lived_since()) {
        return nothing;
    }
    let lived = |home: &HomeAddress| LivedIn {
        state: home.state.clone(),
        psd: Sorted::sort_localities(home_places(home, certificate)).psd,
    };
    let each: Vec<_> = parts.iter().map(|part| part.home.map(lived)).collect();
    if each.windows(2).all(|pair| pair[0] == pair[1]) { nothing } else { each }
}

/// Days of a period at a location that is not a work address of the employee.
#[derive(Default)]
pub struct Visit {
    /// days on which hours were worked there
    pub days: BTreeSet<Date>,
    /// whether hours were entered without their days
    pub undated: bool,
}

impl Visit {
    fn add_day(&mut self, day: Option<Date>) {
        match day {
            Some(day) => {
                self.days.insert(day);
            }
            None => self.undated = true,
        }
    }
}

/// Returns the visits of a period: by state, and by the key of an Ohio city, for which a dated line counts only if no other location
/// has more hours on that day (ORC 718.011(C)).
pub fn visits_of_period(of: &Whereabouts<'_>) -> BTreeMap<String, Visit> {
    let is_visited = |location: &Uuid| !of.works.iter().any(|work| work.location == *location);
    let mut found: BTreeMap<String, Visit> = BTreeMap::new();
    for line in of.hours.iter().filter(|line| line.hours > Amount::ZERO) {
        let Some(location) = line.location.filter(is_visited) else { continue };
        let Some(place) = of.locations.get(&location) else { continue };
        found.entry(place.state.clone()).or_default().add_day(line.date);
        if line.date.is_some_and(|day| !is_most_of_day(of.hours, location, day)) {
            continue;
        }
        let places = Worked::at_location(place, None).address_localities(&Certificate::default());
        for city in places.into_iter().filter(|at| at.place.starts_with("OH-")) {
            found.entry(city.place).or_default().add_day(line.date);
        }
    }
    found
}

/// Whether no other location has more hours on that day.
fn is_most_of_day(hours: &[Hours], location: Uuid, day: Date) -> bool {
    let mut by_place: BTreeMap<Option<Uuid>, Amount> = BTreeMap::new();
    for line in hours.iter().filter(|line| line.date == Some(day)) {
        *by_place.entry(line.location).or_default() += line.hours;
    }
    let there = by_place.get(&Some(location)).copied().unwrap_or_default();
    by_place.values().all(|other| *other <= there)
}

fn by_address<'a>(of: &Whereabouts<'a>) -> Vec<Part<'a>> {
    let mut parts = Vec::new();
    for WorkSpan { work, home, days: range } in
        of.employed.iter().flat_map(|range| address_spans((of.works, of.homes), *range))
    {
        let Some(place) = of.locations.get(&work.location) else { continue };
        let worked = Worked::at_work_address(work, place, home);
        let (location, remote) = (work.location, work.remote_for_own_convenience);
        parts.push(Part { location, remote, home, worked, days: count_days(range), hours: 0 });
    }
    parts
}

/// Adds hours that name a location at that location, and other hours at the work addresses of their days.
fn add_hours<'a>(of: &Whereabouts<'a>, parts: &mut Vec<Part<'a>>) {
    for line in of.hours {
        for (span, hours) in divide_hours(of, line) {
            let WorkSpan { work, home, .. } = span;
            // An employee who works at home for an office is at the office during hours that name it.
            let (location, remote) = match line.location {
                Some(location) => (location, false),
                None => (work.location, work.remote_for_own_convenience),
            };
            let lived_since = home.map(|home| home.effective_date);
            let is_there = |part: &&mut Part<'_>| {
                (part.location, part.remote, part.lived_since()) == (location, remote, lived_since)
            };
            if let Some(part) = parts.iter_mut().find(is_there) {
                part.hours += hours;
                continue;
            }
            let Some(place) = of.locations.get(&location) else { continue };
            let worked = if line.location.is_none() {
                Worked::at_work_address(work, place, home)
            } else {
                let address = of.works.iter().rev().find(|work| work.location == location);
                Worked::at_location(place, address.and_then(|work| work.jurisdiction_codes.as_ref()))
            };
            parts.insert(0, Part { location, remote, home, worked, days: 0, hours });
        }
    }
}

/// Divides a line among its days of employment, or among all its days if there was no employment on them. The last part gets the
/// remainder.
fn divide_hours<'a>(of: &Whereabouts<'a>, line: &Hours) -> Vec<(WorkSpan<'a>, i64)> {
    let Days { first, last } = line.days_worked(of.period);
    let employed =
        of.employed.iter().map(|days| Days { first: days.first.max(first), last: days.last.min(last) });
    let mut ranges: Vec<Days> = employed.filter(|days| days.first <= days.last).collect();
    if ranges.is_empty() {
        ranges.push(Days { first, last });
    }
    let found = ranges.into_iter().flat_map(|range| address_spans((of.works, of.homes), range));
    let found: Vec<WorkSpan<'a>> = found.collect();
    let all: i64 = found.iter().map(|span| i64::from(count_days(span.days))).sum();
    let (count, mut left) = (found.len(), line.hours.millionths());
    let part = |(place, span): (usize, WorkSpan<'a>)| {
        let own = line.hours.millionths() * i64::from(count_days(span.days)) / all.max(1);
        let part = if place + 1 == count { left } else { own };
        left -= part;
        (span, part)
    };
    found.into_iter().enumerate().map(part).collect()
}

/// Returns the records in force in a range of days, each with its first and last day. The first record also applies before its own
/// first day.
pub fn spans_in_force<T>(
    records: &[T],
    Days { first: start, last: end }: Days,
    effective_date: impl Fn(&T) -> Date,
) -> Vec<(&T, Days)> {
    let mut days: Vec<Date> = records.iter().map(&effective_date).collect();
    days.retain(|day| *day > start && *day <= end);
    days.push(start);
    days.sort_unstable();
    days.dedup();
    let mut found = Vec::with_capacity(days.len());
    for (place, from) in days.iter().enumerate() {
        let until = days.get(place + 1).map_or(end, |next| next.saturating_sub(1.day()));
        if let Some(record) = effective::active_record(records, *from, &effective_date) {
            found.push((record, Days { first: *from, last: until }));
        }
    }
    found
}

/// Counts calendar days, both ends included.
pub fn count_days(Days { first: from, last: until }: Days) -> u32 {
    u32::try_from((until - from).get_days() + 1).unwrap_or(0)
}
