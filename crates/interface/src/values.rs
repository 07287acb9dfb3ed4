//! The closed sets of wire shapes, each derived from the code that decides about it.
//!
//! A response built from an enum has it as an [`Enum`], here under an alias, because the derived description cannot
//! resolve a generic type. Every other set is a list of words.

use std::borrow::Cow;

use jiff::civil::Date;
use rules::compensation::{FlsaStatus, PaymentUnit};
use rules::payment::{AccountType, SplitBy};
use rules::payroll::FicaExemption;
use rules::payroll::assignment::AssignmentType;
use rules::payroll::benefits;
use rules::payroll::benefits::election::{Contribution, TAXABLE_INCOME};
use rules::payroll::garnishment::{GarnishmentType, LevyFilingStatus, PAYMENT_PERIODS};
use rules::payroll::schedule::FREQUENCIES;
use rules::withholding::federal::{FilingStatus, PayFrequency};
use rules::{Amount, Named, check, company, i9, onboarding, salary, time_off};
use serde_json::Value;
use utoipa::__dev::ComposeSchema;
use utoipa::ToSchema;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};

use crate::company::companies::wire::FUNDING_TYPE;
use crate::company::partners::wire as migration;
use crate::company::signatories::wire::IDENTITY_VERIFICATION;
use crate::error::Kind;
use crate::field::{DECIMAL, Wire};
use crate::named::Enum;
use crate::query::text_of;
use crate::salary::estimates::wire::WAGE_BASES;
use crate::{text, words};
use domain::benefits::rows::company::CatchUpType;
use domain::benefits::service::bulk;
use domain::benefits::service::planning::PlannedChange;
use domain::benefits::service::timeline::DayStatus;
use domain::company::companies::traits::Trait;
use domain::company::payment_configs;
use domain::company::suspensions::service as suspensions;
use domain::contractors::payments::rows as contractor_payments;
use domain::events::webhooks::types;
use domain::pay::earning_types::rows::EarningCategory;
use domain::pay::minimum_wages::table::Authority;
use domain::pay::payrolls::closing::processing::disbursements;
use domain::pay::payrolls::record::kinds;
use domain::pay::payrolls::service::{REASONS, SKIPPED, WITHHOLDING_PERIODS, blockers};
use domain::pay::reports::{checks, terms};
use domain::people::employees::rows::{CHECK, DIRECT_DEPOSIT};
use domain::people::flows;
use domain::people::flows::portal;
use domain::version::{ApiVersion, Change};
use domain::withholding::taxes::rows::REV_2020;
use domain::withholding::taxes::service::VALID_FROM;

/// Text of a record that is a string in the specification: an empty one where it was never given, and null from the version on
/// that has [`Change::AbsentTextAsNull`].
pub fn text_or_empty(version: ApiVersion, text: Option<String>) -> Option<String> {
    text.or_else(|| (!version.includes_change(Change::AbsentTextAsNull)).then(String::new))
}

/// A PDF file: the whole of a response.
#[derive(Debug, utoipa::ToSchema)]
#[schema(value_type = String, format = Binary)]
pub struct PdfFile(pub Vec<u8>);

/// What levies a tax.
pub type TaxLevel = Enum<rules::taxes::Level>;
/// From what a place of an address is known.
pub type ToldBy = Enum<rules::places::Told>;
/// What a question about an address asks for.
pub type PlaceQuestionKey = Enum<rules::places::PlaceKind>;
/// Who pays a tax.
pub type TaxPayer = Enum<rules::taxes::Payer>;
/// How far a figure of a tax can be trusted.
pub type TaxConfidence = Enum<rules::taxes::Confidence>;
/// Where an employee's onboarding stands.
pub type Onboarding = Enum<onboarding::Status>;
/// Where a contractor's onboarding stands.
pub type ContractorOnboarding = Enum<rules::contractor::Status>;
/// A step of a contractor's onboarding.
pub type ContractorStep = Enum<rules::contractor::Step>;
/// What a contractor is paid for.
pub type ContractorWageType = Enum<rules::contractor::WageType>;
/// How a contractor is paid.
pub type ContractorPayBy = Enum<rules::contractor::PayBy>;
/// On which day workweeks begin.
pub type FirstDay = Enum<rules::wage_hour::FirstDay>;
/// How an employment came to its end.
pub type Separation = Enum<rules::final_pay::Separation>;
/// What becomes of vacation that was not taken.
pub type UnusedVacation = Enum<rules::final_pay::UnusedVacation>;
/// What time off is for.
pub type PolicyKind = Enum<time_off::PolicyType>;
/// How time off is earned.
pub type AccrualMethodText = Enum<time_off::AccrualMethod>;
/// How a request for time off stands.
pub type TimeOffRequestStatus = Enum<time_off::RequestStatus>;
/// Why a balance of time off changed.
pub type TimeOffReason = Enum<time_off::Reason>;
/// What is asked again of somebody who comes back.
pub type AskedAgain = Enum<rules::employment::Again>;
/// How an employee's invitation to their own place stands.
pub type InvitationStatus = Enum<portal::InvitationStatus>;
/// A step of an employee's onboarding.
pub type OnboardingStep = Enum<onboarding::Step>;
/// A step of a company's onboarding.
pub type CompanyStep = Enum<company::setup::Step>;
/// Whether a company may run payroll.
pub type CompanyStatus = Enum<company::Status>;
/// By what right somebody works in the country.
pub type RightToWork = Enum<i9::Status>;
/// A level of experience.
pub type ExperienceLevel = Enum<salary::Level>;
/// A kind of area with wages of its own.
pub type AreaKind = Enum<salary::AreaKind>;
/// Which legal limit of a benefit counts.
pub type LimitOption = Enum<benefits::LimitOption>;
/// Whether a benefit counts in a payroll, and why.
pub type Standing = Enum<benefits::Standing>;

