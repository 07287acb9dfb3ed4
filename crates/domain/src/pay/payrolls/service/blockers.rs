//! Blockers: what prevents a company from running payroll.
//!
//! An approved company has completed its onboarding, or an operator approved it without: it is blocked only by missing data that every
//! calculation needs. Any other company is blocked by each open onboarding step and by the missing approval. The API's blocker keys for
//! reviews and investigations never occur, because this service does neither. A returned debit blocks until it is recovered.

use jiff::civil::Date;
use rules::company::Status;
use rules::company::setup::Step;
use rules::{Category, Named as _, Violation};
use serde_json::json;
use store::Tx;
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::access::tokens::Caller;
use crate::company::companies::rows::Company;
use crate::company::{companies, locations, setup as company_setup, signatories};
use crate::error::Error;
use crate::money::funding::cases;
use crate::pay::pay_schedules::rows as schedules;
use crate::pay::payrolls::calendar::members;
use crate::pay::payrolls::facts::tables;
use crate::pay::payrolls::record::{rows, settings};
use crate::platform::law::Missing;

/// A blocker.
#[derive(Debug, Clone)]
pub struct Blocker {
    /// the kind
    pub kind: PayrollBlockerKind,
    /// what has to be done
    pub message: String,
}

/// The kinds of blockers, with their keys in the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray, IntoStaticStr, EnumString)]
pub enum PayrollBlockerKind {
    /// the company pays contractors only
    #[strum(serialize = "contractor_only_company")]
    ContractorOnlyCompany,
    /// the company is suspended
    #[strum(serialize = "suspended")]
    Suspended,
    /// the company's onboarding is not finished
    #[strum(serialize = "needs_onboarding")]
    NeedsOnboarding,
    /// the company's onboarding is finished, but not approved
    #[strum(serialize = "needs_approval")]
    NeedsApproval,
    /// no filing location
    #[strum(serialize = "missing_addresses")]
    MissingAddresses,
    /// no federal tax details
    #[strum(serialize = "missing_federal_tax_setup")]
    MissingFederalTaxSetup,
    /// no industry
    #[strum(serialize = "missing_industry_selection")]
    MissingIndustrySelection,
    /// no bank account
    #[strum(serialize = "missing_bank_info")]
    MissingBankInfo,
    /// bank account not verified
    #[strum(serialize = "missing_bank_verification")]
    MissingBankVerification,
    /// no employee who can be paid
    #[strum(serialize = "missing_employee_setup")]
    MissingEmployeeSetup,
    /// no signatory
    #[strum(serialize = "missing_signatory")]
    MissingSignatory,
    /// unsigned forms
    #[strum(serialize = "missing_forms")]
    MissingForms,
    /// no pay schedule
    #[strum(serialize = "missing_pay_schedule")]
    MissingPaySchedule,
    /// open state tax requirements
    #[strum(serialize = "missing_state_tax_setup")]
    MissingStateTaxSetup,
    /// a returned debit that has not been recovered
    #[strum(serialize = "pending_recovery_case")]
    PendingRecoveryCase,
    /// no tax tables for the pay date
    #[strum(serialize = "missing_tax_tables")]
    MissingTaxTables,
}

impl PayrollBlockerKind {
    /// Returns what has to be done, in English.
    pub const fn message(self) -> &'static str {
        match self {
            Self::ContractorOnlyCompany => "The company pays contractors only; they are not paid by payroll.",
            Self::Suspended => "The company is suspended.",
            Self::NeedsOnboarding => "Finish the onboarding of the company.",
            Self::NeedsApproval => "The company must be approved.",
            Self::MissingAddresses => "Add the location from which the company files.",
            Self::MissingFederalTaxSetup => "Add the company's federal tax details.",
            Self::MissingIndustrySelection => "Select the company's industry.",
            Self::MissingBankInfo => "Add the bank account that payroll is paid from.",
            Self::MissingBankVerification => "Verify the bank account that payroll is paid from.",
            Self::MissingEmployeeSetup => "Onboard at least one employee.",
            Self::MissingSignatory => "Add a signatory.",
            Self::MissingForms => "Sign the company's forms.",
            Self::MissingPaySchedule => "Create a pay schedule.",
            Self::MissingStateTaxSetup => "Complete the state tax setup.",
            Self::PendingRecoveryCase => {
                "A debit from the company's account was returned and must be recovered first: see its recovery cases."
            }
            Self::MissingTaxTables => {
                "The tax tables for the payment year are missing; the operator must import them."
            }
        }
    }
}

impl From<PayrollBlockerKind> for Blocker {
    fn from(kind: PayrollBlockerKind) -> Self {
        Self { kind, message: kind.message().to_owned() }
    }
}

