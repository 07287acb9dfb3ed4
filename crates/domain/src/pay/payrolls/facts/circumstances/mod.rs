//! Where employees live and work, and the settings that apply to them, for state and local taxes.

pub(in crate::pay::payrolls) mod answers;
pub(in crate::pay::payrolls) mod headcount;
pub(in crate::pay::payrolls) mod workplaces;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use jiff::ToSpan;
use jiff::civil::{Date, date};
use rules::Amount;
use rules::company::state as company;
use rules::dated::Dated;
use rules::days::Days;
use rules::effective;
use rules::payroll::holidays::is_weekend;
use rules::places::{AddressPlace, Certificate, GivenFor, Told};
use rules::taxes::{
    Applies, Base, Circumstances, Filing, Level, LivedAt, LivesAt, LocalTaxes, NonresidentTable,
    OnFirstOfJanuary, Payer, PlaceTable, Setting, StatePrograms, TaxTable, ToDate, ToldCredit, Visited,
    WorkedAt, insurance, unemployment,
};
use rules::withholding::federal::{FilingStatus, W4};
use rules::withholding::state::{Answer, NONRESIDENT_CERTIFICATE};
use store::{Tx, Unread};
use uuid::Uuid;

use crate::company::taxes::rows as company_taxes;
use crate::error::Error;
use crate::pay::minimum_wages::Place;
use crate::pay::payrolls::facts::circumstances::headcount::Headcount;
use crate::pay::payrolls::facts::circumstances::workplaces::{
    Sorted, Whereabouts, WorkSpan, Worked, count_days, home_places, spans_in_force,
};
use crate::pay::payrolls::record::hours::Hours;
use crate::pay::payrolls::record::payroll::Payroll;
use crate::pay::payrolls::record::sums::YearSums;
use crate::people::addresses::rows::{HomeAddress, WorkAddress};
use crate::platform::confirmations;
use crate::platform::law::{Law, Tables};
use crate::platform::reference::Vintage;

/// The key of the city whose tax is determined by Form IT-2104.
const NEW_YORK_CITY: &str = "NY-NEW_YORK_CITY";
/// The question of each state's certificate that asks for the number of exemptions, which localities use, too. Certificates of the
/// localities themselves, such as Detroit's, are not stored.
const COUNTS_OF_EXEMPTIONS: [(&str, &str); 3] =
    [("MI", "exemptions"), ("NY", "allowances"), ("OH", "exemptions")];

/// The company's settings that apply in each state on a pay date.
pub struct Employer {
    by_state: HashMap<String, InState>,
    headcount: Headcount,
    /// keys of uncertain figures that the operator has confirmed
    confirmed: BTreeSet<String>,
    law: EmployerLaw,
}

/// The tables of law that decide which facts about employers and employees matter.
struct EmployerLaw {
    /// the states' thresholds for nonresidents
    residents: Arc<Vintage<Law<Dated<NonresidentTable>>>>,
    /// the states' insurance programs
    programs: Arc<Vintage<Law<StatePrograms>>>,
    /// local taxes
    local: Arc<Vintage<Law<LocalTaxes>>>,
}

/// The company's answers for a state.
#[derive(Default)]
struct InState {
    /// unemployment insurance rate
    unemployment_percent: Option<Amount>,
    /// stated number of employees, as the state counts them
    employees: Option<u32>,
    /// quarterly payroll in the state, or in the districts whose tax depends on it
    quarterly_payroll: Option<Amount>,
    /// quarterly payroll in a city, by the code of its tax
    payrolls_in_cities: BTreeMap<String, Amount>,
    /// credits of cities of residence in Ohio, by the code of the city's tax
    credits: BTreeMap<String, ToldCredit>,
    /// settings by program
    settings: BTreeMap<String, Setting>,
}

