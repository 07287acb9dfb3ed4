//! All kinds of reference data: `stipend data import` and `stipend data status`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use returns::deadlines::Deadlines;
use returns::efw2::Layouts;
use returns::state_wages::StateReports;
use rules::Named as _;
use rules::contractor_pay::ContractorPayTable;
use rules::dated::Dated;
use rules::deposits::types::DepositTypes;
use rules::final_pay::FinalPayTable;
use rules::lump_sum::LumpSumRules;
use rules::new_hire::NewHireTable;
use rules::new_hire_file::NewHireFileTable;
use rules::payroll::benefits::Limits;
use rules::payroll::benefits::roth_catch_up::RothThresholds;
use rules::payroll::garnishment::{Agencies, EmployerFees, GarnishmentLimits, LevyExemptions, SupportLimits};
use rules::payroll::taxes::{FutaCreditReductions, PayrollTaxYears};
use rules::salary_level::SalaryLevels;
use rules::taxes::{
    BaseTable, CityCredits, LocalTaxes, NonresidentTable, OhioCreditTable, PennsylvaniaTable,
    ReciprocityTable, StatePrograms, SupplementalTable, TaxTables, UnemploymentTable,
};
use rules::time_off::SickLeaveTable;
use rules::wage_hour::{FluctuatingWorkweekBars, OvertimeRules};
use rules::withholding::federal::FederalWithholding;
use rules::withholding::state::StateCertificates;
use rules::withholding::state::formula::Formulas;
use serde::Serialize;
use serde_json::json;
use store::{Clock, Store, Tx};
use uuid::Uuid;

use crate::error::Error;
use crate::money::bank::agencies::AgencyBanks;
use crate::money::bank::tax_agencies::TaxAgencyBanks;
use crate::pay::minimum_wages::Table as MinimumWages;
use crate::pay::minimum_wages::dataset as minimum_wages;
use crate::people::addresses::jurisdictions;
use crate::platform::law;
use crate::platform::law::{Law, Missing, asks_for_next, missing_at};
use crate::platform::reference::{
    Bundle, ByConfidence, Dataset, LARGEST, Packed, Request, Vintage, checksum, names, rows,
};
use crate::platform::{audit, confirmations};
use crate::returns::readiness;
use crate::salary::occupations::data::Occupations;
use crate::salary::wages::statistics::Statistics;
use crate::salary::wages::zip_areas::ZipAreas;

/// A kind of reference data, as the commands see it.
pub struct Kind {
    /// its name
    pub name: &'static str,
    built_in: &'static str,
    kept: bool,
    read: fn(&Request<'_>, &Before) -> Result<Prepared, String>,
    describe: fn() -> usize,
    in_memory: fn() -> Option<usize>,
    confidence: fn(&[u8]) -> ByConfidence,
    has_edition: Option<fn(&[u8], i16) -> bool>,
    bytes: &'static [u8],
    template: fn() -> String,
}

/// Minimum size of a new vintage, in percent of the rows of the previous one. Truncated files, or imports with a file missing, have fewer.
/// Releases differ by a few percent from year to year.
const LEAST_KEPT: usize = 90;

/// The imported vintage that a new one would replace, if there is one.
type Before = Option<(String, Vec<u8>)>;

/// A vintage that is ready to store.
struct Prepared {
    packed: Packed,
    /// name of the vintage that it replaces
    before: String,
    checksum: String,
    rows: usize,
    changes: Vec<String>,
}

impl Kind {
    /// The kind `D`.
    pub const fn of<D: Dataset>() -> Self {
        Self {
            name: D::KIND,
            built_in: D::BUILT_IN.vintage,
            kept: D::KEPT,
            read: prepare::<D>,
            describe: describe::<D>,
            in_memory: in_memory::<D>,
            confidence: D::confidence,
            has_edition: D::HAS_EDITION,
            bytes: D::BUILT_IN.bytes,
            template: D::template,
        }
    }

