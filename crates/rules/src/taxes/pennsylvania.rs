//! Pennsylvania's local taxes: earned income tax by Act 32, and local services tax.
//!
//! The employer withholds the higher of the total resident rate at home and the nonresident rate at work, both by PSD code.
//! Philadelphia is outside Act 32: its wage tax is a row of the local taxes. The local services tax is due where the
//! employee works, to one employer at a time, spread over the pay dates of the year and truncated to the cent on each.
//!
//! Sources: Act 32 of 2008 (53 Pa.C.S. 6924.501 to .517); Act 7 of 2007 (53 Pa.C.S. 6924.301).

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use jiff::civil::Date;

use super::bases::Base;
use super::choose::{Facts, Found, choose_row};
use super::due::Share;
use super::pennsylvania_codes::Codes;
use super::read::{self, Fault};
use super::source::{Confidence, Unworked, Why};
use super::table::{Applies, Jurisdiction, Level, Method, Options, Payer, Span, Tax};
use crate::amount::Amount;
use crate::places::{OUTSIDE_PENNSYLVANIA, parts_of};

static BUILT_IN: LazyLock<PennsylvaniaTable> = LazyLock::new(|| {
    read::built_in("pennsylvania_places.csv", PennsylvaniaTable::parse(PennsylvaniaTable::FILE))
});

/// The columns of `pennsylvania_places.csv`.
pub(super) const COLUMNS: [&str; 18] = [
    "psd",
    "county",
    "municipality",
    "school_district",
    "resident_percent_municipality",
    "resident_percent_school",
    "resident_percent",
    "nonresident_percent",
    "low_income_exemption",
    "lst_municipality",
    "lst_school",
    "lst_exemption_municipality",
    "lst_exemption_school",
    "collector",
    "effective_from",
    "effective_to",
    "confidence",
    "source",
];

/// A row of the state's register: a municipality, or the part of it in one school district.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PennsylvaniaPlace {
    /// Six-digit PSD code; if it is not known, the municipality's name in capitals.
    pub psd: String,
    /// Municipality.
    pub municipality: String,
    /// County, without the word; empty if it is not known.
    pub county: String,
    /// School district; empty if it is not known.
    pub school_district: String,
    /// Resident rate in percent, municipality and school district combined.
    pub resident: Amount,
    /// Nonresident rate in percent, for those who work here and live elsewhere.
    pub nonresident: Amount,
    /// Annual local services tax, municipality and school district combined.
    pub services: Amount,
    /// First and last pay date.
    pub dates: (Option<Date>, Option<Date>),
    /// Confidence in the figures.
    pub confidence: Confidence,
    /// Source of the figures.
    pub source: String,
}

/// The register, by PSD code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PennsylvaniaTable {
    by_code: BTreeMap<String, Vec<PennsylvaniaPlace>>,
    /// codes of the register by municipality and school district
    codes: Codes,
}

/// Where an employee lives and works in Pennsylvania, from the residency certificate.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Residency {
    /// PSD code of the home; `None` for a home outside Pennsylvania or in Philadelphia.
    pub home: Option<String>,
    /// PSD code of the work location; `None` for work outside Pennsylvania or in Philadelphia.
    pub work: Option<String>,
    /// Whether the low-income certificate for the local services tax is on file.
    pub low_income: bool,
    /// Whether another employer withholds the local services tax.
    pub services_elsewhere: bool,
}

impl PennsylvaniaTable {
    /// The built-in places, in the register's file format.
    pub const FILE: &'static str = include_str!("../../../../data/taxes/pennsylvania_places.csv");

    /// Returns the thirteen built-in places.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Parses `pennsylvania_places.csv`, or the register in the same columns.
    ///
    /// # Errors
    /// All errors in the table, with line and field. A total that is not the sum of its parts is an error.
    pub fn parse(csv: &str) -> Result<Self, Vec<Fault>> {
        let mut by_code: BTreeMap<String, Vec<PennsylvaniaPlace>> = BTreeMap::new();
        let places = read::read_rows(csv, &COLUMNS, read_place)?;
        for place in places {
            by_code.entry(place.psd.clone()).or_default().push(place);
        }
        let codes = Codes::from_rows(by_code.values().filter_map(|rows| rows.last()));
        Ok(Self { by_code, codes })
    }