/// Which report.
pub type ReportType = Enum<terms::Report>;
/// The format of a report.
pub type ReportFileType = Enum<terms::FileType>;
/// Of which day of a payroll the days of a report are.
pub type ReportDateFilter = Enum<terms::DateFilter>;
/// How the paychecks of a report are paid.
pub type ReportMethod = Enum<terms::Method>;
/// The overtime status of those in a report.
pub type ReportEmployment = Enum<terms::Employment>;
/// How those in a report stand in the company.
pub type ReportStanding = Enum<terms::Standing>;
/// What the lines of a general ledger are grouped by.
pub type LedgerAggregation = Enum<terms::Aggregation>;
/// Where on the page a check is.
pub type PrintingFormat = Enum<checks::Format>;
/// What a contractor is.
pub type ContractorTypeName = Enum<rules::contractor::ContractorType>;
/// What kind of pay an earning type is.
pub type EarningCategoryName = Enum<EarningCategory>;
/// Whom pay schedules are for.
pub type PayScheduleType = Enum<AssignmentType>;
/// A kind of facts about a company.
pub type TraitName = Enum<Trait>;
/// Who sets a minimum wage.
pub type AuthorityName = Enum<Authority>;
/// What stands in the way of running payroll.
pub type BlockerKey = Enum<blockers::PayrollBlockerKind>;
/// How deferrals above the limit become catch-up contributions.
pub type CatchUpName = Enum<CatchUpType>;
/// Overtime status.
pub type FlsaStatusName = Enum<FlsaStatus>;
/// Of what a rate is.
pub type PaymentUnitName = Enum<PaymentUnit>;
/// Why pay is exempt from Social Security and Medicare tax.
pub type FicaExemptionName = Enum<FicaExemption>;
/// How the person files on whom there is a levy.
pub type LevyStatusName = Enum<LevyFilingStatus>;
/// What a garnishment is.
pub type GarnishmentTypeName = Enum<GarnishmentType>;
/// An account of the general ledger.
pub type LedgerAccountName = Enum<domain::pay::books::Account>;
/// How a contractor is paid.
pub type ContractorPaymentMethodName = Enum<contractor_payments::Method>;
/// Where a payment of the partner stands.
pub type DisbursementStatusName = Enum<disbursements::DisbursementStatus>;
/// Why a payment is taken back.
pub type ReversalCategoryName = Enum<domain::pay::payrolls::closing::reversals::Category>;
/// What credits wait for.
pub type CreditsWaitForName = Enum<domain::money::funding::Mode>;
/// Whether a benefit applies on a day, and why not.
pub type DayStanding = Enum<DayStatus>;