/// The facts about an employee that determine taxes.
pub struct PersonFacts<'a> {
    pub works: &'a [WorkAddress],
    pub homes: &'a [HomeAddress],
    /// the days of the pay period on which the employee was employed, in order; at least one
    pub employed: &'a [Days],
    /// answers to the questions of states' certificates, by state
    pub answers: &'a BTreeMap<String, BTreeMap<String, Answer>>,
    /// the addresses for which answers about places were given
    pub given_for: &'a GivenFor,
    /// codes of taxes from which the answers exempt the employee
    pub exempt: &'a BTreeSet<String>,
    pub w4: &'a W4,
    /// hours of all jobs
    pub hours: &'a [Hours],
    /// work of the year at locations other than the work addresses, before this payroll
    pub visited: &'a BTreeMap<String, Visited>,
}

impl Employer {
    /// Reads the company's settings.
    ///
    /// # Errors
    /// A store error, including for an answer that cannot be read.
    pub fn read(
        tx: &mut Tx<'_>,
        company: Uuid,
        day: Date,
        places: &HashMap<Uuid, Place>,
        held: &Tables,
    ) -> Result<Self, Error> {
        let law = EmployerLaw {
            residents: Arc::clone(&held.residents),
            programs: Arc::clone(&held.state_programs),
            local: Arc::clone(&held.local_taxes),
        };
        let mut found = Self::from_answers(&company_taxes::list_answers(tx, company)?, day, law)?;
        let is_told =
            |state: &str| found.by_state.get(state).is_some_and(|of_state| of_state.employees.is_some());
        let tables: [&TaxTable; 2] = [&found.law.programs, &found.law.local];
        found.headcount = Headcount::count_by_state(tx, (company, day), places, tables, is_told)?;
        found.confirmed = confirmations::confirmed_keys(tx)?;
        Ok(found)
    }

    /// Returns the keys of uncertain figures that the operator has confirmed.
    pub fn confirmed_figures(&self) -> &BTreeSet<String> {
        &self.confirmed
    }

    fn from_answers(
        answers: &[company_taxes::Answer],
        day: Date,
        law: EmployerLaw,
    ) -> Result<Self, store::Error> {
        let states: BTreeSet<&str> = answers.iter().map(|answer| answer.state.as_str()).collect();
        let read =
            |state: &str| Ok((state.to_owned(), InState::from_answers(&Answers { answers, state, day })?));
        let by_state = states.into_iter().map(read).collect::<Result<_, store::Error>>()?;
        Ok(Self { by_state, headcount: Headcount::default(), confirmed: BTreeSet::new(), law })
    }
}

/// The answers for a state on a day.
struct Answers<'a> {
    answers: &'a [company_taxes::Answer],
    state: &'a str,
    day: Date,
}

impl Answers<'_> {
    fn answer_text(&self, set: &str, key: &str) -> Option<&str> {
        let found = company_taxes::current_answer(self.answers, (self.state, set, key), self.day);
        found.map(|answer| answer.value.as_str())
    }

    fn parse_answer<T, E>(
        &self,
        (set, key): (&str, &str),
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<Option<T>, store::Error> {
        let unread = |_| {
            let why = format!("holds an answer to {key} of {set} of {} that is not a number", self.state);
            Unread::new(why).into_error("company_tax_answers", "value")
        };
        self.answer_text(set, key).map(|text| read(text).map_err(unread)).transpose()
    }

    fn answer_amount(&self, set: &str, key: &str) -> Result<Option<Amount>, store::Error> {
        self.parse_answer((set, key), Amount::parse)
    }
}