    /// Returns the rows of a PSD code, or of a municipality by the code of the Census Bureau.
    fn rows(&self, code: &str) -> Option<&Vec<PennsylvaniaPlace>> {
        self.by_code.get(code).or_else(|| self.by_code.get(self.codes.find(code)?))
    }

    /// Returns the PSD code for the code of a place: itself, or that of a municipality by the code of the Census Bureau.
    pub fn psd<'a>(&'a self, code: &'a str) -> Option<&'a str> {
        if self.by_code.contains_key(code) { Some(code) } else { self.codes.find(code) }
    }

    /// Whether this is the state's register instead of the built-in places: most of its 2,572 municipalities have a row.
    pub fn is_whole(&self) -> bool {
        self.municipalities() >= 2_000
    }

    /// Returns the number of municipalities of the Census Bureau that have a row.
    pub fn municipalities(&self) -> usize {
        self.codes.municipalities()
    }

    /// Returns the row of a PSD code in force on a pay date: the one that began last.
    pub fn get(&self, psd: &str, day: Date) -> Option<&PennsylvaniaPlace> {
        let counts = |place: &&PennsylvaniaPlace| {
            place.dates.0.is_none_or(|from| from <= day) && place.dates.1.is_none_or(|to| day <= to)
        };
        self.rows(psd)?.iter().filter(counts).max_by_key(|place| place.dates.0)
    }

    /// Returns the municipality's name for a PSD code.
    pub fn municipality(&self, psd: &str) -> Option<&str> {
        self.rows(psd)?.last().map(|place| place.municipality.as_str())
    }

    /// Returns every row, by PSD code.
    pub fn iter(&self) -> impl Iterator<Item = &PennsylvaniaPlace> {
        self.by_code.values().flatten()
    }
}

fn read_place(row: &mut read::Row<'_>) -> Option<PennsylvaniaPlace> {
    let psd = row.required_text("psd");
    let is_code = psd.len() == 6 && psd.bytes().all(|byte| byte.is_ascii_digit());
    if !is_code && !psd.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_') {
        row.record_fault("psd", "must be a PSD code of six digits");
    }
    let parts =
        (row.read_percent("resident_percent_municipality"), row.read_percent("resident_percent_school"));
    let of_parts = match parts {
        (Some(one), Some(other)) => one.checked_add(other),
        _ => None,
    };
    let resident = row.read_percent("resident_percent").or(of_parts);
    if resident.is_none() {
        row.record_fault("resident_percent", "must be set, or both of its parts");
    }
    if of_parts.is_some() && of_parts != resident {
        row.record_fault("resident_percent", "must be the sum of municipality and school district");
    }
    row.required_text("nonresident_percent");
    let services = [row.read_amount("lst_municipality"), row.read_amount("lst_school")];
    let services = services.into_iter().flatten().try_fold(Amount::ZERO, Amount::checked_add)?;
    Some(PennsylvaniaPlace {
        psd,
        municipality: row.required_text("municipality"),
        county: row.column_text("county"),
        school_district: row.column_text("school_district"),
        resident: resident?,
        nonresident: row.read_percent("nonresident_percent")?,
        services,
        dates: (row.read_date("effective_from"), row.read_date("effective_to")),
        confidence: row.one_of("confidence")?,
        source: row.required_text("source"),
    })
}

/// Reports a tax of a place that is not in the tables.
fn no_row(psd: &str, tax: &str) -> Unworked {
    let municipality = psd.split('-').next().and_then(|id| parts_of(id).first().map(|part| part.name));
    Unworked {
        code: format!("PA_{tax}_{psd}"),
        name: municipality.map_or_else(|| format!("PSD {psd} {tax}"), |name| format!("{name} {tax}")),
        jurisdiction: psd_jurisdiction(psd),
        payer: Payer::Employee,
        why: Why::NoRow,
    }
}

