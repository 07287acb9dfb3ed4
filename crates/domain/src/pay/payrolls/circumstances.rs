//! Where employees live and work and what is set, as the taxes of states and places see it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use jiff::ToSpan;
use jiff::civil::{Date, date};
use rules::Amount;
use rules::company::state as company;
use rules::effective;
use rules::payroll::holidays::is_weekend;
use rules::taxes::{
    Address, Circumstances, Filing, LivesAt, NonresidentTable, OHIO_DISTRICT, OnFirstOfJanuary, PlaceTable,
    PsdCodes, Setting, Tax, TaxTable, ToDate, WorkedAt,
};
use rules::withholding::federal::{FilingStatus, W4};
use rules::withholding::state::{Answer, NONRESIDENT_CERTIFICATE};
use store::{Tx, Unread};
use uuid::Uuid;

use super::rows::Payroll;
use super::sums::YearSums;
use crate::company::taxes::rows as company_taxes;
use crate::error::Error;
use crate::pay::minimum_wages::Place;
use crate::people::addresses::rows::{HomeAddress, WorkAddress};
use crate::people::employees;
use crate::platform::confirmations;

/// What of the company counts in each state on a pay date.
pub struct Employer {
    by_state: HashMap<String, InState>,
    /// number of employees
    employees: u32,
    /// keys of figures in doubt that the operator has confirmed
    confirmed: BTreeSet<String>,
}

/// What the company answered for a state.
#[derive(Default)]
struct InState {
    /// rate of unemployment insurance
    unemployment_percent: Option<Amount>,
    /// number of employees, as the state counts them
    employees: Option<u32>,
    /// payroll of a quarter in the districts that tax by it
    quarterly_payroll: Option<Amount>,
    /// by programme
    settings: BTreeMap<String, Setting>,
}

/// What of an employee decides.
pub struct Person<'a> {
    pub works: &'a [WorkAddress],
    pub homes: &'a [HomeAddress],
    /// answers to the questions of states' certificates, by state
    pub answers: &'a BTreeMap<String, BTreeMap<String, Answer>>,
    pub w4: &'a W4,
}

impl Employer {
    /// Reads it.
    ///
    /// # Errors
    /// A store error, also for an answer that cannot be read.
    pub fn read(tx: &mut Tx<'_>, company: Uuid, day: Date) -> Result<Self, Error> {
        let answers = company_taxes::answers(tx, company)?;
        let employees = u32::try_from(employees::rows::number(tx, company)?).unwrap_or(u32::MAX);
        let confirmed = confirmations::confirmed(tx)?;
        Ok(Self { confirmed, ..Self::of(&answers, employees, day)? })
    }

    /// The keys of figures in doubt that the operator has confirmed.
    pub fn confirmed(&self) -> &BTreeSet<String> {
        &self.confirmed
    }

    fn of(answers: &[company_taxes::Answer], employees: u32, day: Date) -> Result<Self, store::Error> {
        let states: BTreeSet<&str> = answers.iter().map(|answer| answer.state.as_str()).collect();
        let read = |state: &str| Ok((state.to_owned(), InState::of(&Answers { answers, state, day })?));
        let by_state = states.into_iter().map(read).collect::<Result<_, store::Error>>()?;
        Ok(Self { by_state, employees, confirmed: BTreeSet::new() })
    }
}

/// The answers for a state on a day.
struct Answers<'a> {
    answers: &'a [company_taxes::Answer],
    state: &'a str,
    day: Date,
}

impl Answers<'_> {
    fn text(&self, set: &str, key: &str) -> Option<&str> {
        let found = company_taxes::current(self.answers, (self.state, set, key), self.day);
        found.map(|answer| answer.value.as_str())
    }

    fn read<T, E>(
        &self,
        (set, key): (&str, &str),
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<Option<T>, store::Error> {
        let unread = |_| {
            let why = format!("holds an answer to {key} of {set} of {} that is no number", self.state);
            Unread::new(why).of("company_tax_answers", "value")
        };
        self.text(set, key).map(|text| read(text).map_err(unread)).transpose()
    }

    fn figure(&self, set: &str, key: &str) -> Result<Option<Amount>, store::Error> {
        self.read((set, key), Amount::parse)
    }
}