words! {
    /// For whom a flow is.
    FlowEntityName = flows::types::FlowEntityKind::names();
    /// Which return a company files.
    FilingFormName = company::FilingForm::names();
    /// The kind of a bank account.
    AccountTypeName = AccountType::names();
    /// The program that takes a general ledger.
    LedgerIntegration = terms::Integration::names();
    /// The section by which overtime at the rate in effect was agreed.
    AgreedOvertimeRate = domain::pay::compensations::service::jobs::AGREED_OVERTIME_RATE;
    /// The code of an occupation in which tips are customary.
    OccupationCode = domain::pay::compensations::service::jobs::tipped_occupations();
    /// How often a pay schedule pays.
    FrequencyName = FREQUENCIES.map(PayFrequency::as_str);
    /// Legal form.
    TaxPayerType = company::TAX_PAYER_TYPES;
    /// How payrolls are funded.
    FundingType = [FUNDING_TYPE];
    /// Whether the identity of a signatory was checked.
    IdentityVerification = IDENTITY_VERIFICATION;
    /// How much a finding weighs.
    FindingCategory = migration::finding_categories();
    /// A group of events.
    SubscriptionType = types::NAMES;
    /// Whether a subscription gets events.
    SubscriptionStatus = types::STATUSES;
    /// A type of events.
    EventType = domain::events::ALL_TYPES.iter().map(|one| one.name).collect::<Vec<_>>();
    /// Hours worked.
    HourlyName = kinds::HOURLY.map(|(name, _)| name);
    /// Hours without work.
    TimeOffName = kinds::ENTERED_TIME_OFF;
    /// Why a payroll stands outside the schedule.
    OffCycleReason = REASONS;
    /// A kind of fault.
    ErrorCategory = error_categories();
    /// Which wage of an area counts.
    WageBasis = WAGE_BASES;
    /// The country of an address.
    CountryName = ["USA"];
    /// How pay is split among accounts.
    SplitByName = [SplitBy::Percentage, SplitBy::Amount].map(SplitBy::as_str);
    /// Pay into an account.
    DirectDepositName = [DIRECT_DEPOSIT];
    /// How an employee is paid.
    PaidByName = [DIRECT_DEPOSIT, CHECK];
    /// The form that was filled in.
    W4Type = [REV_2020];
    /// How an employee files.
    FilingStatusName = FilingStatus::REV_2020.map(FilingStatus::as_str);
    /// From when answers of an employee hold.
    AnswersValidFrom = [VALID_FROM];
    /// How a contribution is meant.
    ContributionTypeName = Contribution::KINDS;
    /// For which time the amount of a support order is.
    SupportPeriodName = PAYMENT_PERIODS.map(PayFrequency::as_str);
    /// For which pay period tax is withheld.
    WithholdingPeriodName = WITHHOLDING_PERIODS.map(PayFrequency::as_str);
    /// What the amount of a deduction is.
    DeductionUnitName = ["fixed", "percent"];
    /// A kind of earnings of another provider.
    ExternalEarningName = domain::pay::external_payrolls::items::KINDS;
    /// Which kind of payroll is skipped.
    SkippedName = SKIPPED;
    /// How somebody is paid.
    DisbursementMethodName = disbursements::METHODS;
    /// How long a payment takes.
    PaymentSpeedName = payment_configs::SPEEDS;
    /// Why a company is suspended.
    SuspensionReasonName = suspensions::REASONS;
    /// To which provider a company goes.
    LeavingForName = suspensions::PROVIDERS;
    /// What becomes of taxes that were collected.
    TaxMethodName = suspensions::TAX_METHODS;
    /// Whether a deduction reduces taxable income.
    TaxableIncome = TAXABLE_INCOME;
    /// What is done with one of many records.
    BulkAction = bulk::ACTIONS;
    /// What a plan does with a record.
    PlanAction = PlannedChange::ACTIONS;
}

/// A day of the calendar.
#[derive(Debug)]
pub enum DateText {}

impl Wire for DateText {
    type Value = Date;
    const EXPECTED: &'static str = check::WRITTEN_DAY;
    fn from_json(value: Value) -> Option<Date> {
        Self::read_json(value).ok()
    }
    fn read_json(value: Value) -> Result<Date, Cow<'static, str>> {
        let text = value.as_str().ok_or(Self::EXPECTED)?;
        Ok(check::read_date(text)?)
    }
    fn schema() -> RefOr<Schema> {
        text_of(Some(KnownFormat::Date)).into()
    }
}

impl ComposeSchema for DateText {
    fn compose(_: Vec<RefOr<Schema>>) -> RefOr<Schema> {
        Self::schema()
    }
}

impl ToSchema for DateText {}