/// Returns earned income tax on a part of the wages (work outside Philadelphia), and local services tax.
pub(super) fn due_taxes(
    table: &PennsylvaniaTable,
    facts: &Facts<'_>,
    residency: &Residency,
    share: Share,
) -> Found {
    let mut found = Found::default();
    let inside = |psd: &Option<String>| psd.clone().filter(|psd| psd != OUTSIDE_PENNSYLVANIA);
    let residency =
        &Residency { home: inside(&residency.home), work: inside(&residency.work), ..residency.clone() };
    let mut place = |psd: &Option<String>| {
        let psd = psd.as_ref()?;
        let row = table.get(psd, facts.day);
        if row.is_none() {
            found.unworked.push(no_row(psd, "EIT"));
        }
        row
    };
    let (home, work) = (place(&residency.home), place(&residency.work));
    // Local services tax depends only on the work location, whatever is known of the home.
    let pays_services = !residency.low_income && !residency.services_elsewhere;
    if let Some(place) = work.filter(|place| pays_services && place.services > Amount::ZERO) {
        let tax = tax_of(place, "LST", Method::Amount(place.services, Span::Year), place.confidence);
        found.add_choice(choose_row(&[Arc::clone(&tax)], &tax.code, facts, Share::ALL));
    }
    if let Some(psd) = residency.work.as_ref().filter(|_| pays_services && work.is_none()) {
        found.unworked.push(no_row(psd, "LST"));
    }
    // The higher rate of the two places counts, so both have to be known.
    if [&residency.home, &residency.work].into_iter().flatten().count() > home.iter().chain(&work).count() {
        return found;
    }
    let at_home = home.map_or(Amount::ZERO, |home| home.resident);
    let at_work = work.map_or(Amount::ZERO, |work| work.nonresident);
    // If home and work are the same place, the resident rate counts.
    let same = home.zip(work).is_some_and(|(home, work)| home.psd == work.psd);
    let chosen = if same || at_home >= at_work { home } else { work };
    if let Some(place) = chosen {
        let percent = if same || at_home >= at_work { at_home } else { at_work };
        // The chosen rate is right only if both rates compared are.
        let doubt = [home, work].into_iter().flatten().map(|place| place.confidence).max();
        let tax = tax_of(place, "EIT", Method::Rate(percent), doubt.unwrap_or(place.confidence));
        if percent > Amount::ZERO {
            found.add_choice(choose_row(&[Arc::clone(&tax)], &tax.code, facts, share));
        }
    }
    found
}

/// Returns the taxes of a place: earned income tax at the resident rate, and local services tax if there is one.
pub(super) fn taxes_of(place: &PennsylvaniaPlace) -> Vec<Arc<Tax>> {
    let mut taxes = vec![tax_of(place, "EIT", Method::Rate(place.resident), place.confidence)];
    if place.services > Amount::ZERO {
        taxes.push(tax_of(place, "LST", Method::Amount(place.services, Span::Year), place.confidence));
    }
    taxes
}

fn psd_jurisdiction(psd: &str) -> Jurisdiction {
    Jurisdiction { level: Level::City, state: "PA".into(), place: format!("PA-{psd}") }
}

fn tax_of(place: &PennsylvaniaPlace, kind: &str, method: Method, confidence: Confidence) -> Arc<Tax> {
    let (code, name) = (format!("PA_{kind}_{}", place.psd), format!("{} {kind}", place.municipality));
    let (who, how) = ((Payer::Employee, Applies::Both), (Base::Pennsylvania, method));
    Arc::new(Tax {
        options: Options { exempt: true, ..Options::default() },
        from: place.dates.0,
        to: place.dates.1,
        confidence,
        source: place.source.clone(),
        ..Tax::plain_tax(code, name, psd_jurisdiction(&place.psd), who, how)
    })
}
