//! Where an employee lives and works, and the settings, as stored with a paycheck; and the resulting [`Situation`].

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::bases::BaseTable;
use super::choose::{Facts, Found, Setting};
use super::credits::CityCredits;
use super::due::Share;
use super::engine::Situation;
use super::insurance;
use super::local::{self, January, MainPlace, Residency, WorkPlace};
use super::ohio::{OhioCredit, OhioCreditRow, OhioCreditTable, ToldCredit, credit_key};
use super::pennsylvania::PennsylvaniaTable;
use super::residence;
use super::residence_tables::{NonresidentTable, ReciprocityTable};
use super::source::{EnteredBy, Unworked, Why};
use super::table::{Filing, Jurisdiction, Level, Payer, TaxTable};
use super::unemployment::{self, UnemploymentTable};
use super::visited::Visited;
use crate::amount::{Amount, Rounding};
use crate::places::{OHIO_DISTRICT, PlaceNames, describe_place};

/// The election of a row for supplemental wages.
const SUPPLEMENTAL: &str = "supplemental";
/// Suffix of such a row's code, after the code of the tax on regular wages.
const OF_SUPPLEMENTAL: &str = "_SUPPLEMENTAL";
/// Philadelphia taxes wages itself, outside the state's register.
const PHILADELPHIA: &str = "PA-PHILADELPHIA";
/// What is missing of a credit of which neither the table nor the employer knows.
const CREDIT_IS_ASKED: &str = "the credit that the city of residence gives";
/// Working days of a year at an assigned work location.
pub(super) const WHOLE_YEAR: u32 = 260;

/// Where an employee works on a run of days in a period.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct WorkedAt {
    /// Two-letter code of the state.
    pub state: String,
    /// Keys of places in the table of local taxes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
    /// Days of the period.
    #[serde(default)]
    pub days: u32,
    /// Hours entered for the place, in thousandths of an hour; if any place has hours, they divide the wages instead
    /// of days.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub hours: u32,
    /// Code of Pennsylvania's register.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub psd: Option<String>,
    /// For work from home for the employee's own convenience: two-letter code of the office's state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub office: Option<String>,
    /// After a move in the period: the home on these days. `None` if there was none, or it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lived: Option<LivedIn>,
}

/// The home on the days of some work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LivedIn {
    /// Two-letter code of the state.
    pub state: String,
    /// Code of Pennsylvania's register.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub psd: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "has the shape that serde asks for")]
fn is_zero(hours: &u32) -> bool {
    *hours == 0
}

/// Where an employee lives.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LivesAt {
    /// Two-letter code of the state; empty without an address.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub state: String,
    /// Keys of places in the table of local taxes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
    /// Key of the county whose tax is part of the state's income tax, as in Maryland: it is no place of a line of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub county_within_state_tax: Option<String>,
    /// Whether the employer withholds the tax of the city of residence by agreement.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub courtesy_withholding: bool,
}

/// One of several homes of a period.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LivedAt {
    /// Keys of places in the table of local taxes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
    /// Code of Pennsylvania's register.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub psd: Option<String>,
    /// Days of the period.
    pub days: u32,
}

/// Codes of Pennsylvania's residency certificate.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PsdCodes {
    /// Code of the home.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home: Option<String>,
    /// Code of the work location.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<String>,
    /// Whether a certificate of exemption from the local services tax is on file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exempt_from_services: bool,
}

/// Indiana counties on 1 January.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct OnFirstOfJanuary {
    /// County of residence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home: Option<String>,
    /// County of work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<String>,
}

