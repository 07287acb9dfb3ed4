//! The kinds of reference data.

use returns::deadlines::Deadlines;
use returns::efw2::Layouts;
use returns::state_wages::StateReports;
use returns::state_withholding::WithholdingReturns;
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
    ReciprocityTable, StatePrograms, SupplementalTable, UnemploymentTable,
};
use rules::time_off::SickLeaveTable;
use rules::wage_hour::{FluctuatingWorkweekBars, OvertimeRules};
use rules::withholding::federal::FederalWithholding;
use rules::withholding::state::StateCertificates;
use rules::withholding::state::formula::Formulas;
use store::Tx;

use super::prepare::{Before, Prepared, prepare_vintage};
use crate::error::Error;
use crate::money::bank::agencies::AgencyBanks;
use crate::money::bank::tax_agencies::TaxAgencyBanks;
use crate::pay::minimum_wages::Table as MinimumWages;
use crate::platform::law::Law;
use crate::platform::reference::{ByConfidence, Dataset, Request, Vintage, rows};
use crate::salary::occupations::data::Occupations;
use crate::salary::wages::statistics::Statistics;
use crate::salary::wages::zip_areas::ZipAreas;

/// A kind of reference data, as the commands see it.
pub struct DatasetKind {
    /// its name
    pub name: &'static str,
    pub(super) built_in: &'static str,
    pub(super) kept: bool,
    pub(super) read: fn(&Request<'_>, &Before) -> Result<Prepared, String>,
    pub(super) describe: fn() -> usize,
    pub(super) in_memory: fn() -> Option<usize>,
    pub(super) confidence: fn(&[u8]) -> ByConfidence,
    pub(super) has_edition: Option<fn(&[u8], i16) -> bool>,
    pub(super) bytes: &'static [u8],
    template: fn() -> String,
}

impl DatasetKind {
    /// The kind `D`.
    pub const fn of_dataset<D: Dataset>() -> Self {
        Self {
            name: D::KIND,
            built_in: D::BUILT_IN.vintage,
            kept: D::KEPT,
            read: prepare_vintage::<D>,
            describe: built_in_rows::<D>,
            in_memory: in_memory::<D>,
            confidence: D::confidence,
            has_edition: D::HAS_EDITION,
            bytes: D::BUILT_IN.bytes,
            template: D::template,
        }
    }

    /// The imported vintage that is in use; `None` if nothing was imported, or the built-in one is newer.
    pub(super) fn imported_vintage(&self, tx: &mut Tx<'_>) -> Result<Option<rows::Pointer>, Error> {
        Ok(rows::current_pointer(tx, self.name)?.filter(|pointer| pointer.vintage.as_str() >= self.built_in))
    }
}

/// Every kind.
pub const KINDS: &[DatasetKind] = &[
    DatasetKind::of_dataset::<Agencies>(),
    DatasetKind::of_dataset::<AgencyBanks>(),
    DatasetKind::of_dataset::<Law<Limits>>(),
    DatasetKind::of_dataset::<Law<Dated<CityCredits>>>(),
    DatasetKind::of_dataset::<Law<ContractorPayTable>>(),
    DatasetKind::of_dataset::<Law<DepositTypes>>(),
    DatasetKind::of_dataset::<Law<Layouts>>(),
    DatasetKind::of_dataset::<Law<EmployerFees>>(),
    DatasetKind::of_dataset::<Law<FederalWithholding>>(),
    DatasetKind::of_dataset::<Law<Dated<FinalPayTable>>>(),
    DatasetKind::of_dataset::<Law<Dated<FluctuatingWorkweekBars>>>(),
    DatasetKind::of_dataset::<Law<FutaCreditReductions>>(),
    DatasetKind::of_dataset::<Law<GarnishmentLimits>>(),
    DatasetKind::of_dataset::<Law<LevyExemptions>>(),
    DatasetKind::of_dataset::<Law<LocalTaxes>>(),
    DatasetKind::of_dataset::<Law<Dated<LumpSumRules>>>(),
    DatasetKind::of_dataset::<MinimumWages>(),
    DatasetKind::of_dataset::<Law<Dated<NewHireFileTable>>>(),
    DatasetKind::of_dataset::<Law<Dated<NewHireTable>>>(),
    DatasetKind::of_dataset::<Occupations>(),
    DatasetKind::of_dataset::<Law<OhioCreditTable>>(),
    DatasetKind::of_dataset::<Law<Dated<OvertimeRules>>>(),
    DatasetKind::of_dataset::<Law<PayrollTaxYears>>(),
    DatasetKind::of_dataset::<Law<PennsylvaniaTable>>(),
    DatasetKind::of_dataset::<Law<ReciprocityTable>>(),
    DatasetKind::of_dataset::<Law<Dated<NonresidentTable>>>(),
    DatasetKind::of_dataset::<Law<Dated<Deadlines>>>(),
    DatasetKind::of_dataset::<Law<RothThresholds>>(),
    DatasetKind::of_dataset::<Law<SalaryLevels>>(),
    DatasetKind::of_dataset::<Law<Dated<SickLeaveTable>>>(),
    DatasetKind::of_dataset::<Law<StateCertificates>>(),
    DatasetKind::of_dataset::<Law<StatePrograms>>(),
    DatasetKind::of_dataset::<Law<Dated<StateReports>>>(),
    DatasetKind::of_dataset::<Law<Formulas>>(),
    DatasetKind::of_dataset::<Law<Dated<WithholdingReturns>>>(),
    DatasetKind::of_dataset::<Law<SupplementalTable>>(),
    DatasetKind::of_dataset::<Law<SupportLimits>>(),
    DatasetKind::of_dataset::<TaxAgencyBanks>(),
    DatasetKind::of_dataset::<Law<Dated<BaseTable>>>(),
    DatasetKind::of_dataset::<Law<UnemploymentTable>>(),
    DatasetKind::of_dataset::<Statistics>(),
    DatasetKind::of_dataset::<ZipAreas>(),
];

/// The names of all kinds.
fn kind_names() -> String {
    KINDS.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ")
}

fn built_in_rows<D: Dataset>() -> usize {
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
pub fn template_of_kind(kind: &str) -> Result<String, String> {
    Ok((find_kind(kind)?.template)())
}

pub(super) fn find_kind(kind: &str) -> Result<&'static DatasetKind, String> {
    let known = KINDS.iter().find(|known| known.name == kind);
    known.ok_or_else(|| format!("unknown kind of data; the kinds are: {}", kind_names()))
}
