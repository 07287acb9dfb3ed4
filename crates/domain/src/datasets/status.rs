//! Which vintages are in use, and what is missing from them.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use returns::efw2::Layouts;
use rules::Named as _;
use rules::payroll::taxes::FutaCreditReductions;
use rules::taxes::{PennsylvaniaTable, TaxTables};
use serde::Serialize;
use store::{Store, Tx};

use super::kinds::{DatasetKind, KINDS};
use crate::error::Error;
use crate::pay::minimum_wages::Table as MinimumWages;
use crate::pay::minimum_wages::dataset as minimum_wages;
use crate::people::addresses::jurisdictions;
use crate::platform::law;
use crate::platform::law::{Law, Missing, asks_for_next, missing_at};
use crate::platform::reference::{ByConfidence, Dataset, rows, vintage_checksum};
use crate::returns::readiness;

/// Kinds whose edition of a year comes in its last months: reduced credits of federal unemployment tax are announced in November, and the
/// layout of the file with Forms W-2 is that of the year that they report.
const OF_THE_YEAR_BEFORE: [&str; 2] =
    [<Law<FutaCreditReductions> as Dataset>::KIND, <Law<Layouts> as Dataset>::KIND];

/// The vintage of a kind that is in use.
#[derive(Debug, Clone, Serialize)]
pub struct Counting {
    /// the kind
    pub kind: &'static str,
    /// name of the vintage
    pub vintage: String,
    /// SHA-256 of its bytes
    pub checksum: String,
    /// its number of rows; `None` for a built-in vintage that has not been opened yet, because opening takes time
    pub rows: Option<usize>,
    /// when it was imported; `None` for a built-in one
    pub imported_at: Option<Timestamp>,
    /// numbers of rows by their degree of confidence; only in [`DatasetStatus`], and empty for kinds whose rows have none
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub confidence: ByConfidence,
}

/// The vintage of each kind that is in use; no vintage is opened for this.
pub fn vintages_in_use(tx: &mut Tx<'_>) -> Result<Vec<Counting>, Error> {
    let of = |kind: &DatasetKind| {
        Ok(match kind.imported_vintage(tx)? {
            Some(pointer) => {
                let count = rows::count_rows(tx, kind.name, &pointer.checksum)?.unwrap_or(0);
                Counting {
                    kind: kind.name,
                    vintage: pointer.vintage,
                    checksum: pointer.checksum,
                    rows: usize::try_from(count).ok(),
                    imported_at: Some(pointer.updated_at),
                    confidence: ByConfidence::new(),
                }
            }
            None => Counting {
                kind: kind.name,
                vintage: kind.built_in.to_owned(),
                checksum: vintage_checksum(kind.bytes),
                rows: (kind.in_memory)(),
                imported_at: None,
                confidence: ByConfidence::new(),
            },
        })
    };
    KINDS.iter().map(of).collect()
}

/// The tables of law without entries for this year or, from November on, for the next, the minimum wages that should have been replaced
/// by then, and Pennsylvania's register where somebody lives in the state.
pub fn missing_entries(tx: &mut Tx<'_>) -> Result<Vec<Missing>, Error> {
    let today = tx.now().to_zoned(TimeZone::UTC).date();
    let mut missing = missing_at(&law::Tables::read(tx)?, today);
    if let Some(people) = jurisdictions::without_register(tx)? {
        let of = format!("PA (employees who live there: {people})");
        missing.push(Missing::of_year(<Law<PennsylvaniaTable> as Dataset>::KIND, today.year(), &[&of]));
    }
    let wages = minimum_wages::current_table(tx)?;
    // A figure whose name begins with next year becomes due when that year's tables do.
    let next = jiff::civil::date(today.year() + 1, 1, 1);
    for day in std::iter::once(today).chain(asks_for_next(today).then_some(next)) {
        let states = wages.data.overdue_states(day);
        if !states.is_empty() {
            missing.push(Missing::of_year(MinimumWages::KIND, day.year(), &states));
        }
    }
    add_without_edition(tx, today, &mut missing)?;
    Ok(missing)
}