impl InState {
    fn from_answers(answers: &Answers<'_>) -> Result<Self, store::Error> {
        let mut rate = answers.answer_amount("taxrates", "unemployment_rate")?;
        for key in company::rates_beside(answers.state) {
            let beside = answers.answer_amount("taxrates", key)?.unwrap_or(Amount::ZERO);
            // Each rate is at most one fifth.
            rate = rate.and_then(|rate| rate.checked_add(beside));
        }
        let mut found = Self {
            // The answer is a fraction.
            unemployment_percent: rate.and_then(|rate| rate.mul_ratio(100, 1, rules::Rounding::HalfUp)),
            employees: answers
                .parse_answer((company::EMPLOYER, company::EMPLOYER_SIZE), str::parse::<u32>)?,
            quarterly_payroll: answers.answer_amount(company::EMPLOYER, company::QUARTERLY_PAYROLL)?,
            ..Self::default()
        };
        let of_state = answers.answers.iter().filter(|answer| answer.state == answers.state);
        for program in of_state.map(|answer| answer.set.as_str()).collect::<BTreeSet<_>>() {
            let setting = Setting {
                borne: answers.answer_amount(program, company::BORNE)?,
                own_rate: answers.answer_amount(program, company::OWN_RATE)?,
                private_plan: answers.answer_text(program, company::PRIVATE_PLAN) == Some("Yes"),
                class: answers.answer_text(program, company::CLASS).map(str::to_owned),
                ..Setting::default()
            };
            if setting != Setting::default() {
                found.settings.insert(program.to_owned(), setting);
            }
            let payroll = answers.answer_amount(program, company::QUARTERLY_PAYROLL)?;
            found.payrolls_in_cities.extend(payroll.map(|payroll| (program.to_owned(), payroll)));
            let up_to = answers.answer_amount(program, company::CREDIT_LIMIT)?;
            let credit = answers.answer_amount(program, company::CREDIT)?;
            let credit = credit.map(|percent| (program.to_owned(), ToldCredit { percent, up_to }));
            found.credits.extend(credit);
        }
        Ok(found)
    }

    /// Returns the quarterly payroll for the state and the localities of a work location, for those with a tax that depends on it: for a
    /// city, that for work there.
    fn quarterly_payrolls(&self, at: &WorkedAt, law: &EmployerLaw) -> Vec<(String, Amount)> {
        let of_place = |place: &String| {
            let of_place = law.local.of_place(place).iter();
            let mut taxes = of_place.chain(law.programs.of_state(place));
            let tax = taxes.find(|tax| tax.rests_on_payroll())?;
            let payroll = match tax.jurisdiction.level {
                Level::City => self.payrolls_in_cities.get(&tax.code).copied(),
                _ => self.quarterly_payroll,
            };
            Some((place.clone(), payroll?))
        };
        [&at.state].into_iter().chain(&at.places).filter_map(of_place).collect()
    }
}