/// Everything that decides which state and local taxes are due.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Circumstances {
    /// Places of work of the period, in order; the state of the last one covers the employee with its programs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub work: Vec<WorkedAt>,
    /// Home on the last day of the period.
    #[serde(default)]
    pub home: LivesAt,
    /// After the place of work moved to another state in the period: days, or thousandths of hours, by the state whose programs covered
    /// them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub covered: BTreeMap<String, u32>,
    /// After a move to another state in the period: days by state.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub lived: BTreeMap<String, u32>,
    /// After a move in the period between places that tax their residents: each home, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lived_at: Vec<LivedAt>,
    /// States of work for which the employee has given a certificate of nonresidence.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub nonresident_certificates: BTreeSet<String>,
    /// Working days in the year, past and expected, by state that exempts a number of days.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub worked_days: BTreeMap<String, u32>,
    /// Work this year, including this period, at places that are not a work address: by state with a threshold, and by the
    /// key of an Ohio city.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub visited: BTreeMap<String, Visited>,
    /// Whether income tax is withheld at the flat rates for supplemental wages.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub supplemental: bool,
    /// Keys of figures in doubt ([`super::Doubtful`]) that the operator has confirmed.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub confirmed: BTreeSet<String>,
    /// Indiana counties, for an employee who lived or worked there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub january: Option<OnFirstOfJanuary>,
    /// Pennsylvania's codes.
    #[serde(default)]
    pub psd: PsdCodes,
    /// Undecided localities that may contain an address.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<String>,
    /// The employer's unemployment insurance rate in the state of work, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unemployment_percent: Option<Amount>,
    /// Number of employees in the state of work.
    pub employees: u32,
    /// What the employer was told of the credits of Ohio cities of residence, by the code of the city's tax.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub credits: BTreeMap<String, ToldCredit>,
    /// The employer's quarterly payroll by place.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub payrolls: BTreeMap<String, Amount>,
    /// Filing status of Form W-4, if a schedule depends on one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filing: Option<Filing>,
    /// Settings by code of the tax.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, Setting>,
}

/// Tables that decide which taxes are due.
#[derive(Debug, Clone, Copy)]
pub struct TaxTables<'a> {
    /// Insurance programs.
    pub insurance: &'a TaxTable,
    /// Unemployment insurance.
    pub unemployment: &'a UnemploymentTable,
    /// Local taxes.
    pub local: &'a TaxTable,
    /// Pennsylvania's register.
    pub pennsylvania: &'a PennsylvaniaTable,
    /// Bases of wages.
    pub bases: &'a BaseTable,
    /// Reciprocity agreements.
    pub reciprocity: &'a ReciprocityTable,
    /// The states' rules for nonresidents, and for residents who work elsewhere.
    pub residents: &'a NonresidentTable,
    /// Credits of Ohio's cities.
    pub ohio_credits: &'a OhioCreditTable,
    /// Credits between cities of other states.
    pub city_credits: &'a CityCredits,
}

impl TaxTables<'_> {
    /// The year of the built-in tables.
    pub const YEAR: i16 = 2026;
}

impl TaxTables<'static> {
    /// Returns the built-in tables.
    pub fn built_in() -> Self {
        Self {
            insurance: TaxTable::insurance(),
            unemployment: UnemploymentTable::built_in(),
            local: TaxTable::built_in_local(),
            pennsylvania: PennsylvaniaTable::built_in(),
            bases: BaseTable::built_in(),
            reciprocity: ReciprocityTable::built_in(),
            residents: NonresidentTable::built_in(),
            ohio_credits: OhioCreditTable::built_in(),
            city_credits: CityCredits::built_in(),
        }
    }
}

impl Circumstances {
    /// Returns the state whose programs cover the employee: the state of work on the last day. `None` without a work location.
    pub fn covering_state(&self) -> Option<&str> {
        self.work.last().map(|at| at.state.as_str())
    }

