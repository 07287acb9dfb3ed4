//! Taxes of counties, cities, school districts and other districts.
//!
//! The caller names the localities where an employee lives and works, by the keys of the table; this module decides which of them
//! may tax which part of the wages, and what one credits for another's tax:
//!
//! * Indiana's tax follows the counties on 1 January, for the whole year.
//! * Ohio's cities tax work; up to 20 days of the year in another city stay with the main place of work (ORC 718.011).
//!   The city of residence takes its tax less its own credit, and an employer withholds it only by agreement.
//! * Michigan's cities credit residents for the tax of the city of work, up to their own nonresident rate.
//! * Philadelphia and Wilmington, Kansas City and St. Louis credit residents for each other's tax (`credits`).
//! * Kentucky's counties credit the tax of a city within them, except Campbell and Kenton; [`Places::county_credits`] overrides both.
//! * Maryland's counties tax residents; `MD-UNKNOWN` is for employees without a certificate, `MD-NONRESIDENT` for nonresidents
//!   whose pay Maryland taxes.
//! * Pennsylvania is [`super::PennsylvaniaTable`]; work in Philadelphia is taxed by Philadelphia alone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::choose::{Facts, Found, choose_row, distinct_codes};
use super::circumstances::WHOLE_YEAR;
use super::credits::CityCredits;
use super::due::{Credit, Due, Share};
use super::ohio::OhioCredit;
pub use super::pennsylvania::Residency;
use super::pennsylvania::{self, PennsylvaniaTable};
use super::source::{EnteredBy, Unworked, Why};
use super::table::{Applies, Jurisdiction, Level, Method, Payer, Tax, TaxTable};
use crate::amount::Amount;

/// Days of a year in another city of Ohio that stay with the main place of work (ORC 718.011).
const OHIO_DAYS: u32 = 20;
/// Kentucky counties whose voters approved the tax: they do not credit any city's tax (KRS 68.197; King v. Campbell County, Ky. App.
/// 2006).
const WITHOUT_CREDIT: [&str; 2] = ["KY-CAMPBELL_COUNTY", "KY-KENTON_COUNTY"];
/// Code suffix of the second line of a tax that applies at both the resident and the nonresident rate in one period.
pub(super) const AT_WORK: &str = "_WORK";
/// Philadelphia is outside Act 32.
const PHILADELPHIA: &str = "PA-PHILADELPHIA";

/// A place of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkPlace {
    /// Key of the place.
    pub place: String,
    /// Part of the period's wages for work there.
    pub share: Share,
    /// Days worked there this year, including this period: for Ohio.
    pub days: u32,
    /// County that the city lies in, if both tax work: for Kentucky.
    pub within: Option<String>,
}

impl WorkPlace {
    /// Creates a place where all work is done.
    pub fn all_work_at(place: &str) -> Self {
        Self { place: place.to_owned(), share: Share::ALL, days: WHOLE_YEAR, within: None }
    }
}

/// Indiana counties on 1 January.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct January {
    /// County of residence; `None` if outside Indiana.
    pub home: Option<String>,
    /// County of work; `None` if outside Indiana.
    pub work: Option<String>,
}

/// The main place of work, to which short stays in Ohio's cities are assigned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MainPlace {
    /// An Ohio city, by its key.
    City(String),
    /// A place that no Ohio city taxes.
    OutsideOfCities,
}

/// Where an employee lives and works.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Places {
    /// Keys of the places of residence.
    pub home: Vec<String>,
    /// Places of work.
    pub work: Vec<WorkPlace>,
    /// Indiana counties on 1 January; `None` if not provided.
    pub january: Option<January>,
    /// The main place of work; `None` if not provided, in which case every city taxes the work done in it.
    pub main: Option<MainPlace>,
    /// Ohio cities of residence for which the employer has agreed to withhold, with their credit, or why it is not known.
    pub agreed: BTreeMap<String, Result<OhioCredit, Why>>,
    /// Whether a Kentucky county credits the tax of a city, if it departs from the default.
    pub county_credits: BTreeMap<String, bool>,
    /// After a move within the period, the share of its days at each place of residence, including earlier homes;
    /// a place that is not listed has all of it.
    pub lived: BTreeMap<String, Share>,
    /// Pennsylvania's residency certificate for each pair of a home and a place of work, with its share of the work done
    /// outside Philadelphia.
    pub pennsylvania: Vec<(Residency, Share)>,
}