    /// The imported vintage that is in use; `None` if nothing was imported, or the built-in one is newer.
    fn imported(&self, tx: &mut Tx<'_>) -> Result<Option<rows::Pointer>, Error> {
        Ok(rows::current(tx, self.name)?.filter(|pointer| pointer.vintage.as_str() >= self.built_in))
    }
}

/// Every kind.
pub const KINDS: &[Kind] = &[
    Kind::of::<Agencies>(),
    Kind::of::<AgencyBanks>(),
    Kind::of::<Law<Limits>>(),
    Kind::of::<Law<Dated<CityCredits>>>(),
    Kind::of::<Law<ContractorPayTable>>(),
    Kind::of::<Law<DepositTypes>>(),
    Kind::of::<Law<Layouts>>(),
    Kind::of::<Law<EmployerFees>>(),
    Kind::of::<Law<FederalWithholding>>(),
    Kind::of::<Law<Dated<FinalPayTable>>>(),
    Kind::of::<Law<Dated<FluctuatingWorkweekBars>>>(),
    Kind::of::<Law<FutaCreditReductions>>(),
    Kind::of::<Law<GarnishmentLimits>>(),
    Kind::of::<Law<LevyExemptions>>(),
    Kind::of::<Law<LocalTaxes>>(),
    Kind::of::<Law<Dated<LumpSumRules>>>(),
    Kind::of::<MinimumWages>(),
    Kind::of::<Law<Dated<NewHireFileTable>>>(),
    Kind::of::<Law<Dated<NewHireTable>>>(),
    Kind::of::<Occupations>(),
    Kind::of::<Law<OhioCreditTable>>(),
    Kind::of::<Law<Dated<OvertimeRules>>>(),
    Kind::of::<Law<PayrollTaxYears>>(),
    Kind::of::<Law<PennsylvaniaTable>>(),
    Kind::of::<Law<ReciprocityTable>>(),
    Kind::of::<Law<Dated<NonresidentTable>>>(),
    Kind::of::<Law<Dated<Deadlines>>>(),
    Kind::of::<Law<RothThresholds>>(),
    Kind::of::<Law<SalaryLevels>>(),
    Kind::of::<Law<Dated<SickLeaveTable>>>(),
    Kind::of::<Law<StateCertificates>>(),
    Kind::of::<Law<StatePrograms>>(),
    Kind::of::<Law<Dated<StateReports>>>(),
    Kind::of::<Law<Formulas>>(),
    Kind::of::<Law<SupplementalTable>>(),
    Kind::of::<Law<SupportLimits>>(),
    Kind::of::<TaxAgencyBanks>(),
    Kind::of::<Law<Dated<BaseTable>>>(),
    Kind::of::<Law<UnemploymentTable>>(),
    Kind::of::<Statistics>(),
    Kind::of::<ZipAreas>(),
];

/// Kinds whose edition of a year comes in its last months: reduced credits of federal unemployment tax are announced in November, and the
/// layout of the file with Forms W-2 is that of the year that they report.
const OF_THE_YEAR_BEFORE: [&str; 2] =
    [<Law<FutaCreditReductions> as Dataset>::KIND, <Law<Layouts> as Dataset>::KIND];

/// The names of all kinds.
fn names() -> String {
    KINDS.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ")
}

fn describe<D: Dataset>() -> usize {
    Vintage::<D>::built_in().data.rows()
}

/// The number of rows of the built-in vintage, if it has been opened.
fn in_memory<D: Dataset>() -> Option<usize> {
    D::built_in().get().map(|vintage| vintage.data.rows())
}

/// An empty template of the files of a kind.
///
/// # Errors
/// If the kind is unknown; the message lists the known kinds.
pub fn template(kind: &str) -> Result<String, String> {
    Ok((find(kind)?.template)())
}

fn find(kind: &str) -> Result<&'static Kind, String> {
    let known = KINDS.iter().find(|known| known.name == kind);
    known.ok_or_else(|| format!("unknown kind of data; the kinds are: {}", names()))
}

