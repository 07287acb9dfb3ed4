//! The steps that lead a company to its first payroll.
//!
//! A step is complete when the data that it asks for are held; the moment at which they came is told with it.

use strum::{EnumString, IntoStaticStr, VariantArray};

/// One step of a company's onboarding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, VariantArray, IntoStaticStr, EnumString)]
pub enum Step {
    /// An address that gets the mail, and one from which the company files.
    #[strum(serialize = "add_addresses")]
    AddAddresses,
    /// Legal name, legal form and employer identification number.
    #[strum(serialize = "federal_tax_setup")]
    FederalTaxSetup,
    /// The industry.
    #[strum(serialize = "select_industry")]
    SelectIndustry,
    /// The bank account that payroll is paid from.
    #[strum(serialize = "add_bank_info")]
    AddBankInfo,
    /// Somebody to be paid.
    #[strum(serialize = "add_employees")]
    AddEmployees,
    /// What the states ask of an employer.
    #[strum(serialize = "state_setup")]
    StateSetup,
    /// When people are paid.
    #[strum(serialize = "payroll_schedule")]
    PayrollSchedule,
    /// What the signatory signs.
    #[strum(serialize = "sign_all_forms")]
    SignAllForms,
    /// The bank account is the company's own.
    #[strum(serialize = "verify_bank_info")]
    VerifyBankInfo,
    /// Payrolls that were run elsewhere earlier in the year; asked for only on request.
    #[strum(serialize = "external_payroll")]
    ExternalPayroll,
}

impl Step {
    /// The steps of every company, in order. [`Self::ExternalPayroll`] is added on request.
    pub const STANDARD: [Self; 9] = [
        Self::AddAddresses,
        Self::FederalTaxSetup,
        Self::SelectIndustry,
        Self::AddBankInfo,
        Self::AddEmployees,
        Self::StateSetup,
        Self::PayrollSchedule,
        Self::SignAllForms,
        Self::VerifyBankInfo,
    ];

    /// What people read.
    pub fn title(self) -> &'static str {
        match self {
            Self::AddAddresses => "Company addresses",
            Self::FederalTaxSetup => "Federal tax details",
            Self::SelectIndustry => "Industry",
            Self::AddBankInfo => "Bank account",
            Self::AddEmployees => "Employees",
            Self::StateSetup => "State tax details",
            Self::PayrollSchedule => "Pay schedule",
            Self::SignAllForms => "Documents to sign",
            Self::VerifyBankInfo => "Bank account verification",
            Self::ExternalPayroll => "Payrolls from earlier this year",
        }
    }

    /// The steps that come before it.
    pub fn requirements(self) -> &'static [Self] {
        match self {
            Self::AddAddresses
            | Self::FederalTaxSetup
            | Self::SelectIndustry
            | Self::AddBankInfo
            | Self::PayrollSchedule => &[],
            Self::AddEmployees => &[Self::AddAddresses],
            Self::StateSetup => &[Self::AddAddresses, Self::AddEmployees],
            Self::SignAllForms => &[Self::FederalTaxSetup, Self::AddBankInfo],
            Self::VerifyBankInfo => &[Self::AddBankInfo],
            Self::ExternalPayroll => &[Self::AddEmployees],
        }
    }

    /// Whether a company cannot run payroll without it. One that pays contractors alone has no employees, owes no
    /// state anything for them and pays nobody by schedule.
    pub fn required(self, contractor_only: bool) -> bool {
        match self {
            Self::AddEmployees | Self::StateSetup | Self::PayrollSchedule => !contractor_only,
            Self::ExternalPayroll => false,
            _ => true,
        }
    }
}

/// The required steps that are not complete; `complete` says of each step whether it is.
pub fn open(contractor_only: bool, complete: impl Fn(Step) -> bool) -> Vec<Step> {
    Step::STANDARD.into_iter().filter(|step| step.required(contractor_only) && !complete(*step)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Named;

    #[test]
    fn a_step_comes_after_those_that_it_requires() {
        for (place, step) in Step::STANDARD.into_iter().enumerate() {
            assert!(
                step.requirements().iter().all(|earlier| Step::STANDARD[..place].contains(earlier)),
                "{step:?}"
            );
        }
        assert!(!Step::STANDARD.contains(&Step::ExternalPayroll));
    }

    #[test]
    fn a_company_is_ready_when_every_required_step_is_complete() {
        assert!(open(false, |_| true).is_empty());
        assert_eq!(open(false, |_| false), Step::STANDARD);
        assert_eq!(open(false, |step| step != Step::VerifyBankInfo), [Step::VerifyBankInfo]);
    }

    #[test]
    fn a_company_that_pays_contractors_alone_needs_neither_employees_nor_schedule() {
        let people = [Step::AddEmployees, Step::StateSetup, Step::PayrollSchedule];
        assert!(open(true, |step| !people.contains(&step)).is_empty());
        assert_eq!(open(false, |step| !people.contains(&step)), people);
    }

    #[test]
    fn every_step_has_a_name_of_its_own() {
        let mut ids: Vec<_> =
            Step::STANDARD.iter().chain([&Step::ExternalPayroll]).map(|step| step.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 10);
    }
}
