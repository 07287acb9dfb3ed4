//! Unconfirmed figures of the tables of taxes and of states' returns that the operator has checked against the authority's notice, whether
//! they are built in or were imported.
//!
//! A figure that was never read from the law itself is not used: paychecks that need it have a warning. Once an
//! operator confirms it, it counts like any other, until its value in the tables changes.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use jiff::Timestamp;
use returns::efw2::{Layouts, corrected, states};
use returns::state_wages::StateReports;
use returns::state_withholding::WithholdingReturns;
use returns::wage_files;
use rules::dated::Dated;
use rules::deposits::types::DepositTypes;
use rules::final_pay::FinalPayTable;
use rules::new_hire_file::NewHireFileTable;
use rules::payroll::garnishment::{EmployerFees, GarnishmentLimits, LevyExemptions};
use rules::taxes::{
    BaseTable, Doubtful, DoubtfulTables, Doubts, LocalTaxes, NonresidentTable, OhioCreditTable,
    ReciprocityTable, StatePrograms, SupplementalTable, UnemploymentTable,
};
use rules::wage_hour::OvertimeRules;
use rules::{Category, Violation};
use store::record::Cursor;
use store::{Row, Tx, params};

use super::law::Law;
use super::reference::{InForce, Vintage};
use crate::error::Error;

store::statements! {
    CONFIRMED = "SELECT key, fingerprint, confirmed_at FROM confirmed_figures ORDER BY key";
    PUT = "INSERT INTO confirmed_figures (key, fingerprint, confirmed_at) VALUES ($1, $2, $3) \
           ON CONFLICT (key) DO UPDATE SET fingerprint = excluded.fingerprint, confirmed_at = excluded.confirmed_at";
    DELETE = "DELETE FROM confirmed_figures WHERE key = $1";
}

/// An unconfirmed figure, and when the operator confirmed it.
#[derive(Debug, Clone)]
pub struct Figure {
    /// the figure
    pub doubtful: Arc<Doubtful>,
    /// when the operator confirmed the tables' current value
    pub confirmed_at: Option<Timestamp>,
}

/// Figures in doubt.
type Figures = Arc<Vec<Arc<Doubtful>>>;

/// Vintages whose figures in doubt are kept; a process with one store needs those in force.
const KEPT: usize = 8;

/// Vintages by their checksums, and the figures in doubt in them.
struct Known {
    checksums: Vec<String>,
    figures: Figures,
}

/// The last vintages, the oldest first.
static KNOWN: LazyLock<Mutex<VecDeque<Known>>> = LazyLock::new(Mutex::default);

/// Declares the tables that may have figures in doubt.
macro_rules! tables_in_force {
    ($($name:ident: $table:ty,)+) => {
        /// The tables in force that may have figures in doubt, whether built in or imported.
        struct TablesInForce {
            $($name: Arc<Vintage<Law<$table>>>,)+
        }

        impl TablesInForce {
            fn read(tx: &mut Tx<'_>) -> Result<Self, Error> {
                let in_force = InForce::read_pointers(tx)?;
                Ok(Self { $($name: in_force.open_vintage(tx)?,)+ })
            }

            fn checksums(&self) -> impl Iterator<Item = &String> {
                [$(&self.$name.checksum,)+].into_iter()
            }
        }
    };
}

tables_in_force! {
    state_programs: StatePrograms,
    local_taxes: LocalTaxes,
    unemployment_insurance: UnemploymentTable,
    residents: Dated<NonresidentTable>,
    reciprocity: ReciprocityTable,
    supplemental_rates: SupplementalTable,
    ohio_credits: OhioCreditTable,
    tax_bases: Dated<BaseTable>,
    garnishment_limits: GarnishmentLimits,
    levy_exemptions: LevyExemptions,
    employer_fees: EmployerFees,
    final_pay: Dated<FinalPayTable>,
    deposit_codes: DepositTypes,
    overtime_rules: Dated<OvertimeRules>,
    withholding_returns: Dated<WithholdingReturns>,
    wage_reports: Dated<StateReports>,
    layouts: Layouts,
    new_hire_files: Dated<NewHireFileTable>,
}