/// Reads and checks the file, and opens the result as the service will.
fn prepare<D: Dataset>(request: &Request<'_>, before: &Before) -> Result<Prepared, String> {
    let built_in = Vintage::<D>::built_in();
    let imported = match before {
        Some((vintage, bytes)) if vintage.as_str() >= D::BUILT_IN.vintage => {
            // A fault in the previous vintage must not keep a better one from being imported.
            Vintage::<D>::open(vintage, bytes).ok()
        }
        _ => None,
    };
    let before = imported.as_ref().unwrap_or(&built_in);
    let packed = D::read(request, Some(&before.data)).map_err(|faults| {
        format!(
            "{}: nothing was imported, because of {} error(s):\n  {faults}",
            request.path.display(),
            faults.count()
        )
    })?;
    if packed.bytes.len() > LARGEST {
        return Err(format!("nothing was imported: the data is larger than {} MB", LARGEST >> 20));
    }
    // Imports of one day are numbered.
    if packed.vintage.as_str() < before.name.split('+').next().unwrap_or_default() {
        return Err(format!(
            "nothing was imported: this data is of {}, and the data in use is of {}",
            packed.vintage, before.name
        ));
    }
    let checksum = checksum(&packed.bytes);
    let opened = D::open(&packed.bytes).map_err(|why| format!("nothing was imported: {why}"))?;
    let (held, found) = (before.data.rows(), opened.rows());
    if !request.fewer && found * 100 < held * LEAST_KEPT {
        return Err(format!(
            "nothing was imported: there are {found} rows, and {held} in the data in use, so the file is probably incomplete; \
             allow fewer rows to import it anyway"
        ));
    }
    Ok(Prepared {
        rows: opened.rows(),
        before: before.name.clone(),
        changes: opened.changes(&before.data),
        checksum,
        packed,
    })
}