impl InState {
    fn of(answers: &Answers<'_>) -> Result<Self, store::Error> {
        let mut rate = answers.figure("taxrates", "unemployment_rate")?;
        for key in company::rates_beside(answers.state) {
            let beside = answers.figure("taxrates", key)?.unwrap_or(Amount::ZERO);
            // Each is at most a fifth.
            rate = rate.and_then(|rate| rate.checked_add(beside));
        }
        let mut found = Self {
            // The answer is a fraction.
            unemployment_percent: rate.and_then(|rate| rate.mul_ratio(100, 1, rules::Rounding::HalfUp)),
            employees: answers.read((company::EMPLOYER, company::EMPLOYER_SIZE), str::parse::<u32>)?,
            quarterly_payroll: answers.figure(company::EMPLOYER, company::QUARTERLY_PAYROLL)?,
            settings: BTreeMap::new(),
        };
        let of_state = answers.answers.iter().filter(|answer| answer.state == answers.state);
        for program in of_state.map(|answer| answer.set.as_str()).collect::<BTreeSet<_>>() {
            let setting = Setting {
                borne: answers.figure(program, company::BORNE)?,
                own_rate: answers.figure(program, company::OWN_RATE)?,
                private_plan: answers.text(program, company::PRIVATE_PLAN) == Some("Yes"),
                ..Setting::default()
            };
            if setting != Setting::default() {
                found.settings.insert(program.to_owned(), setting);
            }
        }
        Ok(found)
    }

    /// The payroll of a quarter by the places of work whose tax depends on it.
    fn payrolls(&self, at: &WorkedAt) -> impl Iterator<Item = (String, Amount)> {
        let by_payroll =
            |place: &&String| TaxTable::local().of_place(place).iter().any(|tax| tax.payroll != (None, None));
        let places = at.places.iter().filter(by_payroll);
        self.quarterly_payroll
            .into_iter()
            .flat_map(move |payroll| places.clone().map(move |place| (place.clone(), payroll)))
    }
}

/// Finds the circumstances of an employee in a payroll.
pub fn find(
    employer: &Employer,
    places: &HashMap<Uuid, Place>,
    payroll: &Payroll,
    person: &Person<'_>,
) -> Circumstances {
    let table = PlaceTable::built_in();
    let mut found = Circumstances::default();
    let mut open = Vec::new();
    for (work, range) in spans(person.works, (payroll.start, payroll.end), |work| work.effective_date) {
        let Some(place) = places.get(&work.location) else { continue };
        let (worked, office) = worked_at(work, place, person.homes, range.1);
        let at = table.of(address_of(&worked));
        open.extend(at.possible);
        found.work.push(WorkedAt { state: worked.state, places: at.certain, days: days(range), office });
    }
    let Some(state) = found.covering_state().map(str::to_owned) else { return Circumstances::default() };
    if let Some(home) = effective::active(person.homes, payroll.end, |home| home.effective_date) {
        let at = table.of(address_of(&place_of(home)));
        open.extend(at.possible);
        found.home = LivesAt {
            state: home.state.clone(),
            places: at.certain,
            courtesy_withholding: home.courtesy_withholding,
        };
    }
    open.sort();
    open.dedup();
    found.open = open;
    found.employees = employer.employees;
    if let Some(of_state) = employer.by_state.get(&state) {
        found.unemployment_percent = of_state.unemployment_percent;
        found.employees = of_state.employees.unwrap_or(employer.employees);
        found.settings = of_state.settings.clone();
    }
    for at in &found.work {
        let of_state = employer.by_state.get(&at.state);
        found.payrolls.extend(of_state.into_iter().flat_map(|of_state| of_state.payrolls(at)));
    }
    found.filing = filing(person.w4);
    add_answers(&mut found, person);
    add_residence(&mut found, places, payroll, person);
    add_january(&mut found, places, payroll.check_date, person);
    let states = found.states();
    let concerns = |key: &&String| states.iter().any(|state| key.starts_with(*state));
    found.confirmed = employer.confirmed.iter().filter(concerns).cloned().collect();
    found
}

fn address_of(place: &Place) -> Address<'_> {
    Address { state: &place.state, city: &place.city, county: place.county }
}

fn place_of(home: &HomeAddress) -> Place {
    Place::of(&home.state, &home.city, &home.zip)
}

/// Where work is done, and the state of the office where it is done at home for the employee's own convenience.
fn worked_at(work: &WorkAddress, place: &Place, homes: &[HomeAddress], day: Date) -> (Place, Option<String>) {
    let home = effective::active(homes, day, |home| home.effective_date);
    match home.filter(|_| work.remote_for_own_convenience) {
        Some(home) => (place_of(home), Some(place.state.clone())),
        None => (place.clone(), None),
    }
}

