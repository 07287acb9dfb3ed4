//! The tables of law from which pay is calculated: withholding, payroll taxes, certificates and limits.
//!
//! Each is a [`Dataset`]: it is built in, and an operator imports the figures of a new year. A vintage contains all years known when it was
//! made, so an import of next year's rows does not change this year's. [`Tables`] are those in force, read once per unit, so that all its
//! figures are from one state of the law. A year that is not covered is [`Missing`], which blocks payrolls of that year.
//!
//! `kinds` lists the tables, `merge` merges the rows of a file into the existing ones, `missing` knows what a year needs.

mod kinds;
mod merge;
mod missing;
mod pennsylvania;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use rules::dated::Dated;
use rules::final_pay::FinalPayTable;
use rules::lump_sum::LumpSumRules;
use rules::payroll::benefits::Limits;
use rules::payroll::benefits::roth_catch_up::RothThresholds;
use rules::payroll::garnishment::{EmployerFees, GarnishmentLimits, LevyExemptions, SupportLimits};
use rules::payroll::taxes::{FutaCreditReductions, PayrollTaxYears};
use rules::places::PlaceNames;
use rules::taxes::{
    BaseTable, CityCredits, LocalTaxes, NonresidentTable, OhioCreditTable, PennsylvaniaTable,
    ReciprocityTable, StatePrograms, SupplementalTable, UnemploymentTable,
};
use rules::time_off::SickLeaveTable;
use rules::wage_hour::{FluctuatingWorkweekBars, OvertimeRules};
use rules::withholding::federal::FederalWithholding;
use rules::withholding::state::StateCertificates;
use rules::withholding::state::formula::Formulas;
use store::{Store, Tx};

use self::merge::Layout;
use super::reference::{
    Bundle, ByConfidence, Dataset, Faults, InForce, Packed, Request, Vintage, confidence_of_rows,
    current_vintage, find_vintage, first_changes, named_by_day, rows,
};
use crate::error::Error;

pub use kinds::LawTable;
pub use missing::{
    Missing, asks_for_next, how_to_get, missing_at, missing_of_country, missing_of_groups, missing_of_year,
    warning_message,
};

/// Maximum changes of an import that are listed.
const LISTED: usize = 40;

/// A table of law with the text that it was read from, into which imports are merged.
#[derive(Debug)]
pub struct Law<T> {
    table: T,
    text: String,
}

impl<T> Deref for Law<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.table
    }
}

impl<T: LawTable> Dataset for Law<T> {
    const KIND: &'static str = T::KIND;
    const BUILT_IN: Bundle = Bundle { vintage: T::VINTAGE, bytes: T::FILE.as_bytes() };
    const HAS_EDITION: Option<fn(&[u8], i16) -> bool> = Some(|bytes, year| {
        std::str::from_utf8(bytes).is_ok_and(|text| merge::has_edition(text, T::LAYOUT, year))
    });
    const KEPT: bool = true;

    fn built_in() -> &'static OnceLock<Arc<Vintage<Self>>> {
        T::built_in_vintage()
    }

    fn open(bytes: &[u8]) -> Result<Self, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())?;
        let table = T::read(text).map_err(|error| error.to_string())?;
        Ok(Self { table, text: text.to_owned() })
    }

    /// The rows of the file, and the existing rows that it does not replace. A vintage is named by the day of the import.
    fn read(request: &Request<'_>, before: Option<&Self>) -> Result<Packed, Faults> {
        let file = T::file(request)?;
        merge::refuse_template(&file, T::LAYOUT)?;
        let merged = merge::merge_file(T::FILE, before.map_or(T::FILE, |law| &law.text), &file, T::LAYOUT)?;
        Self::open(merged.as_bytes())?;
        Ok(Packed { vintage: named_by_day::<Self>(request), bytes: merged.into_bytes() })
    }

    fn rows(&self) -> usize {
        self.table.entries().len()
    }

    fn changes(&self, before: &Self) -> Vec<String> {
        let (new, old) = (self.table.entries(), before.table.entries());
        let changed = new.iter().filter_map(|(name, entry)| match old.get(name) {
            None => Some(format!("{name} is new")),
            Some(before) if before != entry => Some(format!("{name} has changed")),
            Some(_) => None,
        });
        let gone = old.keys().filter(|name| !new.contains_key(*name));
        let gone = gone.map(|name| format!("{name} is no longer there"));
        first_changes(changed.chain(gone).collect(), LISTED, "")
    }

    fn template() -> String {
        merge::year_template(T::FILE, T::LAYOUT)
    }

    fn confidence(bytes: &[u8]) -> ByConfidence {
        match T::LAYOUT {
            Layout::Rows { .. } => confidence_of_rows(bytes),
            Layout::Years | Layout::States => ByConfidence::new(),
        }
    }
}