/// The tables.
#[derive(Debug, Clone, Copy)]
pub struct Tables<'a> {
    /// Local taxes.
    pub local: &'a TaxTable,
    /// Pennsylvania's register.
    pub pennsylvania: &'a PennsylvaniaTable,
    /// Credits between cities.
    pub city_credits: &'a CityCredits,
}

impl Tables<'static> {
    /// Returns the built-in tables.
    pub fn built_in() -> Self {
        Self {
            local: TaxTable::built_in_local(),
            pennsylvania: PennsylvaniaTable::built_in(),
            city_credits: CityCredits::built_in(),
        }
    }
}

/// Returns the local taxes that are due.
pub fn due_taxes(tables: Tables<'_>, facts: &Facts<'_>, places: &Places) -> Found {
    let mut local = Local {
        table: tables.local,
        city_credits: tables.city_credits,
        facts,
        places,
        found: Found::default(),
    };
    let work = local.ohio_work();
    for home in places.home.iter().chain(places.lived.keys()).collect::<BTreeSet<_>>() {
        local.at_home(home, &work);
    }
    for at in &work {
        local.at_work(at, &work);
    }
    local.add_indiana_county();
    let mut found = local.found;
    for (residency, part) in &places.pennsylvania {
        let outside = match work.iter().find(|at| at.place == PHILADELPHIA) {
            Some(at) => Share { part: at.share.of - at.share.part, of: at.share.of },
            None => Share::ALL,
        };
        let lives_there = places.home.iter().any(|home| home == PHILADELPHIA);
        let mut residency = residency.clone();
        if lives_there {
            // Philadelphia's residents pay its tax on all pay, and no other earned income tax.
            residency.home = None;
        }
        let part = multiply_shares(outside, *part);
        let mut of_register = pennsylvania::due_taxes(tables.pennsylvania, facts, &residency, part);
        if lives_there {
            of_register.dues.retain(|due| !due.code.starts_with("PA_EIT_"));
        }
        // Other taxes of the municipality, such as Pittsburgh's payroll tax, also go by its code in the register.
        let work = residency.work.as_ref();
        let beside = work.map(|psd| tables.local.of_place(&format!("PA-{psd}"))).unwrap_or_default();
        for code in distinct_codes(beside) {
            of_register.add_choice(choose_row(beside, code, facts, part));
        }
        found.unworked.extend(of_register.unworked);
        of_register.dues.into_iter().for_each(|due| add_part(&mut found.dues, due));
    }
    found
}

/// Adds a tax on a part of the wages to the same tax on another part. A tax at another rate in the same place becomes
/// its own line, with the suffix [`AT_WORK`].
fn add_part(dues: &mut Vec<Due>, mut due: Due) {
    match dues.iter_mut().find(|held| held.code == due.code) {
        Some(held) if held.method == due.method => held.share = add_shares(held.share, due.share),
        None => dues.push(due),
        Some(_) => {
            due.code.push_str(AT_WORK);
            match dues.iter_mut().find(|held| held.code == due.code) {
                Some(held) => held.share = add_shares(held.share, due.share),
                None => dues.push(due),
            }
        }
    }
}

struct Local<'l> {
    table: &'l TaxTable,
    city_credits: &'l CityCredits,
    facts: &'l Facts<'l>,
    places: &'l Places,
    found: Found,
}