/// Finds the circumstances of an employee in a payroll.
pub fn find_circumstances(
    employer: &Employer,
    places: &HashMap<Uuid, Place>,
    payroll: &Payroll,
    person: &PersonFacts<'_>,
) -> Circumstances {
    let mut found = Circumstances::default();
    let certificate = read_certificate(person);
    let whereabouts = Whereabouts {
        locations: places,
        works: person.works,
        homes: person.homes,
        period: payroll.days(),
        employed: person.employed,
        hours: person.hours,
    };
    let mut at_work = None;
    for (work, at) in workplaces::of_period(&whereabouts, &certificate) {
        found.open.extend(at.open);
        at_work = at.psd.or(at_work);
        found.work.push(work);
    }
    let Some(state) = found.covering_state().map(str::to_owned) else { return Circumstances::default() };
    let last_day = person.employed.last().map_or(payroll.end, |days| days.last);
    if let Some(home) = effective::active_record(person.homes, last_day, |home| home.effective_date) {
        let at = Sorted::sort_localities(home_places(home, &certificate));
        let open = at.open.into_iter().filter(|place| may_tax_residents(&employer.law.local, place));
        found.open.extend(open);
        found.psd.home = at.psd;
        found.home = LivesAt {
            state: home.state.clone(),
            places: at.places,
            county_within_state_tax: at.county_within_state_tax,
            courtesy_withholding: home.courtesy_withholding,
        };
    } else if state == "PA" {
        found.psd.home.clone_from(&certificate.home_psd);
    }
    found.psd.work = at_work;
    found.lived_at = homes_of_move(person, &certificate);
    found.open.sort();
    found.open.dedup();
    found.employees = employer.headcount.employees_in(&state);
    if let Some(of_state) = employer.by_state.get(&state) {
        found.unemployment_percent = of_state.unemployment_percent;
        found.employees = of_state.employees.unwrap_or(found.employees);
        found.settings = of_state.settings.clone();
    }
    found.covered = work_by_covering_state(&found, places, person);
    let settings = found.covered.keys().filter_map(|other| employer.by_state.get(other));
    for (code, setting) in settings.flat_map(|of_state| &of_state.settings) {
        found.settings.entry(code.clone()).or_insert_with(|| setting.clone());
    }
    if let Some(of_state) = employer.by_state.get(&found.home.state) {
        let of_homes = found.home.places.iter().filter(|_| found.home.courtesy_withholding);
        let codes = of_homes.map(|place| place.replace('-', "_"));
        let told = codes.filter_map(|code| Some((code.clone(), of_state.credits.get(&code)?.clone())));
        found.credits = told.collect();
    }
    for at in &found.work {
        let of_state = employer.by_state.get(&at.state).into_iter();
        found.payrolls.extend(of_state.flat_map(|one| one.quarterly_payrolls(at, &employer.law)));
    }
    found.filing = filing_status_of(person.w4);
    found.supplemental = payroll.fixed_withholding_rate;
    add_answers(&mut found, person);
    add_exemptions(&mut found, &employer.law.local, person);
    let residents = employer.law.residents.edition_on(payroll.check_date);
    add_residence(&mut found, (residents, places), payroll, person);
    add_visits(&mut found, residents, &whereabouts, person);
    add_january(&mut found, places, payroll.check_date, person);
    let states = found.states();
    let concerns =
        |key: &&String| Base::is_wages_key(key) || states.iter().any(|state| key.starts_with(*state));
    found.confirmed = employer.confirmed.iter().filter(concerns).cloned().collect();
    found
}

/// Whether a locality that a home may be in could tax the resident: `false` if all its taxes are on work there.
fn may_tax_residents(local: &TaxTable, place: &str) -> bool {
    let rows = local.of_place(place);
    rows.is_empty() || rows.iter().any(|tax| tax.applies != Applies::Work)
}

/// Returns the homes of a period, if they are in different localities; otherwise empty.
fn homes_of_move(person: &PersonFacts<'_>, certificate: &Certificate) -> Vec<LivedAt> {
    let homes = homes_while_employed(person).map(|(home, range)| {
        let at = Sorted::sort_localities(home_places(home, certificate));
        LivedAt { places: at.places, psd: at.psd, days: count_days(range) }
    });
    let homes: Vec<LivedAt> = homes.collect();
    let differ = |pair: &[LivedAt]| (&pair[0].places, &pair[0].psd) != (&pair[1].places, &pair[1].psd);
    if homes.windows(2).any(differ) { homes } else { Vec::new() }
}

/// Returns the homes of the days of employment, in order.
fn homes_while_employed<'a>(person: &PersonFacts<'a>) -> impl Iterator<Item = (&'a HomeAddress, Days)> {
    let (homes, employed) = (person.homes, person.employed);
    employed.iter().flat_map(|days| spans_in_force(homes, *days, |home| home.effective_date))
}

/// Reads what the certificates state about localities.
fn read_certificate(person: &PersonFacts<'_>) -> Certificate {
    Certificate::read_answers(|state, key| person.answers.get(state)?.get(key).cloned(), person.given_for)
}

/// Counts Mondays to Fridays, both ends included.
fn working_days(Days { first: from, last: until }: Days) -> u32 {
    let days = from.series(1.day()).take_while(|day| *day <= until);
    let working = days.filter(|day| !is_weekend(*day)).count();
    u32::try_from(working).unwrap_or(u32::MAX)
}