    /// Finds the taxes due on a pay date. Nothing is due without a work location: state taxes depend on where work is done.
    pub fn find_situation(
        &self,
        tables: &TaxTables<'_>,
        day: Date,
        social_security_base: Amount,
    ) -> Situation {
        let Some(state) = self.covering_state() else { return Situation::default() };
        let mut facts = Facts::new(day, social_security_base, tables.bases);
        facts.filing = self.filing;
        facts.settings = self.settings.clone();
        for key in &self.confirmed {
            facts.settings.entry(key.clone()).or_default().confirmed = true;
        }
        if self.supplemental {
            take_supplemental_rates(tables.local, &mut facts);
        }
        facts.payrolls = self.payrolls.clone();
        facts.sizes = self.states().into_iter().map(|state| (state.to_owned(), self.employees)).collect();
        facts.sizes.extend(self.places().map(|place| (place.to_owned(), self.employees)));

        let mut programmes =
            insurance::due_programs(tables.insurance, &facts, &self.covering_states(state), &self.home.state);
        let rate = self.unemployment_percent.map(|percent| unemployment::Rate {
            percent,
            from: Date::MIN,
            to: None,
            with_funds: false,
        });
        let employer = unemployment::Employer {
            rates: rate.into_iter().collect(),
            confirmed: self.confirmed.contains(&format!("{state}_SUI")),
            ..Default::default()
        };
        unemployment::add_due_tax(tables.unemployment, &facts, (state, &employer), &mut programmes);
        let register = local::Tables {
            local: tables.local,
            pennsylvania: tables.pennsylvania,
            city_credits: tables.city_credits,
        };
        let residence = residence::Tables { reciprocity: tables.reciprocity, states: tables.residents };
        let incomes = self.state_incomes(residence, day);
        let undecided = Found { dues: Vec::new(), unworked: incomes.unworked };
        let found = [
            programmes,
            local::due_taxes(register, &facts, &self.local_places(tables, day)),
            self.left_open(tables),
            undecided,
        ];
        Situation::new(found).with_states(incomes.states)
    }