impl Local<'_> {
    /// Returns the rows of a locality. A locality without rows is reported.
    fn rows(&mut self, place: &str) -> &[Arc<Tax>] {
        let rows = self.table.of_place(place);
        // The table has every Ohio school district with a tax: any other district, or none, has no tax.
        if rows.is_empty() && !place.starts_with("OH-SD-") {
            self.found.unworked.push(Unworked {
                code: place.replace('-', "_"),
                name: place.to_owned(),
                jurisdiction: Jurisdiction {
                    level: Level::City,
                    state: place.get(..2).unwrap_or_default().to_owned(),
                    place: place.to_owned(),
                },
                payer: Payer::Employee,
                why: Why::NoRow,
            });
        }
        rows
    }

    fn lives_in(&self, place: &str) -> bool {
        self.places.home.iter().any(|home| home == place)
    }

    /// Returns the places of work, with short stays in Ohio's cities moved to the main place.
    fn ohio_work(&self) -> Vec<WorkPlace> {
        let mut moved: Vec<WorkPlace> = Vec::new();
        for at in &self.places.work {
            let mut at = at.clone();
            let stays = at.days <= OHIO_DAYS && is_ohio_city(self.table, &at.place);
            match self.places.main.as_ref().filter(|_| stays) {
                Some(MainPlace::City(main)) => at.place.clone_from(main),
                Some(MainPlace::OutsideOfCities) => continue,
                None => {}
            }
            match moved.iter_mut().find(|known| known.place == at.place) {
                Some(known) => known.share = add_shares(known.share, at.share),
                None => moved.push(at),
            }
        }
        moved.sort_by(|a, b| a.place.cmp(&b.place));
        moved
    }

    fn at_home(&mut self, home: &str, work: &[WorkPlace]) {
        let rows = self.rows(home).to_vec();
        let part = self.places.lived.get(home).copied().unwrap_or(Share::ALL);
        let left_behind = !self.lives_in(home);
        for code in distinct_codes(&rows) {
            let Some(tax) = rows.iter().find(|tax| tax.code == code) else { continue };
            match tax.applies {
                Applies::Residence => self.add_chosen(&rows, code, part),
                // Taxes on both residence and work follow the home on the last day.
                Applies::Both | Applies::Michigan | Applies::OhioCity if left_behind => {}
                Applies::Both => {
                    let credits = self.city_credits(home, work);
                    self.choose_with(&rows, code, Share::ALL, |due| {
                        let Method::Rate(own) = due.method else { return };
                        let limited = |credit: Credit| Credit { percent: credit.percent.min(own), ..credit };
                        due.credits = credits.into_iter().map(limited).collect();
                    });
                }
                Applies::Michigan => {
                    let credits = self.michigan_credits(tax, work);
                    self.choose_with(&rows, code, Share::ALL, |due| due.credits = credits);
                }
                Applies::OhioCity => self.ohio_home(&rows, tax, work),
                // Due by work, or by the counties on 1 January.
                Applies::Work
                | Applies::WorkResident
                | Applies::WorkNonresident
                | Applies::ResidenceJanuary
                | Applies::OhioZone => {}
            }
        }
    }

    fn at_work(&mut self, at: &WorkPlace, work: &[WorkPlace]) {
        let rows = self.rows(&at.place).to_vec();
        let lives_here = self.lives_in(&at.place);
        for code in distinct_codes(&rows) {
            let Some(tax) = rows.iter().find(|tax| tax.code == code) else { continue };
            match tax.applies {
                Applies::Work
                    if tax.jurisdiction.state == "KY" && tax.jurisdiction.level == Level::County =>
                {
                    self.kentucky_county(&rows, tax, at, work);
                }
                Applies::Work | Applies::OhioCity | Applies::OhioZone => {
                    self.choose_with(&rows, code, at.share, |due| at_rate_of(due, lives_here));
                }
                Applies::WorkNonresident | Applies::Both | Applies::Michigan if !lives_here => {
                    self.choose_with(&rows, code, at.share, |due| at_rate_of(due, false));
                }
                Applies::WorkResident if lives_here => self.add_chosen(&rows, code, at.share),
                Applies::WorkResident
                | Applies::WorkNonresident
                | Applies::Both
                | Applies::Michigan
                | Applies::Residence
                | Applies::ResidenceJanuary => {}
            }
        }
    }

    fn add_chosen(&mut self, rows: &[Arc<Tax>], code: &str, share: Share) {
        self.choose_with(rows, code, share, |_| ());
    }

    fn choose_with(&mut self, rows: &[Arc<Tax>], code: &str, share: Share, change: impl FnOnce(&mut Due)) {
        let mut chosen = choose_row(rows, code, self.facts, share);
        if let Ok(Some(due)) = &mut chosen {
            change(due);
        }
        self.found.add_choice(chosen);
    }

    /// Returns a Michigan city's credits for work in other taxing cities.
    fn michigan_credits(&self, home: &Tax, work: &[WorkPlace]) -> Vec<Credit> {
        let others = work.iter().filter(|at| at.place != home.jurisdiction.place);
        let credit = |at: &WorkPlace| {
            let other = self.table.of_place(&at.place).iter().find(|tax| tax.applies == Applies::Michigan)?;
            let percent = other.rate_nonresident?.min(home.rate_nonresident?);
            Some(Credit { percent, share: at.share, place: at.place.clone(), source: None })
        };
        others.filter_map(credit).collect()
    }

    /// Returns the credits of a city that taxes residents on all pay, for the tax of cities of work at their nonresident rate.
    fn city_credits(&self, home: &str, work: &[WorkPlace]) -> Vec<Credit> {
        let credit = |at: &WorkPlace| {
            let source = self.city_credits.source(home, &at.place)?;
            let rows = self.table.of_place(&at.place);
            let tax = rows.iter().find(|tax| tax.applies == Applies::Both)?;
            let mut there = choose_row(rows, &tax.code, self.facts, at.share).ok()??;
            at_rate_of(&mut there, false);
            let Method::Rate(percent) = there.method else { return None };
            Some(Credit {
                percent,
                share: at.share,
                place: at.place.clone(),
                source: Some(source.to_owned()),
            })
        };
        work.iter().filter_map(credit).collect()
    }

    /// Adds the Ohio city of residence: only by agreement, and less its credit.
    fn ohio_home(&mut self, rows: &[Arc<Tax>], home: &Arc<Tax>, work: &[WorkPlace]) {
        let place = &home.jurisdiction.place;
        let Some(agreed) = self.places.agreed.get(place) else { return };
        let here: Share =
            work.iter().find(|at| at.place == *place).map_or(Share { part: 0, of: 1 }, |at| at.share);
        // Work in the city itself is taxed there as work.
        let rest = Share { part: here.of - here.part, of: here.of };
        let others: Vec<(&WorkPlace, Amount)> = work
            .iter()
            .filter(|at| at.place != *place)
            .filter_map(|at| Some((at, ohio_rate(self.table, &at.place)?)))
            .collect();
        let credit = match agreed {
            Ok(credit) => credit,
            Err(_) if others.is_empty() => return self.choose_as_residence(rows, home, rest, Vec::new()),
            Err(why) => return self.found.unworked.push(home.as_unworked(why.clone())),
        };
        let Some(own) = ohio_rate(self.table, place) else {
            let missing = Why::Missing("the rate of the city of residence", EnteredBy::Operator, Vec::new());
            return self.found.unworked.push(home.as_unworked(missing));
        };
        let credits = others.iter().filter_map(|(at, rate)| {
            let percent = credit.of_wages(*rate, own)?;
            let share = part_of(at.share, rest)?;
            Some(Credit { percent, share, place: at.place.clone(), source: Some(credit.source.clone()) })
        });
        let credits = credits.collect();
        self.choose_as_residence(rows, home, rest, credits);
    }

    /// Adds the residence line, separate from the line for work in the same city.
    fn choose_as_residence(
        &mut self,
        rows: &[Arc<Tax>],
        home: &Arc<Tax>,
        share: Share,
        credits: Vec<Credit>,
    ) {
        self.choose_with(rows, &home.code, share, |due| {
            due.code.push_str("_RESIDENCE");
            due.credits = credits;
        });
    }

    /// Adds a Kentucky county, less the tax of a city within it on the same wages.
    fn kentucky_county(&mut self, rows: &[Arc<Tax>], county: &Arc<Tax>, at: &WorkPlace, work: &[WorkPlace]) {
        let within = |city: &&WorkPlace| city.within.as_deref() == Some(at.place.as_str());
        let cities: Vec<&WorkPlace> = work.iter().filter(within).collect();
        let several = rows.iter().any(|tax| tax.code != county.code);
        let credits_city = match self.places.county_credits.get(&at.place) {
            Some(chosen) => *chosen,
            None if WITHOUT_CREDIT.contains(&at.place.as_str()) => false,
            None if several && !cities.is_empty() => {
                let missing = Why::Missing(
                    "whether the county credits the city's tax",
                    EnteredBy::Operator,
                    vec!["yes".into(), "no".into()],
                );
                return self.found.unworked.push(county.as_unworked(missing));
            }
            None => true,
        };
        let credit = |city: &&WorkPlace| {
            let tax = self.table.of_place(&city.place).iter().find(|tax| tax.is_in_force(self.facts.day))?;
            let Method::Rate(percent) = tax.method else { return None };
            let confirmed = self.facts.setting(&tax.code).confirmed || tax.confidence.is_enough();
            let share = part_of(city.share, at.share)?;
            confirmed.then(|| Credit { percent, share, place: city.place.clone(), source: None })
        };
        let credits = if credits_city { cities.iter().filter_map(credit).collect() } else { Vec::new() };
        let lives_here = self.lives_in(&at.place);
        self.choose_with(rows, &county.code, at.share, |due| {
            at_rate_of(due, lives_here);
            due.credits = credits;
        });
    }

    /// Adds the Indiana county on 1 January.
    fn add_indiana_county(&mut self) {
        let place = match &self.places.january {
            Some(January { home: Some(home), .. }) => home.clone(),
            Some(January { work: Some(work), .. }) => work.clone(),
            Some(_) => return,
            None => {
                let all = self.places.home.iter().chain(self.places.work.iter().map(|at| &at.place));
                if let Some(place) = all.into_iter().find(|place| place.starts_with("IN-")) {
                    let missing = Why::Missing(
                        "the county of residence, or else of work, on 1 January",
                        EnteredBy::HomeAddress,
                        Vec::new(),
                    );
                    let unworked = self.table.of_place(place).first().map(|tax| tax.as_unworked(missing));
                    self.found.unworked.extend(unworked);
                }
                return;
            }
        };
        let rows = self.rows(&place).to_vec();
        for code in distinct_codes(&rows) {
            self.add_chosen(&rows, code, Share::ALL);
        }
    }
}