/// Reads a file as an import of it would, and checks it as one.
async fn prepared(
    store: &Store,
    kind: &Kind,
    path: &Path,
    vintage: Option<&str>,
    fewer: bool,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<Prepared, String> {
    let name = kind.name;
    vintage.map_or(Ok(()), check_vintage)?;
    let before = store.read(move |tx| {
        let Some(pointer) = rows::current(tx, name)? else { return Ok(None) };
        Ok(rows::bytes(tx, name, &pointer.checksum)?.map(|bytes| (pointer.vintage, bytes)))
    });
    let before = before.await.map_err(|error: Error| error.to_line())?;
    let read = || {
        let request = Request { path, vintage, fewer, progress };
        (kind.read)(&request, &before)
    };
    let mut prepared = tokio::task::block_in_place(read)?;
    if kind.kept {
        let (bundle, packed) = (Bundle { vintage: kind.built_in, bytes: kind.bytes }, prepared.packed);
        let own_name = store.read(move |tx| names::own_name(tx, name, bundle, packed.clone())).await;
        (prepared.packed, prepared.checksum) = own_name.map_err(|error: Error| error.to_line())?;
    }
    let Prepared { before, packed, .. } = &prepared;
    prepared.changes.insert(0, format!("{name} {before} -> {}", packed.vintage));
    Ok(prepared)
}

/// Returns what an import of a file would change, and changes nothing.
///
/// # Errors
/// The reason for which the import would be refused.
pub async fn diff(
    store: &Store,
    kind: &str,
    path: &Path,
    vintage: Option<&str>,
    fewer: bool,
) -> Result<Difference, String> {
    let kind = find(kind)?;
    let Prepared { packed, rows, changes, .. } =
        prepared(store, kind, path, vintage, fewer, &|_, _| {}).await?;
    Ok(Difference { kind: kind.name, vintage: packed.vintage, rows, changes })
}

/// What an import would change.
#[derive(Debug, Serialize)]
pub struct Difference {
    kind: &'static str,
    vintage: String,
    rows: usize,
    changes: Vec<String>,
}

impl Difference {
    /// Readable output.
    pub fn to_text(&self) -> String {
        format!("{}\n{} rows; nothing was imported", self.changes.join("\n"), self.rows)
    }
}

/// Imports a file as the newest vintage of a kind, and returns what changed. With `fewer`, also accepts a vintage with far fewer rows than
/// the previous one. `progress` is called with the amount read and the total.
///
/// # Errors
/// The reason, for the operator; nothing has changed then.
pub async fn import(
    store: &Store,
    kind: &str,
    path: &Path,
    vintage: Option<&str>,
    fewer: bool,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<Imported, String> {
    let kind = find(kind)?;
    let name = kind.name;
    let Prepared { packed, checksum, rows, changes, .. } =
        prepared(store, kind, path, vintage, fewer, progress).await?;
    let vintage = packed.vintage.clone();
    let (size, count) = (packed.bytes.len(), i64::try_from(rows).unwrap_or(i64::MAX));
    let of_kind = (count, kind.kept);
    let switched = store.write(move |tx| {
        if kind.kept && rows::named(tx, name, &packed.vintage)?.is_some_and(|held| held != checksum) {
            return Ok(false);
        }
        let before = rows::current(tx, name)?.map(|before| (before.vintage, before.checksum)).unzip();
        let switched = rows::switch(tx, name, (&packed.vintage, &checksum), of_kind, &packed.bytes)?;
        if switched {
            let told = json!({ "kind": name, "vintage": [before.0, packed.vintage], "checksum": [before.1, checksum] });
            audit::by_operator(tx, "imported", ("reference_data", Uuid::nil()), &told)?;
        }
        Ok(switched)
    });
    if !switched.await.map_err(|error: Error| error.to_line())? {
        return Err("nothing was imported: newer data has come into use in the meantime".to_owned());
    }
    Ok(Imported { kind: name, vintage, rows, bytes: size, changes })
}

/// Confirms unconfirmed figures, or withdraws their confirmation, with an audit entry that lists the keys that changed.
///
/// # Errors
/// As [`confirmations::put`].
pub fn confirm(tx: &mut Tx<'_>, keys: &[String], confirmed: bool) -> Result<(), Error> {
    let before = confirmations::confirmed(tx)?;
    confirmations::put(tx, keys, confirmed)?;
    let changed: BTreeSet<&String> = keys.iter().filter(|key| before.contains(*key) != confirmed).collect();
    if changed.is_empty() {
        return Ok(());
    }
    let action = if confirmed { "confirmed" } else { "withdrawn" };
    audit::by_operator(tx, action, ("confirmed_figures", Uuid::nil()), &json!({ "keys": changed }))
}

/// Refuses a vintage name that does not sort before later ones: names are compared as dates.
fn check_vintage(name: &str) -> Result<(), String> {
    let whole = match name.len() {
        4 => format!("{name}-01-01"),
        7 => format!("{name}-01"),
        _ => name.to_owned(),
    };
    let digits = whole.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let day = whole.parse::<Date>().ok().filter(|_| digits && whole.len() == 10);
    let day = day.ok_or_else(|| {
        format!("a vintage is a year, a month or a day, such as 2026-06-01, and not {name:?}")
    })?;
    let last = Clock::system().now().to_zoned(TimeZone::UTC).date().saturating_add(1.year());
    if day > last {
        return Err(format!(
            "the vintage {name} is more than a year ahead, and would block every other until then"
        ));
    }
    Ok(())
}

/// A vintage that has come into use.
#[derive(Debug, Serialize)]
pub struct Imported {
    kind: &'static str,
    vintage: String,
    rows: usize,
    bytes: usize,
    changes: Vec<String>,
}

impl Imported {
    /// Readable output.
    pub fn to_text(&self) -> String {
        let Self { rows, bytes, changes, .. } = self;
        format!(
            "{}\n{rows} rows, {} KB; in use on every node within seconds",
            changes.join("\n"),
            bytes >> 10
        )
    }
}

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
    /// numbers of rows by their degree of confidence; only in [`Status`], and empty for kinds whose rows have none
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub confidence: ByConfidence,
}

/// The vintage of each kind that is in use; no vintage is opened for this.
///
/// # Errors
/// A store error.
pub fn counting(tx: &mut Tx<'_>) -> Result<Vec<Counting>, Error> {
    let of = |kind: &Kind| {
        Ok(match kind.imported(tx)? {
            Some(pointer) => {
                let count = rows::count(tx, kind.name, &pointer.checksum)?.unwrap_or(0);
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
                checksum: checksum(kind.bytes),
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
///
/// # Errors
/// A store error.
pub fn missing(tx: &mut Tx<'_>) -> Result<Vec<Missing>, Error> {
    let today = tx.now().to_zoned(TimeZone::UTC).date();
    let mut missing = missing_at(&law::Tables::read(tx)?, today);
    if let Some(people) = jurisdictions::without_register(tx)? {
        let of = format!("PA (employees who live there: {people})");
        missing.push(Missing::of(<Law<PennsylvaniaTable> as Dataset>::KIND, today.year(), &[&of]));
    }
    let wages = minimum_wages::current(tx)?;
    // A figure whose name begins with next year becomes due when that year's tables do.
    let next = jiff::civil::date(today.year() + 1, 1, 1);
    for day in std::iter::once(today).chain(asks_for_next(today).then_some(next)) {
        let states = wages.data.overdue_states(day);
        if !states.is_empty() {
            missing.push(Missing::of(MinimumWages::KIND, day.year(), &states));
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
        let imported = match kind.imported(tx)? {
            Some(pointer) => Some(rows::bytes(tx, kind.name, &pointer.checksum)?.ok_or_else(|| {
                Error::internal(format!(
                    "vintage {} of {}: its bytes are missing",
                    pointer.vintage, kind.name
                ))
            })?),
            None => None,
        };
        let bytes = imported.as_deref().unwrap_or(kind.bytes);
        let without = asked.into_iter().filter(|year| !has_edition(bytes, *year));
        missing.extend(without.map(|year| Missing::of(kind.name, year, &[])));
    }
    Ok(())
}

/// Which vintages are in use, and what is missing from them.
#[derive(Debug, Serialize)]
pub struct Status {
    /// the vintage of each kind
    pub kinds: Vec<Counting>,
    /// tables of law without entries for this year or, from November on, for the next
    pub missing: Vec<Missing>,
    /// what the file with the Forms W-2 of the year that is being closed lacks
    pub missing_of_file: Vec<String>,
}

/// The vintage of each kind that is in use, with its number of rows (built-in ones are opened to count them), and what is missing.
///
/// # Errors
/// A store error.
pub async fn status(store: &Store) -> Result<Status, String> {
    let read = store.read(|tx: &mut Tx<'_>| {
        let mut found = counting(tx)?;
        for (kind, one) in KINDS.iter().zip(&mut found) {
            one.confidence = match one.imported_at {
                Some(_) => rows::bytes(tx, kind.name, &one.checksum)?.map(|bytes| (kind.confidence)(&bytes)),
                None => Some((kind.confidence)(kind.bytes)),
            }
            .unwrap_or_default();
        }
        let today = tx.now().to_zoned(TimeZone::UTC).date();
        Ok::<_, Error>((found, missing(tx)?, readiness::of_file(tx, today)?))
    });
    let (found, missing, missing_of_file) = read.await.map_err(|error: Error| error.to_line())?;
    let counted = |(kind, one): (&Kind, Counting)| Counting {
        rows: Some(one.rows.unwrap_or_else(|| (kind.describe)())),
        ..one
    };
    Ok(Status { kinds: KINDS.iter().zip(found).map(counted).collect(), missing, missing_of_file })
}

/// The kinds as a readable table, followed by what is missing.
pub fn table(Status { kinds, missing, missing_of_file }: &Status) -> String {
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