/// Declares the tables that paychecks are based on, and what is done with each of them.
macro_rules! tables {
    ($($(#[$doc:meta])* $name:ident: $table:ty,)+) => {
        /// The tables in force.
        #[derive(Debug, Clone)]
        pub struct Tables {
            $($(#[$doc])* pub $name: Arc<Vintage<Law<$table>>>,)+
        }

        impl Tables {
            /// The current ones.
            ///
            /// # Errors
            /// A store error; an imported table that cannot be opened.
            pub fn read(tx: &mut Tx<'_>) -> Result<Self, Error> {
                let in_force = InForce::read_pointers(tx)?;
                Ok(Self { $($name: in_force.open_vintage(tx)?,)+ })
            }

            /// The tables with these vintage names, by kind; `None` if one of them no longer exists.
            ///
            /// # Errors
            /// A store error; a table that cannot be opened.
            pub fn named(tx: &mut Tx<'_>, names: &BTreeMap<String, String>) -> Result<Option<Self>, Error> {
                $(let Some($name) = of_name(tx, names)? else { return Ok(None) };)+
                Ok(Some(Self { $($name),+ }))
            }

            /// The built-in tables.
            #[cfg(test)]
            pub fn built_in() -> Self {
                Self { $($name: Vintage::built_in(),)+ }
            }

            /// The vintage of each, by kind.
            pub fn vintages(&self) -> Vec<(&'static str, &str)> {
                vec![$((<$table>::KIND, self.$name.name.as_str())),+]
            }

            fn keep_all(&self, tx: &mut Tx<'_>) -> Result<(), Error> {
                $(store_table(tx, &self.$name)?;)+
                Ok(())
            }
        }
    };
}

tables! {
    /// federal income tax
    federal_withholding: FederalWithholding,
    /// Social Security, Medicare, federal unemployment tax, rates for supplemental wages
    payroll_taxes: PayrollTaxYears,
    /// state income tax
    state_withholding: Formulas,
    /// state tax questions for employees
    state_certificates: StateCertificates,
    /// how much of a payment may be withheld for child support
    support_limits: SupportLimits,
    /// how much creditors' garnishments and states' tax levies may take
    garnishment_limits: GarnishmentLimits,
    /// what federal tax levies leave
    levy_exemptions: LevyExemptions,
    /// what employers may charge for processing an order
    employer_fees: EmployerFees,
    /// annual limits of benefits
    benefit_limits: Limits,
    /// which hours are overtime
    overtime_rules: Dated<OvertimeRules>,
    /// until when last wages are due, and whether unused vacation is paid out
    final_pay: Dated<FinalPayTable>,
    /// what states require of paid sick leave
    sick_leave: Dated<SickLeaveTable>,
    /// from which wages on catch-up contributions have to be Roth contributions
    roth_catch_up: RothThresholds,
    /// local taxes of Pennsylvania by PSD code
    pennsylvania_register: PennsylvaniaTable,
    /// states' insurance programs
    state_programs: StatePrograms,
    /// local taxes
    local_taxes: LocalTaxes,
    /// states' unemployment insurance
    unemployment_insurance: UnemploymentTable,
    /// which benefits count as wages of which tax
    tax_bases: Dated<BaseTable>,
    /// which state does not tax residents of which other one
    reciprocity: ReciprocityTable,
    /// from when on states tax nonresidents, and what is withheld for residents who work elsewhere
    residents: Dated<NonresidentTable>,
    /// states' income tax on supplemental wages
    supplemental_rates: SupplementalTable,
    /// what Ohio's cities credit their residents
    ohio_credits: OhioCreditTable,
    /// which cities credit their residents for the tax of another one
    city_credits: Dated<CityCredits>,
    /// states in which a salary cannot cover fluctuating hours
    fluctuating_workweek: Dated<FluctuatingWorkweekBars>,
    /// of which payments agencies of support orders are told beforehand
    lump_sum_reporting: Dated<LumpSumRules>,
}

impl Tables {
    /// Stores them, for explanations of what is calculated from them: the next version of the program may have others built in.
    pub async fn store_tables(&self, store: &Store) -> Result<(), Error> {
        let held: BTreeSet<(String, String)> = store.read(rows::list_vintages).await?.into_iter().collect();
        let is_held = |(kind, name): (&str, &str)| held.contains(&(kind.to_owned(), name.to_owned()));
        if self.vintages().into_iter().all(is_held) {
            return Ok(());
        }
        let tables = self.clone();
        store.write(move |tx| tables.keep_all(tx)).await
    }
}

fn of_name<T: LawTable>(
    tx: &mut Tx<'_>,
    names: &BTreeMap<String, String>,
) -> Result<Option<Arc<Vintage<Law<T>>>>, Error> {
    names.get(T::KIND).map_or(Ok(None), |name| find_vintage(tx, name))
}

fn store_table<T: LawTable>(tx: &mut Tx<'_>, vintage: &Vintage<Law<T>>) -> Result<(), Error> {
    let bytes = vintage.data.text.as_bytes();
    let count = i64::try_from(vintage.data.rows()).unwrap_or(i64::MAX);
    rows::store_vintage(tx, T::KIND, (&vintage.name, &vintage.checksum), count, bytes)
}

/// The table in force.
///
/// # Errors
/// A store error; an imported table that cannot be opened.
pub fn in_force<T: LawTable>(tx: &mut Tx<'_>) -> Result<Arc<Vintage<Law<T>>>, Error> {
    current_vintage(tx)
}

/// Federal income tax.
///
/// # Errors
/// A store error; an imported table that cannot be opened.
pub fn federal_withholding(tx: &mut Tx<'_>) -> Result<Arc<Vintage<Law<FederalWithholding>>>, Error> {
    current_vintage(tx)
}

/// States with a credit reduction of the federal unemployment tax.
///
/// # Errors
/// A store error; an imported table that cannot be opened.
pub fn futa_credit_reductions(tx: &mut Tx<'_>) -> Result<Arc<Vintage<Law<FutaCreditReductions>>>, Error> {
    current_vintage(tx)
}

/// State tax questions for employees.
///
/// # Errors
/// A store error; an imported table that cannot be opened.
pub fn state_certificates(tx: &mut Tx<'_>) -> Result<Arc<Vintage<Law<StateCertificates>>>, Error> {
    current_vintage(tx)
}

/// Annual limits of benefits.
///
/// # Errors
/// A store error; an imported table that cannot be opened.
pub fn benefit_limits(tx: &mut Tx<'_>) -> Result<Arc<Vintage<Law<Limits>>>, Error> {
    current_vintage(tx)
}

/// The tables in force that name places: those whose tax was imported are among them.
#[derive(Debug)]
pub struct Places {
    register: Arc<Vintage<Law<PennsylvaniaTable>>>,
    local: Arc<Vintage<Law<LocalTaxes>>>,
}

impl Places {
    /// Reads them.
    ///
    /// # Errors
    /// A store error; an imported table that cannot be opened.
    pub fn read_places(tx: &mut Tx<'_>) -> Result<Self, Error> {
        Ok(Self { register: current_vintage(tx)?, local: current_vintage(tx)? })
    }

    /// The tables, as the rules take them.
    pub fn place_names(&self) -> PlaceNames<'_> {
        PlaceNames { register: &self.register, local: &self.local }
    }
}

/// Local taxes of Pennsylvania by PSD code.
///
/// # Errors
/// A store error; an imported table that cannot be opened.
pub fn pennsylvania_register(tx: &mut Tx<'_>) -> Result<Arc<Vintage<Law<PennsylvaniaTable>>>, Error> {
    current_vintage(tx)
}