/// The records in force in a range of days, each with its first and last day. The first one counts before its own first
/// day, too.
fn spans<T>(
    records: &[T],
    (start, end): (Date, Date),
    effective_date: impl Fn(&T) -> Date,
) -> Vec<(&T, (Date, Date))> {
    let mut days: Vec<Date> = records.iter().map(&effective_date).collect();
    days.retain(|day| *day > start && *day <= end);
    days.push(start);
    days.sort_unstable();
    days.dedup();
    let mut found = Vec::with_capacity(days.len());
    for (place, from) in days.iter().enumerate() {
        let until = days.get(place + 1).map_or(end, |next| next.saturating_sub(1.day()));
        if let Some(record) = effective::active(records, *from, &effective_date) {
            found.push((record, (*from, until)));
        }
    }
    found
}

fn days((from, until): (Date, Date)) -> u32 {
    u32::try_from((until - from).get_days() + 1).unwrap_or(0)
}

/// Mondays to Fridays, both ends included.
fn working_days((from, until): (Date, Date)) -> u32 {
    let days = from.series(1.day()).take_while(|day| *day <= until);
    let working = days.filter(|day| !is_weekend(*day)).count();
    u32::try_from(working).unwrap_or(u32::MAX)
}

/// What decides which states' income tax is borne, where somebody lives or works in several.
fn add_residence(
    found: &mut Circumstances,
    places: &HashMap<Uuid, Place>,
    payroll: &Payroll,
    person: &Person<'_>,
) {
    let mut lived: BTreeMap<String, u32> = BTreeMap::new();
    for (home, range) in spans(person.homes, (payroll.start, payroll.end), |home| home.effective_date) {
        *lived.entry(home.state.clone()).or_default() += days(range);
    }
    if lived.len() > 1 {
        found.lived = lived;
    }
    if found.states().len() < 2 {
        return;
    }
    let given = |state: &str| {
        person.answers.get(state).and_then(|answers| answers.get(NONRESIDENT_CERTIFICATE))
            == Some(&Answer::Bool(true))
    };
    let work: BTreeSet<&str> = found.work.iter().map(|at| at.state.as_str()).collect();
    found.nonresident_certificates =
        work.iter().filter(|state| given(state)).map(|state| (*state).to_owned()).collect();
    // Thresholds are held against what is to be expected of the year: the addresses on file until its end.
    let year = payroll.end.year();
    let first = person.works.iter().map(|work| work.effective_date).min();
    let first = first.map_or(payroll.start, |first| first.max(date(year, 1, 1)).min(payroll.end));
    let counts =
        |state: &str| NonresidentTable::built_in().get(state).is_some_and(|rule| rule.days.is_some());
    let mut worked_days: BTreeMap<String, u32> = BTreeMap::new();
    for (work, range) in spans(person.works, (first, date(year, 12, 31)), |work| work.effective_date) {
        let Some(place) = places.get(&work.location) else { continue };
        let (worked, _) = worked_at(work, place, person.homes, range.1);
        if counts(&worked.state) && worked.state != found.home.state {
            *worked_days.entry(worked.state).or_default() += working_days(range);
        }
    }
    found.worked_days = worked_days;
}

/// The code of Pennsylvania's register for a home or a place of work outside the state.
const OUTSIDE_PENNSYLVANIA: &str = "880000";

/// What only people know: answers to the questions of states' certificates.
fn add_answers(found: &mut Circumstances, person: &Person<'_>) {
    let answer = |state: &str, key: &str| person.answers.get(state)?.get(key);
    let text = |state: &str, key: &str| match answer(state, key) {
        Some(Answer::Text(text)) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        _ => None,
    };
    let flag = |state: &str, key: &str| match answer(state, key) {
        Some(Answer::Bool(yes)) => Some(*yes),
        _ => None,
    };
    match found.home.state.as_str() {
        "NY" => {
            for (key, place) in [("nyc_resident", "NY-NEW_YORK_CITY"), ("yonkers_resident", "NY-YONKERS")] {
                let Some(lives_there) = flag("NY", key) else { continue };
                found.home.places.retain(|held| held != place);
                if lives_there {
                    found.home.places.push(place.to_owned());
                }
            }
        }
        "OH" => match text("OH", "school_district").map(|answer| school_district(&answer)) {
            Some(Some(district)) => found.home.places.push(district),
            Some(None) => found.open.push(OHIO_DISTRICT.to_owned()),
            None => {}
        },
        _ => {}
    }
    let states = found.states();
    let (pennsylvania, oregon) = (states.contains("PA"), states.contains("OR"));
    if pennsylvania {
        let code = |key: &str| text("PA", key).filter(|code| code != OUTSIDE_PENNSYLVANIA);
        found.psd = PsdCodes {
            home: code("psd_code"),
            work: code("work_psd_code"),
            exempt_from_services: flag("PA", "lst_exempt") == Some(true),
        };
    }
    if oregon {
        for (key, code) in [("metro_shs", "OR_METRO"), ("multnomah_pfa", "OR_MULTNOMAH")] {
            let Some(choice) = text("OR", key) else { continue };
            let setting = found.settings.entry(code.to_owned()).or_default();
            setting.exempt = choice == "opt_out";
            setting.election = (choice == "opt_in").then_some(choice);
        }
    }
}