    /// Returns the states whose programs cover the employee in the period, with the share of the wages of each.
    fn covering_states<'s>(&'s self, state: &'s str) -> Vec<(&'s str, Share)> {
        let all = self.covered.values().sum();
        let part = |(state, part): (&'s String, &u32)| Some((state.as_str(), Share::new(*part, all)?));
        match self.covered.len() {
            0 | 1 => vec![(state, Share::ALL)],
            _ => self.covered.iter().filter_map(part).collect(),
        }
    }

    /// Returns the places of work with their weights: hours if any were entered by place, otherwise days. Places without
    /// weight are left out.
    pub(super) fn weighted_work_places(&self) -> impl Iterator<Item = (&WorkedAt, u32)> {
        let by_hours = self.work.iter().any(|at| at.hours > 0);
        let weight = move |at: &WorkedAt| if by_hours { at.hours } else { at.days };
        self.work.iter().map(move |at| (at, weight(at))).filter(|(_, weight)| *weight > 0)
    }

    /// Adds the pay period's wages to the year's wages in visited states. `None` on overflow.
    #[must_use]
    pub fn with_visited_wages(mut self, day: Date, gross: Amount) -> Option<Self> {
        let all: u32 = self.weighted_work_places().map(|(_, weight)| weight).sum();
        let mut parts: BTreeMap<String, u32> = BTreeMap::new();
        for (at, weight) in self.weighted_work_places() {
            *parts.entry(at.state.clone()).or_default() += weight;
        }
        for (state, part) in parts {
            let Some(visited) = self.visited.get_mut(&state) else { continue };
            let wages = gross.mul_ratio(part.into(), all.into(), Rounding::HalfUp)?;
            *visited = visited.with_wages(day, wages.round_to_cents(Rounding::HalfUp))?;
        }
        Some(self)
    }

    /// Returns the states of work and home, and of offices whose work is done elsewhere.
    pub fn states(&self) -> BTreeSet<&str> {
        let work =
            self.work.iter().flat_map(|at| [at.state.as_str()].into_iter().chain(at.office.as_deref()));
        let lived = self.lived.keys().map(String::as_str);
        let homes = lived.chain([self.home.state.as_str()]);
        work.chain(homes).filter(|state| !state.is_empty()).collect()
    }

    fn places(&self) -> impl Iterator<Item = &str> {
        self.work.iter().flat_map(|at| &at.places).chain(&self.home.places).map(String::as_str)
    }

    /// Returns the places in the form the local taxes use.
    fn local_places(&self, tables: &TaxTables<'_>, day: Date) -> local::Places {
        let whole: u32 = self.weighted_work_places().map(|(_, weight)| weight).sum();
        let mut work: BTreeMap<&str, (u32, Option<&String>)> = BTreeMap::new();
        for (at, weight) in self.weighted_work_places() {
            for place in &at.places {
                let county = at
                    .places
                    .iter()
                    .find(|other| *other != place && place.starts_with("KY-") && other.ends_with("_COUNTY"));
                let held = work.entry(place).or_insert((0, county));
                held.0 += weight;
            }
        }
        let work = work.into_iter().map(|(place, (part, within))| WorkPlace {
            share: Share::new(part, whole).unwrap_or(Share::ALL),
            days: self.days_at(place),
            within: within.cloned(),
            place: place.to_owned(),
        });
        let ohio = |place: &&String| place.starts_with("OH-") && !place.starts_with("OH-SD-");
        let agreed = self.home.places.iter().filter(|_| self.home.courtesy_withholding).filter(ohio);
        local::Places {
            home: self.home.places.clone(),
            work: work.collect(),
            january: self
                .january
                .as_ref()
                .map(|counties| January { home: counties.home.clone(), work: counties.work.clone() }),
            main: self.main_place_in_ohio(tables.local),
            agreed: agreed
                .map(|place| (place.clone(), self.ohio_credit(tables.ohio_credits, place, day)))
                .collect(),
            lived: self.parts_of_homes(),
            pennsylvania: self.residency_shares(),
            ..local::Places::default()
        }
    }

    /// Returns the credit that an Ohio city of residence gives for the tax of the city of work.
    ///
    /// It is that of the table, if that is sure or the operator has confirmed it, otherwise what the employer was told.
    ///
    /// # Errors
    /// The city's credit is unknown, or in doubt and not confirmed.
    fn ohio_credit(&self, table: &OhioCreditTable, place: &str, day: Date) -> Result<OhioCredit, Why> {
        let row = table.get(place, day);
        let is_known =
            |row: &&OhioCreditRow| row.confidence.is_enough() || self.confirmed.contains(&credit_key(place));
        if let Some(row) = row.filter(is_known) {
            return Ok(row.credit.clone());
        }
        if let Some(told) = self.credits.get(&place.replace('-', "_")) {
            return Ok(told.credit());
        }
        Err(row.map_or(Why::Missing(CREDIT_IS_ASKED, EnteredBy::CompanyTaxes, Vec::new()), |row| {
            Why::Unconfirmed(row.confidence)
        }))
    }

    /// Returns the share of the period's days at each place of residence after a move.
    fn parts_of_homes(&self) -> BTreeMap<String, Share> {
        let all = self.lived_at.iter().map(|home| home.days).sum();
        let mut days: BTreeMap<&String, u32> = BTreeMap::new();
        for home in &self.lived_at {
            home.places.iter().for_each(|place| *days.entry(place).or_default() += home.days);
        }
        let part = |(place, days): (&String, u32)| Some((place.clone(), Share::new(days, all)?));
        days.into_iter().filter_map(part).collect()
    }

    /// Returns Pennsylvania's certificate for each pair of a home and a place of work, with its share of the work done outside
    /// Philadelphia. Work without a known home is divided by the days at each home. The local services tax is due once, at the last
    /// place of work.
    fn residency_shares(&self) -> Vec<(Residency, Share)> {
        if self.psd == PsdCodes::default() && self.lived_at.iter().all(|home| home.psd.is_none()) {
            return Vec::new();
        }
        let homes = match self.lived_at.is_empty() {
            true => vec![(self.psd.home.clone(), 1)],
            false => self.lived_at.iter().map(|home| (home.psd.clone(), home.days)).collect(),
        };
        let outside = self
            .weighted_work_places()
            .filter(|(at, _)| !at.places.iter().any(|place| place == PHILADELPHIA));
        let code =
            |at: &WorkedAt| at.psd.clone().or_else(|| self.psd.work.clone().filter(|_| at.state == "PA"));
        let of_work = |(at, weight): (&WorkedAt, u32)| (code(at), weight, at.lived.clone());
        let mut works: Vec<(Option<String>, u32, Option<LivedIn>)> = outside.map(of_work).collect();
        if works.is_empty() {
            works.push((None, 1, None));
        }
        let all_days: u32 = homes.iter().map(|(_, days)| days).sum();
        let mut parts: BTreeMap<(Option<String>, Option<String>), u64> = BTreeMap::new();
        for (work, weight, lived) in works {
            let from = match lived {
                Some(lived) => vec![(lived.psd, all_days)],
                None => homes.clone(),
            };
            for (home, days) in from {
                *parts.entry((home, work.clone())).or_default() += u64::from(days) * u64::from(weight);
            }
        }
        let all = parts.values().sum();
        let mut services = self.psd.work.clone();
        let residency = |((home, work), part): ((Option<String>, Option<String>), u64)| {
            let pays_services = services.take_if(|last| work.as_ref() == Some(last)).is_some();
            let residency = Residency {
                home,
                work,
                low_income: self.psd.exempt_from_services,
                services_elsewhere: !pays_services,
            };
            (residency, local::reduce_share(part, all))
        };
        parts.into_iter().map(residency).collect()
    }

    /// Returns the days of the year at a place. If they are not known, the place counts as an assigned one.
    fn days_at(&self, place: &str) -> u32 {
        self.visited.get(place).map_or(WHOLE_YEAR, |visited| visited.known_days().unwrap_or(WHOLE_YEAR))
    }

    /// Returns the main work location for Ohio's cities: the last day's.
    fn main_place_in_ohio(&self, local: &TaxTable) -> Option<MainPlace> {
        let places = &self.work.last()?.places;
        Some(match places.iter().find(|place| local::is_ohio_city(local, place)) {
            Some(city) => MainPlace::City(city.clone()),
            None => MainPlace::OutsideOfCities,
        })
    }

    /// Returns the taxes that are or may be due, but need an answer that neither address nor certificate gives.
    fn left_open(&self, tables: &TaxTables<'_>) -> Found {
        let mut found = Found::default();
        let mut add = |code: String, name: String, jurisdiction: Jurisdiction, why: Why| {
            let payer = Payer::Employee;
            found.unworked.push(Unworked { code, name, jurisdiction, payer, why });
        };
        let outside = |state: &str, places: &[String]| {
            state == "PA" && !places.iter().any(|place| place == PHILADELPHIA)
        };
        if outside(&self.home.state, &self.home.places) && self.psd.home.is_none() {
            let why = Why::Missing("the municipality of the home", EnteredBy::HomeAddress, Vec::new());
            add("PA_EIT".to_owned(), "PA earned income tax".to_owned(), Jurisdiction::state("PA"), why);
        }
        if self.work.iter().any(|at| outside(&at.state, &at.places))
            && self.psd.work.is_none()
            && !self.psd.exempt_from_services
        {
            let why = Why::Missing("the municipality of the place of work", EnteredBy::Location, Vec::new());
            add("PA_LST".to_owned(), "PA local services tax".to_owned(), Jurisdiction::state("PA"), why);
        }
        let known: BTreeSet<&str> = self.places().collect();
        let names = PlaceNames { register: tables.pennsylvania, local: tables.local };
        for place in self.open.iter().filter(|place| !known.contains(place.as_str())) {
            if place == OHIO_DISTRICT {
                let why = Why::Missing("the school district of the home", EnteredBy::HomeAddress, Vec::new());
                add("OH_SD".to_owned(), "OH school district tax".to_owned(), Jurisdiction::state("OH"), why);
                continue;
            }
            let state = place.get(..2).unwrap_or_default().to_owned();
            let (level, name) =
                describe_place(place, names).unwrap_or_else(|| (Level::SpecialDistrict, place.clone()));
            let name = format!("{state} {name}");
            let jurisdiction = Jurisdiction { level, state, place: place.clone() };
            let why = Why::Missing(
                "whether the address lies in the city or district",
                EnteredBy::Address,
                Vec::new(),
            );
            add(place.replace('-', "_"), name, jurisdiction, why);
        }
        found
    }
}

/// Replaces a place's schedule with its rate for supplemental wages, if it has one.
fn take_supplemental_rates(local: &TaxTable, facts: &mut Facts<'_>) {
    for tax in local.iter().filter(|tax| tax.election == SUPPLEMENTAL) {
        let Some(regular) = tax.code.strip_suffix(OF_SUPPLEMENTAL) else { continue };
        facts.settings.entry(regular.to_owned()).or_default().exempt = true;
        facts.settings.entry(tax.code.clone()).or_default().election = Some(SUPPLEMENTAL.to_owned());
    }
}

#[cfg(test)]
#[path = "circumstances_tests.rs"]
mod tests;