/// Applies the nonresident rate, if there is one and the employee does not live there.
fn at_rate_of(due: &mut Due, lives_here: bool) {
    if let (false, Some(percent), Method::Rate(_)) = (lives_here, due.tax.rate_nonresident, &due.method) {
        due.method = Method::Rate(percent);
    }
}

pub(super) fn is_ohio_city(table: &TaxTable, place: &str) -> bool {
    table.of_place(place).iter().any(|tax| tax.applies == Applies::OhioCity)
}

/// Returns the rate of an Ohio city or zone.
fn ohio_rate(table: &TaxTable, place: &str) -> Option<Amount> {
    let ohio = |tax: &&Arc<Tax>| matches!(tax.applies, Applies::OhioCity | Applies::OhioZone);
    match table.of_place(place).iter().find(ohio)?.method {
        Method::Rate(percent) => Some(percent),
        _ => None,
    }
}

/// Adds two parts of the wages, up to everything.
fn add_shares(one: Share, other: Share) -> Share {
    let of = u64::from(one.of) * u64::from(other.of);
    let (one, other) = (u64::from(one.part) * u64::from(other.of), u64::from(other.part) * u64::from(one.of));
    let part = one.saturating_add(other);
    reduce_share(part.min(of), of)
}

/// Multiplies two shares.
pub(super) fn multiply_shares(one: Share, other: Share) -> Share {
    let of = u64::from(one.of) * u64::from(other.of);
    reduce_share(u64::from(one.part) * u64::from(other.part), of)
}