/// Adds every other table of law without an edition for a year that the built-in tables are not of: this year or, from November on, the
/// next. The law may be the same then; only an edition of the year says so.
fn add_without_edition(tx: &mut Tx<'_>, today: Date, missing: &mut Vec<Missing>) -> Result<(), Error> {
    let this_year = (today.year() > TaxTables::YEAR).then_some(today.year());
    let years: Vec<i16> =
        this_year.into_iter().chain(asks_for_next(today).then_some(today.year() + 1)).collect();
    if years.is_empty() {
        return Ok(());
    }
    for kind in KINDS {
        let Some(has_edition) = kind.has_edition else { continue };
        let lag = i16::from(OF_THE_YEAR_BEFORE.contains(&kind.name));
        let is_named = |year: &i16| missing.iter().any(|one| one.kind == kind.name && one.year == *year);
        let asked: BTreeSet<i16> =
            years.iter().map(|year| year - lag).filter(|year| !is_named(year)).collect();
        if asked.is_empty() {
            continue;
        }
        let imported = match kind.imported_vintage(tx)? {
            Some(pointer) => {
                Some(rows::vintage_bytes(tx, kind.name, &pointer.checksum)?.ok_or_else(|| {
                    Error::internal(format!(
                        "vintage {} of {}: its bytes are missing",
                        pointer.vintage, kind.name
                    ))
                })?)
            }
            None => None,
        };
        let bytes = imported.as_deref().unwrap_or(kind.bytes);
        let without = asked.into_iter().filter(|year| !has_edition(bytes, *year));
        missing.extend(without.map(|year| Missing::of_year(kind.name, year, &[])));
    }
    Ok(())
}

/// Which vintages are in use, and what is missing from them.
#[derive(Debug, Serialize)]
pub struct DatasetStatus {
    /// the vintage of each kind
    pub kinds: Vec<Counting>,
    /// tables of law without entries for this year or, from November on, for the next
    pub missing: Vec<Missing>,
    /// what the file with the Forms W-2 of the year that is being closed lacks
    pub missing_of_file: Vec<String>,
}

/// The vintage of each kind that is in use, with its number of rows (built-in ones are opened to count them), and what is missing.
pub async fn dataset_status(store: &Store) -> Result<DatasetStatus, String> {
    let read = store.read(|tx: &mut Tx<'_>| {
        let mut found = vintages_in_use(tx)?;
        for (kind, one) in KINDS.iter().zip(&mut found) {
            one.confidence = match one.imported_at {
                Some(_) => {
                    rows::vintage_bytes(tx, kind.name, &one.checksum)?.map(|bytes| (kind.confidence)(&bytes))
                }
                None => Some((kind.confidence)(kind.bytes)),
            }
            .unwrap_or_default();
        }
        let today = tx.now().to_zoned(TimeZone::UTC).date();
        Ok::<_, Error>((found, missing_entries(tx)?, readiness::of_file(tx, today)?))
    });
    let (found, missing, missing_of_file) = read.await.map_err(|error: Error| error.to_line())?;
    let counted = |(kind, one): (&DatasetKind, Counting)| Counting {
        rows: Some(one.rows.unwrap_or_else(|| (kind.describe)())),
        ..one
    };
    Ok(DatasetStatus { kinds: KINDS.iter().zip(found).map(counted).collect(), missing, missing_of_file })
}

/// The kinds as a readable table, followed by what is missing.
pub fn status_table(DatasetStatus { kinds, missing, missing_of_file }: &DatasetStatus) -> String {
    let mut lines =
        vec![format!("{:<22} {:<12} {:>8}  {:<16} {}", "kind", "vintage", "rows", "sha256", "from")];
    for Counting { kind, vintage, checksum, rows, imported_at, .. } in kinds {
        let rows = rows.map_or_else(String::new, |rows| rows.to_string());
        let from = match imported_at {
            Some(at) => format!("imported {}", at.strftime("%Y-%m-%d %H:%M UTC")),
            None => "built in".to_owned(),
        };
        lines.push(format!("{kind:<22} {vintage:<12} {rows:>8}  {checksum:.16} {from}"));
    }
    lines.push(
        "\nrows by confidence (those from memory and unconfirmed ones count once confirmed):".to_owned(),
    );
    for Counting { kind, confidence, .. } in kinds.iter().filter(|one| !one.confidence.is_empty()) {
        let each = confidence.iter().map(|(degree, rows)| format!("{} {rows}", degree.as_str()));
        lines.push(format!("{kind:<22} {}", each.collect::<Vec<_>>().join(", ")));
    }
    lines.extend(missing.iter().map(|table| format!("\nmissing: {table}")));
    lines.extend(missing_of_file.iter().map(|what| format!("\nmissing for the file with Forms W-2: {what}")));
    lines.join("\n")
}