text! {
    /// A day of the calendar, or empty text.
    OptionalDateText = text_of(Some(KnownFormat::Date));
    /// An identifier, as it was sent.
    IdText = text_of(Some(KnownFormat::Uuid));
    /// The version of a record, as last read.
    VersionText = text_like("^[0-9a-f]{32}$");
    /// An e-mail address; where it may be left out, also empty text.
    EmailText = text_up_to(0, 254);
    /// A Social Security number; where it may be left out, also empty text.
    SsnText = text_like("^([0-9]{3}-?[0-9]{2}-?[0-9]{4})?$");
    /// A telephone number of ten digits in any notation.
    PhoneText = text_like(r"^[-0-9 +()./]{10,}$");
    /// A ZIP code, or ZIP+4.
    ZipText = text_like("^[0-9]{5}(-[0-9]{4})?$");
    /// The two letters of a state.
    StateText = text_like("^[A-Za-z]{2}$");
    /// The routing number of a bank, with its check digit.
    RoutingNumberText = text_like("^[0-9]{9}$");
    /// The number of a bank account.
    AccountNumberText = text_like("^[0-9]{1,17}$");
    /// A first or last name.
    PersonName = text_up_to(1, 100);
    /// A line of an address, or a short name.
    LineText = text_up_to(1, 100);
    /// The same, where it may be left out.
    OptionalLineText = text_up_to(0, 100);
    /// A longer line: a title, a description or a reason.
    LongLineText = text_up_to(1, 255);
    /// A note of several lines.
    NoteText = text_up_to(0, 1_000);
    /// A ZIP code, or empty text.
    OptionalZipText = text_like("^([0-9]{5}(-[0-9]{4})?)?$");
    /// An employer identification number, or empty text.
    EinText = text_like("^([0-9]{2}-?[0-9]{7})?$");
    /// The two letters of a state, or empty text.
    OptionalStateText = text_like("^([A-Za-z]{2})?$");
    /// A memo or a title that may be left out.
    MemoText = text_up_to(0, 255);
    /// The number of a contractor's invoice.
    InvoiceText = text_up_to(0, 25);
    /// A middle initial: one letter, with or without a dot, or empty text.
    InitialText = text_up_to(0, 2);
    /// An amount that is read from text and from a number.
    Decimal = <Amount as Wire>::schema();
    /// The same, described as the text that clients send; a number is read, too.
    DecimalText = text_like(DECIMAL);
    /// A moment with its offset, as it was sent.
    MomentText = text_of(Some(KnownFormat::DateTime));
    /// An IP address.
    IpText = text_up_to(2, 45);
    /// The address of a page or of a receiver.
    UrlText = text_up_to(0, 2_000);
    /// A legal name or a trade name of a company.
    CompanyNameText = text_up_to(1, 200);
    /// An employer identification number that must be given.
    NeededEinText = text_like("^[0-9]{2}-?[0-9]{7}$");
    /// A class code of a workers' compensation fund.
    ClassCodeText = text_up_to(0, 20);
    /// The number of a case, an order or a remittance.
    IdentifierText = text_up_to(0, 50);
    /// What a garnishment is for.
    GarnishmentText = text_up_to(0, 200);
    /// The next employer of somebody who leaves.
    EmployerText = text_up_to(0, 200);
    /// SHA-256 in hexadecimal digits.
    HashText = text_like("^[0-9a-fA-F]{64}$");
    /// One flow type, or several with commas between them.
    FlowTypesText = text_like("^[a-z0-9_, ]{1,1000}$");
    /// The five digits of a ZIP code.
    FiveDigitsText = text_like("^[0-9]{5}$");
    /// The code of an occupation.
    OccupationCodeText = text_like("^[0-9]{2}-?[0-9]{4}$");
    /// A day of a year: MM-DD.
    YearDayText = text_like("^[0-9]{2}-[0-9]{2}$");
    /// A code of the North American Industry Classification System.
    NaicsText = text_like("^[0-9]{6}$");
    /// A code of the Standard Industrial Classification.
    SicText = text_like("^[0-9]{4}$");
    /// What a company does.
    IndustryTitleText = text_up_to(0, 200);
    /// The number of an account of the general ledger.
    LedgerNumberText = text_up_to(1, 20);
    /// What is told about a wire.
    WireNoteText = text_up_to(1, 500);
    /// Nothing: a field that is read for its name alone.
    NoText = ObjectBuilder::new().schema_type(Type::Null);
}

/// The schema of text of this form.
fn text_like(pattern: &str) -> Schema {
    ObjectBuilder::new().schema_type(Type::String).pattern(Some(pattern)).into()
}

/// The schema of text of this many characters.
fn text_up_to(least: usize, most: usize) -> Schema {
    let least = (least > 0).then_some(least);
    ObjectBuilder::new().schema_type(Type::String).min_length(least).max_length(Some(most)).into()
}

fn error_categories() -> Vec<&'static str> {
    let mut all: Vec<_> = Kind::ALL.iter().map(|kind| kind.explained().category).collect();
    all.sort_unstable();
    all.dedup();
    all
}
