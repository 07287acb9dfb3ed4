//! Where employees live and work and what is set, as the taxes of states and places see it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::ToSpan;
use jiff::civil::{Date, date};
use rules::Amount;
use rules::company::state as company;
use rules::effective;
use rules::taxes::{
    Address, Circumstances, Filing, LivesAt, OnFirstOfJanuary, PlaceTable, Setting, TaxTable, ToDate,
    WorkedAt,
};
use rules::withholding::federal::{FilingStatus, W4};
use rules::withholding::state::Answer;
use store::Tx;
use uuid::Uuid;

use super::rows::Payroll;
use super::sums::YearSums;
use crate::company::taxes::rows as company_taxes;
use crate::error::Error;
use crate::pay::minimum_wages::Place;
use crate::people::addresses::rows::{HomeAddress, WorkAddress};
use crate::people::employees;

/// What of the company counts in each state.
pub struct Employer {
    answers: Vec<company_taxes::Answer>,
    /// number of employees
    employees: u32,
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
    /// A store error.
    pub fn read(tx: &mut Tx<'_>, company: Uuid) -> Result<Self, Error> {
        let answers = company_taxes::answers(tx, company)?;
        let employees = u32::try_from(employees::rows::number(tx, company)?).unwrap_or(u32::MAX);
        Ok(Self { answers, employees })
    }

    /// The answer to a requirement of a state on a day.
    fn answer(&self, state: &str, set: &str, key: &str, day: Date) -> Option<&str> {
        let fits = |answer: &&company_taxes::Answer| {
            answer.state == state && answer.set == set && answer.key == key && answer.effective_from <= day
        };
        let latest = self.answers.iter().filter(fits).max_by_key(|answer| answer.effective_from);
        latest.map(|answer| answer.value.as_str())
    }

    /// Number of employees, as the state counts them.
    fn size(&self, state: &str, day: Date) -> u32 {
        let given = self.answer(state, company::EMPLOYER, company::EMPLOYER_SIZE, day);
        given.and_then(|size| size.parse().ok()).unwrap_or(self.employees)
    }

    /// What the employer decided of the programmes of a state.
    fn settings(&self, state: &str, day: Date) -> BTreeMap<String, Setting> {
        let of_state = self.answers.iter().filter(|answer| answer.state == state);
        let programs: BTreeSet<&str> = of_state.map(|answer| answer.set.as_str()).collect();
        let setting = |program: &str| {
            let figure = |key| Amount::parse(self.answer(state, program, key, day)?).ok();
            Setting {
                borne: figure(company::BORNE),
                own_rate: figure(company::OWN_RATE),
                private_plan: self.answer(state, program, company::PRIVATE_PLAN, day) == Some("Yes"),
                ..Setting::default()
            }
        };
        let settings = programs.into_iter().map(|program| (program.to_owned(), setting(program)));
        settings.filter(|(_, setting)| *setting != Setting::default()).collect()
    }

    /// The payroll of a quarter by the places of work whose tax depends on it.
    fn payrolls(&self, at: &WorkedAt, day: Date) -> BTreeMap<String, Amount> {
        let given = self.answer(&at.state, company::EMPLOYER, company::QUARTERLY_PAYROLL, day);
        let Some(payroll) = given.and_then(|payroll| Amount::parse(payroll).ok()) else {
            return BTreeMap::new();
        };
        let by_payroll =
            |place: &&String| TaxTable::local().of_place(place).iter().any(|tax| tax.payroll != (None, None));
        at.places.iter().filter(by_payroll).map(|place| (place.clone(), payroll)).collect()
    }

    /// The rate of unemployment insurance in percent: the answer is a fraction.
    fn unemployment_percent(&self, state: &str, day: Date) -> Option<Amount> {
        let rate = Amount::parse(self.answer(state, "taxrates", "unemployment_rate", day)?).ok()?;
        rate.mul_ratio(100, 1, rules::Rounding::HalfUp)
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
    for (address, days) in work_of_period(person.works, (payroll.start, payroll.end)) {
        let Some(place) = places.get(&address.location) else { continue };
        let at = table.of(address_of(place));
        open.extend(at.possible);
        found.work.push(WorkedAt { state: place.state.clone(), places: at.certain, days });
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
    found.unemployment_percent = employer.unemployment_percent(&state, payroll.check_date);
    found.employees = employer.size(&state, payroll.check_date);
    found.settings = employer.settings(&state, payroll.check_date);
    let payrolls = found.work.iter().flat_map(|at| employer.payrolls(at, payroll.check_date));
    found.payrolls = payrolls.collect();
    found.filing = filing(person.w4);
    add_answers(&mut found, person);
    add_january(&mut found, places, payroll.check_date, person);
    found
}

fn address_of(place: &Place) -> Address<'_> {
    Address { state: &place.state, city: &place.city, county: place.county }
}

fn place_of(home: &HomeAddress) -> Place {
    Place::of(&home.state, &home.city, &home.zip)
}

/// The places of work of a period with their days. The first address counts before its own first day, too.
fn work_of_period(works: &[WorkAddress], (start, end): (Date, Date)) -> Vec<(&WorkAddress, u32)> {
    let mut days: Vec<Date> = works.iter().map(|work| work.effective_date).collect();
    days.retain(|day| *day > start && *day <= end);
    days.push(start);
    days.sort_unstable();
    days.dedup();
    let mut found: Vec<(&WorkAddress, u32)> = Vec::with_capacity(days.len());
    for (place, from) in days.iter().enumerate() {
        let until = days.get(place + 1).copied().unwrap_or_else(|| end.saturating_add(1.day()));
        let number = (until - *from).get_days();
        let at = effective::active(works, *from, |work| work.effective_date);
        if let (Some(at), Ok(number)) = (at, u32::try_from(number)) {
            found.push((at, number));
        }
    }
    found
}

/// What only people know: answers to the questions of states' certificates.
fn add_answers(found: &mut Circumstances, person: &Person<'_>) {
    let home = found.home.state.clone();
    let answer = |key: &str| person.answers.get(&home)?.get(key);
    let text = |key: &str| match answer(key) {
        Some(Answer::Text(text)) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        _ => None,
    };
    let flag = |key: &str| match answer(key) {
        Some(Answer::Bool(yes)) => Some(*yes),
        _ => None,
    };
    match home.as_str() {
        "NY" => {
            for (key, place) in [("nyc_resident", "NY-NEW_YORK_CITY"), ("yonkers_resident", "NY-YONKERS")] {
                let Some(lives_there) = flag(key) else { continue };
                found.home.places.retain(|held| held != place);
                if lives_there {
                    found.home.places.push(place.to_owned());
                }
            }
        }
        "OH" => {
            let district = text("school_district").map(|district| format!("OH-SD-{district}"));
            found.home.places.extend(district);
        }
        "PA" => found.psd.home = text("psd_code"),
        _ => {}
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
pub fn before(of_year: &YearSums) -> BTreeMap<String, ToDate> {
    let unemployment = |code: &str| code.ends_with("_SUI");
    let of_all = of_year.other_taxes.iter().filter(|(code, _)| unemployment(code));
    let all: i64 = of_all.map(|(_, held)| held.year.taxable.millionths()).sum();
    let mut before = of_year.other_taxes.clone();
    for (_, held) in before.iter_mut().filter(|(code, _)| unemployment(code)) {
        held.elsewhere = Amount::from_millionths(all - held.year.taxable.millionths());
    }
    before
}

#[cfg(test)]
#[path = "circumstances_tests.rs"]
mod tests;