/// The place of an Ohio school district by what people answer: its number, its name, or none. `None` if no district with a
/// tax has the name, or several do.
fn school_district(answer: &str) -> Option<String> {
    if answer.len() == 4 && answer.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(format!("OH-SD-{answer}"));
    }
    if answer.eq_ignore_ascii_case("none") {
        return Some("OH-SD-NONE".to_owned());
    }
    let wanted = answer.to_ascii_lowercase();
    let is_meant = |tax: &&Arc<Tax>| {
        let of_district = tax.jurisdiction.place.starts_with("OH-SD-");
        of_district && tax.name.to_ascii_lowercase().starts_with(&wanted)
    };
    let meant: BTreeSet<&str> =
        TaxTable::local().iter().filter(is_meant).map(|tax| tax.jurisdiction.place.as_str()).collect();
    match (meant.first(), meant.len()) {
        (Some(place), 1) => Some((*place).to_owned()),
        _ => None,
    }
}

/// Indiana's counties on 1 January, for whoever lives or works there. The certificate's county counts before the address.
fn add_january(
    found: &mut Circumstances,
    places: &HashMap<Uuid, Place>,
    check_date: Date,
    person: &Person<'_>,
) {
    let indiana = |places: &[String]| places.iter().find(|place| place.starts_with("IN-")).cloned();
    let concerned = found.home.state == "IN" || found.work.iter().any(|at| at.state == "IN");
    if !concerned {
        return;
    }
    let (table, first) = (PlaceTable::built_in(), date(check_date.year(), 1, 1));
    let home = effective::active(person.homes, first, |home| home.effective_date);
    let work = effective::active(person.works, first, |work| work.effective_date);
    let work = work.and_then(|work| places.get(&work.location));
    let of_certificate = match person.answers.get("IN").and_then(|answers| answers.get("county")) {
        Some(Answer::Text(word)) => table.of_answer("IN", word).map(str::to_owned),
        _ => None,
    };
    found.january = Some(OnFirstOfJanuary {
        home: of_certificate.or_else(|| indiana(&table.of(address_of(&place_of(home?))).certain)),
        work: work.and_then(|place| indiana(&table.of(address_of(place)).certain)),
    });
}

/// The status by which schedules of places go: that of Form W-4.
fn filing(w4: &W4) -> Option<Filing> {
    let (W4::Rev2020 { filing_status, .. } | W4::Pre2020 { filing_status, .. }) = w4;
    Some(match filing_status {
        FilingStatus::Married => Filing::Joint,
        _ => Filing::Single,
    })
}

/// What was counted before for each tax, by its code, as it counts in this payroll: wages that another state's unemployment
/// insurance counted this year count against the wage base, too.
pub fn before(of_year: &YearSums, covering: Option<&str>) -> BTreeMap<String, ToDate> {
    let is_unemployment = |code: &str| code.ends_with("_SUI");
    let mut before = of_year.other_taxes.clone();
    let of_all = before.iter().filter(|(code, _)| is_unemployment(code));
    let all: i64 = of_all.map(|(_, held)| held.year.taxable.millionths()).sum();
    if let Some(state) = covering.filter(|_| all > 0) {
        // A state in which nothing was paid yet counts what others counted as well.
        before.entry(format!("{state}_SUI")).or_default();
    }
    for (_, held) in before.iter_mut().filter(|(code, _)| is_unemployment(code)) {
        held.elsewhere = Amount::from_millionths(all - held.year.taxable.millionths());
    }
    before
}

#[cfg(test)]
#[path = "circumstances_tests.rs"]
mod tests;