/// Returns the work of the period by the state whose programs covered it, if the work address moved to another state: hours where they are
/// known by place, days otherwise. Visits to other states are covered by the state of the work address.
fn work_by_covering_state(
    found: &Circumstances,
    places: &HashMap<Uuid, Place>,
    person: &PersonFacts<'_>,
) -> BTreeMap<String, u32> {
    let mut states = BTreeSet::new();
    for range in person.employed {
        for WorkSpan { work, home, .. } in workplaces::address_spans((person.works, person.homes), *range) {
            states.extend(
                places
                    .get(&work.location)
                    .map(|place| Worked::at_work_address(work, place, home).place.state),
            );
        }
    }
    if states.len() < 2 {
        return BTreeMap::new();
    }
    let by_hours = found.work.iter().any(|at| at.hours > 0);
    let mut parts: BTreeMap<String, u32> = BTreeMap::new();
    for at in found.work.iter().filter(|at| states.contains(&at.state)) {
        *parts.entry(at.state.clone()).or_default() += if by_hours { at.hours } else { at.days };
    }
    parts.retain(|_, part| *part > 0);
    parts
}

/// Adds the facts that determine which states' income tax applies, if the employee lives or works in several.
fn add_residence(
    found: &mut Circumstances,
    (residents, places): (&NonresidentTable, &HashMap<Uuid, Place>),
    payroll: &Payroll,
    person: &PersonFacts<'_>,
) {
    let mut lived: BTreeMap<String, u32> = BTreeMap::new();
    for (home, range) in homes_while_employed(person) {
        *lived.entry(home.state.clone()).or_default() += count_days(range);
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
    // Thresholds are compared with the days expected for the whole year, from the addresses on file until its end.
    let year = payroll.end.year();
    let first = person.works.iter().map(|work| work.effective_date).min();
    let first = first.map_or(payroll.start, |first| first.max(date(year, 1, 1)).min(payroll.end));
    let counts = |state: &str| residents.get(state).is_some_and(|rule| rule.days.is_some());
    let mut worked_days: BTreeMap<String, u32> = BTreeMap::new();
    let rest = Days { first, last: date(year, 12, 31) };
    for WorkSpan { work, home, days } in workplaces::address_spans((person.works, person.homes), rest) {
        let Some(place) = places.get(&work.location) else { continue };
        let worked = Worked::at_work_address(work, place, home).place.state;
        if counts(&worked) && worked != found.home.state {
            *worked_days.entry(worked).or_default() += working_days(days);
        }
    }
    found.worked_days = worked_days;
}

/// Adds the year's visits to places with thresholds: states that exempt nonresidents below one, and cities of Ohio. In a state with a
/// work address only days count, and they are added to those of the address.
fn add_visits(
    found: &mut Circumstances,
    residents: &NonresidentTable,
    whereabouts: &Whereabouts<'_>,
    person: &PersonFacts<'_>,
) {
    let locations = person.works.iter().filter_map(|work| whereabouts.locations.get(&work.location));
    let assigned: BTreeSet<&str> = locations.map(|place| place.state.as_str()).collect();
    let counts = |key: &str| match residents.get(key) {
        None => true,
        Some(rule) => {
            let by_wages = rule.dollars.is_some() && !assigned.contains(key);
            key != found.home.state && (rule.days.is_some() || by_wages)
        }
    };
    let mut visited: BTreeMap<String, Visited> = BTreeMap::new();
    for (key, visit) in workplaces::visits_of_period(whereabouts).into_iter().filter(|(key, _)| counts(key)) {
        let mut of_year = person.visited.get(&key).copied().unwrap_or_default();
        of_year.add_days(u32::try_from(visit.days.len()).unwrap_or(u32::MAX), visit.undated);
        visited.insert(key, of_year);
    }
    found.visited = visited;
}

/// Adds exemptions and elections made in the answers to the questions of states' certificates.
fn add_answers(found: &mut Circumstances, person: &PersonFacts<'_>) {
    let answer = |state: &str, key: &str| person.answers.get(state)?.get(key);
    let text = |state: &str, key: &str| match answer(state, key) {
        Some(Answer::Text(text)) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        _ => None,
    };
    let states = found.states();
    let (pennsylvania, oregon) = (states.contains("PA"), states.contains("OR"));
    if pennsylvania {
        found.psd.exempt_from_services = answer("PA", "lst_exempt") == Some(&Answer::Bool(true));
    }
    if oregon {
        for (key, code) in [("metro_shs", "OR_METRO"), ("multnomah_pfa", "OR_MULTNOMAH")] {
            let Some(choice) = text("OR", key) else { continue };
            let setting = found.settings.entry(code.to_owned()).or_default();
            setting.exempt = choice == "opt_out";
            setting.election = (choice == "opt_in").then_some(choice);
        }
    }
    if places_of(found).contains(NEW_YORK_CITY) {
        // Like the state, the city uses the filing status of Form IT-2104, not that of Form W-4.
        let married = text("NY", "filing_status").as_deref() == Some("married");
        let setting = found.settings.entry(NEW_YORK_CITY.replace('-', "_")).or_default();
        setting.filing = Some(if married { Filing::Joint } else { Filing::Single });
    }
}

/// Returns the localities of work and of every home of the period.
fn places_of(found: &Circumstances) -> BTreeSet<String> {
    let work = found.work.iter().flat_map(|at| &at.places);
    let homes = found.lived_at.iter().flat_map(|home| &home.places).chain(&found.home.places);
    work.chain(homes).cloned().collect()
}

/// Adds what the state's certificate states about taxes of its localities: exemptions, which reduce wages if a locality has an amount
/// for each, and a claim of exemption, which Form IT-2104-E makes for New York City and Form IT 4 for Ohio's school districts.
fn add_exemptions(found: &mut Circumstances, local: &TaxTable, person: &PersonFacts<'_>) {
    let states: BTreeSet<String> = found.states().into_iter().map(str::to_owned).collect();
    let of_state = |code: &&String| code.split_once('_').is_some_and(|(state, _)| states.contains(state));
    for code in person.exempt.iter().filter(of_state) {
        found.settings.entry(code.clone()).or_default().exempt = true;
    }
    for place in &places_of(found) {
        let Some((state, key)) = place.split_once('-').and_then(|(state, _)| {
            let (state, key) = COUNTS_OF_EXEMPTIONS.iter().find(|(known, _)| *known == state)?;
            Some((*state, *key))
        }) else {
            continue;
        };
        let Some(answers) = person.answers.get(state) else { continue };
        let is_covered = place == NEW_YORK_CITY || place.starts_with("OH-SD-");
        let exempt = is_covered && answers.get("exempt") == Some(&Answer::Bool(true));
        let count = match answers.get(key) {
            // Rates for supplemental wages do not use exemptions.
            Some(Answer::Number(count)) if !found.supplemental => count.millionths() / 1_000_000,
            _ => 0,
        };
        let exemptions = u32::try_from(count).unwrap_or_default();
        for tax in local.of_place(place).iter().filter(|tax| tax.payer == Payer::Employee) {
            let exemptions = if tax.allowance > Amount::ZERO { exemptions } else { 0 };
            if exempt || exemptions > 0 {
                let setting = found.settings.entry(tax.code.clone()).or_default();
                (setting.exempt, setting.exemptions) = (setting.exempt || exempt, exemptions);
            }
        }
    }
}

/// Adds Indiana's counties on January 1, for employees who live or work there. A county set manually for the home address takes precedence
/// over the certificate's county, and that over the ZIP code and the work location: the answer `none` means that the employee lived and
/// worked outside Indiana on that day and owes no county tax for the year (45 IAC 3.1-4-4(c)).
fn add_january(
    found: &mut Circumstances,
    places: &HashMap<Uuid, Place>,
    check_date: Date,
    person: &PersonFacts<'_>,
) {
    let concerned = found.home.state == "IN" || found.work.iter().any(|at| at.state == "IN");
    if !concerned {
        return;
    }
    let indiana =
        |places: Vec<AddressPlace>| places.into_iter().find(|at| at.taxed && at.place.starts_with("IN-"));
    let (nothing, first) = (Certificate::default(), date(check_date.year(), 1, 1));
    let home = effective::active_record(person.homes, first, |home| home.effective_date);
    let home = home.and_then(|home| indiana(home_places(home, &nothing)));
    let work = effective::active_record(person.works, first, |work| work.effective_date);
    let work = work.and_then(|work| {
        let place = places.get(&work.location)?;
        indiana(Worked::at_location(place, work.jurisdiction_codes.as_ref()).address_localities(&nothing))
    });
    let (by_hand, by_zip): (Vec<_>, Vec<_>) = home.into_iter().partition(|at| at.told == Told::Correction);
    let county = |found: Vec<AddressPlace>| found.into_iter().next().map(|at| at.place);
    let by_hand = county(by_hand);
    found.january = Some(match person.answers.get("IN").and_then(|answers| answers.get("county")) {
        Some(Answer::Text(word)) => {
            let of_certificate = PlaceTable::built_in().of_answer("IN", word).map(str::to_owned);
            OnFirstOfJanuary { home: by_hand.or(of_certificate), work: None }
        }
        _ => OnFirstOfJanuary { home: by_hand.or_else(|| county(by_zip)), work: work.map(|at| at.place) },
    });
}

/// Returns the filing status used by local tax schedules: that of Form W-4.
fn filing_status_of(w4: &W4) -> Option<Filing> {
    let (W4::Rev2020 { filing_status, .. } | W4::Pre2020 { filing_status, .. }) = w4;
    Some(match filing_status {
        FilingStatus::Married => Filing::Joint,
        _ => Filing::Single,
    })
}

/// Returns the earlier sums of each tax, by code, as they count in this payroll. Wages that another state's unemployment insurance counted
/// this year also count toward the wage bases of the insurance and of taxes collected with it. Wages that one part of a program counted
/// also count for the other part, which may become due within the year (when the company grows past a size).
pub fn earlier_sums_by_tax(
    programs: &TaxTable,
    of_year: &YearSums,
    covering: Option<&str>,
) -> BTreeMap<String, ToDate> {
    let mut before: BTreeMap<String, ToDate> =
        of_year.taxes_with_counted_wages().map(|(code, held)| (code.clone(), held.clone())).collect();
    let of_states = of_year
        .taxes_with_counted_wages()
        .filter_map(|(code, held)| Some((code.strip_suffix("_SUI")?, held.year.taxable.millionths())));
    let mut of_states: BTreeMap<&str, i64> = of_states.collect();
    let all: i64 = of_states.values().sum();
    if let Some(state) = covering {
        // A state in which no wages have been paid yet also counts wages that other states counted.
        of_states.entry(state).or_default();
    }
    for (state, own) in of_states {
        let elsewhere = Amount::from_millionths(all - own);
        for code in unemployment::on_its_wages(state) {
            if elsewhere > Amount::ZERO && covering == Some(state) {
                before.entry(code).or_default().elsewhere = elsewhere;
            } else if let Some(held) = before.get_mut(&code) {
                held.elsewhere = elsewhere;
            }
        }
    }
    for (code, held) in of_year.taxes_with_counted_wages() {
        let Some(other) = insurance::other_part(programs, code) else { continue };
        let other = before.entry(other.to_owned()).or_default();
        other.last = other.last.or(held.last);
        other.year.subject = other.year.subject.max(held.year.subject);
        other.year.taxable = other.year.taxable.max(held.year.taxable);
    }
    before
}

#[cfg(test)]
mod certificate_tests;
#[cfg(test)]
mod move_tests;
#[cfg(test)]
mod tests;