/// Returns the blockers of the company's next payroll, and what the first open payroll of the year after it lacks.
///
/// # Errors
/// "Not found"; a store error.
pub fn list_blockers(tx: &mut Tx<'_>, caller: &Caller) -> Result<Vec<Blocker>, Error> {
    let today = caller.today(tx);
    let next = rows::next_check_date(tx, caller.company)?.map_or(today, |day| day.max(today));
    let mut found = blockers_on(tx, caller, next)?;
    // What the first open payroll of another year lacks is told beforehand.
    let open = rows::unsubmitted_payrolls(tx, caller.company)?;
    let later = open.iter().map(|one| one.check_date).filter(|day| day.year() > next.year());
    if let Some(first) = later.min() {
        found.extend(tables_missing(tx, caller, first)?);
    }
    Ok(found)
}

/// Returns the blockers for tables that a payroll with this pay date lacks.
fn tables_missing(tx: &mut Tx<'_>, caller: &Caller, check_date: Date) -> Result<Vec<Blocker>, Error> {
    let settings = settings::of_company(tx, caller.company)?;
    let missing = tables::missing_tables(tx, check_date, settings.previous_year_tables)?;
    let blocker = |table: &Missing| Blocker {
        kind: PayrollBlockerKind::MissingTaxTables,
        message: format!("Payment on {check_date}: {table}"),
    };
    Ok(missing.iter().map(blocker).collect())
}

/// Returns the blockers of a payroll with this pay date.
fn blockers_on(tx: &mut Tx<'_>, caller: &Caller, check_date: Date) -> Result<Vec<Blocker>, Error> {
    let company = companies::rows::find_company(tx, caller.company)?.ok_or(Error::NotFound)?;
    let mut kinds = Vec::new();
    if company.contractor_only {
        kinds.push(PayrollBlockerKind::ContractorOnlyCompany);
    }
    if company.company_status == Status::Suspended {
        kinds.push(PayrollBlockerKind::Suspended);
    }
    if cases::are_payrolls_blocked(tx, caller.company)? {
        kinds.push(PayrollBlockerKind::PendingRecoveryCase);
    }
    if company.company_status == Status::Approved {
        kinds.extend(blockers_of_calculation(tx, caller)?);
    } else {
        kinds.extend(not_settled(tx, caller, &company)?);
    }
    let mut blockers: Vec<Blocker> = kinds.into_iter().map(Blocker::from).collect();
    blockers.extend(tables_missing(tx, caller, check_date)?);
    Ok(blockers)
}

/// Returns blockers for missing data that every calculation needs.
fn blockers_of_calculation(tx: &mut Tx<'_>, caller: &Caller) -> Result<Vec<PayrollBlockerKind>, Error> {
    let places = locations::rows::of_company(tx, caller.company)?;
    let mut kinds = Vec::new();
    if !places.iter().any(|place| place.filing_address) {
        kinds.push(PayrollBlockerKind::MissingAddresses);
    }
    if !members::has_payable_employees(tx, caller.company)? {
        kinds.push(PayrollBlockerKind::MissingEmployeeSetup);
    }
    if schedules::default_of(tx, caller.company)?.is_none() {
        kinds.push(PayrollBlockerKind::MissingPaySchedule);
    }
    Ok(kinds)
}

/// Returns the onboarding blockers of a company that is not approved yet.
fn not_settled(
    tx: &mut Tx<'_>,
    caller: &Caller,
    company: &Company,
) -> Result<Vec<PayrollBlockerKind>, Error> {
    let (finished, open) = company_setup::service::open_steps(tx, caller, company)?;
    let mut kinds =
        vec![if finished { PayrollBlockerKind::NeedsApproval } else { PayrollBlockerKind::NeedsOnboarding }];
    for step in open {
        kinds.push(match step {
            Step::AddAddresses => PayrollBlockerKind::MissingAddresses,
            Step::FederalTaxSetup => PayrollBlockerKind::MissingFederalTaxSetup,
            Step::SelectIndustry => PayrollBlockerKind::MissingIndustrySelection,
            Step::AddBankInfo => PayrollBlockerKind::MissingBankInfo,
            Step::AddEmployees => PayrollBlockerKind::MissingEmployeeSetup,
            Step::StateSetup => PayrollBlockerKind::MissingStateTaxSetup,
            Step::PayrollSchedule => PayrollBlockerKind::MissingPaySchedule,
            Step::SignAllForms => PayrollBlockerKind::MissingForms,
            Step::VerifyBankInfo => PayrollBlockerKind::MissingBankVerification,
            Step::ExternalPayroll => continue,
        });
    }
    if signatories::rows::of_company(tx, caller.company)?.is_none() {
        kinds.push(PayrollBlockerKind::MissingSignatory);
    }
    Ok(kinds)
}

/// Refuses a payroll with this pay date if it has blockers.
///
/// # Errors
/// 422 with every blocker; a store error.
pub fn refuse_blocked(tx: &mut Tx<'_>, caller: &Caller, check_date: Date) -> Result<(), Error> {
    let blockers = blockers_on(tx, caller, check_date)?;
    if blockers.is_empty() {
        return Ok(());
    }
    let violations = blockers.iter().map(|blocker| {
        let violation = Violation::new("base", Category::PayrollBlocker, blocker.message.as_str());
        violation.with_metadata(json!({ "key": blocker.kind.as_str() }))
    });
    Err(Error::Violations(violations.collect()))
}
