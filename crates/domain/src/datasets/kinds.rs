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

use super::prepare::{Before, Prepared, prepare};
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
pub struct Kind {
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
    pub(super) fn imported(&self, tx: &mut Tx<'_>) -> Result<Option<rows::Pointer>, Error> {
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
    Kind::of::<Law<Dated<WithholdingReturns>>>(),
    Kind::of::<Law<SupplementalTable>>(),
    Kind::of::<Law<SupportLimits>>(),
    Kind::of::<TaxAgencyBanks>(),
    Kind::of::<Law<Dated<BaseTable>>>(),
    Kind::of::<Law<UnemploymentTable>>(),
    Kind::of::<Statistics>(),
    Kind::of::<ZipAreas>(),
];

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

pub(super) fn find(kind: &str) -> Result<&'static Kind, String> {
    let known = KINDS.iter().find(|known| known.name == kind);
    known.ok_or_else(|| format!("unknown kind of data; the kinds are: {}", names()))
}