impl TablesInForce {
    /// Every figure in doubt, those of returns last.
    fn figures_in_doubt(&self) -> Vec<Doubtful> {
        let tables = DoubtfulTables {
            programs: &self.state_programs,
            local: &self.local_taxes,
            unemployment: &self.unemployment_insurance,
            residents: self.residents.editions().collect(),
            reciprocity: &self.reciprocity,
            supplemental: &self.supplemental_rates,
            ohio_credits: &self.ohio_credits,
            bases: self.tax_bases.editions().collect(),
            garnishment_limits: &self.garnishment_limits,
            levy_exemptions: &self.levy_exemptions,
            employer_fees: &self.employer_fees,
            final_pay: self.final_pay.editions().collect(),
            deposits: &self.deposit_codes,
            overtime: self.overtime_rules.editions().collect(),
        };
        let mut of_states = Doubts::default();
        for edition in self.withholding_returns.editions() {
            edition.add_doubtful(&mut of_states);
        }
        for edition in self.wage_reports.editions() {
            edition.add_doubtful(&mut of_states);
        }
        for rule in self.new_hire_files.editions().flat_map(NewHireFileTable::iter) {
            if rule.is_doubtful() {
                let name = format!("{} file of new hires: its layout", rule.state);
                of_states.add_row((rule.key(), name), rule.confidence, &rule.source, rule);
            }
        }
        let mut of_files = Doubts::default();
        corrected::add_doubtful(&self.layouts, &mut of_files);
        wage_files::add_doubtful(&mut of_files);
        states::add_doubtful(&mut of_files);
        tables.doubtful_figures().into_iter().chain(of_states.by_key()).chain(of_files.by_key()).collect()
    }
}

/// Every figure in doubt of the tables in force. It is worked out once for the same vintages.
fn figures_in_doubt_now(tx: &mut Tx<'_>) -> Result<Figures, Error> {
    let held = TablesInForce::read(tx)?;
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let is_it = |known: &&Known| held.checksums().eq(&known.checksums);
    if let Some(figures) = known().iter().find(is_it).map(|known| Arc::clone(&known.figures)) {
        return Ok(figures);
    }
    let figures: Figures = Arc::new(held.figures_in_doubt().into_iter().map(Arc::new).collect());
    let mut known = known();
    known.push_back(Known { checksums: held.checksums().cloned().collect(), figures: Arc::clone(&figures) });
    if known.len() > KEPT {
        known.pop_front();
    }
    Ok(figures)
}

/// Every figure that needs confirmation.
///
/// # Errors
/// A store error; an imported table that cannot be opened.
pub fn list_figures(tx: &mut Tx<'_>) -> Result<Vec<Figure>, Error> {
    let figures = figures_in_doubt_now(tx)?;
    let read = |row: &Row<'_>| {
        let mut next = Cursor::new(row, "confirmed_figures", 0);
        Ok::<_, store::Error>((
            next.read_plain::<String>("key")?,
            (next.read_plain::<String>("fingerprint")?, next.read_plain::<Timestamp>("confirmed_at")?),
        ))
    };
    let confirmed: BTreeMap<String, (String, Timestamp)> =
        tx.try_query(CONFIRMED, &[], read)?.into_iter().collect();
    let figure = |doubtful: &Arc<Doubtful>| {
        let held = confirmed.get(&doubtful.key).filter(|(held, _)| *held == doubtful.fingerprint);
        Figure { confirmed_at: held.map(|(_, at)| *at), doubtful: Arc::clone(doubtful) }
    };
    Ok(figures.iter().map(figure).collect())
}

/// Whether a key names a figure in doubt that is not confirmed.
///
/// # Errors
/// As [`list_figures`].
pub fn is_awaiting_confirmation(tx: &mut Tx<'_>, key: &str) -> Result<bool, Error> {
    let figures = list_figures(tx)?;
    Ok(figures.iter().any(|figure| figure.doubtful.key == key && figure.confirmed_at.is_none()))
}

/// The keys of the figures whose current value is confirmed.
pub fn confirmed_keys(tx: &mut Tx<'_>) -> Result<BTreeSet<String>, Error> {
    let figures = list_figures(tx)?.into_iter().filter(|figure| figure.confirmed_at.is_some());
    Ok(figures.map(|figure| figure.doubtful.key.clone()).collect())
}

/// Confirms figures, or withdraws their confirmation. All of them or none.
///
/// # Errors
/// 422 for a key that names no such figure; a store error.
pub fn set_confirmed(tx: &mut Tx<'_>, keys: &[String], confirmed: bool) -> Result<(), Error> {
    let figures = figures_in_doubt_now(tx)?;
    let known: BTreeMap<&str, &Arc<Doubtful>> = figures.iter().map(|one| (one.key.as_str(), one)).collect();
    let unknown = keys.iter().filter(|key| !known.contains_key(key.as_str()));
    let unknown = unknown.map(|key| {
        let message = format!("{key} names no unconfirmed figure; stipend data doubtful lists them");
        Violation::new("key", Category::InvalidParameter, message)
    });
    let unknown: Vec<Violation> = unknown.collect();
    if !unknown.is_empty() {
        return Err(Error::from(unknown));
    }
    let now = tx.now();
    for key in keys {
        match known.get(key.as_str()).filter(|_| confirmed) {
            Some(figure) => tx.insert_row(PUT, params![key, &figure.fingerprint, now])?,
            None => drop(tx.change_rows(DELETE, params![key])?.is_one()),
        }
    }
    Ok(())
}
