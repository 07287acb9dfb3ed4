//! Date versions of the interface, as far as use cases branch on them.
//!
//! What differs is a list ([`Change`]): code asks `caller.version.has(Change::AutoPayroll)` and knows nothing about dates.
//! How a version is asked for, and what is said about each difference, is the interface's.

/// A version that is served, in order of age.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApiVersion {
    /// 2024-04-01
    V2024_04_01,
    /// 2025-06-15, the default of an application that names none
    V2025_06_15,
    /// 2025-11-15
    V2025_11_15,
    /// 2026-02-01
    V2026_02_01,
    /// 2026-06-15
    V2026_06_15,
}

impl ApiVersion {
    /// Every served version, oldest first.
    pub const ALL: [Self; 5] =
        [Self::V2024_04_01, Self::V2025_06_15, Self::V2025_11_15, Self::V2026_02_01, Self::V2026_06_15];

    /// What counts for a request that names none and comes from no application of its own choice.
    pub const DEFAULT: Self = Self::V2025_06_15;

    /// The newest, which a new application begins with.
    pub const NEWEST: Self = Self::V2026_06_15;

    /// The date as it stands in the header.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2024_04_01 => "2024-04-01",
            Self::V2025_06_15 => "2025-06-15",
            Self::V2025_11_15 => "2025-11-15",
            Self::V2026_02_01 => "2026-02-01",
            Self::V2026_06_15 => "2026-06-15",
        }
    }

    /// Whether this version has a difference, or comes after the one that brought it.
    pub const fn has(self, change: Change) -> bool {
        self as u8 >= change.since() as u8
    }

    /// Whether this version is older than another one.
    pub const fn is_before(self, other: Self) -> bool {
        (self as u8) < other as u8
    }

    /// The version of this date, if it is served.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.as_str() == text)
    }
}

/// A difference between a version and those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Deductions are shown without being asked for.
    DeductionsByDefault,
    /// An employee without a rehire is no error.
    RehireMayBeNone,
    /// The moment at which a token was given is a number.
    TokenMomentAsNumber,
    /// `auto_pilot` is called `auto_payroll`.
    AutoPayroll,
    /// Reimbursements are no line of pay.
    ReimbursementsApart,
    /// Hours that are paid out at the end of employment are null where there are none.
    UnusedHoursAsNull,
    /// Faults of what was entered are found under the name of the field.
    FaultsUnderTheirField,
    /// Direct deposit needs a bank account.
    DirectDepositNeedsAccount,
    /// The last pay period that is skipped is named.
    SkippedLastPeriodIsNamed,
    /// What was entered from an old reading is a conflict.
    StaleEntriesConflict,
    /// Who onboards alone needs an e-mail address.
    EmailForSelfOnboarding,
    /// `elective` of a SIMPLE IRA follows from its type.
    ElectiveByType,
    /// Terms of service are accepted by an administrator of payroll.
    TermsByPayrollAdministrator,
    /// The move of a company needs no e-mail address.
    MoveWithoutEmail,
    /// The move of a company is answered with what was found.
    MoveTellsFindings,
    /// The older operations on terms of service answer without a body.
    TermsWithoutBody,
    /// Amounts of a payroll are text.
    AmountsAsText,
    /// When an off-cycle payroll was to be paid is not shown.
    OffCycleDatesOmitted,
    /// A payroll outside the schedule names its employees.
    OffCycleNamesEmployees,
    /// Payrolls come in pages.
    PayrollsInPages,
    /// The employees of a receipt come in pages.
    ReceiptInPages,
}

impl Change {
    /// Every difference, by version.
    pub const ALL: [Self; 21] = [
        Self::DeductionsByDefault,
        Self::RehireMayBeNone,
        Self::TokenMomentAsNumber,
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
        Self::TermsWithoutBody,
        Self::AmountsAsText,
        Self::OffCycleDatesOmitted,
        Self::OffCycleNamesEmployees,
        Self::PayrollsInPages,
        Self::ReceiptInPages,
    ];

    /// The first version that has it.
    pub const fn since(self) -> ApiVersion {
        match self {
            Self::DeductionsByDefault | Self::RehireMayBeNone | Self::TokenMomentAsNumber => {
                ApiVersion::V2025_06_15
            }
            Self::AutoPayroll
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
            | Self::MoveTellsFindings => ApiVersion::V2026_02_01,
            Self::TermsWithoutBody
            | Self::AmountsAsText
            | Self::OffCycleDatesOmitted
            | Self::OffCycleNamesEmployees
            | Self::PayrollsInPages
            | Self::ReceiptInPages => ApiVersion::V2026_06_15,
        }
    }
}
