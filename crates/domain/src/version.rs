//! Date versions of the API, as far as use cases depend on them.
//!
//! Differences are a list ([`Change`]): code asks `caller.version.has(Change::AutoPayroll)` and knows nothing about dates. How a version is
//! requested, and how each difference is documented, is up to the interface.

/// A supported version; ordered by age.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApiVersion {
    /// 2024-04-01
    V2024_04_01,
    /// 2025-06-15
    V2025_06_15,
    /// 2025-11-15
    V2025_11_15,
    /// 2026-02-01
    V2026_02_01,
    /// 2026-06-15
    V2026_06_15,
}

impl ApiVersion {
    /// Every supported version, oldest first.
    pub const ALL: [Self; 5] =
        [Self::V2024_04_01, Self::V2025_06_15, Self::V2025_11_15, Self::V2026_02_01, Self::V2026_06_15];

    /// The newest version: new applications get it, and a request that names none and has no application.
    pub const NEWEST: Self = Self::V2026_06_15;

    /// The date as in the header.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2024_04_01 => "2024-04-01",
            Self::V2025_06_15 => "2025-06-15",
            Self::V2025_11_15 => "2025-11-15",
            Self::V2026_02_01 => "2026-02-01",
            Self::V2026_06_15 => "2026-06-15",
        }
    }

    /// Whether this version includes a change: it introduced it or is newer than the version that did.
    pub const fn includes_change(self, change: Change) -> bool {
        self as u8 >= change.since() as u8
    }

    /// Whether this version is older than another one.
    pub const fn is_before(self, other: Self) -> bool {
        (self as u8) < other as u8
    }

    /// The version with this date, if it is supported.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.as_str() == text)
    }
}

/// A difference between a version and those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Deductions are included without being requested.
    DeductionsByDefault,
    /// An employee without a rehire is not an error.
    RehireMayBeNone,
    /// The creation time of a token is a number.
    TokenMomentAsNumber,
    /// E-mail addresses and second lines of addresses that were never given are null.
    AbsentTextAsNull,
    /// `auto_pilot` is renamed to `auto_payroll`.
    AutoPayroll,
    /// Reimbursements are not a fixed compensation.
    ReimbursementsApart,
    /// Hours paid out on termination are null if there are none.
    UnusedHoursAsNull,
    /// Errors of entered values are keyed by the name of the field.
    FaultsUnderTheirField,
    /// Direct deposit needs a bank account.
    DirectDepositNeedsAccount,
    /// The last skipped pay period is included.
    SkippedLastPeriodIsNamed,
    /// An update based on an old version is a conflict.
    StaleEntriesConflict,
    /// A group of contractor payments is created with the token of its preview.
    ContractorGroupsAfterPreview,
    /// Groups of contractor payments and drafts of Form 1099-NEC are answered 201.
    ContractorRecordsCreated,
    /// Payments of contractors have a memo and an invoice number.
    ContractorPaymentNotes,
    /// Self-onboarding requires an e-mail address.
    EmailForSelfOnboarding,
    /// `elective` of a SIMPLE IRA follows from its type.
    ElectiveByType,
    /// Terms of service are accepted by a payroll administrator.
    TermsByPayrollAdministrator,
    /// Migrating a company requires no e-mail address.
    MoveWithoutEmail,
    /// Migrating a company returns what was found.
    MoveTellsFindings,
    /// The older operations on terms of service return no body.
    TermsWithoutBody,
    /// Amounts of a payroll are strings.
    AmountsAsText,
    /// The original check date of an off-cycle payroll is not shown.
    OffCycleDatesOmitted,
    /// An off-cycle payroll names its employees.
    OffCycleNamesEmployees,
    /// Payrolls are paged.
    PayrollsInPages,
    /// The employees of a receipt are paged.
    ReceiptInPages,
}

impl Change {
    /// Every change, by version.
    pub const ALL: [Self; 25] = [
        Self::DeductionsByDefault,
        Self::RehireMayBeNone,
        Self::TokenMomentAsNumber,
        Self::ContractorGroupsAfterPreview,
        Self::ContractorRecordsCreated,
        Self::AbsentTextAsNull,
        Self::AutoPayroll,
        Self::ReimbursementsApart,
        Self::UnusedHoursAsNull,
        Self::FaultsUnderTheirField,
        Self::DirectDepositNeedsAccount,
        Self::SkippedLastPeriodIsNamed,
        Self::StaleEntriesConflict,
        Self::EmailForSelfOnboarding,
        Self::ElectiveByType,
        Self::TermsByPayrollAdministrator,
        Self::MoveWithoutEmail,
        Self::MoveTellsFindings,
        Self::ContractorPaymentNotes,
        Self::TermsWithoutBody,
        Self::AmountsAsText,
        Self::OffCycleDatesOmitted,
        Self::OffCycleNamesEmployees,
        Self::PayrollsInPages,
        Self::ReceiptInPages,
    ];

    /// The first version that includes it.
    pub const fn since(self) -> ApiVersion {
        match self {
            Self::DeductionsByDefault
            | Self::RehireMayBeNone
            | Self::TokenMomentAsNumber
            | Self::ContractorGroupsAfterPreview
            | Self::ContractorRecordsCreated => ApiVersion::V2025_06_15,
            Self::AbsentTextAsNull
            | Self::AutoPayroll
            | Self::ReimbursementsApart
            | Self::UnusedHoursAsNull
            | Self::FaultsUnderTheirField
            | Self::DirectDepositNeedsAccount
            | Self::SkippedLastPeriodIsNamed => ApiVersion::V2025_11_15,
            Self::StaleEntriesConflict
            | Self::EmailForSelfOnboarding
            | Self::ElectiveByType
            | Self::TermsByPayrollAdministrator
            | Self::MoveWithoutEmail
            | Self::MoveTellsFindings
            | Self::ContractorPaymentNotes => ApiVersion::V2026_02_01,
            Self::TermsWithoutBody
            | Self::AmountsAsText
            | Self::OffCycleDatesOmitted
            | Self::OffCycleNamesEmployees
            | Self::PayrollsInPages
            | Self::ReceiptInPages => ApiVersion::V2026_06_15,
        }
    }
}