/// Returns one part of the wages as a share of another; `None` if the other part is nothing.
fn part_of(part: Share, whole: Share) -> Option<Share> {
    let num = u64::from(part.part) * u64::from(whole.of);
    let den = u64::from(part.of) * u64::from(whole.part);
    (den > 0).then(|| reduce_share(num.min(den), den))
}

/// Reduces a share to lowest terms. If they do not fit in 32 bits, as products of hours and payroll dollars may not, both lose the
/// same number of low bits: the share is off by less than a billionth.
pub(super) fn reduce_share(part: u64, of: u64) -> Share {
    let (mut a, mut b) = (part, of);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    let shared = a.max(1);
    let (part, of) = (part / shared, of / shared);
    let bits = u64::BITS - part.max(of).leading_zeros();
    let beyond = bits.saturating_sub(u32::BITS);
    let fit = |number: u64| {
        u32::try_from(number >> beyond).unwrap_or_else(|_| unreachable!("32 bits are left at most"))
    };
    Share { part: fit(part), of: fit(of) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_a_share_stays_right_where_its_terms_do_not_fit() {
        // 40.003 of 80.007 hours, and the part of a payroll of 3,123,457 dollars above 437,500.
        let (hours, above) = (Share { part: 40_003, of: 80_007 }, Share { part: 2_685_957, of: 3_123_457 });
        let share = multiply_shares(hours, above);
        let exact = (40_003_u128 * 2_685_957, 80_007_u128 * 3_123_457);
        let (part, of) = (u128::from(share.part), u128::from(share.of));
        let apart = (part * exact.1).abs_diff(exact.0 * of);
        assert!(apart * 1_000_000_000 < exact.1 * of, "{share:?}");
        assert_eq!(
            multiply_shares(Share { part: 1, of: 3 }, Share { part: 3, of: 5 }),
            Share { part: 1, of: 5 }
        );
        let all = u32::MAX;
        let nearly = Share { part: all - 1, of: all };
        assert_eq!(add_shares(nearly, nearly), Share { part: 1, of: 1 }, "at most everything");
    }
}
