//! The closed sets of wire shapes, each derived from the code that decides about it.
//!
//! A response built from an enum has it as an [`Enum`], here under an alias, because the derived description cannot
//! resolve a generic type. Every other set is a list of words.

use rules::payroll::assignment::AssignmentType;
use rules::payroll::benefits;
use rules::payroll::benefits::election::TAXABLE_INCOME;
use rules::payroll::schedule::FREQUENCIES;
use rules::withholding::federal::PayFrequency;
use rules::{Amount, Named, company, i9, onboarding, salary, time_off};
use utoipa::openapi::Schema;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Type};

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
use domain::pay::payrolls::service::{REASONS, SKIPPED, blockers};
use domain::pay::reports::{checks, terms};
use domain::people::flows::portal;
use domain::version::{ApiVersion, Change};

/// Text of a record that is a string in the specification: an empty one where it was never given, and null from the version on
/// that has [`Change::AbsentTextAsNull`].
pub fn text_or_empty(version: ApiVersion, text: Option<String>) -> Option<String> {
    text.or_else(|| (!version.has(Change::AbsentTextAsNull)).then(String::new))
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
pub type InvitationStatus = Enum<portal::Status>;
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

words! {
    /// Which report.
    ReportType = terms::Report::names();
    /// The format of a report.
    ReportFileType = terms::FileType::names();
    /// Of which day of a payroll the days of a report are.
    ReportDateFilter = terms::DateFilter::names();
    /// How the paychecks of a report are paid.
    ReportMethod = terms::Method::names();
    /// The overtime status of those in a report.
    ReportEmployment = terms::Employment::names();
    /// How those in a report stand in the company.
    ReportStanding = terms::Standing::names();
    /// What the lines of a general ledger are grouped by.
    LedgerAggregation = terms::Aggregation::names();
    /// The program that takes a general ledger.
    LedgerIntegration = terms::Integration::names();
    /// Where on the page a check is.
    PrintingFormat = checks::Format::names();
    /// The section by which overtime at the rate in effect was agreed.
    AgreedOvertimeRate = domain::pay::compensations::service::jobs::AGREED_OVERTIME_RATE;
    /// The code of an occupation in which tips are customary.
    OccupationCode = domain::pay::compensations::service::jobs::tipped_occupations();
    /// On which day workweeks begin, in a request.
    FirstDayName = rules::wage_hour::FirstDay::names();
    /// How an employment came to its end.
    SeparationName = rules::final_pay::Separation::names();
    /// What time off is to be for.
    PolicyTypeName = time_off::PolicyType::names();
    /// How time off is to be earned.
    AccrualMethodName = time_off::AccrualMethod::names();
    /// What a contractor is.
    ContractorTypeName = rules::contractor::ContractorType::names();
    /// What a contractor is to be paid for.
    ContractorWageTypeName = rules::contractor::WageType::names();
    /// How a contractor is to be paid.
    ContractorPayByName = rules::contractor::PayBy::names();
    /// The status that a contractor's onboarding is to have.
    ContractorOnboardingName = rules::contractor::Status::names();
    /// The status that an employee's onboarding is to have.
    OnboardingName = onboarding::Status::names();
    /// A step of an employee's onboarding that is to be marked.
    OnboardingStepName = onboarding::Step::names();
    /// By what right somebody says to work in the country.
    RightToWorkName = i9::Status::names();
    /// A level of experience in a request.
    ExperienceLevelName = salary::Level::names();
    /// Which legal limit of a benefit is to count.
    LimitOptionName = benefits::LimitOption::names();
    /// What kind of pay an earning type is.
    EarningCategoryName = EarningCategory::names();
    /// How often a pay schedule pays.
    FrequencyName = FREQUENCIES.map(PayFrequency::as_str);
    /// Legal form.
    TaxPayerType = company::TAX_PAYER_TYPES;
    /// How payrolls are funded.
    FundingType = [FUNDING_TYPE];
    /// Whom pay schedules are for.
    PayScheduleType = AssignmentType::names();
    /// Whether the identity of a signatory was checked.
    IdentityVerification = IDENTITY_VERIFICATION;
    /// How much a finding weighs.
    FindingCategory = migration::categories();
    /// A kind of facts about a company.
    TraitName = Trait::names();
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
    /// Who sets a minimum wage.
    AuthorityName = Authority::names();
    /// What stands in the way of running payroll.
    BlockerKey = blockers::Kind::names();
    /// A kind of fault.
    ErrorCategory = categories();
    /// Which wage of an area counts.
    WageBasis = WAGE_BASES;
    /// How deferrals above the limit become catch-up contributions.
    CatchUpName = CatchUpType::names();
    /// How schedules are assigned to employees.
    AssignmentName = AssignmentType::names();
    /// Which kind of payroll is skipped.
    SkippedName = SKIPPED;
    /// How somebody is paid.
    DisbursementMethodName = disbursements::METHODS;
    /// How a contractor is paid.
    ContractorPaymentMethodName = contractor_payments::Method::names();
    /// Where a payment of the partner stands.
    DisbursementStatusName = disbursements::Status::names();
    /// How long a payment takes.
    PaymentSpeedName = payment_configs::SPEEDS;
    /// Why a payment is taken back.
    ReversalCategoryName = domain::pay::payrolls::closing::reversals::Category::names();
    /// What credits wait for.
    CreditsWaitForName = domain::money::funding::Mode::names();
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
    /// Whether a benefit applies on a day, and why not.
    DayStanding = DayStatus::names();
}

text! {
    /// A day of the calendar, as it was sent.
    DateText = text_of(Some(KnownFormat::Date))
}

text! {
    /// An identifier, as it was sent.
    IdText = text_of(Some(KnownFormat::Uuid))
}

text! {
    /// The version of a record, as last read.
    VersionText = text_like("^[0-9a-f]{32}$")
}

text! {
    /// An e-mail address; where it may be left out, also empty text.
    EmailText = text_up_to(0, 254)
}

text! {
    /// A Social Security number; where it may be left out, also empty text.
    SsnText = text_like("^([0-9]{3}-?[0-9]{2}-?[0-9]{4})?$")
}

text! {
    /// A telephone number of ten digits in any notation.
    PhoneText = text_like(r"^[-0-9 +()./]{10,}$")
}

text! {
    /// A ZIP code, or ZIP+4.
    ZipText = text_like("^[0-9]{5}(-[0-9]{4})?$")
}

text! {
    /// The two letters of a state.
    StateText = text_like("^[A-Za-z]{2}$")
}

text! {
    /// The routing number of a bank, with its check digit.
    RoutingNumberText = text_like("^[0-9]{9}$")
}

text! {
    /// The number of a bank account.
    AccountNumberText = text_like("^[0-9]{1,17}$")
}

text! {
    /// A first or last name.
    PersonName = text_up_to(1, 100)
}

text! {
    /// A line of an address, or a short name.
    LineText = text_up_to(1, 100)
}

text! {
    /// The same, where it may be left out.
    OptionalLineText = text_up_to(0, 100)
}

text! {
    /// A longer line: a title, a description or a reason.
    LongLineText = text_up_to(1, 255)
}

text! {
    /// A note of several lines.
    NoteText = text_up_to(0, 1_000)
}

text! {
    /// A ZIP code, or empty text.
    OptionalZipText = text_like("^([0-9]{5}(-[0-9]{4})?)?$")
}

text! {
    /// An employer identification number, or empty text.
    EinText = text_like("^([0-9]{2}-?[0-9]{7})?$")
}

text! {
    /// The two letters of a state, or empty text.
    OptionalStateText = text_like("^([A-Za-z]{2})?$")
}

text! {
    /// A memo or a title that may be left out.
    MemoText = text_up_to(0, 255)
}

text! {
    /// The number of a contractor's invoice.
    InvoiceText = text_up_to(0, 25)
}

text! {
    /// A middle initial: one letter, with or without a dot, or empty text.
    InitialText = text_up_to(0, 2)
}

text! {
    /// An amount that is read from text and from a number.
    Decimal = <Amount as Wire>::schema()
}

text! {
    /// The same, described as the text that clients send; a number is read, too.
    DecimalText = text_like(DECIMAL)
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

fn categories() -> Vec<&'static str> {
    let mut all: Vec<_> = Kind::ALL.iter().map(|kind| kind.explained().category).collect();
    all.sort_unstable();
    all.dedup();
    all
}
